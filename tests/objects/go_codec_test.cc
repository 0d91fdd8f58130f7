// The Go types of Kubernetes as a second opinion: they read what we write, and we read what they
// write, into equal structs.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "api/codec/expected.h"
#include "api/codec/json.h"
#include "api/codec/protobuf.h"
#include "api/kind.h"
#include "api/kinds.h"
#include "base/error.h"
#include "peers/controlplane.h"
#include "random_object.h"

namespace berth::tests {
namespace {

class GoCodec : public testing::Test {
 protected:
  void SetUp() override {
    auto go = ControlPlane::start(canonical_role());
    if (!go && go.error().code() == ErrorCode::kNotFound) {
      GTEST_SKIP() << go.error().text();
    }
    ASSERT_TRUE(go) << go.error().text();
    go_ = *std::move(go);
  }

  void expect_json_reads_as(const api::KindEntry& kind,
                            const std::string& text,
                            const void* object) {
    const auto copy = kind.make();
    const auto read = reader_.read(text, expected(kind), kind.table(), copy.get(), nullptr);
    ASSERT_TRUE(read) << read.error().text() << "\n" << text;
    EXPECT_TRUE(kind.equal(object, copy.get())) << text;
  }

  static void expect_protobuf_reads_as(const api::KindEntry& kind,
                                       const std::string& bytes,
                                       const void* object) {
    const auto envelope = api::codec::open_envelope(bytes);
    ASSERT_TRUE(envelope) << envelope.error().text();
    ASSERT_TRUE(api::codec::check_kind(*envelope, expected(kind)));
    const auto copy = kind.make();
    const auto read = api::codec::read_protobuf(
        envelope->message, kind.kind->name, kind.table(), copy.get(), nullptr);
    ASSERT_TRUE(read) << read.error().text();
    EXPECT_TRUE(kind.equal(object, copy.get()));
  }

  static api::codec::Expected expected(const api::KindEntry& kind) {
    return {.api_version = kind.kind->api_version(), .kind = std::string(kind.kind->name)};
  }

  std::unique_ptr<ControlPlane> go_;
  api::codec::JsonReader reader_;
};

TEST_F(GoCodec, AgreesWithUsOnRandomObjectsOfEveryBuiltInKind) {
  RandomObjects random(3);
  for (const api::KindEntry& kind : api::all_kinds()) {
    if (kind.kind->wire == api::Wire::kJsonOnly) {
      continue;
    }
    for (int i = 0; i < 60 && !HasFailure(); ++i) {
      const auto object = kind.make();
      random.fill(kind.table(), object.get(), i % 2 == 0 ? 0.3 : 0.8);
      const auto json = api::codec::write_json(expected(kind), kind.table(), object.get());
      SCOPED_TRACE(json);
      const auto protobuf = api::codec::seal_envelope(
          expected(kind), api::codec::write_protobuf(kind.table(), object.get()));
      const auto answer = go_->exchange(i % 3 == 0 ? json : protobuf);
      ASSERT_TRUE(answer) << answer.error().text();
      expect_json_reads_as(kind, answer->at(0), object.get());
      expect_protobuf_reads_as(kind, answer->at(1), object.get());
    }
  }
}

}  // namespace
}  // namespace berth::tests
