#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <iterator>
#include <string>
#include <string_view>

#include "api/codec.h"
#include "api/codec/json.h"
#include "api/codec/reading.h"
#include "api/int_or_string.h"
#include "api/mask.h"
#include "api/members.h"
#include "api/objects/bind_request.h"
#include "api/objects/config_map.h"
#include "api/objects/pod.h"
#include "api/objects/workload.h"
#include "base/error.h"

namespace berth::api {
namespace {

std::string error_of(std::string_view text) {
  const auto pod = from_json<Pod>(text);
  return pod ? "read" : pod.error().text();
}

// The Pod default/web-0 with `members` in its spec.
std::string pod_with(const std::string& members) {
  return R"({"metadata":{"name":"web-0","namespace":"default"},"spec":{)" + members + "}}";
}

TEST(JsonReader, TakesNullAsAbsent) {
  const auto pod = from_json<Pod>(
      R"({"metadata":{"creationTimestamp":null,"labels":null},"spec":{"priority":null,"affinity":null}})");
  ASSERT_TRUE(pod);
  EXPECT_EQ(*pod, Pod{});
}

TEST(JsonReader, TellsAbsentFromEmpty) {
  const auto absent = from_json<Pod>(pod_with(R"("containers":[{"name":"c"}])"));
  const auto empty = from_json<Pod>(pod_with(R"("affinity":{},"containers":[{"name":"c"}])"));
  ASSERT_TRUE(absent && empty);
  EXPECT_FALSE(absent->spec.affinity.has_value());
  EXPECT_TRUE(empty->spec.affinity.has_value());
  EXPECT_NE(*absent, *empty);
}

TEST(JsonReader, SkipsWhatItDoesNotKnowAndKeepsUnknownEnumValues) {
  const auto pod = from_json<Pod>(pod_with(
      R"("future":{"a":[1,{"b":null}]},"restartPolicy":"Sometimes","dnsPolicy":"Default")"));
  ASSERT_TRUE(pod);
  EXPECT_EQ(pod->spec.restart_policy, "Sometimes");
}

TEST(JsonReader, ReadsMembersOfAnInlinedStructFromTheOuterObject) {
  const auto pod = from_json<Pod>(
      pod_with(R"("volumes":[{"persistentVolumeClaim":{"claimName":"c"},"name":"v"}])"));
  ASSERT_TRUE(pod);
  ASSERT_EQ(pod->spec.volumes.size(), 1U);
  EXPECT_EQ(pod->spec.volumes[0].name, "v");
  EXPECT_EQ(pod->spec.volumes[0].source.persistent_volume_claim->claim_name, "c");
}

TEST(JsonReader, FindsEscapedNames) {
  const auto pod =
      from_json<Pod>(R"({"met\u0061data":{"n\u0061me":"x","labels":{"\u006b\n":"v"}}})");
  ASSERT_TRUE(pod);
  EXPECT_EQ(pod->metadata.name, "x");
  EXPECT_EQ(pod->metadata.labels.at("k\n"), "v");
}

TEST(JsonReader, KeepsRawMembersByteForByte) {
  const auto request = from_json<BindRequest>(
      R"({"spec":{"resourceClaimAllocations":[{"allocation": {"devices" : [1.50, "\u00e9"] } ,"name":"x"}]}})");
  ASSERT_TRUE(request) << request.error().text();
  EXPECT_EQ(request->spec.resource_claim_allocations[0].allocation.text,
            R"({"devices" : [1.50, "\u00e9"] })");
  EXPECT_NE(to_json(*request).find(R"("allocation":{"devices" : [1.50, "\u00e9"] })"),
            std::string::npos);
}

TEST(JsonReader, ReadsIntOrString) {
  const auto number = from_json<PodDisruptionBudget>(R"({"spec":{"minAvailable":3}})");
  const auto percent = from_json<PodDisruptionBudget>(R"({"spec":{"minAvailable":"25%"}})");
  ASSERT_TRUE(number && percent);
  EXPECT_EQ(number->spec.min_available, IntOrString(3));
  EXPECT_EQ(percent->spec.min_available, IntOrString("25%"));
}

TEST(JsonReader, ReadsQuantitiesWrittenAsNumbers) {
  const auto pod = from_json<Pod>(pod_with(R"("overhead":{"cpu":0.5,"memory":1e3})"));
  ASSERT_TRUE(pod) << pod.error().text();
  EXPECT_EQ(pod->spec.overhead.at("cpu").milli_value(), 500);
  EXPECT_EQ(pod->spec.overhead.at("memory").value(), 1000);
}

// As Quantity::parse_json() does, which the vectors are held against.
TEST(JsonReader, ReadsQuantitiesWithSpaceAroundThemAndWithoutEscapes) {
  const auto pod =
      from_json<Pod>(pod_with("\"overhead\":{\"cpu\":\" 1\xc2\xa0\" , \"memory\": 2 }"));
  ASSERT_TRUE(pod) << pod.error().text();
  EXPECT_EQ(pod->spec.overhead.at("cpu").value(), 1);
  EXPECT_EQ(pod->spec.overhead.at("memory").value(), 2);
  EXPECT_NE(error_of(pod_with(R"("overhead":{"cpu":"\u0031"})")), "read");
  EXPECT_EQ(error_of(pod_with(R"("overhead":{"cpu":"1Q"})")).substr(0, 45),
            "Pod default/web-0: spec.overhead[cpu]: '1Q': ");
}

TEST(JsonReader, RefusesQuantitiesThatAreNoJson) {
  for (const char* value :
       {"1Gi", "+5", ".5", "01", "tru", "5 6", "\"1\" x", "{}", "[1]", "true"}) {
    EXPECT_NE(error_of(pod_with(fmt::format(R"("overhead":{{"cpu":{}}})", value))), "read")
        << value;
  }
}

TEST(JsonReader, SortsMaps) {
  const auto pod = from_json<Pod>(R"({"metadata":{"labels":{"c":"3","a":"1","d":"4","b":"2"}}})");
  ASSERT_TRUE(pod);
  EXPECT_EQ(pod->metadata.labels, (StringMap{{"a", "1"}, {"b", "2"}, {"c", "3"}, {"d", "4"}}));
}

// With every key put into its place at once this takes minutes.
TEST(JsonReader, ReadsMapsInAnyOrderInLittleTime) {
  std::string text = R"({"metadata":{"labels":{"z":"")";
  constexpr int kEntries = 200'000;
  for (int i = kEntries; i-- > 0;) {
    fmt::format_to(std::back_inserter(text), R"(,"{:06}":"")", i);
  }
  const auto pod = from_json<Pod>(text + "}}}");
  ASSERT_TRUE(pod) << pod.error().text();
  EXPECT_EQ(pod->metadata.labels.size(), kEntries + 1U);
  EXPECT_EQ(pod->metadata.labels.begin()->first, "000000");
}

TEST(JsonReader, ReadsBinaryData) {
  const auto map = from_json<ConfigMap>(R"({"binaryData":{"a":"/wA="}})");
  ASSERT_TRUE(map);
  EXPECT_EQ(map->binary_data.at("a").data, std::string("\xff\0", 2));
}

TEST(JsonReader, NamesTheObjectAndTheField) {
  EXPECT_EQ(error_of(pod_with(R"("priority":"high")")),
            "Pod default/web-0: spec.priority: expected a 32-bit integer");
  EXPECT_EQ(error_of(pod_with(R"("containers":[{},{"resources":{"requests":{"cpu":true}}}])")),
            "Pod default/web-0: spec.containers[1].resources.requests[cpu]: expected a quantity");
}

TEST(JsonReader, NamesTheObjectAlsoWhenItsMetadataComesLater) {
  EXPECT_EQ(error_of(R"({"spec":{"priority":{}},"metadata":{"name":"a"}})"),
            "Pod a: spec.priority: expected a 32-bit integer");
}

TEST(JsonReader, NamesAnEscapedKey) {
  EXPECT_EQ(
      error_of(R"({"spec":{"overhead":{"cpu":"1"},"nodeSelector":{"\u0061bcdefghijkl":5}},)"
               R"("metadata":{"name":"x","labels":{"\u0078\u0079\u007a\u0078\u0079\u007a":"v"}}})"),
      "Pod x: spec.nodeSelector[abcdefghijkl]: expected a string");
}

// Every kind of value that is no key all the same (found by fuzzing).
TEST(JsonReader, RefusesAColonBehindAValue) {
  for (const char* value : {R"("1.5":"In")", R"("1.5":"In","values":["a"]x])", R"(1:2)"}) {
    EXPECT_NE(error_of(std::string(R"({"spec":{"containers":[{"resources":{"requests":{"cpu":)") +
                       value + "}}}]}}"),
              "read")
        << value;
  }
  EXPECT_NE(error_of(R"({"metadata":{"labels":{"a":"b":"c"}}})"), "read");
  EXPECT_NE(error_of(R"({"metadata":{"name":"a":"c"}})"), "read");
  EXPECT_NE(error_of(R"({"metadata":{"creationTimestamp":"2026-01-02T03:04:05Z":"c"}})"), "read");
  EXPECT_NE(error_of(R"({"spec":{"priority":1:2}})"), "read");
  EXPECT_NE(error_of(R"({"spec":{"hostNetwork":true:2}})"), "read");
  EXPECT_NE(error_of(R"({"unknown":"a":"b"})"), "read");
}

TEST(JsonReader, RefusesAnotherKind) {
  EXPECT_EQ(error_of(R"({"kind":"Node"})"), "Pod: kind: is 'Node', expected 'Pod'");
  EXPECT_EQ(error_of(R"({"apiVersion":"v2","kind":"Pod"})"),
            "Pod: apiVersion: is 'v2', expected 'v1'");
}

TEST(JsonReader, RefusesANameThatStandsTwice) {
  EXPECT_EQ(error_of(R"({"metadata":{"name":"x","name":"y"}})"),
            "Pod x: metadata.name: stands twice in the same object");
  EXPECT_EQ(error_of(R"({"metadata":{"name":"x","labels":{"a":"1","a":"2"}}})"),
            "Pod x: metadata.labels[a]: stands twice in the same object");
  EXPECT_EQ(error_of(R"({"metadata":{"labels":{"b":"1","a":"2","c":"3","a":"4"}}})"),
            "Pod: metadata.labels[a]: stands twice in the same object");
  EXPECT_EQ(error_of(R"({"kind":"Pod","kind":"Pod"})"),
            "Pod: kind: stands twice in the same object");
  EXPECT_EQ(error_of(R"({"apiVersion":"v1","kind":"Pod","apiVersion":"v1"})"),
            "Pod: apiVersion: stands twice in the same object");
}

TEST(JsonReader, RefusesATextThatIsCutAnywhere) {
  const std::string text =
      pod_with(R"("nodeName":"n","containers":[{"name":"c","resources":{"requests":{"cpu":"1"}}}],)"
               R"("future":[1.5,true,null,"é\u00e9"],"tolerations":[{"tolerationSeconds":5}])");
  ASSERT_EQ(error_of(text), "read");
  for (std::size_t length = 0; length < text.size(); ++length) {
    EXPECT_NE(error_of(std::string_view(text).substr(0, length)), "read") << length;
  }
}

TEST(JsonReaderDeathTest, RefusesTheMaskOfAnotherKind) {
  const Mask mask = Mask::keeping<ConfigMap>({"data"});
  EXPECT_DEATH(static_cast<void>(from_json<Pod>("{}", &mask)), "a mask is for one kind");
}

TEST(JsonReader, RefusesWrongTypes) {
  EXPECT_EQ(error_of("[]"), "Pod: expected an object");
  EXPECT_EQ(error_of("5"), "Pod: expected an object");
  EXPECT_EQ(error_of(R"({"metadata":[]})"), "Pod: metadata: expected an object");
  EXPECT_EQ(error_of(R"({"metadata":{"name":5}})"), "Pod: metadata.name: expected a string");
  EXPECT_EQ(error_of(R"({"metadata":{"labels":{"a":1}}})"),
            "Pod: metadata.labels[a]: expected a string");
  EXPECT_EQ(error_of(R"({"metadata":{"finalizers":{}}})"),
            "Pod: metadata.finalizers: expected a list");
  EXPECT_EQ(error_of(R"({"spec":{"hostNetwork":1}})"),
            "Pod: spec.hostNetwork: expected true or false");
  EXPECT_EQ(error_of(R"({"metadata":{"creationTimestamp":"yesterday"}})"),
            "Pod: metadata.creationTimestamp: 'yesterday' is not a time like 2006-01-02T15:04:05Z");
}

TEST(JsonReader, RefusesNumbersThatDoNotFit) {
  EXPECT_EQ(error_of(R"({"spec":{"priority":2147483648}})"),
            "Pod: spec.priority: expected a 32-bit integer");
  EXPECT_EQ(error_of(R"({"metadata":{"generation":9223372036854775808}})"),
            "Pod: metadata.generation: expected a 64-bit integer");
  EXPECT_EQ(error_of(R"({"metadata":{"generation":1.5}})"),
            "Pod: metadata.generation: expected a 64-bit integer");
  EXPECT_EQ(error_of(R"({"metadata":{"generation":1e400}})"),
            "Pod: metadata.generation: expected a 64-bit integer");
  EXPECT_EQ(error_of(R"({"unknown":123456789012345678901234567890})"), "read");
}

TEST(JsonReader, RefusesTextThatIsNotJson) {
  for (const char* text : {"",
                           " ",
                           "{",
                           "}",
                           R"({"metadata":)",
                           R"({"metadata":{"name":"x"})",
                           R"({"metadata" {"name":"x"}})",
                           R"({"metadata":{"name":"x"},})",
                           R"({"metadata":{"name":"x")",
                           R"({"metadata":{"name":"x}})",
                           R"({'metadata':{}})",
                           R"({"metadata":{}} {})",
                           R"({"metadata":nul})",
                           R"({"metadata":{"name":"\x"}})",
                           R"({"metadata":{"name":"\ud800"}})",
                           "{\"metadata\":{\"name\":\"a\nb\"}}",
                           "\xef\xbb\xbf{",
                           "not json"}) {
    EXPECT_NE(error_of(text), "read") << text;
  }
}

