// Finds dot products; dot_products.cc writes their loops. It separates the factor from memory into
// a load and an offset, and evaluates the constant factor, for all steps that may compute it.

#include "passes/loops/dot_sums.h"

#include <algorithm>
#include <map>
#include <string>

#include "analysis/contraction.h"
#include "arith/interval.h"
#include "ir/const_fold.h"
#include "passes/fusion/constant_elements.h"
#include "schedule/instructions.h"
#include "schedule/step_facts.h"

namespace tenon {

namespace {

/// Packing the factor from memory takes a few instructions for each element. All columns then use
/// the packed elements.
constexpr int64_t kLeastColumns = 4;
/// Every processor without wider dot products has instructions for these, or computes them as
/// products.
constexpr int64_t kLeastLanes = StepsOf(Combine::kDots4);
/// The largest number of constants that are evaluated.
constexpr int64_t kMostWeights = int64_t{1} << 26;

/// The whole range of an integer type of up to 32 bits.
std::optional<Interval> RangeOf(DataType dtype) {
  if (!dtype.is_scalar() || !dtype.is_integer() || dtype.bits() > 32) return std::nullopt;
  return Interval::OfDType(dtype);
}

/// The value of integer steps that depend on constants alone.
class ConstantValues {
 public:
  ConstantValues(const Computation& all, const std::vector<const Constant*>& constants)
      : all_(all), constants_(constants) {}

  /// The value of a step if loop i is at iteration `place[i]`; nullopt if it is not known.
  std::optional<int64_t> Of(int at, const std::vector<int64_t>& place) {
    const Step& step = all_.steps[static_cast<size_t>(at)];
    const auto range = RangeOf(step.dtype);
    if (!range) return std::nullopt;
    std::optional<int64_t> value;
    if (step.kind == StepKind::kInteger) {
      value = step.integer;
    } else if (step.kind == StepKind::kRead) {
      value = Element(all_.accesses[static_cast<size_t>(step.access)], place);
    } else if (step.kind == StepKind::kNode && step.args.size() <= 2) {
      value = NodeValue(step, place);
    }
    return value && range->Contains(*value) ? value : std::nullopt;
  }

 private:
  std::optional<int64_t> NodeValue(const Step& step, const std::vector<int64_t>& place) {
    const std::optional<int64_t> a = Of(step.args[0], place);
    if (step.node == NodeKind::kCast || !a) return a;
    const std::optional<int64_t> b = step.args.size() == 2 ? Of(step.args[1], place) : std::nullopt;
    if (!b) return std::nullopt;
    if (step.node == NodeKind::kAdd) return *a + *b;
    if (step.node == NodeKind::kSub) return *a - *b;
    if (step.node == NodeKind::kMul) return *a * *b;
    return std::nullopt;
  }

  std::optional<int64_t> Element(const ComputationAccess& access,
                                 const std::vector<int64_t>& place) {
    const Constant* constant = constants_[static_cast<size_t>(access.operand)];
    if (constant == nullptr || access.element.divisor != 1) return std::nullopt;
    int64_t element = access.element.offset;
    for (const auto& [loop, stride] : access.element.terms)
      element += stride * place[static_cast<size_t>(loop)];
    if (element < 0 || element >= constant->element_count()) return std::nullopt;
    std::span<const uint8_t>& bytes = bytes_[constant];
    if (bytes.empty()) {
      const absl::StatusOr<std::span<const uint8_t>> all = constant->Bytes();
      if (!all.ok()) return std::nullopt;
      bytes = *all;
    }
    const DataType dtype = constant->dtype();
    return IntegerAt(bytes, static_cast<size_t>(element * dtype.bytes()), dtype);
  }

  const Computation& all_;
  const std::vector<const Constant*>& constants_;
  std::map<const Constant*, std::span<const uint8_t>> bytes_;
};

/// True if the value of a step contains no reduction.
bool IsPlain(const Computation& all, int step) {
  const std::vector<bool> below = StepsBelow(all, step);
  for (size_t i = 0; i < below.size(); ++i) {
    if (below[i] && IsReduction(all.steps[i].kind)) return false;
  }
  return true;
}

class DotFinder {
 public:
  DotFinder(const Computation& all, const std::vector<const Constant*>& constants)
      : all_(all), values_(all, constants), free_(FreeLoops(all)) {}

