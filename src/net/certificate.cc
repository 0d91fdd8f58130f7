#include "net/certificate.h"

#include <openssl/asn1.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <chrono>
#include <ctime>
#include <memory>
#include <string_view>

#include "base/error.h"
#include "base/result.h"

namespace berth::net {

Result<std::chrono::sys_seconds> end_of_certificate(std::string_view pem) {
  const std::unique_ptr<BIO, int (*)(BIO*)> bio(
      BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())), &BIO_free);
  const std::unique_ptr<X509, void (*)(X509*)> certificate(
      PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr), &X509_free);
  ERR_clear_error();
  std::tm end{};
  if (certificate == nullptr || ASN1_TIME_to_tm(X509_get0_notAfter(certificate.get()), &end) != 1) {
    return Error(ErrorCode::kInvalid, "the certificate is not in PEM form");
  }
  constexpr int kTmYear = 1900;
  const std::chrono::year_month_day day{std::chrono::year(end.tm_year + kTmYear),
                                        std::chrono::month(static_cast<unsigned>(end.tm_mon) + 1),
                                        std::chrono::day(static_cast<unsigned>(end.tm_mday))};
  return std::chrono::sys_days(day) + std::chrono::hours(end.tm_hour) +
         std::chrono::minutes(end.tm_min) + std::chrono::seconds(end.tm_sec);
}

}  // namespace berth::net
