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
#include "api/kinds.h"
#include "api/members.h"
#include "api/table.h"
#include "api/yaml.h"
#include "base/error.h"
#include "base/result.h"
#include "cli/summary.h"

namespace berth::cli {
namespace {

// More than any list a person keeps in a file.
constexpr std::size_t kFileSizeMax = std::size_t{256} << 20;

// What a document says it is, and the documents of a `kind: List`.
struct Heading {
  std::string api_version;
  std::string kind;
  std::vector<api::RawJson> items;

  static const api::Table& table() {
    static const api::Table table{
        api::json_field("apiVersion", &Heading::api_version),
        api::json_field("kind", &Heading::kind),
        api::json_field("items", &Heading::items),
    };
    return table;
  }
};

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
    const auto documents = api::read_yaml(text);
    if (!documents) {
      return fail(name, documents.error());
    }
    if (documents->empty()) {
      return fail(name, Error(ErrorCode::kInvalid, "holds no object"));
    }
    for (const auto& document : *documents) {
      read_document(fmt::format("{}:{}", name, document.line), document.json);
    }
  }

  void fail(const std::string& where, const Error& error) {
    err_ << "error: " << where << ": " << error.text() << "\n";
    is_good_ = false;
  }

  // False if anything could not be read.
  bool finish() {
    if (options_.output == "table") {
      print_table(rows_, out_);
    }
    return is_good_;
  }

 private:
  void read_document(const std::string& where, std::string_view json) {
    Heading heading;
    if (auto read = reader_.read(json, {}, Heading::table(), &heading, nullptr); !read) {
      return fail(where, read.error());
    }
    if (heading.kind.empty() || heading.api_version.empty()) {
      return fail(where, Error(ErrorCode::kInvalid, "has no apiVersion and kind"));
    }
    if (!heading.items.empty() && heading.kind.ends_with("List")) {
      for (std::size_t i = 0; i < heading.items.size(); ++i) {
        read_document(fmt::format("{} items[{}]", where, i), heading.items[i].text);
      }
      return;
    }
    const api::KindEntry* kind = api::find_kind(heading.api_version, heading.kind);
    if (kind == nullptr) {
      return skip(heading.api_version, heading.kind);
    }
    const auto object = kind->make();
    const api::codec::Expected expected{heading.api_version, heading.kind};
    if (auto read = reader_.read(json, expected, kind->table(), object.get(), nullptr); !read) {
      return fail(where, read.error());
    }
    show(*kind, expected, object.get());
  }

  void read_protobuf(const std::string& name, std::string_view bytes) {
    const auto envelope = api::codec::open_envelope(bytes);
    if (!envelope) {
      return fail(name, envelope.error());
    }
    const api::codec::Expected expected{std::string(envelope->api_version),
                                        std::string(envelope->kind)};
    const api::KindEntry* kind = api::find_kind(expected.api_version, expected.kind);
    if (kind == nullptr) {
      return skip(expected.api_version, expected.kind);
    }
    const auto object = kind->make();
    auto read = api::codec::read_protobuf(
        envelope->message, expected.kind, kind->table(), object.get(), nullptr);
    if (!read) {
      return fail(name, read.error());
    }
    show(*kind, expected, object.get());
  }

  void show(const api::KindEntry& kind, const api::codec::Expected& expected, const void* object) {
    if (options_.output == "json") {
      out_ << api::codec::write_json(expected, kind.table(), object) << "\n";
    } else {
      rows_.push_back(summarise(kind, object));
    }
  }

  void skip(std::string_view api_version, std::string_view kind) {
    if (options_.output == "table") {
      rows_.push_back({.kind = std::string(kind),
                       .name = "-",
                       .details = fmt::format("not a kind Berth reads ({})", api_version)});
    }
  }

  const ReadOptions& options_;
  std::ostream& out_;
  std::ostream& err_;
  api::codec::JsonReader reader_;
  std::vector<Row> rows_;
  bool is_good_ = true;
};

}  // namespace

bool read_files(const ReadOptions& options,
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
