// Passes that make scratch local do not know how much a stack holds, so this pass runs after them.
// A loop in lockstep with large scratch becomes serial, since no plan gives each of its iterations
// a copy.

#include "passes/memory/limit_stack.h"

#include <algorithm>
#include <atomic>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "ir/analysis/stack_arrays.h"
#include "ir/attributes.h"
#include "ir/extents.h"
#include "ir/rewriter.h"
#include "ir/storage_defaults.h"
#include "ir/thread_binding.h"

namespace tenon {

namespace {

bool IsLarge(const Allocate& allocate) { return IsLargeScratch(allocate, kStackLimit); }

struct Counts {
  std::atomic<int64_t> pooled = 0;
  std::atomic<int64_t> serial = 0;
};

class StackLimiter : public Rewriter<StackLimiter> {
 public:
  StackLimiter(Context& context, std::shared_ptr<Storage> storage,
               const absl::flat_hash_set<const Call*>& heavy_calls, Counts& counts)
      : Rewriter(context, std::move(storage)), heavy_calls_(heavy_calls), counts_(counts) {}

  const Stmt* RewriteAllocate(const Allocate* allocate) {
    if (!StaysOutOfPools(*allocate) || !IsLarge(*allocate) ||
        !StaticBytes(allocate->dtype, allocate->extents))
      return RewriteChildren(allocate);
    ++counts_.pooled;
    const Var* var = allocate->buffer_var;
    if (!IsPoolScope(var->type->scope)) {
      const Type* type = builder().context().PointerType(var->type->dtype, "global");
      var_map[var] = builder().NewVar(var->name.view(), type, var->range);
    }
    Allocate copy = *RewriteChildren(allocate);
    copy.buffer_var = MapVar(var);
    if (IsLocalAllocation(*allocate))
      copy.annotations = Without(copy.annotations, attr_key::kCandidateMemoryPools);
    return arena().New<Allocate>(copy);
  }

  const Stmt* RewriteFor(const For* loop) {
    if (!RunsInLockstep(loop) || !HasLargeScratch(loop->body)) return RewriteChildren(loop);
    const For* now = RewriteChildren(loop);
    ++counts_.serial;
    return builder().New<For>(now->range, now->loop_var, now->min, now->extent, ForKind::kSerial,
                              now->body, /*thread_binding=*/nullptr, now->annotations);
  }

  const Stmt* RewriteAttrStmt(const AttrStmt* attr) {
    const Var* var = ThreadVar(attr);
    if (var == nullptr || !HasLargeScratch(attr->body)) return RewriteChildren(attr);
    // A variable that is bound again keeps its value.
    if (std::find(threads_.begin(), threads_.end(), var) != threads_.end())
      return RewriteAny(attr->body);
    const Expr* extent = RewriteExpr(attr->value);
    threads_.push_back(var);
    const Stmt* body = RewriteAny(attr->body);
    threads_.pop_back();
    ++counts_.serial;
    return builder().New<For>(attr->range, var, builder().Int(var->dtype, 0), extent,
                              ForKind::kSerial, body);
  }

 private:
  bool HasLargeScratch(const Stmt* body) const {
    bool has = false;
    Walk(body, [&](const Node* node) {
      const auto* allocate = dyn_cast<Allocate>(node);
      const auto* call = dyn_cast<Call>(node);
      has |= (allocate != nullptr && IsLarge(*allocate)) ||
             (call != nullptr && heavy_calls_.contains(call));
      return !has;
    });
    return has;
  }

  const MapAttr* Without(const MapAttr* map, std::string_view key) {
    std::vector<const MapItem*> kept;
    for (const MapItem* item : map->items) {
      const auto* name = dyn_cast<StringAttr>(item->key);
      if (name == nullptr || name->value != key) kept.push_back(item);
    }
    if (kept.empty()) return nullptr;
    return arena().New<MapAttr>(arena().Copy(Span<const MapItem*>(kept.data(), kept.size())));
  }

  const absl::flat_hash_set<const Call*>& heavy_calls_;
  Counts& counts_;
  /// The thread variables of the loops around the current statement.
  std::vector<const Var*> threads_;
};

}  // namespace

absl::StatusOr<IRModule> LimitStack(const IRModule& module, const NoOptions&,
                                    PassContext& context) {
  const absl::flat_hash_set<const Call*> heavy_calls = CallsOfLargeScratch(module, IsLarge);
  Counts counts;
  IRModule result = ForEachFunction(module, context, [&](const Function& function, Diagnostics&) {
    return RewriteFunction<StackLimiter>(module.context(), function, heavy_calls, counts);
  });
  context.Count("limit-stack.pooled", counts.pooled);
  context.Count("limit-stack.serial", counts.serial);
  return result;
}

}  // namespace tenon
