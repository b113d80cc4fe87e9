#ifndef TENON_PASSES_FUSION_SINK_CONSUMER_H_
#define TENON_PASSES_FUSION_SINK_CONSUMER_H_

#include "passes/fusion/nest.h"
#include "passes/fusion/region.h"

namespace tenon {

/// Moves a nest's computation to the store of each element that it reads, and removes the nest and
/// the buffer. The nest may visit the elements in any order:
///
///   for c, i in T.grid(4, 8):                      for c, i in T.grid(4, 8):
///       t[c * 8 + i] = x[c * 8 + i] + w[c]   ->        y[i * 4 + c] =
///   for i, c in T.grid(8, 4):                              T.max(x[c * 8 + i] + w[c], 0)
///       y[i * 4 + c] = T.max(t[c * 8 + i], 0)
///
/// It requires that the nest alone reads the buffer, each element once, and that nothing in between
/// accesses the nest's result. The allocations of the region must not take more bytes at their
/// peak. `around` are the loops around the region. True if the region changed.
bool SinkConsumer(const FusionTools& tools, StmtRegion& region, const Allocate& allocate,
                  Span<const For*> around, const FunctionStorage& storage);

}  // namespace tenon

#endif  // TENON_PASSES_FUSION_SINK_CONSUMER_H_
