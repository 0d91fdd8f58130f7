#include "app/demo/demo.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>

#include "api/kind.h"
#include "api/objects/bind_request.h"
#include "api/objects/node.h"
#include "api/objects/pod.h"
#include "app/demo/figures.h"
#include "base/assert.h"
#include "base/hash_map.h"
#include "binder/binder.h"
#include "binder/outcome.h"
#include "kube/informer.h"
#include "kube/object_key.h"
#include "rt/reactor.h"
#include "rt/real/real_runtime.h"
#include "rt/real/signals.h"
#include "rt/scope.h"
#include "rt/sleep.h"
#include "rt/task.h"
#include "rt/time.h"
#include "world/direct_client.h"
#include "world/store.h"

namespace berth::app {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::string_view kNamespace = "default";
// One pod in so many is ordered onto a node that is not there, as happens when nodes leave.
constexpr std::size_t kLostNodeEvery = 100;
constexpr std::string_view kLostNode = "node-gone";

class Demo {
 public:
  Demo(const DemoOptions& options, std::ostream& out)
      : options_(options),
        out_(out),
        runtime_(1),
        store_(
            {.clock = [this] { return runtime_.wall_now(); }, .random = runtime_.random().fork()}),
        client_(store_, runtime_),
        informers_(runtime_, client_, {}),
        binder_(runtime_,
                client_,
                informers_,
                {.on_said = [this](const api::BindRequest& order,
                                   const binder::Outcome& outcome,
                                   rt::Duration /*took*/) { note(order, outcome); },
                 .on_trouble = {}}),
        signals_(runtime_, {SIGINT, SIGTERM}),
        scope_(runtime_, "demo") {
    figures_.wanted = options.pods;
    binder_.pods().on_change([this](const auto& event) { play_kubelet(event); });
  }

  void run() {
    out_ << fmt::format(
        "berth demo: an embedded API server, {} nodes, {} pods{}; Ctrl-C ends it\n\n",
        options_.nodes,
        options_.pods,
        options_.rate == 0 ? "" : fmt::format(", {} a second", options_.rate));
    if (options_.rows == 0) {
      out_ << demo_heading();
    }
    out_.flush();
    make_nodes();
    scope_.spawn("informers", informers_.run(scope_.token()));
    scope_.spawn("binder", bind());
    scope_.spawn("arrivals", arrive());
    scope_.spawn("screen", show());
    scope_.spawn("signals", wait_for_signal());
    runtime_.run();
    // Whatever is left is given up; a store in memory is nobody's loss.
    figures_.elapsed = runtime_.now() - started_;
    draw();
    out_ << "\n" << demo_summary(figures_);
    if (is_cut_short_) {
      out_ << "ended early, by a signal\n";
    }
    out_.flush();
  }

 private:
  void make_nodes() {
    for (std::size_t i = 0; i < options_.nodes; ++i) {
      create(api::Node::kKind, fmt::format(R"({{"metadata":{{"name":"{}"}}}})", node_name(i)));
      figures_.by_node[node_name(i)] = 0;
    }
  }

  std::string node_name(std::size_t index) const {
    return fmt::format(
        "node-{:0{}}", index + 1, std::max<std::size_t>(2, std::to_string(options_.nodes).size()));
  }

  void create(const api::Kind& kind, std::string body) {
    const bool is_namespaced = kind.scope == api::Scope::kNamespaced;
    const auto made = store_.create({.kind = &kind,
                                     .key = {.ns = is_namespaced ? std::string(kNamespace) : ""},
                                     .body = std::move(body)});
    BERTH_ASSERT(made.has_value(), "what the demonstration makes is valid");
  }

  // The scheduler's part: a pod, and the order that says where it goes.
  rt::Task<void> arrive() {
    const rt::Wake wake = co_await informers_.wait_until_synced({.token = scope_.token()});
    if (wake != rt::Wake::kNotified) {
      co_return;
    }
    started_ = runtime_.now();
    for (std::size_t i = 0; i < options_.pods; ++i) {
      const std::string name = fmt::format("pod-{}", i + 1);
      const bool is_lost = (i + 1) % kLostNodeEvery == 0;
      create(api::Pod::kKind,
             fmt::format(R"({{"metadata":{{"name":"{}"}},)"
                         R"("spec":{{"containers":[{{"name":"main","image":"demo"}}]}}}})",
                         name));
      create(api::BindRequest::kKind,
             fmt::format(R"({{"metadata":{{"name":"{0}"}},)"
                         R"("spec":{{"podName":"{0}","selectedNode":"{1}"}}}})",
                         name,
                         is_lost ? std::string(kLostNode) : node_name(i % options_.nodes)));
      ordered_[name] = runtime_.now();
      ++figures_.pods;
      co_await pause_after(i + 1);
    }
  }

