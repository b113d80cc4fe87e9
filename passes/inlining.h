#ifndef TENON_PASSES_INLINING_H_
#define TENON_PASSES_INLINING_H_

#include <memory>
#include <string_view>

#include "ir/analysis/call_graph.h"
#include "ir/builder.h"
#include "ir/module.h"

// Internal to passes/ and byoc/: how a call becomes the statements of its callee.

namespace tenon {

/// A copy of the body of `callee` for a call with `args`, one for each parameter. Every variable
/// that the body defines is a new one, so that the body can stand in a caller twice. An argument
/// that is not a variable is bound by a let around the body. `caller` is the function of the call:
/// a buffer of its parameters stands for the same view in the callee.
const Stmt* InlinedBody(Context& context, const std::shared_ptr<Storage>& storage,
                        const Function& callee, Span<const Expr*> args, const PrimFunc& caller);

/// `attrs` with what `callee` declares of external functions.
const MapAttr* WithExternsOf(NodeBuilder& builder, const MapAttr* attrs, const Function& callee);

/// Why the function has to stay one, as a predicate: "is the entry"; empty if it need not.
std::string_view WhyNotInlined(const IRModule& module, const CallGraph& calls,
                               const Function& function);

/// True when a statement may end its function with an error: an assertion, or the check of a call's
/// status.
bool MayFail(const Stmt* stmt);

}  // namespace tenon

#endif  // TENON_PASSES_INLINING_H_
