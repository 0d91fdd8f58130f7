// Where a server of ours listens, as operators write it.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "net/tcp.h"
#include "rt/real/real_runtime.h"

namespace berth::app {

// ":8080" (all addresses), "127.0.0.1:8080", "[::1]:8080"; "0" means none. kInvalid says what is
// expected.
Result<std::optional<net::Endpoint>> parse_bind_address(const std::string& text);

// `flag` is the one that chose the address, for the error.
Result<std::unique_ptr<net::TcpListener>> listen_on(rt::RealRuntime& runtime,
                                                    const net::Endpoint& endpoint,
                                                    const std::string& flag);

}  // namespace berth::app
