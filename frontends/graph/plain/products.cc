#include "frontends/graph/plain/products.h"

#include <fmt/format.h>

#include "frontends/graph/plain/plain.h"
#include "frontends/graph/refusals.h"
#include "support/status_macros.h"

namespace tenon::graph::plain {

absl::StatusOr<ZeroPoint> ZeroPoint::Make(OperatorCode& code, size_t input, DataType dtype,
                                          int64_t channels) {
  ZeroPoint made;
  if (!code.HasInput(input)) return made;
  const Tensor& tensor = code.input(input);
  if (tensor.dtype != dtype) return UnsupportedTypes(code);
  made.count_ = tensor.elements();
  const bool is_row = tensor.rank() == 1 && tensor.shape[0] == channels;
  if (made.count_ != 1 && !is_row)
    return code.Unsupported(
        fmt::format("zero points of {} for {} channels", tensor.TypeText(), channels));
  // Weights often have a zero point of 0 for each channel.
  bool is_same = tensor.HasIntegers() && made.count_ > 0;
  for (int64_t i = 1; is_same && i < made.count_; ++i)
    is_same = tensor.IntegerAt(i) == tensor.IntegerAt(0);
  if (is_same) {
    made.number_ = tensor.IntegerAt(0);
  } else {
    made.numbers_ = code.Flat(code.In(input), {made.count_});
  }
  return made;
}

Value ZeroPoint::Centred(Value x, Value channel) const {
  if (!numbers_.exists()) return number_ == 0 ? x : Cast(kInt16, x) - number_;
  return Cast(kInt32, x) - Cast(kInt32, numbers_({count_ == 1 ? x.code->Int(0) : channel}));
}

Products Products::OfNumbers(OperatorCode& code) {
  Products made;
  made.code_ = &code;
  made.dtype_ = WorkType(code.output().dtype);
  return made;
}

absl::StatusOr<Products> Products::OfIntegers(OperatorCode& code, FactorInputs inputs, int64_t left,
                                              int64_t right) {
  Products made;
  made.code_ = &code;
  made.is_integer_ = true;
  made.dtype_ = kInt32;
  const DataType a = code.input(inputs.left).dtype;
  const DataType b = code.input(inputs.right).dtype;
  if (!IsOneOf(a, kIntegers) || !IsOneOf(b, kIntegers) || a.bits() != 8 || b.bits() != 8)
    return UnsupportedTypes(code);
  TENON_ASSIGN_OR(made.left_, ZeroPoint::Make(code, inputs.left_zero, a, left));
  TENON_ASSIGN_OR(made.right_, ZeroPoint::Make(code, inputs.right_zero, b, right));
  return made;
}

Array Products::NewSum() const {
  const Array sum = code_->Scalar("sum", dtype_);
  code_->Set(sum, code_->Number(dtype_, 0));
  return sum;
}

void Products::Add(const Array& sum, Value x, Value weight, Value left, Value right) const {
  if (is_integer_) {
    x = left_.Centred(x, left);
    weight = right_.Centred(weight, right);
  }
  code_->Set(sum, code_->Get(sum) + Cast(dtype_, x) * Cast(dtype_, weight));
}

}  // namespace tenon::graph::plain
