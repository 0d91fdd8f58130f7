// The points at which plugins are asked, by name.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string_view>

namespace berth::framework {

enum class Point : std::uint8_t {
  // What a plugin can implement. The first two are known to the configuration only, which names who
  // is asked there; the interfaces come with the queue.
  kPreEnqueue,
  kQueueSort,
  kValidate,
  kPreFilter,
  kFilter,
  kPostFilter,
  kPreScore,
  kScore,
  kReserve,
  kPermit,
  kPreBind,
  kBind,
  kPostBind,
  kQueueingHint,
  // Calls that belong to one of them.
  kAddPod,     // PreFilter
  kExplain,    // Filter
  kNormalise,  // Score
  kUnreserve,  // Reserve
  kPreflight,  // PreBind
  kRollback,   // PreBind
};
inline constexpr std::size_t kPointCount = static_cast<std::size_t>(Point::kRollback) + 1;

// Those that a configuration has a list of plugins for, in the order of the file format.
inline constexpr std::array kConfiguredPoints{
    Point::kPreEnqueue,
    Point::kQueueSort,
    Point::kPreFilter,
    Point::kFilter,
    Point::kPostFilter,
    Point::kPreScore,
    Point::kScore,
    Point::kReserve,
    Point::kPermit,
    Point::kPreBind,
    Point::kBind,
    Point::kPostBind,
};

// As metrics and messages call it: "PreFilter", "ScoreExtensionNormalize".
std::string_view name_of(Point point);
// As the configuration file calls it: "preFilter"; empty for those it does not have.
std::string_view config_key(Point point);

// A set of points.
class Points {
 public:
  constexpr Points() = default;
  constexpr Points(std::initializer_list<Point> points) {
    for (const Point point : points) {
      add(point);
    }
  }

  constexpr void add(Point point) { bits_ |= bit(point); }
  constexpr bool has(Point point) const { return (bits_ & bit(point)) != 0; }
  constexpr bool empty() const { return bits_ == 0; }
  constexpr bool operator==(const Points&) const = default;

 private:
  static constexpr std::uint32_t bit(Point point) {
    return std::uint32_t{1} << static_cast<unsigned>(point);
  }

  std::uint32_t bits_ = 0;
};

}  // namespace berth::framework
