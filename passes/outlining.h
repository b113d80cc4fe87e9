#ifndef TENON_PASSES_OUTLINING_H_
#define TENON_PASSES_OUTLINING_H_

#include <vector>

#include "absl/container/flat_hash_set.h"
#include "ir/builder.h"

// Internal to passes/ and byoc/: turns statements into a function.

namespace tenon {

/// `body` inside of `bindings` (Allocate, AllocateConst or DeclBuffer), the first outermost.
const Stmt* InBindings(NodeBuilder& builder, const std::vector<const Stmt*>& bindings,
                       const Stmt* body);

/// The variables that `statements` use but do not define, in order of first use.
std::vector<const Var*> FreeVarsOf(const std::vector<const Stmt*>& statements);

}  // namespace tenon

#endif  // TENON_PASSES_OUTLINING_H_
