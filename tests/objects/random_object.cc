#include "random_object.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <set>
#include <string>
#include <string_view>

#include "api/quantity.h"
#include "api/table.h"
#include "api/time.h"
#include "api/type.h"
#include "base/assert.h"

namespace berth::tests {

using api::Shape;

std::int64_t RandomObjects::number(std::int64_t low, std::int64_t high) {
  return std::uniform_int_distribution<std::int64_t>(low, high)(random_);
}

bool RandomObjects::chance(double probability) {
  return std::bernoulli_distribution(probability)(random_);
}

std::string RandomObjects::text() {
  static constexpr std::array<std::string_view, 16> kPieces = {"a",
                                                               "web-0",
                                                               "\"",
                                                               "\\",
                                                               "\n",
                                                               "\x01",
                                                               "\x7f",
                                                               "é",
                                                               "\u2028",
                                                               "\U0001f6a2",
                                                               "kubernetes.io/hostname",
                                                               " ",
                                                               "/",
                                                               "0",
                                                               "WaitForFirstConsumer",
                                                               std::string_view("\0", 1)};
  std::string result;
  for (std::int64_t left = number(0, 4); left > 0; --left) {
    result += kPieces[static_cast<std::size_t>(number(0, kPieces.size() - 1))];
  }
  return result;
}

std::string RandomObjects::json(int depth_left) {
  switch (number(0, depth_left > 0 ? 6 : 4)) {
    case 0:
      return "null";
    case 1:
      return "true";
    case 2:
      return std::to_string(number(-1'000'000, 1'000'000));
    case 3:
      return "-1.5";
    case 4:
      // Go escapes some letters anew when it writes raw JSON, so there are none of those.
      return "\"f:name \\n \xc3\xa9\"";
    case 5:
      return "[" + json(depth_left - 1) + "," + json(depth_left - 1) + "]";
    default:
      return "{\"f:x\":" + json(depth_left - 1) + "}";
  }
}

// Texts whose printed form has the same format again: a binary zero or fraction has not, nor has an
// exponent that printing does without, nor what is beyond the suffix E.
std::string RandomObjects::quantity_text() {
  static constexpr std::array<std::string_view, 7> kDecimal = {"", "m", "k", "M", "G", "u", "P"};
  static constexpr std::array<std::string_view, 3> kBinary = {"Ki", "Mi", "Gi"};
  if (chance(0.3)) {
    return std::to_string(number(1, 100'000)) +
           std::string(kBinary[static_cast<std::size_t>(number(0, kBinary.size() - 1))]);
  }
  const std::string sign = chance(0.2) ? "-" : "";
  if (chance(0.2)) {
    return sign + std::to_string(number(1, 9'000)) + "e" + std::to_string(3 * number(1, 5));
  }
  const std::string fraction = chance(0.2) ? "." + std::to_string(number(1, 999)) : "";
  return sign + std::to_string(number(0, 9'000)) + fraction +
         std::string(kDecimal[static_cast<std::size_t>(number(0, kDecimal.size() - 1))]);
}

void RandomObjects::fill(const api::Table& table, void* object, double density) {
  for (const api::Field& field : table.fields()) {
    // Go always writes a quantity that is not optional, so it is always there.
    if (chance(density) || field.type->shape == Shape::kQuantity) {
      fill_member(*field.type, field.in(object), density);
    }
  }
}

void RandomObjects::fill_member(const api::Type& type, void* place, double density) {
  switch (type.shape) {
    case Shape::kList:
      for (std::int64_t left = number(0, 3); left > 0; --left) {
        fill_value(*type.element, type.append(place), density);
      }
      return;
    case Shape::kMap: {
      std::set<std::string> keys;
      for (std::int64_t left = number(0, 3); left > 0; --left) {
        keys.insert(text());
      }
      for (const std::string& key : keys) {
        fill_value(*type.element, type.append_entry(place, key), density);
      }
      return;
    }
    default:
      fill_value(type, place, density);
  }
}

void RandomObjects::fill_value(const api::Type& type, void* place, double density) {
  switch (type.shape) {
    case Shape::kStruct:
      return fill(type.table(), place, density);
    case Shape::kOptional:
    case Shape::kBox:
      if (chance(0.8)) {
        fill_member(*type.element, type.engage(place), density);
      }
      return;
    default:
      fill_scalar(type, place);
  }
}

void RandomObjects::fill_scalar(const api::Type& type, void* place) {
  using Limits = std::numeric_limits<std::int64_t>;
  switch (type.shape) {
    case Shape::kBool:
      *static_cast<bool*>(place) = chance(0.5);
      return;
    case Shape::kInt32:
      *static_cast<std::int32_t*>(place) = static_cast<std::int32_t>(number(
          std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max()));
      return;
    case Shape::kInt64:
      *static_cast<std::int64_t*>(place) =
          chance(0.3) ? number(-1, 1) : number(Limits::min(), Limits::max());
      return;
    case Shape::kString:
      *static_cast<std::string*>(place) = text();
      return;
    case Shape::kBytes:
      static_cast<api::Bytes*>(place)->data = text() + std::string("\xff\x00", 2);
      return;
    case Shape::kTime:
      *static_cast<api::Time*>(place) = api::Time{std::chrono::seconds{number(
          api::kTimeMin.time_since_epoch().count(), api::kTimeMax.time_since_epoch().count())}};
      return;
    case Shape::kMicroTime:
      *static_cast<api::MicroTime*>(place) =
          api::MicroTime{std::chrono::seconds{number(-1'000'000, 4'000'000'000)}} +
          std::chrono::microseconds{number(0, 999'999)};
      return;
    case Shape::kQuantity: {
      const bool parsed =
          api::Quantity::parse_into(quantity_text(), *static_cast<api::Quantity*>(place));
      BERTH_ASSERT(parsed, "the generator makes valid quantities");
      return;
    }
    case Shape::kIntOrString:
      if (chance(0.5)) {
        *static_cast<api::IntOrString*>(place) = static_cast<std::int32_t>(number(-5, 100));
      } else {
        *static_cast<api::IntOrString*>(place) = text();
      }
      return;
    case Shape::kRawJson:
      // null reads as absent.
      static_cast<api::RawJson*>(place)->text = "[" + json(3) + "]";
      return;
    default:
      BERTH_ASSERT(false, "no kind holds another shape");
  }
}

}  // namespace berth::tests
