#ifndef TENON_PASSES_LOOPS_INNER_NESTS_H_
#define TENON_PASSES_LOOPS_INNER_NESTS_H_

#include <functional>
#include <optional>

#include "ir/module.h"

// Internal to passes/loops: the nests of a function that is not an operator as a whole.

namespace tenon {

/// Rewrites nests inside of a function, such as the product of matrices in each step of an LSTM.
///
/// Each nest, the outermost ones first, becomes a separate function for `rewrite`, whose parameters
/// are the memory that the nest accesses. The first element of an access may depend on the loops
/// around the nest; the parameter then begins at this element. The nest must not depend on these
/// loops in any other way. If `rewrite` returns a function, its body replaces the nest. Otherwise
/// the nests inside of it are tried.
///
/// Statements that only copy constants move out of the loops, so that fold-constants can run them.
/// Returns `function` itself if no nest changes.
Function RewriteInnerNests(
    Context& context, const Function& function,
    const std::function<std::optional<Function>(const Function& nest)>& rewrite);

}  // namespace tenon

#endif  // TENON_PASSES_LOOPS_INNER_NESTS_H_