  std::optional<DotSum> Find(int reduction) {
    const Step& sum = StepAt(reduction);
    if (sum.kind != StepKind::kReduce || sum.dtype != DataType::Int(32)) return std::nullopt;
    DotSum dot;
    dot.step = reduction;
    if (!IsStored(reduction)) dot.around = ReductionAround(reduction);
    if (dot.around < 0 && !IsStored(reduction)) return std::nullopt;
    std::vector<int> kept;
    const auto keep = [&](const std::vector<int>& loops) {
      for (const int loop : loops) {
        if ((FreeOf(reduction) & Bit(loop)) != 0) kept.push_back(loop);
      }
    };
    keep(all_.stores[0].loops);
    if (dot.around >= 0) keep(StepAt(dot.around).loops);
    std::string because;
    const std::optional<Contraction> found =
        FindContraction(ReductionAlone(all_, reduction, kept), because);
    if (!found || !found->shared.empty() || found->columns.empty()) return std::nullopt;
    dot.columns = found->columns;
    for (const int loop : kept) {
      if (std::find(dot.columns.begin(), dot.columns.end(), loop) == dot.columns.end())
        dot.rows.push_back(loop);
    }
    dot.summed = sum.loops;
    const std::optional<int> weights = Factors(*found, dot);
    if (!weights) return std::nullopt;
    if (!IsPlain(all_, sum.args[0]) ||
        !std::all_of(dot.guards.begin(), dot.guards.end(),
                     [&](int guard) { return IsPlain(all_, guard); }))
      return std::nullopt;
    if (dot.around >= 0 && !CanBeAround(dot)) return std::nullopt;
    if (!IsWorthwhile(dot) || !Evaluate(*weights, dot)) return std::nullopt;
    return dot;
  }

 private:
  const Step& StepAt(int step) const { return all_.steps[static_cast<size_t>(step)]; }
  LoopSet FreeOf(int step) const { return free_[static_cast<size_t>(step)]; }

  /// True if the value of a step depends only on loops of the result.
  bool IsStored(int step) const {
    LoopSet outside = FreeOf(step);
    for (const int loop : all_.stores[0].loops) outside &= ~Bit(loop);
    return outside == 0;
  }

  /// The integer reduction, whose order does not matter, that contains the sum `sum`; -1 for none.
  int ReductionAround(int sum) const {
    for (const int other : Reductions(all_)) {
      const Step& step = StepAt(other);
      if (other == sum || step.kind != StepKind::kReduce || !step.dtype.is_integer() ||
          !IsStored(other))
        continue;
      if (StepsBelow(all_, step.args[1])[static_cast<size_t>(sum)]) return other;
    }
    return -1;
  }

  /// True if elements are read without packing, and no loop of the enclosing reduction is a loop
  /// over columns.
  bool CanBeAround(const DotSum& dot) const {
    const std::vector<int>& loops = StepAt(dot.around).loops;
    return DirectLoop(all_, dot, kLeastLanes) >= 0 &&
           std::none_of(loops.begin(), loops.end(), [&](int loop) {
             return std::find(dot.columns.begin(), dot.columns.end(), loop) != dot.columns.end();
           });
  }

  /// A loaded number plus an offset, and the range of the sum.
  struct Peeled {
    int read = -1;
    int64_t offset = 0;
    int offset_step = -1;
    std::vector<int> guards;
    int64_t min = 0;
    int64_t max = 0;
  };

  /// Separates the factor from memory into a load and an offset; nullopt for other values, and if
  /// the sum may wrap.
  std::optional<Peeled> Peel(int at) {
    const Step& step = StepAt(at);
    const auto range = RangeOf(step.dtype);
    if (!range) return std::nullopt;
    std::optional<Peeled> all;
    if (step.kind == StepKind::kRead) {
      if (step.dtype.bits() != 8) return std::nullopt;
      all = Peeled{at, 0, -1, {}, range->min, range->max};
    } else if (IsChoice(step)) {
      const Step& otherwise = StepAt(step.args[2]);
      if (otherwise.kind != StepKind::kInteger || otherwise.integer != 0) return std::nullopt;
      all = Peel(step.args[1]);
      if (all) all->guards.push_back(step.args[0]);
    } else if (step.kind == StepKind::kNode) {
      all = PeelNode(step);
    }
    if (!all || !range->Contains(Interval{all->min, all->max})) return std::nullopt;
    return all;
  }

  /// The value of a step that is the same at each place: a number, or one element of a constant.
  std::optional<int64_t> FixedValue(int step) {
    if (FreeOf(step) != 0) return std::nullopt;
    return values_.Of(step, std::vector<int64_t>(all_.loops.size()));
  }

  std::optional<Peeled> PeelNode(const Step& step) {
    if (step.node == NodeKind::kCast) return Peel(step.args[0]);
    if (step.node != NodeKind::kAdd && step.node != NodeKind::kSub) return std::nullopt;
    int value = step.args[0];
    int number = step.args[1];
    if (step.node == NodeKind::kAdd && StepAt(value).kind == StepKind::kInteger)
      std::swap(value, number);
    const std::optional<int64_t> fixed = FixedValue(number);
    if (!fixed) return std::nullopt;
    std::optional<Peeled> all = Peel(value);
    if (!all || !all->guards.empty()) return std::nullopt;
    if (StepAt(number).kind != StepKind::kInteger) {
      // Only differences of one element have code of their own.
      if (step.node != NodeKind::kSub || all->offset != 0 || all->offset_step >= 0)
        return std::nullopt;
      all->offset_step = number;
    } else if (all->offset_step >= 0) {
      return std::nullopt;
    }
    const int64_t added = step.node == NodeKind::kAdd ? *fixed : -*fixed;
    all->offset += added;
    all->min += added;
    all->max += added;
    return all;
  }

