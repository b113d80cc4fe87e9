#ifndef TENON_PASSES_CONSTANTS_CLAIM_OPERANDS_H_
#define TENON_PASSES_CONSTANTS_CLAIM_OPERANDS_H_

#include "absl/container/flat_hash_map.h"
#include "ir/context.h"
#include "ir/function.h"

// A claim (attr_key::kOp) names parameters and constants of its function by position. Passes that
// make parameters of constants, or constants of parameters, change these positions.

namespace tenon {

/// For variables of constants and parameters: the variables that replace them.
using RenamedVars = absl::flat_hash_map<const Var*, const Var*>;

/// `after`, whose claim names the constants and parameters of `before`, with a claim that names its
/// own. A variable that is not in `renamed` is the same in both. If an operand no longer exists,
/// the claim becomes one of the kind `unknown`.
Function WithMovedOperands(Context& context, const PrimFunc& before, const Function& after,
                           const RenamedVars& renamed);

/// The function with a claim that says nothing about the values of its constants: they may change
/// if they are parameters of the model.
Function WithoutConstantFacts(Context& context, const Function& function);

}  // namespace tenon

#endif  // TENON_PASSES_CONSTANTS_CLAIM_OPERANDS_H_
