// How a connection to a server is made on the real runtime: TCP, TLS, and what to speak on it.
#pragma once

#include <optional>
#include <string>

#include "net/connection.h"
#include "net/connection_pool.h"
#include "net/tcp.h"
#include "net/tls.h"
#include "rt/real/real_runtime.h"

namespace berth::net {

// With TLS both sides agree on HTTP/2 or HTTP/1.1; `tls` absent: in the clear, for loopback, and
// `in_the_clear` says what is spoken.
Dial dial_server(rt::RealRuntime& runtime,
                 Endpoint endpoint,
                 std::optional<TlsSource> tls,
                 std::string server_name,
                 Protocol in_the_clear = Protocol::kHttp2);

}  // namespace berth::net
