// The rules must be exact for every input, so each proves by bounds that no shift, sum or upper
// word is too large. Without a proof, an expression remains in 64 bits.

#include "passes/loops/requantize_words.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "arith/analyzer.h"
#include "arith/index_math.h"
#include "arith/interval.h"
#include "ir/builtins.h"
#include "ir/rewriter.h"
#include "ir/visitor.h"
#include "passes/fusion/constant_elements.h"

namespace tenon {

namespace {

/// With fewer bits, the lower word of the number for rounding is not 0. With more, a sum of words
/// may overflow, and the result is 0 for every product of a word and a number above -2^31.
constexpr int64_t kLeastShift = 33;
constexpr int64_t kMostShift = 62;
/// Shifts of a word have fewer bits.
constexpr int64_t kWord = 32;
constexpr int64_t kMostWord = (int64_t{1} << 31) - 1;
constexpr int64_t kQ31 = 31;
/// One half in q31.
constexpr int64_t kHalf = int64_t{1} << 30;

/// The memory that a function loads with more than one type, or with another type than its
/// constant's.
absl::flat_hash_set<const Var*> SeenAsOtherType(const PrimFunc& function) {
  absl::flat_hash_map<const Var*, DataType> types;
  absl::flat_hash_set<const Var*> others;
  const auto add = [&](const Var* data, DataType dtype) {
    if (const auto [known, is_new] = types.try_emplace(data, dtype);
        !is_new && known->second != dtype)
      others.insert(data);
  };
  Walk(function.body, [&](const Node* node) {
    if (const auto* load = dyn_cast<BufferLoad>(node))
      add(load->buffer->data, load->buffer->dtype.element());
    const auto* allocate = dyn_cast<AllocateConst>(node);
    if (allocate != nullptr && allocate->data != nullptr)
      add(allocate->buffer_var, allocate->data->dtype());
    return true;
  });
  return others;
}

class WordRewriter : public Rewriter<WordRewriter> {
 public:
  WordRewriter(Context& context, std::shared_ptr<Storage> storage,
               absl::flat_hash_set<const Var*> others, const RequantizeWordsOptions& options)
      : Rewriter(context, std::move(storage)),
        analyzer_(context, this->storage()->arena()),
        dtypes_(context, this->storage()->arena()),
        others_(std::move(others)),
        options_(options) {}

  const Stmt* RewriteAllocateConst(const AllocateConst* allocate) {
    constants_[allocate->buffer_var] = allocate->data;
    if (allocate->data != nullptr && allocate->data->dtype().is_integer() &&
        !others_.contains(allocate->buffer_var))
      analyzer_.BindElements(allocate->buffer_var, ElementsOf(allocate->data));
    return RewriteChildren(allocate);
  }

  const Expr* RewriteAdd(const Add* sum) {
    const Add* now = RewriteChildren(sum);
    const int64_t* number = AsIntImm(now->b);
    const Expr* clip = number == nullptr ? nullptr : MovedClip(now->a, *number);
    return clip != nullptr ? clip : now;
  }

  const Expr* RewriteSub(const Sub* difference) {
    const Sub* now = RewriteChildren(difference);
    const int64_t* number = AsIntImm(now->b);
    const Expr* clip =
        number == nullptr || *number == INT64_MIN ? nullptr : MovedClip(now->a, -*number);
    return clip != nullptr ? clip : now;
  }

  const Expr* RewriteCast(const Cast* cast_of) {
    const Cast* now = RewriteChildren(cast_of);
    const DataType to = now->dtype;
    if (to != DataType::Int(32) && to != DataType::Int(64)) return now;
    const Expr* value = WideProduct(now->value, to);
    if (value == nullptr && to == DataType::Int(32)) value = WideShift(now->value);
    return value != nullptr ? value : now;
  }

  const Expr* RewriteCall(const Call* call) {
    const Call* now = RewriteChildren(call);
    if (call->dtype != DataType::Int(32)) return now;
    if (call->op->kind == OpKind::kQMultiplyShift) return Together(now);
    return call->op->kind == OpKind::kQMultiplyShiftPerAxis ? PerAxis(now) : now;
  }

 private:
  /// All elements of a constant of integers.
  Interval ElementsOf(const Constant* constant) const {
    if (options_.replaceable) return Interval::OfDType(constant->dtype().element());
    return tenon::ElementsOf(*constant);
  }

