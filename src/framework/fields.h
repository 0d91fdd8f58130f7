// The fields of a configuration file, read strictly: what is not asked for, asked for with another
// type or out of range is a problem with its line. All problems are gathered, not only the first.
//
//   Args Args::read(Fields& fields) {
//     Args args;
//     args.bind_timeout = std::chrono::seconds(fields.integer("bindTimeoutSeconds", 600, {0,
//     86400})); return args;
//   }
//
// A field that stands there without a value, or with null, is absent.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/yaml_nodes.h"

namespace berth::framework {

struct Problem {
  std::size_t line = 0;  // 0: of no line
  std::string text;      // "profiles[0].schedulerName: is empty"

  bool operator==(const Problem&) const = default;
};

class Problems {
 public:
  // Further ones are counted, not kept.
  static constexpr std::size_t kKeptMax = 100;

  void add(std::size_t line, std::string_view path, std::string_view what);
  bool empty() const { return count_ == 0; }
  std::size_t count() const { return count_; }
  // In the order of lines.
  std::vector<Problem> sorted() const;

 private:
  std::vector<Problem> kept_;
  std::size_t count_ = 0;
};

// A value of a document. Cheap to copy; the document lives as long as any of them.
class ConfigValue {
 public:
  ConfigValue(std::shared_ptr<const api::yaml::Document> document, std::size_t node)
      : document_(std::move(document)), node_(node) {}

  const api::yaml::Node& node() const { return document_->nodes[node_]; }
  std::size_t line() const { return node().line; }
  ConfigValue child(std::size_t index) const { return {document_, node().children[index]}; }
  std::size_t child_count() const { return node().children.size(); }
  bool is_null() const;

  // Whether both say the same, wherever they stand. Values nested deeper than a file can say
  // without aliases are different.
  friend bool is_same(const ConfigValue& a, const ConfigValue& b);

 private:
  std::shared_ptr<const api::yaml::Document> document_;
  std::size_t node_;
};

class Fields {
 public:
  struct Range {
    std::int64_t min;
    std::int64_t max;
  };

  // `value` is a mapping, or a problem. `path` is what it is called: "profiles[0]". `problems`
  // outlives it.
  Fields(ConfigValue value, std::string path, Problems& problems);

  bool has(std::string_view name);
  std::string text(std::string_view name, std::string_view otherwise);
  std::int64_t integer(std::string_view name, std::int64_t otherwise, Range range);
  bool boolean(std::string_view name, bool otherwise);
  // Nothing when it is absent.
  std::optional<Fields> object(std::string_view name);
  // A list of mappings; empty when it is absent.
  std::vector<Fields> objects(std::string_view name);
  std::vector<std::string> texts(std::string_view name);
  // Whatever it is, unread.
  std::optional<ConfigValue> value(std::string_view name);

  // Says that something is wrong with a field, or with all of them where the name is empty.
  void complain(std::string_view name, std::string_view what);
  // Complains about the fields that nobody asked for. Last.
  void finish();

  const std::string& path() const { return path_; }
  // Of the field, or of the mapping where it has no such field.
  std::size_t line_of(std::string_view name) const;
  Problems& problems() { return *problems_; }

 private:
  struct Member {
    std::string_view name;
    ConfigValue value;
    std::size_t line;
    bool is_asked_for = false;
  };

  std::string path_to(std::string_view name) const;
  // nullptr when it is absent or null.
  Member* ask(std::string_view name);
  // Of a list; a problem for anything else.
  std::vector<ConfigValue> elements(std::string_view name);

  ConfigValue value_;
  std::string path_;
  Problems* problems_;
  std::vector<Member> members_;
};

}  // namespace berth::framework
