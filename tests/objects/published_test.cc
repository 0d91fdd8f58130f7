// Our tables against the definitions Kubernetes publishes, read with libprotobuf.
//
// The .proto files come from the k8s.io/api and k8s.io/apimachinery modules; BERTH_K8S_API and
// BERTH_K8S_APIMACHINERY say where they are. Nothing of them is kept here.
#include <google/protobuf/compiler/importer.h>
#include <google/protobuf/dynamic_message.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <ios>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "api/codec/expected.h"
#include "api/codec/json.h"
#include "api/codec/protobuf.h"
#include "api/kind.h"
#include "api/kinds.h"
#include "api/objects/list.h"
#include "api/objects/pod.h"
#include "api/table.h"
#include "api/type.h"
#include "api/yaml.h"
#include "random_object.h"

namespace berth::tests {
namespace {

namespace pb = google::protobuf;
using api::Shape;

class Published : public testing::Test {
 protected:
  void SetUp() override {
    const char* api = std::getenv("BERTH_K8S_API");
    const char* machinery = std::getenv("BERTH_K8S_APIMACHINERY");
    if (api == nullptr || machinery == nullptr) {
      GTEST_SKIP() << "BERTH_K8S_API and BERTH_K8S_APIMACHINERY do not name the published modules";
    }
    api_ = api;
    sources_.MapPath("k8s.io/api", api);
    sources_.MapPath("k8s.io/apimachinery", machinery);
    importer_ = std::make_unique<pb::compiler::Importer>(&sources_, &problems_);
  }

  const pb::Descriptor* message(const std::string& package, const std::string& name) {
    std::string folder = package;
    std::replace(folder.begin(), folder.end(), '.', '/');
    // The package is the folder with its first slash a dot: k8s.io/api/core/v1.
    folder.replace(folder.find("k8s/io"), 6, "k8s.io");
    const pb::FileDescriptor* file = importer_->Import(folder + "/generated.proto");
    return file == nullptr ? nullptr : file->FindMessageTypeByName(name);
  }

  const pb::Descriptor* message_of(const api::Kind& kind) {
    if (kind.name == "Status" || kind.name == "DeleteOptions") {
      return message(kMeta, std::string(kind.name));
    }
    const std::string group(kind.group.substr(0, kind.group.find('.')));
    return message(
        "k8s.io.api." + (group.empty() ? "core" : group) + "." + std::string(kind.version),
        std::string(kind.name));
  }

  static constexpr const char* kMeta = "k8s.io.apimachinery.pkg.apis.meta.v1";

  std::string api_;  // where k8s.io/api is

 private:
  class Problems : public pb::compiler::MultiFileErrorCollector {
   public:
    void AddError(const std::string& file, int line, int, const std::string& what) override {
      ADD_FAILURE() << file << ":" << line << ": " << what;
    }
  };

  pb::compiler::DiskSourceTree sources_;
  Problems problems_;
  std::unique_ptr<pb::compiler::Importer> importer_;
};

// Compares a table, and all behind it, with a published message. Collects what the table leaves
// out.
class Comparison {
 public:
  void compare(const api::Table& table, const pb::Descriptor& message) {
    if (!compared_.insert({&table, &message}).second) {
      return;
    }
    for (const api::Field& line : table.fields()) {
      const pb::FieldDescriptor* field = message.FindFieldByNumber(static_cast<int>(line.number));
      SCOPED_TRACE(message.full_name() + " line " + std::to_string(line.number));
      ASSERT_NE(field, nullptr) << "no such field: " << line.json_name;
      if (!line.is_inlined()) {
        EXPECT_EQ(line.json_name, field->name());
      }
      compare_patch(line, *field);
      compare_type(*line.type, *field);
    }
    for (int i = 0; i < message.field_count(); ++i) {
      const pb::FieldDescriptor& field = *message.field(i);
      if (table.find(static_cast<std::uint32_t>(field.number())) == nullptr) {
        left_out_.insert(message.full_name() + "." + field.name());
      }
    }
  }

  const std::set<std::string>& left_out() const { return left_out_; }

 private:
  static std::string tag(const std::string& comments, const std::string& name) {
    const auto start = comments.find("+" + name + "=");
    if (start == std::string::npos) {
      return "";
    }
    const auto value = start + name.size() + 2;
    return comments.substr(value, comments.find('\n', value) - value);
  }

