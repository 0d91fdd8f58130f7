// Servers whose TLS does what ours does not.
#include <gtest/gtest.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/sslerr.h>
#include <openssl/x509.h>

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
#include "net/tls.h"
#include "rt/scope.h"
#include "rt/simulation.h"
#include "rt/task.h"

namespace berth::net {
namespace {

using std::chrono::seconds;

// A server of TLS 1.2 on OpenSSL itself.
class RawTlsServer {
 public:
  struct Wants {
    bool certificate = false;    // of the client
    bool renegotiation = false;  // after the handshake
  };

  RawTlsServer(std::unique_ptr<ByteStream> stream, const Identity& identity, const Wants& wants)
      : stream_(std::move(stream)), wants_(wants) {
    SSL_CTX_set_max_proto_version(context_.get(), TLS1_2_VERSION);
    use(identity);
    if (wants.certificate) {
      SSL_CTX_set_verify(
          context_.get(), SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
    }
    ssl_.reset(SSL_new(context_.get()));
    in_ = BIO_new(BIO_s_mem());
    out_ = BIO_new(BIO_s_mem());
    SSL_set_bio(ssl_.get(), in_, out_);
    SSL_set_accept_state(ssl_.get());
  }

  rt::Task<void> run() {
    co_await shake_hands();
    if (wants_.renegotiation && failure == 0) {
      SSL_renegotiate(ssl_.get());
      co_await shake_hands();  // asks
      SSL_read(ssl_.get(), nullptr, 0);
      co_await take_one();
      std::array<char, 1> byte{};
      ERR_clear_error();
      if (SSL_read(ssl_.get(), byte.data(), 1) <= 0) {
        failure = ERR_GET_REASON(ERR_peek_error());
      }
      co_await send();
    }
  }

  int failure = 0;  // OpenSSL's reason

 private:
  void use(const Identity& identity) {
    const std::string& pem = identity.certificate_pem;
    const std::string_view key_pem = identity.key_pem.reveal();
    BIO* certificate_bio = BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size()));
    BIO* key_bio = BIO_new_mem_buf(key_pem.data(), static_cast<int>(key_pem.size()));
    X509* certificate = PEM_read_bio_X509(certificate_bio, nullptr, nullptr, nullptr);
    EVP_PKEY* key = PEM_read_bio_PrivateKey(key_bio, nullptr, nullptr, nullptr);
    SSL_CTX_use_certificate(context_.get(), certificate);
    SSL_CTX_use_PrivateKey(context_.get(), key);
    X509_free(certificate);
    EVP_PKEY_free(key);
    BIO_free(certificate_bio);
    BIO_free(key_bio);
  }

  rt::Task<void> shake_hands() {
    while (true) {
      ERR_clear_error();
      const int result = SSL_do_handshake(ssl_.get());
      const int why = SSL_get_error(ssl_.get(), result);
      if (result != 1 && why != SSL_ERROR_WANT_READ) {
        failure = ERR_GET_REASON(ERR_peek_error());
      }
      co_await send();
      if (result == 1 || failure != 0) {
        co_return;
      }
      const bool goes_on = co_await take_one();
      if (!goes_on) {
        co_return;
      }
    }
  }

  rt::Task<void> send() {
    std::string bytes(BIO_ctrl_pending(out_), '\0');
    if (!bytes.empty()) {
      BIO_read(out_, bytes.data(), static_cast<int>(bytes.size()));
      static_cast<void>(co_await stream_->write(bytes, {}));
    }
  }

  rt::Task<bool> take_one() {
    std::array<char, 20'000> buffer{};
    const auto count = co_await stream_->read(buffer, {});
    if (count && *count > 0) {
      BIO_write(in_, buffer.data(), static_cast<int>(*count));
    }
    co_return count && *count > 0;
  }

