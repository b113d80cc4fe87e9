#include "ir/analysis/index_form.h"

#include <algorithm>
#include <utility>

#include "ir/buffer.h"
#include "ir/builtins.h"
#include "support/check.h"

namespace tenon {

namespace {

/// Deeper indices count as unknown. This bounds the cost of a query that is made often.
constexpr int kMostDepth = 32;
constexpr size_t kMostDigits = 64;
/// Constants, strides and addresses stay below this, so that sums of a few do not wrap.
constexpr int64_t kMostBytes = int64_t{1} << 48;
constexpr int kMostSplits = 8;

bool IsSmall(int64_t value) { return -kMostBytes < value && value < kMostBytes; }

std::optional<int64_t> SmallProduct(int64_t a, int64_t b) {
  int64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product) || !IsSmall(product)) return std::nullopt;
  return product;
}

/// The values of a dtype; nullopt for dtypes that indices do not have.
std::optional<IndexRange> ValuesOf(DataType dtype) {
  if (!dtype.is_integer() || dtype.is_bool() || dtype.lanes() != 1) return std::nullopt;
  if (dtype.bits() >= 49) return IndexRange{dtype.is_int() ? -kMostBytes : 0, kMostBytes};
  const int bits = dtype.is_int() ? dtype.bits() - 1 : dtype.bits();
  const int64_t limit = int64_t{1} << bits;
  return IndexRange{dtype.is_int() ? -limit : 0, limit - 1};
}

bool Holds(DataType dtype, IndexRange values) {
  const std::optional<IndexRange> all = ValuesOf(dtype);
  return all && all->min <= values.min && values.max <= all->max;
}

/// The value of a small integer constant.
std::optional<int64_t> ConstantOf(const Expr* expr) {
  const int64_t* value = AsIntImm(expr);
  if (value == nullptr || !IsSmall(*value)) return std::nullopt;
  return *value;
}

/// The distance between adjacent elements in dimension `i` of a buffer.
std::optional<int64_t> StrideOf(const Buffer* buffer, size_t i) {
  if (!buffer->strides.empty()) {
    if (buffer->strides.size() != buffer->shape.size()) return std::nullopt;
    return ConstantOf(buffer->strides[i]);
  }
  int64_t stride = 1;
  for (size_t k = i + 1; k < buffer->shape.size(); ++k) {
    const std::optional<int64_t> extent = ConstantOf(buffer->shape[k]);
    if (!extent || *extent < 1) return std::nullopt;
    const std::optional<int64_t> product = SmallProduct(stride, *extent);
    if (!product) return std::nullopt;
    stride = *product;
  }
  return stride;
}

std::optional<int64_t> OffsetOf(const Buffer* buffer) {
  return buffer->elem_offset == nullptr ? 0 : ConstantOf(buffer->elem_offset);
}

/// The least and the greatest value of a form. With `inner_only`, outer digits stay 0.
std::optional<IndexRange> RangeOf(const IndexForm& form,
                                  const std::vector<IndexForms::Digit>& digits,
                                  bool inner_only = false) {
  TENON_CHECK(form.strides.size() <= digits.size());
  IndexRange range{form.constant, form.constant};
  for (size_t d = 0; d < form.strides.size(); ++d) {
    if (form.strides[d] == 0 || (inner_only && digits[d].outer)) continue;
    const auto most = SmallProduct(form.strides[d], digits[d].extent - 1);
    if (!most) return std::nullopt;
    (*most < 0 ? range.min : range.max) += *most;
    if (!IsSmall(range.min) || !IsSmall(range.max)) return std::nullopt;
  }
  return range;
}

}  // namespace

std::optional<size_t> IndexForms::NewDigit(int64_t extent, bool outer, int group) {
  if (digits_.size() == kMostDigits) return std::nullopt;
  digits_.push_back({extent, outer, group, 1});
  return digits_.size() - 1;
}

bool IndexForms::Enter(const For* loop, bool outer, int group) {
  const std::optional<int64_t> min = ConstantOf(loop->min);
  const std::optional<int64_t> extent = ConstantOf(loop->extent);
  if (!min || !extent || *extent < 1) return false;
  if (!Holds(loop->loop_var->dtype, {*min, *min + *extent - 1})) return false;
  const std::optional<size_t> digit = NewDigit(*extent, outer, group);
  if (!digit) return false;
  counters_[loop->loop_var] = Counter{*min, {{*digit, 1}}};
  return true;
}

