#ifndef TENON_BYOC_GENERATORS_CAN_MAKE_LOOPS_H_
#define TENON_BYOC_GENERATORS_CAN_MAKE_LOOPS_H_

#include "byoc/code_generator.h"
#include "byoc/op_info.h"
#include "schedule/op_loops.h"

namespace tenon {

/// Whether a claim contains everything that loops need (WhyNoLoops); otherwise the reason, for the
/// report.
inline Support CanMakeLoops(const OpInfo& op) {
  if (!op.known()) return Support::No("nothing is proven about it");
  std::string because = WhyNoLoops(op.computation);
  return because.empty() ? Support::Yes() : Support::No(std::move(because));
}

}  // namespace tenon

#endif  // TENON_BYOC_GENERATORS_CAN_MAKE_LOOPS_H_
