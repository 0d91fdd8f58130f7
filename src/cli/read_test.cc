#include "cli/read.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <string_view>

#include "api/codec.h"
#include "api/codec/protobuf.h"
#include "api/objects/bind_request.h"
#include "api/objects/list.h"
#include "api/objects/pod.h"
#include "cli/exit_code.h"

namespace berth::cli {
namespace {

using testing::HasSubstr;

struct Read {
  ExitCode code = ExitCode::kDone;
  std::string out;
  std::string err;
};

// What `berth read -f -` makes of a text.
Read read(const std::string& text, const std::string& output = "json") {
  std::istringstream in(text);
  std::ostringstream out;
  std::ostringstream err;
  const ExitCode code = read_files({.files = {"-"}, .output = output}, in, out, err);
  return {.code = code, .out = out.str(), .err = err.str()};
}

// A Namespace as -o json prints it.
std::string ns(const std::string& name) {
  return R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":")" + name + "\"}}\n";
}

std::string ns_yaml(const std::string& name) {
  return "{apiVersion: v1, kind: Namespace, metadata: {name: " + name + "}}\n";
}

void expect_shown(const std::string& text, const std::string& out) {
  const Read result = read(text);
  EXPECT_EQ(result.out, out);
  EXPECT_EQ(result.err, "");
  EXPECT_EQ(result.code, ExitCode::kDone);
}

void expect_error(const std::string& text, const std::string& err) {
  const Read result = read(text);
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(result.err, err);
  EXPECT_EQ(result.code, ExitCode::kError);
}

TEST(Read, ShowsATable) {
  const Read result = read(
      "{apiVersion: v1, kind: Node, metadata: {name: n1}}\n---\n"
      "{apiVersion: apps/v1, kind: DaemonSet, metadata: {name: d}}\n",
      "table");
  EXPECT_EQ(result.out,
            "KIND       NAME  DETAILS\n"
            "Node       n1    allocatable nothing; taints 0\n"
            "DaemonSet  -     not a kind Berth reads (apps/v1)\n");
  EXPECT_EQ(result.err, "");
  EXPECT_EQ(result.code, ExitCode::kDone);
}

TEST(Read, ReadsYamlJsonAndProtobuf) {
  api::Pod pod;
  pod.metadata.name = "a";
  const std::string json =
      R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"},"spec":{},"status":{}})";
  const std::string shown = read(json).out;
  EXPECT_THAT(shown, HasSubstr(R"("name":"a")"));
  expect_shown("apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n", shown);
  expect_shown(api::to_protobuf(pod), shown);
}

TEST(Read, ReadsJsonThatIsNoYaml) {
  expect_shown(R"( {"apiVersion":"v1","kind":"Namespace","metadata":{"name":"\ud83d\ude00"}} )",
               ns("\xf0\x9f\x98\x80"));
  expect_shown("{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":{\"name\":\"\x7f\"}}",
               ns("\x7f"));
  expect_shown(R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":"a"},")" +
                   std::string(1100, 'k') + R"(":1})",
               ns("a"));
}

TEST(Read, ReadsWhatItWritesAsJson) {
  const std::string lines = ns("a") + "\n" + ns("b");
  expect_shown(lines, ns("a") + ns("b"));
}

TEST(Read, BadLineOfJsonHidesNoOther) {
  const Read result = read(ns("a") + "{\"metadata\" 5}\n" + ns("b"));
  EXPECT_EQ(result.out, ns("a") + ns("b"));
  EXPECT_THAT(result.err, HasSubstr("error: standard input: line 2: malformed JSON: "));
  EXPECT_EQ(result.code, ExitCode::kError);
}

TEST(Read, BraceMayBeginYaml) {
  expect_shown(ns_yaml("a"), ns("a"));
  expect_shown(ns_yaml("a") + "---\n" + ns_yaml("b"), ns("a") + ns("b"));
  expect_shown(ns("a") + "---\napiVersion: v1\nkind: Namespace\nmetadata:\n  name: b\n",
               ns("a") + ns("b"));
}

TEST(Read, MalformedJsonIsToldAsJsonAndWithItsLine) {
  const Read result = read("{\"apiVersion\": \"v1\",\n\"kind\": \"Pod\"\n\"metadata\": {}}\n");
  EXPECT_EQ(result.code, ExitCode::kError);
  EXPECT_THAT(result.err,
              testing::MatchesRegex("error: standard input: malformed JSON: .*; "
                                    "as YAML: line 3: malformed YAML: .*\n"));
}

TEST(Read, BadDocumentHidesNoOther) {
  const Read result = read(ns_yaml("a") + "---\na: 1\na: 2\n---\n" + ns_yaml("c"));
  EXPECT_EQ(result.out, ns("a") + ns("c"));
  EXPECT_EQ(result.err, "error: standard input: line 4: key 'a' stands twice\n");
  EXPECT_EQ(result.code, ExitCode::kError);
}

TEST(Read, ObjectThatCannotBeReadIsReportedAndTheOthersAreShown) {
  const Read result = read(
      "apiVersion: v1\nkind: Pod\nmetadata: {name: db-0, namespace: shop}\nspec: {priority: x}\n"
      "---\n" +
      ns_yaml("a"));
  EXPECT_EQ(result.out, ns("a"));
  EXPECT_EQ(result.err,
            "error: standard input:1: Pod shop/db-0: spec.priority: expected a 32-bit integer\n");
  EXPECT_EQ(result.code, ExitCode::kError);
}

