// Zero points. The sum of (x + offset) * w equals the sum of x * w, a sum of products of short
// integers, plus offset * sum(w), which is a number.

#include "schedule/check/offset_product.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "ir/builtins.h"
#include "schedule/check/terms.h"

namespace tenon::check {

namespace {

/// An element plus an offset, and the least and the greatest value of this sum.
struct Offset {
  OffsetProduct product;
  int64_t least = 0;
  int64_t most = 0;
};

bool IsShort(DataType dtype) {
  return dtype.is_integer() && !dtype.is_bool() && dtype.bits() <= 32;
}

bool IsInteger(const Step& step) { return step.kind == StepKind::kInteger; }

bool IsSelection(const Step& step) {
  return step.kind == StepKind::kNode
             ? step.node == NodeKind::kSelect
             : step.kind == StepKind::kCall && step.op == OpKind::kIfThenElse;
}

class OffsetFinder {
 public:
  OffsetFinder(const Computation& all, const NumberOfStep& number_of)
      : all_(all), number_of_(number_of) {}

  std::optional<OffsetProduct> Product(int value) const {
    const Step& step = StepAt(value);
    if (step.dtype != DataType::Int(32)) return std::nullopt;
    if (IsSelection(step)) {
      const Step& otherwise = StepAt(step.args[2]);
      std::optional<OffsetProduct> product = Product(step.args[1]);
      if (!product || !IsInteger(otherwise) || otherwise.integer != 0) return std::nullopt;
      // The product is 0 if its first factor is 0.
      product->choices.push_back({step.args[0], -product->offset});
      return product;
    }
    if (step.kind != StepKind::kNode || step.node != NodeKind::kMul) return std::nullopt;
    for (const size_t first : {size_t{0}, size_t{1}}) {
      std::optional<Offset> found = Find(step.args[first]);
      if (!found || !HasNumbersOfElement(found->product)) continue;
      found->product.factor = step.args[1 - first];
      if (!ReadsParameters(found->product.factor)) return found->product;
    }
    return std::nullopt;
  }

 private:
  const Step& StepAt(int step) const { return all_.steps[static_cast<size_t>(step)]; }

  std::optional<Offset> Find(int value) const {
    const Step& step = StepAt(value);
    if (!IsShort(step.dtype)) return std::nullopt;
    const auto [least, most] = RangeOf(step.dtype);
    std::optional<Offset> found;
    if (step.kind == StepKind::kRead && step.dtype.bits() <= 16) {
      found.emplace();
      found->product.read = value;
      found->least = least;
      found->most = most;
    } else if (IsSelection(step)) {
      found = Selection(step);
    } else if (step.kind == StepKind::kNode && step.node == NodeKind::kCast) {
      found = Find(step.args[0]);
    } else if (step.kind == StepKind::kNode) {
      found = Sum(step);
    }
    if (!found || found->least < least || found->most > most) return std::nullopt;
    return found;
  }

  std::optional<Offset> Selection(const Step& step) const {
    std::optional<Offset> found = Find(step.args[1]);
    const Step& otherwise = StepAt(step.args[2]);
    if (!found || !IsInteger(otherwise)) return std::nullopt;
    found->product.choices.push_back({step.args[0], otherwise.integer - found->product.offset});
    found->least = std::min(found->least, otherwise.integer);
    found->most = std::max(found->most, otherwise.integer);
    return found;
  }

  std::optional<Offset> Sum(const Step& step) const {
    const bool is_sum = step.node == NodeKind::kAdd;
    if (!is_sum && step.node != NodeKind::kSub) return std::nullopt;
    int value = step.args[0];
    int number = step.args[1];
    if (is_sum && IsInteger(StepAt(value))) std::swap(value, number);
    const std::optional<int64_t> known =
        IsInteger(StepAt(number)) ? StepAt(number).integer : number_of_(number);
    if (!known) return std::nullopt;
    std::optional<Offset> found = Find(value);
    const int64_t by = is_sum ? *known : -*known;
    constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
    if (!found || by > kMost || by < -kMost) return std::nullopt;
    found->product.offset += by;
    found->least += by;
    found->most += by;
    return found;
  }

  /// True if the numbers that replace the element have its dtype.
  bool HasNumbersOfElement(const OffsetProduct& product) const {
    const std::pair<int64_t, int64_t> range = RangeOf(StepAt(product.read).dtype);
    return std::all_of(product.choices.begin(), product.choices.end(), [&](const auto& choice) {
      return choice.otherwise >= range.first && choice.otherwise <= range.second;
    });
  }

  /// True if a value does not only depend on constants.
  bool ReadsParameters(int value) const {
    const Step& step = StepAt(value);
    if (step.access >= 0) {
      const ComputationAccess& access = all_.accesses[static_cast<size_t>(step.access)];
      if (!all_.operands[static_cast<size_t>(access.operand)].constant) return true;
    }
    return std::any_of(step.args.begin(), step.args.end(),
                       [&](int arg) { return ReadsParameters(arg); });
  }

  const Computation& all_;
  const NumberOfStep& number_of_;
};

}  // namespace

bool OffsetProduct::MakeSigned(const Computation& all) {
  if (is_made_signed || all.steps[static_cast<size_t>(read)].dtype != DataType::UInt(8))
    return false;
  is_made_signed = true;
  offset += kSignBit;
  for (Choice& choice : choices) choice.otherwise -= kSignBit;
  return true;
}

std::optional<OffsetProduct> FindOffsetProduct(const Computation& all, int value,
                                               const NumberOfStep& number_of) {
  return OffsetFinder(all, number_of).Product(value);
}

}  // namespace tenon::check
