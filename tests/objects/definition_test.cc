// Our table of BindRequests against the definition we ship, which is the one clusters have.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "api/objects/bind_request.h"
#include "api/table.h"
#include "api/type.h"
#include "api/yaml.h"

namespace berth::tests {
namespace {

using api::Shape;
using nlohmann::json;

json schema() {
  std::ifstream file(BERTH_BIND_REQUESTS);
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const auto documents = api::read_yaml(text);
  const json definition = json::parse(*documents.at(0).json);
  return definition.at("spec").at("versions").at(0).at("schema").at("openAPIV3Schema");
}

// What the definition calls a member of this type.
std::string schema_type(const api::Type& type) {
  switch (type.shape) {
    case Shape::kOptional:
    case Shape::kBox:
      return schema_type(*type.element);
    case Shape::kList:
      return "array";
    case Shape::kStruct:
    case Shape::kMap:
    case Shape::kRawJson:
      return "object";
    case Shape::kInt32:
    case Shape::kInt64:
      return "integer";
    case Shape::kBool:
      return "boolean";
    default:
      return "string";
  }
}

const api::Type& innermost(const api::Type& type) {
  const bool is_wrapped =
      type.shape == Shape::kOptional || type.shape == Shape::kBox || type.shape == Shape::kList;
  return is_wrapped ? innermost(*type.element) : type;
}

void compare(const std::string& path, const api::Table& table, const json& object) {
  std::set<std::string> ours;
  for (const api::Field& field : table.fields()) {
    const std::string name(field.json_name);
    const std::string where = path + "." + name;
    ours.insert(name);
    ASSERT_TRUE(object.at("properties").contains(name)) << where << " is not in the definition";
    const json& member = object.at("properties").at(name);
    EXPECT_EQ(member.at("type"), schema_type(*field.type)) << where;
    const api::Type& inner = innermost(*field.type);
    // Metadata is Kubernetes' own.
    if (inner.shape == Shape::kStruct && where != ".metadata") {
      compare(where, inner.table(), member.value("items", member));
    }
  }
  for (const auto& [name, member] : object.at("properties").items()) {
    const bool is_type_name = name == "kind" || name == "apiVersion";
    EXPECT_TRUE(is_type_name || ours.contains(name)) << path << "." << name << " is left out";
  }
}

TEST(BindRequestTable, IsWhatTheDefinitionSays) {
  compare("", api::BindRequest::table(), schema());
}

}  // namespace
}  // namespace berth::tests
