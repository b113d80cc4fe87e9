#include "passes/loops/requantize_words.h"

#include <optional>

#include "absl/container/flat_hash_map.h"
#include "arith/index_math.h"
#include "arith/interval.h"
#include "ir/builtins.h"
#include "ir/rewriter.h"
#include "passes/fusion/constant_elements.h"

namespace tenon {

namespace {

/// With fewer bits, the number for rounding does not have a lower word of 0. With more, a sum
/// of words may overflow.
constexpr int64_t kLeastShift = 33;
constexpr int64_t kMostShift = 62;
/// One half in q31.
constexpr int64_t kHalf = int64_t{1} << 30;

class WordRewriter : public Rewriter<WordRewriter> {
 public:
  using Rewriter::Rewriter;

  const Stmt* RewriteAllocateConst(const AllocateConst* allocate) {
    constants_[allocate->buffer_var] = allocate->data;
    return RewriteChildren(allocate);
  }

  const Expr* RewriteCall(const Call* call) {
    const Call* now = RewriteChildren(call);
    if (call->dtype != DataType::Int(32)) return now;
    if (call->op->kind == OpKind::kQMultiplyShift) return Together(now);
    return call->op->kind == OpKind::kQMultiplyShiftPerAxis ? PerAxis(now) : now;
  }

 private:
  /// q_multiply_shift(x, y, q, s)
  const Expr* Together(const Call* call) {
    const int64_t* factor = AsIntImm(call->args[1]);
    const int64_t* bits = AsIntImm(call->args[2]);
    const int64_t* shift = AsIntImm(call->args[3]);
    if (factor == nullptr || bits == nullptr || shift == nullptr || *factor == kHalf || *shift > 0)
      return call;
    const int64_t right = *bits - *shift;
    if (right < kLeastShift || right > kMostShift) return call;
    return InWords(call, builder().Int(right), 0);
  }

  /// q_multiply_shift_per_axis(x, y, left, right, q, has_left, has_right)
  const Expr* PerAxis(const Call* call) {
    const int64_t* bits = AsIntImm(call->args[4]);
    if (bits == nullptr || !(IsConstInt(call->args[2], 0) || IsConstInt(call->args[5], 0)))
      return call;
    const std::optional<Interval> right = ElementsOfValue(call->args[3]);
    if (!right || right->min < kLeastShift - *bits || right->max > kMostShift - *bits) return call;
    const IndexMath math(builder(), call->range);
    const Expr* shift = math.Convert(DataType::Int(32), call->args[3]);
    return InWords(call, shift, *bits);
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
    return ElementsOf(*constant->second);
  }

  /// The rounded product of the first two arguments, shifted to the right by `shift + bits`.
  const Expr* InWords(const Call* call, const Expr* shift, int64_t bits) {
    const IndexMath math(builder(), call->range);
    const auto shifted = [&](OpKind kind, const Expr* value, const Expr* amount) {
      return builder().NewCall(value->dtype, kind, {value, amount}, call->range);
    };
    const auto moved = [&](int64_t added) {
      return added < 0 ? math.Sub(shift, builder().Int(-added))
                       : math.Add(shift, builder().Int(added));
    };
    const DataType wide = DataType::Int(64);
    const Expr* product =
        math.Mul(math.Convert(wide, call->args[0]), math.Convert(wide, call->args[1]));
    const Expr* upper =
        builder().New<Cast>(call->range, DataType::Int(32),
                            shifted(OpKind::kShiftRight, product, builder().Int(wide, 32)));
    const Expr* half = shifted(OpKind::kShiftLeft, builder().Int(1), moved(bits - kLeastShift));
    const Expr* sum = builder().New<Add>(call->range, upper, half);
    return shifted(OpKind::kShiftRight, sum, moved(bits - kLeastShift + 1));
  }

  absl::flat_hash_map<const Var*, const Constant*> constants_;
};

}  // namespace

absl::StatusOr<IRModule> RequantizeWords(const IRModule& module, const NoOptions&,
                                         PassContext& context) {
  return ForEachFunction(module, context, [&](const Function& function, Diagnostics&) {
    return RewriteFunction<WordRewriter>(module.context(), function);
  });
}

}  // namespace tenon
