// Statements as sets of accesses, so that passes can move them without walking them again. Anything
// that is not a plain load or store makes a pointer escape, and then nothing may move across it.

#include "passes/fusion/region.h"

#include <algorithm>
#include <limits>

#include "absl/container/flat_hash_set.h"
#include "ir/attributes.h"
#include "ir/builtins.h"
#include "ir/extents.h"
#include "ir/visitor.h"
#include "support/stack.h"

namespace tenon {

namespace {

bool IsPlainBuffer(const Buffer& buffer) {
  return buffer.dtype.is_scalar() && buffer.shape.size() == 1 && buffer.strides.empty() &&
         IsConstInt(buffer.elem_offset, 0);
}

class AccessCollector {
 public:
  explicit AccessCollector(StmtAccesses& accesses) : accesses_(accesses) {}

  void Look(const Node* node) {
    WithStack([&] {
      if (const auto* load = dyn_cast<BufferLoad>(node)) {
        PointerUse& use = Touch(load->buffer, load->indices, load->predicate);
        use.is_plain &= load->dtype == load->buffer->dtype;
        ++use.loads;
      } else if (const auto* store = dyn_cast<BufferStore>(node)) {
        ++Touch(store->buffer, store->indices, store->predicate).stores;
      } else if (const auto* buffer = dyn_cast<Buffer>(node)) {
        return LookAtLayout(buffer);
      } else if (const auto* var = dyn_cast<Var>(node)) {
        if (var->dtype.is_handle()) accesses_.pointers[var].escapes = true;
        return;
      } else if (const auto* call = dyn_cast<Call>(node)) {
        accesses_.is_opaque |= call->op->effect != OpEffect::kPure;
        accesses_.is_opaque |= call->op->kind == OpKind::kCallPureExtern ||
                               call->op->kind == OpKind::kCallLLVMPureIntrin;
        if (call->op->kind == OpKind::kAddressOf) return EscapeAll(call);
      } else if (isa<AssertStmt>(node) || isa<While>(node)) {
        accesses_.is_opaque = true;
      }
      ForEachChild(node, [&](const Node* child, FieldRole role) {
        if (role == FieldRole::kUse || !isa<Var>(child)) Look(child);
      });
    });
  }

 private:
  PointerUse& Touch(const Buffer* buffer, Span<const Expr*> indices, const Expr* predicate) {
    PointerUse& use = accesses_.pointers[buffer->data];
    const bool is_first = use.loads + use.stores == 0;
    use.is_plain &= (is_first || use.dtype == buffer->dtype) && IsPlainBuffer(*buffer) &&
                    predicate == nullptr && indices.size() == 1 && indices[0]->dtype.is_scalar();
    use.dtype = buffer->dtype;
    return use;
  }

  /// Shape, strides and offset may have variables, but the pointer itself is used by accesses.
  void LookAtLayout(const Buffer* buffer) {
    for (const Expr* extent : buffer->shape) Look(extent);
    for (const Expr* stride : buffer->strides) Look(stride);
    Look(buffer->elem_offset);
  }

  void EscapeAll(const Node* node) {
    Walk(node, [&](const Node* n) {
      const auto* var = dyn_cast<Var>(n);
      if (var != nullptr && var->dtype.is_handle()) accesses_.pointers[var].escapes = true;
      return true;
    });
  }

