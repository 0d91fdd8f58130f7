#include "net/certificate.h"

#include <gtest/gtest.h>

#include <chrono>

#include "net/testing/certificates.h"

namespace berth::net {
namespace {

using std::chrono::hours;

TEST(Certificate, SaysUntilWhenItIsValid) {
  const auto sooner =
      end_of_certificate(testing_support::self_signed("DNS:a", hours(24)).certificate_pem);
  const auto later =
      end_of_certificate(testing_support::self_signed("DNS:a", hours(24 * 400)).certificate_pem);
  ASSERT_TRUE(sooner && later);
  // Made one after the other, with a clock that shows seconds.
  EXPECT_GE(*later - *sooner, hours(24 * 399));
  EXPECT_LT(*later - *sooner, hours(24 * 399) + hours(1));
}

TEST(Certificate, OneThatIsNoneHasNoEnd) {
  EXPECT_FALSE(end_of_certificate(""));
  EXPECT_FALSE(
      end_of_certificate("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"));
}

}  // namespace
}  // namespace berth::net
