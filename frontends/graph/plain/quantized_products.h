#ifndef TENON_FRONTENDS_GRAPH_PLAIN_QUANTIZED_PRODUCTS_H_
#define TENON_FRONTENDS_GRAPH_PLAIN_QUANTIZED_PRODUCTS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "frontends/graph/plain/quantized_result.h"

namespace tenon::graph::plain {

/// Sums of products of quantised inputs 0 and 1, with a bias in input 2 if there is one. A bias of
/// int32 counts in steps of both scales' product. A constant bias of float32 is added to the
/// real sum.
class QuantizedProducts {
 public:
  /// Input 1 may have a scale for each index of `channel_axis`, which has `channels`. A sum has
  /// `depth` products.
  static absl::StatusOr<QuantizedProducts> Make(OperatorCode& code, size_t channel_axis,
                                                int64_t channels, int64_t depth);

  Array NewSum() const;
  void Add(const Array& sum, Value x, Value weight, Value channel) const;
  /// The element of the output.
  Value Result(const Array& sum, Value channel) const;

 private:
  explicit QuantizedProducts(OperatorCode& code) : code_(&code) {}
  absl::Status Check(size_t channel_axis, int64_t channels) const;
  bool HasBias() const { return code_->HasInput(2); }
  bool HasFloatBias() const { return HasBias() && code_->input(2).dtype == kFloat32; }
  /// For each channel, the sums of products without the bias.
  std::vector<SumRange> ProductsOf(size_t channel_axis, int64_t channels, int64_t depth) const;
  std::vector<FloatRule> RulesOf(int64_t channels) const;
  /// Adds the bias to the sums, and returns it if it is known. Channels of one result may get
  /// another rule and bias.
  std::vector<int64_t> SetBias(int64_t channels, std::vector<FloatRule>& rules,
                               std::vector<SumRange>& sums);

  OperatorCode* code_;
  DataType dtype_ = kInt32;
  int64_t zero_x_ = 0;
  int64_t zero_weight_ = 0;
  /// Zero points of channels, if they differ.
  Array zeros_;
  /// A bias that is known at run time only.
  Array bias_;
  std::optional<QuantizedResult> result_;
};

}  // namespace tenon::graph::plain

#endif  // TENON_FRONTENDS_GRAPH_PLAIN_QUANTIZED_PRODUCTS_H_
