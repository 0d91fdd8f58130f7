// RFC 6902, with two liberties that Kubernetes' own library takes: a "test" for null also holds
// where there is nothing, so that a patch can demand absence; and a "replace" of a member that is
// not there adds it.
#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <charconv>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "api/rules/quoted.h"
#include "base/error.h"
#include "base/result.h"
#include "world/patch_internal.h"
#include "world/tree_internal.h"

namespace berth::world {
namespace {

// As in a kube-apiserver.
constexpr std::size_t kOperationsMax = 10'000;

// Values walked and elements shifted by all operations together. Every operation names its place,
// so that moves to and fro in a long list would otherwise cost operations times elements.
constexpr std::size_t kStepsMax = 10'000'000;

using Path = std::vector<std::string>;

Error invalid(std::string text) {
  return {ErrorCode::kInvalid, std::move(text)};
}

// A JSON pointer (RFC 6901): "/metadata/annotations/berth.dev~1plan".
Result<Path> parse_pointer(std::string_view text) {
  Path path;
  if (!text.empty() && text.front() != '/') {
    return invalid(fmt::format("path {} does not begin with '/'", api::quoted(text)));
  }
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '/') {
      path.emplace_back();
    } else if (text[i] != '~') {
      path.back() += text[i];
    } else {
      ++i;
      if (i == text.size() || (text[i] != '0' && text[i] != '1')) {
        return invalid(fmt::format("path {} has a '~' that is no escape", api::quoted(text)));
      }
      path.back() += text[i] == '0' ? '~' : '/';
    }
  }
  if (path.size() > kDepthMax) {
    return Error(ErrorCode::kLimit, "a path is nested too deeply");
  }
  return path;
}

// An index of an element there is, or may be added where `end_counts`.
std::optional<std::size_t> index_in(const json::array& array,
                                    const std::string& token,
                                    bool end_counts) {
  if (token == "-" && end_counts) {
    return array.size();
  }
  std::size_t index = 0;
  const char* end = token.data() + token.size();
  const auto [stopped, error] = std::from_chars(token.data(), end, index);
  const bool is_number = !token.empty() && error == std::errc() && stopped == end &&
                         (token.size() == 1 || token.front() != '0');
  if (!is_number || index > array.size() || (index == array.size() && !end_counts)) {
    return std::nullopt;
  }
  return index;
}

json::value* find_child(json::value& parent, const std::string& token) {
  if (json::object* object = parent.if_object()) {
    return object->if_contains(token);
  }
  if (json::array* array = parent.if_array()) {
    const auto index = index_in(*array, token, false);
    return index ? &(*array)[*index] : nullptr;
  }
  return nullptr;
}

// What holds the value the path names, or nullptr. The path is not empty.
json::value* find_parent(json::value& root, const Path& path) {
  json::value* place = &root;
  for (std::size_t i = 0; i + 1 < path.size() && place != nullptr; ++i) {
    place = find_child(*place, path[i]);
  }
  return place;
}

json::value* find_value(json::value& root, const Path& path) {
  json::value* parent = path.empty() ? &root : find_parent(root, path);
  return path.empty() || parent == nullptr ? parent : find_child(*parent, path.back());
}

// Levels of containers, and how many values there are in them.
struct Extent {
  std::size_t depth = 0;
  std::size_t values = 1;
};

// NOLINTNEXTLINE(misc-no-recursion): bounded by kDepthMax
Extent extent_of(const json::value& value) {
  Extent extent;
  const auto add = [&extent](const json::value& child) {
    const Extent below = extent_of(child);
    extent.depth = std::max(extent.depth, below.depth);
    extent.values += below.values;
  };
  if (const json::object* object = value.if_object()) {
    for (const auto& member : *object) {
      add(member.value());
    }
    ++extent.depth;
  } else if (const json::array* array = value.if_array()) {
    std::for_each(array->begin(), array->end(), add);
    ++extent.depth;
  }
  return extent;
}

class Patcher {
 public:
  explicit Patcher(json::value& root) : root_(root) {}

  Result<void> apply(const json::value& operation) {
    const json::object* members = operation.if_object();
    if (members == nullptr) {
      return invalid("an operation must be an object");
    }
    const std::string_view op = text_in(*members, "op");
    const json::value* path_text = members->if_contains("path");
    if (path_text == nullptr || !path_text->is_string()) {
      return invalid("an operation must have a path");
    }
    BERTH_TRY(const Path path, parse_pointer(view_of(path_text->get_string())));
    if (op == "remove") {
      return remove(path);
    }
    if (op == "move" || op == "copy") {
      BERTH_TRY(const Path from, parse_pointer(text_in(*members, "from")));
      return op == "move" ? move(from, path) : copy(from, path);
    }
    const json::value* value = members->if_contains("value");
    if (value == nullptr) {
      return invalid(fmt::format("operation {} has no value", api::quoted(op)));
    }
    if (op == "add") {
      return add(path, *value);
    }
    if (op == "replace") {
      return replace(path, *value);
    }
    if (op == "test") {
      return test(path, *value);
    }
    return invalid(fmt::format("there is no operation {}", api::quoted(op)));
  }

