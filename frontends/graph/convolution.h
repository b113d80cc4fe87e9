#ifndef TENON_FRONTENDS_GRAPH_CONVOLUTION_H_
#define TENON_FRONTENDS_GRAPH_CONVOLUTION_H_

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "frontends/graph/contraction.h"
#include "frontends/graph/operator_code.h"
#include "frontends/graph/window.h"

namespace tenon::graph {

/// A sum of products for each place of the output, over any number of axes.
struct Convolution {
  int64_t batches = 1;
  int64_t groups = 1;
  /// Channels of the output, and channels of the input in one group.
  int64_t channels = 1;
  int64_t depth = 1;
  /// The output's extents along the window's axes.
  std::vector<int64_t> extents;
  /// Whether channels are the last axis, or the second one. Sums follow the order of the input's
  /// elements.
  bool channels_last = false;

  /// Statements for each place of the kernel at an output's place.
  std::function<void(std::span<const Value> output, const WindowBody& body)> for_each_place;
  /// A new sum.
  std::function<Array()> new_sum;
  /// The elements of the input and of the weights. `ci` counts the channels of a group.
  std::function<Value(Value batch, Value channel, const std::vector<Value>& at)> input;
  std::function<Value(Value channel, Value ci, const std::vector<Value>& kernel)> weight;
  std::function<void(const Array& sum, Value x, Value weight, Value channel)> add_product;
  std::function<Value(const Array& sum, Value batch, Value channel)> result;
};

/// The indices of an element of an image.
std::vector<Value> ImagePlace(bool channels_last, Value batch, Value channel,
                              std::span<const Value> at);

/// A convolution of [batch, height, width, channels], whose channels and weights the caller sets.
/// The window and the contraction must outlive it.
Convolution ConvolutionOf(OperatorCode& code, const Window& window, Contraction& contraction);

/// Writes output 0.
void WriteConvolution(OperatorCode& code, const Convolution& convolution);

}  // namespace tenon::graph

#endif  // TENON_FRONTENDS_GRAPH_CONVOLUTION_H_
