#ifndef TENON_PASSES_FUSION_FUSE_NESTS_H_
#define TENON_PASSES_FUSION_FUSE_NESTS_H_

#include "passes/pass.h"

namespace tenon {

struct FuseNestsOptions {
  bool keep_blocks = false;
  bool keep_sums = false;

  static constexpr auto List() {
    return std::make_tuple(
        PassOption<FuseNestsOptions, bool>{
            "keep-blocks", &FuseNestsOptions::keep_blocks,
            "keep loops separate if jam-loops can run their iterations together"},
        PassOption<FuseNestsOptions, bool>{
            "keep-sums", &FuseNestsOptions::keep_sums,
            "keep nests of several sums separate, so that choose-blocks can give them blocks"});
  }
};

/// Moves a nest of loops into the nest that produces what it reads. The buffer between the two
/// becomes a scalar or a block of elements in the loops that they share.
///
///   before:  for i in range(8):                   after:  for i in range(8):
///                s[i] = 0                                     s = T.allocate([1], "int32")
///                for k in range(3):                           s_1[0] = 0
///                    s[i] = s[i] + x[i + k]                   for k in range(3):
///            for i in range(8):                                   s_1[0] = s_1[0] + x[i + k]
///                y[i] = T.max(s[i], 0)                        y[i] = T.max(s_1[0], 0)
///
/// The loops that are shared have the same number of iterations in both nests, in the same order.
/// Elements that both nests access, and one writes, belong to the same iteration of both. Loops are
/// serial, with constant bounds. Sums keep their order. A nest moves only if the buffer becomes
/// smaller by it, and if each element of a block is read once. Idempotent.
///
/// Iterations that make sums may run at once, in lanes. A nest whose iterations depend on each
/// other does not move into such a loop if the buffer is local, of at most 512 bytes. With
/// `keep-blocks`, such a nest also stays if that cannot make a plan larger: the bytes in use
/// together with the buffer are at most the largest buffer that stays. With `keep-sums`, a nest of
/// several sums stays: choose-blocks gives it blocks.
absl::StatusOr<IRModule> FuseNests(const IRModule& module, const FuseNestsOptions& options,
                                   PassContext& context);

}  // namespace tenon

#endif  // TENON_PASSES_FUSION_FUSE_NESTS_H_
