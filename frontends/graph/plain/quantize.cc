// QuantizeLinear, DequantizeLinear and DynamicQuantizeLinear. Inputs are the tensor, a scale and a
// zero point: one for the tensor, one for each index of `axis`, or one for each block of
// `block_size` elements along the axis. `in_floats` says why QuantizeLinear ends a computation on
// integers in floats.

#include <fmt/format.h>

#include <functional>

#include "frontends/graph/elementwise.h"
#include "frontends/graph/operators.h"
#include "frontends/graph/plain/plain.h"
#include "frontends/graph/plain/scaled_result.h"
#include "ir/builtins.h"
#include "support/status_macros.h"

namespace tenon::graph::plain {

namespace {

/// Finds the scale and the zero point of an element.
class ScaleFinder {
 public:
  static absl::StatusOr<ScaleFinder> Make(const OperatorCode& code) {
    const Tensor& x = code.input(0);
    const Tensor& scale = code.input(1);
    ScaleFinder made;
    if (!IsOneOf(scale.dtype, kFloats) || scale.dtype == kFloat64) return UnsupportedTypes(code);
    if (code.HasInput(2) && code.input(2).shape != scale.shape &&
        (code.input(2).elements() != 1 || scale.elements() != 1))
      return code.Wrong("expected a zero point for each scale, found " + code.input(2).TypeText());
    made.is_one_ = scale.elements() == 1;
    if (made.is_one_) return made;
    TENON_ASSIGN_OR(made.axis_, AxisIn(code, code.attributes().Int("axis", 1), x.rank()));
    made.block_ = code.attributes().Int("block_size");
    TensorShape wanted = {x.shape[made.axis_]};
    if (made.block_ > 0) {
      wanted = x.shape;
      wanted[made.axis_] = (wanted[made.axis_] + made.block_ - 1) / made.block_;
    }
    if (made.block_ < 0 || scale.shape != wanted)
      return code.Wrong(fmt::format("expected scales for axis {} of {} in blocks of {}, found {}",
                                    made.axis_, x.TypeText(), made.block_, scale.TypeText()));
    return made;
  }

  /// The element of input 1 or 2 that belongs to the element at `at`.
  Value operator()(OperatorCode& code, size_t input, const std::vector<Value>& at) const {
    if (is_one_) return code.Flat(code.In(input), {1})({code.Int(0)});
    if (block_ == 0) return code.In(input)({at[axis_]});
    std::vector<Value> place = at;
    place[axis_] = FloorDiv(at[axis_], block_);
    return code.In(input).Load(place);
  }

 private:
  bool is_one_ = false;
  size_t axis_ = 0;
  int64_t block_ = 0;
};

bool IsShort(DataType dtype) {
  return IsOneOf(dtype, kIntegers) && (dtype.bits() == 8 || dtype.bits() == 16);
}

}  // namespace

absl::Status BuildQuantizeLinear(OperatorCode& code) {
  const DataType dtype = code.output().dtype;
  const DataType from = code.input(0).dtype;
  if (!IsShort(dtype) || (from != kInt32 && !IsOneOf(from, kFloats)) || from == kFloat64)
    return UnsupportedTypes(code);
  if (code.HasInput(2) && code.input(2).dtype != dtype) return UnsupportedTypes(code);
  TENON_ASSIGN_OR(const ScaleFinder find, ScaleFinder::Make(code));
  const std::string_view reason = code.attributes().Text("in_floats");
  if (!reason.empty()) code.Note(reason);
  const Array x = code.In(0);
  // Quotients of small floats are small floats.
  const DataType quotient = from == kInt32 ? kFloat32 : from;
  WriteElements(code, 0, [&](const std::vector<Value>& at) {
    const Value scale = Cast(kFloat32, find(code, 1, at));
    const Value steps = Cast(quotient, Div(Cast(kFloat32, x.Load(at)), scale));
    const Value zero = code.HasInput(2) ? Cast(kInt32, find(code, 2, at)) : code.Int(0);
    return NearestInteger(Cast(kFloat32, steps), zero, dtype);
  });
  return absl::OkStatus();
}

absl::Status BuildDequantizeLinear(OperatorCode& code) {
  const DataType dtype = code.output().dtype;
  const DataType from = code.input(0).dtype;
  if ((!IsShort(from) && from != kInt32) || !IsOneOf(dtype, kFloats) || dtype == kFloat64)
    return UnsupportedTypes(code);
  if (code.HasInput(2) && code.input(2).dtype != from) return UnsupportedTypes(code);
  TENON_ASSIGN_OR(const ScaleFinder find, ScaleFinder::Make(code));
  const Array x = code.In(0);
  WriteElements(code, 0, [&](const std::vector<Value>& at) {
    Value centred = Cast(kInt32, x.Load(at));
    if (code.HasInput(2)) centred = centred - Cast(kInt32, find(code, 2, at));
    return Cast(dtype, Cast(kFloat32, centred) * Cast(kFloat32, find(code, 1, at)));
  });
  return absl::OkStatus();
}

absl::StatusOr<Shapes> ShapeOfDynamicQuantizeLinear(const OperatorView& op) {
  return Shapes{op.input(0).shape, {}, {}};
}

// The scale and the zero point bring the least and the greatest element, and 0, to 0 to 255.
absl::Status BuildDynamicQuantizeLinear(OperatorCode& code) {
  if (code.input(0).dtype != kFloat32) return UnsupportedTypes(code);
  TENON_TRY(CheckOutput(code, kUInt8, 0));
  TENON_TRY(CheckOutput(code, kFloat32, 1));
  TENON_TRY(CheckOutput(code, kUInt8, 2));
  const Array x = code.In(0);
  const Value zero = code.Number(kFloat32, 0);
  const Array least = code.Scalar("least", kFloat32);
  const Array most = code.Scalar("most", kFloat32);
  code.Set(least, zero);
  code.Set(most, zero);
  code.Grid("k", MemoryShape(code.input(0)), [&](const std::vector<Value>& at) {
    code.Set(least, Min(x.Load(at), code.Get(least)));
    code.Set(most, Max(x.Load(at), code.Get(most)));
  });
  const Value range = code.Get(most) - code.Get(least);
  const Value steps = code.Number(kFloat32, 255);
  const Array scale = code.Out(1);
  const Array zero_point = code.Out(2);
  const std::vector<Value> first = {code.Int(0)};
  code.Store(scale, first, Select(range == zero, code.Number(kFloat32, 1), Div(range, steps)));
  code.Store(zero_point, first,
             NearestInteger(Div(zero - code.Get(least), scale.Load(first)), code.Int(0), kUInt8));
  WriteElements(code, 0, [&](const std::vector<Value>& at) {
    return NearestInteger(Div(x.Load(at), scale.Load(first)), Cast(kInt32, zero_point.Load(first)),
                          kUInt8);
  });
  return absl::OkStatus();
}

}  // namespace tenon::graph::plain
