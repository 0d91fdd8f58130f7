#include "api/yaml_nodes.h"

#include <fmt/format.h>
#include <yaml.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/codec/reading.h"
#include "api/yaml.h"
#include "base/error.h"
#include "base/hash_map.h"
#include "base/result.h"

namespace berth::api::yaml {
namespace {

using codec::kDepthMax;

// A parser that is given back whatever happens.
class Parser {
 public:
  // `text` is a part of a file that begins at `first_line`.
  Parser(std::string_view text, std::size_t first_line) : first_line_(first_line) {
    is_ready_ = yaml_parser_initialize(&parser_) != 0;
    if (is_ready_) {
      yaml_parser_set_input_string(
          &parser_, reinterpret_cast<const unsigned char*>(text.data()), text.size());
    }
  }
  Parser(const Parser&) = delete;
  Parser& operator=(const Parser&) = delete;
  ~Parser() {
    if (is_ready_) {
      yaml_event_delete(&event_);
      yaml_parser_delete(&parser_);
    }
  }

  // The next event, which lives until the one after it is asked for.
  Result<const yaml_event_t*> next() {
    if (!is_ready_) {
      return Error(ErrorCode::kInternal, "the YAML parser could not be set up");
    }
    yaml_event_delete(&event_);
    if (yaml_parser_parse(&parser_, &event_) == 0) {
      const auto line = std::max(parser_.problem_mark.line, parser_.context_mark.line);
      return at_line(first_line_ + line,
                     fmt::format("malformed YAML: {}",
                                 parser_.problem != nullptr ? parser_.problem : "unknown problem"));
    }
    return &event_;
  }

  std::size_t line_of(const yaml_event_t& event) const {
    return first_line_ + event.start_mark.line;
  }

 private:
  yaml_parser_t parser_{};
  yaml_event_t event_{};
  const std::size_t first_line_;
  bool is_ready_ = false;
};

std::string text_of(const yaml_char_t* text) {
  return text == nullptr ? std::string{} : std::string(reinterpret_cast<const char*>(text));
}

Node::Tag tag_of(const yaml_char_t* text) {
  if (text == nullptr) {
    return Node::Tag::kNone;
  }
  std::string_view name(reinterpret_cast<const char*>(text));
  constexpr std::string_view kPrefix = "tag:yaml.org,2002:";
  if (name.starts_with(kPrefix)) {
    name.remove_prefix(kPrefix.size());
  }
  using Tag = Node::Tag;
  constexpr std::array<std::pair<std::string_view, Tag>, 5> kTags{{{"bool", Tag::kBool},
                                                                   {"int", Tag::kInt},
                                                                   {"float", Tag::kFloat},
                                                                   {"null", Tag::kNull},
                                                                   {"binary", Tag::kBinary}}};
  for (const auto& [known, tag] : kTags) {
    if (name == known) {
      return tag;
    }
  }
  return Tag::kOther;
}

// Reads one document into nodes; the root is node 0 unless the document is empty.
class Composer {
 public:
  // Takes one off `nodes_left` for every node it makes.
  Composer(Parser& parser, std::size_t& nodes_left) : parser_(parser), nodes_left_(nodes_left) {}

  Result<std::vector<Node>> compose() {
    if (auto root = take_node(kDepthMax); !root) {
      return std::move(root).error();
    }
    return std::move(nodes_);
  }

 private:
  // The index of the node that was read, or nothing at the end of a collection or document.
  Result<std::optional<std::size_t>> take_node(int depth_left) {
    auto next = parser_.next();
    if (!next) {
      return std::move(next).error();
    }
    const yaml_event_t& event = **next;
    const std::size_t line = parser_.line_of(event);
    if (depth_left <= 0) {
      return too_deep(line);
    }
    switch (event.type) {
      case YAML_ALIAS_EVENT: {
        const auto found = anchors_.find(text_of(event.data.alias.anchor));
        if (found == anchors_.end()) {
          return at_line(line,
                         fmt::format("unknown anchor '{}'", text_of(event.data.alias.anchor)));
        }
        return std::optional(found->second);
      }
      case YAML_SCALAR_EVENT:
        return add_scalar(event, line);
      case YAML_SEQUENCE_START_EVENT:
        return take_collection(
            Node::Kind::kSequence, text_of(event.data.sequence_start.anchor), line, depth_left);
      case YAML_MAPPING_START_EVENT:
        return take_collection(
            Node::Kind::kMapping, text_of(event.data.mapping_start.anchor), line, depth_left);
      default:
        return std::optional<std::size_t>{};
    }
  }

  // Where the node stands now.
  Result<std::size_t> add(Node node, const std::string& anchor) {
    if (nodes_left_ == 0) {
      return Error(
          ErrorCode::kLimit,
          fmt::format("line {}: the text holds more than {} values", node.line, kYamlNodesMax));
    }
    --nodes_left_;
    const std::size_t index = nodes_.size();
    nodes_.push_back(std::move(node));
    if (!anchor.empty()) {
      anchors_.insert_or_assign(anchor, index);
    }
    return index;
  }

  Result<std::optional<std::size_t>> add_scalar(const yaml_event_t& event, std::size_t line) {
    const auto& scalar = event.data.scalar;
    BERTH_TRY(const std::size_t index,
              add({.kind = Node::Kind::kScalar,
                   .tag = tag_of(scalar.tag),
                   .is_plain = scalar.style == YAML_PLAIN_SCALAR_STYLE,
                   .text = std::string(reinterpret_cast<const char*>(scalar.value), scalar.length),
                   .line = line},
                  text_of(scalar.anchor)));
    return std::optional(index);
  }

