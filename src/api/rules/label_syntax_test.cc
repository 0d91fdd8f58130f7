#include "api/rules/label_syntax.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <string_view>

namespace berth::api {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

std::string letters(std::size_t count) {
  return std::string(count, 'a');
}

TEST(LabelSyntax, ValidKeysHaveNoFaults) {
  for (const std::string& key : {std::string("a"),
                                 std::string("A.b_c-9"),
                                 letters(63),
                                 std::string("example.com/a"),
                                 std::string("a-b.c0/X"),
                                 letters(253) + "/" + letters(63)}) {
    EXPECT_TRUE(is_label_key(key)) << key;
    EXPECT_EQ(label_key_faults(key), "") << key;
  }
}

TEST(LabelSyntax, InvalidKeysHaveTheFaultsThatApply) {
  const auto expect_fault = [](const std::string& key, std::string_view part) {
    EXPECT_FALSE(is_label_key(key)) << key;
    EXPECT_THAT(label_key_faults(key), HasSubstr(std::string(part))) << key;
  };
  expect_fault("", "name part must be non-empty; name part must consist of");
  expect_fault("-a", "name part must consist of");
  expect_fault("a.", "name part must consist of");
  expect_fault("a b", "name part must consist of");
  expect_fault("a\n", "name part must consist of");
  expect_fault("\xc3\xbc", "name part must consist of");
  expect_fault(letters(64), "name part must be no more than 63 bytes");
  expect_fault("/a", "prefix part must be non-empty");
  expect_fault("example.com/", "name part must be non-empty");
  expect_fault("Example.com/a", "prefix part a lowercase RFC 1123 subdomain");
  expect_fault("a..b/c", "prefix part a lowercase RFC 1123 subdomain");
  expect_fault("a-.b/c", "prefix part a lowercase RFC 1123 subdomain");
  expect_fault("a.-b/c", "prefix part a lowercase RFC 1123 subdomain");
  expect_fault(".a/c", "prefix part a lowercase RFC 1123 subdomain");
  expect_fault("a./c", "prefix part a lowercase RFC 1123 subdomain");
  expect_fault(letters(254) + "/a", "prefix part must be no more than 253 bytes");
  expect_fault("/", "prefix part must be non-empty; name part must be non-empty; name part must");
  expect_fault("a/b/c", "with an optional DNS subdomain prefix");
}

TEST(LabelSyntax, KeyOfThreePartsHasNoOtherFault) {
  EXPECT_THAT(label_key_faults("//"), StartsWith("a valid label key must consist of"));
}

TEST(LabelSyntax, ValuesAreEmptyOrNames) {
  for (const std::string& value : {std::string(), std::string("a_b.C-1"), letters(63)}) {
    EXPECT_TRUE(is_label_value(value)) << value;
    EXPECT_EQ(label_value_faults(value), "");
  }
  for (const char* value : {"-3", "+4", "a/b", "x_", " "}) {
    EXPECT_FALSE(is_label_value(value)) << value;
    EXPECT_THAT(label_value_faults(value), StartsWith("a valid label must be an empty string"));
  }
  EXPECT_EQ(label_value_faults(letters(64)), "must be no more than 63 bytes");
  EXPECT_THAT(label_value_faults(letters(64) + "-"),
              StartsWith("must be no more than 63 bytes; a valid label must"));
  EXPECT_FALSE(is_label_value(letters(64)));
}

}  // namespace
}  // namespace berth::api
