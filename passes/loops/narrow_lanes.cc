// Interval analysis from the loads upwards. If each value fits in 16 bits, the whole tree is
// rebuilt. A part of a tree is never narrowed, because it would need additional casts.

#include "passes/loops/narrow_lanes.h"

#include <algorithm>
#include <atomic>
#include <optional>
#include <utility>

#include "ir/builtins.h"
#include "ir/rewriter.h"

namespace tenon {

namespace {

constexpr int kNarrowBits = 16;
constexpr int64_t kLeastNarrow = -(int64_t{1} << (kNarrowBits - 1));
constexpr int64_t kMostNarrow = (int64_t{1} << (kNarrowBits - 1)) - 1;

/// A value in 16 bits, and its range.
struct Narrowed {
  const Expr* value = nullptr;
  int64_t min = 0;
  int64_t max = 0;
};

class LaneNarrower : public Rewriter<LaneNarrower> {
 public:
  LaneNarrower(Context& context, std::shared_ptr<Storage> storage, std::atomic<int64_t>& stores)
      : Rewriter(context, std::move(storage)), stores_(stores) {}

  const Stmt* RewriteBufferStore(const BufferStore* store) {
    const auto* cast = dyn_cast<Cast>(store->value);
    if (cast == nullptr || cast->dtype.is_scalar() || !IsSmall(cast->dtype) ||
        !IsWide(cast->value->dtype) || isa<Cast>(cast->value))
      return store;
    const std::optional<Narrowed> narrowed = Narrow(cast->value);
    if (!narrowed) return store;
    ++stores_;
    BufferStore now = *store;
    now.value = builder().New<Cast>(cast->range, cast->dtype, narrowed->value);
    return arena().New<BufferStore>(now);
  }

 private:
  /// True for integer types whose values fit in int16.
  static bool IsSmall(DataType dtype) {
    return (dtype.is_int() && dtype.bits() <= kNarrowBits && !dtype.is_bool()) ||
           (dtype.is_uint() && dtype.bits() < kNarrowBits && !dtype.is_bool());
  }
  static bool IsWide(DataType dtype) { return dtype.is_int() && dtype.bits() == 32; }
  static DataType NarrowType(DataType wide) {
    return DataType::Int(kNarrowBits).with_lanes(wide.lanes());
  }
  static std::optional<Narrowed> InRange(const Expr* value, int64_t min, int64_t max) {
    if (min < kLeastNarrow || max > kMostNarrow) return std::nullopt;
    return Narrowed{value, min, max};
  }

  std::optional<Narrowed> Narrow(const Expr* expr) {
    if (!IsWide(expr->dtype)) return std::nullopt;
    switch (expr->kind) {
      case NodeKind::kIntImm: {
        const int64_t value = cast<IntImm>(expr)->value;
        return InRange(builder().Int(NarrowType(expr->dtype), value), value, value);
      }
      case NodeKind::kBroadcast: {
        std::optional<Narrowed> value = Narrow(cast<Broadcast>(expr)->value);
        if (value)
          value->value = builder().New<Broadcast>(expr->range, value->value, expr->dtype.lanes());
        return value;
      }
      case NodeKind::kCast:
        return NarrowCast(cast<Cast>(expr));
      case NodeKind::kSelect:
        return NarrowSelect(cast<Select>(expr));
      case NodeKind::kCall:
        return NarrowShift(cast<Call>(expr));
      case NodeKind::kAdd:
      case NodeKind::kSub:
      case NodeKind::kMul:
      case NodeKind::kMin:
      case NodeKind::kMax:
        return NarrowBinary(static_cast<const BinaryExpr*>(expr));
      default:
        return std::nullopt;
    }
  }

  std::optional<Narrowed> NarrowCast(const Cast* node) {
    const DataType from = node->value->dtype;
    if (!IsSmall(from)) return std::nullopt;
    const int64_t values = int64_t{1} << from.bits();
    const int64_t min = from.is_int() ? -values / 2 : 0;
    const Expr* value = builder().New<Cast>(node->range, NarrowType(node->dtype), node->value);
    return InRange(value, min, min + values - 1);
  }

  std::optional<Narrowed> NarrowBinary(const BinaryExpr* node) {
    const std::optional<Narrowed> a = Narrow(node->a);
    const std::optional<Narrowed> b = a ? Narrow(node->b) : std::nullopt;
    if (!b) return std::nullopt;
    switch (node->kind) {
      case NodeKind::kAdd:
        return InRange(builder().New<Add>(node->range, a->value, b->value), a->min + b->min,
                       a->max + b->max);
      case NodeKind::kSub:
        return InRange(builder().New<Sub>(node->range, a->value, b->value), a->min - b->max,
                       a->max - b->min);
      case NodeKind::kMin:
        return InRange(builder().New<Min>(node->range, a->value, b->value),
                       std::min(a->min, b->min), std::min(a->max, b->max));
      case NodeKind::kMax:
        return InRange(builder().New<Max>(node->range, a->value, b->value),
                       std::max(a->min, b->min), std::max(a->max, b->max));
      default: {
        const auto [min, max] =
            std::minmax({a->min * b->min, a->min * b->max, a->max * b->min, a->max * b->max});
        return InRange(builder().New<Mul>(node->range, a->value, b->value), min, max);
      }
    }
  }

  /// Shifts to the right by a constant.
  std::optional<Narrowed> NarrowShift(const Call* call) {
    if (call->op->kind != OpKind::kShiftRight) return std::nullopt;
    const std::optional<Narrowed> value = Narrow(call->args[0]);
    const std::optional<Narrowed> by = value ? Narrow(call->args[1]) : std::nullopt;
    if (!by || by->min != by->max || by->min < 0 || by->min >= kNarrowBits) return std::nullopt;
    const Expr* shifted =
        builder().New<Call>(call->range, value->value->dtype, call->op,
                            builder().List<Expr>({value->value, by->value}), call->callee);
    return Narrowed{shifted, value->min >> by->min, value->max >> by->min};
  }

  /// Selects whose condition compares small numbers.
  std::optional<Narrowed> NarrowSelect(const Select* node) {
    const std::optional<Narrowed> yes = Narrow(node->true_value);
    const std::optional<Narrowed> no = yes ? Narrow(node->false_value) : std::nullopt;
    if (!no || !BinaryExpr::ClassOf(node->condition)) return std::nullopt;
    const auto* condition = static_cast<const BinaryExpr*>(node->condition);
    const std::optional<Narrowed> a = Narrow(condition->a);
    const std::optional<Narrowed> b = a ? Narrow(condition->b) : std::nullopt;
    if (!b) return std::nullopt;
    const Expr* compared = DispatchExpr(condition, [&](const auto* n) -> const Expr* {
      using T = std::remove_cvref_t<decltype(*n)>;
      if constexpr (std::is_base_of_v<BinaryExpr, T>)
        return builder().template New<T>(n->range, a->value, b->value);
      return nullptr;
    });
    return Narrowed{builder().New<Select>(node->range, compared, yes->value, no->value),
                    std::min(yes->min, no->min), std::max(yes->max, no->max)};
  }

  std::atomic<int64_t>& stores_;
};

}  // namespace

absl::StatusOr<IRModule> NarrowLanes(const IRModule& module, const NoOptions&,
                                     PassContext& context) {
  std::atomic<int64_t> stores = 0;
  absl::StatusOr<IRModule> result =
      ForEachFunction(module, context, [&](const Function& function, Diagnostics&) {
        return RewriteFunction<LaneNarrower>(module.context(), function, stores);
      });
  context.Count("narrow-lanes.stores", stores);
  return result;
}

}  // namespace tenon
