// Blocks of dot products share loads, so larger blocks need fewer loads, but more registers and
// code. The order of sums of integers is free, so the rules only require neighbours in memory.

#include "passes/loops/dot_schedule.h"

#include <algorithm>

#include "analysis/contraction.h"
#include "fmt/format.h"
#include "schedule/step_facts.h"

namespace tenon {

namespace {

/// Fewer steps than this take less code without a loop around them.
constexpr int64_t kLeastStepsInLoop = 6;
/// The most places, the most channels, and the most dot products of a sum in a round.
constexpr int64_t kMostInBlock = 16;

/// The loops whose iterations may be the places of a block.
const std::vector<int>& LoopsOfPlaces(const Computation& all, const DotSum& sum) {
  return sum.around < 0 ? all.stores[0].loops : all.steps[static_cast<size_t>(sum.around)].loops;
}

/// True if instructions for `most` also add products in the way `combine`.
bool Fits(Combine combine, Combine most) {
  return combine == most || (IsDotProduct(combine) && IsDotProduct(most) && combine < most);
}

/// The bands of a shape. For sums in the values of a reduction, the loops over channels are the
/// outer ones, so that a block has one total for each channel.
std::vector<Band> DotBands(const DotShape& shape, const Computation& all,
                           const std::vector<DotSum>& sums, const DotSum& sum) {
  const auto is_column = [&](int loop) {
    return std::any_of(sums.begin(), sums.end(),
                       [&](const DotSum& other) { return Includes(other.columns, loop); });
  };
  std::vector<Band> bands;
  const auto add_loops = [&](const std::vector<int>& loops, bool columns, bool rows) {
    for (const int loop : loops) {
      if (loop != shape.row && loop != shape.column && (is_column(loop) ? columns : rows))
        bands.push_back({loop});
    }
  };
  const auto add = [&](int loop, int64_t size, Role role) {
    if (loop >= 0) bands.push_back({loop, size, role});
  };
  const std::vector<int>& stored = all.stores[0].loops;
  if (sum.around < 0) {
    add_loops(stored, false, true);
    add(shape.row, shape.rows, Role::kSerial);
    add_loops(stored, true, false);
    add(shape.column, shape.columns, Role::kSerial);
  } else {
    add_loops(stored, true, true);
    add(shape.column, shape.columns, Role::kSerial);
    add_loops(LoopsOfPlaces(all, sum), true, true);
    add(shape.row, shape.rows, Role::kSerial);
  }
  const int inner = shape.packs ? kPackedSteps : shape.summed.back();
  if (!shape.packs) {
    for (const int loop : shape.summed) {
      if (loop != inner) bands.push_back({loop});
    }
  }
  bands.push_back({inner, shape.steps});
  bands.push_back({inner, shape.steps, Role::kUnrolled});
  add(shape.row, shape.rows, Role::kUnrolled);
  add(shape.column, shape.columns, Role::kUnrolled);
  return bands;
}

/// Chooses the blocks of the sums of one store.
class DotScheduler {
 public:
  DotScheduler(const Computation& all, const std::vector<DotSum>& sums,
               const DotProductsOptions& options)
      : all_(all), sums_(sums), options_(options), stored_(all.stores[0]) {}

  std::vector<Schedule> Choose() {
    ChooseRow();
    ChooseColumn();
    std::vector<Schedule> schedules;
    int64_t products = 0;
    for (const DotSum& sum : sums_) {
      schedules.push_back(ScheduleOf(sum));
      const Combine combine = schedules.back().combine;
      products += StepsOfDots(all_, sum, combine) / StepsOf(combine);
    }
    const bool has_one_copy = options_.finish_loop > 0 && products >= options_.finish_loop &&
                              block_.rows == 1 && block_.columns > 2 && !options_.finish &&
                              sums_[0].around < 0 && StepsAfterSums() >= kLeastStepsInLoop;
    for (Schedule& schedule : schedules) {
      schedule.finishes_in_lanes = options_.finish;
      schedule.finishes_in_loop = has_one_copy;
    }
    return schedules;
  }

 private:
  int64_t Extent(int loop) const { return LoopExtent(all_, loop); }
  bool AllHave(int loop, std::vector<int> DotSum::*of) const {
    return std::all_of(sums_.begin(), sums_.end(),
                       [&](const DotSum& sum) { return Includes(sum.*of, loop); });
  }

  /// Prefers a loop that blocks divide without a remainder. Of several such loops it chooses the
  /// innermost, whose places are neighbours in memory.
  void ChooseRow() {
    int& row = block_.row;
    const auto is_better = [&](int loop) {
      if (row < 0) return true;
      const bool is_even = Extent(loop) % options_.rows == 0;
      const bool was_even = Extent(row) % options_.rows == 0;
      return is_even != was_even ? is_even : is_even || Extent(loop) > Extent(row);
    };
    for (const int loop : LoopsOfPlaces(all_, sums_[0])) {
      if (Extent(loop) > 1 && AllHave(loop, &DotSum::rows) && is_better(loop)) row = loop;
    }
    block_.rows = row < 0 ? 1 : std::min(options_.rows, Extent(row));
  }