  // generated.proto repeats the patch tags of the Go types as comments.
  static void compare_patch(const api::Field& line, const pb::FieldDescriptor& field) {
    pb::SourceLocation location;
    ASSERT_TRUE(field.GetSourceLocation(&location));
    const std::string strategy = tag(location.leading_comments, "patchStrategy");
    switch (line.patch_strategy) {
      case api::PatchStrategy::kDefault:
        EXPECT_EQ(strategy, "");
        break;
      case api::PatchStrategy::kMerge:
        EXPECT_EQ(strategy, "merge");
        break;
      case api::PatchStrategy::kMergeRetain:
        EXPECT_EQ(strategy, "merge,retainKeys");
        break;
      case api::PatchStrategy::kReplace:
        EXPECT_EQ(strategy, "replace");
        break;
    }
    EXPECT_EQ(line.merge_key, tag(location.leading_comments, "patchMergeKey"));
  }

  void compare_type(const api::Type& type, const pb::FieldDescriptor& field) {
    switch (type.shape) {
      case Shape::kOptional:
      case Shape::kBox:
        EXPECT_FALSE(field.is_repeated());
        return compare_element(*type.element, field);
      case Shape::kList:
        EXPECT_TRUE(field.is_repeated() && !field.is_map());
        return compare_element(*type.element, field);
      case Shape::kMap:
        ASSERT_TRUE(field.is_map());
        EXPECT_EQ(field.message_type()->map_key()->type(), pb::FieldDescriptor::TYPE_STRING);
        return compare_type(*type.element, *field.message_type()->map_value());
      default:
        EXPECT_FALSE(field.is_repeated());
        return compare_element(type, field);
    }
  }

  void compare_element(const api::Type& type, const pb::FieldDescriptor& field) {
    switch (type.shape) {
      case Shape::kBool:
        EXPECT_EQ(field.type(), pb::FieldDescriptor::TYPE_BOOL);
        return;
      case Shape::kInt32:
        EXPECT_EQ(field.type(), pb::FieldDescriptor::TYPE_INT32);
        return;
      case Shape::kInt64:
        EXPECT_EQ(field.type(), pb::FieldDescriptor::TYPE_INT64);
        return;
      case Shape::kString:
        EXPECT_EQ(field.type(), pb::FieldDescriptor::TYPE_STRING);
        return;
      case Shape::kBytes:
        EXPECT_EQ(field.type(), pb::FieldDescriptor::TYPE_BYTES);
        return;
      default:
        break;
    }
    ASSERT_EQ(field.type(), pb::FieldDescriptor::TYPE_MESSAGE);
    const std::string& name = field.message_type()->name();
    switch (type.shape) {
      case Shape::kTime:
        EXPECT_EQ(name, "Time");
        return;
      case Shape::kMicroTime:
        EXPECT_EQ(name, "MicroTime");
        return;
      case Shape::kQuantity:
        EXPECT_EQ(name, "Quantity");
        return;
      case Shape::kIntOrString:
        EXPECT_EQ(name, "IntOrString");
        return;
      case Shape::kRawJson:
      case Shape::kEmbedded:
        EXPECT_TRUE(name == "RawExtension" || name == "FieldsV1") << name;
        return;
      case Shape::kStruct:
        return compare(type.table(), *field.message_type());
      default:
        FAIL() << "no such type in protobuf";
    }
  }

