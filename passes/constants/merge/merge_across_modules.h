#ifndef TENON_PASSES_CONSTANTS_MERGE_MERGE_ACROSS_MODULES_H_
#define TENON_PASSES_CONSTANTS_MERGE_MERGE_ACROSS_MODULES_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/module.h"
#include "ir/storage_defaults.h"

// Merges constants of several modules of a program; merge-constants only handles a single module.

namespace tenon {

struct ShareConstantsOptions {
  /// The level of merge-constants.
  std::string level = "exact";
  /// The alignment in bytes of constants without an explicit one.
  int64_t alignment = kDefaultAlignment;
  /// The prefix of the pools' names: `tvmgen_shared`.
  std::string prefix;
  /// The file that will declare them.
  std::string header;
};

/// Constant bytes that several modules use.
struct SharedConstantBlock {
  /// A use: an allocation in a module's function.
  struct Use {
    size_t module = 0;
    std::string function;
    /// The name of the constant, or of the variable if the constant has none.
    std::string name;
    int64_t offset = 0;  ///< in the pool
    int64_t size_bytes = 0;
    DataType dtype = DataType::UInt(8);  ///< of its elements
  };
  /// The bytes of `data` from `begin` on.
  const Constant* data = nullptr;
  int64_t begin = 0;
  int64_t size_bytes = 0;
  int64_t alignment = 1;
  int64_t offset = 0;  ///< in the pool
  std::vector<Use> uses;
};

/// The shared constants of one section.
struct SharedConstantPool {
  /// The name of the pool, and of the array to define.
  std::string name;
  /// Empty means the default section.
  std::string section;
  int64_t alignment = 1;
  int64_t size_bytes = 0;
  /// Sorted by offset.
  std::vector<SharedConstantBlock> blocks;
};

/// Finds constants of several modules with the same bytes, whatever dtype, shape and name. The
/// modules then use one copy, in pools that are defined elsewhere (PoolInfo::header), with the
/// constants' places. With level `subrange`, constants inside another module's constant are also
/// shared. Alignments are the largest of all uses.
///
/// The modules belong to the same Context, and merge-constants and assign-pool-info have run on
/// them. A constant takes part under two conditions. It has no candidate pool, or its first one
/// belongs to the generated code and has no limit. It is not address significant, loaded or already
/// placed. Constants of pools with different names or sections share nothing. Empty if nothing is
/// shared.
absl::StatusOr<std::vector<SharedConstantPool>> ShareConstants(
    std::span<IRModule* const> modules, const ShareConstantsOptions& options);

/// A table of the shared constants, the modules that use them, and the saved bytes.
std::string SharedConstantsText(std::span<const SharedConstantPool> pools,
                                std::span<const std::string> modules);

}  // namespace tenon

#endif  // TENON_PASSES_CONSTANTS_MERGE_MERGE_ACROSS_MODULES_H_
