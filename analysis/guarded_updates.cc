// An update under a condition is an update by a neutral number otherwise. For maxima, that number
// is the one that the buffer begins with, so the starts are collected before anything moves.

#include "analysis/guarded_updates.h"

#include <cmath>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "ir/analysis/node_queries.h"
#include "ir/builtins.h"
#include "ir/rewriter.h"
#include "ir/structural.h"

namespace tenon {

namespace {

/// A store that combines the old value of its element with an operand, such as `a[i] = a[i] + x`.
struct Update {
  NodeKind kind;
  const Expr* old_value = nullptr;
  const Expr* operand = nullptr;
  bool is_operand_first = false;
};

bool IsSameElement(const BufferLoad& load, const BufferStore& store) {
  if (load.buffer != store.buffer || load.predicate != nullptr) return false;
  for (size_t i = 0; i < store.indices.size(); ++i) {
    if (!HaveSameValue(load.indices[i], store.indices[i])) return false;
  }
  return true;
}

template <class T>
std::optional<Update> UpdateOf(const BufferStore& store) {
  const auto* value = dyn_cast<T>(store.value);
  if (value == nullptr) return std::nullopt;
  for (const auto& [element, operand] :
       {std::pair(value->a, value->b), std::pair(value->b, value->a)}) {
    const auto* load = dyn_cast<BufferLoad>(element);
    if (load != nullptr && IsSameElement(*load, store))
      return Update{T::kKind, element, operand, operand == value->a};
  }
  return std::nullopt;
}

std::optional<Update> UpdateOf(const BufferStore& store) {
  if (store.predicate != nullptr || !store.value->dtype.is_scalar()) return std::nullopt;
  if (const auto sum = UpdateOf<tenon::Add>(store)) return sum;
  if (const auto greatest = UpdateOf<Max>(store)) return greatest;
  return UpdateOf<Min>(store);
}

bool IsNumber(const Expr* expr) { return isa<IntImm>(expr) || isa<FloatImm>(expr); }

class Mover : public Rewriter<Mover> {
 public:
  Mover(Context& context, std::shared_ptr<Storage> storage, const PrimFunc& func, bool keeps_zeros)
      : Rewriter(context, std::move(storage)), keeps_zeros_(keeps_zeros) {
    FindStarts(func);
  }

  const Stmt* RewriteIfThenElse(const IfThenElse* choice) {
    if (conditions_.empty() && !ReadsMemory(choice->condition)) {
      if (const Stmt* one = OneUpdate(*choice)) return one;
    }
    const bool moves = choice->else_case == nullptr && !ReadsMemory(choice->condition) &&
                       HasUpdatesAlone(choice->then_case);
    if (!moves) return RewriteChildren(choice);
    conditions_.push_back(choice->condition);
    const Stmt* body = RewriteStmt(choice->then_case);
    conditions_.pop_back();
    return body;
  }

  const Stmt* RewriteBufferStore(const BufferStore* store) {
    if (conditions_.empty()) return store;
    const Update update = *UpdateOf(*store);
    const Expr* otherwise = update.kind == NodeKind::kAdd ? builder().Number(store->value->dtype, 0)
                                                          : starts_.at(store->buffer->data);
    const Expr* condition = conditions_[0];
    for (size_t i = 1; i < conditions_.size(); ++i)
      condition = builder().New<And>(condition->range, condition, conditions_[i]);
    const Expr* operand = builder().NewCall(update.operand->dtype, OpKind::kIfThenElse,
                                            {condition, update.operand, otherwise}, store->range);
    BufferStore now = *store;
    now.value = WithOperand(update, operand);
    return arena().New<BufferStore>(now);
  }

 private:
  /// One update for two branches that update the same element; null for other branches.
  const Stmt* OneUpdate(const IfThenElse& choice) {
    const auto* yes = dyn_cast<BufferStore>(choice.then_case);
    const auto* no =
        choice.else_case == nullptr ? nullptr : dyn_cast<BufferStore>(choice.else_case);
    if (yes == nullptr || no == nullptr) return nullptr;
    const std::optional<Update> update = UpdateOf(*yes);
    const std::optional<Update> other = UpdateOf(*no);
    if (!update || !other || update->kind != other->kind ||
        update->is_operand_first != other->is_operand_first ||
        !IsSameElement(*cast<BufferLoad>(update->old_value), *no))
      return nullptr;
    const Expr* operand = Chosen(choice, update->operand, other->operand);
    BufferStore now = *yes;
    now.value = WithOperand(*update, operand);
    return arena().New<BufferStore>(now);
  }

