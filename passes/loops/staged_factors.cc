// Each value of a factor is computed once, as in im2col, but without copies of elements: loops with
// parallel strides become one axis. The Computation is rewritten, not the loops, which are chosen
// later.

#include "passes/loops/staged_factors.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <numeric>
#include <set>

#include "analysis/contraction.h"
#include "schedule/instructions.h"
#include "schedule/step_facts.h"
#include "support/checked.h"

namespace tenon {

namespace {

/// Loops whose strides are multiples of one vector of strides; they become one axis of the staged
/// buffer. Each of its `steps` is a loop and its multiple.
struct StagedAxis {
  /// The change of each index of the factor by one step of the axis.
  std::vector<int64_t> direction;
  std::vector<std::pair<int, int64_t>> steps;
  int64_t extent = 1;
  /// The loop over the axis.
  int loop = -1;
};

int64_t GcdOf(const std::vector<int64_t>& numbers) {
  int64_t gcd = 0;
  for (const int64_t number : numbers) gcd = std::gcd(gcd, number);
  return gcd;
}

class Stager {
 public:
  Stager(const Computation& all, int sum, const StagedRow& row)
      : all_(all),
        sum_(sum),
        row_(row.loop),
        tile_(row.tile),
        near_(row.near),
        result_{all, {}},
        free_(FreeLoops(all)) {}

  StagedComputation Stage(bool extends) {
    extends_ = extends;
    if (sum_ < 0) return std::move(result_);
    const Step& sum = StepAt(sum_);
    if (sum.kind != StepKind::kReduce) return std::move(result_);
    const Step& product = StepAt(sum.args[1]);
    if (product.kind != StepKind::kNode || product.node != NodeKind::kMul)
      return std::move(result_);
    const std::vector<int> factors = product.args;
    for (const int factor : factors) StageFactor(WithoutCasts(factor));
    return std::move(result_);
  }

  StagedComputation Take() { return std::move(result_); }

  /// False if elements are not adjacent along the row, and cannot be stored before the sum.
  bool StageReads(const Pads* pads) {
    std::vector<int> work = {StepAt(sum_).args[1]};
    std::set<int> seen;
    while (!work.empty()) {
      const int at = work.back();
      work.pop_back();
      if (!seen.insert(at).second) continue;
      if (pads != nullptr && at == pads->choice) {
        work.push_back(pads->element);
        continue;
      }
      const Step& step = StepAt(at);
      if (IsReduction(step.kind) || step.kind == StepKind::kGather) return false;
      if (step.kind == StepKind::kIndex && DependsOnRow(at)) return false;
      if (!IsApart(at)) {
        work.insert(work.end(), step.args.begin(), step.args.end());
        continue;
      }
      if (step.dtype.is_bool() || !Collect(at) || !CanMove(IsChoice(step))) return false;
      std::vector<StagedAxis> axes = AxesOf(at);
      if (!IsWorthIt(axes)) return false;
      Store(at, axes);
    }
    return true;
  }

 private:
  bool DependsOnRow(int at) const {
    const LoopSet lanes = Bit(row_) | (tile_ < 0 ? 0 : Bit(tile_));
    return (free_[static_cast<size_t>(at)] & lanes) != 0;
  }

  /// True for a read whose neighbours along the row are not adjacent in memory, and for a value
  /// under a condition that depends on the row.
  bool IsApart(int at) const {
    const Step& step = StepAt(at);
    if (!DependsOnRow(at)) return false;
    if (IsChoice(step)) return true;
    const LinearIndex* element = step.kind == StepKind::kRead ? IndexOf(step) : nullptr;
    return element != nullptr &&
           (element->divisor != 1 || element->stride(row_) < 1 || element->stride(row_) > near_ ||
            (tile_ >= 0 && element->stride(tile_) != element->stride(row_) * ExtentOf(row_)));
  }

