#ifndef TENON_BYOC_CHECK_EXTERNALS_H_
#define TENON_BYOC_CHECK_EXTERNALS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "ir/module.h"

// How a program runs external functions and their bodies on the same inputs.

namespace tenon {

/// Functions that the program calls and whoever runs it brings. All return 0.
///   externals_copy(to, from, bytes)
///   externals_magnitude(to, from, elements, dtype)   the absolute values of floats
///   externals_compare(check, result, got, expected, bound)
/// `dtype` is the bits of the float, 16 more of them for bfloat16 (48). `check` and `result` count
/// the list of ExternalCheck and its results. `bound` is null, or what the body gives for the
/// magnitudes of its inputs.
inline constexpr std::string_view kCopyFunction = "externals_copy";
inline constexpr std::string_view kMagnitudeFunction = "externals_magnitude";
inline constexpr std::string_view kCompareFunction = "externals_compare";

/// An external function that is checked.
struct ExternalCheck {
  std::string symbol;
  std::string target;
  /// A tensor that it writes.
  struct Result {
    std::string name;
    DataType dtype;
    std::vector<int64_t> shape;
    int64_t size_bytes = 0;
  };
  std::vector<Result> results;
  /// Numbers that are added up for one element, of all contractions together: a sum in another
  /// order differs by at most this times 2^-23 times the sum of magnitudes. 0: no contraction.
  int64_t terms = 0;
};

struct CheckedExternals {
  /// Each call of an external function has a call of its body before it, on copies of what it
  /// writes, and comparisons after it.
  IRModule module;
  std::vector<ExternalCheck> checks;

  explicit CheckedExternals(IRModule module) : module(std::move(module)) {}
};

/// Functions as they were before their constants were packed, by name.
using OriginalFunctions = absl::flat_hash_map<Symbol, Function>;

/// Adds the checks to a module with `tenon.external` functions. A function that writes memory of no
/// constant size is not checked. `originals` have the bodies of functions whose constants are
/// packed, which their own bodies do not know; they share parameters.
CheckedExternals AddExternalChecks(const IRModule& module, const OriginalFunctions& originals = {});

}  // namespace tenon

#endif  // TENON_BYOC_CHECK_EXTERNALS_H_
