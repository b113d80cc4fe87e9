// PAD and PADV2: the input with elements around it. They are 0, or the zero point, or the element
// of the third input. MIRROR_PAD: they are those of the input, as in a mirror at its border.

#include <utility>

#include "frontends/graph/elementwise.h"
#include "frontends/graph/operators.h"
#include "frontends/graph/quantized.h"

namespace tenon::graph {

namespace {

/// The number of elements before and after each axis, in turn.
absl::StatusOr<std::vector<int64_t>> PadsOf(const OperatorCode& code) {
  const Tensor& x = code.input(0);
  const Tensor& output = code.output();
  auto pads = code.input(1).Integers();
  if (!pads) return NotConstant(code, "pads that are", {1});
  const size_t rank = x.shape.size();
  if (pads->size() != 2 * rank || output.shape.size() != rank || x.dtype != output.dtype)
    return code.Wrong("expected two pads for each dimension of the input");
  for (size_t axis = 0; axis < rank; ++axis) {
    const int64_t before = (*pads)[2 * axis];
    const int64_t after = (*pads)[2 * axis + 1];
    if (before < 0 || after < 0 || before + x.shape[axis] + after != output.shape[axis])
      return code.Wrong("expected pads that give the output's " + output.TypeText());
  }
  return *std::move(pads);
}

}  // namespace

absl::Status BuildPad(OperatorCode& code) {
  if (absl::Status status = code.CheckCounts(2, 3); !status.ok()) return status;
  const Tensor& x = code.input(0);
  const Tensor& output = code.output();
  const size_t rank = x.shape.size();
  const absl::StatusOr<std::vector<int64_t>> pads = PadsOf(code);
  if (!pads.ok()) return pads.status();
  const bool has_value = code.HasInput(2);
  if (has_value && (code.input(2).elements() != 1 || code.input(2).dtype != x.dtype))
    return code.Wrong("expected one element of the input's type to pad with");
  const Array from = code.In(0);
  const auto zero = static_cast<double>(output.quantization.zero_point());
  const bool moves = !has_value && output.quantization.exists() && x.dtype.is_integer() &&
                     code.has_replaceable_scales();
  const ScaleIntegers zero_point(code, "zero", {moves ? output.quantization.zero_point() : 0});
  const Value value = has_value ? code.Flat(code.In(2), {1})({code.Int(0)})
                      : moves   ? Cast(x.dtype, zero_point[0])
                                : code.Number(x.dtype, x.dtype.is_integer() ? zero : 0);
  WriteElements(code, 0, [&](const std::vector<Value>& at) {
    Value inside = code.Bool(true);
    std::vector<Value> own;
    for (size_t axis = 0; axis < rank; ++axis) {
      const int64_t before = (*pads)[2 * axis];
      own.push_back(at[axis] - before);
      if (before > 0) inside = inside && before <= at[axis];
      if (x.shape[axis] + before < output.shape[axis])
        inside = inside && at[axis] < x.shape[axis] + before;
    }
    if (own.empty()) own.push_back(code.Int(0));
    return IfThenElse(inside, from.Load(own), value);
  });
  return absl::OkStatus();
}

absl::Status BuildMirrorPad(OperatorCode& code) {
  if (absl::Status status = code.CheckCounts(2, 2); !status.ok()) return status;
  const Tensor& x = code.input(0);
  const absl::StatusOr<std::vector<int64_t>> pads = PadsOf(code);
  if (!pads.ok()) return pads.status();
  // The border is the first element, which appears once, or the line before it.
  const int64_t repeats = code.attributes().Int("mode") == 0 ? 0 : 1;
  for (size_t i = 0; i < pads->size(); ++i) {
    if ((*pads)[i] > x.shape[i / 2] - 1 + repeats)
      return code.Wrong("expected pads of at most the input's " + x.TypeText());
  }
  const Array from = code.In(0);
  WriteElements(code, 0, [&](const std::vector<Value>& at) {
    std::vector<Value> own;
    for (size_t axis = 0; axis < x.shape.size(); ++axis) {
      const int64_t extent = x.shape[axis];
      Value place = at[axis] - (*pads)[2 * axis];
      const Value zero = code.Int(0);
      if ((*pads)[2 * axis] > 0) place = Max(place, zero - place - repeats);
      if ((*pads)[2 * axis + 1] > 0)
        place = Min(place, code.Int(2 * (extent - 1) + repeats) - place);
      own.push_back(place);
    }
    if (own.empty()) own.push_back(code.Int(0));
    return from.Load(own);
  });
  return absl::OkStatus();
}

}  // namespace tenon::graph
