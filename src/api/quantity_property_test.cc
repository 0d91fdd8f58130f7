// Random quantities against Boost's integers of any size, which count 10^-9.
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/multiprecision/cpp_int.hpp>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "api/quantity.h"

namespace berth::api {

namespace {

using boost::multiprecision::cpp_int;
using Format = Quantity::Format;

Quantity quantity(const std::string& text) {
  auto parsed = Quantity::parse(text);
  EXPECT_TRUE(parsed) << text << ": " << parsed.error().text();
  return parsed ? *parsed : Quantity();
}

Quantity sum(Quantity a, const Quantity& b) {
  a.add(b);
  return a;
}

struct Sample {
  std::string text;
  cpp_int nanos;
  Quantity quantity;
};

cpp_int power(int base, int exponent) {
  cpp_int result = 1;
  for (int i = 0; i < exponent; ++i) {
    result *= base;
  }
  return result;
}

cpp_int divide_away(const cpp_int& number, const cpp_int& divisor) {
  const cpp_int quotient = number / divisor;
  return quotient + cpp_int(number % divisor).sign();
}

class Samples {
 public:
  explicit Samples(unsigned seed) : random_(seed) {}

  Sample next() {
    const bool negative = pick(3) == 0;
    const int whole_len = pick(4) == 0 ? 15 + pick(8) : 1 + pick(9);
    const int fraction_len = pick(3) == 0 ? 1 + pick(12) : 0;
    const std::string whole = digits(whole_len);
    const std::string fraction = digits(fraction_len);
    std::string text = (negative ? "-" : "") + whole;
    if (fraction_len > 0) {
      text += "." + fraction;
    }
    cpp_int nanos = cpp_int("1" + whole + fraction) - power(10, whole_len + fraction_len);
    nanos *= power(10, 9);
    int exponent = -fraction_len;
    const int kind = pick(3);
    if (kind == 0) {
      const int index = pick(10);
      text += std::vector{"n", "u", "m", "", "k", "M", "G", "T", "P", "E"}[as_index(index)];
      exponent += 3 * (index - 3);
    } else if (kind == 1) {
      const int index = pick(6);
      text += std::vector{"Ki", "Mi", "Gi", "Ti", "Pi", "Ei"}[as_index(index)];
      nanos *= power(1024, index + 1);
    } else {
      const int written = pick(60) - 20;
      text += "e" + std::to_string(written);
      exponent += written;
    }
    nanos = exponent >= 0 ? nanos * power(10, exponent) : divide_away(nanos, power(10, -exponent));
    if (kind == 1) {
      nanos = std::min(nanos, cpp_int(std::numeric_limits<std::int64_t>::max()) * power(10, 9));
    }
    return {.text = text, .nanos = negative ? cpp_int(-nanos) : nanos, .quantity = quantity(text)};
  }

 private:
  static std::size_t as_index(int number) { return static_cast<std::size_t>(number); }
  int pick(int below) { return std::uniform_int_distribution(0, below - 1)(random_); }
  std::string digits(int length) {
    std::string text;
    for (int i = 0; i < length; ++i) {
      text += static_cast<char>('0' + pick(10));
    }
    // Many zeros at the end, so that suffixes grow and shrink.
    const auto zeros = std::min(text.size(), static_cast<std::size_t>(pick(3) == 0 ? pick(12) : 0));
    return text.replace(text.size() - zeros, zeros, zeros, '0');
  }

  std::mt19937 random_;
};

// What a number in 10^-9 is as an integer count of 10^-places.
std::string exact_at(const cpp_int& nanos, int places) {
  return divide_away(nanos, power(10, 9 - places)).str();
}

TEST(QuantityProperties, NumberIsThatOfAnIndependentReader) {
  Samples samples(1);
  for (int i = 0; i < 20'000; ++i) {
    const Sample sample = samples.next();
    ASSERT_EQ(sample.quantity.exact_value(), exact_at(sample.nanos, 0)) << sample.text;
    ASSERT_EQ(sample.quantity.exact_milli_value(), exact_at(sample.nanos, 3)) << sample.text;
    ASSERT_EQ(sample.quantity.sign(), sample.nanos.sign()) << sample.text;
  }
}

TEST(QuantityProperties, CanonicalFormReadsBackAsTheSameNumberUnlessItsSuffixIsMissing) {
  Samples samples(2);
  int lossy = 0;
  for (int i = 0; i < 20'000; ++i) {
    const Sample sample = samples.next();
    const Quantity again = quantity(sample.quantity.canonical());
    const bool needs_more_than_exa = sample.quantity.format() == Format::kDecimalSI &&
                                     sample.nanos != 0 && sample.nanos % power(10, 9 + 21) == 0;
    ASSERT_EQ(again.compare(sample.quantity) != 0, needs_more_than_exa) << sample.text;
    lossy += static_cast<int>(needs_more_than_exa);
    // And printing settles after one round, whatever it was.
    ASSERT_EQ(quantity(sample.quantity.to_string()).to_string(), sample.quantity.to_string());
  }
  EXPECT_GT(lossy, 0);
}

TEST(QuantityProperties, SumsAndDifferencesAreExact) {
  Samples samples(3);
  for (int i = 0; i < 20'000; ++i) {
    const Sample a = samples.next();
    const Sample b = samples.next();
    Quantity result = sum(a.quantity, b.quantity);
    ASSERT_EQ(result.exact_milli_value(), exact_at(a.nanos + b.nanos, 3))
        << a.text << " + " << b.text;
    result.subtract(b.quantity);
    ASSERT_EQ(result.compare(a.quantity), 0) << a.text << " + " << b.text << " - " << b.text;
    Quantity difference = a.quantity;
    difference.subtract(b.quantity);
    ASSERT_EQ(difference.sign(), cpp_int(a.nanos - b.nanos).sign()) << a.text << " - " << b.text;
    difference.negate();
    difference.add(a.quantity);
    ASSERT_EQ(difference.compare(b.quantity), 0) << a.text << " - (" << a.text << " - " << b.text;
  }
}

TEST(QuantityProperties, ComparisonIsTheOrderOfTheNumbers) {
  Samples samples(4);
  std::vector<Sample> all;
  for (int i = 0; i < 400; ++i) {
    all.push_back(samples.next());
    // A neighbour that differs in the last place, and the same number written differently.
    Sample near = all.back();
    near.quantity.add(quantity("1n"));
    near.nanos += 1;
    all.push_back(near);
    Sample same = all.back();
    same.quantity.add(quantity("100Ei"));
    same.quantity.subtract(quantity("100Ei"));
    all.push_back(same);
  }
  for (const Sample& a : all) {
    for (const Sample& b : all) {
      const int expected = a.nanos.compare(b.nanos);
      const int clamped = static_cast<int>(expected > 0) - static_cast<int>(expected < 0);
      ASSERT_EQ(a.quantity.compare(b.quantity), clamped) << a.text << " ? " << b.text;
    }
  }
}

}  // namespace

}  // namespace berth::api
