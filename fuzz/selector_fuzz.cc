// Selectors and labels as one JSON document. A node selector says the same of a node by itself and
// of all nodes through the index.
#include <cstddef>
#include <cstdint>
#include <string>

#include "api/codec/json.h"
#include "api/members.h"
#include "api/objects/affinity.h"
#include "api/objects/meta.h"
#include "api/rules/label_selector.h"
#include "api/rules/node_label_index.h"
#include "api/rules/node_selector.h"
#include "api/table.h"
#include "base/node_set.h"
#include "input.h"

using berth::api::CompiledLabelSelector;
using berth::api::CompiledNodeSelector;
using berth::api::StringMap;
using berth::fuzz::require;

namespace {

struct Case {
  std::string name;
  StringMap labels;
  StringMap other_labels;
  berth::api::NodeSelector node_selector;
  berth::api::LabelSelector label_selector;

  static const berth::api::Table& table() {
    static const berth::api::Table table{
        berth::api::json_field("name", &Case::name),
        berth::api::json_field("labels", &Case::labels),
        berth::api::json_field("otherLabels", &Case::other_labels),
        berth::api::json_field("nodeSelector", &Case::node_selector),
        berth::api::json_field("labelSelector", &Case::label_selector),
    };
    return table;
  }
};

void check_node_selector(const Case& input, CompiledNodeSelector::Fields fields) {
  const auto selector = CompiledNodeSelector::compile(input.node_selector, fields);
  berth::api::NodeLabelIndex index(2);
  index.set(0, "n:" + input.name, input.labels);
  index.set(1, "other", input.other_labels);
  berth::NodeSet nodes = index.nodes();
  berth::api::NodeScratch scratch;
  selector.narrow(index, nodes, scratch);
  require(nodes.test(0) == selector.match("n:" + input.name, input.labels).is_match,
          "index and single node agree");
  require(nodes.test(1) == selector.match("other", input.other_labels).is_match,
          "index and single node agree");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static berth::api::codec::JsonReader reader;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  Case input;
  if (!reader.read(text, {}, Case::table(), &input, nullptr)) {
    return 0;
  }
  check_node_selector(input, CompiledNodeSelector::Fields::kMatch);
  check_node_selector(input, CompiledNodeSelector::Fields::kIgnore);
  if (const auto selector = CompiledLabelSelector::compile(input.label_selector)) {
    require(!selector->is_everything() || selector->matches(input.labels),
            "everything selects everything");
    require(!selector->is_nothing() || !selector->matches(input.labels), "nothing selects nothing");
  }
  return 0;
}
