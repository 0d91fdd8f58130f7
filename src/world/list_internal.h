// Lists of one state, in pages.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "kube/client.h"
#include "world/ledger_internal.h"
#include "world/selector_internal.h"

namespace berth::world {

// kGone if the state is no longer kept, kInvalid for a token that is not ours.
Result<kube::ListPage> list_objects(const Ledger& ledger,
                                    const kube::ListRequest& request,
                                    const Selector& selector,
                                    std::uint64_t at);

}  // namespace berth::world
