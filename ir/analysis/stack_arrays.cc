#include "ir/analysis/stack_arrays.h"

#include <optional>
#include <vector>

#include "ir/analysis/call_graph.h"
#include "ir/attributes.h"
#include "ir/extents.h"
#include "ir/storage_defaults.h"
#include "ir/thread_binding.h"
#include "ir/visitor.h"

namespace tenon {

namespace {

bool IsLarge(const Allocate& allocate) { return IsLargeScratch(allocate, kStackLimit); }

/// Finds the first statement because of which the stack is too small.
class BeyondStack {
 public:
  explicit BeyondStack(const IRModule& module) : module_(module) {}

  const Stmt* Find() {
    for (const Function& function : module_.functions()) {
      if (found_ == nullptr && function.func->body != nullptr) Look(function.func->body);
    }
    return found_;
  }

 private:
  void Look(const Stmt* stmt) {
    WithStack([&] {
      const Stmt* outer = lockstep_;
      if (RunsInLockstep(stmt) && lockstep_ == nullptr) lockstep_ = stmt;
      if (IsBeyond(stmt)) found_ = stmt;
      ForEachChild(stmt, [&](const Node* child, FieldRole) {
        if (found_ != nullptr) return;
        if (Stmt::ClassOf(child)) {
          Look(static_cast<const Stmt*>(child));
        } else if (lockstep_ != nullptr && CallsLarge(child)) {
          found_ = lockstep_;
        }
      });
      lockstep_ = outer;
    });
  }

  bool IsBeyond(const Stmt* stmt) const {
    if (const auto* block = dyn_cast<Block>(stmt)) return !block->alloc_buffers.empty();
    const auto* allocate = dyn_cast<Allocate>(stmt);
    if (allocate == nullptr || !IsLarge(*allocate)) return false;
    const bool is_known = StaticBytes(allocate->dtype, allocate->extents).has_value();
    return lockstep_ != nullptr || (is_known && StaysOutOfPools(*allocate));
  }

  bool CallsLarge(const Node* node) {
    bool calls = false;
    Walk(node, [&](const Node* n) {
      const auto* call = dyn_cast<Call>(n);
      if (call == nullptr) return !calls;
      if (!calls_) calls_ = CallsOfLargeScratch(module_, IsLarge);
      calls |= calls_->contains(call);
      return !calls;
    });
    return calls;
  }

  const IRModule& module_;
  /// The outermost loop in lockstep around the current statement; null outside of such loops.
  const Stmt* lockstep_ = nullptr;
  const Stmt* found_ = nullptr;
  std::optional<absl::flat_hash_set<const Call*>> calls_;
};

}  // namespace

bool IsPoolScope(Symbol scope) { return scope.empty() || scope.view().starts_with("global"); }

bool IsLocalAllocation(const Allocate& allocate) {
  if (allocate.annotations == nullptr) return false;
  const Attr* pools = allocate.annotations->Find(attr_key::kCandidateMemoryPools);
  const auto* list = dyn_cast_or_null<ArrayAttr>(pools);
  return list != nullptr && list->items.empty();
}

bool StaysOutOfPools(const Allocate& allocate) {
  return !IsPoolScope(allocate.buffer_var->type->scope) || IsLocalAllocation(allocate);
}

bool IsLargeScratch(const Allocate& allocate, int64_t stack) {
  const std::optional<int64_t> bytes = StaticBytes(allocate.dtype, allocate.extents);
  return !bytes || *bytes >= stack;
}

absl::flat_hash_set<const Call*> CallsOfLargeScratch(
    const IRModule& module, absl::FunctionRef<bool(const Allocate&)> is_large) {
  const CallGraph graph(module);
  std::vector<bool> heavy(module.functions().size());
  for (size_t i = 0; i < heavy.size(); ++i) {
    Walk(module.functions()[i].func->body, [&](const Node* node) {
      const auto* allocate = dyn_cast<Allocate>(node);
      if (allocate != nullptr && is_large(*allocate)) heavy[i] = true;
      return !heavy[i];
    });
  }
  absl::flat_hash_set<const Call*> calls;
  // Recursive functions are not planned at all.
  for (const size_t function : graph.CalleesFirst()) {
    for (const CallGraph::Site& site : graph.CallsOf(function)) {
      if (!heavy[site.callee]) continue;
      heavy[function] = true;
      calls.insert(site.call);
    }
  }
  return calls;
}

bool RunsInLockstep(const Stmt* stmt) {
  if (const auto* attr = dyn_cast<AttrStmt>(stmt)) return BindsThread(attr);
  const auto* loop = dyn_cast<For>(stmt);
  return loop != nullptr &&
         (loop->for_kind == ForKind::kVectorized || loop->for_kind == ForKind::kThreadBinding);
}

const Stmt* FirstBeyondStack(const IRModule& module) { return BeyondStack(module).Find(); }

}  // namespace tenon
