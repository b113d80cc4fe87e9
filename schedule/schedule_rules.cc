// Legality of schedules. The order of loops never changes a result here, because each element of
// the result has its own sum, whose steps keep their order. So the rules are about lanes, memory,
// and instructions.

#include "schedule/schedule_rules.h"

#include <algorithm>

#include "analysis/contraction.h"
#include "fmt/format.h"
#include "ir/analysis/gnu_vectors.h"
#include "schedule/op_loops.h"
#include "schedule/pads.h"

namespace tenon {

namespace {

/// The bits of one integer describe the padding of all places.
constexpr int64_t kMostPlaces = 64;

/// Verifies one schedule.
class ScheduleJudge {
 public:
  ScheduleJudge(const Computation& all, const ComputationStore& store, const Schedule& schedule,
                int64_t register_bytes)
      : all_(all), store_(store), schedule_(schedule), register_bytes_(register_bytes) {}

  std::string Judge() {
    const Band last = schedule_.bands.empty() ? Band() : schedule_.bands.back();
    if (IsLoop(last.role) || !Includes(store_.loops, last.loop))
      return "expected lanes, or unrolled iterations, along a loop of the store";
    const int row = last.loop;
    StepFacts facts(
        all_, [](int) { return false; }, GroupAccess(all_, store_.step, row, schedule_.combine),
        register_bytes_);
    if (schedule_.skips_pads) LeaveOutPads(all_, store_.step, facts);
    const int sum = LaneSum(facts, store_.step, row, last.role == Role::kUnrolled);
    if (sum < 0)
      return fmt::format(
          "expected one sum of elements that lie side by side along `{}`, or do not depend on it",
          NameOf(row));
    std::string because;
    const std::optional<BlockShape> shape = ShapeOf(schedule_, all_, store_.loops, sum, because);
    if (!shape) return because;
    for (const auto& problem :
         {TileProblem(facts, *shape), MemoryProblem(facts, *shape), CombineProblem(facts, *shape),
          PadsProblem(*shape), ParallelProblem(facts, *shape)}) {
      if (!problem.empty()) return problem;
    }
    return "";
  }

 private:
  const std::string& NameOf(int loop) const { return all_.loops[static_cast<size_t>(loop)].name; }
  int64_t ExtentOf(int loop) const { return all_.loops[static_cast<size_t>(loop)].extent; }
  const Step& StepAt(int step) const { return all_.steps[static_cast<size_t>(step)]; }

  /// Lanes of several rows are neighbours only if a row ends where the next one begins. Constants
  /// are stored in the order of the lanes.
  std::string TileProblem(const StepFacts& facts, const BlockShape& shape) const {
    if (shape.tile < 0) return "";
    const std::vector<bool> below = StepsBelow(all_, shape.sum);
    for (size_t i = 0; i < below.size(); ++i) {
      const Step& step = all_.steps[i];
      const LoopSet lanes = Bit(shape.row) | Bit(shape.tile);
      if (!below[i] || step.kind != StepKind::kRead ||
          (facts.FreeOf(static_cast<int>(i)) & lanes) == 0)
        continue;
      const ComputationAccess& access = all_.accesses[static_cast<size_t>(step.access)];
      const bool is_constant = all_.operands[static_cast<size_t>(access.operand)].constant;
      if (!is_constant && access.element.stride(shape.tile) != ExtentOf(shape.row))
        return fmt::format("expected rows of `{}` side by side along `{}`", NameOf(shape.row),
                           NameOf(shape.tile));
    }
    return "";
  }

  /// Sums are arrays on the stack, and so are the lanes that several places share.
  std::string MemoryProblem(const StepFacts& facts, const BlockShape& shape) const {
    const int64_t bytes = StepAt(shape.sum).dtype.bytes();
    int64_t most = kMostArrayBytes / bytes;
    if (shape.places > 1 && facts.wide() < 0) {
      const int64_t steps =
          schedule_.loads_ahead ? std::max(shape.steps, kStepsAhead) : shape.steps;
      const int64_t shared = schedule_.combine == Combine::kNothing
                                 ? bytes
                                 : FactsOf(schedule_.combine).weight.bytes();
      most = std::min(most, kMostArrayBytes / (shared * steps));
    }
    if ((shape.is_scalar ? shape.lanes : OpLoops::MostWidth(shape.lanes)) > most)
      return fmt::format("expected at most {} lanes, found {}", most, shape.lanes);
    if (shape.places > kMostPlaces)
      return fmt::format("expected at most {} unrolled places, found {}", kMostPlaces,
                         shape.places);
    return "";
  }