  std::set<std::pair<const api::Table*, const pb::Descriptor*>> compared_;
  std::set<std::string> left_out_;
};

std::set<std::string> lines_of(const std::string& path) {
  std::ifstream file(path);
  EXPECT_TRUE(file.good()) << path;
  std::set<std::string> lines;
  for (std::string line; std::getline(file, line);) {
    if (!line.empty() && !line.starts_with('#')) {
      lines.insert(line);
    }
  }
  return lines;
}

// Empty if there is no such file.
std::string contents(const std::string& path) {
  std::ifstream const file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST_F(Published, DefinitionsAgreeWithEveryTableLine) {
  Comparison comparison;
  for (const api::KindEntry& kind : api::all_kinds()) {
    if (kind.kind->wire == api::Wire::kJsonOnly) {
      continue;
    }
    const pb::Descriptor* published = message_of(*kind.kind);
    ASSERT_NE(published, nullptr) << kind.kind->name;
    comparison.compare(kind.table(), *published);
  }
  comparison.compare(api::List<api::Pod>::table(), *message("k8s.io.api.core.v1", "PodList"));
  comparison.compare(api::WatchEvent::table(), *message(kMeta, "WatchEvent"));

  // Leaving a field out is a decision, so each one is written down.
  const auto decided = lines_of(BERTH_LEFT_OUT);
  for (const auto& field : comparison.left_out()) {
    EXPECT_TRUE(decided.contains(field)) << "left out without a decision: " << field;
  }
  for (const auto& field : decided) {
    EXPECT_TRUE(comparison.left_out().contains(field))
        << "listed as left out, but it is not: " << field;
  }
}

// The numbers of fields libprotobuf found no definition for, in `message` and all behind it.
void collect_unknown(const pb::Message& message, std::vector<std::string>& unknown) {
  const pb::Reflection& reflection = *message.GetReflection();
  const pb::UnknownFieldSet& fields = reflection.GetUnknownFields(message);
  for (int i = 0; i < fields.field_count(); ++i) {
    unknown.push_back(message.GetTypeName() + " " + std::to_string(fields.field(i).number()));
  }
  std::vector<const pb::FieldDescriptor*> set;
  reflection.ListFields(message, &set);
  for (const pb::FieldDescriptor* field : set) {
    if (field->type() != pb::FieldDescriptor::TYPE_MESSAGE) {
      continue;
    }
    if (!field->is_repeated()) {
      collect_unknown(reflection.GetMessage(message, field), unknown);
      continue;
    }
    for (int i = 0; i < reflection.FieldSize(message, field); ++i) {
      collect_unknown(reflection.GetRepeatedMessage(message, field, i), unknown);
    }
  }
}

TEST_F(Published, LibprotobufReadsWhatWeWriteAndWeReadWhatItWrites) {
  pb::DynamicMessageFactory factory;
  RandomObjects random(2);
  for (const api::KindEntry& kind : api::all_kinds()) {
    if (kind.kind->wire == api::Wire::kJsonOnly) {
      continue;
    }
    const pb::Descriptor* published = message_of(*kind.kind);
    ASSERT_NE(published, nullptr) << kind.kind->name;
    for (int i = 0; i < 100; ++i) {
      const auto object = kind.make();
      random.fill(kind.table(), object.get(), i % 2 == 0 ? 0.3 : 0.8);
      SCOPED_TRACE(api::codec::write_json({}, kind.table(), object.get()));

      const std::unique_ptr<pb::Message> theirs(factory.GetPrototype(published)->New());
      ASSERT_TRUE(theirs->ParseFromString(api::codec::write_protobuf(kind.table(), object.get())));
      std::vector<std::string> unknown;
      collect_unknown(*theirs, unknown);
      EXPECT_TRUE(unknown.empty()) << unknown.front();

      const auto copy = kind.make();
      const auto read = api::codec::read_protobuf(
          theirs->SerializeAsString(), kind.kind->name, kind.table(), copy.get(), nullptr);
      ASSERT_TRUE(read) << read.error().text();
      EXPECT_TRUE(kind.equal(object.get(), copy.get()));
      ASSERT_FALSE(HasFailure());
    }
  }
}

// The k8s.io/api module holds one object of each kind, every field set, in three encodings.
TEST_F(Published, SamplesReadAsEqualStructsFromJsonYamlAndProtobuf) {
  api::codec::JsonReader reader;
  int samples = 0;
  for (const api::KindEntry& kind : api::all_kinds()) {
    const api::codec::Expected expected{kind.kind->api_version(), std::string(kind.kind->name)};
    const std::string group(kind.kind->group.empty() ? "core" : kind.kind->group);
    const std::string path = api_ + "/testdata/HEAD/" + group + "." +
                             std::string(kind.kind->version) + "." + expected.kind;
    const std::string json = contents(path + ".json");
    if (json.empty()) {
      continue;  // no sample: a custom resource or a type of the API machinery
    }
    SCOPED_TRACE(path);
    const auto from_json = kind.make();
    auto read = reader.read(json, expected, kind.table(), from_json.get(), nullptr);
    ASSERT_TRUE(read) << read.error().text();

    const auto documents = api::read_yaml(contents(path + ".yaml"));
    ASSERT_EQ(documents.size(), 1U);
    const auto& yaml = documents.front().json;
    ASSERT_TRUE(yaml) << yaml.error().text();
    const auto from_yaml = kind.make();
    read = reader.read(*yaml, expected, kind.table(), from_yaml.get(), nullptr);
    ASSERT_TRUE(read) << read.error().text();

    const std::string bytes = contents(path + ".pb");
    const auto envelope = api::codec::open_envelope(bytes);
    ASSERT_TRUE(envelope) << envelope.error().text();
    const auto from_protobuf = kind.make();
    read = api::codec::read_protobuf(
        envelope->message, expected.kind, kind.table(), from_protobuf.get(), nullptr);
    ASSERT_TRUE(read) << read.error().text();

    // Raw members keep their bytes, which differ in white space between the files.
    const auto meaning = [&](const std::shared_ptr<void>& object) {
      return nlohmann::json::parse(api::codec::write_json(expected, kind.table(), object.get()));
    };
    EXPECT_EQ(meaning(from_json), meaning(from_protobuf));
    EXPECT_EQ(meaning(from_json), meaning(from_yaml));
    ++samples;
  }
  EXPECT_GE(samples, 25);
}

}  // namespace
}  // namespace berth::tests
