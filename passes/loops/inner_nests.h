#ifndef TENON_PASSES_LOOPS_INNER_NESTS_H_
#define TENON_PASSES_LOOPS_INNER_NESTS_H_

#include <functional>
#include <optional>

#include "ir/module.h"

// Internal to passes/loops: the nests of a function that is not an operator as a whole.

namespace tenon {

/// Rewrites nests inside of a function, such as the product of matrices in each step of an LSTM.
///
/// Each nest, the outermost ones first, becomes a function of its own for `rewrite`: its parameters
/// are the memory that it accesses. The element that an access begins with may depend on the loops
/// around the nest; the parameter then begins at this element. Loops around a nest may have nothing
/// else to do with it. If `rewrite` gives a function, its body replaces the nest. Otherwise the
/// nests inside of it are tried.
///
/// Statements that only copy constants move out of the loops, so that fold-constants can run them.
/// Gives `function` itself if no nest changes.
Function RewriteInnerNests(
    Context& context, const Function& function,
    const std::function<std::optional<Function>(const Function& nest)>& rewrite);

}  // namespace tenon

#endif  // TENON_PASSES_LOOPS_INNER_NESTS_H_