TEST(Read, TakesListsApart) {
  expect_shown("apiVersion: v1\nkind: List\nitems:\n- " + ns_yaml("a") + "- " + ns_yaml("b"),
               ns("a") + ns("b"));
  // As a server writes them: the items do not say what they are.
  expect_shown("apiVersion: v1\nkind: NamespaceList\nitems:\n- metadata: {name: a}\n", ns("a"));
  expect_shown(
      "apiVersion: v1\nkind: List\nitems:\n"
      "- apiVersion: v1\n  kind: NamespaceList\n  items: [{metadata: {name: a}}]\n",
      ns("a"));
  api::List<api::Pod> pods;
  pods.items.resize(2);
  pods.items[0].metadata.name = "a";
  pods.items[1].metadata.name = "b";
  expect_shown(api::to_protobuf(pods),
               api::to_json(pods.items[0]) + "\n" + api::to_json(pods.items[1]) + "\n");
}

TEST(Read, BadItemHidesNoOther) {
  Read result = read(
      "apiVersion: v1\nkind: NamespaceList\nitems:\n- metadata: 5\n- kind: Node\n- metadata: "
      "{name: "
      "c}\n");
  EXPECT_EQ(result.out, ns("c"));
  EXPECT_EQ(result.err,
            "error: standard input:1 items[0]: Namespace: metadata: expected an object\n"
            "error: standard input:1 items[1]: Namespace: kind: is 'Node', expected 'Namespace'\n");
  EXPECT_EQ(result.code, ExitCode::kError);

  // Item 0 is an empty message, item 1 says it has a metadata of 9 bytes.
  const std::string message("\x12\x00\x12\x02\x0a\x09", 6);
  result = read(api::codec::seal_envelope({"v1", "NamespaceList"}, message));
  EXPECT_EQ(result.out, "{\"apiVersion\":\"v1\",\"kind\":\"Namespace\"}\n");
  EXPECT_THAT(result.err, HasSubstr("error: standard input items[1]: Namespace: "));
  EXPECT_EQ(result.code, ExitCode::kError);
}

TEST(Read, EmptyListIsNoErrorAndHasNoTable) {
  for (const char* kind : {"List", "PodList"}) {
    const Read result =
        read(std::string("apiVersion: v1\nkind: ") + kind + "\nitems: []\n", "table");
    EXPECT_EQ(result.out, "");
    EXPECT_EQ(result.err, "there is no object to show\n");
    EXPECT_EQ(result.code, ExitCode::kDone);
  }
}

TEST(Read, KindsWithItemsOfAnotherSortAreNotTakenApart) {
  const Read result = read("apiVersion: v1\nkind: Namespace\nmetadata: {name: a}\nitems: many\n");
  EXPECT_EQ(result.out, ns("a"));
  EXPECT_EQ(result.code, ExitCode::kDone);
}

TEST(Read, CustomResourcesHaveNoProtobuf) {
  expect_error(
      api::codec::seal_envelope({api::BindRequest::kKind.api_version(), "BindRequest"}, ""),
      "error: standard input: BindRequest is a custom resource, which has no protobuf form\n");
  expect_error(
      api::codec::seal_envelope({api::BindRequest::kKind.api_version(), "BindRequestList"}, ""),
      "error: standard input: BindRequestList is a custom resource, which has no protobuf form\n");
}

TEST(Read, UnknownKindsDoNotVanish) {
  const Read result = read("apiVersion: apps/v1\nkind: DaemonSet\n");
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(result.err,
            "left out: standard input:1: DaemonSet is not a kind Berth reads (apps/v1)\n");
  EXPECT_EQ(result.code, ExitCode::kDone);
}

TEST(Read, RefusesWhatIsNoObject) {
  expect_error("", "error: standard input: holds no object\n");
  expect_error("hello", "error: standard input:1: expected an object\n");
  expect_error("a: 1", "error: standard input:1: has no apiVersion and kind\n");
  expect_error("kind: 5", "error: standard input:1: kind: expected a string\n");
  expect_error(api::codec::seal_envelope({"", ""}, ""),
               "error: standard input: has no apiVersion and kind\n");
  expect_error("k8s" + std::string(1, '\0') + "x",
               "error: standard input: malformed protobuf envelope\n");
}

TEST(Read, MissingFileIsAnErrorAndTheOthersAreShown) {
  std::istringstream in(ns("a"));
  std::ostringstream out;
  std::ostringstream err;
  const ReadOptions options{.files = {"/nowhere/x.yaml", "-"}, .output = "json"};
  EXPECT_EQ(read_files(options, in, out, err), ExitCode::kError);
  EXPECT_EQ(out.str(), ns("a"));
  EXPECT_EQ(err.str(), "error: /nowhere/x.yaml: cannot be opened: No such file or directory\n");
}

TEST(Read, NothingItQuotesReachesTheTerminalAsItIs) {
  const Read table = read(
      "apiVersion: v1\nkind: Node\nmetadata: {name: \"a\\e[31m\\nb\"}\n---\n"
      "apiVersion: \"\\e[0m\"\nkind: \"X\\ny\"\n",
      "table");
  EXPECT_EQ(table.out,
            "KIND  NAME          DETAILS\n"
            "Node  a\\x1b[31m\\nb  allocatable nothing; taints 0\n"
            "X\\ny  -             not a kind Berth reads (\\x1b[0m)\n");
  expect_error(
      "apiVersion: v1\nkind: Namespace\nmetadata: {name: a, creationTimestamp: \"\\e[31m\"}\n",
      "error: standard input:1: Namespace a: metadata.creationTimestamp: '\\x1b[31m' is not a time "
      "like 2006-01-02T15:04:05Z\n");
}

}  // namespace
}  // namespace berth::cli