  /// The operand of the branch that runs. Of two products with one factor in common, the other
  /// factor is chosen: it is an element or 0 at the pads of a convolution.
  const Expr* Chosen(const IfThenElse& choice, const Expr* yes, const Expr* no) {
    const auto* product = dyn_cast<Mul>(yes);
    const auto* other = dyn_cast<Mul>(no);
    if (product != nullptr && other != nullptr && StructuralEqual(product->b, other->b))
      return builder().New<Mul>(yes->range, Chosen(choice, product->a, other->a), product->b);
    if (product != nullptr && other != nullptr && StructuralEqual(product->a, other->a))
      return builder().New<Mul>(yes->range, product->a, Chosen(choice, product->b, other->b));
    return builder().NewCall(yes->dtype, OpKind::kIfThenElse, {choice.condition, yes, no},
                             choice.range);
  }

  const Expr* WithOperand(const Update& update, const Expr* operand) {
    const SourceRange range = update.operand->range;
    // The order of the operands decides what NaN gives.
    const auto [a, b] = update.is_operand_first ? std::pair(operand, update.old_value)
                                                : std::pair(update.old_value, operand);
    if (update.kind == NodeKind::kAdd) return builder().New<tenon::Add>(range, a, b);
    if (update.kind == NodeKind::kMax) return builder().New<Max>(range, a, b);
    return builder().New<Min>(range, a, b);
  }

  /// Buffers that one number and updates of one kind are stored to: that number changes no maximum.
  void FindStarts(const PrimFunc& func) {
    absl::flat_hash_map<const Var*, NodeKind> kinds;
    const auto refuse = [&](const Var* data) { starts_[data] = nullptr; };
    Walk(func.body, [&](const Node* node) {
      const auto* store = dyn_cast<BufferStore>(node);
      if (store == nullptr) return true;
      const Var* data = store->buffer->data;
      if (IsNumber(store->value)) {
        const Expr*& start = starts_.try_emplace(data, store->value).first->second;
        if (start != nullptr && !StructuralEqual(start, store->value)) start = nullptr;
        return true;
      }
      const std::optional<Update> update = UpdateOf(*store);
      if (!update || kinds.try_emplace(data, update->kind).first->second != update->kind)
        refuse(data);
      return true;
    });
  }

  /// True if conditions can move into all stores of a statement.
  bool HasUpdatesAlone(const Stmt* stmt) const {
    if (const auto* loop = dyn_cast<For>(stmt)) return HasUpdatesAlone(loop->body);
    if (const auto* seq = dyn_cast<SeqStmt>(stmt)) {
      for (const Stmt* one : seq->seq)
        if (!HasUpdatesAlone(one)) return false;
      return true;
    }
    if (const auto* choice = dyn_cast<IfThenElse>(stmt)) {
      return choice->else_case == nullptr && !ReadsMemory(choice->condition) &&
             HasUpdatesAlone(choice->then_case);
    }
    const auto* store = dyn_cast<BufferStore>(stmt);
    const std::optional<Update> update = store == nullptr ? std::nullopt : UpdateOf(*store);
    if (!update) return false;
    const auto start = starts_.find(store->buffer->data);
    const bool has_start = start != starts_.end() && start->second != nullptr;
    if (update->kind != NodeKind::kAdd) return has_start;
    if (!keeps_zeros_ || !store->value->dtype.is_floating()) return true;
    const auto* number = has_start ? dyn_cast<FloatImm>(start->second) : nullptr;
    return number != nullptr && (number->value != 0 || !std::signbit(number->value));
  }

  const bool keeps_zeros_;
  std::vector<const Expr*> conditions_;
  absl::flat_hash_map<const Var*, const Expr*> starts_;
};

}  // namespace

Function MoveGuardsIntoUpdates(Context& context, const Function& function, bool keeps_zeros) {
  return RewriteFunction<Mover>(context, function, *function.func, keeps_zeros);
}

}  // namespace tenon
