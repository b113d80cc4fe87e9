#ifndef TENON_PASSES_LOOPS_REQUANTIZE_WORDS_H_
#define TENON_PASSES_LOOPS_REQUANTIZE_WORDS_H_

#include "passes/pass.h"

namespace tenon {

struct RequantizeWordsOptions {
  bool twice = false;

  static constexpr auto List() {
    return std::make_tuple(PassOption<RequantizeWordsOptions, bool>{
        "twice", &RequantizeWordsOptions::twice,
        "shift twice and add 1 in between: for processors that round while they shift vectors"});
  }
};

/// Requantises in 32 bits, for processors whose registers have no more. Only the upper word of the
/// product is used: the number that is added for rounding has a lower word of 0.
///
///   before:  T.q_multiply_shift_per_axis(     after:  T.shift_right(
///                x, y[c], 0, r[c], 31, ...)               upper(x * y[c]) +
///                                                             T.shift_left(1, r[c] - 2),
///                                                         r[c] - 1)
///
/// The pass rewrites a call without a shift to the left, whose shifts to the right are constants of
/// 33 to 62 bits in total: the 31 of q31, and 2 to 31 more. With `twice`, the upper word is shifted
/// to the right by r[c] - 2, and by 1 after 1 was added. The result is the same for every `x`. A
/// call of `q_multiply_shift` stays if its factor is one half, since TVM rounds it differently.
/// Other shifts are possible if the number is small. Rounded products in 64 bits also become words,
/// and numbers that are added before and after a clip become one number. Idempotent.
absl::StatusOr<IRModule> RequantizeWords(const IRModule& module,
                                         const RequantizeWordsOptions& options,
                                         PassContext& context);

}  // namespace tenon

#endif  // TENON_PASSES_LOOPS_REQUANTIZE_WORDS_H_
