#ifndef TENON_PASSES_FUSION_TOP_LEVEL_H_
#define TENON_PASSES_FUSION_TOP_LEVEL_H_

#include <vector>

#include "ir/builder.h"
#include "ir/function.h"

// Internal to passes/fusion: a function as a list of allocations and a list of nests.

namespace tenon {

/// The outermost statements of a function in order, without the allocations around them.
struct TopLevel {
  /// Allocate and AllocateConst of constant size, without their bodies' order: each is in scope in
  /// all statements.
  std::vector<const Stmt*> bindings;
  std::vector<const Stmt*> statements;
};

TopLevel SplitTopLevel(const Stmt* body);

/// The inverse of SplitTopLevel: `bindings` around the sequence of `statements`.
const Stmt* JoinTopLevel(NodeBuilder& builder, const TopLevel& top);

/// Gives each allocation the element type by which all accesses see it, if they agree.
Function WithElementTypes(Context& context, const Function& function);

}  // namespace tenon

#endif  // TENON_PASSES_FUSION_TOP_LEVEL_H_