  std::string CombineProblem(const StepFacts& facts, const BlockShape& shape) const {
    const std::vector<int>& summed = StepAt(shape.sum).loops;
    const int64_t extent = summed.empty() ? 1 : ExtentOf(summed.back());
    const int64_t together = std::min(StepsTogether(schedule_), extent);
    if (shape.steps != together)
      return fmt::format("expected {} steps of the sum together, found {}", together, shape.steps);
    if (!IsInLanes(schedule_.combine))
      return fmt::format("expected an instruction for lanes, found `{}`",
                         FactsOf(schedule_.combine).word);
    if (schedule_.combine != Combine::kNothing && !facts.HasShortFactors(shape.sum))
      return "expected products of integers of 16 bits or less";
    if (schedule_.combine == Combine::kQuads && facts.wide() < 0)
      return fmt::format("expected a factor with four neighbours for each of `{}`",
                         NameOf(shape.row));
    if (schedule_.loads_ahead && (summed.empty() || schedule_.combine != Combine::kNothing))
      return "expected a sum over a loop whose steps are added one by one";
    return "";
  }

  std::string PadsProblem(const BlockShape& shape) const {
    if (schedule_.prefetches && (!shape.streams || shape.tile < 0))
      return "expected `prefetch` only where blocks of lanes along two loops are outermost";
    if (!schedule_.skips_pads) return "";
    const std::optional<Pads> pads = FindPads(all_, shape.sum);
    if (!pads)
      return "expected a sum of floats that begins at 0, with a factor that is 0 at its pads";
    for (const int lanes : {shape.row, shape.tile}) {
      if (lanes >= 0 && DependOn(all_, *pads, lanes))
        return fmt::format("expected pads that do not depend on the lanes of `{}`", NameOf(lanes));
    }
    return "";
  }

  /// Sums that depend on no loop of the store are added up before its loops.
  std::string ParallelProblem(const StepFacts& facts, const BlockShape& shape) const {
    LoopSet loops = 0;
    for (const int loop : store_.loops) loops |= Bit(loop);
    if (shape.is_parallel && !facts.SumsToMake({store_.step}, loops).empty())
      return "expected `parallel` only where each sum depends on a loop of the store";
    return "";
  }

  const Computation& all_;
  const ComputationStore& store_;
  const Schedule& schedule_;
  const int64_t register_bytes_;
};

}  // namespace

namespace {

/// True if the value or the start of a sum needs another reduction.
bool HasInnerSums(const StepFacts& facts, int sum) {
  const std::vector<int>& args = facts.StepAt(sum).args;
  return std::any_of(args.begin(), args.end(), [&](int arg) { return facts.HasSum(arg); });
}

}  // namespace

int LaneSum(const StepFacts& facts, int step, int row, bool is_scalar) {
  int found = -1;
  for (const int sum : facts.SumsToMake({step}, 0)) {
    if ((facts.FreeOf(sum) & Bit(row)) == 0) continue;
    if (found >= 0) return -1;
    found = sum;
  }
  if (found >= 0 && is_scalar)
    return facts.StepAt(found).kind == StepKind::kReduce && !HasInnerSums(facts, found) ? found
                                                                                        : -1;
  if (found < 0 || !facts.WalksAlong(found, row)) return -1;
  const Step& sum = facts.StepAt(found);
  const bool has_lanes = facts.IsLaneValue(sum.args[0], row) && facts.IsLaneValue(sum.args[1], row);
  return has_lanes && IsGnuVector(sum.dtype.with_lanes(4)) ? found : -1;
}

int GroupAccess(const Computation& computation, int step, int row, Combine combine) {
  const int64_t steps = StepsOf(combine);
  if (steps == 1 || !IsInLanes(combine)) return -1;
  const std::vector<bool> below = StepsBelow(computation, step);
  std::vector<int> groups;
  for (size_t i = 0; i < below.size(); ++i) {
    const Step& sum = computation.steps[i];
    if (!below[i] || sum.kind != StepKind::kReduce || sum.loops.empty()) continue;
    if (computation.loops[static_cast<size_t>(sum.loops.back())].extent == steps)
      groups.push_back(sum.loops.back());
  }
  for (size_t i = 0; i < below.size(); ++i) {
    const Step& read = computation.steps[i];
    if (!below[i] || read.kind != StepKind::kRead) continue;
    const LinearIndex& element = computation.accesses[static_cast<size_t>(read.access)].element;
    const bool is_group = std::any_of(groups.begin(), groups.end(),
                                      [&](int loop) { return element.stride(loop) == 1; });
    if (element.divisor == 1 && element.stride(row) == steps && is_group) return read.access;
  }
  return -1;
}

std::string WhyNotSchedule(const Computation& computation, const ComputationStore& store,
                           const Schedule& schedule, int64_t register_bytes) {
  return ScheduleJudge(computation, store, schedule, register_bytes).Judge();
}

}  // namespace tenon
