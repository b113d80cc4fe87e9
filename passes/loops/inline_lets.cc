// One rewriter for three choices of variables, because passes need to see through different ones.
// The limit on nodes counts values within values, which could double at each let.

#include "passes/loops/inline_lets.h"

#include <algorithm>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "ir/builtins.h"
#include "ir/rewriter.h"
#include "ir/scope_rows.h"

namespace tenon {

namespace {

/// Without a limit, values in values would grow exponentially.
constexpr int kMostNodes = 64;

bool IsSmallIndex(const Expr* expr) {
  int nodes = 0;
  bool plain = true;
  Walk(expr, [&](const Node* node) {
    plain &= ++nodes <= kMostNodes && !isa<BufferLoad>(node) && !isa<ProducerLoad>(node) &&
             !isa<Let>(node) && !isa<Reduce>(node);
    if (const auto* call = dyn_cast<Call>(node)) {
      plain &= call->op->effect == OpEffect::kPure && call->op->kind != OpKind::kCallPureExtern &&
               call->op->kind != OpKind::kCallLLVMPureIntrin && call->op->kind != OpKind::kUndef;
    }
    return plain;
  });
  return plain;
}

/// A variable, or the address of an element with small indices.
bool IsSmallPointer(const Expr* expr) {
  if (isa<Var>(expr)) return true;
  const auto* call = dyn_cast<Call>(expr);
  if (call == nullptr || call->op->kind != OpKind::kAddressOf) return false;
  const auto* load = dyn_cast<BufferLoad>(call->args[0]);
  return load != nullptr && load->predicate == nullptr &&
         std::all_of(load->indices.begin(), load->indices.end(), IsSmallIndex);
}

/// The variables that are replaced.
enum class Inlined : uint8_t { kIndices, kIndicesAndPointers, kPointerNames };

/// True if a variable's value is another pointer to the same dtype.
bool IsPointerName(const LetStmt& let) {
  const auto* value = dyn_cast<Var>(let.value);
  return value != nullptr && value->type->is_pointer() && let.var->type->is_pointer() &&
         value->type->dtype == let.var->type->dtype;
}

class LetInliner : public Rewriter<LetInliner> {
 public:
  LetInliner(Context& context, std::shared_ptr<Storage> storage, Inlined inlined)
      : Rewriter(context, std::move(storage)), inlined_(inlined) {}

  const PrimFunc* RewriteFunc(const PrimFunc* function) {
    Walk(function->body, [&](const Node* node) {
      if (const auto* buffer = dyn_cast<Buffer>(node)) data_.insert(buffer->data);
      return inlined_ == Inlined::kIndicesAndPointers;
    });
    return Rewriter::RewriteFunc(function);
  }

  const Stmt* RewriteLetStmt(const LetStmt* let) {
    if (const Stmt* body = Inside(let)) return RewriteStmt(body);
    return RewriteChildren(let);
  }

  const Stmt* RewriteSeqStmt(const SeqStmt* seq) {
    if (Inside(seq->seq.back()) == nullptr) return RewriteDefault(seq);
    std::vector<const Stmt*> list;
    ForEachInRow(
        seq, [&](const Stmt* stmt) { return Inside(stmt); },
        [&](const Stmt* stmt) {
          if (const Stmt* now = RewriteStmt(stmt)) list.push_back(now);
        });
    return list.empty() ? nullptr : builder().Seq(list, seq->range);
  }

  const Expr* RewriteVar(const Var* var) {
    const auto found = values_.find(var);
    return found == values_.end() ? static_cast<const Expr*>(MapVar(var)) : found->second;
  }

 private:
  /// The body of a let whose variable is replaced by its value; null for other statements.
  const Stmt* Inside(const Stmt* stmt) {
    const auto* let = dyn_cast<LetStmt>(stmt);
    if (let == nullptr || !let->var->dtype.is_scalar() || let->value->dtype != let->var->dtype)
      return nullptr;
    if (inlined_ == Inlined::kPointerNames) {
      if (!IsPointerName(*let)) return nullptr;
      var_map[let->var] = MapVar(cast<Var>(let->value));
      return let->body;
    }
    const bool is_pointer = inlined_ == Inlined::kIndicesAndPointers &&
                            let->var->dtype.is_handle() && !data_.contains(let->var);
    if (!is_pointer && !let->var->dtype.is_integer()) return nullptr;
    const Expr* value = RewriteExpr(let->value);
    if (is_pointer ? !IsSmallPointer(value) : !IsSmallIndex(value)) return nullptr;
    values_[let->var] = value;
    return let->body;
  }

  Inlined inlined_;
  /// The pointers that buffers have as their data.
  absl::flat_hash_set<const Var*> data_;
  absl::flat_hash_map<const Var*, const Expr*> values_;
};

}  // namespace

absl::StatusOr<IRModule> InlineLets(const IRModule& module, const NoOptions&,
                                    PassContext& context) {
  return ForEachFunction(module, context, [&](const Function& function, Diagnostics&) {
    return RewriteFunction<LetInliner>(module.context(), function, Inlined::kIndices);
  });
}

Function InlineIndexAndPointerLets(Context& context, const Function& function) {
  return RewriteFunction<LetInliner>(context, function, Inlined::kIndicesAndPointers);
}

Function InlinePointerNames(Context& context, const Function& function) {
  return RewriteFunction<LetInliner>(context, function, Inlined::kPointerNames);
}

}  // namespace tenon
