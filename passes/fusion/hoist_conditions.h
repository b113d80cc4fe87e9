#ifndef TENON_PASSES_FUSION_HOIST_CONDITIONS_H_
#define TENON_PASSES_FUSION_HOIST_CONDITIONS_H_

#include "absl/container/flat_hash_set.h"
#include "passes/fusion/nest.h"

namespace tenon {

/// Turns conditions of `T.if_then_else` in stored values into statements around the loops that do
/// not change them. Removes a branch that stores the value that is there already: a tap of a
/// convolution that meets the padding.
///
///   for c in range(16):                            if i > 0:
///       y[c] = y[c] + T.if_then_else(     ->           for c in range(16):
///           i > 0, x[i * 16 + c], 0)                       y[c] = y[c] + x[i * 16 + c]
///
/// `finite` are pointers to constants whose elements are finite floats: a zero times one of them
/// adds nothing to a sum that begins at +0, which never becomes -0.
const Stmt* HoistConditions(const FusionTools& tools, const Stmt* stmt,
                            const absl::flat_hash_set<const Var*>& finite);

}  // namespace tenon

#endif  // TENON_PASSES_FUSION_HOIST_CONDITIONS_H_
