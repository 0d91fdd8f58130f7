#include "cli/read.h"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include "api/codec/expected.h"
#include "api/codec/json.h"
#include "api/codec/protobuf.h"
#include "api/kind.h"
#include "api/kinds.h"
#include "api/members.h"
#include "api/rules/quoted.h"
#include "api/table.h"
#include "api/yaml.h"
#include "base/error.h"
#include "base/result.h"
#include "cli/documents.h"
#include "cli/exit_code.h"
#include "cli/summary.h"

namespace berth::cli {
namespace {

using api::codec::Expected;

// More than any list a person keeps in a file.
constexpr std::size_t kFileSizeMax = std::size_t{256} << 20;

// What a document says it is.
struct Heading {
  std::string api_version;
  std::string kind;

  static const api::Table& table() {
    static const api::Table table{
        api::json_field("apiVersion", &Heading::api_version),
        api::json_field("kind", &Heading::kind),
    };
    return table;
  }
};

// The items of a list, each on its own, so that a bad one hides no other. In protobuf an item is a
// message like any bytes.
template <typename Item>
struct Items {
  std::vector<Item> items;

  static const api::Table& table() {
    static const api::Table table{api::field("items", 2, &Items::items)};
    return table;
  }
};

// `kind: List`, whose items say themselves what they are.
bool is_mixed_list(const Expected& names) {
  return names.api_version == "v1" && names.kind == "List";
}

// The kind of the items of a list of one kind (PodList), or nullptr.
const api::KindEntry* find_item_kind(const Expected& names) {
  constexpr std::string_view kSuffix = "List";
  std::string_view kind = names.kind;
  if (!kind.ends_with(kSuffix)) {
    return nullptr;
  }
  kind.remove_suffix(kSuffix.size());
  return api::find_kind(names.api_version, kind);
}

Expected names_of(const api::KindEntry& kind) {
  return {.api_version = kind.kind->api_version(), .kind = std::string(kind.kind->name)};
}

Result<std::string> contents(const std::string& path, std::istream& in) {
  std::ifstream file;
  std::istream* source = &in;
  if (path != "-") {
    file.open(path, std::ios::binary);
    if (!file) {
      return Error(ErrorCode::kNotFound, fmt::format("cannot be opened: {}", std::strerror(errno)));
    }
    source = &file;
  }
  std::string text;
  std::array<char, 1 << 16> block{};
  while (source->read(block.data(), block.size()) || source->gcount() > 0) {
    text.append(block.data(), static_cast<std::size_t>(source->gcount()));
    if (text.size() > kFileSizeMax) {
      return Error(ErrorCode::kLimit, fmt::format("is larger than {} MiB", kFileSizeMax >> 20U));
    }
  }
  if (source->bad()) {
    return Error(ErrorCode::kUnavailable, fmt::format("cannot be read: {}", std::strerror(errno)));
  }
  return text;
}

class Reader {
 public:
  Reader(const ReadOptions& options, std::ostream& out, std::ostream& err)
      : options_(options), out_(out), err_(err) {}

  void read(const std::string& name, std::string_view text) {
    if (text.starts_with(std::string_view("k8s\0", 4))) {
      return read_protobuf(name, text);
    }
    bool is_empty = true;
    for_each_document(text, [&](const api::YamlDocument& document) {
      is_empty = false;
      if (!document.json) {
        return fail(name, document.json.error());
      }
      read_document(fmt::format("{}:{}", name, document.line), *document.json);
    });
    if (is_empty) {
      fail(name, Error(ErrorCode::kInvalid, "holds no object"));
    }
  }

  void fail(const std::string& where, const Error& error) {
    tell(fmt::format("error: {}: {}", where, error.text()));
    is_good_ = false;
  }

  ExitCode finish() {
    if (!rows_.empty()) {
      print_table(rows_, out_);
    } else if (is_good_ && !has_objects_) {
      tell("there is no object to show");
    }
    return is_good_ ? ExitCode::kDone : ExitCode::kError;
  }

 private:
  void read_document(const std::string& where, std::string_view json) {
    Heading heading;
    if (auto read = reader_.read(json, {}, Heading::table(), &heading, nullptr); !read) {
      return fail(where, read.error());
    }
    const Expected names{heading.api_version, heading.kind};
    if (is_mixed_list(names)) {
      return read_items(where, json, names, nullptr);
    }
    if (const auto* item_kind = find_item_kind(names); item_kind != nullptr) {
      return read_items(where, json, names, item_kind);
    }
    if (const auto* kind = find_kind(where, names); kind != nullptr) {
      read_object(where, json, *kind);
    }
  }

