#ifndef TENON_TESTS_UNIT_BYOC_RUN_COMPUTATION_H_
#define TENON_TESTS_UNIT_BYOC_RUN_COMPUTATION_H_

#include <cstdint>
#include <span>
#include <vector>

#include "absl/status/status.h"
#include "analysis/computation.h"

namespace tenon {

/// Runs a computation in plain loops, using only the computation itself. `operands[i]` contains the
/// bytes of operand i, elements in C order and little endian; stores change them. An error if an
/// operand has too few bytes, a step is not supported, a used value is read outside an operand, or
/// loops are wrong (LoopProblem).
absl::Status RunComputation(const Computation& computation,
                            std::span<const std::span<uint8_t>> operands);

}  // namespace tenon

#endif  // TENON_TESTS_UNIT_BYOC_RUN_COMPUTATION_H_
