#include "ir/rewriter.h"

namespace tenon {

RewriterBase::RewriterBase(Context& context, std::shared_ptr<Storage> storage)
    : builder_(context, storage->arena()), storage_(std::move(storage)) {}

RewriterBase::~RewriterBase() = default;

const Var* RewriterBase::MapVar(const Var* var) const {
  const auto found = var_map.find(var);
  return found == var_map.end() ? var : found->second;
}

const Buffer* RewriterBase::RewriteBuffer(const Buffer* buffer) {
  if (buffer == nullptr) return nullptr;
  if (const auto found = buffer_map.find(buffer); found != buffer_map.end()) return found->second;
  const Buffer* now = RewriteChildren(buffer);
  buffer_map.emplace(buffer, now);
  return now;
}

const PrimFunc* RewriterBase::RewriteFunc(const PrimFunc* function) {
  PrimFunc copy = *function;
  bool changed = RewriteSpan(copy.params);
  changed |= RewriteSpan(copy.buffers);
  copy.attrs = RewriteAny(function->attrs);
  copy.body = RewriteAny(function->body);
  changed |= copy.attrs != function->attrs || copy.body != function->body;
  return changed ? arena().New<PrimFunc>(copy) : function;
}

void RewriterBase::FixDType(Expr& expr) {
  if (isa<Add>(&expr)) expr.dtype = static_cast<const BinaryExpr&>(expr).a->dtype;
  if (expr.kind >= NodeKind::kSub && expr.kind <= NodeKind::kMax) {
    expr.dtype = static_cast<const BinaryExpr&>(expr).a->dtype;
  }
  if (expr.kind == NodeKind::kSelect) {
    expr.dtype = static_cast<const Select&>(expr).true_value->dtype;
  }
  if (expr.kind == NodeKind::kLet) expr.dtype = static_cast<const Let&>(expr).body->dtype;
}

const Stmt* RewriterBase::RewriteSeq(const SeqStmt* node) {
  absl::InlinedVector<const Stmt*, 8> out;
  bool changed = false;
  for (const Stmt* child : node->seq) {
    const Stmt* now = RewriteStmt(child);
    changed |= now != child;
    if (now == nullptr) continue;
    if (const auto* inner = dyn_cast<SeqStmt>(now)) {
      out.insert(out.end(), inner->seq.begin(), inner->seq.end());
    } else {
      out.push_back(now);
    }
  }
  if (!changed) return node;
  if (out.empty()) return nullptr;
  if (out.size() == 1) return out[0];
  return builder_.Seq({out.data(), out.size()}, node->range);
}

template <class T>
const T* RewriterBase::RewriteFieldsOf(const T* node) {
  T copy = *node;
  bool changed = false;
  ForEachField(copy, [&](const char*, auto& value, FieldRole) {
    using F = std::remove_cvref_t<decltype(value)>;
    if constexpr (kIsNodePointer<F>) {
      const F now = RewriteAny(value);
      changed |= now != value;
      value = now;
    } else if constexpr (kIsNodeSpan<F>) {
      changed |= RewriteSpan(value);
    }
  });
  if (!changed) return node;
  if constexpr (std::is_base_of_v<Expr, T>) FixDType(copy);
  return arena().template New<T>(copy);
}

const Node* RewriterBase::RewriteFields(const Node* node) {
  return Dispatch(node, [&](const auto* typed) -> const Node* { return RewriteFieldsOf(typed); });
}

}  // namespace tenon
