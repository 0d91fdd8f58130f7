// Telling work that nobody wants its result any more.
//
//   CancelSource source(parent_token);   // cancelled with its parent, or by itself
//   co_await work(source.token());
//   source.cancel();                     // wakes every wait below it with Wake::kCancelled
//
// Cancelling is a request: the work wakes up, cleans up and returns. It happens once and for good,
// and nobody's code runs within cancel(): it only makes the waiting ready, unless a hook of another
// kind does more.
#pragma once

#include <boost/intrusive/list.hpp>

namespace berth::rt {

class CancelSource;

// What wants to know. Unlinks itself when destroyed.
class CancelHook : public boost::intrusive::list_base_hook<
                       boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
 public:
  CancelHook() = default;
  CancelHook(const CancelHook&) = delete;
  CancelHook& operator=(const CancelHook&) = delete;
  virtual ~CancelHook() = default;

 private:
  friend class CancelSource;
  // Called once, unlinked already. May destroy the source.
  virtual void cancelled() = 0;
};

// What is passed down. Its source outlives it. A default token is never cancelled.
class CancelToken {
 public:
  CancelToken() = default;

  bool is_cancelled() const;
  // The hook hears of a cancellation that is still to come.
  void add(CancelHook& hook) const;

 private:
  friend class CancelSource;
  explicit CancelToken(CancelSource* source) : source_(source) {}

  CancelSource* source_ = nullptr;
};

class CancelSource : private CancelHook {
 public:
  CancelSource() = default;
  explicit CancelSource(CancelToken parent);
  CancelSource(const CancelSource&) = delete;
  CancelSource& operator=(const CancelSource&) = delete;
  ~CancelSource() override;

  void cancel();
  bool is_cancelled() const { return is_cancelled_; }
  CancelToken token() { return CancelToken(this); }

 private:
  friend class CancelToken;
  void cancelled() override { cancel(); }

  using Hooks = boost::intrusive::list<CancelHook, boost::intrusive::constant_time_size<false>>;

  bool is_cancelled_ = false;
  Hooks hooks_;
};

}  // namespace berth::rt
