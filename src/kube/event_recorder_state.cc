#include "kube/event_recorder_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "api/objects/references.h"
#include "base/assert.h"
#include "base/error.h"
#include "base/hash_map.h"
#include "base/utf8.h"
#include "kube/token_bucket.h"
#include "rt/time.h"

namespace berth::kube {
namespace {

// Of events.k8s.io.
constexpr std::size_t kNoteBytesMax = 1024;
// A name has 253 at most, of which ours takes 17 at the end.
constexpr std::size_t kNamePrefixBytesMax = 230;

std::string join(std::initializer_list<std::string_view> parts) {
  std::string text;
  for (const std::string_view part : parts) {
    text += part;
    text += '\0';
  }
  return text;
}

std::string text_of(const api::ObjectReference& object) {
  return join(
      {object.api_version, object.kind, object.ns, object.name, object.uid, object.field_path});
}

std::string text_of(const RecordedEvent& event) {
  return text_of(event.regarding) + join({event.type, event.reason, event.action, event.note});
}

// The same would be answered again.
bool is_hopeless(ErrorCode code) {
  return code == ErrorCode::kInvalid || code == ErrorCode::kForbidden ||
         code == ErrorCode::kNotFound || code == ErrorCode::kLimit;
}

}  // namespace

EventRecorderState::EventRecorderState(EventRecorderOptions options, rt::Time now)
    : options_(options), overall_(options.overall, now) {}

EventRecorderState::Action EventRecorderState::step(const Input& input, rt::Time now) {
  return std::visit([&](const auto& what) { return on(what, now); }, input);
}

EventRecorderState::Action EventRecorderState::on(const Recorded& recorded, rt::Time now) {
  ++counts_.recorded;
  forget_old(now);
  std::string text = text_of(recorded.event);
  const auto found = by_text_.find(text);
  return found != by_text_.end() ? repeat(found->second, recorded, now)
                                 : begin(std::move(text), recorded, now);
}

EventRecorderState::Action EventRecorderState::repeat(SeriesList::iterator series,
                                                      const Recorded& recorded,
                                                      rt::Time now) {
  ++series->count;
  series->last = recorded.wall;
  series->observed_at = now;
  series_.splice(series_.end(), series_, series);
  if (series->is_queued) {
    return Wait{};
  }
  if (!afford(series->event.regarding, now)) {
    ++counts_.over_budget;
    return Wait{};
  }
  return enqueue(series) ? Action(Wake{}) : Action(Wait{});
}

EventRecorderState::Action EventRecorderState::begin(std::string text,
                                                     const Recorded& recorded,
                                                     rt::Time now) {
  if (series_.size() >= options_.series_max || !afford(recorded.event.regarding, now)) {
    ++counts_.over_budget;
    return Wait{};
  }
  Series series{.text = std::move(text),
                .event = recorded.event,
                .name = recorded.event.regarding.name,
                .first = recorded.wall,
                .last = recorded.wall,
                .observed_at = now,
                .count = 1};
  series.event.note.resize(cut_utf8(series.event.note, kNoteBytesMax).size());
  series.name.resize(cut_utf8(series.name, kNamePrefixBytesMax).size());
  // A part of a name ends in a letter or a digit.
  series.name.resize(series.name.find_last_not_of("-.") + 1);
  series.name += fmt::format(".{:016x}", recorded.nonce);
  const auto added = series_.insert(series_.end(), std::move(series));
  if (!enqueue(added)) {
    series_.erase(added);
    return Wait{};
  }
  by_text_.emplace(added->text, added);
  return Wake{};
}

bool EventRecorderState::afford(const api::ObjectReference& object, rt::Time now) {
  std::string text = text_of(object);
  if (const auto found = buckets_.find(text); found != buckets_.end()) {
    return found->second.take(now);
  }
  if (buckets_.size() >= options_.series_max) {
    // A full one says no more than one that is not there.
    boost::unordered::erase_if(buckets_,
                               [&](const auto& item) { return item.second.is_full(now); });
    if (buckets_.size() >= options_.series_max) {
      return false;
    }
  }
  TokenBucket bucket(options_.per_object, now);
  bucket.take(now);
  buckets_.emplace(std::move(text), bucket);
  return true;
}

bool EventRecorderState::enqueue(SeriesList::iterator series) {
  if (queue_.size() >= options_.queue_max) {
    ++counts_.queue_full;
    return false;
  }
  series->is_queued = true;
  series->attempts = 0;
  queue_.push_back(series);
  return true;
}

void EventRecorderState::dequeue() {
  queue_.front()->is_queued = false;
  queue_.pop_front();
}

void EventRecorderState::forget_old(rt::Time now) {
  // The silent ones stand in front; those in the queue are still needed.
  for (auto series = series_.begin(); series != series_.end();) {
    const bool is_over = now - series->observed_at >= options_.series_quiet_max;
    if (!is_over && series_.size() < options_.series_max) {
      return;
    }
    if (series->is_queued) {
      ++series;
      continue;
    }
    by_text_.erase(series->text);
    series = series_.erase(series);
  }
}

EventRecorderState::Action EventRecorderState::on(const Ready& /*ready*/, rt::Time now) {
  if (queue_.empty()) {
    return Wait{};
  }
  if (now < not_before_) {
    return Sleep{not_before_};
  }
  if (!overall_.take(now)) {
    return Sleep{overall_.next(now)};
  }
  const Series& series = *queue_.front();
  sending_ = series.count;
  return Send{.event = series.event,
              .name = series.name,
              .uid = series.uid,
              .is_create = series.sent == 0,
              .count = series.count,
              .first = series.first,
              .last = series.last};
}

EventRecorderState::Action EventRecorderState::on(const Sent& sent, rt::Time now) {
  BERTH_ASSERT(!queue_.empty(), "what was sent stays in the queue until it is answered");
  queue_.front()->uid = sent.uid;
  return told(sending_, now);
}

EventRecorderState::Action EventRecorderState::told(std::uint32_t count, rt::Time now) {
  const auto series = queue_.front();
  ++(series->sent == 0 ? counts_.created : counts_.patched);
  series->sent = count;
  dequeue();
  // Repeated while it was sent.
  if (series->count > series->sent && afford(series->event.regarding, now)) {
    enqueue(series);
  }
  return on(Ready{}, now);
}

EventRecorderState::Action EventRecorderState::on(const Failed& failed, rt::Time now) {
  BERTH_ASSERT(!queue_.empty(), "what was sent stays in the queue until it is answered");
  const auto series = queue_.front();
  if (series->sent == 0 && failed.code == ErrorCode::kExists) {
    // Created by an earlier attempt, whose answer was lost. It may have been told of fewer, so the
    // count is patched, unless there is but one.
    return told(1, now);
  }
  const bool has_expired = series->sent != 0 && failed.code == ErrorCode::kNotFound;
  if (has_expired) {
    // Servers keep events for an hour. The series goes on in a new object.
    series->sent = 0;
    series->uid.clear();
  }
  ++series->attempts;
  if ((is_hopeless(failed.code) && !has_expired) || series->attempts >= options_.attempts_max) {
    ++counts_.failed;
    dequeue();
  } else if (!has_expired) {
    not_before_ = rt::after(now, std::max(options_.retry_delay, failed.retry_after));
  }
  return on(Ready{}, now);
}

}  // namespace berth::kube