  /// A loop that finishes channels accesses neighbours in memory.
  void ChooseColumn() {
    const LinearIndex& stored = all_.accesses[static_cast<size_t>(stored_.access)].element;
    const int64_t width = options_.rows == 1 ? options_.alone : options_.columns;
    int& column = block_.column;
    const auto is_better = [&](int loop) {
      if (column < 0) return true;
      const auto suits = [&](int at) {
        return options_.finish && stored.stride(at) == 1 && Extent(at) % width == 0;
      };
      return suits(loop) != suits(column) ? suits(loop) : Extent(loop) > Extent(column);
    };
    for (const int loop : stored_.loops) {
      if (AllHave(loop, &DotSum::columns) && is_better(loop)) column = loop;
    }
    if (column < 0) return;
    block_.columns = block_.rows == 1 ? options_.alone : options_.columns;
    while (Extent(column) % block_.columns != 0) --block_.columns;
  }

  /// Shorter dot products cost less than a copy of the elements.
  Schedule ScheduleOf(const DotSum& sum) const {
    Schedule schedule;
    const Combine most = *FindCombine(options_.combine);
    schedule.combine = most;
    int along = -1;
    for (const CombineFacts& facts : kCombines) {
      if (!Fits(facts.combine, most)) continue;
      const int loop = DirectLoop(all_, sum, facts.steps);
      if (loop < 0) continue;
      along = loop;
      schedule.combine = facts.combine;
    }
    DotShape shape = block_;
    shape.packs = along < 0;
    shape.summed = sum.summed;
    if (const auto at = std::find(shape.summed.begin(), shape.summed.end(), along);
        at != shape.summed.end())
      std::rotate(at, at + 1, shape.summed.end());
    const int64_t products =
        (shape.packs ? StepsOfDots(all_, sum, most) : Extent(along)) / StepsOf(schedule.combine);
    // As many as possible without a remainder.
    int64_t in_round = options_.steps;
    while (products % in_round != 0) --in_round;
    shape.steps = in_round * StepsOf(schedule.combine);
    schedule.bands = DotBands(shape, all_, sums_, sum);
    return schedule;
  }

  /// The number of steps that compute a result from sums.
  int64_t StepsAfterSums() const {
    std::vector<int> work = {stored_.step};
    std::vector<bool> seen(all_.steps.size());
    for (const DotSum& sum : sums_) seen[static_cast<size_t>(sum.step)] = true;
    int64_t count = 0;
    while (!work.empty()) {
      const auto at = static_cast<size_t>(work.back());
      work.pop_back();
      if (seen[at]) continue;
      seen[at] = true;
      ++count;
      work.insert(work.end(), all_.steps[at].args.begin(), all_.steps[at].args.end());
    }
    return count;
  }

  const Computation& all_;
  const std::vector<DotSum>& sums_;
  const DotProductsOptions& options_;
  const ComputationStore& stored_;
  /// The loops of the block, which all sums share.
  DotShape block_;
};

/// Verifies the schedule of the only sum of a computation.
class DotJudge {
 public:
  DotJudge(const Schedule& schedule, const Computation& all, const std::vector<DotSum>& sums)
      : schedule_(schedule), all_(all), sums_(sums), sum_(sums[0]) {}

  std::string Judge(Combine most) {
    if (!Fits(schedule_.combine, most))
      return fmt::format(
          "expected `{}`{}, found {}", FactsOf(most).word,
          most > Combine::kDots4 && IsDotProduct(most) ? " or a shorter dot product" : "",
          schedule_.combine == Combine::kNothing
              ? "no instruction"
              : fmt::format("`{}`", FactsOf(schedule_.combine).word));
    if (schedule_.loads_ahead || schedule_.skips_pads || schedule_.prefetches)
      return "expected a sum of integers without `ahead`, `skip pads` and `prefetch`";
    std::string because;
    const std::optional<DotShape> shape = DotShapeOf(schedule_, all_, sums_, sum_, because);
    if (!shape) return because;
    for (const auto& problem :
         {BlockProblem(*shape), StepsProblem(*shape), FinishProblem(*shape)}) {
      if (!problem.empty()) return problem;
    }
    return "";
  }

 private:
  const std::string& NameOf(int loop) const { return all_.loops[static_cast<size_t>(loop)].name; }

  std::string BlockProblem(const DotShape& shape) const {
    if (shape.row >= 0 &&
        (!Includes(sum_.rows, shape.row) || !Includes(LoopsOfPlaces(all_, sum_), shape.row)))
      return fmt::format("expected a loop over places, found `{}`", NameOf(shape.row));
    if (std::max(shape.rows, shape.columns) > kMostInBlock)
      return fmt::format("expected at most {} unrolled places and {} channels, found {} and {}",
                         kMostInBlock, kMostInBlock, shape.rows, shape.columns);
    // The weights of a block are adjacent in memory.
    if (shape.column >= 0 && LoopExtent(all_, shape.column) % shape.columns != 0)
      return fmt::format("expected a number that divides the {} channels of `{}`, found {}",
                         LoopExtent(all_, shape.column), NameOf(shape.column), shape.columns);
    return "";
  }