bool IndexForms::Define(const Var* var, const Expr* value) {
  for (int i = 0; i < kMostSplits; ++i) {
    split_ = false;
    const std::optional<IndexForm> form = Evaluate(value, kMostDepth);
    if (split_) continue;
    if (!form) return false;
    Counter counter{form->constant, {}};
    for (size_t d = 0; d < form->strides.size(); ++d) {
      if (form->strides[d] != 0) counter.parts.emplace_back(d, form->strides[d]);
    }
    counters_[var] = std::move(counter);
    return true;
  }
  split_ = false;
  return false;
}

void IndexForms::Split(size_t digit, int64_t low_extent) {
  TENON_CHECK(digit < digits_.size() && low_extent > 0);
  const std::optional<size_t> high =
      NewDigit(digits_[digit].extent / low_extent, digits_[digit].outer, digits_[digit].group);
  split_ = true;
  if (!high) return;
  digits_[*high].weight = digits_[digit].weight * low_extent;
  digits_[digit].extent = low_extent;
  for (auto& [var, counter] : counters_) {
    for (size_t i = 0; i < counter.parts.size(); ++i) {
      const auto [part, weight] = counter.parts[i];
      if (part != digit) continue;
      counter.parts.emplace_back(*high, weight * low_extent);
      break;
    }
  }
  for (IndexForm& form : kept_) {
    const int64_t stride = form.stride(digit);
    if (stride == 0) continue;
    form.strides.resize(digits_.size());
    form.strides[*high] = stride * low_extent;
  }
}

bool IndexForms::Accumulate(IndexForm& form, const IndexForm& other, int64_t scale) {
  const auto add = [&](int64_t& to, int64_t value) {
    const std::optional<int64_t> product = SmallProduct(value, scale);
    if (!product) return false;
    to += *product;
    return IsSmall(to);
  };
  if (form.strides.size() < other.strides.size()) form.strides.resize(other.strides.size());
  bool fits = add(form.constant, other.constant);
  for (size_t d = 0; d < other.strides.size(); ++d) {
    fits = fits && add(form.strides[d], other.strides[d]);
  }
  return fits;
}

namespace {

/// Rewrites a form so that a digit counts down from its other end.
void CountBackwards(IndexForm& form, size_t digit, int64_t extent) {
  if (form.stride(digit) == 0) return;
  form.constant += form.strides[digit] * (extent - 1);
  form.strides[digit] = -form.strides[digit];
}

}  // namespace

/// Quotient or remainder (`rest`) of a non-negative number by a positive constant. Strides that are
/// multiples of the divisor go to the quotient; the other digits together must stay below the
/// divisor. Digits with negative strides are counted from their other ends meanwhile.
std::optional<IndexForm> IndexForms::QuotientBy(IndexForm form, int64_t divisor, bool rest) {
  const auto range = RangeOf(form, digits_);
  if (!range || range->min < 0) return std::nullopt;
  TENON_CHECK(divisor > 0 && form.strides.size() <= digits_.size());
  std::vector<size_t> backwards;
  for (size_t d = 0; d < form.strides.size(); ++d) {
    if (form.strides[d] >= 0) continue;
    backwards.push_back(d);
    CountBackwards(form, d, digits_[d].extent);
  }
  IndexForm quotient{form.constant / divisor, std::vector<int64_t>(form.strides.size())};
  IndexForm remainder{form.constant % divisor, std::vector<int64_t>(form.strides.size())};
  for (size_t d = 0; d < form.strides.size(); ++d) {
    const int64_t stride = form.strides[d];
    if (stride == 0 || digits_[d].extent == 1) continue;
    if (stride % divisor == 0) {
      quotient.strides[d] = stride / divisor;
      continue;
    }
    const int64_t low = divisor / stride;
    if (divisor % stride == 0 && digits_[d].extent > low && digits_[d].extent % low == 0) {
      Split(d, low);
      return std::nullopt;
    }
    remainder.strides[d] = stride;
  }
  const auto left = RangeOf(remainder, digits_);
  if (!left || left->max >= divisor) return std::nullopt;
  IndexForm& result = rest ? remainder : quotient;
  for (const size_t d : backwards) CountBackwards(result, d, digits_[d].extent);
  return std::move(result);
}

