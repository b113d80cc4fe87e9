#ifndef TENON_PASSES_CONSTANTS_CONSTANT_LOADING_H_
#define TENON_PASSES_CONSTANTS_CONSTANT_LOADING_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "passes/pass.h"

// Internal to passes/: constants that may be loaded into a pool, for promote-constants and
// compress-constants.

namespace tenon {

/// A constant of a function that the entry reaches, and the number of its bytes that one run reads.
struct LoadableConstant {
  const Constant* data = nullptr;
  int64_t bytes_read = 0;
  /// True if a constant that may not be loaded shares bytes with it; those bytes stay stored in any
  /// case.
  bool is_shared = false;
};

/// The constants that may be loaded, or stored in another way, in the order of the text. This
/// excludes constants that attributes refer to or slices are cut from, placed constants, and empty
/// constants.
std::vector<LoadableConstant> LoadableConstants(const IRModule& module);

/// The default read-write pool for loaded constants: the first of the module's attribute, else of
/// the first allocation with candidates, else TVM's.
std::string FirstPool(const IRModule& module);

/// The number of bytes of constants that may be loaded into a pool: `budget` unless it is negative,
/// otherwise the pool's size minus its planned bytes; INT64_MAX without a limit. NotFound if the
/// module names read-write pools, but not this one.
absl::StatusOr<int64_t> LoadBudget(const IRModule& module, std::string_view pool, int64_t budget,
                                   PassContext& context);

/// Replaces constants in allocations and in the table.
IRModule ReplaceConstants(const IRModule& module,
                          const absl::flat_hash_map<const Constant*, const Constant*>& replacements,
                          PassContext& context);

/// The constant with another placement.
const Constant* WithPlacement(Context& context, const Constant& constant,
                              ConstantPlacement placement);

/// The bytes of a constant in a pool, including the padding that aligning it may take.
int64_t PaddedBytes(const Constant& constant);

}  // namespace tenon

#endif  // TENON_PASSES_CONSTANTS_CONSTANT_LOADING_H_
