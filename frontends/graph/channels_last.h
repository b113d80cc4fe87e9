#ifndef TENON_FRONTENDS_GRAPH_CHANNELS_LAST_H_
#define TENON_FRONTENDS_GRAPH_CHANNELS_LAST_H_

#include <cstddef>
#include <set>

#include "frontends/graph/graph.h"

namespace tenon::graph {

struct LayoutOptions {
  /// Convolutions and the operators around them get channels as the last axis in memory.
  bool channels_last = false;
  /// The inputs and outputs of the graph, by their places, whose callers have channels last. They
  /// have 3 or more dimensions.
  std::set<size_t> inputs = {};
  std::set<size_t> outputs = {};
};

/// Whether a graph of ONNX has convolutions.
bool HasConvolutions(const Graph& graph);
/// Whether it has convolutions of integers of 8 bits, whose sums do not depend on their order.
bool HasByteConvolutions(const Graph& graph);

/// The graph, which computes the same, with another order of axes in memory. It is a graph of ONNX
/// with known shapes.
///
/// With `channels_last`, a convolution reads and writes [n, h, w, c], and the operators after it
/// keep the order of their input if they can: axes in their attributes change. A Transpose moves
/// nothing if the operators after it follow. Constants are transposed here. Transposes stay where
/// an operator needs another order, such as reshapes that join channels with other axes, and at
/// inputs and outputs. A reshape to rows needs none if products with constant weights read the
/// rows: the weights change.
///
/// Integers stay the same. Floats are added in the order of memory, so that sums may differ in
/// their last bits.
Graph SetLayout(const Graph& graph, const LayoutOptions& options);

}  // namespace tenon::graph

#endif  // TENON_FRONTENDS_GRAPH_CHANNELS_LAST_H_
