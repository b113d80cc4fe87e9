#ifndef TENON_FRONTENDS_GRAPH_CONTRACTION_H_
#define TENON_FRONTENDS_GRAPH_CONTRACTION_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "frontends/graph/hybrid.h"
#include "frontends/graph/operator_code.h"
#include "frontends/graph/quantized.h"

namespace tenon::graph {

/// The roles of an operator's inputs.
struct ContractionInputs {
  size_t input = 0;
  size_t weights = 1;
  size_t bias = 2;
};

/// The common part of convolutions and fully connected layers. They sum products of an input and
/// weights, may add a bias, and convert the sum to the output's integers. Operators with a float
/// input and int8 weights are hybrid: the input becomes integers row by row at run time.
class Contraction {
 public:
  /// `channel_axis` is the axis of the weights for the output's channels, and `channels` its
  /// extent. Checks dtypes, scales and the bias.
  static absl::StatusOr<Contraction> Make(OperatorCode& code, ContractionInputs inputs,
                                          int64_t channel_axis, int64_t channels);

  /// The input with another shape of the same number of elements. The input's first axis has the
  /// rows, which a hybrid operator quantises first.
  Array Input(const std::vector<int64_t>& shape);
  /// A new sum with its start value.
  Array NewSum() const;
  /// Adds a product: `x` and `weight` are elements of the input and of the weights.
  void AddProduct(const Array& sum, Value x, Value weight) const;
  /// The element of the output; `row` is the index of the input's first axis.
  Value Result(const Array& sum, Value row, Value channel) const;

  /// The weights with the axes in another order; `order[i]` is the old axis of the new axis i. So
  /// weights of neighbouring channels are adjacent, if loops over channels become lanes.
  Array WeightsInOrder(const std::vector<size_t>& order) const;
  /// The same for weights that first get another shape of the same number of elements.
  Array WeightsInOrder(const std::vector<int64_t>& seen, const std::vector<size_t>& order) const;

 private:
  Contraction(OperatorCode& code, ContractionInputs inputs) : code_(&code), inputs_(inputs) {}
  const Tensor& x() const { return code_->input(inputs_.input); }
  const Tensor& weights() const { return code_->input(inputs_.weights); }
  bool HasBias() const { return code_->HasInput(inputs_.bias); }
  bool IsHybrid() const;
  /// The dtype that the kernels read the weights as. Old files of hybrid operators call int8 uint8.
  DataType WeightType() const;
  absl::Status MakeHybrid(int64_t channel_axis, int64_t channels);
  absl::Status CheckQuantized(int64_t channel_axis, int64_t channels);
  absl::Status CheckScales(int64_t channel_axis, int64_t channels) const;
  Value HybridResult(Value total, Value row, Value channel) const;
  /// For each scale, an upper bound for the sums of its channels.
  std::vector<int64_t> MostOf(int64_t channel_axis, int64_t channels, size_t scales) const;
  /// The same with room for other weights, if they may be replaced: one bound for all channels.
  std::vector<int64_t> MostOfAny(std::vector<int64_t> most) const;

  OperatorCode* code_;
  ContractionInputs inputs_;
  bool is_quantized_ = false;
  DataType sum_dtype_;
  Array bias_;
  std::optional<Requantizer> requantizer_;
  /// The input's zero point.
  std::optional<ScaleIntegers> zero_point_;
  // Set only for hybrid operators.
  std::optional<RowRange> rows_;
  bool channel_first_ = false;
  Array channel_scales_;
  Array row_scales_;
};

}  // namespace tenon::graph

#endif  // TENON_FRONTENDS_GRAPH_CONTRACTION_H_
