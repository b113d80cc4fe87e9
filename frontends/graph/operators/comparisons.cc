// EQUAL, NOT_EQUAL, LESS, LESS_EQUAL, GREATER and GREATER_EQUAL of two elements. Quantised numbers
// are compared after a rescaling of each by its own scale; but the order of int16 is that of the
// integers, as in TensorFlow Lite.

#include <fmt/format.h>

#include <functional>

#include "frontends/graph/broadcast.h"
#include "frontends/graph/elementwise.h"
#include "frontends/graph/operators.h"
#include "frontends/graph/quantized.h"

namespace tenon::graph {

namespace {

using Relation = std::function<Value(Value a, Value b)>;

/// Bits that quantised numbers are shifted by, so that little is lost in rounding.
constexpr int kFineBits = 8;

bool IsRescaled(const Tensor& x, bool is_order) {
  if (x.dtype == kInt16) return x.quantization.exists() && !is_order;
  return x.dtype.is_integer() && x.dtype.bits() == 8;
}

absl::Status BuildRelation(OperatorCode& code, const Relation& relation, bool is_order = true) {
  if (absl::Status status = code.CheckCounts(2, 2); !status.ok()) return status;
  if (absl::Status status = CheckBroadcast(code); !status.ok()) return status;
  const DataType dtype = code.input(0).dtype;
  if (code.input(1).dtype != dtype || !code.output().dtype.is_bool() ||
      (dtype.is_bool() && is_order))
    return UnsupportedTypes(code);
  const bool is_quantized = !dtype.is_bool() && IsRescaled(code.input(0), is_order);
  std::vector<Rescaler> rescalers;
  for (const size_t i : {size_t{0}, size_t{1}}) {
    if (!is_quantized) break;
    const FixedPoint scale = ToFixedPoint(double{code.input(i).quantization.scale()});
    if (scale.shift > 0) {
      return code.Unsupported(fmt::format("scales of 1 or more, as input {}'s {}", i,
                                          code.input(i).quantization.scale()));
    }
    rescalers.emplace_back(code, scale);
  }
  std::vector<int64_t> zero_points;
  if (is_quantized) {
    for (const size_t i : {size_t{0}, size_t{1}})
      zero_points.push_back(code.input(i).quantization.zero_point());
  }
  const ScaleIntegers centres(code, "inputs", zero_points);
  const auto element = [&](size_t i, const std::vector<Value>& at) {
    const Value x = BroadcastElement(code, i, at);
    if (dtype.is_bool()) return Cast(kInt8, x);
    if (!is_quantized) return x;
    return rescalers[i]((Cast(kInt32, x) - centres[i]) << kFineBits);
  };
  WriteElements(code, 0, [&](const std::vector<Value>& at) {
    return relation(element(0, at), element(1, at));
  });
  return absl::OkStatus();
}

}  // namespace

absl::Status BuildEqual(OperatorCode& code) {
  return BuildRelation(
      code, [](Value a, Value b) { return a == b; }, false);
}
absl::Status BuildNotEqual(OperatorCode& code) {
  return BuildRelation(
      code, [](Value a, Value b) { return a != b; }, false);
}
absl::Status BuildLess(OperatorCode& code) {
  return BuildRelation(code, [](Value a, Value b) { return a < b; });
}
absl::Status BuildLessEqual(OperatorCode& code) {
  return BuildRelation(code, [](Value a, Value b) { return a <= b; });
}
absl::Status BuildGreater(OperatorCode& code) {
  return BuildRelation(code, [](Value a, Value b) { return b < a; });
}
absl::Status BuildGreaterEqual(OperatorCode& code) {
  return BuildRelation(code, [](Value a, Value b) { return b <= a; });
}

}  // namespace tenon::graph
