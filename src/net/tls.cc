#include "net/tls.h"

#include <fmt/format.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/result.h"
#include "net/byte_stream.h"
#include "net/failure.h"
#include "net/openssl_internal.h"
#include "net/wake_error.h"
#include "rt/reactor.h"
#include "rt/runtime.h"
#include "rt/task.h"
#include "rt/wait_queue.h"

namespace berth::net {
namespace {

// As much as a TLS record holds, with what is around it.
constexpr std::size_t kRecord = 17 * 1024;

struct SslDeleter {
  void operator()(SSL* ssl) const { SSL_free(ssl); }
};

int clamped(std::size_t size) {
  return static_cast<int>(std::min<std::size_t>(size, std::numeric_limits<int>::max()));
}

std::string_view reason_of_verdict(long verdict) {
  switch (verdict) {
    case X509_V_ERR_CERT_HAS_EXPIRED:
      return failure::kExpired;
    case X509_V_ERR_CERT_NOT_YET_VALID:
      return failure::kNotYetValid;
    case X509_V_ERR_HOSTNAME_MISMATCH:
    case X509_V_ERR_IP_ADDRESS_MISMATCH:
      return failure::kWrongName;
    default:
      return failure::kUntrusted;
  }
}

// OpenSSL between two buffers: what came from the network goes in, what is to be sent comes out.
// Reading and writing share it, on one thread; what is to be sent is written by one at a time.
class TlsStream final : public ByteStream {
 public:
  TlsStream(rt::Runtime& runtime,
            std::unique_ptr<ByteStream> stream,
            std::shared_ptr<SSL_CTX> context,
            std::unique_ptr<SSL, SslDeleter> ssl,
            int unreadable)
      : stream_(std::move(stream)),
        context_(std::move(context)),
        ssl_(std::move(ssl)),
        in_(BIO_new(BIO_s_mem())),
        out_(BIO_new(BIO_s_mem())),
        unreadable_(unreadable),
        sent_(runtime, "what is being sent") {
    SSL_set_bio(ssl_.get(), in_, out_);
  }

  rt::Task<Result<void>> shake_hands(rt::Until until) {
    while (true) {
      ERR_clear_error();
      const int result = SSL_do_handshake(ssl_.get());
      const int why = SSL_get_error(ssl_.get(), result);
      const Error failed = result == 1 ? Error(ErrorCode::kInternal, "") : handshake_error(why);
      // Also when it failed: the peer is told why.
      auto flushed = co_await flush(until);
      if (result == 1) {
        co_return flushed;
      }
      if (why != SSL_ERROR_WANT_READ && why != SSL_ERROR_WANT_WRITE) {
        co_return failed;
      }
      if (!flushed) {
        co_return flushed;
      }
      if (why == SSL_ERROR_WANT_READ) {
        auto filled = co_await fill(until);
        if (!filled) {
          co_return std::move(filled).error();
        }
        if (!*filled) {
          co_return Error(ErrorCode::kUnavailable, "the peer ended the connection");
        }
      }
    }
  }

  std::string protocol() const {
    const unsigned char* name = nullptr;
    unsigned size = 0;
    SSL_get0_alpn_selected(ssl_.get(), &name, &size);
    return {reinterpret_cast<const char*>(name), size};
  }

  rt::Task<Result<std::size_t>> read(std::span<char> buffer, rt::Until until) override {
    while (true) {
      ERR_clear_error();
      const int count = SSL_read(ssl_.get(), buffer.data(), clamped(buffer.size()));
      if (count > 0) {
        co_return static_cast<std::size_t>(count);
      }
      switch (SSL_get_error(ssl_.get(), count)) {
        case SSL_ERROR_ZERO_RETURN:
          co_return std::size_t{0};
        case SSL_ERROR_WANT_READ:
        case SSL_ERROR_WANT_WRITE:
          break;
        default:
          co_return openssl_error(ErrorCode::kUnavailable, "TLS");
      }
      // Reading may have something to answer. Whoever is sending takes it along: waiting for them
      // could be for ever, when the peer does the same.
      if (!is_sending_) {
        auto flushed = co_await flush(until);
        if (!flushed) {
          co_return std::move(flushed).error();
        }
      }
      auto filled = co_await fill(until);
      if (!filled) {
        co_return std::move(filled).error();
      }
      if (!*filled) {
        // Without the peer's good-bye this may be an attacker's doing; HTTP says itself what is
        // complete.
        co_return Error(ErrorCode::kUnavailable, "the peer cut the connection");
      }
    }
  }

  rt::Task<Result<void>> write(std::string_view bytes, rt::Until until) override {
    while (!bytes.empty()) {
      ERR_clear_error();
      const int count = SSL_write(ssl_.get(), bytes.data(), clamped(bytes.size()));
      if (count > 0) {
        bytes.remove_prefix(static_cast<std::size_t>(count));
        continue;
      }
      const int why = SSL_get_error(ssl_.get(), count);
      if (why != SSL_ERROR_WANT_WRITE) {
        // Renegotiation is off, so a write never waits for something to read.
        co_return openssl_error(ErrorCode::kUnavailable, "TLS");
      }
      auto flushed = co_await flush(until);
      if (!flushed) {
        co_return flushed;
      }
    }
    co_return co_await flush(until);
  }

