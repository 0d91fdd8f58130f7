// What OpenSSL has to say about a failure, as an Error.
#pragma once

#include <openssl/err.h>
#include <openssl/sslerr.h>

#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "net/failure.h"

namespace berth::net {

// What an error of OpenSSL's means for people; empty mostly.
inline std::string_view reason_of_openssl(unsigned long code) {
  if (ERR_GET_LIB(code) != ERR_LIB_SSL) {
    return {};
  }
  switch (ERR_GET_REASON(code)) {
    // Alerts: the peer says what it has against our certificate.
    case SSL_R_SSLV3_ALERT_BAD_CERTIFICATE:
    case SSL_R_SSLV3_ALERT_UNSUPPORTED_CERTIFICATE:
    case SSL_R_SSLV3_ALERT_CERTIFICATE_REVOKED:
    case SSL_R_SSLV3_ALERT_CERTIFICATE_EXPIRED:
    case SSL_R_SSLV3_ALERT_CERTIFICATE_UNKNOWN:
    case SSL_R_TLSV1_ALERT_UNKNOWN_CA:
    case SSL_R_TLSV1_ALERT_ACCESS_DENIED:
    case SSL_R_TLSV13_ALERT_CERTIFICATE_REQUIRED:
      return failure::kIdentityRefused;
    case SSL_R_WRONG_VERSION_NUMBER:
    case SSL_R_HTTP_REQUEST:
      return failure::kNoTls;
    default:
      return {};
  }
}

// Takes everything from OpenSSL's queue of errors; the first says the most.
inline Error openssl_error(ErrorCode code, std::string_view where) {
  std::string text = "unknown error";
  const unsigned long first = ERR_get_error();
  if (first != 0) {
    const char* reason = ERR_reason_error_string(first);
    text = reason != nullptr ? reason : "error " + std::to_string(first);
  }
  ERR_clear_error();
  return Error(code, std::move(text)).with_reason(reason_of_openssl(first)).in(where);
}

}  // namespace berth::net
