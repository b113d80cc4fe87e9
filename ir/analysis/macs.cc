#include "ir/analysis/macs.h"

#include <algorithm>

#include "ir/analysis/effects.h"
#include "ir/builtins.h"
#include "ir/visitor.h"
#include "support/saturated.h"
#include "support/stack.h"

namespace tenon {

namespace {

/// The parts of a stored sum: its own element, and products.
struct Summands {
  bool has_element = false;
  int64_t products = 0;
};

Summands EitherSummands(const Summands& a, const Summands& b) {
  return {a.has_element || b.has_element, std::max(a.products, b.products)};
}

Summands SummandsOf(const Expr* expr, const Var* stored);

Summands SummandsOfBoth(const BinaryExpr& sum, const Var* stored) {
  const Summands a = WithStack([&] { return SummandsOf(sum.a, stored); });
  const Summands b = SummandsOf(sum.b, stored);
  return {a.has_element || b.has_element, SaturatedAdd(a.products, b.products)};
}

/// The summands of `expr`, as far as they are sums, casts and choices.
Summands SummandsOf(const Expr* expr, const Var* stored) {
  if (const auto* load = dyn_cast<BufferLoad>(expr)) return {load->buffer->data == stored, 0};
  if (isa<Mul>(expr)) return {false, expr->dtype.lanes()};
  if (isa<Add>(expr) || isa<Sub>(expr))
    return SummandsOfBoth(*static_cast<const BinaryExpr*>(expr), stored);
  if (const auto* cast = dyn_cast<Cast>(expr)) return SummandsOf(cast->value, stored);
  if (const auto* let = dyn_cast<Let>(expr)) return SummandsOf(let->body, stored);
  if (const auto* select = dyn_cast<Select>(expr))
    return EitherSummands(SummandsOf(select->true_value, stored),
                          SummandsOf(select->false_value, stored));
  const auto* call = dyn_cast<Call>(expr);
  if (call != nullptr && call->op->kind == OpKind::kDp4a && call->args.size() == 3) {
    const Summands sum = SummandsOf(call->args[2], stored);
    return {sum.has_element, SaturatedAdd(sum.products, 4)};
  }
  if (call != nullptr && call->op->kind == OpKind::kIfThenElse && call->args.size() == 3)
    return EitherSummands(SummandsOf(call->args[1], stored), SummandsOf(call->args[2], stored));
  return {};
}

class StoreCounter : public Visitor<StoreCounter> {
 public:
  StoreCounter(const IRModule& module, MacCounter& callees) : module_(module), callees_(callees) {}

  void VisitBufferStore(const BufferStore* store) {
    const Summands sum = SummandsOf(store->value, store->buffer->data);
    if (sum.has_element) count = SaturatedAdd(count, SaturatedMul(times_, sum.products));
    VisitChildren(store);
  }
  void VisitFor(const For* loop) {
    const int64_t* extent = AsIntImm(loop->extent);
    const int64_t outside = times_;
    if (extent != nullptr) times_ = SaturatedMul(times_, std::max<int64_t>(*extent, 0));
    Visit(loop->body);
    times_ = outside;
  }
  void VisitIfThenElse(const IfThenElse* branch) {
    const int64_t before = count;
    Visit(branch->then_case);
    const int64_t with_then = count;
    count = before;
    if (branch->else_case != nullptr) Visit(branch->else_case);
    count = std::max(count, with_then);
  }
  void VisitCall(const Call* call) {
    const CallSite site = AsCallSite(module_, call);
    if (site.callee != nullptr)
      count = SaturatedAdd(count, SaturatedMul(times_, callees_.Of(*site.callee)));
    VisitChildren(call);
  }

  int64_t count = 0;

 private:
  const IRModule& module_;
  MacCounter& callees_;
  int64_t times_ = 1;
};

}  // namespace

int64_t MacCounter::Of(const Stmt* stmt) {
  if (stmt == nullptr) return 0;
  StoreCounter counter(module_, *this);
  counter.Visit(stmt);
  return counter.count;
}

int64_t MacCounter::Of(const Function& function) {
  // A function that is being counted is recursive, and counts as nothing.
  const auto [known, is_new] = known_.try_emplace(function.name, 0);
  if (!is_new) return known->second;
  const int64_t count = Of(function.func->body);
  known_[function.name] = count;
  return count;
}

}  // namespace tenon
