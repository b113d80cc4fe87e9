#ifndef TENON_TESTS_UNIT_BYOC_RUN_REQUANTISE_H_
#define TENON_TESTS_UNIT_BYOC_RUN_REQUANTISE_H_

#include <cstdint>
#include <span>

#include "byoc/op_info.h"

namespace tenon {

/// Runs a claim by its members alone: `requantise`, the window, loops and accesses. No step is
/// read. It has its own arithmetic, from docs/reference/requantise.md. `operands` are those of
/// RunComputation. Empty, or the reason why it cannot run.
std::string RunRequantise(const OpInfo& info, std::span<const std::span<uint8_t>> operands);

}  // namespace tenon

#endif  // TENON_TESTS_UNIT_BYOC_RUN_REQUANTISE_H_