  /// q_multiply_shift(x, y, q, s)
  const Expr* Together(const Call* call) {
    const int64_t* factor = AsIntImm(call->args[1]);
    const int64_t* bits = AsIntImm(call->args[2]);
    const int64_t* shift = AsIntImm(call->args[3]);
    if (factor == nullptr || bits == nullptr || shift == nullptr || *factor == kHalf ||
        *bits > kMostShift || *shift < -kMostShift || *shift >= kWord)
      return call;
    const int64_t right = *bits - std::min<int64_t>(*shift, 0);
    // A number that is small enough is first shifted to the left, as far as the product requires.
    const int64_t more = std::max<int64_t>(kLeastShift - right, 0);
    const int64_t left = std::max<int64_t>(*shift, 0) + more;
    if (right > kMostShift || !CanShift(call->args[0], left)) return call;
    return InWords(call->args[0], call->args[1], left, builder().Int(right + more), 0, false);
  }

  /// q_multiply_shift_per_axis(x, y, left, right, q, has_left, has_right)
  const Expr* PerAxis(const Call* call) {
    const int64_t* bits = AsIntImm(call->args[4]);
    if (bits == nullptr || !(IsConstInt(call->args[2], 0) || IsConstInt(call->args[5], 0)))
      return call;
    const std::optional<Interval> right = ElementsOfValue(call->args[3]);
    if (!right || right->min < kLeastShift - *bits) return call;
    const bool is_long = right->max > kMostShift - *bits;
    if (is_long) {
      const std::optional<Interval> factor = ElementsOfValue(call->args[1]);
      if (!factor || !factor->has_min() || factor->min <= Interval::OfDType(DataType::Int(32)).min)
        return call;
    }
    const IndexMath math(builder(), call->range);
    const Expr* shift = math.Convert(DataType::Int(32), call->args[3]);
    return InWords(call->args[0], call->args[1], 0, shift, *bits, is_long);
  }

  /// A value that is clipped to two bounds.
  struct Clip {
    const Expr* value = nullptr;
    int64_t least = 0;
    int64_t most = 0;
  };

  static std::optional<Clip> AsClip(const Expr* expr) {
    const auto* outer = dyn_cast<Max>(expr);
    const auto* inner = outer == nullptr ? nullptr : dyn_cast<Min>(outer->a);
    if (inner == nullptr) return std::nullopt;
    const int64_t* least = AsIntImm(outer->b);
    const int64_t* most = AsIntImm(inner->b);
    if (least == nullptr || most == nullptr || *least > *most) return std::nullopt;
    return Clip{inner->a, *least, *most};
  }

  /// `clip + number` as a clip to the bounds plus `number`, so that the additions before and after
  /// a clip become one. Null if a sum may wrap.
  const Expr* MovedClip(const Expr* clip, int64_t number) {
    const DataType to = clip->dtype;
    const auto* cast_of = dyn_cast<Cast>(clip);
    const std::optional<Clip> found = AsClip(cast_of != nullptr ? cast_of->value : clip);
    if (!found || found->value->dtype != DataType::Int(32) || !to.is_int() || to.bits() > 32)
      return nullptr;
    const auto moved = [&](Interval values) { return values + Interval::Point(number); };
    const auto fits = [&](DataType dtype, Interval values) {
      const Interval all = Interval::OfDType(dtype);
      return values.is_bounded() && all.Contains(values) && all.Contains(moved(values));
    };
    if (!fits(to, {found->least, found->most}) ||
        !fits(DataType::Int(32), analyzer_.Bounds(found->value)))
      return nullptr;
    const IndexMath math(builder(), clip->range);
    const Expr* value = analyzer_.Simplify(math.Add(found->value, builder().Int(number)));
    const Expr* most = builder().Int(found->most + number);
    const Expr* least = builder().Int(found->least + number);
    value = builder().New<Min>(clip->range, value, most);
    value = builder().New<Max>(clip->range, value, least);
    return math.Convert(to, value);
  }

  /// A shift to the right of `value + added`, in 64 bits.
  struct Rounded {
    const Expr* value = nullptr;
    const Expr* added = nullptr;
    const Expr* shift = nullptr;
  };

  static std::optional<Rounded> AsRounded(const Expr* expr) {
    const auto* shift = dyn_cast<Call>(expr);
    if (shift == nullptr || shift->op->kind != OpKind::kShiftRight || shift->dtype.bits() != 64 ||
        !shift->dtype.is_scalar())
      return std::nullopt;
    const auto* sum = dyn_cast<Add>(shift->args[0]);
    if (sum == nullptr) return std::nullopt;
    return Rounded{sum->a, sum->b, shift->args[1]};
  }

