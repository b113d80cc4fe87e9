#ifndef TENON_IR_MEMORY_POOLS_H_
#define TENON_IR_MEMORY_POOLS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/builder.h"
#include "ir/module.h"

// Pools as attributes: TVM's `ir.WorkspacePoolInfo` and `ir.ConstantPoolInfo` objects, which
// allocations list as their candidates and planned functions as their `pool_args`. Shared by the
// planning passes, the lowering and the report.

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

/// What a pool's memory costs, with TVM's names and units; not known: -1, and 0 for latencies.
struct PoolCostInfo {
  int64_t clock_frequency_hz = -1;
  int64_t read_bandwidth_bytes_per_cycle = -1;
  int64_t write_bandwidth_bytes_per_cycle = -1;
  int64_t read_latency_cycles = 0;
  int64_t write_latency_cycles = 0;
  bool operator==(const PoolCostInfo&) const = default;
};

/// A pool as its attribute says it.
struct PoolInfo {
  std::string name;
  bool is_constant = false;
  /// Bytes; -1: as many as it takes.
  int64_t size_hint_bytes = -1;
  /// The generated code owns the storage.
  bool is_internal = false;
  PoolCostInfo cost;
  /// Least alignment of the storage and of everything in it: bytes, a power of two. TVM has none.
  int64_t alignment = 1;
  /// Address of the first byte, as far as alignment goes: 0 is a multiple of everything. TVM has
  /// none.
  int64_t base_address = 0;
  /// Where the generated code puts storage that it owns; empty: the default of its kind. TVM has
  /// none.
  std::string section;
  /// Of constants: the storage is defined elsewhere, as the array that this file declares under the
  /// pool's name; what is in the pool has its place already. Empty: it is not. TVM has none.
  std::string header;
  /// Constants of a planned constant pool, in the order of the attribute.
  std::vector<PooledConstant> constants;
  const ObjectAttr* attr = nullptr;
};

/// A pool that a planned function takes: entry of `pool_args`.
struct PoolArg {
  PoolInfo pool;
  int64_t size_bytes = 0;
  /// What the storage's address, less the pool's base address, is a multiple of.
  int64_t alignment = 1;
};

/// Limits of a pool's properties: sizes that a planner can count with, and the largest alignment
/// that gcc takes.
inline constexpr int64_t kMostPoolSize = (int64_t{1} << 62) - 1;
inline constexpr int64_t kMostPoolAlignment = int64_t{1} << 28;

/// Reads a pool object; nullopt when `attr` is none.
std::optional<PoolInfo> ReadPoolInfo(const Attr* attr);
/// Reads the pools that an allocation may go to.
std::vector<PoolInfo> ReadCandidates(const MapAttr* annotations);
/// Whether the two say the same of a pool, its planned constants aside.
bool SamePool(const PoolInfo& a, const PoolInfo& b);
/// Reads a function's `pool_args`, in order; empty for a function that is not planned.
std::vector<PoolArg> ReadPoolArgs(const PrimFunc& function);
/// Behind which parameter those of `pools` end. They are the last ones, but a pointer without a
/// buffer, as a device's handle is, stays behind them. Pools that the text gives no buffers may be
/// such pointers themselves.
size_t EndOfPoolParams(const PrimFunc& function, const std::vector<PoolArg>& pools);
/// The offset under attr_key::kPlacement and the pool's name; nullopt when there is none.
struct PlacementNote {
  std::string_view pool;
  int64_t offset = 0;
};
std::optional<PlacementNote> ReadPlacement(const MapAttr* annotations);
/// The pool in which that is, where its storage is defined elsewhere (PoolInfo::header).
std::optional<PoolInfo> ReadPoolElsewhere(const MapAttr* annotations);

/// Makes the object of a pool, without constants; what TVM's objects lack is left out when it has
/// its default. `targets` may be null.
const ObjectAttr* MakePoolInfo(NodeBuilder& builder, const PoolInfo& pool,
                               const ArrayAttr* targets = nullptr);

}  // namespace tenon

#endif  // TENON_IR_MEMORY_POOLS_H_
