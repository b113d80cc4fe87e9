// A claim can come from a file, so its loops are checked here: each reduction needs loops of its
// own, and none is counted twice. Recognised operators pass the same check.

#include "analysis/computation.h"

#include <algorithm>
#include <bit>

#include "fmt/format.h"

namespace tenon {

namespace {

/// Compares the loops of stores and reductions with the loops of the reductions inside them.
class CountedLoops {
 public:
  explicit CountedLoops(const Computation& all)
      : all_(all),
        counted_(all.steps.size(), std::vector<bool>(all.loops.size())),
        free_(counted_) {}

  std::string Check() {
    for (size_t i = 0; i < all_.steps.size(); ++i) {
      const Step& step = all_.steps[i];
      if (IsRead(step.kind))
        Note(all_.accesses[static_cast<size_t>(step.access)].element, free_[i]);
      if (step.kind == StepKind::kIndex) Note(step.linear, free_[i]);
      for (const int arg : step.args) {
        Add(counted_[static_cast<size_t>(arg)], counted_[i]);
        Add(free_[static_cast<size_t>(arg)], free_[i]);
      }
      if (!IsReduction(step.kind)) continue;
      if (std::string problem = CheckReduction(step); !problem.empty()) return problem;
      for (const int loop : step.loops) {
        counted_[i][static_cast<size_t>(loop)] = true;
        free_[i][static_cast<size_t>(loop)] = false;
      }
    }
    for (const ComputationStore& store : all_.stores) {
      const std::vector<bool>& counted = counted_[static_cast<size_t>(store.step)];
      if (std::string problem = CheckList(store.loops, counted, "store"); !problem.empty())
        return problem;
    }
    return {};
  }

 private:
  static void Note(const LinearIndex& index, std::vector<bool>& loops) {
    for (const auto& [loop, stride] : index.terms) loops[static_cast<size_t>(loop)] = true;
  }
  static void Add(const std::vector<bool>& from, std::vector<bool>& to) {
    for (size_t i = 0; i < from.size(); ++i) to[i] = to[i] || from[i];
  }

  /// A reduction that does not depend on the loops around it runs before them.
  std::string CheckReduction(const Step& reduction) const {
    std::vector<bool> counted(all_.loops.size());
    std::vector<bool> below(all_.steps.size());
    for (size_t i = reduction.starts(); i < reduction.args.size(); ++i)
      below[static_cast<size_t>(reduction.args[i])] = true;
    for (size_t i = below.size(); i-- > 0;) {
      if (!below[i]) continue;
      for (const int arg : all_.steps[i].args) below[static_cast<size_t>(arg)] = true;
      const bool changes =
          std::any_of(reduction.loops.begin(), reduction.loops.end(),
                      [&](int loop) { return free_[i][static_cast<size_t>(loop)]; });
      if (!IsReduction(all_.steps[i].kind) || !changes) continue;
      for (const int loop : all_.steps[i].loops) counted[static_cast<size_t>(loop)] = true;
    }
    return CheckList(reduction.loops, counted, "reduction");
  }

  /// `counted` are the loops of reductions in the value that `what` evaluates for all of `loops`.
  std::string CheckList(const std::vector<int>& loops, const std::vector<bool>& counted,
                        std::string_view what) const {
    std::vector<bool> seen(all_.loops.size());
    for (const int loop : loops) {
      const auto at = static_cast<size_t>(loop);
      const std::string& name = all_.loops[at].name;
      if (seen[at]) return fmt::format("a {} counts the loop `{}` twice", what, name);
      seen[at] = true;
      if (counted[at])
        return fmt::format("a {} and a reduction in its value count the loop `{}`", what, name);
    }
    return {};
  }

  const Computation& all_;
  /// For each step, the loops of reductions in its value, and the loops that the value depends on.
  std::vector<std::vector<bool>> counted_;
  std::vector<std::vector<bool>> free_;
};

}  // namespace

std::string LoopProblem(const Computation& all) {
  const size_t largest = std::max({all.steps.size(), all.stores.size(), all.loops.size()});
  if (largest > kMostComputationParts) {
    return fmt::format("expected at most {} loops, steps and stores, found {}",
                       kMostComputationParts, largest);
  }
  return CountedLoops(all).Check();
}

bool Operation::operator==(const Operation& other) const {
  return kind == other.kind && dtype == other.dtype && node == other.node && op == other.op &&
         integer == other.integer &&
         std::bit_cast<int64_t>(real) == std::bit_cast<int64_t>(other.real) && args == other.args;
}

}  // namespace tenon
