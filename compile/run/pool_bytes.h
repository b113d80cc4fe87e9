#ifndef TENON_COMPILE_RUN_POOL_BYTES_H_
#define TENON_COMPILE_RUN_POOL_BYTES_H_

#include <cstdint>
#include <string>

#include "ir/memory_pools.h"
#include "support/diagnostics.h"

namespace tenon {

/// The limit on pool sizes; a larger size is a mistake.
inline constexpr int64_t kMostPoolBytes = int64_t{1} << 36;

/// True if the bytes of all constants in the entry's pools are available. Otherwise reports an
/// error at each missing one: elided data, or a side file that does not match its hashes.
bool CheckPoolConstants(const PrimFunc& entry, Diagnostics& diagnostics);

/// The bytes of a planned constant pool, with zeros between its constants. Empty for other pools,
/// and for sizes over the limit. Constants outside of the pool's bounds are left out.
std::string PoolBytes(const PoolArg& arg);

}  // namespace tenon

#endif  // TENON_COMPILE_RUN_POOL_BYTES_H_
