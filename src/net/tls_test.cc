#include "net/tls.h"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/result.h"
#include "net/byte_stream.h"
#include "net/failure.h"
#include "net/memory_stream.h"
#include "net/testing/certificates.h"
#include "rt/scope.h"
#include "rt/simulation.h"
#include "rt/task.h"

namespace berth::net {
namespace {

using testing_support::self_signed;

class TlsTest : public testing::Test {
 public:
  struct Outcome {
    std::optional<Result<SecureStream>> client;
    std::optional<Result<SecureStream>> server;
  };

  static rt::Task<void> shake(rt::Simulation* simulation,
                              std::unique_ptr<ByteStream> stream,
                              TlsContext context,
                              std::string name,
                              std::optional<Result<SecureStream>>* outcome) {
    outcome->emplace(co_await secure(simulation, std::move(stream), context, name, {}));
  }

  Outcome shake_hands(const TlsClientOptions& client,
                      const TlsServerOptions& server,
                      const std::string& name) {
    auto client_context = TlsContext::client(client);
    auto server_context = TlsContext::server(server);
    Outcome outcome;
    EXPECT_TRUE(client_context);
    EXPECT_TRUE(server_context);
    if (client_context && server_context) {
      auto [ours, theirs] = make_stream_pair(simulation, 1000, 333);
      scope.spawn("client",
                  shake(&simulation, std::move(ours), *client_context, name, &outcome.client));
      scope.spawn("server",
                  shake(&simulation, std::move(theirs), *server_context, "", &outcome.server));
      simulation.run_for(std::chrono::seconds(1));
    }
    return outcome;
  }

  static rt::Task<void> write(ByteStream* stream, std::string text) {
    static_cast<void>(co_await stream->write(text, {}));
  }
  static rt::Task<void> read(ByteStream* stream, std::size_t size, std::string* text) {
    std::array<char, 5000> buffer{};
    while (text->size() < size) {
      const auto count = co_await stream->read(buffer, {});
      if (!count || *count == 0) {
        co_return;
      }
      text->append(buffer.data(), *count);
    }
  }

  static rt::Task<void> read_error(ByteStream* stream, std::optional<Error>* error) {
    std::array<char, 100> buffer{};
    const auto count = co_await stream->read(buffer, {});
    if (!count) {
      *error = count.error();
    }
  }

  static TlsClientOptions trusting(const Identity& server) {
    TlsClientOptions options;
    options.authorities_pem = server.certificate_pem;
    options.protocols = {"h2", "http/1.1"};
    return options;
  }

  static std::string error_of(const std::optional<Result<SecureStream>>& outcome) {
    if (!outcome) {
      return "waits";
    }
    return *outcome ? "connected" : outcome->error().text();
  }

  static std::string_view reason_of(const std::optional<Result<SecureStream>>& outcome) {
    return outcome && !*outcome ? outcome->error().reason() : "";
  }

