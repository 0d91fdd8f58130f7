// What the cases are written with: a namespace of their own, and calls that wait for their answer.
#pragma once

#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/kind.h"
#include "base/error.h"
#include "base/result.h"
#include "behaviour/server.h"
#include "kube/client.h"
#include "kube/object_key.h"
#include "rt/scope.h"
#include "rt/task.h"
#include "rt/wait_queue.h"

namespace berth::tests {

namespace json = boost::json;

using Object = json::object;

// The text at "metadata.uid"; empty if there is none, a number as its digits.
std::string text(const Object& object, std::string_view path);
// The value at a JSON pointer ("/metadata/labels"); null if there is none.
json::value value(const Object& object, std::string_view pointer);
std::string name(const Object& object);
std::string uid(const Object& object);
std::string version(const Object& object);
std::vector<std::string> names(const std::vector<Object>& objects);

struct Event {
  kube::WatchEventType type;
  Object object;
};

struct Page {
  std::string resource_version;
  std::string continue_token;
  std::vector<Object> items;
};

class Behaviour : public ::testing::Test {
 protected:
  void SetUp() final;
  void TearDown() override;
  // What the cases of one subject begin with, once there is a server and a namespace.
  virtual void prepare() {}

  // The test's own; a kind without namespaces is given none.
  const std::string& ns() const { return ns_; }
  // A name for an object of a kind without namespaces, which every test of a server shares.
  std::string unique(std::string_view what) const;

  // Waits for the answer. A call that is not answered fails the test and is given up.
  template <typename Value>
  Result<Value> wait(rt::Task<Result<Value>> task) {
    std::optional<Result<Value>> answer;
    rt::Scope scope(server_->runtime(), "behaviour");
    scope.spawn("a call", keep(std::move(task), &answer));
    server_->run_until([&] { return answer.has_value(); });
    if (!answer) {
      ADD_FAILURE() << "no answer";
      return Error(ErrorCode::kInternal, "no answer");
    }
    return *std::move(answer);
  }

  Result<Object> get(const api::Kind& kind, const std::string& name);
  Result<Object> create(const api::Kind& kind, const Object& body);
  Result<Object> create_text(const api::Kind& kind, const std::string& body);
  Result<Object> merge(const api::Kind& kind, const std::string& name, const std::string& body);
  Result<Object> patch(const api::Kind& kind,
                       const std::string& name,
                       kube::PatchType type,
                       const std::string& body,
                       const std::string& subresource = "");
  Result<Object> merge_status(const api::Kind& kind,
                              const std::string& name,
                              const std::string& body);
  Result<Object> post(const std::string& pod, const std::string& subresource, const Object& body);
  Result<void> remove(const api::Kind& kind,
                      const std::string& name,
                      std::optional<std::int64_t> grace = std::nullopt);
  Result<void> remove_if(const api::Kind& kind,
                         const std::string& name,
                         const std::string& uid,
                         const std::string& resource_version);
  Result<Page> list(kube::ListRequest request);
  // Names of the selected objects of the test's namespace.
  std::vector<std::string> selected(const api::Kind& kind,
                                    const std::string& labels,
                                    const std::string& fields = "");

  Result<std::unique_ptr<kube::Watch>> watch(kube::WatchRequest request);
  // A watch of the test's namespace from where the server is now.
  std::unique_ptr<kube::Watch> watch_from_now(const api::Kind& kind,
                                              const std::string& labels = "",
                                              const std::string& fields = "");
  // The next event that is no bookmark.
  Result<Event> next(kube::Watch& watch);
  Result<Event> next_or_bookmark(kube::Watch& watch);
  // Reads and checks one event: its type and the name of its object.
  Object expect_event(kube::Watch& watch, kube::WatchEventType type, const std::string& name);

  kube::Selection all(const api::Kind& kind) const;
  Server& server() { return *server_; }

  // Asserts that the call succeeds, which most calls of a case must before it comes to its point.
  Object made(const api::Kind& kind, const Object& body);
  Object merged(const api::Kind& kind, const std::string& name, const std::string& body);

 private:
  template <typename Value>
  static rt::Task<void> keep(rt::Task<Result<Value>> task, std::optional<Result<Value>>* answer) {
    answer->emplace(co_await std::move(task));
  }

  kube::ObjectKey key(const api::Kind& kind, const std::string& name) const;
  rt::Until soon() const;

  std::unique_ptr<Server> server_;
  std::string ns_;
  // Of no namespace, to be removed when the test is over.
  std::vector<std::pair<const api::Kind*, std::string>> shared_;
};

// Bodies that a real server accepts too.
Object config_map(std::string_view name);
Object config_map(std::string_view name, std::string_view label, std::string_view value);
// For cases that count on nobody else's objects in their namespace: of config maps every namespace
// of a real cluster is given one, kube-root-ca.crt, at any time.
Object lease(std::string_view name);
Object lease(std::string_view name, std::string_view label, std::string_view value);
Object pod(std::string_view name);
Object pod_on(std::string_view name, std::string_view node);
Object with_finalizer(Object object, std::string_view finalizer);
Object disruption_budget(std::string_view name);
Object binding(std::string_view pod, std::string_view node);
Object eviction(std::string_view pod);

// The code of a call that failed. Named after GoogleTest's own.
// NOLINTNEXTLINE(readability-identifier-naming)
#define EXPECT_CODE(expression, expected)                                                    \
  do {                                                                                       \
    const auto& refused = (expression);                                                      \
    ASSERT_FALSE(refused.has_value());                                                       \
    EXPECT_EQ(name_of(refused.error().code()), name_of(expected)) << refused.error().text(); \
  } while (false)

}  // namespace berth::tests
