// Whatever an object of any kind holds, writing and reading it gives the same struct.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "api/codec.h"
#include "api/codec/expected.h"
#include "api/codec/json.h"
#include "api/codec/protobuf.h"
#include "api/kind.h"
#include "api/kinds.h"
#include "api/objects/list.h"
#include "random_object.h"

namespace berth::tests {
namespace {

constexpr int kObjectsPerKind = 200;
constexpr int kListsPerKind = 50;

struct KindName {
  std::string operator()(const testing::TestParamInfo<api::KindEntry>& info) const {
    const std::string group(info.param.kind->group.substr(0, info.param.kind->group.find('.')));
    return (group.empty() ? "core" : group) + "_" + std::string(info.param.kind->name);
  }
};

class EveryKind : public testing::TestWithParam<api::KindEntry> {
 protected:
  // Calls `check` with random objects, sparse and dense ones.
  template <typename Check>
  void for_random_objects(const Check& check) {
    RandomObjects random(1);
    for (int i = 0; i < kObjectsPerKind && !HasFailure(); ++i) {
      const auto object = GetParam().make();
      random.fill(GetParam().table(), object.get(), i % 2 == 0 ? 0.3 : 0.8);
      SCOPED_TRACE(api::codec::write_json(expected(), GetParam().table(), object.get()));
      check(object.get());
    }
  }

  template <typename Check>
  void for_random_lists(const Check& check) {
    RandomObjects random(2);
    for (int i = 0; i < kListsPerKind && !HasFailure(); ++i) {
      const auto list = GetParam().make_list();
      random.fill(GetParam().list_table(), list.get(), i % 2 == 0 ? 0.5 : 0.8);
      SCOPED_TRACE(api::codec::write_json(expected_list(), GetParam().list_table(), list.get()));
      check(list.get());
    }
  }

  api::codec::Expected expected() const {
    return {.api_version = GetParam().kind->api_version(),
            .kind = std::string(GetParam().kind->name)};
  }

  api::codec::Expected expected_list() const {
    return {.api_version = GetParam().kind->api_version(),
            .kind = std::string(GetParam().kind->name) + "List",
            .item_kind = std::string(GetParam().kind->name)};
  }

  void expect_list_reads_as(const std::string& text, const void* original) {
    const auto copy = GetParam().make_list();
    const auto read =
        reader_.read(text, expected_list(), GetParam().list_table(), copy.get(), nullptr);
    ASSERT_TRUE(read) << read.error().text();
    EXPECT_TRUE(GetParam().lists_equal(original, copy.get()));
  }

  void expect_json_reads_as(const std::string& text, const void* original) {
    const auto copy = GetParam().make();
    const auto read = reader_.read(text, expected(), GetParam().table(), copy.get(), nullptr);
    ASSERT_TRUE(read) << read.error().text();
    EXPECT_TRUE(GetParam().equal(original, copy.get()));
  }

  api::codec::JsonReader reader_;
};

TEST_P(EveryKind, ComesBackFromJson) {
  for_random_objects([&](const void* object) {
    expect_json_reads_as(api::codec::write_json(expected(), GetParam().table(), object), object);
  });
}

TEST_P(EveryKind, ComesBackFromProtobuf) {
  if (GetParam().kind->wire == api::Wire::kJsonOnly) {
    return;  // a custom resource has no protobuf form to come back from
  }
  for_random_objects([&](const void* object) {
    const auto message = api::codec::write_protobuf(GetParam().table(), object);
    const auto copy = GetParam().make();
    const auto read = api::codec::read_protobuf(
        message, GetParam().kind->name, GetParam().table(), copy.get(), nullptr);
    ASSERT_TRUE(read) << read.error().text();
    EXPECT_TRUE(GetParam().equal(object, copy.get()));
  });
}

TEST_P(EveryKind, IsReadTheSameAfterAnotherJsonLibraryWroteItAgain) {
  for_random_objects([&](const void* object) {
    const auto text = api::codec::write_json(expected(), GetParam().table(), object);
    const auto tree = nlohmann::ordered_json::parse(text, nullptr, false);
    ASSERT_FALSE(tree.is_discarded());
    EXPECT_EQ(tree.dump(), text);
    expect_json_reads_as(tree.dump(), object);
  });
}

TEST_P(EveryKind, ComesBackFromAListInJson) {
  for_random_lists([&](const void* list) {
    const auto text = api::codec::write_json(expected_list(), GetParam().list_table(), list);
    expect_list_reads_as(text, list);
  });
}

// A list is cut into its items, unless the name of the list is written with an escape.
TEST_P(EveryKind, ComesBackFromAListThatIsNotCut) {
  for_random_lists([&](const void* list) {
    auto text = api::codec::write_json(expected_list(), GetParam().list_table(), list);
    constexpr std::string_view kItems = "\"items\":[";
    if (const auto at = text.find(kItems); at != std::string::npos) {
      text.replace(at, kItems.size(), "\"it\\u0065ms\":[");
    }
    expect_list_reads_as(text, list);
  });
}

TEST_P(EveryKind, ComesBackFromAListInProtobuf) {
  if (GetParam().kind->wire == api::Wire::kJsonOnly) {
    return;  // a custom resource has no protobuf form to come back from
  }
  for_random_lists([&](const void* list) {
    const auto message = api::codec::write_protobuf(GetParam().list_table(), list);
    const auto copy = GetParam().make_list();
    const auto read = api::codec::read_protobuf(
        message, expected_list().kind, GetParam().list_table(), copy.get(), nullptr);
    ASSERT_TRUE(read) << read.error().text();
    EXPECT_TRUE(GetParam().lists_equal(list, copy.get()));
  });
}

TEST_P(EveryKind, ComesBackFromAWatchEvent) {
  const auto& table = api::WatchEvent::table();
  for_random_objects([&](const void* object) {
    const api::WatchEvent event{
        .type = "MODIFIED",
        .object = {api::codec::write_json(expected(), GetParam().table(), object)}};
    const auto read = api::watch_event_from_json(api::codec::write_json({}, table, &event));
    ASSERT_TRUE(read) << read.error().text();
    EXPECT_EQ(*read, event);
    expect_json_reads_as(read->object.data, object);
    if (GetParam().kind->wire == api::Wire::kJsonOnly) {
      return;
    }
    const api::WatchEvent binary{
        .type = "MODIFIED",
        .object = {api::codec::seal_envelope(
            expected(), api::codec::write_protobuf(GetParam().table(), object))}};
    const auto read_binary =
        api::watch_event_from_protobuf(api::codec::write_protobuf(table, &binary));
    ASSERT_TRUE(read_binary) << read_binary.error().text();
    EXPECT_EQ(*read_binary, binary);
  });
}

INSTANTIATE_TEST_SUITE_P(Objects,
                         EveryKind,
                         testing::ValuesIn(api::all_kinds().begin(), api::all_kinds().end()),
                         KindName());

}  // namespace
}  // namespace berth::tests