  rt::Simulation simulation{1};
  rt::Scope scope{simulation, "test"};
  Identity identity = self_signed("DNS:localhost,IP:127.0.0.1", std::chrono::hours(1));
};

TEST_F(TlsTest, CarriesBytesBothWaysAndAgreesOnAProtocol) {
  auto outcome =
      shake_hands(trusting(identity), {.identity = identity, .protocols = {"h2"}}, "127.0.0.1");
  ASSERT_EQ(error_of(outcome.client), "connected");
  ASSERT_EQ(error_of(outcome.server), "connected");
  EXPECT_EQ((*outcome.client)->protocol, "h2");
  EXPECT_EQ((*outcome.server)->protocol, "h2");

  const std::string text(100'000, 'x');
  std::string there;
  std::string back;
  ByteStream* client = (*outcome.client)->stream.get();
  ByteStream* server = (*outcome.server)->stream.get();
  scope.spawn("a", write(client, text));
  scope.spawn("b", write(server, text));
  scope.spawn("c", read(client, text.size(), &back));
  scope.spawn("d", read(server, text.size(), &there));
  simulation.run_for(std::chrono::seconds(10));
  EXPECT_TRUE(there == text) << there.size();
  EXPECT_TRUE(back == text) << back.size();
}

TEST_F(TlsTest, AServerNobodyTrustsIsRefused) {
  const Identity other = self_signed("IP:127.0.0.1", std::chrono::hours(1));
  const auto outcome = shake_hands(trusting(other), {.identity = identity}, "127.0.0.1");
  ASSERT_TRUE(outcome.client && !*outcome.client);
  EXPECT_EQ(outcome.client->error().code(), ErrorCode::kUnauthorized);
  EXPECT_EQ(error_of(outcome.client), "the certificate is refused: self-signed certificate");
  EXPECT_EQ(reason_of(outcome.client), failure::kUntrusted);
}

TEST_F(TlsTest, AServerOfAnotherNameIsRefused) {
  EXPECT_EQ(error_of(shake_hands(trusting(identity), {.identity = identity}, "10.0.0.1").client),
            "the certificate is refused: IP address mismatch");
  EXPECT_EQ(error_of(shake_hands(trusting(identity), {.identity = identity}, "example").client),
            "the certificate is refused: hostname mismatch");
  EXPECT_EQ(reason_of(shake_hands(trusting(identity), {.identity = identity}, "example").client),
            failure::kWrongName);
  EXPECT_EQ(error_of(shake_hands(trusting(identity), {.identity = identity}, "localhost").client),
            "connected");
}

TEST_F(TlsTest, AnExpiredCertificateIsRefused) {
  const Identity old = self_signed("IP:127.0.0.1", std::chrono::seconds(-10));
  EXPECT_EQ(error_of(shake_hands(trusting(old), {.identity = old}, "127.0.0.1").client),
            "the certificate is refused: certificate has expired");
  EXPECT_EQ(reason_of(shake_hands(trusting(old), {.identity = old}, "127.0.0.1").client),
            failure::kExpired);
}

TEST_F(TlsTest, AClientTheServerRefusesHearsWhy) {
  auto client = trusting(identity);
  client.identity = std::make_unique<Identity>(self_signed("DNS:me", std::chrono::hours(1)));
  const Identity other = self_signed("DNS:you", std::chrono::hours(1));
  auto outcome = shake_hands(
      client, {.identity = identity, .client_authorities_pem = other.certificate_pem}, "127.0.0.1");
  EXPECT_EQ(error_of(outcome.server), "the certificate is refused: self-signed certificate");
  // In TLS 1.3 a client is done before its certificate was looked at.
  ASSERT_EQ(error_of(outcome.client), "connected");
  std::optional<Error> error;
  scope.spawn("read", read_error((*outcome.client)->stream.get(), &error));
  simulation.run_for(std::chrono::seconds(1));
  ASSERT_TRUE(error);
  EXPECT_EQ(error->reason(), failure::kIdentityRefused) << error->text();
}

TEST_F(TlsTest, WhatSpeaksNoTlsIsRecognised) {
  auto context = TlsContext::client(trusting(identity));
  ASSERT_TRUE(context);
  auto [ours, theirs] = make_stream_pair(simulation);
  std::optional<Result<SecureStream>> outcome;
  scope.spawn("client", shake(&simulation, std::move(ours), *context, "localhost", &outcome));
  scope.spawn("server", write(theirs.get(), "HTTP/1.0 400 Bad Request\r\n\r\n"));
  simulation.run_for(std::chrono::seconds(1));
  EXPECT_EQ(reason_of(outcome), failure::kNoTls) << error_of(outcome);
}

TEST_F(TlsTest, NobodyIsVerifiedOnlyWhenThatWasAskedFor) {
  TlsClientOptions options;
  options.is_insecure = true;
  EXPECT_EQ(error_of(shake_hands(options, {.identity = identity}, "10.0.0.1").client), "connected");
}

TEST_F(TlsTest, WhatIsNoCertificateIsAnError) {
  TlsClientOptions options;
  options.authorities_pem = "no PEM";
  const auto context = TlsContext::client(options);
  ASSERT_FALSE(context);
  EXPECT_EQ(context.error().text(), "the certificate authority holds no certificate in PEM form");
  const Identity other = self_signed("IP:127.0.0.1", std::chrono::hours(1));
  const auto mixed = TlsContext::server(
      {.identity = {.certificate_pem = identity.certificate_pem, .key_pem = other.key_pem}});
  ASSERT_FALSE(mixed);
  EXPECT_NE(mixed.error().text().find("does not belong"), std::string::npos);
}

}  // namespace
}  // namespace berth::net
