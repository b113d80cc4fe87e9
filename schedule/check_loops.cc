// The conditions of OpLoops, apart from the code that relies on them. A refusal is a reason in
// words, since users of generators read it. Sizes are limited here, so that no index can overflow
// later.

#include <algorithm>

#include "fmt/format.h"
#include "ir/builtins.h"
#include "schedule/op_loops.h"
#include "support/checked.h"

namespace tenon {

namespace {

constexpr size_t kMostLoops = 64;
constexpr size_t kMostReductions = 16;
constexpr int64_t kMostExprNodes = 100'000;

/// Searches a computation for steps that loops cannot compute.
class LoopChecker {
 public:
  explicit LoopChecker(const Computation& all) : all_(all) {}

  /// Returns the reason why loops cannot compute the computation; empty if they can.
  std::string Check() {
    if (all_.stores.empty()) return "its claim has no steps";
    if (all_.loops.size() > kMostLoops) return fmt::format("more than {} loops", kMostLoops);
    free_ = FreeLoops(all_);
    const bool is_right = CheckIndices() && CheckSteps() && CheckStores() && CheckSharing();
    return is_right ? std::string() : std::move(problem_);
  }

 private:
  bool Refuse(std::string problem) {
    problem_ = std::move(problem);
    return false;
  }
  const ComputationAccess& AccessAt(int access) const {
    return all_.accesses[static_cast<size_t>(access)];
  }
  const ComputationOperand& OperandOf(int access) const {
    return all_.operands[static_cast<size_t>(AccessAt(access).operand)];
  }

  /// True if every value of an index is small enough to be added to another.
  bool IsSmall(const LinearIndex& index) const {
    constexpr int64_t kMost = int64_t{1} << 60;
    int64_t most = 0;
    const auto add = [&](int64_t value) {
      if (value <= -kMost || value >= kMost) return false;
      most += value < 0 ? -value : value;
      return most < kMost;
    };
    if (!add(index.offset)) return false;
    for (const auto& [loop, stride] : index.terms) {
      const int64_t extent = all_.loops[static_cast<size_t>(loop)].extent;
      const std::optional<int64_t> last = CheckedMul(extent - 1, stride);
      if (!last || !add(*last)) return false;
    }
    return true;
  }

  bool CheckIndices() {
    for (const ComputationAccess& access : all_.accesses) {
      if (!IsSmall(access.element)) return Refuse("an index that is too large");
    }
    return true;
  }

  /// Limits the number of reductions, and of nodes in each step's expression without sharing.
  bool CheckSteps() {
    size_t sums = 0;
    std::vector<int64_t> nodes;
    std::vector<bool> has_sum;
    for (const Step& step : all_.steps) {
      int64_t count = 1;
      bool sum = IsReduction(step.kind);
      for (size_t i = 0; i < step.args.size(); ++i) {
        const auto arg = static_cast<size_t>(step.args[i]);
        count += nodes[arg];
        sum |= has_sum[arg];
        const bool is_choice = step.kind == StepKind::kCall ? step.op == OpKind::kIfThenElse
                                                            : step.node == NodeKind::kSelect;
        if (i > 0 && is_choice && !IsReduction(step.kind) && has_sum[arg])
          return Refuse("a sum in one arm of a choice");
      }
      if (step.kind == StepKind::kIndex && !IsSmall(step.linear))
        return Refuse("an index that is too large");
      if (IsReduction(step.kind) && ++sums > kMostReductions)
        return Refuse(fmt::format("more than {} sums", kMostReductions));
      if (count > kMostExprNodes) return Refuse("an expression that is too large");
      nodes.push_back(count);
      has_sum.push_back(sum);
    }
    return true;
  }

  bool CheckStores() {
    for (const ComputationStore& store : all_.stores) {
      LoopSet loops = 0;
      for (const int loop : store.loops) loops |= LoopSet{1} << loop;
      const ComputationOperand& operand = OperandOf(store.access);
      const Step& step = all_.steps[static_cast<size_t>(store.step)];
      if (operand.constant) return Refuse("it stores to a constant");
      if (operand.dtype != step.dtype) return Refuse("it stores a value of another dtype");
      const LoopSet used =
          free_[static_cast<size_t>(store.step)] | LoopsOf(AccessAt(store.access).element);
      if ((used & ~loops) != 0) return Refuse("it uses a loop outside of that loop");
    }
    return true;
  }

  /// True if each written element is only read where it is written, right before.
  bool CheckSharing() {
    for (const ComputationStore& store : all_.stores) {
      const ComputationOperand& to = OperandOf(store.access);
      for (const Step& step : all_.steps) {
        if (!IsRead(step.kind)) continue;
        const ComputationOperand& from = OperandOf(step.access);
        if (from.constant || from.index != to.index) continue;
        const bool is_same = all_.stores.size() == 1 && step.kind == StepKind::kRead &&
                             AccessAt(step.access) == AccessAt(store.access) && !IsInSum(step);
        if (!is_same) return Refuse("it overwrites what it reads");
      }
    }
    return true;
  }

  /// True if the value of a reduction depends on the step.
  bool IsInSum(const Step& step) const {
    std::vector<bool> depends(all_.steps.size());
    for (size_t i = 0; i < all_.steps.size(); ++i) {
      depends[i] = &all_.steps[i] == &step;
      for (const int arg : all_.steps[i].args)
        depends[i] = depends[i] || depends[static_cast<size_t>(arg)];
      if (depends[i] && IsReduction(all_.steps[i].kind)) return true;
    }
    return false;
  }

  const Computation& all_;
  std::vector<LoopSet> free_;
  std::string problem_;
};

}  // namespace

std::string WhyNoLoops(const Computation& computation) { return LoopChecker(computation).Check(); }

}  // namespace tenon