  rt::Task<void> pause_after(std::size_t arrived) {
    if (options_.rate == 0) {
      co_await rt::Yield(runtime_);
      co_return;
    }
    const rt::Time due = started_ + rt::Duration(seconds(1)) * static_cast<std::int64_t>(arrived) /
                                        static_cast<std::int64_t>(options_.rate);
    co_await rt::sleep_until(runtime_, due, scope_.token());
  }

  rt::Task<void> bind() {
    const rt::Wake wake = co_await informers_.wait_until_synced({.token = scope_.token()});
    if (wake == rt::Wake::kNotified) {
      co_await binder_.run(binder::Predecessor::kNone, scope_.token(), scope_.token());
    }
  }

  void note(const api::BindRequest& order, const binder::Outcome& outcome) {
    if (outcome.is_bound) {
      ++figures_.bound;
      ++figures_.by_node[order.spec.selected_node];
    } else {
      ++figures_.failed[outcome.reason];
    }
    figures_.latencies.push_back(runtime_.now() - ordered_[order.metadata.name]);
    end_when_done();
  }

  void play_kubelet(const kube::InformerEvent<api::Pod>& event) {
    if (event.after && !event.after->spec.node_name.empty() &&
        event.after->status.phase == "Pending") {
      scope_.spawn("kubelet",
                   start_pod(kube::ObjectKey{.ns = event.after->metadata.ns,
                                             .name = event.after->metadata.name}));
    }
  }

  rt::Task<void> start_pod(kube::ObjectKey key) {
    const rt::Duration start = runtime_.random().between(milliseconds(50), milliseconds(300));
    co_await rt::sleep_for(runtime_, start, scope_.token());
    const auto patched = store_.patch({.kind = &api::Pod::kKind,
                                       .key = std::move(key),
                                       .subresource = "status",
                                       .body = R"({"status":{"phase":"Running"}})"});
    BERTH_ASSERT(patched.has_value(), "nobody removes a pod of the demonstration");
    ++figures_.running;
    end_when_done();
  }

  void end_when_done() {
    if (figures_.bound + figures_.failures() == options_.pods &&
        figures_.running == figures_.bound) {
      runtime_.stop();
    }
  }

  rt::Task<void> show() {
    std::size_t before = 0;
    while (true) {
      const rt::Wake wake = co_await rt::sleep_for(runtime_, seconds(1), scope_.token());
      if (wake == rt::Wake::kCancelled) {
        co_return;
      }
      figures_.bound_last_second = figures_.bound - std::exchange(before, figures_.bound);
      figures_.elapsed = runtime_.now() - started_;
      draw();
    }
  }

  void draw() {
    figures_.in_work = binder_.in_work();
    if (options_.rows == 0) {
      out_ << demo_line(figures_) << std::flush;
      return;
    }
    if (lines_drawn_ > 0) {
      out_ << fmt::format("\x1b[{}A\x1b[J", lines_drawn_);
    }
    const std::string screen = demo_screen(figures_, options_.rows - 2);
    lines_drawn_ = static_cast<std::size_t>(std::ranges::count(screen, '\n'));
    out_ << screen << std::flush;
  }

  rt::Task<void> wait_for_signal() {
    const int number = co_await signals_.next({.token = scope_.token()});
    if (number != 0) {
      is_cut_short_ = true;
      runtime_.stop();
    }
  }

  DemoOptions options_;
  std::ostream& out_;
  rt::RealRuntime runtime_;
  world::Store store_;
  world::DirectClient client_;
  kube::Informers informers_;
  binder::Binder binder_;
  DemoFigures figures_;
  HashMap<std::string, rt::Time> ordered_;
  rt::Time started_{};
  std::size_t lines_drawn_ = 0;
  bool is_cut_short_ = false;
  rt::Signals signals_;
  rt::Scope scope_;  // last: what runs in it uses all of the above
};

}  // namespace

void run_demo(const DemoOptions& options, std::ostream& out) {
  Demo(options, out).run();
}

}  // namespace berth::app
