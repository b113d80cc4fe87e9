#ifndef TENON_BYOC_GENERATORS_CMSIS_NN_SOFTMAX_H_
#define TENON_BYOC_GENERATORS_CMSIS_NN_SOFTMAX_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "byoc/op_info.h"
#include "ir/constant.h"

namespace tenon {

/// A softmax of CMSIS-NN: rows of int8, whose results have the scale 1/256 and the zero point -128.
struct CmsisSoftmax {
  /// Operands of the claim.
  int input = -1, output = -1;
  int64_t rows = 1, columns = 1;
  /// The exponential of a difference d is exp(d * multiplier * 2^(shift - 31 - 26)), and 0 below
  /// `least_difference`.
  int64_t multiplier = 0, shift = 0, least_difference = 0;
};

/// The claim of an operator as a softmax of the library, whose results are equal for every input.
/// `constants[i]` is the data of operand i of the claim, or null. Sets `*problem` and returns
/// nullopt for another operator.
std::optional<CmsisSoftmax> ReadCmsisSoftmax(const OpInfo& info,
                                             std::span<const Constant* const> constants,
                                             std::string* problem);

}  // namespace tenon

#endif  // TENON_BYOC_GENERATORS_CMSIS_NN_SOFTMAX_H_
