#include <fmt/format.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/pemerr.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/result.h"
#include "net/openssl_internal.h"
#include "net/tls.h"

namespace berth::net {
namespace {

struct BioDeleter {
  void operator()(BIO* bio) const { BIO_free_all(bio); }
};
struct CertificateDeleter {
  void operator()(X509* certificate) const { X509_free(certificate); }
};
struct KeyDeleter {
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
};
using Bio = std::unique_ptr<BIO, BioDeleter>;
using Certificate = std::unique_ptr<X509, CertificateDeleter>;

Bio memory_of(std::string_view text) {
  return Bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

struct Certificates {
  std::vector<Certificate> read;
  int unreadable = 0;
};

// Those that cannot be read do not hide the ones behind them.
Certificates read_certificates(std::string_view pem) {
  Certificates certificates;
  const Bio bio = memory_of(pem);
  while (true) {
    const std::size_t before = BIO_ctrl_pending(bio.get());
    X509* certificate = PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr);
    if (certificate != nullptr) {
      certificates.read.emplace_back(certificate);
      continue;
    }
    // The end of the text is told as an error too.
    const bool is_end = ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE;
    ERR_clear_error();
    if (is_end || BIO_ctrl_pending(bio.get()) == before) {
      return certificates;
    }
    ++certificates.unreadable;
  }
}

// How many of the authorities cannot be read.
Result<int> trust(SSL_CTX* context, std::string_view pem) {
  const auto authorities = read_certificates(pem);
  if (authorities.read.empty()) {
    std::string text = "the certificate authority holds no certificate in PEM form";
    if (authorities.unreadable > 0) {
      text += fmt::format(" ({} cannot be read)", authorities.unreadable);
    }
    return Error(ErrorCode::kInvalid, std::move(text));
  }
  for (const Certificate& authority : authorities.read) {
    if (X509_STORE_add_cert(SSL_CTX_get_cert_store(context), authority.get()) != 1) {
      return openssl_error(ErrorCode::kInvalid, "the certificate authority");
    }
  }
  return authorities.unreadable;
}

Result<void> identify(SSL_CTX* context, const Identity& identity) {
  auto chain = read_certificates(identity.certificate_pem).read;
  if (chain.empty()) {
    return Error(ErrorCode::kInvalid, "the certificate is not in PEM form");
  }
  const Bio bio = memory_of(identity.key_pem.reveal());
  const std::unique_ptr<EVP_PKEY, KeyDeleter> key(
      PEM_read_bio_PrivateKey(bio.get(), nullptr, nullptr, nullptr));
  if (key == nullptr) {
    return openssl_error(ErrorCode::kInvalid, "the private key");
  }
  if (SSL_CTX_use_certificate(context, chain.front().get()) != 1) {
    return openssl_error(ErrorCode::kInvalid, "the certificate");
  }
  for (auto it = chain.begin() + 1; it != chain.end(); ++it) {
    // The context takes what it is given.
    if (SSL_CTX_add_extra_chain_cert(context, it->release()) != 1) {
      return openssl_error(ErrorCode::kInvalid, "the certificate's chain");
    }
  }
  if (SSL_CTX_use_PrivateKey(context, key.get()) != 1 || SSL_CTX_check_private_key(context) != 1) {
    return openssl_error(ErrorCode::kInvalid, "the private key does not belong to the certificate");
  }
  return {};
}

// "\x02h2\x08http/1.1"
std::string wire_form(const std::vector<std::string>& protocols) {
  std::string wire;
  for (const std::string& protocol : protocols) {
    wire.push_back(static_cast<char>(protocol.size()));
    wire += protocol;
  }
  return wire;
}

std::shared_ptr<SSL_CTX> make_context(const SSL_METHOD* method) {
  std::shared_ptr<SSL_CTX> context(SSL_CTX_new(method), &SSL_CTX_free);
  if (context != nullptr) {
    SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
    SSL_CTX_set_mode(context.get(),
                     SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                         SSL_MODE_RELEASE_BUFFERS);
    // Writing never waits for something to read then, which TlsStream relies on.
    SSL_CTX_set_options(context.get(), SSL_OP_NO_RENEGOTIATION);
  }
  return context;
}

// What the server speaks, by its own order of preference.
int choose_protocol(SSL* /*ssl*/,
                    const unsigned char** out,
                    unsigned char* out_size,
                    const unsigned char* offered,
                    unsigned offered_size,
                    void* argument) {
  const auto& wire = *static_cast<const std::string*>(argument);
  unsigned char* chosen = nullptr;
  const int result = SSL_select_next_proto(&chosen,
                                           out_size,
                                           reinterpret_cast<const unsigned char*>(wire.data()),
                                           static_cast<unsigned>(wire.size()),
                                           offered,
                                           offered_size);
  *out = chosen;
  return result == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_NOACK;
}

}  // namespace

Result<TlsContext> TlsContext::client(const TlsClientOptions& options) {
  auto context = make_context(TLS_client_method());
  if (context == nullptr) {
    return openssl_error(ErrorCode::kInternal, "TLS");
  }
  int unreadable = 0;
  if (options.is_insecure) {
    SSL_CTX_set_verify(context.get(), SSL_VERIFY_NONE, nullptr);
  } else {
    SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, nullptr);
    if (options.authorities_pem.empty()) {
      SSL_CTX_set_default_verify_paths(context.get());
    } else {
      BERTH_TRY(unreadable, trust(context.get(), options.authorities_pem));
    }
  }
  if (options.identity != nullptr) {
    if (auto identified = identify(context.get(), *options.identity); !identified) {
      return std::move(identified).error();
    }
  }
  const std::string wire = wire_form(options.protocols);
  SSL_CTX_set_alpn_protos(context.get(),
                          reinterpret_cast<const unsigned char*>(wire.data()),
                          static_cast<unsigned>(wire.size()));
  TlsContext made(std::move(context), /*is_server=*/false);
  made.unreadable_ = unreadable;
  return made;
}

Result<TlsContext> TlsContext::server(const TlsServerOptions& options) {
  auto context = make_context(TLS_server_method());
  if (context == nullptr) {
    return openssl_error(ErrorCode::kInternal, "TLS");
  }
  if (auto identified = identify(context.get(), options.identity); !identified) {
    return std::move(identified).error();
  }
  if (!options.client_authorities_pem.empty()) {
    if (auto trusted = trust(context.get(), options.client_authorities_pem); !trusted) {
      return std::move(trusted).error();
    }
    SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, nullptr);
  }
  // Lives as long as the context.
  auto wire = std::make_shared<std::string>(wire_form(options.protocols));
  SSL_CTX_set_alpn_select_cb(context.get(), &choose_protocol, wire.get());
  std::shared_ptr<SSL_CTX> with_wire(context.get(), [context, wire](SSL_CTX* /*held*/) {});
  return TlsContext(std::move(with_wire), /*is_server=*/true);
}

}  // namespace berth::net
