#ifndef TENON_PASSES_LOWERING_MERGE_FUNCTIONS_H_
#define TENON_PASSES_LOWERING_MERGE_FUNCTIONS_H_

#include "passes/pass.h"

namespace tenon {

struct MergeFunctionsOptions {
  int64_t max_parameters = 16;

  static constexpr auto List() {
    return std::make_tuple(
        PassOption{"max-parameters", &MergeFunctionsOptions::max_parameters,
                   "the most parameters that a function gets for numbers that differ"});
  }
};

/// Makes one function of functions that differ only in integers, which become parameters. So the
/// layers of a network that have one form have one code.
///
///   before:  def main(x, y):
///                T.call_extern("int32", "f", x.data)
///                T.call_extern("int32", "g", y.data)
///            def f(a): for i in range(8): a[i] = a[i] + 3
///            def g(a): for i in range(9): a[i] = a[i] + 5
///   after:   def main(x, y):
///                T.call_extern("int32", "f", x.data, 8, 3)
///                T.call_extern("int32", "f", y.data, 9, 5)
///            def f(a, n: T.int32, n_1: T.int32): for i in range(n): a[i] = a[i] + n_1
///
/// Numbers that differ in the same way share a parameter, also if one is a multiple of the other,
/// or a small distance away. Sizes of allocations and shapes become the largest ones. Addresses in
/// pools are also numbers, so the pass is for modules after convert-pool-allocations-to-offsets.
///
/// The pass takes functions without symbols that all callers call by call_extern, and that call no
/// function. Numbers must fit int32. Divisors must be equal, and numbers that a builtin needs as
/// literals.
/// Idempotent. Counters: merge-functions.functions, merge-functions.parameters.
absl::StatusOr<IRModule> MergeFunctions(const IRModule& module,
                                        const MergeFunctionsOptions& options, PassContext& context);

}  // namespace tenon

#endif  // TENON_PASSES_LOWERING_MERGE_FUNCTIONS_H_
