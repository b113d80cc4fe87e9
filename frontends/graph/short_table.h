#ifndef TENON_FRONTENDS_GRAPH_SHORT_TABLE_H_
#define TENON_FRONTENDS_GRAPH_SHORT_TABLE_H_

#include <functional>
#include <string_view>

#include "absl/status/statusor.h"
#include "frontends/graph/operator_code.h"

// Functions of int16 numbers, looked up in tables with straight lines between the entries. Tables
// and arithmetic are those of the reference kernels of TensorFlow Lite, bit for bit.

namespace tenon::graph {

/// A range of real numbers.
struct RealRange {
  double low = 0;
  double high = 0;
};

/// A table of 513 int16 numbers for inputs of int16.
class ShortTable {
 public:
  /// Tabulates `of` at 512 steps from `from.low` on. An entry is shifted by half of the error of
  /// the straight line in the middle of its step. Outputs have 15 bits after the point.
  ShortTable(Code& code, std::string_view name, RealRange from,
             const std::function<double(double x)>& of);
  /// The same for all numbers of two int16 tensors with scales, in float arithmetic.
  ShortTable(Code& code, std::string_view name, const Tensor& from, const Tensor& to,
             const std::function<float(float x)>& of);

  /// The number for an int32 within the range of int16, which is used more than once.
  Value operator()(Value x) const;

 private:
  Array table_;
  /// Some difference between two entries exceeds int16. Its low 16 bits count.
  bool wraps_ = false;
};

/// The logistic function of magnitudes: 256 numbers with 16 bits after the point. Entry i is the
/// result for i / 24.
class SigmoidTable {
 public:
  /// Reads input 0, an int16 with one scale. A scale near 2^-12 times a power of two of at most
  /// `most_shift` gives products by 3 alone.
  static absl::StatusOr<SigmoidTable> Make(OperatorCode& code, int most_shift);

  /// An element of the input as an int32 in steps of 2^-12 / 3. It is used more than once.
  Value Input(Value x) const;
  /// The logistic function of `steps`, which are not negative, with 16 + `bits` bits after the
  /// point. There are 2^bits steps from entry to entry. `most` is the result beyond the table.
  Value Magnitude(Value steps, int bits, int64_t most) const;

 private:
  SigmoidTable(OperatorCode& code, int32_t multiplier, int shift);

  OperatorCode* code_;
  int32_t multiplier_;
  int shift_;
  Array table_;
};

/// True if the scale is a power of two within TensorFlow Lite's tolerance; `exponent` is the
/// exponent.
bool IsPowerOfTwo(float scale, int& exponent);

}  // namespace tenon::graph

#endif  // TENON_FRONTENDS_GRAPH_SHORT_TABLE_H_
