#include "api/codec/protobuf.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "api/codec.h"
#include "api/members.h"
#include "api/objects/lease.h"
#include "api/objects/node.h"
#include "api/objects/pod.h"
#include "api/objects/resource_slice.h"
#include "api/time.h"
#include "base/error.h"

namespace berth::api {
namespace {

// Protobuf by hand: a field's key, then its content.
std::string varint(std::uint64_t number) {
  std::string bytes;
  for (; number >= 0x80; number >>= 7U) {
    bytes += static_cast<char>((number & 0x7fU) | 0x80U);
  }
  return bytes + static_cast<char>(number);
}

std::string number_field(std::uint32_t number, std::uint64_t value) {
  return varint(number << 3U) + varint(value);
}

std::string bytes_field(std::uint32_t number, std::string_view content) {
  return varint(number << 3U | 2U) + varint(content.size()) + std::string(content);
}

std::string pod_bytes(const std::string& message) {
  return codec::seal_envelope({"v1", "Pod"}, message);
}

const std::string kMetadata = bytes_field(1, bytes_field(1, "web-0") + bytes_field(3, "default"));

// The pod default/web-0 with this spec.
std::string pod_with_spec(const std::string& spec) {
  return pod_bytes(kMetadata + bytes_field(2, spec));
}

std::string error_of(std::string_view bytes) {
  const auto pod = from_protobuf<Pod>(bytes);
  return pod ? "read" : pod.error().text();
}

TEST(ProtobufReader, ReadsWhatAServerSends) {
  const auto pod = from_protobuf<Pod>(pod_with_spec(
      bytes_field(10, "node-1") + number_field(25, 7) + bytes_field(2, bytes_field(1, "c"))));
  ASSERT_TRUE(pod) << pod.error().text();
  EXPECT_EQ(pod->metadata.name, "web-0");
  EXPECT_EQ(pod->spec.node_name, "node-1");
  EXPECT_EQ(pod->spec.priority, 7);
  EXPECT_EQ(pod->spec.containers.at(0).name, "c");
}

TEST(ProtobufReader, ReadsNegativeNumbers) {
  const auto pod = from_protobuf<Pod>(pod_with_spec(number_field(25, ~std::uint64_t{0})));
  ASSERT_TRUE(pod) << pod.error().text();
  EXPECT_EQ(pod->spec.priority, -1);
}

TEST(ProtobufReader, SkipsWhatItDoesNotKnow) {
  const std::string fixed = varint(900U << 3U | 1U) + "12345678" + varint(901U << 3U | 5U) + "1234";
  EXPECT_EQ(error_of(pod_with_spec(bytes_field(999, "x") + number_field(1000, 5) + fixed)), "read");
}

TEST(ProtobufReader, TakesAnEmptyTimeForNone) {
  const auto none = from_protobuf<Pod>(pod_bytes(bytes_field(1, bytes_field(8, ""))));
  const auto epoch =
      from_protobuf<Pod>(pod_bytes(bytes_field(1, bytes_field(8, number_field(1, 0)))));
  ASSERT_TRUE(none && epoch);
  EXPECT_FALSE(none->metadata.creation_timestamp.has_value());
  EXPECT_EQ(epoch->metadata.creation_timestamp, Time{});
}

TEST(ProtobufReader, GoesOnFillingAStructThatComesInPieces) {
  const auto pod = from_protobuf<Pod>(
      pod_bytes(bytes_field(1, bytes_field(1, "a")) + bytes_field(1, bytes_field(3, "b"))));
  ASSERT_TRUE(pod);
  EXPECT_EQ(pod->metadata.name, "a");
  EXPECT_EQ(pod->metadata.ns, "b");
}

TEST(ProtobufReader, ReadsPackedAndUnpackedNumbers) {
  DeviceAttribute attribute;
  const auto unpacked = number_field(6, 1) + number_field(6, 2) + number_field(7, 1);
  ASSERT_TRUE(codec::read_protobuf(
      unpacked, "DeviceAttribute", DeviceAttribute::table(), &attribute, nullptr));
  EXPECT_EQ(attribute.ints, (std::vector<std::int64_t>{1, 2}));
  EXPECT_EQ(attribute.bools, std::vector<Bool>{{true}});

  DeviceAttribute packed;
  ASSERT_TRUE(codec::read_protobuf(bytes_field(6, varint(1) + varint(300)),
                                   "DeviceAttribute",
                                   DeviceAttribute::table(),
                                   &packed,
                                   nullptr));
  EXPECT_EQ(packed.ints, (std::vector<std::int64_t>{1, 300}));
}

TEST(ProtobufReader, NamesTheObjectAndTheField) {
  EXPECT_EQ(error_of(pod_with_spec(number_field(25, std::uint64_t{1} << 40U))),
            "Pod default/web-0: spec.priority: 1099511627776 does not fit into 32 bits");
  const auto quantity = bytes_field(2, bytes_field(1, "1Q"));
  const auto entry = bytes_field(1, "cpu") + quantity;
  EXPECT_EQ(error_of(pod_with_spec(bytes_field(32, entry))),
            "Pod default/web-0: spec.overhead[cpu]: '1Q': quantities must match the regular "
            "expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
}

TEST(ProtobufReader, NamesTheItemOfAList) {
  const auto good = bytes_field(2, bytes_field(1, bytes_field(1, "a")));
  const auto bad = bytes_field(2, bytes_field(1, bytes_field(1, "b")) + number_field(2, 5));
  const auto list = list_from_protobuf<Pod>(codec::seal_envelope({"v1", "PodList"}, good + bad));
  ASSERT_FALSE(list);
  EXPECT_EQ(list.error().text(), "PodList b: items[1].spec: has protobuf wire type 0, expected 2");
}

TEST(ProtobufReader, NamesTheItemOfAListAlsoWhenItsMetadataComesLater) {
  // What stands where an object has its name is the list's own link to itself.
  const auto list_metadata = bytes_field(1, bytes_field(1, "/api"));
  const auto bad = bytes_field(2, number_field(2, 5) + bytes_field(1, bytes_field(1, "b")));
  const auto list =
      list_from_protobuf<Pod>(codec::seal_envelope({"v1", "PodList"}, list_metadata + bad));
  ASSERT_FALSE(list);
  EXPECT_EQ(list.error().text(), "PodList b: items[0].spec: has protobuf wire type 0, expected 2");
}

TEST(ProtobufReader, NamesNoListByItsOwnMetadata) {
  const auto message = bytes_field(1, bytes_field(1, "/api")) + bytes_field(2, number_field(2, 5));
  const auto list = list_from_protobuf<Pod>(codec::seal_envelope({"v1", "PodList"}, message));
  ASSERT_FALSE(list);
  EXPECT_EQ(list.error().text(), "PodList: items[0].spec: has protobuf wire type 0, expected 2");
}

std::string label(std::string_view key, std::string_view value) {
  return bytes_field(11, bytes_field(1, key) + bytes_field(2, value));
}

TEST(ProtobufReader, SortsMapsAndTakesTheLastOfEqualKeys) {
  const auto metadata = label("c", "1") + label("a", "2") + label("b", "3") + bytes_field(1, "x") +
                        label("a", "4") + label("d", "5") + label("c", "6") + label("a", "7") +
                        bytes_field(11, bytes_field(1, "d"));
  const auto pod = from_protobuf<Pod>(pod_bytes(bytes_field(1, metadata)));
  ASSERT_TRUE(pod) << pod.error().text();
  EXPECT_EQ(pod->metadata.labels, (StringMap{{"a", "7"}, {"b", "3"}, {"c", "6"}, {"d", ""}}));
}

// Maps of an item are in order before the list grows and moves it.
TEST(ProtobufReader, SortsTheMapsOfEveryItem) {
  std::string message;
  for (int i = 0; i < 20; ++i) {
    message += bytes_field(2, bytes_field(1, label("b", "1") + label("a", "2")));
    message += number_field(99, 1);  // no run of items to count beforehand
  }
  const auto list = list_from_protobuf<Pod>(codec::seal_envelope({"v1", "PodList"}, message));
  ASSERT_TRUE(list) << list.error().text();
  ASSERT_EQ(list->items.size(), 20U);
  for (const Pod& pod : list->items) {
    EXPECT_EQ(pod.metadata.labels, (StringMap{{"a", "2"}, {"b", "1"}}));
  }
}

// With every key put into its place at once this takes minutes: entries in one piece, and entries
// that come one by one with something between them.
TEST(ProtobufReader, ReadsMapsInAnyOrderInLittleTime) {
  std::string together;
  std::string apart;
  constexpr int kEntries = 200'000;
  for (int i = kEntries; i-- > 0;) {
    const auto entry = label(fmt::format("{:06}", i), "");
    together += entry;
    apart += bytes_field(1, entry) + number_field(99, 1);
  }
  const auto pod = from_protobuf<Pod>(pod_bytes(bytes_field(1, together)));
  const auto same = from_protobuf<Pod>(pod_bytes(apart));
  ASSERT_TRUE(pod && same);
  EXPECT_EQ(pod->metadata.labels.size(), std::size_t{kEntries});
  EXPECT_EQ(pod->metadata.labels, same->metadata.labels);
}

TEST(ProtobufReader, ChecksTheWireTypeOfEveryShape) {
  EXPECT_NE(error_of(pod_bytes(number_field(1, 5))), "read");        // struct
  EXPECT_NE(error_of(pod_with_spec(number_field(10, 5))), "read");   // string
  EXPECT_NE(error_of(pod_with_spec(bytes_field(25, "x"))), "read");  // optional number
  EXPECT_NE(error_of(pod_with_spec(bytes_field(11, "x"))), "read");  // bool
  EXPECT_NE(error_of(pod_with_spec(number_field(2, 1))), "read");    // list
  EXPECT_NE(error_of(pod_with_spec(number_field(32, 1))), "read");   // map
  EXPECT_NE(error_of(pod_with_spec(bytes_field(32, number_field(1, 1)))), "read");  // map key
  EXPECT_NE(error_of(pod_bytes(bytes_field(1, number_field(8, 1)))), "read");       // time
}

TEST(ProtobufReader, RefusesTruncatedInputAtEveryLength) {
  const std::string whole =
      pod_with_spec(bytes_field(10, "node-1") + bytes_field(2, bytes_field(1, "container-name")));
  for (std::size_t length = 0; length < whole.size(); ++length) {
    EXPECT_NE(error_of(whole.substr(0, length)), "read") << length;
  }
  EXPECT_EQ(error_of(whole), "read");
}

TEST(ProtobufReader, RefusesInvalidUtf8) {
  EXPECT_EQ(error_of(pod_with_spec(bytes_field(10, "\xff"))),
            "Pod default/web-0: spec.nodeName: holds text that is not UTF-8");
}

TEST(ProtobufReader, KeepsRawMembersAndTheJsonWriterQuotesWhatIsNotJson) {
  const auto managed = [](std::string_view json) {
    return pod_bytes(bytes_field(1, bytes_field(17, bytes_field(7, bytes_field(1, json)))));
  };
  for (const char* text : {R"({"f:metadata" : {}})", "{", "[1],[2]", "1,2", " "}) {
    const auto pod = from_protobuf<Pod>(managed(text));
    ASSERT_TRUE(pod) << pod.error().text();
    EXPECT_EQ(pod->metadata.managed_fields.at(0).fields_v1.text, text);
    EXPECT_TRUE(from_json<Pod>(to_json(*pod))) << to_json(*pod);
  }
  EXPECT_NE(to_json(*from_protobuf<Pod>(managed("{"))).find(R"("fieldsV1":"{")"),
            std::string::npos);
}

TEST(ProtobufReader, RefusesATimeOutOfRange) {
  const auto at = [](std::uint64_t seconds) {
    return pod_bytes(bytes_field(1, bytes_field(8, number_field(1, seconds))));
  };
  EXPECT_EQ(error_of(at(253'402'300'799)), "read");
  EXPECT_NE(error_of(at(253'402'300'800)), "read");
}

TEST(ProtobufReader, RefusesInputThatAsksForMuchMoreMemoryThanItsSize) {
  std::string containers;
  for (int i = 0; i < 1'000'000; ++i) {
    containers += bytes_field(2, "");
  }
  const auto pod = from_protobuf<Pod>(pod_with_spec(containers));
  ASSERT_FALSE(pod);
  EXPECT_EQ(pod.error().code(), ErrorCode::kLimit);
}

TEST(ProtobufReader, RefusesAnotherKindAndWhatIsNoEnvelope) {
  EXPECT_EQ(error_of(to_protobuf(Node{})), "is Node of v1, expected Pod of v1");
  EXPECT_EQ(error_of("{}"), "Pod: not a Kubernetes protobuf object: it does not start with k8s");
  EXPECT_EQ(error_of(std::string("k8s\0\xff", 5)).substr(0, 5), "Pod: ");
}

TEST(ProtobufReader, SkipsWhatItDoesNotKnowOfTheEnvelope) {
  const std::string fixed = varint(9U << 3U | 1U) + "12345678";
  EXPECT_EQ(error_of(to_protobuf(Pod{}) + number_field(7, 5) + fixed + bytes_field(4, "x")),
            "read");
  EXPECT_EQ(error_of(to_protobuf(Pod{}) + number_field(2, 5)), "Pod: malformed protobuf envelope");
  EXPECT_EQ(error_of(to_protobuf(Pod{}) + varint(7U << 3U | 3U)),
            "Pod: malformed protobuf envelope");
}

TEST(ProtobufReader, TellsALimitFromAMistake) {
  const auto overhead = [](std::string_view quantity) {
    return pod_with_spec(
        bytes_field(32, bytes_field(1, "cpu") + bytes_field(2, bytes_field(1, quantity))));
  };
  EXPECT_EQ(from_protobuf<Pod>(overhead("1e2147483647")).error().code(), ErrorCode::kLimit);
  EXPECT_EQ(from_protobuf<Pod>(overhead("1Q")).error().code(), ErrorCode::kInvalid);
}

TEST(ProtobufReader, OpensAWatchEventThatHoldsAnEnvelope) {
  const std::string object = to_protobuf(Pod{});
  const auto event =
      watch_event_from_protobuf(bytes_field(1, "ADDED") + bytes_field(2, bytes_field(1, object)));
  ASSERT_TRUE(event) << event.error().text();
  EXPECT_EQ(event->type, "ADDED");
  EXPECT_TRUE(from_protobuf<Pod>(event->object.data));
}

TEST(ProtobufWriter, KeepsMicroseconds) {
  Lease lease;
  lease.spec.renew_time = *parse_time("2026-01-02T03:04:05.000006Z");
  const auto read = from_protobuf<Lease>(to_protobuf(lease));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->spec.renew_time, lease.spec.renew_time);
}

TEST(ProtobufWriter, WritesAnOptionalStructThatIsEmpty) {
  Pod pod;
  pod.spec.affinity.emplace();
  const auto read = from_protobuf<Pod>(to_protobuf(pod));
  ASSERT_TRUE(read);
  EXPECT_TRUE(read->spec.affinity.has_value());
}

}  // namespace
}  // namespace berth::api