  // Items are of `kind`, or say themselves what they are.
  void read_items(const std::string& where,
                  std::string_view json,
                  const Expected& names,
                  const api::KindEntry* kind) {
    Items<api::RawJson> list;
    if (auto read = reader_.read(json, names, list.table(), &list, nullptr); !read) {
      return fail(where, read.error());
    }
    for (std::size_t i = 0; i < list.items.size(); ++i) {
      const std::string item = fmt::format("{} items[{}]", where, i);
      if (kind != nullptr) {
        read_object(item, list.items[i].text, *kind);
      } else {
        read_document(item, list.items[i].text);
      }
    }
  }

  void read_object(const std::string& where, std::string_view json, const api::KindEntry& kind) {
    const auto object = kind.make();
    auto read = reader_.read(json, names_of(kind), kind.table(), object.get(), nullptr);
    if (!read) {
      return fail(where, read.error());
    }
    show(kind, object.get());
  }

  void read_protobuf(const std::string& name, std::string_view bytes) {
    const auto envelope = api::codec::open_envelope(bytes);
    if (!envelope) {
      return fail(name, envelope.error());
    }
    const Expected names{envelope->api_version, envelope->kind};
    const auto* item_kind = find_item_kind(names);
    const auto* kind = item_kind != nullptr ? item_kind : find_kind(name, names);
    if (kind == nullptr) {
      return;
    }
    if (kind->kind->wire == api::Wire::kJsonOnly) {
      return fail(
          name,
          Error(ErrorCode::kInvalid,
                fmt::format("{} is a custom resource, which has no protobuf form", names.kind)));
    }
    if (item_kind == nullptr) {
      return read_message(name, envelope->message, *kind);
    }
    Items<api::Bytes> list;
    const auto read =
        api::codec::read_protobuf(envelope->message, names.kind, list.table(), &list, nullptr);
    if (!read) {
      return fail(name, read.error());
    }
    for (std::size_t i = 0; i < list.items.size(); ++i) {
      read_message(fmt::format("{} items[{}]", name, i), list.items[i].data, *kind);
    }
  }

  void read_message(const std::string& where,
                    std::string_view message,
                    const api::KindEntry& kind) {
    const auto object = kind.make();
    auto read =
        api::codec::read_protobuf(message, kind.kind->name, kind.table(), object.get(), nullptr);
    if (!read) {
      return fail(where, read.error());
    }
    show(kind, object.get());
  }

  // Tells of a kind that is not said or that Berth does not read, and returns nullptr.
  const api::KindEntry* find_kind(const std::string& where, const Expected& names) {
    if (names.api_version.empty() || names.kind.empty()) {
      fail(where, Error(ErrorCode::kInvalid, "has no apiVersion and kind"));
      return nullptr;
    }
    const auto* kind = api::find_kind(names.api_version, names.kind);
    if (kind == nullptr && is_table()) {
      rows_.push_back({.kind = names.kind,
                       .name = "-",
                       .details = fmt::format("not a kind Berth reads ({})", names.api_version)});
    } else if (kind == nullptr) {
      has_objects_ = true;
      tell(fmt::format(
          "left out: {}: {} is not a kind Berth reads ({})", where, names.kind, names.api_version));
    }
    return kind;
  }

  void show(const api::KindEntry& kind, const void* object) {
    has_objects_ = true;
    if (is_table()) {
      rows_.push_back(summarise(kind, object));
    } else {
      out_ << api::codec::write_json(names_of(kind), kind.table(), object) << "\n";
    }
  }

  // One line for people: what it quotes from a file cannot make it two, or colour a terminal.
  void tell(std::string_view line) { err_ << api::printable(line) << "\n"; }

  bool is_table() const { return options_.output == "table"; }

  const ReadOptions& options_;
  std::ostream& out_;
  std::ostream& err_;
  api::codec::JsonReader reader_;
  std::vector<Row> rows_;
  bool has_objects_ = false;
  bool is_good_ = true;
};

}  // namespace

ExitCode read_files(const ReadOptions& options,
                    std::istream& in,
                    std::ostream& out,
                    std::ostream& err) {
  Reader reader(options, out, err);
  for (const std::string& file : options.files) {
    const std::string name = file == "-" ? "standard input" : file;
    const auto text = contents(file, in);
    if (!text) {
      reader.fail(name, text.error());
      continue;
    }
    reader.read(name, *text);
  }
  return reader.finish();
}

}  // namespace berth::cli
