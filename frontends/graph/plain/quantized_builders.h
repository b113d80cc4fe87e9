#ifndef TENON_FRONTENDS_GRAPH_PLAIN_QUANTIZED_BUILDERS_H_
#define TENON_FRONTENDS_GRAPH_PLAIN_QUANTIZED_BUILDERS_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "frontends/graph/operator_code.h"
#include "frontends/graph/plain/float_sum.h"
#include "frontends/graph/plain/quantized_result.h"

// Operators of quantised numbers (quantized_result.h), which builders of plain operators call.

namespace tenon::graph::plain {

/// Add, Sub and Mul.
absl::Status BuildQuantizedBinary(OperatorCode& code);

/// Softmax over the second of three axes, whose extents are `seen`.
absl::Status BuildQuantizedSoftmax(OperatorCode& code, const std::vector<int64_t>& seen);

/// Makes means of sums of input 0. `is_inside`: as AveragePool of onnxruntime, which adds the zero
/// point before it rounds. Pools without it have GlobalAveragePool's rule.
class QuantizedMean {
 public:
  /// Sums have up to `most_count` elements; with `is_fixed`, all have so many.
  static absl::StatusOr<QuantizedMean> Make(OperatorCode& code, int64_t most_count, bool is_fixed,
                                            bool is_inside);

  Array NewSum() const;
  void Add(const Array& sum, Value element) const;
  /// The element of the output for a sum of `count` elements, at least 1.
  Value Result(const Array& sum, Value count) const;
  /// For results near ties, which float32 sums decide: computes the element again and stores it by
  /// `store`. `each` calls a function for each element of the sum, in order.
  void AfterTies(const Array& sum, Value count,
                 const std::function<void(const std::function<void(Value element)>&)>& each,
                 const std::function<void(Value result)>& store) const;

 private:
  explicit QuantizedMean(OperatorCode& code) : code_(&code) {}

  OperatorCode* code_;
  bool is_fixed_ = false;
  DataType dtype_ = kInt32;
  Value Centred(Value element, DataType dtype) const;

  std::optional<QuantizedResult> result_;
  /// The arithmetic of sums near ties, if ties are frequent, and how near that is.
  std::optional<FloatSum> ties_;
  double distance_ = 0;
};

}  // namespace tenon::graph::plain

#endif  // TENON_FRONTENDS_GRAPH_PLAIN_QUANTIZED_BUILDERS_H_