std::optional<IndexForm> IndexForms::Quotient(const Expr* a, const Expr* b, bool rest, int depth) {
  const std::optional<int64_t> divisor = ConstantOf(b);
  if (!divisor || *divisor < 1) return std::nullopt;
  std::optional<IndexForm> form = Evaluate(a, depth);
  if (!form) return std::nullopt;
  return QuotientBy(*std::move(form), *divisor, rest);
}

std::optional<IndexForm> IndexForms::EvaluateCall(const Call* call, int depth) {
  if (call->args.size() != 2) return std::nullopt;
  const std::optional<int64_t> bits = ConstantOf(call->args[1]);
  std::optional<IndexForm> form = bits ? Evaluate(call->args[0], depth) : std::nullopt;
  if (!form) return std::nullopt;
  if (call->op->kind == OpKind::kBitwiseAnd && *bits > 0 && (*bits & (*bits + 1)) == 0)
    return QuotientBy(*std::move(form), *bits + 1, true);
  if (*bits < 0 || *bits > 40) return std::nullopt;
  if (call->op->kind == OpKind::kShiftRight)
    return QuotientBy(*std::move(form), int64_t{1} << *bits, false);
  if (call->op->kind != OpKind::kShiftLeft) return std::nullopt;
  IndexForm shifted;
  if (!Accumulate(shifted, *form, int64_t{1} << *bits)) return std::nullopt;
  return shifted;
}

std::optional<IndexForm> IndexForms::Evaluate(const Expr* expr, int depth) {
  if (depth == 0) return std::nullopt;
  --depth;
  const auto sum = [&](const Expr* a, const Expr* b, int64_t scale) -> std::optional<IndexForm> {
    std::optional<IndexForm> form = Evaluate(a, depth);
    const std::optional<IndexForm> other = form ? Evaluate(b, depth) : std::nullopt;
    if (!other || !Accumulate(*form, *other, scale)) return std::nullopt;
    return form;
  };
  const auto product = [&](const Expr* a, const Expr* b) -> std::optional<IndexForm> {
    const std::optional<int64_t> factor = ConstantOf(b);
    const std::optional<IndexForm> form = factor ? Evaluate(a, depth) : std::nullopt;
    IndexForm scaled;
    if (!form || !Accumulate(scaled, *form, *factor)) return std::nullopt;
    return scaled;
  };
  std::optional<IndexForm> form;
  if (const std::optional<int64_t> value = ConstantOf(expr)) {
    form = IndexForm{*value, {}};
  } else if (const auto* var = dyn_cast<Var>(expr)) {
    const auto found = counters_.find(var);
    if (found == counters_.end()) return std::nullopt;
    form = IndexForm{found->second.min, std::vector<int64_t>(digits_.size())};
    for (const auto& [digit, weight] : found->second.parts) form->strides[digit] = weight;
  } else if (const auto* add = dyn_cast<Add>(expr)) {
    form = sum(add->a, add->b, 1);
  } else if (const auto* sub = dyn_cast<Sub>(expr)) {
    form = sum(sub->a, sub->b, -1);
  } else if (const auto* mul = dyn_cast<Mul>(expr)) {
    form = AsIntImm(mul->b) != nullptr ? product(mul->a, mul->b) : product(mul->b, mul->a);
  } else if (const auto* floor = dyn_cast<FloorDiv>(expr)) {
    form = Quotient(floor->a, floor->b, false, depth);
  } else if (const auto* div = dyn_cast<Div>(expr)) {
    form = Quotient(div->a, div->b, false, depth);
  } else if (const auto* floor_mod = dyn_cast<FloorMod>(expr)) {
    form = Quotient(floor_mod->a, floor_mod->b, true, depth);
  } else if (const auto* mod = dyn_cast<Mod>(expr)) {
    form = Quotient(mod->a, mod->b, true, depth);
  } else if (const auto* cast_expr = dyn_cast<Cast>(expr)) {
    form = Evaluate(cast_expr->value, depth);
  } else if (const auto* call = dyn_cast<Call>(expr)) {
    form = EvaluateCall(call, depth);
  }
  const auto range = form && !split_ ? RangeOf(*form, digits_) : std::nullopt;
  if (!range || !Holds(expr->dtype, *range)) return std::nullopt;
  return form;
}

