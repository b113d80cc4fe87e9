#ifndef TENON_FRONTENDS_GRAPH_POOL_H_
#define TENON_FRONTENDS_GRAPH_POOL_H_

#include "absl/status/statusor.h"
#include "frontends/graph/operator_code.h"
#include "frontends/graph/quantized.h"
#include "frontends/graph/window.h"

namespace tenon::graph {

/// What pools over [batch, height, width, channels] have in common.
struct Pool {
  Window window;
  bool is_float = false;
  /// What the activation leaves of the output's integers; not used for floats.
  Interval interval;
};

/// Checks shapes and types of a pool of input 0, and reads its attributes: those of Window,
/// `filter_h`, `filter_w` and the activation.
absl::StatusOr<Pool> PoolOf(OperatorCode& code);

}  // namespace tenon::graph

#endif  // TENON_FRONTENDS_GRAPH_POOL_H_