  /// True if the collected steps have the same values before all stores, and for all iterations of
  /// their loops. Conditions keep reads in bounds.
  bool CanMove(bool has_condition) const {
    return std::all_of(steps_.begin(), steps_.end(), [&](int at) {
      const Step& step = StepAt(at);
      if (step.kind != StepKind::kRead) return true;
      const ComputationAccess& access = all_.accesses[static_cast<size_t>(step.access)];
      const bool is_stored =
          std::any_of(all_.stores.begin(), all_.stores.end(), [&](const auto& s) {
            return all_.accesses[static_cast<size_t>(s.access)].operand == access.operand;
          });
      const auto [first, last] = RangeOf(all_, access.element);
      const int64_t elements = all_.operands[static_cast<size_t>(access.operand)].elements;
      return !is_stored && access.element.divisor == 1 &&
             (has_condition || (first >= 0 && last < elements));
    });
  }

  const Step& StepAt(int step) const { return all_.steps[static_cast<size_t>(step)]; }
  int64_t ExtentOf(int loop) const { return all_.loops[static_cast<size_t>(loop)].extent; }

  int WithoutCasts(int step) const {
    while (StepAt(step).kind == StepKind::kNode && StepAt(step).node == NodeKind::kCast)
      step = StepAt(step).args[0];
    return step;
  }

  void StageFactor(int factor) {
    const Step& now = result_.computation.steps[static_cast<size_t>(factor)];
    if (now.kind == StepKind::kRead || now.dtype.is_bool() || !Collect(factor)) return;
    std::vector<StagedAxis> axes = AxesOf(factor);
    if (IsWorthIt(axes)) Store(factor, axes);
  }

  /// Finds the steps of the factor, and its indices. False if the factor cannot be computed before
  /// the sum.
  bool Collect(int factor) {
    steps_.clear();
    indices_.clear();
    std::vector<int> work = {factor};
    while (!work.empty()) {
      const int at = work.back();
      work.pop_back();
      if (!steps_.insert(at).second) continue;
      const Step& step = StepAt(at);
      if (IsReduction(step.kind) || step.kind == StepKind::kGather) return false;
      if (const LinearIndex* index = IndexOf(step)) indices_.push_back(index);
      work.insert(work.end(), step.args.begin(), step.args.end());
    }
    // The first read determines the outermost axis.
    std::stable_sort(indices_.begin(), indices_.end(),
                     [](const auto* a, const auto* b) { return Reach(*a) > Reach(*b); });
    return true;
  }

  const LinearIndex* IndexOf(const Step& step) const {
    if (step.kind == StepKind::kRead)
      return &all_.accesses[static_cast<size_t>(step.access)].element;
    return step.kind == StepKind::kIndex ? &step.linear : nullptr;
  }

  static int64_t Reach(const LinearIndex& index) {
    int64_t most = 0;
    for (const auto& [loop, stride] : index.terms) most = std::max(most, std::abs(stride));
    return most;
  }

  /// The axes of the factor, the outermost first. The axis of the row is the innermost; it includes
  /// other loops only if their steps are multiples of the row's step.
  std::vector<StagedAxis> AxesOf(int factor) const {
    if (row_ < 0 || !DependsOnRow(factor)) return AxesWithout(factor, {});
    if (tile_ >= 0) {
      std::vector<StagedAxis> axes = AxesWithout(factor, {tile_, row_});
      for (const int loop : {tile_, row_}) axes.push_back(AxisOf(loop));
      return axes;
    }
    std::vector<StagedAxis> axes = AxesWithout(factor, {});
    const auto axis = std::find_if(axes.begin(), axes.end(), [&](const StagedAxis& one) {
      return std::find(one.steps.begin(), one.steps.end(), std::pair{row_, int64_t{1}}) !=
             one.steps.end();
    });
    if (axis != axes.end()) {
      std::rotate(axis, axis + 1, axes.end());
      return axes;
    }
    axes = AxesWithout(factor, {row_});
    axes.push_back(AxisOf(row_));
    return axes;
  }

  /// A separate axis for a loop.
  StagedAxis AxisOf(int loop) const {
    StagedAxis axis;
    for (const LinearIndex* index : indices_) axis.direction.push_back(index->stride(loop));
    axis.steps = {{loop, 1}};
    axis.extent = ExtentOf(loop);
    return axis;
  }

