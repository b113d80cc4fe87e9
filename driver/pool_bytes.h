#ifndef TENON_DRIVER_POOL_BYTES_H_
#define TENON_DRIVER_POOL_BYTES_H_

#include <cstdint>
#include <string>

#include "ir/memory_pools.h"

namespace tenon {

/// More than this is no model that could be run here, but a mistake.
inline constexpr int64_t kMostPoolBytes = int64_t{1} << 36;

/// The bytes of a planned constant pool, zeros between its constants; empty for other pools, and
/// for sizes that cannot be run. Constants that do not lie within the pool are left out.
std::string PoolBytes(const PoolArg& arg);

}  // namespace tenon

#endif  // TENON_DRIVER_POOL_BYTES_H_