  Result<std::optional<std::size_t>> take_collection(Node::Kind kind,
                                                     const std::string& anchor,
                                                     std::size_t line,
                                                     int depth_left) {
    BERTH_TRY(const std::size_t index, add({.kind = kind, .line = line}, anchor));
    while (true) {
      auto child = take_node(depth_left - 1);
      if (!child) {
        return std::move(child).error();
      }
      const std::optional<std::size_t> next = *child;
      if (!next.has_value()) {
        return std::optional(index);
      }
      nodes_[index].children.push_back(*next);
    }
  }

  Parser& parser_;
  std::size_t& nodes_left_;
  std::vector<Node> nodes_;
  HashMap<std::string, std::size_t> anchors_;
};

bool is_empty_document(const std::vector<Node>& nodes) {
  return nodes.empty() ||
         (nodes.size() == 1 && nodes[0].kind == Node::Kind::kScalar && nodes[0].is_plain &&
          nodes[0].tag == Node::Tag::kNone && nodes[0].text.empty());
}

// How many bytes the first `count` characters of a UTF-8 text take.
std::size_t bytes_of(std::string_view text, std::size_t count) {
  const auto is_first_byte = [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80; };
  std::size_t bytes = 0;
  for (std::size_t seen = 0; bytes < text.size(); ++bytes) {
    seen += is_first_byte(text[bytes]) ? 1 : 0;
    if (seen > count) {
      break;
    }
  }
  return bytes;
}

Error too_many_bad() {
  return {ErrorCode::kLimit,
          fmt::format("{} documents cannot be read; the others are not looked at",
                      kYamlBadDocumentsMax)};
}

// A text, read in parts: libyaml does not go on after an error, so another part begins at the next
// document. Where that is, is certain: "---" at the start of a line always begins one, in the midst
// of a string too.
class TextReader {
 public:
  TextReader(std::string_view text, const TakeDocument& take) : rest_(text), take_(take) {
    constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
    if (rest_.starts_with(kByteOrderMark)) {
      rest_.remove_prefix(kByteOrderMark.size());
    }
  }

  void read() {
    while (true) {
      const std::optional<std::size_t> failed_at = read_part();
      if (!failed_at || !skip_to_document_after(bytes_of(rest_, *failed_at))) {
        return;
      }
    }
  }

 private:
  // Reads until a document fails. Then returns the character it begins at, unless nothing more is
  // to be read.
  std::optional<std::size_t> read_part() {
    Parser parser(rest_, line_);
    std::size_t begin = 0;
    std::size_t begin_line = line_;
    while (true) {
      auto event = parser.next();
      if (!event) {
        return stop_at(begin, begin_line, std::move(event).error());
      }
      const auto type = (*event)->type;
      if (type == YAML_STREAM_END_EVENT) {
        return std::nullopt;
      }
      begin = (*event)->start_mark.index;
      begin_line = parser.line_of(**event);
      if (type != YAML_DOCUMENT_START_EVENT) {
        continue;
      }
      auto nodes = Composer(parser, nodes_left_).compose();
      if (!nodes) {
        return stop_at(begin, begin_line, std::move(nodes).error());
      }
      if (!is_empty_document(*nodes) && !take_(Document{*std::move(nodes)}, begin_line)) {
        return std::nullopt;
      }
    }
  }

  std::optional<std::size_t> stop_at(std::size_t begin, std::size_t begin_line, Error error) {
    const bool goes_on = take_(std::move(error), begin_line) && nodes_left_ > 0;
    if (goes_on && ++bad_documents_ == kYamlBadDocumentsMax) {
      take_(too_many_bad(), begin_line);
      return std::nullopt;
    }
    return goes_on ? std::optional(begin) : std::nullopt;
  }

  // False if there is none.
  bool skip_to_document_after(std::size_t begin) {
    constexpr std::string_view kMarker = "\n---";
    constexpr std::string_view kSpace = " \t\r\n";
    std::size_t at = begin;
    do {
      at = rest_.find(kMarker, at);
      if (at == std::string_view::npos) {
        return false;
      }
      at += kMarker.size();
    } while (at < rest_.size() && kSpace.find(rest_[at]) == std::string_view::npos);
    at -= kMarker.size() - 1;
    line_ += static_cast<std::size_t>(std::count(rest_.begin(), rest_.begin() + at, '\n'));
    rest_.remove_prefix(at);
    return true;
  }

  std::string_view rest_;
  const TakeDocument& take_;
  std::size_t line_ = 1;  // that rest_ begins at
  std::size_t nodes_left_ = kYamlNodesMax;
  std::size_t bad_documents_ = 0;
};

}  // namespace

Error at_line(std::size_t line, std::string_view what) {
  return Error(ErrorCode::kInvalid, fmt::format("line {}: {}", line, what));
}

Error too_deep(std::size_t line) {
  return Error(ErrorCode::kLimit,
               fmt::format("line {}: nested deeper than {} levels", line, kDepthMax));
}

void for_each_document(std::string_view text, const TakeDocument& take) {
  TextReader(text, take).read();
}

}  // namespace berth::api::yaml
