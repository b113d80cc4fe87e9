#ifndef TENON_PASSES_INLINING_H_
#define TENON_PASSES_INLINING_H_

#include <memory>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "ir/analysis/call_graph.h"
#include "ir/analysis/effects.h"
#include "ir/builder.h"
#include "ir/module.h"
#include "ir/rewriter.h"

// Internal to passes/ and byoc/: replaces calls by the statements of their callees.

namespace tenon {

/// Maps each variable that `body` defines to a new one. A rewriter with these in its `var_map`
/// makes a copy that may occur next to the original.
void AddNewVars(const Stmt* body, Arena& arena, absl::flat_hash_map<const Var*, const Var*>& vars);

/// A copy of a statement with variables of its own, which may occur next to the original.
const Stmt* WithNewVars(Context& context, const std::shared_ptr<Storage>& storage,
                        const Stmt* stmt);

/// A copy of `extent` iterations of a loop, from `min` on, with variables of its own.
const For* PartOf(NodeBuilder& builder, const std::shared_ptr<Storage>& storage, const For& loop,
                  int64_t min, int64_t extent);

/// A copy of the body of `callee` for a call with `args`, one for each parameter. It defines new
/// variables, so that a caller may contain the body twice. A let around the body binds each
/// argument that is not a variable. `caller` is the function of the call: a buffer of its
/// parameters replaces the same view in the callee.
const Stmt* InlinedBody(Context& context, const std::shared_ptr<Storage>& storage,
                        const Function& callee, Span<const Expr*> args, const PrimFunc& caller);

/// `function` with the bodies of the functions of the module that it calls, and of those that they
/// call; itself if it calls none. Arguments must match parameters.
Function WithCalleesInlined(const IRModule& module, const Function& function);

/// `attrs` with the external functions that `callee` declares.
const MapAttr* WithExternsOf(NodeBuilder& builder, const MapAttr* attrs, const Function& callee);

/// Why the function cannot be inlined everywhere, as a predicate: "is the entry"; empty if it can.
std::string_view WhyNotInlined(const IRModule& module, const CallGraph& calls,
                               const Function& function);

/// True if a statement may end its function with an error: an assertion, or a check of a call's
/// status.
bool MayFail(const Stmt* stmt);

/// Replaces calls in one function by the bodies of their callees; `Self` decides which calls.
template <class Self>
class CallInliner : public Rewriter<Self> {
 public:
  /// `calls` is incremented for each call that is replaced.
  CallInliner(Context& context, std::shared_ptr<Storage> storage, const IRModule& module,
              const absl::flat_hash_set<Symbol>& chosen, const Function& caller, int64_t& calls)
      : Rewriter<Self>(context, std::move(storage)),
        module_(module),
        chosen_(chosen),
        caller_(caller),
        calls_(calls) {}

  const PrimFunc* RewriteFunc(const PrimFunc* function) {
    PrimFunc copy = *function;
    copy.body = this->RewriteAny(function->body);
    if (copy.body == function->body) return function;
    for (const Function* callee : inlined_)
      copy.attrs = WithExternsOf(this->builder(), copy.attrs, *callee);
    return this->arena().template New<PrimFunc>(copy);
  }

 protected:
  bool IsChosen(const CallSite& site) const {
    return site.callee != nullptr && chosen_.contains(site.callee->name);
  }
  /// The statements that replace a call.
  const Stmt* Inline(const CallSite& site) {
    ++calls_;
    inlined_.push_back(site.callee);
    return InlinedBody(this->builder().context(), this->storage(), *site.callee, site.args,
                       *caller_.func);
  }

  const IRModule& module() const { return module_; }
  const Function& caller() const { return caller_; }

 private:
  const IRModule& module_;
  const absl::flat_hash_set<Symbol>& chosen_;
  const Function& caller_;
  int64_t& calls_;
  std::vector<const Function*> inlined_;
};

}  // namespace tenon

#endif  // TENON_PASSES_INLINING_H_
