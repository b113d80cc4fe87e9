#ifndef TENON_COMPILE_RUN_POOL_BYTES_H_
#define TENON_COMPILE_RUN_POOL_BYTES_H_

#include <cstdint>
#include <string>

#include "ir/memory_pools.h"
#include "support/diagnostics.h"

namespace tenon {

/// A model with larger pools cannot run here: the size is a mistake.
inline constexpr int64_t kMostPoolBytes = int64_t{1} << 36;

/// Whether the bytes of all constants of the entry's pools can be had; else an error at each that
/// cannot: elided data, a side file that is not as its hashes say.
bool CheckPoolConstants(const PrimFunc& entry, Diagnostics& diagnostics);

/// The bytes of a planned constant pool, zeros between its constants; empty for other pools, and
/// for sizes that cannot be run. Constants that do not lie within the pool are left out.
std::string PoolBytes(const PoolArg& arg);

}  // namespace tenon

#endif  // TENON_COMPILE_RUN_POOL_BYTES_H_
