// One attempt to fulfil one order: look, bind, and say what came of it.
//
// It may end at any moment, also with its process, and another one takes up from what the cluster
// shows. So it writes two things only, in this order, each guarded: the binding, under the uid of
// the pod, and the status of the order, under its uid and version.
//
//  - What the cache refuses is asked again of the server: it may only be late.
//  - A write whose fate is unknown is looked up before anything is repeated.
//  - That a pod failed is final for who gave the order, and the pod may be placed elsewhere then.
//    So it is not said while a binding that was sent may still be applied.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "api/objects/bind_request.h"
#include "api/objects/node.h"
#include "api/objects/pod.h"
#include "base/error.h"
#include "base/result.h"
#include "binder/landings.h"
#include "binder/order.h"
#include "binder/outcome.h"
#include "kube/cache.h"
#include "kube/client.h"
#include "rt/cancel.h"
#include "rt/runtime.h"
#include "rt/task.h"
#include "rt/time.h"
#include "rt/wait_queue.h"

namespace berth::binder {

struct AttemptOptions {
  rt::Duration request_max = std::chrono::seconds(30);
  // A write that was sent is applied within this time or never: a server ends requests after a
  // minute, and what it has sent to its store by then is not long on its way. Clocks may be a tenth
  // too fast.
  rt::Duration landing_max = std::chrono::seconds(90);
  // A pod that looks fine and that the server refuses to bind is asked for again for so long.
  rt::Duration refusal_max = std::chrono::seconds(5);
  // A binding that brings nothing but trouble is tried for so long; that the pod or the order
  // cannot even be read does not count.
  rt::Duration trouble_max = std::chrono::minutes(2);
  // Nobody is left alone for longer because a server asked for it.
  rt::Duration patience_max = std::chrono::minutes(1);
};

// What is remembered of an order from one attempt to the next, while it is open.
struct Memory {
  std::string uid;   // of the order
  rt::Time since{};  // the first attempt
  // A binding was sent and nobody knows what became of it, or what the cache shows is doubted.
  bool must_look = false;
  // The same of a status: what it says.
  bool must_read_order = false;
  std::optional<Outcome> perhaps_said;
  // Where the pod is bound; its status does not say so yet.
  std::optional<std::string> bound_to;
  // Since when the server refuses a pod that looks fine, and since when there is trouble of any
  // kind.
  std::optional<rt::Time> refused_since;
  std::optional<rt::Time> troubled_since;
  // There was too much of it: why the order is to fail as soon as that may be said; and whether a
  // last binding was sent nevertheless.
  std::optional<std::string> given_up;
  bool has_tried_last = false;
  // The version that our last status gave the order, or that it had when we began to lead, and
  // when that was. What is older is not acted on.
  std::string written;
  rt::Time written_at{};
  // The order allows another attempt from then on.
  rt::Time not_before = rt::Time::min();
};

// What is to become of an order after an attempt.
struct Next {
  enum class What : std::uint8_t {
    kDone,   // its status says what came of it, or it is gone
    kRetry,  // something failed that may work soon
    kLater,  // there is something to wait for
  };

  What what = What::kDone;
  rt::Duration delay{};            // of kLater
  std::optional<Error> trouble{};  // why it is not done
};

class Attempt {
 public:
  // Where it takes place; all of it outlives the attempt.
  struct Place {
    rt::Runtime& runtime;
    kube::Client& client;
    const kube::Cache<api::Pod>& pods;
    const kube::Cache<api::Node>& nodes;
    const kube::Cache<api::BindRequest>& orders;
    Landings& landings;
    AttemptOptions options;
  };

  // `give_up` ends its requests.
  Attempt(const Place& place,
          std::shared_ptr<const api::BindRequest> order,
          std::shared_ptr<Memory> memory,
          rt::CancelToken give_up)
      : place_(place), order_(std::move(order)), memory_(std::move(memory)), give_up_(give_up) {}

  rt::Task<Next> run();
  // What the status says now, if this attempt wrote it.
  const std::optional<Outcome>& said() const { return said_; }

 private:
  // The pod as far as it matters: what is to be done with it, and which one it is.
  struct Seen {
    Judgement judgement;
    std::string uid;
  };

  Seen seen(const api::Pod* pod) const;
  // Reads the order anew; false when there is nothing to be done about it any more.
  rt::Task<Result<bool>> read_order();
  rt::Task<Result<Seen>> look();
  rt::Task<Next> act_on(Seen seen);
  rt::Task<Next> bind(std::string pod_uid);
  // What the server's answer to the binding means.
  rt::Task<Next> take(Error refusal);
  // A refusal that may be another one next time; after `max` it is taken for what it is.
  rt::Task<Next> doubt(Error refusal, std::optional<rt::Time>* since, rt::Duration max);
  // Something could not be read: how long there was trouble before says nothing any more.
  Next unreadable(Error trouble);
  // Says so when the pod, looked at once more, is not bound and no binding is under way. Where it
  // was only trouble that had us give up, and the pod can be bound, that is tried once more.
  rt::Task<Next> fail(std::string reason);
  rt::Task<Next> say_bound(std::string node);
  rt::Task<Next> say(Outcome outcome);
  // The status says what came of it, as of this version.
  void note_said(const std::string& version, bool is_bound);
  rt::Task<Result<bool>> node_exists();
  std::string binding_body(const std::string& pod_uid) const;
  std::string failure(const Error& error) const;
  rt::Until soon() const;
  // It was not taken back meanwhile.
  bool still_stands() const;
  Next again(Error trouble) const;

  const Place& place_;
  std::shared_ptr<const api::BindRequest> order_;
  std::shared_ptr<Memory> memory_;
  rt::CancelToken give_up_;
  std::optional<Outcome> said_;
};

}  // namespace berth::binder
