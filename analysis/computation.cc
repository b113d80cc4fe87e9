#include "analysis/computation.h"

#include <algorithm>
#include <bit>

#include "fmt/format.h"

namespace tenon {

namespace {

/// For each step, the loops that reductions count in its value.
class CountedLoops {
 public:
  explicit CountedLoops(const Computation& all)
      : all_(all), counted_(all.steps.size(), std::vector<bool>(all.loops.size())) {}

  std::string Check() {
    for (size_t i = 0; i < all_.steps.size(); ++i) {
      const Step& step = all_.steps[i];
      std::vector<bool>& own = counted_[i];
      for (const int arg : step.args) {
        const std::vector<bool>& of_arg = counted_[static_cast<size_t>(arg)];
        for (size_t loop = 0; loop < own.size(); ++loop) own[loop] = own[loop] || of_arg[loop];
      }
      if (step.kind != StepKind::kReduce) continue;
      if (std::string problem = CheckList(step.loops, step.args[1], "reduction"); !problem.empty())
        return problem;
      for (const int loop : step.loops) own[static_cast<size_t>(loop)] = true;
    }
    for (const ComputationStore& store : all_.stores) {
      if (std::string problem = CheckList(store.loops, store.step, "store"); !problem.empty())
        return problem;
    }
    return {};
  }

 private:
  /// `value` is the step that `what` evaluates for all values of `loops`.
  std::string CheckList(const std::vector<int>& loops, int value, std::string_view what) const {
    std::vector<bool> seen(all_.loops.size());
    for (const int loop : loops) {
      const auto at = static_cast<size_t>(loop);
      const std::string& name = all_.loops[at].name;
      if (seen[at]) return fmt::format("a {} counts the loop `{}` twice", what, name);
      seen[at] = true;
      if (counted_[static_cast<size_t>(value)][at])
        return fmt::format("a {} and a reduction in its value count the loop `{}`", what, name);
    }
    return {};
  }

  const Computation& all_;
  std::vector<std::vector<bool>> counted_;
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

int64_t LinearIndex::stride(int loop) const {
  for (const auto& [of, stride] : terms) {
    if (of == loop) return stride;
  }
  return 0;
}

bool Operation::operator==(const Operation& other) const {
  return kind == other.kind && dtype == other.dtype && node == other.node && op == other.op &&
         integer == other.integer &&
         std::bit_cast<int64_t>(real) == std::bit_cast<int64_t>(other.real) && args == other.args;
}

}  // namespace tenon
