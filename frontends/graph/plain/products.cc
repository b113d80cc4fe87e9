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
  if (made.count_ == 1 && tensor.HasIntegers()) {
    made.number_ = tensor.IntegerAt(0);
  } else {
    made.numbers_ = code.Flat(code.In(input), {made.count_});
  }
  return made;
}

Value ZeroPoint::Centred(Value x, Value channel) const {
  const Value wide = Cast(kInt32, x);
  if (!numbers_.exists()) return wide - number_;
  return wide - Cast(kInt32, numbers_({count_ == 1 ? x.code->Int(0) : channel}));
}

absl::StatusOr<Products> Products::Make(OperatorCode& code, bool is_integer, int64_t left,
                                        int64_t right) {
  Products made;
  made.code_ = &code;
  made.is_integer_ = is_integer;
  made.dtype_ = is_integer ? kInt32 : WorkType(code.output().dtype);
  if (!is_integer) return made;
  for (size_t i = 0; i < 2; ++i) {
    if (code.input(i).dtype.bits() != 8 || code.output().dtype != kInt32)
      return UnsupportedTypes(code);
  }
  TENON_ASSIGN_OR(made.left_, ZeroPoint::Make(code, 2, code.input(0).dtype, left));
  TENON_ASSIGN_OR(made.right_, ZeroPoint::Make(code, 3, code.input(1).dtype, right));
  return made;
}

Array Products::NewSum() const {
  const Array sum = code_->Scalar("sum", dtype_);
  code_->Set(sum, code_->Number(dtype_, 0));
  return sum;
}

void Products::Add(const Array& sum, Value x, Value weight, Value left, Value right) const {
  const Value a = is_integer_ ? left_.Centred(x, left) : Cast(dtype_, x);
  const Value b = is_integer_ ? right_.Centred(weight, right) : Cast(dtype_, weight);
  code_->Set(sum, code_->Get(sum) + a * b);
}

}  // namespace tenon::graph::plain
