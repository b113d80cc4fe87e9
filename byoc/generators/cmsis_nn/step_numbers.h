#ifndef TENON_BYOC_GENERATORS_CMSIS_NN_STEP_NUMBERS_H_
#define TENON_BYOC_GENERATORS_CMSIS_NN_STEP_NUMBERS_H_

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "analysis/computation.h"
#include "ir/constant.h"

namespace tenon {

/// Computes integer steps of a computation at given places of its loops. Operands that are constant
/// can be read.
class StepNumbers {
 public:
  /// `constants[i]` is the data of operand i; null if it is unknown. Without constants, no operand
  /// can be read.
  StepNumbers(const Computation& computation, std::span<const Constant* const> constants);

  void Set(int loop, int64_t place) { places_[static_cast<size_t>(loop)] = place; }
  /// Nullopt if the step has no number: it reads other operands, computes floats, wraps, or takes
  /// more than some thousand operations.
  std::optional<int64_t> Of(int step) const;
  /// The element of an access, or the value of an index.
  int64_t At(const LinearIndex& index) const;
  /// The integer that an access reads; nullopt if its operand is not a constant of integers.
  std::optional<int64_t> Read(int access) const;

 private:
  std::optional<int64_t> Value(int step, int& left) const;
  std::optional<int64_t> Node(const Step& step, int& left) const;

  const Computation& computation_;
  std::vector<int64_t> places_;
  /// By operand; empty for data that is unknown.
  std::vector<std::span<const uint8_t>> bytes_;
  std::vector<DataType> dtypes_;
};

}  // namespace tenon

#endif  // TENON_BYOC_GENERATORS_CMSIS_NN_STEP_NUMBERS_H_