TEST(JsonReader, ValidatesAlsoWhatItSkips) {
  for (const char* value : {"tru",
                            "nulll",
                            "01",
                            "1.",
                            "-",
                            "+1",
                            ".5",
                            "1e",
                            "0x1",
                            R"("\q")",
                            "[1 2]",
                            "[1,]",
                            R"({"a"})",
                            R"({"a":1,})",
                            "{1:2}",
                            "NaN"}) {
    EXPECT_NE(error_of(R"({"unknown":)" + std::string(value) + "}"), "read") << value;
  }
  for (const char* value :
       {"true", "null", "0", "-0.0", "1e+5", R"("\u00e9")", "[]", "{}", "[[{}]]"}) {
    EXPECT_EQ(error_of(R"({"unknown":)" + std::string(value) + "}"), "read") << value;
  }
}

TEST(JsonReader, RefusesInvalidUtf8Anywhere) {
  EXPECT_EQ(error_of("{\"metadata\":{\"name\":\"\xff\"}}"), "Pod: holds text that is not UTF-8");
  EXPECT_EQ(error_of("{\"unknown\":\"\xc3\x28\"}"), "Pod: holds text that is not UTF-8");
}

TEST(JsonReader, RefusesDeepNesting) {
  const auto nested = [](int depth) {
    const auto levels = static_cast<std::size_t>(depth);
    return R"({"unknown":)" + std::string(levels, '[') + std::string(levels, ']') + "}";
  };
  EXPECT_EQ(error_of(nested(codec::kDepthMax)), "read");
  EXPECT_EQ(error_of(nested(codec::kDepthMax + 1)),
            "Pod: unknown: is nested deeper than 128 levels");
  EXPECT_NE(error_of(nested(1'000'000)), "read");
  EXPECT_EQ(from_json<Pod>(nested(codec::kDepthMax + 1)).error().code(), ErrorCode::kLimit);
  const auto raw = fmt::format(
      R"({{"metadata":{{"managedFields":[{{"fieldsV1":{:[<129}{:]<129}}}]}}}})", "", "");
  EXPECT_EQ(from_json<Pod>(raw).error().code(), ErrorCode::kLimit);
}

