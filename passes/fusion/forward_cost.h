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

/// True if the nest only brings elements of another buffer into another order, as a transposition
/// does. A copy in the same order is not one.
bool IsMove(const FusionTools& tools, const Producer& producer);

/// True if the values come from another buffer of the region, which is not smaller, and readers
/// take each of them so often that the time for storing them once more does not count.
bool IsReadOften(const ForwardCase& candidate);

}  // namespace tenon

#endif  // TENON_PASSES_FUSION_FORWARD_COST_H_
