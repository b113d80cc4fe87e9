#ifndef TENON_SCHEDULE_CHECK_WHY_NOT_EQUAL_H_
#define TENON_SCHEDULE_CHECK_WHY_NOT_EQUAL_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "analysis/computation.h"
#include "ir/constant.h"
#include "ir/function.h"

// The validator of schedules: it reads back what the emitter wrote. It shares no code with the
// emitter, nor with the rules for schedules, so that one mistake cannot hide another.

namespace tenon {

struct ReadBackOptions {
  /// The most statements and expressions that are read, each lane and unrolled statement alone.
  int64_t max_steps = int64_t{50'000'000};
  /// The most points that all walks visit together: elements of constants, of copies, of results.
  int64_t max_points = int64_t{1'000'000'000};
};

/// The reason why a function does not compute an operator, or why that could not be proven; nullopt
/// if it computes the same bits. Sums of floats must be in the order of the operator, and sums of
/// integers in any order.
///
/// The function has flat buffers, and loops of known lengths. Its parameters are those of the
/// operator's function, and they do not overlap. `constants[i]` is the data of operand i, and null
/// for parameters. docs/reference/schedules.md explains the proof.
std::optional<std::string> WhyNotEqual(const Computation& scheduled,
                                       std::span<const Constant* const> constants,
                                       const PrimFunc& emitted,
                                       const ReadBackOptions& options = {});

}  // namespace tenon

#endif  // TENON_SCHEDULE_CHECK_WHY_NOT_EQUAL_H_