 private:
  Result<void> add(const Path& path, json::value value) {
    if (auto fits = check_extent(path, value); !fits) {
      return fits;
    }
    if (path.empty()) {
      root_ = std::move(value);
      return {};
    }
    json::value* parent = find_parent(root_, path);
    if (parent != nullptr && parent->is_object()) {
      parent->get_object()[path.back()] = std::move(value);
      return {};
    }
    if (parent != nullptr && parent->is_array()) {
      json::array& array = parent->get_array();
      if (const auto index = index_in(array, path.back(), true)) {
        if (auto paid = pay(array.size() - *index); !paid) {
          return paid;
        }
        array.insert(array.begin() + *index, std::move(value));
        return {};
      }
    }
    return leads_nowhere("add");
  }

  Result<void> remove(const Path& path) {
    json::value* parent = path.empty() ? nullptr : find_parent(root_, path);
    if (parent == nullptr || find_child(*parent, path.back()) == nullptr) {
      return leads_nowhere("remove");
    }
    if (json::object* object = parent->if_object()) {
      object->erase(path.back());
    } else {
      json::array& array = parent->get_array();
      const std::size_t index = *index_in(array, path.back(), false);
      if (auto paid = pay(array.size() - index); !paid) {
        return paid;
      }
      array.erase(array.begin() + index);
    }
    return {};
  }

  Result<void> replace(const Path& path, const json::value& value) {
    json::value* place = find_value(root_, path);
    if (place == nullptr) {
      const json::value* parent = path.empty() ? nullptr : find_parent(root_, path);
      return parent != nullptr && parent->is_object() ? add(path, value) : leads_nowhere("replace");
    }
    if (auto fits = check_extent(path, value); !fits) {
      return fits;
    }
    *place = value;
    return {};
  }

  Result<void> move(const Path& from, const Path& path) {
    json::value* source = find_value(root_, from);
    const bool is_into_itself =
        from.size() < path.size() && std::equal(from.begin(), from.end(), path.begin());
    if (source == nullptr || is_into_itself) {
      return leads_nowhere("move");
    }
    json::value value = std::move(*source);
    if (auto removed = remove(from); !removed) {
      return removed;
    }
    return add(path, std::move(value));
  }

  Result<void> copy(const Path& from, const Path& path) {
    const json::value* source = find_value(root_, from);
    if (source == nullptr) {
      return leads_nowhere("copy");
    }
    copied_ += json::serialize(*source).size();
    if (copied_ > kBodyLenMax) {
      // Not kLimit: a kube-apiserver says 422 to it.
      return Error(ErrorCode::kInvalid, "the patch copies too much");
    }
    return add(path, *source);
  }

  Result<void> test(const Path& path, const json::value& value) {
    const json::value* place = find_value(root_, path);
    const bool is_absent = place == nullptr && !path.empty() && find_parent(root_, path) != nullptr;
    const bool holds = place != nullptr ? *place == value : is_absent && value.is_null();
    if (!holds) {
      return invalid("operation \"test\": the value is another one");
    }
    return {};
  }

  Result<void> pay(std::size_t steps) {
    steps_ += steps;
    return steps_ > kStepsMax ? Result<void>(Error(ErrorCode::kLimit, "the patch moves too much"))
                              : Result<void>();
  }

  Result<void> check_extent(const Path& path, const json::value& value) {
    const Extent extent = extent_of(value);
    if (path.size() + extent.depth > kDepthMax) {
      return Error(ErrorCode::kLimit, "the patched document is nested too deeply");
    }
    return pay(extent.values);
  }

  static Error leads_nowhere(std::string_view op) {
    return invalid(fmt::format("operation \"{}\": the path leads nowhere", op));
  }

  json::value& root_;
  std::size_t copied_ = 0;  // bytes; copies of copies grow without bound
  std::size_t steps_ = 0;
};

}  // namespace

Result<void> apply_json_patch(json::object& document, const json::value& patch) {
  const json::array* operations = patch.if_array();
  if (operations == nullptr) {
    return invalid("a JSON patch must be a list of operations");
  }
  if (operations->size() > kOperationsMax) {
    return Error(ErrorCode::kLimit, "a JSON patch may have at most 10000 operations");
  }
  json::value root(std::move(document));
  Patcher patcher(root);
  for (std::size_t i = 0; i < operations->size(); ++i) {
    if (auto applied = patcher.apply((*operations)[i]); !applied) {
      return std::move(applied).error().in(fmt::format("operation {}", i));
    }
  }
  if (!root.is_object()) {
    return invalid("the patched document is not an object");
  }
  document = std::move(root.get_object());
  return {};
}

}  // namespace berth::world