  /// An int32 with the value of `expr`, a 64-bit integer of type `wide`; null if it may not fit.
  const Expr* AsWord(const Expr* expr, DataType wide) {
    const DataType word = DataType::Int(32);
    if (const int64_t* number = AsIntImm(expr))
      return *number == static_cast<int32_t>(*number) ? builder().Int(*number) : nullptr;
    const auto* extended = dyn_cast<Cast>(expr);
    if (extended == nullptr || !extended->value->dtype.is_integer()) return nullptr;
    const Interval values = analyzer_.Bounds(extended->value);
    // Negative numbers are other numbers in an unsigned type.
    if (!Interval::OfDType(word).Contains(values) || (wide.is_uint() && values.min < 0))
      return nullptr;
    return IndexMath(builder(), expr->range).Convert(word, extended->value);
  }

  /// `x * y + half >> shift` of words in 64 bits, as int32 or, if it fits, int64. TensorFlow Lite
  /// multiplies in this way, with a shift of 31 bits. Null for other expressions.
  const Expr* WideProduct(const Expr* expr, DataType to) {
    const std::optional<Rounded> rounded = AsRounded(expr);
    const int64_t* half = rounded ? AsIntImm(rounded->added) : nullptr;
    const int64_t* shift = rounded ? AsIntImm(rounded->shift) : nullptr;
    const auto* product = rounded ? dyn_cast<Mul>(rounded->value) : nullptr;
    if (half == nullptr || shift == nullptr || product == nullptr || *shift < 1 ||
        *shift > kMostShift || *half != int64_t{1} << (*shift - 1))
      return nullptr;
    const Expr* x = AsWord(product->a, product->dtype);
    const Expr* y = AsWord(product->b, product->dtype);
    if (x == nullptr || y == nullptr) return nullptr;
    if (*shift >= kLeastShift && to == DataType::Int(32))
      return InWords(x, y, 0, builder().Int(*shift), 0, false);
    if (!options_.twice || *shift != kQ31) return nullptr;
    return InQ31(x, y, to);
  }

  /// x * y of words in q31, if it is known that one of them is not -2^31, whose square does not
  /// fit; the new expression must show this without the values of constants. Null otherwise.
  const Expr* InQ31(const Expr* x, const Expr* y, DataType to) {
    const IndexMath math(builder(), x->range);
    const int64_t least = Interval::OfDType(DataType::Int(32)).min;
    if (dtypes_.Bounds(x).min <= least && dtypes_.Bounds(y).min <= least) {
      if (analyzer_.Bounds(y).min < 0) std::swap(x, y);
      if (analyzer_.Bounds(y).min < 0) return nullptr;
      y = builder().New<Max>(y->range, y, builder().Int(0));
    }
    const Expr* product =
        builder().NewCall(DataType::Int(32), OpKind::kQMultiplyShiftPerAxis,
                          {x, y, builder().Int(0), builder().Int(0), builder().Int(kQ31),
                           builder().Bool(false), builder().Bool(false)},
                          x->range);
    return math.Convert(to, product);
  }

  /// `value + (1 << (shift - 1)) >> shift` in 64 bits as shifts of a word, for constants `shift` of
  /// each channel. Null for other expressions.
  const Expr* WideShift(const Expr* expr) {
    const std::optional<Rounded> rounded = AsRounded(expr);
    const auto* half = rounded ? dyn_cast<Call>(rounded->added) : nullptr;
    if (half == nullptr || half->op->kind != OpKind::kShiftLeft || !IsConstInt(half->args[0], 1))
      return nullptr;
    const IndexMath math(builder(), expr->range);
    const Expr* less = math.Sub(rounded->shift, half->args[1]);
    const std::optional<Interval> shifts = ElementsOfValue(rounded->shift);
    const Expr* word = AsWord(rounded->value, expr->dtype);
    if (!shifts || shifts->min < 1 || word == nullptr || !IsConstInt(analyzer_.Simplify(less), 1) ||
        !analyzer_.CanProveLess(word, kMostWord))
      return nullptr;
    const Expr* amount =
        math.Sub(math.Convert(DataType::Int(32), rounded->shift), builder().Int(1));
    if (shifts->max > kWord)
      amount = builder().New<Min>(expr->range, amount, builder().Int(kWord - 1));
    return Halved(word, amount);
  }