std::optional<IndexForm> IndexForms::TryAddressOf(const Buffer* buffer, Span<const Expr*> indices) {
  const int64_t width = buffer->dtype.bytes();
  const std::optional<int64_t> offset = OffsetOf(buffer);
  if (width <= 0 || !offset || indices.size() != buffer->shape.size()) return std::nullopt;
  IndexForm elements{*offset, {}};
  std::optional<size_t> lanes;
  for (size_t i = 0; i < indices.size(); ++i) {
    const std::optional<int64_t> stride = StrideOf(buffer, i);
    const auto* ramp = dyn_cast<Ramp>(indices[i]);
    const std::optional<IndexForm> index =
        Evaluate(ramp != nullptr ? ramp->base : indices[i], kMostDepth);
    if (!stride || !index || !Accumulate(elements, *index, *stride)) return std::nullopt;
    if (ramp == nullptr) continue;
    const std::optional<int64_t> step = ConstantOf(ramp->stride);
    if (!step || ramp->dtype.lanes() < 1 || lanes) return std::nullopt;
    lanes = NewDigit(ramp->dtype.lanes(), false);
    const auto scaled = SmallProduct(*step, *stride);
    if (!lanes || !scaled) return std::nullopt;
    elements.strides.resize(digits_.size());
    elements.strides[*lanes] = *scaled;
  }
  IndexForm bytes;
  if (!Accumulate(bytes, elements, width)) return std::nullopt;
  return bytes;
}

std::optional<IndexForm> IndexForms::AddressOf(const Buffer* buffer, Span<const Expr*> indices) {
  for (int i = 0; i < kMostSplits; ++i) {
    split_ = false;
    std::optional<IndexForm> form = TryAddressOf(buffer, indices);
    if (!split_) return form;
  }
  split_ = false;
  return std::nullopt;
}

std::optional<ByteRange> IndexForms::Covered(const IndexForm& form, int64_t width,
                                             bool inner_only) const {
  const std::optional<ByteRange> reach = Reach(form, width, inner_only);
  if (!reach) return std::nullopt;
  std::vector<std::pair<int64_t, int64_t>> steps;  // stride, extent
  for (size_t d = 0; d < form.strides.size(); ++d) {
    if (form.strides[d] == 0 || (inner_only && digits_[d].outer)) continue;
    steps.emplace_back(std::abs(form.strides[d]), digits_[d].extent);
  }
  std::sort(steps.begin(), steps.end());
  // Smaller steps must already cover the bytes that one step skips.
  int64_t covered = width;
  for (const auto& [stride, extent] : steps) {
    if (extent == 1) continue;
    if (stride > covered) return std::nullopt;
    covered += stride * (extent - 1);
  }
  return reach;
}

std::optional<ByteRange> IndexForms::Reach(const IndexForm& form, int64_t width,
                                           bool inner_only) const {
  const auto range = RangeOf(form, digits_, inner_only);
  if (!range) return std::nullopt;
  return ByteRange{range->min, range->max + width};
}

