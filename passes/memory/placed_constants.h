#ifndef TENON_PASSES_MEMORY_PLACED_CONSTANTS_H_
#define TENON_PASSES_MEMORY_PLACED_CONSTANTS_H_

#include "passes/memory/placed_module.h"

namespace tenon {

/// Reports constants at places where their bytes cannot be: a constant that shares a byte of a pool
/// with an allocation, or with a constant whose byte there differs. Constants are compared where
/// they overlap, as they are used and, if they are loaded, also as they are stored.
void CheckPlacedConstants(const PlacedModule& placed, Diagnostics& diagnostics);

}  // namespace tenon

#endif  // TENON_PASSES_MEMORY_PLACED_CONSTANTS_H_
