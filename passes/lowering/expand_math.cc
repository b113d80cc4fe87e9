// Only the choice of calls is here: one call of the C library beats the arithmetic for scalars,
// except for tanh. The table of powers of 2 is allocated once in a function, around its body.

#include "passes/lowering/expand_math.h"

#include <atomic>
#include <cstring>
#include <utility>
#include <vector>

#include "arith/index_math.h"
#include "ir/builtins.h"
#include "ir/rewriter.h"
#include "ir/visitor.h"
#include "passes/lowering/math_expansions.h"

namespace tenon {

namespace {

class MathExpansion : public Rewriter<MathExpansion> {
 public:
  MathExpansion(Context& context, std::shared_ptr<Storage> storage, std::atomic<int64_t>& calls)
      : Rewriter(context, std::move(storage)), calls_(calls) {}

  const Expr* RewriteCall(const Call* call) {
    const Call* now = RewriteChildren(call);
    const DataType dtype = now->dtype;
    const OpKind op = now->op->kind;
    // One call of the library takes less time than the arithmetic of exp and erf.
    const bool expands = op == OpKind::kTanh || dtype.lanes() > 1;
    if (!HasArithmetic(*now) || !expands || dtype.is_scalable()) return now;
    ++calls_;
    const IntrinBuilder make(builder(), now->range);
    if (op == OpKind::kTanh) return ExpandTanh(make, now->args[0]);
    return op == OpKind::kExp ? ExpandExp(make, now->args[0], Powers())
                              : ExpandErf(make, now->args[0], Powers());
  }

  /// `body` within the allocation of the table, if an expansion reads it.
  const Stmt* WithTable(const Stmt* body) {
    if (powers_ == nullptr) return body;
    const std::array<int64_t, kPowers> table = PowersOfTwo();
    std::vector<uint8_t> bytes(sizeof table);
    std::memcpy(bytes.data(), table.data(), sizeof table);
    const Constant* data = builder().context().AddConstant(
        {}, powers_->dtype, {kPowers}, std::move(bytes), ConstantPlacement(), SourceRange());
    return builder().New<AllocateConst>({}, powers_->data, powers_->dtype, powers_->shape, data,
                                        nullptr, body);
  }

 private:
  const Buffer* Powers() {
    if (powers_ == nullptr)
      powers_ = NewFlatBuffer(builder(), "exp_powers", DataType::Int(64), kPowers);
    return powers_;
  }

  std::atomic<int64_t>& calls_;
  const Buffer* powers_ = nullptr;
};

}  // namespace

bool HasArithmetic(const Call& call) {
  const OpKind op = call.op->kind;
  return call.dtype.element() == DataType::Float(32) &&
         (op == OpKind::kExp || op == OpKind::kErf || op == OpKind::kTanh);
}

bool CallsArithmetic(const Node* node) {
  bool found = false;
  Walk(node, [&](const Node* child) {
    const auto* call = dyn_cast<Call>(child);
    found |= call != nullptr && HasArithmetic(*call);
    return !found;
  });
  return found;
}

absl::StatusOr<IRModule> ExpandMath(const IRModule& module, const NoOptions& /*options*/,
                                    PassContext& context) {
  std::atomic<int64_t> calls = 0;
  absl::StatusOr<IRModule> result =
      ForEachFunction(module, context, [&](const Function& function, Diagnostics&) -> Function {
        auto storage = std::make_shared<Storage>(function.storage);
        MathExpansion expansion(module.context(), storage, calls);
        const PrimFunc* now = expansion.RewriteFunc(function.func);
        if (now == function.func) return function;
        PrimFunc copy = *now;
        copy.body = expansion.WithTable(now->body);
        return Function{function.name, storage->arena().New<PrimFunc>(copy), storage};
      });
  context.Count("expand-math.calls", calls);
  return result;
}

}  // namespace tenon