namespace {

std::optional<IndexRange> RangeOf(const Expr* expr, const IndexRanges& ranges, int depth);

/// The range of a sum, difference or product, from the ends of the operands' ranges.
template <class T, class F>
std::optional<IndexRange> Corners(const T* node, const IndexRanges& ranges, int depth, F&& f) {
  const auto a = RangeOf(node->a, ranges, depth);
  const auto b = a ? RangeOf(node->b, ranges, depth) : std::nullopt;
  if (!b) return std::nullopt;
  IndexRange all;
  bool first = true;
  for (const int64_t x : {a->min, a->max}) {
    for (const int64_t y : {b->min, b->max}) {
      int64_t value = 0;
      if (f(x, y, &value) || !IsSmall(value)) return std::nullopt;
      all = first ? IndexRange{value, value}
                  : IndexRange{std::min(all.min, value), std::max(all.max, value)};
      first = false;
    }
  }
  return all;
}

/// The range of a quotient or remainder of non-negative numbers.
template <class T>
std::optional<IndexRange> Divided(const T* node, bool rest, const IndexRanges& ranges, int depth) {
  const std::optional<int64_t> divisor = ConstantOf(node->b);
  if (!divisor || *divisor < 1) return std::nullopt;
  const auto a = RangeOf(node->a, ranges, depth);
  if (!a || a->min < 0) return std::nullopt;
  if (!rest) return IndexRange{a->min / *divisor, a->max / *divisor};
  return a->max < *divisor ? *a : IndexRange{0, *divisor - 1};
}

std::optional<IndexRange> RangeOf(const Expr* expr, const IndexRanges& ranges, int depth) {
  if (depth == 0) return std::nullopt;
  --depth;
  std::optional<IndexRange> range;
  if (const std::optional<int64_t> value = ConstantOf(expr)) {
    range = IndexRange{*value, *value};
  } else if (const auto* var = dyn_cast<Var>(expr)) {
    const auto found = ranges.find(var);
    if (found != ranges.end()) range = found->second;
  } else if (const auto* add = dyn_cast<Add>(expr)) {
    range = Corners(add, ranges, depth, [](int64_t x, int64_t y, int64_t* z) {
      return __builtin_add_overflow(x, y, z);
    });
  } else if (const auto* sub = dyn_cast<Sub>(expr)) {
    range = Corners(sub, ranges, depth, [](int64_t x, int64_t y, int64_t* z) {
      return __builtin_sub_overflow(x, y, z);
    });
  } else if (const auto* mul = dyn_cast<Mul>(expr)) {
    range = Corners(mul, ranges, depth, [](int64_t x, int64_t y, int64_t* z) {
      return __builtin_mul_overflow(x, y, z);
    });
  } else if (const auto* div = dyn_cast<FloorDiv>(expr)) {
    range = Divided(div, false, ranges, depth);
  } else if (const auto* mod = dyn_cast<FloorMod>(expr)) {
    range = Divided(mod, true, ranges, depth);
  } else if (const auto* ramp = dyn_cast<Ramp>(expr)) {
    const auto base = RangeOf(ramp->base, ranges, depth);
    const std::optional<int64_t> stride = ConstantOf(ramp->stride);
    const auto most = stride ? SmallProduct(*stride, ramp->dtype.lanes() - 1) : std::nullopt;
    if (!base || !most || ramp->dtype.lanes() < 1) return std::nullopt;
    return IndexRange{base->min + std::min<int64_t>(*most, 0),
                      base->max + std::max<int64_t>(*most, 0)};
  }
  if (!range || !Holds(expr->dtype, *range)) return std::nullopt;
  return range;
}

}  // namespace

std::optional<ByteRange> BytesReached(const Buffer* buffer, Span<const Expr*> indices,
                                      const IndexRanges& ranges) {
  const int64_t width = buffer->dtype.bytes();
  const std::optional<int64_t> offset = OffsetOf(buffer);
  if (width <= 0 || !offset || indices.size() != buffer->shape.size()) return std::nullopt;
  IndexRange all{*offset, *offset};
  for (size_t i = 0; i < indices.size(); ++i) {
    const std::optional<int64_t> stride = StrideOf(buffer, i);
    const auto index = stride ? RangeOf(indices[i], ranges, kMostDepth) : std::nullopt;
    if (!index) return std::nullopt;
    const auto low = SmallProduct(index->min, *stride);
    const auto high = SmallProduct(index->max, *stride);
    if (!low || !high) return std::nullopt;
    all.min += std::min(*low, *high);
    all.max += std::max(*low, *high);
    if (!IsSmall(all.min) || !IsSmall(all.max)) return std::nullopt;
  }
  const auto first = SmallProduct(all.min, width);
  const auto last = SmallProduct(all.max, width);
  if (!first || !last) return std::nullopt;
  return ByteRange{*first, *last + width};
}

}  // namespace tenon
