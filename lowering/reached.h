#ifndef TENON_LOWERING_REACHED_H_
#define TENON_LOWERING_REACHED_H_

#include "absl/container/flat_hash_set.h"
#include "ir/analysis/effects.h"
#include "ir/module.h"

namespace tenon {

/// Names of the functions that code is made of: those that the entry reaches; all of them when
/// there is no entry.
absl::flat_hash_set<Symbol> ReachedFunctions(const IRModule& module, const ModuleEffects& effects);

}  // namespace tenon

#endif  // TENON_LOWERING_REACHED_H_