  std::unique_ptr<ByteStream> stream_;
  Wants wants_;
  std::unique_ptr<SSL_CTX, void (*)(SSL_CTX*)> context_{SSL_CTX_new(TLS_server_method()),
                                                        &SSL_CTX_free};
  std::unique_ptr<SSL, void (*)(SSL*)> ssl_{nullptr, &SSL_free};
  BIO* in_ = nullptr;   // belongs to ssl_
  BIO* out_ = nullptr;  // likewise
};

class HostileTlsTest : public testing::Test {
 public:
  void connect(const TlsClientOptions& options, const RawTlsServer::Wants& wants) {
    auto context = TlsContext::client(options);
    ASSERT_TRUE(context) << context.error().text();
    auto [ours, theirs] = make_stream_pair(simulation);
    server = std::make_unique<RawTlsServer>(std::move(theirs), identity, wants);
    scope.spawn("server", server->run());
    scope.spawn("client", shake_and_read(&simulation, std::move(ours), *context, &outcome));
    simulation.run_for(seconds(1));
  }

  static rt::Task<void> shake_and_read(rt::Simulation* simulation,
                                       std::unique_ptr<ByteStream> stream,
                                       TlsContext context,
                                       std::optional<Result<SecureStream>>* outcome) {
    outcome->emplace(co_await secure(simulation, std::move(stream), context, "localhost", {}));
    if (**outcome) {
      std::array<char, 100> buffer{};
      static_cast<void>(co_await (**outcome)->stream->read(buffer, {}));
    }
  }

  rt::Simulation simulation{1};
  Identity identity = testing_support::self_signed("DNS:localhost");
  std::unique_ptr<RawTlsServer> server;
  std::optional<Result<SecureStream>> outcome;
  rt::Scope scope{simulation, "test"};
};

TEST_F(HostileTlsTest, NobodyIsFollowedIntoASecondHandshake) {
  TlsClientOptions options;
  options.authorities_pem = identity.certificate_pem;
  connect(options, {.renegotiation = true});
  ASSERT_TRUE(outcome && *outcome) << outcome->error().text();
  EXPECT_EQ(server->failure, SSL_R_NO_RENEGOTIATION);
}

// Nobody asked for the certificate to be trusted, so that is not what is wrong.
TEST_F(HostileTlsTest, WhereNobodyIsVerifiedTheCertificateIsNotToBlame) {
  TlsClientOptions options;
  options.is_insecure = true;
  connect(options, {.certificate = true});
  ASSERT_TRUE(outcome && !*outcome);
  EXPECT_EQ(outcome->error().code(), ErrorCode::kUnavailable);
  EXPECT_NE(outcome->error().reason(), failure::kUntrusted);
  EXPECT_TRUE(outcome->error().text().starts_with("TLS handshake: ")) << outcome->error().text();
}

// A bundle of several, of which one was copied badly.
TEST_F(HostileTlsTest, WhatCannotBeReadOfTheAuthoritiesDoesNotHideTheRest) {
  const std::string broken =
      "-----BEGIN CERTIFICATE-----\nbm90aGluZw==\n-----END CERTIFICATE-----\n";
  TlsClientOptions options;
  options.authorities_pem = broken + identity.certificate_pem;
  connect(options, {});
  ASSERT_TRUE(outcome);
  EXPECT_TRUE(*outcome) << outcome->error().text();
}

TEST_F(HostileTlsTest, WhatCannotBeReadOfTheAuthoritiesIsToldWhenItMayMatter) {
  const Identity other = testing_support::self_signed("DNS:localhost");
  const std::string broken = "-----BEGIN CERTIFICATE-----\n!!!!\n-----END CERTIFICATE-----\n";
  TlsClientOptions options;
  options.authorities_pem = broken + other.certificate_pem + broken;
  connect(options, {});
  ASSERT_TRUE(outcome && !*outcome);
  EXPECT_EQ(outcome->error().text(),
            "the certificate is refused: self-signed certificate "
            "(2 of the certificate authorities cannot be read)");
  options.authorities_pem = broken;
  const auto context = TlsContext::client(options);
  ASSERT_FALSE(context);
  EXPECT_EQ(context.error().text(),
            "the certificate authority holds no certificate in PEM form (1 cannot be read)");
}

}  // namespace
}  // namespace berth::net
