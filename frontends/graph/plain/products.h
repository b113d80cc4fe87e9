#ifndef TENON_FRONTENDS_GRAPH_PLAIN_PRODUCTS_H_
#define TENON_FRONTENDS_GRAPH_PLAIN_PRODUCTS_H_

#include <cstddef>
#include <cstdint>

#include "absl/status/statusor.h"
#include "frontends/graph/operator_code.h"

namespace tenon::graph::plain {

/// The zero point of a tensor of integers: an input of one number, or of one for each channel. It
/// is 0 without the input.
class ZeroPoint {
 public:
  static absl::StatusOr<ZeroPoint> Make(OperatorCode& code, size_t input, DataType dtype,
                                        int64_t channels);

  /// `x`, of 8 bits, minus the zero point: an int16 if the zero point is known, else an int32.
  Value Centred(Value x, Value channel) const;

 private:
  int64_t number_ = 0;
  Array numbers_;
  int64_t count_ = 1;
};

/// The places of two factors and of their zero points among an operator's inputs.
struct FactorInputs {
  size_t left = 0;
  size_t right = 1;
  size_t left_zero = 2;
  size_t right_zero = 3;
};

/// Sums of products of two inputs of one type, or of integers of 8 bits with zero points.
class Products {
 public:
  /// Products of inputs 0 and 1, which have the output's type.
  static Products OfNumbers(OperatorCode& code);
  /// Products of integers of 8 bits, as int32. `left` and `right` are the channels that may have
  /// zero points.
  static absl::StatusOr<Products> OfIntegers(OperatorCode& code, FactorInputs inputs, int64_t left,
                                             int64_t right);

  Array NewSum() const;
  void Add(const Array& sum, Value x, Value weight, Value left, Value right) const;
  DataType dtype() const { return dtype_; }

 private:
  OperatorCode* code_ = nullptr;
  DataType dtype_;
  bool is_integer_ = false;
  ZeroPoint left_, right_;
};

}  // namespace tenon::graph::plain

#endif  // TENON_FRONTENDS_GRAPH_PLAIN_PRODUCTS_H_
