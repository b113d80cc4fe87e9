#ifndef TENON_IR_LOADED_CONSTANTS_H_
#define TENON_IR_LOADED_CONSTANTS_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "ir/builder.h"
#include "ir/function.h"
#include "ir/memory_pools.h"

// Constants that are brought into RAM once before the first run: first as annotations of their
// allocations (assign-pool-info, plan-memory), then, when these have become addresses, as an
// attribute of the entry (convert-pool-allocations-to-offsets).

namespace tenon {

/// A constant that has to be in a pool before the function runs.
struct LoadedConstant {
  std::string name;
  /// Where it is read from, and how many bytes it has there.
  std::string pool;
  int64_t offset = 0;
  int64_t size_bytes = 0;
  /// Where it is stored: in a pool of constants, or by itself where that has no name.
  std::string stored_pool;
  int64_t stored_offset = 0;
  /// Empty, lz4 or zstd: how `stored` becomes the `size_bytes` bytes.
  std::string codec;
  /// The stored bytes.
  const Constant* stored = nullptr;
};

/// The pool that an allocation's data is loaded into; nullopt where it is used as it is stored.
std::optional<PoolInfo> ReadLoadPool(const MapAttr* annotations);
/// Where its stored bytes are.
std::optional<PlacementNote> ReadStoredPlacement(const MapAttr* annotations);

/// The loaded constants of a planned entry function, in the order of its attribute. Entries that
/// are none are left out.
std::vector<LoadedConstant> ReadLoadedConstants(const PrimFunc& function);
/// The value of attr_key::kLoadedConstants.
const ArrayAttr* LoadedConstantsAttr(NodeBuilder& builder,
                                     const std::vector<LoadedConstant>& constants);

/// Does for a pool what the generated code does before the first run: writes the constants of
/// `function` that are loaded into `pool` to `bytes`. An error where one does not fit, or its bytes
/// cannot be had.
absl::Status LoadConstants(const PrimFunc& function, std::string_view pool,
                           std::span<uint8_t> bytes);

}  // namespace tenon

#endif  // TENON_IR_LOADED_CONSTANTS_H_
