// How a connection to a server is made on the real runtime: TCP, TLS, HTTP/2.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/result.h"
#include "net/connection_pool.h"
#include "net/tcp.h"
#include "net/tls.h"
#include "rt/real/real_runtime.h"

namespace berth::net {

// The TLS side of a server, made anew for each connection: certificates rotate.
using TlsSource = std::function<Result<TlsContext>()>;

// `tls` absent: HTTP/2 in the clear, for loopback.
Dial dial_server(rt::RealRuntime& runtime,
                 Endpoint endpoint,
                 std::optional<TlsSource> tls,
                 std::string server_name);

}  // namespace berth::net