  /// The axes of the factor's loops, except for some.
  std::vector<StagedAxis> AxesWithout(int factor, const std::vector<int>& left_out) const {
    std::map<std::vector<int64_t>, StagedAxis> by_direction;
    for (int loop = 0; loop < static_cast<int>(all_.loops.size()); ++loop) {
      if ((free_[static_cast<size_t>(factor)] >> loop & 1) == 0 || ExtentOf(loop) == 1 ||
          Includes(left_out, loop))
        continue;
      std::vector<int64_t> direction;
      for (const LinearIndex* index : indices_) direction.push_back(index->stride(loop));
      const int64_t steps = GcdOf(direction);
      for (int64_t& stride : direction) stride /= steps;
      by_direction[direction].steps.emplace_back(loop, steps);
    }
    std::vector<StagedAxis> axes;
    for (auto& [direction, axis] : by_direction) AddAxes(direction, std::move(axis.steps), axes);
    std::stable_sort(axes.begin(), axes.end(), [](const StagedAxis& a, const StagedAxis& b) {
      for (size_t i = 0; i < a.direction.size(); ++i) {
        if (std::abs(a.direction[i]) != std::abs(b.direction[i]))
          return std::abs(a.direction[i]) > std::abs(b.direction[i]);
      }
      return false;
    });
    return axes;
  }

  /// Adds one axis for the loops of one direction, or several if it would have gaps: blocks of
  /// channels may be far apart.
  void AddAxes(const std::vector<int64_t>& direction, std::vector<std::pair<int, int64_t>> loops,
               std::vector<StagedAxis>& axes) const {
    std::stable_sort(loops.begin(), loops.end(),
                     [](const auto& a, const auto& b) { return a.second < b.second; });
    int64_t unit = 0;
    for (const auto& [loop, steps] : loops) {
      const bool continues = unit != 0 && steps % unit == 0 && steps / unit <= axes.back().extent;
      if (!continues) {
        unit = steps;
        axes.emplace_back();
        axes.back().direction = direction;
        for (int64_t& stride : axes.back().direction) stride *= unit;
      }
      StagedAxis& axis = axes.back();
      axis.steps.emplace_back(loop, steps / unit);
      axis.extent += steps / unit * (ExtentOf(loop) - 1);
    }
    for (StagedAxis& axis : axes) std::sort(axis.steps.begin(), axis.steps.end());
  }

  bool IsWorthIt(const std::vector<StagedAxis>& axes) const {
    constexpr int64_t kMostGrowth = 16;
    constexpr size_t kMostLoops = 64;
    int64_t elements = 1;
    for (const StagedAxis& axis : axes) {
      const std::optional<int64_t> product = CheckedMul(elements, axis.extent);
      if (!product) return false;
      elements = *product;
    }
    int64_t read = 0;
    for (const int at : steps_) {
      if (StepAt(at).kind != StepKind::kRead) continue;
      const ComputationAccess& access = all_.accesses[static_cast<size_t>(StepAt(at).access)];
      read += all_.operands[static_cast<size_t>(access.operand)].elements;
    }
    if (axes.empty() || elements / kMostGrowth > read) return false;
    int64_t uses = 1;
    LoopSet loops = free_[static_cast<size_t>(sum_)];
    for (const int loop : StepAt(sum_).loops) loops |= LoopSet{1} << loop;
    for (int loop = 0; loop < static_cast<int>(all_.loops.size()); ++loop) {
      if ((loops >> loop & 1) == 0) continue;
      const std::optional<int64_t> product = CheckedMul(uses, ExtentOf(loop));
      uses = product.value_or(INT64_MAX / 2);
    }
    return result_.computation.loops.size() + axes.size() <= kMostLoops && uses >= elements / 2;
  }

  LinearIndex Moved(const LinearIndex& index, const std::vector<StagedAxis>& axes) const {
    LinearIndex moved{index.offset, {}, index.divisor};
    const auto at =
        static_cast<size_t>(std::find(indices_.begin(), indices_.end(), &index) - indices_.begin());
    for (const StagedAxis& axis : axes) {
      if (axis.direction[at] != 0) moved.terms.emplace_back(axis.loop, axis.direction[at]);
    }
    return moved;
  }

