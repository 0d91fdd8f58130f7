// How a volume or claim was changed, in the form in which rows record it.
#pragma once

#include <boost/json.hpp>

namespace berth::vector_check {

// `claimRef` whole, `annotations` by changed key, null where removed; empty when nothing changed. A
// change anywhere else, which no row records, is listed by its path, so that it is seen.
boost::json::object changes_between(const boost::json::object& before,
                                    const boost::json::object& after);

}  // namespace berth::vector_check
