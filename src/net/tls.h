// TLS over any stream, either end. Certificates are verified; there is no way to forget it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/secret.h"
#include "net/byte_stream.h"
#include "rt/runtime.h"
#include "rt/task.h"
#include "rt/wait_queue.h"

struct ssl_ctx_st;

namespace berth::net {

// Who we are: a certificate with those it was signed by, and its key, both PEM.
struct Identity {
  std::string certificate_pem;
  Secret key_pem;
};

struct TlsClientOptions {
  // PEM; empty: those the system trusts.
  std::string authorities_pem;
  // Nobody is verified. Only for what a user asked for by name.
  bool is_insecure = false;
  std::unique_ptr<Identity> identity;  // nullptr: none
  std::vector<std::string> protocols;  // "h2", "http/1.1", the most wanted first
};

struct TlsServerOptions {
  Identity identity;
  std::string client_authorities_pem;  // empty: clients are not asked for a certificate
  std::vector<std::string> protocols;
};

// What connections have in common; parsed once. Outlives nothing: connections keep what they need.
class TlsContext {
 public:
  static Result<TlsContext> client(const TlsClientOptions& options);
  static Result<TlsContext> server(const TlsServerOptions& options);

 private:
  friend rt::Task<Result<struct SecureStream>> secure(rt::Runtime* runtime,
                                                      std::unique_ptr<ByteStream> stream,
                                                      TlsContext context,
                                                      std::string server_name,
                                                      rt::Until until);
  explicit TlsContext(std::shared_ptr<ssl_ctx_st> context, bool is_server)
      : context_(std::move(context)), is_server_(is_server) {}

  std::shared_ptr<ssl_ctx_st> context_;
  bool is_server_;
  int unreadable_ = 0;  // certificates of the authorities
};

// Asked anew for each connection: certificates rotate.
using TlsSource = std::function<Result<TlsContext>()>;

struct SecureStream {
  std::unique_ptr<ByteStream> stream;
  std::string protocol;  // what both agreed on, or empty
};

// The handshake. `server_name` is what the certificate of the server must be for, a name or an
// address; of no meaning at a server.
rt::Task<Result<SecureStream>> secure(rt::Runtime* runtime,
                                      std::unique_ptr<ByteStream> stream,
                                      TlsContext context,
                                      std::string server_name,
                                      rt::Until until);

}  // namespace berth::net
