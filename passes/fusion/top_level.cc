// The form between inline-callees and outline-operators: allocations lose their places in the text,
// so that nests can move freely. localize-buffers narrows their scopes again later.

#include "passes/fusion/top_level.h"

#include <optional>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "ir/extents.h"
#include "ir/rewriter.h"
#include "passes/outlining.h"

namespace tenon {

namespace {

bool IsPlain(const Allocate& allocate) {
  const int64_t* condition = AsIntImm(allocate.condition);
  return condition != nullptr && *condition != 0 && StaticCount(allocate.extents).has_value();
}

/// A function's view of the storage of one allocation.
struct ElementUse {
  std::optional<DataType> dtype;
  bool is_mixed = false;
  /// Mentions of the variable in the function outside of buffers, with its definition.
  int mentions = 0;
};

using ElementUses = absl::flat_hash_map<const Var*, ElementUse>;

ElementUses FindElementUses(const PrimFunc& function) {
  ElementUses uses;
  absl::flat_hash_set<const Buffer*> seen;
  Walk(function.body, [&](const Node* node) {
    if (const auto* var = dyn_cast<Var>(node)) {
      if (var->dtype.is_handle()) ++uses[var].mentions;
      return true;
    }
    const auto* buffer = dyn_cast<Buffer>(node);
    if (buffer == nullptr) return true;
    if (!seen.insert(buffer).second) return false;
    ElementUse& use = uses[buffer->data];
    use.is_mixed |= use.dtype.has_value() && *use.dtype != buffer->dtype;
    use.dtype = buffer->dtype;
    return false;
  });
  return uses;
}

/// Gives allocations new variables of another element type.
class ElementTyper : public Rewriter<ElementTyper> {
 public:
  ElementTyper(Context& context, std::shared_ptr<Storage> storage, const ElementUses& uses)
      : Rewriter(context, std::move(storage)), uses_(uses) {}

  const Stmt* RewriteAllocate(const Allocate* allocate) {
    const std::optional<DataType> dtype = NewType(*allocate);
    if (!dtype) return RewriteChildren(allocate);
    const int64_t bytes = *StaticBytes(allocate->dtype, allocate->extents);
    const Var* var = allocate->buffer_var;
    const Type* type =
        builder().context().PointerType(*dtype, allocate->buffer_var->type->scope.view());
    var_map[var] = builder().NewVar(var->name.view(), type, var->range);
    Allocate copy = *allocate;
    copy.buffer_var = var_map[var];
    copy.dtype = *dtype;
    copy.extents = builder().List<Expr>({builder().Int(bytes / dtype->bytes(), allocate->range)});
    copy.body = RewriteAny(allocate->body);
    return arena().New<Allocate>(copy);
  }

 private:
  std::optional<DataType> NewType(const Allocate& allocate) const {
    const auto found = uses_.find(allocate.buffer_var);
    if (found == uses_.end() || found->second.is_mixed || found->second.mentions != 1)
      return std::nullopt;
    const std::optional<DataType> dtype = found->second.dtype;
    if (!dtype || *dtype == allocate.dtype || dtype->lanes() != 1 || !IsPlain(allocate))
      return std::nullopt;
    const std::optional<int64_t> bytes = StaticBytes(allocate.dtype, allocate.extents);
    const bool fits = bytes && dtype->bytes() > 0 && *bytes % dtype->bytes() == 0;
    return fits ? dtype : std::nullopt;
  }

  const ElementUses& uses_;
};

}  // namespace

TopLevel SplitTopLevel(const Stmt* body) {
  TopLevel top;
  std::vector<const Stmt*> rest = {body};
  while (!rest.empty()) {
    const Stmt* stmt = rest.back();
    rest.pop_back();
    if (const auto* seq = dyn_cast<SeqStmt>(stmt)) {
      rest.insert(rest.end(), seq->seq.rbegin(), seq->seq.rend());
    } else if (const auto* allocate = dyn_cast<Allocate>(stmt);
               allocate != nullptr && IsPlain(*allocate)) {
      top.bindings.push_back(stmt);
      rest.push_back(allocate->body);
    } else if (const auto* constant = dyn_cast<AllocateConst>(stmt)) {
      top.bindings.push_back(stmt);
      rest.push_back(constant->body);
    } else {
      top.statements.push_back(stmt);
    }
  }
  return top;
}

const Stmt* JoinTopLevel(NodeBuilder& builder, const TopLevel& top) {
  const SourceRange range = top.statements.empty() ? SourceRange() : top.statements.front()->range;
  const Stmt* body =
      builder.Seq(Span<const Stmt*>(top.statements.data(), top.statements.size()), range);
  return InBindings(builder, top.bindings, body);
}

Function WithElementTypes(Context& context, const Function& function) {
  const ElementUses uses = FindElementUses(*function.func);
  return RewriteFunction<ElementTyper>(context, function, uses);
}

}  // namespace tenon
