#include "arith/index_math.h"

#include <limits>

#include "absl/container/inlined_vector.h"
#include "ir/const_fold.h"
#include "ir/extents.h"

namespace tenon {

const Expr* IndexMath::Binary(NodeKind kind, const Expr* a, const Expr* b) const {
  std::string error;
  const Expr* result = Operator(builder_, kind, a, b, range_, &error);
  // Keep mismatched dtypes, so that the verifier reports them.
  return result != nullptr ? result : MakeBinary(builder_, kind, a, b, range_);
}

const Expr* IndexMath::Convert(DataType dtype, const Expr* value) const {
  return SmartCast(builder_, dtype.with_lanes(value->dtype.lanes()), value, range_);
}

const Expr* IndexMath::Widen(const Expr* value, int lanes) const {
  if (lanes == 1 || !value->dtype.is_scalar()) return value;
  return builder_.New<Broadcast>(range_, value, lanes);
}

const Expr* IndexMath::Constant(int64_t value) const {
  const bool narrow =
      value >= std::numeric_limits<int32_t>::min() && value <= std::numeric_limits<int32_t>::max();
  return builder_.Int(DataType::Int(narrow ? 32 : 64), value, range_);
}

const Expr* IndexMath::Product(Span<const Expr*> extents) const {
  if (const std::optional<int64_t> constant = StaticCount(extents)) return Constant(*constant);
  const Expr* product = nullptr;
  for (const Expr* extent : extents) product = product == nullptr ? extent : Mul(product, extent);
  return product;
}

Span<const Expr*> StridesOf(NodeBuilder& builder, const Buffer* buffer) {
  if (!buffer->strides.empty()) return buffer->strides;
  absl::InlinedVector<const Expr*, 8> strides(buffer->shape.size());
  const IndexMath math(builder, buffer->range);
  for (size_t i = strides.size(); i-- > 0;) {
    strides[i] = math.Product(buffer->shape.subspan(i + 1));
  }
  return builder.arena().Copy(Span<const Expr*>(strides.data(), strides.size()));
}

namespace {

/// -1 if a field of the buffer is not constant, or the number is too large.
int64_t ConstantReach(const Buffer& buffer, Span<const Expr*> strides) {
  const int64_t* offset = AsIntImm(buffer.elem_offset);
  if (offset == nullptr || *offset < 0 || strides.size() != buffer.shape.size()) return -1;
  int64_t last = *offset;
  for (size_t i = 0; i < strides.size(); ++i) {
    const int64_t* stride = AsIntImm(strides[i]);
    const int64_t* extent = AsIntImm(buffer.shape[i]);
    int64_t reach = 0;
    if (stride == nullptr || extent == nullptr) return -1;
    if (*extent == 0) return 0;
    if (*stride <= 0) continue;
    if (__builtin_mul_overflow(*extent - 1, *stride, &reach) ||
        __builtin_add_overflow(last, reach, &last)) {
      return -1;
    }
  }
  return last == std::numeric_limits<int64_t>::max() ? -1 : last + 1;
}

}  // namespace

const Expr* ReachedElements(NodeBuilder& builder, const Buffer& buffer) {
  const IndexMath math(builder, buffer.range);
  if (buffer.strides.empty() && IsConstInt(buffer.elem_offset, 0))
    return math.Product(buffer.shape);
  const Span<const Expr*> strides = StridesOf(builder, &buffer);
  const int64_t constant = ConstantReach(buffer, strides);
  if (constant >= 0) return math.Constant(constant);
  const Expr* one = builder.Int(1);
  const Expr* size = one;
  for (size_t i = 0; i < strides.size() && i < buffer.shape.size(); ++i) {
    const int64_t* stride = AsIntImm(strides[i]);
    if (stride != nullptr && *stride <= 0) continue;
    size = math.Add(size, math.Mul(math.Sub(buffer.shape[i], one), strides[i]));
  }
  return math.Add(buffer.elem_offset, size);
}

const Buffer* NewFlatBuffer(NodeBuilder& builder, std::string_view name, DataType dtype,
                            int64_t elements) {
  const Var* data = builder.NewVar(name, builder.context().PointerType(dtype, "global"));
  const IndexMath math(builder, {});
  return builder.New<Buffer>({}, data->name, data, dtype,
                             builder.List<Expr>({math.Constant(elements)}), builder.Int(0));
}

}  // namespace tenon
