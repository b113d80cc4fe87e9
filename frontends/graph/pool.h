#ifndef TENON_FRONTENDS_GRAPH_POOL_H_
#define TENON_FRONTENDS_GRAPH_POOL_H_

#include "absl/status/statusor.h"
#include "frontends/graph/operator_code.h"
#include "frontends/graph/quantized.h"
#include "frontends/graph/window.h"

namespace tenon::graph {

/// The common part of pools over [batch, height, width, channels].
struct Pool {
  Window window;
  bool is_float = false;
  /// The integers that the activation allows for the output; unused for floats.
  Interval interval;
};

/// Checks shapes and types of a pool of input 0, and reads its attributes: those of Window,
/// `filter_h`, `filter_w` and the activation.
absl::StatusOr<Pool> PoolOf(OperatorCode& code);

}  // namespace tenon::graph

#endif  // TENON_FRONTENDS_GRAPH_POOL_H_
