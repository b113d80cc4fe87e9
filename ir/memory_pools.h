#ifndef TENON_IR_MEMORY_POOLS_H_
#define TENON_IR_MEMORY_POOLS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/builder.h"
#include "ir/module.h"

// Pools as attributes: TVM's `ir.WorkspacePoolInfo` and `ir.ConstantPoolInfo` objects. Allocations
// list them as candidates, and planned functions as `pool_args`. The planning passes, the lowering
// and the report use these readers.

namespace tenon {

inline constexpr std::string_view kWorkspacePoolKey = "ir.WorkspacePoolInfo";
inline constexpr std::string_view kConstantPoolKey = "ir.ConstantPoolInfo";
inline constexpr std::string_view kConstantInfoKey = "ir.ConstantInfo";
inline constexpr std::string_view kAllocatedPoolKey = "tir.usmp.AllocatedPoolInfo";
inline constexpr std::string_view kDefaultWorkspacePool = "global_workspace";
inline constexpr std::string_view kDefaultConstantPool = "global_const_workspace";

/// One constant in a planned pool.
struct PooledConstant {
  std::string name;
  int64_t byte_offset = 0;
  const Constant* data = nullptr;
};

/// The cost of a pool's memory, with TVM's names and units. Unknown values are -1, or 0 for
/// latencies.
struct PoolCostInfo {
  int64_t clock_frequency_hz = -1;
  int64_t read_bandwidth_bytes_per_cycle = -1;
  int64_t write_bandwidth_bytes_per_cycle = -1;
  int64_t read_latency_cycles = 0;
  int64_t write_latency_cycles = 0;
  bool operator==(const PoolCostInfo&) const = default;
};

/// The contents of a pool's attribute.
struct PoolInfo {
  std::string name;
  bool is_constant = false;
  /// Bytes; -1: unlimited.
  int64_t size_hint_bytes = -1;
  /// The generated code owns the storage.
  bool is_internal = false;
  PoolCostInfo cost;
  /// Minimum alignment in bytes of the storage and of everything in it, a power of two. Not in TVM.
  int64_t alignment = 1;
  /// Address of the first byte, to compute alignments; 0 is a multiple of every alignment. Not in
  /// TVM.
  int64_t base_address = 0;
  /// The section of storage that the generated code owns; empty: the default section. Not in TVM.
  std::string section;
  /// For constant pools that are defined elsewhere: the header that declares the array with the
  /// pool's name. Constants in such a pool already have their places. Empty for other pools. Not in
  /// TVM.
  std::string header;
  /// Constants of a planned constant pool, in the order of the attribute.
  std::vector<PooledConstant> constants;
  const ObjectAttr* attr = nullptr;
};

/// A pool that a planned function takes: an entry of `pool_args`.
struct PoolArg {
  PoolInfo pool;
  int64_t size_bytes = 0;
  /// The alignment of the storage's address minus the pool's base address.
  int64_t alignment = 1;
};

/// Limits of a pool's properties: sizes that planners can add up, and the largest alignment that
/// gcc accepts.
inline constexpr int64_t kMostPoolSize = (int64_t{1} << 62) - 1;
inline constexpr int64_t kMostPoolAlignment = int64_t{1} << 28;

/// Reads a pool object; nullopt if `attr` is not one.
std::optional<PoolInfo> ReadPoolInfo(const Attr* attr);
/// Reads the pools that an allocation may go to.
std::vector<PoolInfo> ReadCandidates(const MapAttr* annotations);
/// Whether two descriptions of a pool are equal, apart from its planned constants.
bool SamePool(const PoolInfo& a, const PoolInfo& b);
/// Reads a function's `pool_args`, in order; empty for a function that is not planned.
std::vector<PoolArg> ReadPoolArgs(const PrimFunc& function);
/// The index after the parameters of `pools`. These are the last parameters, except that a pointer
/// without a buffer, such as a device's handle, may follow them. Pools without buffers in the text
/// may be such pointers themselves.
size_t EndOfPoolParams(const PrimFunc& function, const std::vector<PoolArg>& pools);
/// The pool's name and the offset under attr_key::kPlacement; nullopt without this annotation.
struct PlacementNote {
  std::string_view pool;
  int64_t offset = 0;
};
std::optional<PlacementNote> ReadPlacement(const MapAttr* annotations);
/// The pool of that placement if its storage is defined elsewhere (PoolInfo::header); else nullopt.
std::optional<PoolInfo> ReadPoolElsewhere(const MapAttr* annotations);

/// Makes the object of a pool, without constants. Fields that TVM's objects lack are left out if
/// they have their defaults. `targets` may be null.
const ObjectAttr* MakePoolInfo(NodeBuilder& builder, const PoolInfo& pool,
                               const ArrayAttr* targets = nullptr);

}  // namespace tenon

#endif  // TENON_IR_MEMORY_POOLS_H_
