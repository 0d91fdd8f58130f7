#include "api/objects/lease.h"

#include "api/table.h"

namespace berth::api {

const Table& LeaseSpec::table() {
  using S = LeaseSpec;
  static const Table table{
      field("holderIdentity", 1, &S::holder_identity),
      field("leaseDurationSeconds", 2, &S::lease_duration_seconds),
      field("acquireTime", 3, &S::acquire_time),
      field("renewTime", 4, &S::renew_time),
      field("leaseTransitions", 5, &S::lease_transitions),
      field("strategy", 6, &S::strategy),
      field("preferredHolder", 7, &S::preferred_holder),
  };
  return table;
}

const Table& Lease::table() {
  using S = Lease;
  static const Table table{
      field("metadata", 1, &S::metadata),
      field("spec", 2, &S::spec),
  };
  return table;
}

}  // namespace berth::api
