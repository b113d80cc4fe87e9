// A value may move over statements only if they do not write what it reads. Straight-line code is
// scanned once for each let, and in a loop any write before a use counts.

#include "analysis/value_lets.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "ir/builtins.h"
#include "ir/rewriter.h"

namespace tenon {

namespace {

/// The limit on nodes: values in values would grow without bound.
constexpr int kMostNodes = 256;

/// The buffers that a value loads from. Nullopt for a value that is not pure, that has a let or a
/// reduction, or that has more than kMostNodes nodes.
std::optional<std::vector<const Var*>> ReadsOf(const Expr* value) {
  std::vector<const Var*> reads;
  int nodes = 0;
  bool plain = true;
  Walk(value, [&](const Node* node) {
    plain &=
        ++nodes <= kMostNodes && !isa<ProducerLoad>(node) && !isa<Let>(node) && !isa<Reduce>(node);
    if (const auto* load = dyn_cast<BufferLoad>(node)) reads.push_back(load->buffer->data);
    if (const auto* call = dyn_cast<Call>(node)) {
      plain &= call->op->effect == OpEffect::kPure && call->op->kind != OpKind::kCallPureExtern &&
               call->op->kind != OpKind::kCallLLVMPureIntrin && call->op->kind != OpKind::kUndef;
    }
    return plain;
  });
  if (!plain) return std::nullopt;
  return reads;
}

class ValueInliner : public Rewriter<ValueInliner> {
 public:
  ValueInliner(Context& context, std::shared_ptr<Storage> storage, bool apart)
      : Rewriter(context, std::move(storage)), apart_(apart) {}

  const PrimFunc* RewriteFunc(const PrimFunc* function) {
    for (const Buffer* buffer : function->buffers) {
      if (buffer != nullptr) params_.insert(buffer->data);
    }
    return Rewriter::RewriteFunc(function);
  }

  const Stmt* RewriteLetStmt(const LetStmt* let) {
    if (!let->var->dtype.is_scalar() || let->var->dtype.is_handle() ||
        let->value->dtype != let->var->dtype)
      return RewriteChildren(let);
    const Expr* value = RewriteExpr(let->value);
    if (!MayMove(*let, value)) return RewriteChildren(let);
    values_[let->var] = value;
    return RewriteStmt(let->body);
  }

  const Expr* RewriteVar(const Var* var) {
    const auto found = values_.find(var);
    return found == values_.end() ? static_cast<const Expr*>(MapVar(var)) : found->second;
  }

 private:
  bool MayShare(const Var* a, const Var* b) const {
    return a == b || (!apart_ && params_.contains(a) && params_.contains(b));
  }

  /// True if no statement after a store to the memory of `value` uses the variable.
  bool MayMove(const LetStmt& let, const Expr* value) const {
    const std::optional<std::vector<const Var*>> reads = ReadsOf(value);
    if (!reads) return false;
    std::vector<const Node*> parts;
    Flatten(let.body, parts);
    bool is_stale = false;
    for (const Node* part : parts) {
      bool uses = false;
      bool writes = false;
      Walk(part, [&](const Node* node) {
        uses |= node == let.var;
        if (const auto* store = dyn_cast<BufferStore>(node)) {
          writes |= std::any_of(reads->begin(), reads->end(), [&](const Var* read) {
            return MayShare(read, store->buffer->data);
          });
        }
        // A called function may write any memory.
        const auto* call = dyn_cast<Call>(node);
        writes |= call != nullptr && call->op->effect != OpEffect::kPure;
        return true;
      });
      // In a loop or a branch, a store may come before a use.
      const bool is_plain = isa<BufferStore>(part) || isa<Expr>(part);
      if (uses && (is_stale || (writes && !is_plain))) return false;
      is_stale |= writes;
    }
    return true;
  }

  /// Lists the statements of straight-line code; for a let, its value.
  static void Flatten(const Stmt* stmt, std::vector<const Node*>& out) {
    while (const auto* let = dyn_cast<LetStmt>(stmt)) {
      out.push_back(let->value);
      stmt = let->body;
    }
    if (const auto* seq = dyn_cast<SeqStmt>(stmt)) {
      for (const Stmt* child : seq->seq) Flatten(child, out);
    } else {
      out.push_back(stmt);
    }
  }

  bool apart_;
  absl::flat_hash_set<const Var*> params_;
  absl::flat_hash_map<const Var*, const Expr*> values_;
};

}  // namespace

Function InlineValueLets(Context& context, const Function& function, bool apart) {
  return RewriteFunction<ValueInliner>(context, function, apart);
}

}  // namespace tenon