TEST(JsonReader, TellsALimitFromAMistake) {
  EXPECT_EQ(from_json<Pod>(pod_with(R"("overhead":{"cpu":"1e2147483647"})")).error().code(),
            ErrorCode::kLimit);
  EXPECT_EQ(from_json<Pod>(pod_with(R"("overhead":{"cpu":"1Q"})")).error().code(),
            ErrorCode::kInvalid);
  EXPECT_EQ(from_json<Pod>("{").error().code(), ErrorCode::kInvalid);
}

TEST(JsonReader, RefusesTextThatAsksForMuchMoreMemoryThanItsSize) {
  std::string text = R"({"spec":{"containers":[{})";
  for (int i = 0; i < 1'000'000; ++i) {
    text += ",{}";
  }
  text += "]}}";
  const auto pod = from_json<Pod>(text);
  ASSERT_FALSE(pod);
  EXPECT_EQ(pod.error().code(), ErrorCode::kLimit);
}

TEST(JsonReader, ReadsTheNextDocumentAfterAFailure) {
  codec::JsonReader reader;
  EXPECT_FALSE(from_json<Pod>(reader, R"({"metadata":{"name":)"));
  const auto pod = from_json<Pod>(reader, R"({"metadata":{"name":"x"}})");
  ASSERT_TRUE(pod);
  EXPECT_EQ(pod->metadata.name, "x");
}

TEST(JsonReader, ReadsAWatchEventWithItsObjectUnread) {
  const auto event =
      watch_event_from_json(R"({"type":"ADDED","object":{"kind":"Pod", "metadata":{}}})");
  ASSERT_TRUE(event) << event.error().text();
  EXPECT_EQ(event->type, "ADDED");
  EXPECT_EQ(event->object.data, R"({"kind":"Pod", "metadata":{}})");
}

TEST(JsonWriter, WritesWhatDiffersFromTheDefault) {
  Pod pod;
  EXPECT_EQ(to_json(pod), R"({"apiVersion":"v1","kind":"Pod"})");
  pod.metadata.name = "a\"\\\n\x01";
  pod.spec.priority = 0;
  pod.spec.affinity.emplace();
  EXPECT_EQ(to_json(pod),
            R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"a\"\\\n\u0001"},)"
            R"("spec":{"affinity":{},"priority":0}})");
}

TEST(JsonWriter, ReplacesBytesThatAreNoText) {
  Pod pod;
  pod.metadata.name = "a\xff";
  EXPECT_NE(to_json(pod).find("a\xef\xbf\xbd"), std::string::npos);
}

}  // namespace
}  // namespace berth::api
