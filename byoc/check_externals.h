#ifndef TENON_BYOC_CHECK_EXTERNALS_H_
#define TENON_BYOC_CHECK_EXTERNALS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "ir/module.h"
#include "lowering/external_files.h"

// Comparison of external functions with their bodies, on the same inputs, while a program runs.

namespace tenon {

/// Functions that the program calls, and that the caller of the program provides. All return 0.
///   externals_copy(to, from, bytes)
///   externals_magnitude(to, from, elements, bits)   the absolute values of floats of `bits` bits
///   externals_guard(memory, bytes)       fills memory with kGuardByte
///   externals_enter(check)               the code of an external function is called next
///   externals_save(check, input, data)   keeps an input that the code must not change
///   externals_leave(check)               the code has returned
///   externals_fallback(check)            the body runs instead of the code
///   externals_unchanged(check, input, data)   compares such an input with its saved value
///   externals_compare(check, result, got, expected, bound)
/// `check`, `input` and `result` are indices into the list of ExternalCheck, its inputs and its
/// results. `got` has kGuardBytes of guards before and after it. `bound` is `expected`, or the
/// result of the body for the magnitudes of its inputs.
inline constexpr std::string_view kCopyFunction = "externals_copy";
inline constexpr std::string_view kMagnitudeFunction = "externals_magnitude";
inline constexpr std::string_view kGuardFunction = "externals_guard";
inline constexpr std::string_view kEnterFunction = "externals_enter";
inline constexpr std::string_view kSaveFunction = "externals_save";
inline constexpr std::string_view kLeaveFunction = "externals_leave";
inline constexpr std::string_view kFallbackFunction = "externals_fallback";
inline constexpr std::string_view kUnchangedFunction = "externals_unchanged";
inline constexpr std::string_view kCompareFunction = "externals_compare";

/// The size of each guard: memory before and after a result, which must not be written.
inline constexpr int64_t kGuardBytes = 1024;
/// The value of each byte of a guard.
inline constexpr uint8_t kGuardByte = 0xa5;

/// An external function that is checked. One without results cannot be checked.
struct ExternalCheck {
  std::string symbol;
  std::string target;
  /// A tensor that the function reads or writes.
  struct Tensor {
    std::string name;
    DataType dtype;
    std::vector<int64_t> shape;
    int64_t size_bytes = 0;
  };
  std::vector<Tensor> results;
  /// Tensors that the function only reads, except for constants.
  std::vector<Tensor> inputs;
  /// Its operators, in the order of their calls.
  std::vector<std::string> operators;
  /// Declarations in C of the functions that its code in TIR calls.
  std::vector<std::string> prototypes;
  /// The number of summands of one element, for all contractions together; 0: no contraction. A sum
  /// in another order differs by at most this number times 2^-23 times the sum of magnitudes.
  int64_t terms = 0;
  /// Some operator adds up floats, perhaps in another order. A result of 16-bit floats may then be
  /// rounded to a neighbour.
  bool reorders = false;
};

struct CheckedExternals {
  /// Before each call of an external function, its body runs on copies of the memory that it
  /// writes. Comparisons follow the call. The code writes to memory between guards, and the results
  /// are then copied to their places.
  IRModule module;
  std::vector<ExternalCheck> checks;

  explicit CheckedExternals(IRModule module) : module(std::move(module)) {}
};

/// Functions as they were before their constants were packed, by name.
using OriginalFunctions = absl::flat_hash_map<Symbol, Function>;

/// Adds the checks to a module with `tenon.external` functions. A function is not checked if it
/// writes memory without a constant size, or a buffer with strides or an offset. `tir` is the code
/// that generators gave in TIR. `originals` are functions as they were before their constants were
/// packed: their bodies compute with the original constants. They have the same parameters.
CheckedExternals AddExternalChecks(const IRModule& module, const std::vector<Function>& tir = {},
                                   const OriginalFunctions& originals = {});

/// Only notifies the caller of the program when the code of an external function begins and ends.
/// The checks contain no tensors.
CheckedExternals AddExternalTimers(const IRModule& module);

/// A module whose external functions need not run: if a check or an init of the entry returns
/// TENON_EXTERNAL_UNAVAILABLE, all calls run the bodies.
struct FallbackExternals {
  CheckedExternals checked;
  /// C that calls the checks and inits, and stores their results. An empty name: there are none.
  EmittedFile source;
};

/// `originals` as for AddExternalChecks. With `notes`, the program notifies its caller of the
/// bodies that run.
FallbackExternals AddExternalFallback(const IRModule& module, const OriginalFunctions& originals,
                                      bool notes);

}  // namespace tenon

#endif  // TENON_BYOC_CHECK_EXTERNALS_H_
