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

// Merging across modules that become one program: merge-constants has no say beyond its module.

namespace tenon {

struct ShareConstantsOptions {
  /// As merge-constants has it. `splat` is `subrange` here: elements stand in their own module.
  std::string level = "exact";
  /// Bytes to which constants that do not say it themselves are aligned.
  int64_t alignment = kDefaultAlignment;
  /// What the names of the pools begin with: `tvmgen_shared`.
  std::string prefix;
  /// The file that will declare them.
  std::string header;
};

/// Constant bytes that several modules use.
struct SharedConstantBlock {
  /// A use: an allocation of a module's function.
  struct Use {
    size_t module = 0;
    std::string function;
    /// Of the constant; of the variable where that has no name.
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

/// What modules have in common of one section.
struct SharedConstantPool {
  /// Of the pool, and of the array that is to be defined.
  std::string name;
  /// Empty: the default one.
  std::string section;
  int64_t alignment = 1;
  int64_t size_bytes = 0;
  /// By their offsets.
  std::vector<SharedConstantBlock> blocks;
};

/// Finds constants of several modules with the same bytes, whatever dtype, shape and name, and has
/// the modules use them where they are once: in pools that are defined elsewhere
/// (PoolInfo::header), with their places. With level `subrange` also those that lie within another
/// module's. Alignments are the largest of all uses.
///
/// The modules are of one Context, and have gone through merge-constants and assign-pool-info. A
/// constant takes part if its first candidate pool belongs to the generated code and has no limit,
/// or if it has none; if it is neither address significant, nor loaded, nor placed already.
/// Constants of pools of different names or sections share nothing. Empty when nothing is shared.
absl::StatusOr<std::vector<SharedConstantPool>> ShareConstants(
    std::span<IRModule* const> modules, const ShareConstantsOptions& options);

/// A table of what is stored once, which modules have it, and what that saves.
std::string SharedConstantsText(std::span<const SharedConstantPool> pools,
                                std::span<const std::string> modules);

}  // namespace tenon

#endif  // TENON_PASSES_CONSTANTS_MERGE_MERGE_ACROSS_MODULES_H_
