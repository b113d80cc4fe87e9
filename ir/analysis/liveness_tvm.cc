#include <algorithm>

#include "ir/analysis/effects.h"
#include "ir/analysis/liveness_internal.h"
#include "ir/builtins.h"
#include "ir/visitor.h"

namespace tenon::liveness_internal {

namespace {

/// TVM's clock: it advances by one at the entry of every statement object, except the direct body
/// of an allocation.
class TvmClock : public Visitor<TvmClock> {
 public:
  TvmClock(const IRModule& module, const AllocationTable& table, Liveness& liveness)
      : module_(module), table_(table), liveness_(liveness) {}

  void Run(const Function& entry) {
    scopes_.push_back({});
    records_.push_back({});
    VisitStmt(entry.func->body);
    for (const CallRecord& record : records_) {
      for (int32_t index : record.order) {
        const auto [first, last] = record.spans.at(index);
        liveness_.tvm_intervals.push_back({index, first, last});
      }
    }
  }

  void VisitAllocate(const Allocate* allocate) {
    Own(allocate->buffer_var);
    Visit(allocate->body);
    if (const int32_t index = table_.Find(allocate->buffer_var); index >= 0) {
      std::erase(scopes_.back().touched, index);
    }
  }
  void VisitAllocateConst(const AllocateConst* allocate) {
    Own(allocate->buffer_var);
    Visit(allocate->body);
  }

  void VisitFor(const For* loop) {
    Scope scope = scopes_.back();
    if (scope.nest_start < 0) scope.nest_start = now_;
    scope.in_loop = true;
    scopes_.push_back(std::move(scope));
    Visit(loop->min);
    Visit(loop->extent);
    VisitStmt(loop->body);
    for (int32_t index : scopes_.back().touched) {
      std::pair<int64_t, int64_t>& span = records_[owner_.at(index)].spans.at(index);
      span.first = std::min(span.first, scopes_.back().nest_start);
      span.second = std::max(span.second, now_);
    }
    scopes_.pop_back();
  }

  void VisitBufferStore(const BufferStore* store) {
    Access(store->buffer->data);
    Visit(store->value);
    for (const Expr* index : store->indices) Visit(index);
  }
  void VisitBufferLoad(const BufferLoad* load) {
    Access(load->buffer->data);
    for (const Expr* index : load->indices) Visit(index);
  }
  void VisitBuffer(const Buffer*) {}
  void VisitVar(const Var* var) { Access(var); }

  void VisitCall(const Call* call) {
    const bool by_name = call->op->kind == OpKind::kCallExtern ||
                         call->op->kind == OpKind::kCallCPacked ||
                         call->op->kind == OpKind::kGlobalCall;
    const CallSite site = by_name ? AsCallSite(module_, call) : CallSite{};
    if (site.callee == nullptr) return VisitChildren(call);
    const PrimFunc& callee = *site.callee->func;
    for (size_t i = 0; i < std::min(callee.params.size(), site.args.size()); ++i) {
      const auto* var = dyn_cast<Var>(site.args[i]);
      if (var == nullptr) continue;
      const int32_t index = IndexOf(var);
      if (index < 0) continue;
      alias_[callee.params[i]] = index;
      if (callee.buffers[i] != nullptr) alias_[callee.buffers[i]->data] = index;
    }
    Scope scope = scopes_.back();
    scope.record = records_.size();
    records_.push_back({});
    scopes_.push_back(std::move(scope));
    VisitStmt(callee.body);
    scopes_.pop_back();
  }

#define TENON_TVM_TICK(Name)                                                                      \
  void Visit##Name(const Name* stmt) {                                                            \
    ForEachField(                                                                                 \
        *stmt, [&](const char*, const auto& value, FieldRole role) { VisitField(value, role); }); \
  }
  TENON_TVM_TICK(LetStmt)
  TENON_TVM_TICK(AssertStmt)
  TENON_TVM_TICK(SeqStmt)
  TENON_TVM_TICK(IfThenElse)
  TENON_TVM_TICK(While)
  TENON_TVM_TICK(DeclBuffer)
  TENON_TVM_TICK(BlockRealize)
#undef TENON_TVM_TICK
  void VisitAttrStmt(const AttrStmt* attr) {
    Visit(attr->value);
    VisitStmt(attr->body);
  }

 private:
  struct Scope {
    size_t record = 0;
    std::vector<int32_t> touched;
    int64_t nest_start = -1;
    bool in_loop = false;
  };
  /// First and last tick of each allocation, for one call.
  struct CallRecord {
    std::vector<int32_t> order;
    absl::flat_hash_map<int32_t, std::pair<int64_t, int64_t>> spans;
  };

  template <class V>
  void VisitField(const V& value, FieldRole role) {
    if (role == FieldRole::kDef) return;
    if constexpr (std::is_same_v<V, const Stmt*>) {
      if (value != nullptr) VisitStmt(value);
    } else if constexpr (std::is_same_v<V, Span<const Stmt*>>) {
      for (const Stmt* child : value) VisitStmt(child);
    } else if constexpr (kIsNodePointer<V>) {
      Visit(value);
    } else if constexpr (kIsNodeSpan<V>) {
      for (const auto* child : value) Visit(child);
    }
  }

  /// Entering a statement advances the clock.
  void VisitStmt(const Stmt* stmt) {
    ++now_;
    Visit(stmt);
  }

  /// Records the current call as the owner of an allocation in it.
  void Own(const Var* var) {
    const int32_t index = table_.Find(var);
    if (index < 0) return;
    owner_[index] = scopes_.back().record;
  }

  int32_t IndexOf(const Var* var) const {
    if (const auto found = alias_.find(var); found != alias_.end()) return found->second;
    return table_.Find(var);
  }

  void Access(const Var* var) {
    const int32_t index = IndexOf(var);
    if (index < 0) return;
    const auto owner = owner_.find(index);
    if (owner == owner_.end()) return;
    CallRecord& record = records_[owner->second];
    const auto [span, added] = record.spans.emplace(index, std::pair{now_, now_});
    if (added) record.order.push_back(index);
    span->second.second = now_;
    std::vector<int32_t>& touched = scopes_.back().touched;
    if (scopes_.back().in_loop &&
        std::find(touched.begin(), touched.end(), index) == touched.end()) {
      touched.push_back(index);
    }
  }

  const IRModule& module_;
  const AllocationTable& table_;
  Liveness& liveness_;
  std::vector<Scope> scopes_;
  std::vector<CallRecord> records_;
  absl::flat_hash_map<int32_t, size_t> owner_;
  absl::flat_hash_map<const Var*, int32_t> alias_;
  int64_t now_ = 0;
};

}  // namespace

void ComputeTvmIntervals(const IRModule& module, const Function& entry,
                         const AllocationTable& table, Liveness& liveness) {
  TvmClock(module, table, liveness).Run(entry);
}

}  // namespace tenon::liveness_internal