  /// `((word >> amount) + 1) >> 1`
  const Expr* Halved(const Expr* word, const Expr* amount) {
    const IndexMath math(builder(), word->range);
    const auto shifted = [&](const Expr* value, const Expr* by) {
      return builder().NewCall(value->dtype, OpKind::kShiftRight, {value, by}, word->range);
    };
    return shifted(math.Add(shifted(word, amount), builder().Int(1)), builder().Int(1));
  }

  /// True if all values of `expr`, shifted to the left by `bits`, fit in int32.
  bool CanShift(const Expr* expr, int64_t bits) {
    if (bits == 0) return true;
    if (bits >= kWord) return false;
    const Interval values = analyzer_.Bounds(expr);
    const Interval words = Interval::OfDType(DataType::Int(32));
    return values.is_bounded() && words.Contains(values * Interval::Point(int64_t{1} << bits));
  }

  /// An interval of the values of an expression; nullopt if they are not constants.
  std::optional<Interval> ElementsOfValue(const Expr* expr) const {
    if (const int64_t* number = AsIntImm(expr)) return Interval{*number, *number};
    if (const auto* cast = dyn_cast<Cast>(expr)) {
      const bool is_wider = cast->dtype.is_int() && cast->value->dtype.is_int() &&
                            cast->dtype.bits() >= cast->value->dtype.bits();
      return is_wider ? ElementsOfValue(cast->value) : std::nullopt;
    }
    const auto* load = dyn_cast<BufferLoad>(expr);
    if (load == nullptr || !load->dtype.is_int() || !load->dtype.is_scalar()) return std::nullopt;
    const auto constant = constants_.find(load->buffer->data);
    if (constant == constants_.end() || constant->second == nullptr ||
        constant->second->dtype() != load->dtype)
      return std::nullopt;
    return ElementsOf(constant->second);
  }

  /// The rounded product of `x`, shifted to the left by `left`, and `y`, shifted to the right by
  /// `shift + bits`. `is_long`: some of these shifts are of more than kMostShift bits.
  const Expr* InWords(const Expr* x, const Expr* y, int64_t left, const Expr* shift, int64_t bits,
                      bool is_long) {
    const SourceRange range = x->range;
    const IndexMath math(builder(), range);
    const auto shifted = [&](OpKind kind, const Expr* value, const Expr* amount) {
      return builder().NewCall(value->dtype, kind, {value, amount}, range);
    };
    const auto moved = [&](int64_t added) {
      return added < 0 ? math.Sub(shift, builder().Int(-added))
                       : math.Add(shift, builder().Int(added));
    };
    const DataType wide = DataType::Int(64);
    if (left > 0) x = shifted(OpKind::kShiftLeft, x, builder().Int(left));
    const Expr* product = math.Mul(math.Convert(wide, x), math.Convert(wide, y));
    const Expr* upper =
        builder().New<Cast>(range, DataType::Int(32),
                            shifted(OpKind::kShiftRight, product, builder().Int(wide, kWord)));
    const Expr* amount = moved(bits - kLeastShift);
    if (options_.twice || is_long) {
      // The upper word is at most 2^30 in size, so that the next number is not too large. After a
      // shift by 31, it is 0 or 1.
      if (is_long) amount = builder().New<Min>(range, amount, builder().Int(kWord - 1));
      return Halved(upper, amount);
    }
    const Expr* half = shifted(OpKind::kShiftLeft, builder().Int(1), amount);
    const Expr* sum = builder().New<Add>(range, upper, half);
    return shifted(OpKind::kShiftRight, sum, moved(bits - kLeastShift + 1));
  }

  Analyzer analyzer_;
  /// Does not know the values of constants.
  Analyzer dtypes_;
  absl::flat_hash_map<const Var*, const Constant*> constants_;
  const absl::flat_hash_set<const Var*> others_;
  const RequantizeWordsOptions& options_;
};

}  // namespace

absl::StatusOr<IRModule> RequantizeWords(const IRModule& module,
                                         const RequantizeWordsOptions& options,
                                         PassContext& context) {
  return ForEachFunction(module, context, [&](const Function& function, Diagnostics&) {
    return RewriteFunction<WordRewriter>(module.context(), function,
                                         SeenAsOtherType(*function.func), options);
  });
}

}  // namespace tenon
