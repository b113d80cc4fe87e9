#ifndef TENON_PASSES_FUSION_FORWARD_PRODUCERS_H_
#define TENON_PASSES_FUSION_FORWARD_PRODUCERS_H_

#include "passes/pass.h"

namespace tenon {

struct ForwardProducersOptions {
  bool keep_pads = false;

  static constexpr auto List() {
    return std::make_tuple(
        PassOption<ForwardProducersOptions, bool>{"keep-pads", &ForwardProducersOptions::keep_pads,
                                                  "keep padded values that unrolled sums read"});
  }
};

/// Replaces loads of a buffer by the value that its only producer stores: a copy, a pad, a cast, a
/// layout move, an elementwise operator. The buffer and the nest that fills it go.
///
///   before:  for i in range(4):                   after:  for i, k in T.grid(4, 4):
///                b[i] = T.Cast("int32", x[i])                 y[i] = y[i] + T.Cast("int32", x[k])
///            for i, k in T.grid(4, 4):
///                y[i] = y[i] + b[k]
///
/// The pass proves three facts. The store's index is a bijection in mixed radix. All loads come
/// later in the same list of statements, and read written elements. Nothing in between writes an
/// element that the value reads. A value that costs much and is read more than once stays, and so
/// does one whose source fuse-nests can take away. Conditions of pads move around the loops that do
/// not change them; a pad whose condition changes along lanes stays. With `keep-pads`, a padded
/// buffer of floats stays if a statement reads it in several places: unrolled sums, without the
/// products of a pad, would no longer be a loop. A second run may forward more.
absl::StatusOr<IRModule> ForwardProducers(const IRModule& module,
                                          const ForwardProducersOptions& options,
                                          PassContext& context);

}  // namespace tenon

#endif  // TENON_PASSES_FUSION_FORWARD_PRODUCERS_H_
