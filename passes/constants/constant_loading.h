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

/// A constant of functions that the entry reaches, and how much one run reads of it.
struct LoadableConstant {
  const Constant* data = nullptr;
  int64_t bytes_read = 0;
  /// A constant that may not be loaded has some of its bytes, which stay stored for that one.
  bool is_shared = false;
};

/// The constants that may be loaded, or stored in another way, in the order of the text. Not:
/// those that attributes refer to, that slices are cut from, that have a place already, or are
/// empty.
std::vector<LoadableConstant> LoadableConstants(const IRModule& module);

/// The read-write pool that constants are loaded into if nobody says which: the first of the
/// module's attribute, else of the first allocation that has candidates, else TVM's.
std::string FirstPool(const IRModule& module);

/// How many bytes of constants may be loaded into a pool: `budget` if it is not negative, else what
/// the pool's size leaves beside what is planned in it; without a limit INT64_MAX. NotFound when
/// the module names read-write pools, but not this one.
absl::StatusOr<int64_t> LoadBudget(const IRModule& module, std::string_view pool, int64_t budget,
                                   PassContext& context);

/// Replaces constants wherever functions allocate them and in the table.
IRModule ReplaceConstants(const IRModule& module,
                          const absl::flat_hash_map<const Constant*, const Constant*>& replacements,
                          PassContext& context);

/// The constant with another placement.
const Constant* WithPlacement(Context& context, const Constant& constant,
                              ConstantPlacement placement);

/// Bytes that a constant takes in a pool: with what it may take to align it.
int64_t PaddedBytes(const Constant& constant);

}  // namespace tenon

#endif  // TENON_PASSES_CONSTANTS_CONSTANT_LOADING_H_
