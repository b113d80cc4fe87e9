// Operators on elements of two tensors. Both are dense and have the output's shape.

#include <algorithm>

#include "byoc/generators/cmsis_nn/layer.h"
#include "fmt/format.h"

namespace tenon {

namespace {

constexpr int64_t kLeastOffset = -127, kMostOffset = 128;
/// Kernels drop the upper bits of a sum of 16 bits by the shift.
constexpr int64_t kLeastLeft = 16, kMostLeft = 22;

bool IsDense(const Computation& all, int access, int64_t elements, std::string& problem) {
  const ComputationAccess& of = all.accesses[static_cast<size_t>(access)];
  const ComputationOperand& operand = all.operands[static_cast<size_t>(of.operand)];
  if (operand.dtype != DataType::Int(8)) {
    problem = fmt::format("an operand is {}, not int8", operand.dtype.ToString());
    return false;
  }
  const ComputationAccess& output = all.accesses[static_cast<size_t>(all.stores[0].access)];
  if (operand.elements == elements && of.element == output.element) return true;
  problem = "its operands have different shapes";
  return false;
}

/// The library's multiplication for an input, compared for each of its integers.
std::optional<Rescale> InputRescale(const QuantisedInput& input, CmsisRounding rounding) {
  Rescale found = input.rescale;
  found.rounding = rounding == CmsisRounding::kTwice ? Rounding::kTwice : Rounding::kOnce;
  if (found.shift > 0 || found.shift < -30) return std::nullopt;
  for (int64_t x = -128; x < 128; ++x) {
    const int64_t shifted = (x - input.zero_point) * (int64_t{1} << input.left_shift);
    if (found.Of(shifted) != input.rescale.Of(shifted)) return std::nullopt;
  }
  return found;
}

}  // namespace

std::optional<CmsisPair> ReadCmsisPair(const OpInfo& info, CmsisRounding rounding,
                                       std::string* problem) {
  const auto fail = [&](std::string_view why) {
    *problem = why;
    return std::nullopt;
  };
  if (!info.requantise || info.kind != "elementwise")
    return fail("it has no kernel for elementwise");
  const Requantise& own = *info.requantise;
  const Computation& all = info.computation;
  CmsisPair pair;
  pair.is_sum = own.sum == QuantisedSum::kAdd;
  if ((!pair.is_sum && own.sum != QuantisedSum::kProduct) || !own.bias.empty())
    return fail("it has no kernel for this computation of elements");
  const QuantisedInput& first = own.inputs[0];
  const QuantisedInput& second = own.inputs[1];
  pair.elements = info.elements;
  for (const int access : {first.access, second.access, all.stores[0].access}) {
    if (!IsDense(all, access, info.elements, *problem)) return std::nullopt;
  }
  const auto operand = [&](int access) {
    return all.accesses[static_cast<size_t>(access)].operand;
  };
  pair.first = operand(first.access);
  pair.second = operand(second.access);
  pair.output = operand(all.stores[0].access);
  pair.first_offset = -first.zero_point;
  pair.second_offset = -second.zero_point;
  pair.output_offset = own.zero_point;
  pair.least = own.low;
  pair.most = own.high;
  if (own.low < -128 || own.high > 127) return fail("its results are not clamped to int8");
  for (const int64_t offset : {pair.first_offset, pair.second_offset, -own.zero_point}) {
    if (offset < kLeastOffset || offset > kMostOffset) return fail("an offset that is too large");
  }
  if (pair.is_sum) {
    pair.left_shift = first.left_shift;
    const auto a = InputRescale(first, rounding);
    const auto b = InputRescale(second, rounding);
    if (!a || !b || first.is_subtracted || second.is_subtracted ||
        second.left_shift != first.left_shift || pair.left_shift < kLeastLeft ||
        pair.left_shift > kMostLeft)
      return fail("the library rescales its inputs differently");
    pair.first_scale = *a;
    pair.second_scale = *b;
  }
  const auto output = LibraryRescale(own.RescaleOf(0), rounding, own.least_sum, own.most_sum,
                                     own.low - own.zero_point, own.high - own.zero_point);
  if (!output) return fail("the library rounds its results differently");
  pair.output_scale = *output;
  return pair;
}

}  // namespace tenon