  rt::Task<Result<void>> end(rt::Until until) override {
    ERR_clear_error();
    SSL_shutdown(ssl_.get());  // our good-bye; the peer's comes with what it still sends
    auto flushed = co_await flush(until);
    if (!flushed) {
      co_return flushed;
    }
    co_return co_await stream_->end(until);
  }

  void close() override { stream_->close(); }

 private:
  Error handshake_error(int why) const {
    // Where nobody is verified there is a verdict too, and nobody minds it.
    const bool is_verified = (SSL_get_verify_mode(ssl_.get()) & SSL_VERIFY_PEER) != 0;
    const long verdict = SSL_get_verify_result(ssl_.get());
    if (is_verified && verdict != X509_V_OK) {
      ERR_clear_error();
      std::string text = X509_verify_cert_error_string(verdict);
      if (unreadable_ > 0) {
        text += fmt::format(" ({} of the certificate authorities cannot be read)", unreadable_);
      }
      return Error(ErrorCode::kUnauthorized, std::move(text))
          .with_reason(reason_of_verdict(verdict))
          .in("the certificate is refused");
    }
    return why == SSL_ERROR_WANT_READ || why == SSL_ERROR_WANT_WRITE
               ? Error(ErrorCode::kInternal, "")
               : openssl_error(ErrorCode::kUnavailable, "TLS handshake");
  }

  // Sends what OpenSSL has written so far, after what somebody else is sending.
  rt::Task<Result<void>> flush(rt::Until until) {
    while (is_sending_) {
      const rt::Wake wake = co_await sent_.wait(until);
      if (wake != rt::Wake::kNotified) {
        co_return error_of(wake);
      }
    }
    const Sending sending(*this);
    while (BIO_ctrl_pending(out_) > 0) {
      std::string records(BIO_ctrl_pending(out_), '\0');
      const int count = BIO_read(out_, records.data(), clamped(records.size()));
      records.resize(static_cast<std::size_t>(std::max(count, 0)));
      auto written = co_await stream_->write(records, until);
      if (!written) {
        co_return written;
      }
    }
    co_return Result<void>();
  }

  // Takes what the network has. False at its end.
  rt::Task<Result<bool>> fill(rt::Until until) {
    auto count = co_await stream_->read(from_network_, until);
    if (!count) {
      co_return std::move(count).error();
    }
    if (*count == 0) {
      co_return false;
    }
    BIO_write(in_, from_network_.data(), clamped(*count));
    co_return true;
  }

  // Whoever sends says so for as long, however it ends.
  class Sending {
   public:
    explicit Sending(TlsStream& stream) : stream_(stream) { stream_.is_sending_ = true; }
    Sending(const Sending&) = delete;
    Sending& operator=(const Sending&) = delete;
    ~Sending() {
      stream_.is_sending_ = false;
      stream_.sent_.notify_one();
    }

   private:
    TlsStream& stream_;
  };

  std::unique_ptr<ByteStream> stream_;
  std::shared_ptr<SSL_CTX> context_;
  std::unique_ptr<SSL, SslDeleter> ssl_;
  BIO* in_;         // belongs to ssl_
  BIO* out_;        // likewise
  int unreadable_;  // certificates of the authorities
  std::array<char, kRecord> from_network_{};
  bool is_sending_ = false;
  rt::WaitQueue sent_;
};

// The certificate must be for this name or address.
bool expect_name(SSL* ssl, const std::string& name) {
  X509_VERIFY_PARAM* param = SSL_get0_param(ssl);
  if (X509_VERIFY_PARAM_set1_ip_asc(param, name.c_str()) == 1) {
    return true;
  }
  ERR_clear_error();
  X509_VERIFY_PARAM_set_hostflags(param, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
  return X509_VERIFY_PARAM_set1_host(param, name.c_str(), name.size()) == 1 &&
         SSL_set_tlsext_host_name(ssl, name.c_str()) == 1;
}

}  // namespace

rt::Task<Result<SecureStream>> secure(rt::Runtime* runtime,
                                      std::unique_ptr<ByteStream> stream,
                                      TlsContext context,
                                      std::string server_name,
                                      rt::Until until) {
  std::unique_ptr<SSL, SslDeleter> ssl(SSL_new(context.context_.get()));
  if (ssl == nullptr) {
    co_return openssl_error(ErrorCode::kInternal, "TLS");
  }
  if (context.is_server_) {
    SSL_set_accept_state(ssl.get());
  } else {
    SSL_set_connect_state(ssl.get());
    if (!expect_name(ssl.get(), server_name)) {
      co_return openssl_error(ErrorCode::kInvalid, "the server name '" + server_name + "'");
    }
  }
  auto tls = std::make_unique<TlsStream>(
      *runtime, std::move(stream), context.context_, std::move(ssl), context.unreadable_);
  auto done = co_await tls->shake_hands(until);
  if (!done) {
    co_return std::move(done).error();
  }
  SecureStream secured;
  secured.protocol = tls->protocol();
  secured.stream = std::move(tls);
  co_return std::move(secured);
}

}  // namespace berth::net
