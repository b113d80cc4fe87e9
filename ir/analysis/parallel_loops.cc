#include "ir/analysis/parallel_loops.h"

#include <algorithm>

#include "absl/container/flat_hash_set.h"
#include "ir/builtins.h"
#include "ir/thread_binding.h"
#include "ir/visitor.h"

namespace tenon {

namespace {

class Captures : public Visitor<Captures> {
 public:
  std::vector<const Var*> Of(const For* loop) {
    defined_.insert(loop->loop_var);
    Visit(loop->body);
    std::erase_if(used_, [&](const Var* var) { return defined_.contains(var); });
    return std::move(used_);
  }

  void VisitVar(const Var* var) {
    if (seen_.insert(var).second) used_.push_back(var);
  }
  void VisitBuffer(const Buffer* buffer) { VisitVar(buffer->data); }
  void VisitFor(const For* loop) {
    defined_.insert(loop->loop_var);
    Visit(loop->min);
    Visit(loop->extent);
    Visit(loop->body);
  }
  void VisitLetStmt(const LetStmt* let) {
    defined_.insert(let->var);
    VisitChildren(let);
  }
  void VisitLet(const Let* let) {
    defined_.insert(let->var);
    VisitChildren(let);
  }
  void VisitAllocate(const Allocate* allocate) {
    defined_.insert(allocate->buffer_var);
    for (const Expr* extent : allocate->extents) Visit(extent);
    Visit(allocate->condition);
    Visit(allocate->body);
  }
  void VisitAllocateConst(const AllocateConst* allocate) {
    defined_.insert(allocate->buffer_var);
    Visit(allocate->body);
  }
  /// The declaration of a buffer's layout does not run, so it captures nothing.
  void VisitDeclBuffer(const DeclBuffer* declaration) { Visit(declaration->body); }
  void VisitAttrStmt(const AttrStmt* attr) {
    Visit(attr->value);
    Visit(attr->body);
  }

 private:
  absl::flat_hash_set<const Var*> seen_;
  absl::flat_hash_set<const Var*> defined_;
  std::vector<const Var*> used_;
};

}  // namespace

bool RunsOnThreads(const For* loop) {
  if (loop->for_kind != ForKind::kParallel) return false;
  const int64_t* extent = AsIntImm(loop->extent);
  if (extent != nullptr && *extent <= 1) return false;
  bool fits = true;
  Walk(loop->body, [&](const Node* node) {
    if (const auto* call = dyn_cast<Call>(node)) fits &= call->op->kind != OpKind::kRet;
    if (const auto* inner = dyn_cast<For>(node)) fits &= inner->for_kind != ForKind::kThreadBinding;
    if (const auto* attr = dyn_cast<AttrStmt>(node)) fits &= !BindsThread(attr);
    return fits;
  });
  return fits;
}

std::vector<const Var*> CapturedVars(const For* loop) { return Captures().Of(loop); }

std::vector<bool> ReachedByParamAlone(const PrimFunc& func, const FunctionEffects& effects,
                                      const PointerRoots& roots,
                                      const std::vector<const Var*>& vars) {
  std::vector<bool> alone(func.params.size());
  for (size_t i = 0; i < alone.size(); ++i) {
    const Var* param = func.params[i];
    const Var* data = func.buffers[i] == nullptr ? param : func.buffers[i]->data;
    const auto points_here = [&](const Var* var) {
      if (!var->dtype.is_handle() || var == param || var == data) return false;
      const PointerTargets targets = roots.TargetsOf(var);
      return targets.Contains(param) || targets.Contains(data);
    };
    alone[i] = !effects.params[i].escapes && std::none_of(vars.begin(), vars.end(), points_here);
  }
  return alone;
}

}  // namespace tenon