  /// Sets the factor from memory; returns the step of the constant factor.
  std::optional<int> Factors(const Contraction& found, DotSum& dot) {
    int product = StepAt(dot.step).args[1];
    while (IsChoice(StepAt(product))) {
      dot.guards.push_back(StepAt(product).args[0]);
      product = StepAt(product).args[1];
    }
    const Step& step = StepAt(product);
    if (step.kind != StepKind::kNode || step.node != NodeKind::kMul ||
        step.dtype != DataType::Int(32))
      return std::nullopt;
    const bool is_first = Reads(step.args[0], found.weights);
    std::optional<Peeled> factor = Peel(step.args[is_first ? 1 : 0]);
    if (!factor || StepAt(factor->read).access != found.input) return std::nullopt;
    dot.read = factor->read;
    dot.offset = factor->offset;
    dot.offset_step = factor->offset_step;
    dot.guards.insert(dot.guards.end(), factor->guards.begin(), factor->guards.end());
    // Elements outside of a padded input are stored as the number that encodes 0.
    const auto range = RangeOf(StepAt(dot.read).dtype);
    const bool has_zero = range->Contains(-dot.offset);
    if (!has_zero && !dot.guards.empty()) return std::nullopt;
    return step.args[is_first ? 0 : 1];
  }

  bool Reads(int step, int access) const {
    const std::vector<bool> below = StepsBelow(all_, step);
    for (size_t i = 0; i < below.size(); ++i) {
      if (below[i] && all_.steps[i].kind == StepKind::kRead && all_.steps[i].access == access)
        return true;
    }
    return false;
  }

  bool IsWorthwhile(const DotSum& dot) const {
    const int64_t columns = Iterations(all_, dot.columns);
    const int64_t summed = Iterations(all_, dot.summed);
    return columns >= kLeastColumns && summed >= 2 * kLeastLanes && columns <= kMostWeights &&
           summed <= kMostWeights / columns;
  }

  /// Computes the constant factor; false if it is not known, or not of 8 bits.
  bool Evaluate(int step, DotSum& dot) {
    std::vector<int> loops = dot.columns;
    loops.insert(loops.end(), dot.summed.begin(), dot.summed.end());
    const int64_t count = Iterations(all_, loops);
    std::vector<int64_t> place(all_.loops.size());
    dot.weights.reserve(static_cast<size_t>(count));
    for (int64_t number = 0; number < count; ++number) {
      int64_t rest = number;
      for (size_t i = loops.size(); i-- > 0;) {
        const int64_t extent = all_.loops[static_cast<size_t>(loops[i])].extent;
        place[static_cast<size_t>(loops[i])] = rest % extent;
        rest /= extent;
      }
      const std::optional<int64_t> value = values_.Of(step, place);
      if (!value || *value != static_cast<int8_t>(*value)) return false;
      dot.weights.push_back(static_cast<int8_t>(*value));
    }
    return true;
  }

  const Computation& all_;
  ConstantValues values_;
  const std::vector<LoopSet> free_;
};

/// True if every other reduction in the values of the reduction `around` is one of `sums`.
bool HaveAll(const Computation& all, const std::vector<DotSum>& sums, int around) {
  const std::vector<bool> below = StepsBelow(all, around);
  const std::vector<int> reductions = Reductions(all);
  return std::all_of(reductions.begin(), reductions.end(), [&](int reduction) {
    return reduction == around || !below[static_cast<size_t>(reduction)] ||
           std::any_of(sums.begin(), sums.end(),
                       [&](const DotSum& sum) { return sum.step == reduction; });
  });
}

}  // namespace

std::vector<DotSum> FindDotSums(const Computation& all,
                                const std::vector<const Constant*>& constants) {
  std::vector<DotSum> found;
  if (all.stores.size() != 1) return found;
  DotFinder finder(all, constants);
  for (const int reduction : Reductions(all)) {
    if (std::optional<DotSum> sum = finder.Find(reduction)) found.push_back(*std::move(sum));
  }
  if (found.empty()) return found;
  // Sums at different depths do not share a block.
  const int around = found[0].around;
  std::erase_if(found, [&](const DotSum& sum) { return sum.around != around; });
  if (around >= 0 && !HaveAll(all, found, around)) found.clear();
  return found;
}

bool IsDirect(const Computation& all, const DotSum& sum, int loop, int64_t steps) {
  const Step& read = all.steps[static_cast<size_t>(sum.read)];
  const LinearIndex& element = all.accesses[static_cast<size_t>(read.access)].element;
  return sum.guards.empty() && element.divisor == 1 && element.stride(loop) == 1 &&
         all.loops[static_cast<size_t>(loop)].extent % steps == 0;
}

int DirectLoop(const Computation& all, const DotSum& sum, int64_t steps) {
  const auto found = std::find_if(sum.summed.begin(), sum.summed.end(),
                                  [&](int loop) { return IsDirect(all, sum, loop, steps); });
  return found == sum.summed.end() ? -1 : *found;
}

}  // namespace tenon
