// An interpreter of integer steps, with a limit on work, since steps share arguments. It refuses
// numbers that wrap: a proof about them would be about other numbers.

#include "byoc/generators/cmsis_nn/step_numbers.h"

#include <algorithm>
#include <limits>

#include "arith/interval.h"
#include "passes/fusion/constant_elements.h"

namespace tenon {

StepNumbers::StepNumbers(const Computation& computation, std::span<const Constant* const> constants)
    : computation_(computation),
      places_(computation.loops.size()),
      bytes_(computation.operands.size()),
      dtypes_(computation.operands.size()) {
  for (size_t i = 0; i < std::min(constants.size(), bytes_.size()); ++i) {
    const Constant* constant = constants[i];
    if (constant == nullptr || !constant->has_bytes() || !constant->dtype().is_integer()) continue;
    const auto bytes = constant->Bytes();
    if (!bytes.ok()) continue;
    bytes_[i] = *bytes;
    dtypes_[i] = constant->dtype();
  }
}

int64_t StepNumbers::At(const LinearIndex& index) const {
  int64_t value = index.offset;
  for (const auto& [loop, stride] : index.terms)
    value += stride * places_[static_cast<size_t>(loop)];
  return value / index.divisor;
}

std::optional<int64_t> StepNumbers::Read(int access) const {
  const ComputationAccess& read = computation_.accesses[static_cast<size_t>(access)];
  const std::span<const uint8_t> bytes = bytes_[static_cast<size_t>(read.operand)];
  const DataType dtype = dtypes_[static_cast<size_t>(read.operand)];
  const int64_t element = At(read.element);
  if (bytes.empty() || element < 0) return std::nullopt;
  const size_t at = static_cast<size_t>(element) * static_cast<size_t>(dtype.bytes());
  if (at + static_cast<size_t>(dtype.bytes()) > bytes.size()) return std::nullopt;
  return IntegerAt(bytes, at, dtype);
}

std::optional<int64_t> StepNumbers::Of(int step) const {
  // Steps that share arguments make trees that are far larger than the claim.
  constexpr int kMostOperations = 4096;
  int left = kMostOperations;
  return Value(step, left);
}

std::optional<int64_t> StepNumbers::Value(int step, int& left) const {
  const Step& at = computation_.steps[static_cast<size_t>(step)];
  if (--left < 0) return std::nullopt;
  switch (at.kind) {
    case StepKind::kInteger:
      return at.integer;
    case StepKind::kIndex:
      return At(at.linear);
    case StepKind::kRead:
      return Read(at.access);
    case StepKind::kNode:
      return Node(at, left);
    default:
      return std::nullopt;
  }
}

std::optional<int64_t> StepNumbers::Node(const Step& step, int& left) const {
  if (!step.dtype.is_scalar() || !(step.dtype.is_integer() || step.dtype.is_bool()))
    return std::nullopt;
  const auto fitting = [&](const Interval& value) -> std::optional<int64_t> {
    if (!value.is_point() || !FitsDType(value, step.dtype)) return std::nullopt;
    return value.min;
  };
  if (step.node == NodeKind::kCast || step.node == NodeKind::kNot) {
    const std::optional<int64_t> value = Value(step.args[0], left);
    if (!value) return std::nullopt;
    return step.node == NodeKind::kNot ? int64_t{*value == 0} : fitting(Interval::Point(*value));
  }
  if (step.args.size() != 2) return std::nullopt;
  const std::optional<int64_t> first = Value(step.args[0], left);
  const std::optional<int64_t> second = first ? Value(step.args[1], left) : std::nullopt;
  if (!second) return std::nullopt;
  const int64_t a = *first, b = *second;
  switch (step.node) {
    case NodeKind::kAdd:
      return fitting(Interval::Point(a) + Interval::Point(b));
    case NodeKind::kSub:
      return fitting(Interval::Point(a) - Interval::Point(b));
    case NodeKind::kMin:
      return std::min(a, b);
    case NodeKind::kMax:
      return std::max(a, b);
    case NodeKind::kEQ:
      return int64_t{a == b};
    case NodeKind::kNE:
      return int64_t{a != b};
    case NodeKind::kLT:
      return int64_t{a < b};
    case NodeKind::kLE:
      return int64_t{a <= b};
    case NodeKind::kGT:
      return int64_t{a > b};
    case NodeKind::kGE:
      return int64_t{a >= b};
    case NodeKind::kAnd:
      return int64_t{a != 0 && b != 0};
    case NodeKind::kOr:
      return int64_t{a != 0 || b != 0};
    default:
      return std::nullopt;
  }
}

}  // namespace tenon
