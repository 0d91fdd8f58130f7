#include "api/quantity.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"

namespace berth::api {

namespace {

using Format = Quantity::Format;

constexpr std::int64_t kInt64Max = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kInt64Min = std::numeric_limits<std::int64_t>::min();

Quantity quantity(std::string_view text) {
  auto parsed = Quantity::parse(text);
  EXPECT_TRUE(parsed) << text.substr(0, 40) << ": " << parsed.error().text();
  return parsed ? *parsed : Quantity();
}

Quantity sum(Quantity a, const Quantity& b) {
  a.add(b);
  return a;
}

TEST(Quantity, OrdinaryTextsKeepNumberAndFormat) {
  struct Row {
    std::string_view text;
    std::int64_t milli_value;
    Format format;
    std::string_view canonical;
  };
  for (const Row& row : {Row{"500m", 500, Format::kDecimalSI, "500m"},
                         Row{"4", 4000, Format::kDecimalSI, "4"},
                         Row{"0.5", 500, Format::kDecimalSI, "500m"},
                         Row{"1.5Gi", 1610612736000, Format::kBinarySI, "1536Mi"},
                         Row{"1Gi", 1073741824000, Format::kBinarySI, "1Gi"},
                         Row{"128974848", 128974848000, Format::kDecimalSI, "128974848"},
                         Row{"129e6", 129000000000, Format::kDecimalExponent, "129e6"},
                         Row{"-1.1", -1100, Format::kDecimalSI, "-1100m"}}) {
    const Quantity parsed = quantity(row.text);
    EXPECT_EQ(parsed.milli_value(), row.milli_value) << row.text;
    EXPECT_EQ(parsed.format(), row.format) << row.text;
    EXPECT_EQ(parsed.canonical(), row.canonical) << row.text;
  }
}

TEST(Quantity, PrintingReusesTheTextOnlyWhereUpstreamDoes) {
  for (const std::string_view text : {"+1", "1E3", "04Mi", "1e+3", "1.234k", "1.", "1e0"}) {
    EXPECT_EQ(quantity(text).to_string(), text);
    EXPECT_NE(quantity(text).canonical(), text);
  }
  EXPECT_EQ(quantity("0.5").to_string(), "500m");
  EXPECT_EQ(quantity("+8Ki").to_string(), "8Ki");
  EXPECT_EQ(quantity("+1000").to_string(), "1k");
}

TEST(Quantity, ChangingAQuantityForgetsItsText) {
  Quantity changed = quantity("+1");
  changed.add(quantity("0"));
  EXPECT_EQ(changed.to_string(), "1");
  changed = quantity("1E3");
  changed.negate();
  EXPECT_EQ(changed.to_string(), "-1e3");
}

TEST(Quantity, RefusedTextsNameTheirReason) {
  const std::string format =
      "quantities must match the regular expression "
      "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
  const std::string number = "unable to parse numeric part of quantity";
  const std::string suffix = "unable to parse quantity's suffix";
  struct Row {
    std::string_view text;
    const std::string& error;
  };
  for (const Row& row : {Row{"", format},
                         Row{" 1", format},
                         Row{"1.5.5", format},
                         Row{"1e+-3", format},
                         Row{"0x1", format},
                         Row{std::string_view("1\0", 2), format},
                         Row{"1\xFF", format},
                         Row{"1e", suffix},
                         Row{"1e+", suffix},
                         Row{"1ki", suffix},
                         Row{"1-", suffix},
                         Row{"1e9223372036854775808", suffix},
                         Row{"Pi", number},
                         Row{"+.Ei", number},
                         Row{"e-10", number}}) {
    const auto parsed = Quantity::parse(row.text);
    ASSERT_FALSE(parsed) << row.text;
    EXPECT_EQ(parsed.error().code(), ErrorCode::kInvalid);
    EXPECT_EQ(parsed.error().text(), row.error) << row.text;
  }
}

TEST(Quantity, RefusedTextLeavesTheTargetAlone) {
  Quantity target = quantity("+7");
  for (const std::string_view text : {"", "x", "1e", "Pi", "1e2147483647"}) {
    EXPECT_FALSE(Quantity::parse_into(text, target)) << text;
    EXPECT_FALSE(Quantity::parse_json_into(text, target)) << text;
    EXPECT_EQ(target, quantity("+7"));
  }
  EXPECT_TRUE(Quantity::parse_into("1Gi", target));
  EXPECT_EQ(target, quantity("1Gi"));
}

TEST(Quantity, JsonTokensMayBeStringsNumbersOrNull) {
  struct Row {
    std::string_view token;
    std::string_view printed;
    Format format;
  };
  for (const Row& row : {Row{R"("1Gi")", "1Gi", Format::kBinarySI},
                         Row{R"("  1Gi ")", "1Gi", Format::kBinarySI},
                         Row{"\"\xC2\xA0\xE3\x80\x80+5\"", "+5", Format::kDecimalSI},
                         Row{"1.5", "1500m", Format::kDecimalSI},
                         Row{"1E3\n", "1E3", Format::kDecimalExponent},
                         Row{"null", "0", Format::kNone}}) {
    const auto parsed = Quantity::parse_json(row.token);
    ASSERT_TRUE(parsed) << row.token;
    EXPECT_EQ(parsed->to_string(), row.printed) << row.token;
    EXPECT_EQ(parsed->format(), row.format) << row.token;
  }
  for (const std::string_view token :
       {R"("")", "", "true", "{}", R"("\u0031")", R"("1\n")", "\""}) {
    EXPECT_FALSE(Quantity::parse_json(token)) << token;
  }
}

TEST(Quantity, IntegersRoundAwayFromZeroAndSaturate) {
  EXPECT_EQ(quantity("1n").value(), 1);
  EXPECT_EQ(quantity("-1n").value(), -1);
  EXPECT_EQ(quantity("-8.68112664808").value(), -9);
  EXPECT_EQ(quantity("-8.68112664808").milli_value(), -8682);
  EXPECT_EQ(quantity("9223372036854775807").value(), kInt64Max);
  EXPECT_EQ(quantity("9223372036854775808").value(), kInt64Max);
  EXPECT_EQ(quantity("-9223372036854775808").value(), kInt64Min);
  EXPECT_EQ(quantity("-9223372036854775809").value(), kInt64Min);
  EXPECT_EQ(quantity("10E").value(), kInt64Max);
  EXPECT_EQ(quantity("1E").milli_value(), kInt64Max);
  EXPECT_EQ(quantity("-1E").milli_value(), kInt64Min);
  EXPECT_EQ(quantity("1E").exact_milli_value(), "1000000000000000000000");
  EXPECT_EQ(quantity("9223372036854775807.5").exact_value(), "9223372036854775808");
  EXPECT_EQ(Quantity().exact_milli_value(), "0");
}

TEST(Quantity, EqualityNeedsNumberFormatAndText) {
  EXPECT_EQ(quantity("0.5Gi"), quantity("512Mi"));
  EXPECT_EQ(quantity("1.50"), quantity("1500m"));
  EXPECT_EQ(quantity("100000000000000000000"), quantity("100E"));
  EXPECT_FALSE(quantity("1024") == quantity("1Ki"));
  EXPECT_FALSE(quantity("+1") == quantity("1"));
  EXPECT_FALSE(quantity("+1") == quantity("01"));
  EXPECT_FALSE(quantity("1") == quantity("2"));
  EXPECT_FALSE(quantity("0") == Quantity());
  EXPECT_EQ(quantity("1024").compare(quantity("1Ki")), 0);
}

TEST(Quantity, BuildersMakeWhatParsingWould) {
  EXPECT_EQ(Quantity::of_int(1073741824, Format::kBinarySI), quantity("1Gi"));
  EXPECT_EQ(Quantity::of_int(kInt64Min, Format::kDecimalSI), quantity("-9223372036854775808"));
  EXPECT_EQ(Quantity::of_milli(1500, Format::kDecimalSI), quantity("1.5"));
  EXPECT_EQ(Quantity::of_milli(2000, Format::kDecimalExponent), quantity("20e-1"));
}

TEST(Quantity, SumTakesTheFormatOfTheFirstUnlessThatIsZero) {
  EXPECT_EQ(sum(quantity("1Gi"), quantity("1")).format(), Format::kBinarySI);
  EXPECT_EQ(sum(quantity("1"), quantity("1Gi")).format(), Format::kDecimalSI);
  EXPECT_EQ(sum(quantity("0e5"), quantity("1Gi")), quantity("1Gi"));
  EXPECT_EQ(sum(Quantity(), quantity("100m")), quantity("100m"));
  EXPECT_EQ(sum(quantity("0Pi"), quantity("1k")), quantity("1k"));
}

TEST(Quantity, ArithmeticIsExactBeyondInt64) {
  Quantity big = Quantity::of_int(kInt64Max, Format::kDecimalSI);
  big.add(big);
  EXPECT_EQ(big.exact_value(), "18446744073709551614");
  big.subtract(Quantity::of_int(kInt64Max, Format::kDecimalSI));
  EXPECT_EQ(big.value(), kInt64Max);

  Quantity lowest = Quantity::of_int(kInt64Min, Format::kDecimalSI);
  lowest.negate();
  EXPECT_EQ(lowest.exact_value(), "9223372036854775808");
  lowest.negate();
  EXPECT_EQ(lowest, Quantity::of_int(kInt64Min, Format::kDecimalSI));

  Quantity zero = quantity("0");
  zero.subtract(Quantity::of_int(kInt64Min, Format::kDecimalSI));
  EXPECT_EQ(zero.exact_value(), "9223372036854775808");
}

TEST(Quantity, FastIntegerFollowsUpstreamsRepresentation) {
  EXPECT_EQ(quantity("1Ti").as_int64(), 1099511627776);
  EXPECT_EQ(quantity("1k").as_int64(), 1000);
  EXPECT_EQ(quantity("99Ti").as_int64(), 108851651149824);
  EXPECT_EQ(quantity("100Ti").as_int64(), std::nullopt);
  EXPECT_EQ(quantity("1Pi").as_int64(), std::nullopt);
  EXPECT_EQ(quantity("1000m").as_int64(), std::nullopt);
  EXPECT_EQ(quantity("10E").as_int64(), std::nullopt);
  // Once big, always big upstream, however small the number becomes.
  Quantity back = quantity("1Pi");
  back.subtract(quantity("1Pi"));
  EXPECT_EQ(back.as_int64(), std::nullopt);
  EXPECT_TRUE(back.is_zero());
}

// Hostile input. Each of these takes milliseconds, not minutes or gigabytes.

TEST(QuantityLimits, MoreThanTheDigitsAllowedIsALimitError) {
  for (const std::string_view text : {"1e2147483647",
                                      "1e9999998",
                                      "1e2000",
                                      "-12.345e2000",
                                      "1234567890123456789e1982",
                                      "1.5e-2147483648"}) {
    const auto parsed = Quantity::parse(text);
    ASSERT_FALSE(parsed) << text;
    EXPECT_EQ(parsed.error().code(), ErrorCode::kLimit) << text;
    EXPECT_EQ(parsed.error().text(), "quantity has more than 2000 digits");
  }
  EXPECT_EQ(Quantity::parse(std::string(1'000'000, '7')).error().code(), ErrorCode::kLimit);
}

TEST(QuantityLimits, LargestQuantityWorks) {
  const Quantity largest = quantity("1e1999");
  EXPECT_EQ(largest.to_string(), "10e1998");  // exponents are multiples of three
  EXPECT_EQ(largest.value(), kInt64Max);
  EXPECT_EQ(largest.compare(quantity("9223372036854775807")), 1);
  EXPECT_EQ(quantity("-1e1999").compare(largest), -1);
  EXPECT_EQ(quantity("1000e1996"), largest);
  const Quantity larger = sum(largest, quantity("1"));
  EXPECT_EQ(larger.compare(largest), 1);
  EXPECT_EQ(larger.exact_value().size(), 2'000U);
}

// The containers of a pod that asks for as much as it can.
TEST(QuantityLimits, SumsHaveFewDigitsMoreThanTheirTerms) {
  Quantity total;
  for (int i = 0; i < 100; ++i) {
    total.add(quantity(std::string(2'000, '9')));
    total.add(quantity("1n"));
  }
  EXPECT_EQ(total.canonical().size(), 2'002U + 9U + 1U);  // 99 times as much, down to nano, "n"
}

TEST(QuantityLimits, ExponentsWrapAt32BitsAndTinyOnesRoundUpToNano) {
  EXPECT_EQ(quantity("1e4294967299").value(), 1000);
  EXPECT_EQ(quantity("1e-2147483647").canonical(), "1e-9");
  EXPECT_EQ(quantity("-1e-1000000").canonical(), "-1e-9");
  EXPECT_TRUE(quantity("0e2147483647").is_zero());
}

TEST(QuantityLimits, ThousandsOfDigitsAreReadComparedAndPrinted) {
  std::string text(2'000, '7');
  const Quantity seven = quantity(text);
  EXPECT_EQ(seven.to_string(), text);
  text.back() = '8';
  EXPECT_EQ(seven.compare(quantity(text)), -1);
}

TEST(QuantityLimits, AMillionDigitsThatComeToLittleAreRead) {
  EXPECT_EQ(quantity(std::string(1'000'000, '7') + "Ki").value(), kInt64Max);
  EXPECT_EQ(quantity(std::string(1'000'000, '0') + "1").value(), 1);
  EXPECT_EQ(quantity("0." + std::string(1'000'000, '0') + "1").canonical(), "1n");
}

TEST(QuantityLimits, LargeBinarySumsKeepTheirSuffix) {
  const Quantity large = sum(quantity("1Ki"), quantity("1e1999"));
  EXPECT_TRUE(large.canonical().ends_with("Ki"));
  EXPECT_EQ(large.canonical().size(), 1998U);  // (10^1999 + 1024) / 1024, and Ki
}

// Each of the three ways upstream has.
TEST(QuantityLimits, WrappedValueIsWhatUpstreamMakesOfTooLargeNumbers) {
  EXPECT_EQ(quantity("200E").wrapped_value(), 0);
  EXPECT_EQ(quantity("563046006672169M").wrapped_value(), -8803059612827100096);
  EXPECT_EQ(quantity("92233720368547758070").wrapped_value(), -10);
  EXPECT_EQ(quantity("9223372036854775807").wrapped_value(), 9223372036854775807);
  EXPECT_EQ(quantity("5Gi").wrapped_value(), 5368709120);
  EXPECT_EQ(quantity("-3").wrapped_value(), -3);
}

}  // namespace

}  // namespace berth::api
