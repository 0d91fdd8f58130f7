#include "api/yaml_nodes.h"

#include <fmt/format.h>
#include <yaml.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "api/codec/reading.h"
#include "base/error.h"
#include "base/hash_map.h"
#include "base/result.h"

namespace berth::api::yaml {
namespace {

using codec::kDepthMax;

// A parser that is given back whatever happens.
class Parser {
 public:
  explicit Parser(std::string_view text) {
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
      const auto line = std::max(parser_.problem_mark.line, parser_.context_mark.line) + 1;
      return Error(ErrorCode::kInvalid,
                   fmt::format("line {}: malformed YAML: {}",
                               line,
                               parser_.problem != nullptr ? parser_.problem : "unknown problem"));
    }
    return &event_;
  }

 private:
  yaml_parser_t parser_{};
  yaml_event_t event_{};
  bool is_ready_ = false;
};

std::string text_of(const yaml_char_t* text) {
  return text == nullptr ? std::string{} : std::string(reinterpret_cast<const char*>(text));
}

// Reads one document into nodes; the root is node 0 unless the document is empty.
class Composer {
 public:
  explicit Composer(Parser& parser) : parser_(parser) {}

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
    const std::size_t line = event.start_mark.line + 1;
    if (depth_left <= 0) {
      return at_line(line, fmt::format("nested deeper than {} levels", kDepthMax));
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
        return std::optional(add_scalar(event, line));
      case YAML_SEQUENCE_START_EVENT:
        return take_collection(Node::Kind::kSequence,
                               text_of(event.data.sequence_start.anchor),
                               text_of(event.data.sequence_start.tag),
                               line,
                               depth_left);
      case YAML_MAPPING_START_EVENT:
        return take_collection(Node::Kind::kMapping,
                               text_of(event.data.mapping_start.anchor),
                               text_of(event.data.mapping_start.tag),
                               line,
                               depth_left);
      default:
        return std::optional<std::size_t>{};
    }
  }

  std::size_t add_scalar(const yaml_event_t& event, std::size_t line) {
    const auto& scalar = event.data.scalar;
    const std::size_t index = nodes_.size();
    nodes_.push_back(
        {.kind = Node::Kind::kScalar,
         .is_plain = scalar.style == YAML_PLAIN_SCALAR_STYLE,
         .tag = text_of(scalar.tag),
         .text = std::string(reinterpret_cast<const char*>(scalar.value), scalar.length),
         .line = line});
    remember(text_of(scalar.anchor), index);
    return index;
  }

  Result<std::optional<std::size_t>> take_collection(Node::Kind kind,
                                                     const std::string& anchor,
                                                     std::string tag,
                                                     std::size_t line,
                                                     int depth_left) {
    const std::size_t index = nodes_.size();
    nodes_.push_back({.kind = kind, .tag = std::move(tag), .line = line});
    remember(anchor, index);
    while (true) {
      auto child = take_node(depth_left - 1);
      if (!child) {
        return std::move(child).error();
      }
      if (!child->has_value()) {
        return std::optional(index);
      }
      nodes_[index].children.push_back(**child);
    }
  }

  void remember(const std::string& anchor, std::size_t index) {
    if (!anchor.empty()) {
      anchors_.insert_or_assign(anchor, index);
    }
  }

  Parser& parser_;
  std::vector<Node> nodes_;
  HashMap<std::string, std::size_t> anchors_;
};

bool is_empty_document(const std::vector<Node>& nodes) {
  return nodes.empty() || (nodes.size() == 1 && nodes[0].kind == Node::Kind::kScalar &&
                           nodes[0].is_plain && nodes[0].tag.empty() && nodes[0].text.empty());
}

}  // namespace

Error at_line(std::size_t line, std::string_view what) {
  return Error(ErrorCode::kInvalid, fmt::format("line {}: {}", line, what));
}

Result<std::vector<Document>> compose(std::string_view text) {
  Parser parser(text);
  std::vector<Document> documents;
  while (true) {
    BERTH_TRY(const yaml_event_t* event, parser.next());
    if (event->type == YAML_STREAM_END_EVENT) {
      return documents;
    }
    if (event->type != YAML_DOCUMENT_START_EVENT) {
      continue;
    }
    const std::size_t line = event->start_mark.line + 1;
    BERTH_TRY(auto nodes, Composer(parser).compose());
    if (!is_empty_document(nodes)) {
      documents.push_back({.nodes = std::move(nodes), .line = line});
    }
  }
}

}  // namespace berth::api::yaml
