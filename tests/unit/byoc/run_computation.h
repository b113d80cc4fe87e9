#ifndef TENON_TESTS_UNIT_BYOC_RUN_COMPUTATION_H_
#define TENON_TESTS_UNIT_BYOC_RUN_COMPUTATION_H_

#include <cstdint>
#include <span>
#include <vector>

#include "absl/status/status.h"
#include "analysis/computation.h"

namespace tenon {

/// Runs a computation in plain loops, from what is written down in it alone. `operands[i]` has the
/// bytes of operand i, elements in C order and little endian; stores change them. An error when an
/// operand has too few bytes, a step has no meaning here, a value that counts is read outside of an
/// operand, or loops are wrong (LoopProblem).
absl::Status RunComputation(const Computation& computation,
                            std::span<const std::span<uint8_t>> operands);

}  // namespace tenon

#endif  // TENON_TESTS_UNIT_BYOC_RUN_COMPUTATION_H_
