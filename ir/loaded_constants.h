#ifndef TENON_IR_LOADED_CONSTANTS_H_
#define TENON_IR_LOADED_CONSTANTS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/builder.h"
#include "ir/function.h"
#include "ir/memory_pools.h"

// Constants that are loaded into RAM once before the first run. They are first annotations of their
// allocations (assign-pool-info, plan-memory). When the allocations become addresses
// (convert-pool-allocations-to-offsets), they become an attribute of the entry.

namespace tenon {

/// A constant that must be in a pool before the function runs.
struct LoadedConstant {
  std::string name;
  /// The place that the function reads it from, and its size there.
  std::string pool;
  int64_t offset = 0;
  int64_t size_bytes = 0;
  /// The place where it is stored. Empty: in no pool.
  std::string stored_pool;
  int64_t stored_offset = 0;
  /// The codec that decodes `stored` into `size_bytes` bytes: empty (copy), "lz4" or "zstd".
  std::string codec;
  /// The stored bytes.
  const Constant* stored = nullptr;
};

/// The pool that an allocation's data is loaded into; nullopt if it is used where it is stored.
std::optional<PoolInfo> ReadLoadPool(const MapAttr* annotations);
/// The placement of the allocation's stored bytes.
std::optional<PlacementNote> ReadStoredPlacement(const MapAttr* annotations);

/// The loaded constants of a planned entry function, in the order of its attribute. Malformed
/// entries are left out.
std::vector<LoadedConstant> ReadLoadedConstants(const PrimFunc& function);
/// The value of attr_key::kLoadedConstants.
const ArrayAttr* LoadedConstantsAttr(NodeBuilder& builder,
                                     const std::vector<LoadedConstant>& constants);

}  // namespace tenon

#endif  // TENON_IR_LOADED_CONSTANTS_H_