  StmtAccesses& accesses_;
};

bool IsScopeOfRegion(const Stmt* stmt) {
  if (const auto* allocate = dyn_cast<Allocate>(stmt)) {
    // An allocation with a place keeps the scope that it was planned with.
    if (allocate->annotations != nullptr &&
        allocate->annotations->Find(attr_key::kPlacement) != nullptr)
      return false;
    return IsConstInt(allocate->condition, 1) && StaticCount(allocate->extents);
  }
  return isa<AllocateConst>(stmt);
}

const Stmt* BodyOfScope(const Stmt* scope) {
  if (const auto* allocate = dyn_cast<Allocate>(scope)) return allocate->body;
  return cast<AllocateConst>(scope)->body;
}

void Open(const Stmt* stmt, StmtRegion& region) {
  WithStack([&] {
    if (const auto* seq = dyn_cast<SeqStmt>(stmt)) {
      for (const Stmt* child : seq->seq) Open(child, region);
    } else if (IsScopeOfRegion(stmt)) {
      region.AddScope(stmt);
      Open(BodyOfScope(stmt), region);
    } else {
      region.Add(stmt);
    }
  });
}

/// Other annotations say that the storage means something outside of the function.
bool MayGo(const Allocate& allocate) {
  if (allocate.annotations == nullptr) return true;
  const bool has_pools = allocate.annotations->Find(attr_key::kCandidateMemoryPools) != nullptr;
  return allocate.annotations->items.size() == (has_pools ? 1 : 0);
}

template <class T>
const Stmt* WithBody(NodeBuilder& builder, const T* scope, const Stmt* body) {
  T copy = *scope;
  copy.body = body;
  return builder.arena().New<T>(copy);
}

}  // namespace

StmtAccesses AccessesOf(const Stmt* stmt) {
  StmtAccesses accesses;
  AccessCollector(accesses).Look(stmt);
  return accesses;
}

int64_t CountLoads(const Node* node, const Var* data) {
  constexpr int64_t kMany = std::numeric_limits<int64_t>::max();
  const auto* load = dyn_cast<BufferLoad>(node);
  int64_t loads = load != nullptr && load->buffer->data == data ? 1 : 0;
  WithStack([&] {
    ForEachChild(node, [&](const Node* child, FieldRole) {
      const int64_t more = isa<Buffer>(child) ? 0 : CountLoads(child, data);
      if (__builtin_add_overflow(loads, more, &loads)) loads = kMany;
    });
  });
  if (loads == 0) return 0;
  if (isa<While>(node)) return kMany;
  const auto* loop = dyn_cast<For>(node);
  if (loop == nullptr) return loads;
  const int64_t* extent = AsIntImm(loop->extent);
  if (extent == nullptr || __builtin_mul_overflow(loads, std::max<int64_t>(*extent, 0), &loads))
    return kMany;
  return loads;
}

bool MayWrite(const StmtAccesses& stmt, const Var* data, const FunctionStorage& storage) {
  return stmt.is_opaque ||
         std::any_of(stmt.pointers.begin(), stmt.pointers.end(), [&](const auto& entry) {
           return (entry.second.stores > 0 || entry.second.escapes) &&
                  storage.MayAlias(entry.first, data);
         });
}

bool Conflict(const StmtAccesses& a, const StmtAccesses& b, const FunctionStorage& storage) {
  const auto writes = [&](const StmtAccesses& one, const StmtAccesses& other) {
    return std::any_of(other.pointers.begin(), other.pointers.end(),
                       [&](const auto& entry) { return MayWrite(one, entry.first, storage); });
  };
  return a.is_opaque || b.is_opaque || writes(a, b) || writes(b, a);
}

void StmtRegion::AddScope(const Stmt* scope) {
  scopes.push_back(scope);
  if (const auto* allocate = dyn_cast<Allocate>(scope)) {
    if (MayGo(*allocate)) allocations_.emplace(allocate->buffer_var, allocate);
  } else {
    constants_.insert(cast<AllocateConst>(scope)->buffer_var);
  }
}

void StmtRegion::RemoveScope(const Allocate* allocate) {
  std::erase(scopes, static_cast<const Stmt*>(allocate));
  allocations_.erase(allocate->buffer_var);
}

void StmtRegion::Add(const Stmt* stmt) {
  stmts_.push_back(nullptr);
  accesses_.emplace_back();
  Replace(stmts_.size() - 1, stmt);
}

std::vector<size_t> StmtRegion::UsesOf(const Var* data) const {
  const auto found = uses_.find(data);
  if (found == uses_.end()) return {};
  return {found->second.begin(), found->second.end()};
}

const Allocate* StmtRegion::Find(const Var* data) const {
  const auto found = allocations_.find(data);
  return found == allocations_.end() ? nullptr : found->second;
}

void StmtRegion::Replace(size_t index, const Stmt* stmt) {
  for (const auto& [data, use] : accesses_[index].pointers) uses_[data].erase(index);
  stmts_[index] = stmt;
  accesses_[index] = stmt == nullptr ? StmtAccesses() : AccessesOf(stmt);
  for (const auto& [data, use] : accesses_[index].pointers) uses_[data].insert(index);
}

StmtRegion OpenRegion(const Stmt* stmt) {
  StmtRegion region;
  Open(stmt, region);
  return region;
}

const Stmt* CloseRegion(NodeBuilder& builder, const StmtRegion& region, SourceRange range) {
  absl::flat_hash_set<const Var*> mentioned;
  const auto mention = [&](const Node* root) {
    Walk(root, [&](const Node* node) {
      if (const auto* var = dyn_cast<Var>(node)) mentioned.insert(var);
      return true;
    });
  };
  std::vector<const Stmt*> stmts;
  for (size_t i = 0; i < region.size(); ++i) {
    if (region.stmt(i) == nullptr) continue;
    mention(region.stmt(i));
    stmts.push_back(region.stmt(i));
  }
  const Stmt* body = builder.Seq(Span<const Stmt*>(stmts), range);
  for (auto scope = region.scopes.rbegin(); scope != region.scopes.rend(); ++scope) {
    if (const auto* allocate = dyn_cast<Allocate>(*scope)) {
      if (mentioned.contains(allocate->buffer_var)) body = WithBody(builder, allocate, body);
    } else {
      body = WithBody(builder, cast<AllocateConst>(*scope), body);
    }
  }
  return body;
}

}  // namespace tenon
