#include "rt/cancel.h"

namespace berth::rt {

bool CancelToken::is_cancelled() const {
  return source_ != nullptr && source_->is_cancelled();
}

void CancelToken::add(CancelHook& hook) const {
  if (source_ != nullptr && !source_->is_cancelled()) {
    source_->hooks_.push_back(hook);
  }
}

CancelSource::CancelSource(CancelToken parent) : is_cancelled_(parent.is_cancelled()) {
  parent.add(*this);
}

CancelSource::~CancelSource() {
  // Whoever still waits does so for something else too; it is no longer told from here.
  hooks_.clear();
}

void CancelSource::cancel() {
  is_cancelled_ = true;
  // A hook may unlink others while it runs, or destroy this source; from here on only the list is
  // touched. None is added: the source is cancelled already.
  Hooks hooks;
  hooks.swap(hooks_);
  while (!hooks.empty()) {
    CancelHook& hook = hooks.front();
    hooks.pop_front();
    hook.cancelled();
  }
}

}  // namespace berth::rt