  std::string StepsProblem(const DotShape& shape) const {
    const int64_t products = StepsOf(schedule_.combine);
    const int64_t most = StepsOfDots(all_, sum_, schedule_.combine);
    if (shape.steps % products != 0 || shape.steps > std::min(kMostInBlock * products, most))
      return fmt::format("expected a multiple of {} steps together, at most {}, found {}", products,
                         std::min(kMostInBlock * products, most), shape.steps);
    if (shape.packs)
      return sum_.around < 0 ? "" : "expected a sum that reads its elements where they are";
    const int inner = shape.summed.back();
    if (!IsDirect(all_, sum_, inner, products))
      return fmt::format(
          "expected `packed`, since groups of {} iterations of `{}` do not read neighbours",
          products, NameOf(inner));
    return "";
  }

  std::string FinishProblem(const DotShape& shape) const {
    const bool may_loop = shape.rows == 1 && shape.column >= 0 && sum_.around < 0;
    if (schedule_.finishes_in_loop && (!may_loop || schedule_.finishes_in_lanes))
      return "expected `finish in a loop` only for blocks of one place, and alone";
    return "";
  }

  const Schedule& schedule_;
  const Computation& all_;
  const std::vector<DotSum>& sums_;
  const DotSum& sum_;
};

}  // namespace

std::optional<Combine> DotsOf(const Machine& machine) {
  const InstructionSet& has = machine.instructions;
  if (has.Has(Combine::kDots16)) return Combine::kDots16;
  if (machine.vector_bytes > 0) return std::nullopt;
  if (has.Has(Combine::kDots4)) return Combine::kDots4;
  return has.Has(Combine::kUnsignedProducts) ? Combine::kUnsignedProducts : Combine::kProducts;
}

DotProductsOptions DotBlocksOf(const Machine& machine, bool is_small) {
  const Combine combine = DotsOf(machine).value_or(Combine::kDots4);
  const bool has_words = IsDotProduct(combine);
  const bool has_vectors = combine == Combine::kDots16;
  DotProductsOptions dots = {.combine = std::string(FactsOf(combine).word), .finish = has_vectors};
  const bool has_scalar_blocks = machine.instructions.Has(Combine::kProducts);
  if (has_scalar_blocks) dots.columns = 4;
  if (is_small || !has_words) dots.steps = 1;
  // A vector contains the results of four channels of one place. Blocks of one place leave no
  // remainder, whose code would be as large as the loop's. Without instructions for dot products,
  // blocks of more places need more registers than there are, unless the back end allocates them.
  const bool has_places = has_words || has_scalar_blocks;
  if (has_vectors || is_small || !has_places) dots.rows = 1;
  // The loop around the code that uses a sum then costs a thirtieth of the sum's instructions.
  if (is_small && has_words) dots.finish_loop = 32;
  return dots;
}

int64_t StepsOfDots(const Computation& all, const DotSum& sum, Combine combine) {
  const int64_t unit = StepsOf(combine);
  return (Iterations(all, sum.summed) + unit - 1) / unit * unit;
}

std::vector<Schedule> ScheduleDots(const Computation& all, const std::vector<DotSum>& sums,
                                   const DotProductsOptions& options) {
  return DotScheduler(all, sums, options).Choose();
}

std::optional<DotShape> DotShapeOf(const Schedule& schedule, const Computation& all,
                                   const std::vector<DotSum>& sums, const DotSum& sum,
                                   std::string& because) {
  DotShape shape;
  for (const Band& band : schedule.bands) {
    const bool is_summed = band.loop == kPackedSteps || Includes(sum.summed, band.loop);
    if (band.role == Role::kSerial && is_summed) {
      shape.packs |= band.loop == kPackedSteps;
      if (band.loop != kPackedSteps) shape.summed.push_back(band.loop);
    }
    if (band.role != Role::kUnrolled) continue;
    if (is_summed) {
      shape.steps = band.size;
    } else if (Includes(sum.columns, band.loop)) {
      shape.column = band.loop;
      shape.columns = band.size;
    } else {
      shape.row = band.loop;
      shape.rows = band.size;
    }
  }
  if (shape.packs || !std::is_permutation(shape.summed.begin(), shape.summed.end(),
                                          sum.summed.begin(), sum.summed.end()))
    shape.summed = sum.summed;
  if (!HasBands(schedule, DotBands(shape, all, sums, sum), all, because)) return std::nullopt;
  return shape;
}

std::string WhyNotDots(const Schedule& schedule, const Computation& all,
                       const std::vector<DotSum>& sums, Combine most) {
  return DotJudge(schedule, all, sums).Judge(most);
}

}  // namespace tenon
