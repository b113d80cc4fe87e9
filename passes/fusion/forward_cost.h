#ifndef TENON_PASSES_FUSION_FORWARD_COST_H_
#define TENON_PASSES_FUSION_FORWARD_COST_H_

#include <vector>

#include "passes/fusion/producer.h"
#include "passes/fusion/region.h"

namespace tenon {

/// A buffer of a region, the statement that produces it, and those that read it.
struct ForwardCase {
  const StmtRegion& region;
  const Producer& producer;
  size_t index = 0;  ///< of the producer
  std::vector<size_t> readers;
};

/// True if computing the values where they are read is worth it: they cost little or are read once,
/// and their sources need not be kept in a larger buffer for it.
bool IsWorthForwarding(const ForwardCase& candidate, const FunctionStorage& storage);

}  // namespace tenon

#endif  // TENON_PASSES_FUSION_FORWARD_COST_H_
