// Why a connection was not made, or was lost: the reasons (Error::reason) of errors of this room,
// for whoever explains them to people.
#pragma once

#include <string_view>

namespace berth::net::failure {

inline constexpr std::string_view kNameNotFound = "NameNotFound";
inline constexpr std::string_view kConnectionRefused = "ConnectionRefused";
inline constexpr std::string_view kNoRoute = "NoRoute";
// Of the peer's certificate.
inline constexpr std::string_view kUntrusted = "CertificateUntrusted";
inline constexpr std::string_view kExpired = "CertificateExpired";
inline constexpr std::string_view kNotYetValid = "CertificateNotYetValid";
inline constexpr std::string_view kWrongName = "CertificateOfAnotherName";
// Of ours, by the peer.
inline constexpr std::string_view kIdentityRefused = "ClientCertificateRefused";
// What answers does not speak TLS.
inline constexpr std::string_view kNoTls = "NoTls";

}  // namespace berth::net::failure