  /// Adds the memory and the store that fills it, and replaces the factor by a read of this memory.
  void Store(int factor, std::vector<StagedAxis>& axes) {
    Computation& made = result_.computation;
    const DataType dtype = IsExtended(factor) ? kPair.data : StepAt(factor).dtype;
    int64_t elements = 1;
    for (StagedAxis& axis : axes) {
      axis.loop = static_cast<int>(made.loops.size());
      made.loops.push_back({fmt::format("s{}", made.loops.size()), axis.extent});
      elements *= axis.extent;
    }
    LinearIndex to;
    LinearIndex from;
    int64_t stride = elements;
    ComputationStore store;
    for (const StagedAxis& axis : axes) {
      stride /= axis.extent;
      store.loops.push_back(axis.loop);
      to.terms.emplace_back(axis.loop, stride);
      for (const auto& [loop, steps] : axis.steps) from.terms.emplace_back(loop, steps * stride);
    }
    std::sort(from.terms.begin(), from.terms.end());
    const auto operand = static_cast<int>(made.operands.size());
    made.operands.push_back({false, -1 - static_cast<int>(result_.memory.size()), dtype, elements});
    result_.memory.push_back(operand);
    store.step = Copied(factor, axes);
    if (dtype != StepAt(factor).dtype) {
      Step cast;
      cast.kind = StepKind::kNode;
      cast.node = NodeKind::kCast;
      cast.dtype = dtype;
      cast.args = {store.step};
      store.step = static_cast<int>(made.steps.size());
      made.steps.push_back(std::move(cast));
    }
    store.access = static_cast<int>(made.accesses.size());
    made.accesses.push_back({operand, to});
    made.stores.insert(made.stores.begin() + static_cast<ptrdiff_t>(result_.memory.size()) - 1,
                       store);
    Step read;
    read.kind = StepKind::kRead;
    read.dtype = dtype;
    read.access = static_cast<int>(made.accesses.size());
    made.accesses.push_back({operand, from});
    made.steps[static_cast<size_t>(factor)] = read;
  }

  /// True for bytes that can be stored as int16, because all uses of the factor cast it to int32.
  bool IsExtended(int factor) const {
    return extends_ && StepAt(factor).dtype.is_integer() && StepAt(factor).dtype.bits() == 8 &&
           std::all_of(all_.steps.begin(), all_.steps.end(), [&](const Step& step) {
             return std::find(step.args.begin(), step.args.end(), factor) == step.args.end() ||
                    (step.kind == StepKind::kNode && step.node == NodeKind::kCast &&
                     step.dtype == DataType::Int(32));
           });
  }

  /// Copies of the steps of the factor, for the iterations of the axes.
  int Copied(int factor, const std::vector<StagedAxis>& axes) {
    Computation& made = result_.computation;
    std::map<int, int> copies;
    for (const int at : steps_) {
      Step step = StepAt(at);
      for (int& arg : step.args) arg = copies.at(arg);
      if (step.kind == StepKind::kRead) {
        ComputationAccess access = all_.accesses[static_cast<size_t>(step.access)];
        access.element = Moved(*IndexOf(StepAt(at)), axes);
        step.access = static_cast<int>(made.accesses.size());
        made.accesses.push_back(std::move(access));
      } else if (step.kind == StepKind::kIndex) {
        step.linear = Moved(*IndexOf(StepAt(at)), axes);
      }
      copies[at] = static_cast<int>(made.steps.size());
      made.steps.push_back(std::move(step));
    }
    return copies.at(factor);
  }

  const Computation& all_;
  const int sum_;
  const int row_;
  const int tile_;
  const int64_t near_;
  bool extends_ = false;
  StagedComputation result_;
  const std::vector<LoopSet> free_;
  /// The steps of the current factor in order, and their indices.
  std::set<int> steps_;
  std::vector<const LinearIndex*> indices_;
};

}  // namespace

StagedComputation StageFactors(const Computation& all, int sum, bool extends) {
  return Stager(all, sum, {}).Stage(extends);
}

std::optional<StagedComputation> StageRow(const Computation& all, int sum, const StagedRow& row,
                                          const Pads* pads) {
  Stager stager(all, sum, row);
  if (!stager.StageReads(pads)) return std::nullopt;
  return stager.Take();
}

}  // namespace tenon
