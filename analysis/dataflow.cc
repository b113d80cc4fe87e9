// The order of the proof: stages, a value for each (stage_values.cc), the order of accesses to each
// tensor, and the final values of parameters. Only then may the loops of the text be forgotten.

#include "analysis/dataflow.h"

#include <algorithm>

#include "absl/container/flat_hash_set.h"
#include "analysis/arg_reduction.h"
#include "analysis/dataflow_internal.h"
#include "analysis/guarded_updates.h"
#include "analysis/index_choices.h"
#include "analysis/reroll.h"
#include "analysis/value_lets.h"
#include "ir/attributes.h"

namespace tenon {

std::vector<int> Dataflow::DigitsOfLoop(int loop) const {
  std::vector<int> leaves;
  for (const auto& [digit, stride] : stages.loops[static_cast<size_t>(loop)].counter.terms) {
    const std::vector<int> of = digits.Leaves(digit);
    leaves.insert(leaves.end(), of.begin(), of.end());
  }
  return leaves;
}

std::vector<int> Dataflow::DigitsOfStage(const Stage& stage) const {
  std::vector<int> leaves;
  for (const int loop : stage.loops) {
    const std::vector<int> of = DigitsOfLoop(loop);
    leaves.insert(leaves.end(), of.begin(), of.end());
  }
  for (const auto& [digit, stride] : stage.lane.terms) {
    const std::vector<int> of = digits.Leaves(digit);
    leaves.insert(leaves.end(), of.begin(), of.end());
  }
  return leaves;
}

std::vector<int> Dataflow::PrivateDigits(int tensor) const {
  const StageTensor& of = stages.tensors[static_cast<size_t>(tensor)];
  std::vector<int> leaves;
  if (of.kind != StageTensor::Kind::kLocal) return leaves;
  for (const int loop : of.shared_loops) {
    const std::vector<int> more = DigitsOfLoop(loop);
    leaves.insert(leaves.end(), more.begin(), more.end());
  }
  return leaves;
}

std::vector<int> Dataflow::Merged(const std::vector<int>& merges,
                                  const std::vector<int>& given) const {
  std::vector<int> seen = given;
  for (const int merge : merges) {
    const MergedLoops& loops = merged[static_cast<size_t>(merge)];
    const LinearIndex sum = digits.Normalised(loops.sum);
    const auto old = [&](int digit) { return sum.stride(digit) != 0; };
    if (std::none_of(seen.begin(), seen.end(), old)) continue;
    std::erase_if(seen, old);
    for (const auto& [digit, stride] : loops.counter.terms) {
      const std::vector<int> leaves = digits.Leaves(digit);
      seen.insert(seen.end(), leaves.begin(), leaves.end());
    }
  }
  return seen;
}

absl::flat_hash_map<int, int64_t> Dataflow::LeavesOf(
    const absl::flat_hash_map<int, int64_t>& fixed) const {
  absl::flat_hash_map<int, int64_t> all;
  for (const auto& [digit, value] : fixed) {
    for (const int leaf : digits.Leaves(digit)) {
      all[leaf] = value == 0 ? 0 : digits.extent(leaf) - 1;
    }
  }
  return all;
}

namespace {

/// The limit on pairs of accesses of a tensor.
constexpr size_t kMostFlowPairs = 4'000'000;

/// Checks that accesses of a tensor to the same element are in the order of the text.
class OrderCheck {
 public:
  OrderCheck(Dataflow& flow, int tensor) : flow_(flow), tensor_(tensor) {
    const std::vector<int> digits = flow.PrivateDigits(tensor);
    private_.insert(digits.begin(), digits.end());
    for (size_t merge = 0; merge < flow.merged.size(); ++merge) {
      for (const int digit : flow.Merged({static_cast<int>(merge)}, digits)) private_.insert(digit);
    }
  }

  bool Check() {
    const std::vector<TensorAccess>& all = flow_.accesses[static_cast<size_t>(tensor_)];
    const auto writes = static_cast<size_t>(
        std::count_if(all.begin(), all.end(), [](const TensorAccess& one) { return one.write; }));
    if (writes * all.size() > kMostFlowPairs) return flow_.Refuse("it has too many statements");
    for (const TensorAccess& write : all) {
      if (!write.write) continue;
      for (const TensorAccess& other : all) {
        if (&write != &other && !InOrder(write, other))
          return flow_.Refuse("stages of one tensor may take turns in shared loops");
      }
    }
    return true;
  }

 private:
  const Stage& StageOf(const TensorAccess& access) const {
    return flow_.stages.stages[static_cast<size_t>(access.stage)];
  }
  const StageValue& ValueOf(const TensorAccess& access) const {
    const auto& values = flow_.values[static_cast<size_t>(StageOf(access).tensor)];
    return *std::find_if(values.begin(), values.end(),
                         [&](const StageValue& value) { return value.stage == access.stage; });
  }
  absl::flat_hash_map<int, int64_t> FixedOf(const TensorAccess& access) const {
    return flow_.LeavesOf(ValueOf(access).fixed);
  }

  bool InOrder(const TensorAccess& write, const TensorAccess& other) {
    if (other.of_sum == write.stage) return true;
    const std::vector<int>& a = StageOf(write).loops;
    const std::vector<int>& b = StageOf(other).loops;
    std::vector<int> shared;
    for (size_t i = 0; i < a.size() && i < b.size() && a[i] == b[i]; ++i) {
      for (const int digit : flow_.DigitsOfLoop(a[i])) {
        if (!private_.contains(digit)) shared.push_back(digit);
      }
    }
    if (write.stage == other.stage) {
      for (const auto& [digit, stride] : StageOf(write).lane.terms) {
        for (const int leaf : flow_.digits.Leaves(digit)) shared.push_back(leaf);
      }
    }
    if (shared.empty()) return true;
    DropFixed(write, other, shared);
    if (shared.empty()) return true;
    shared = flow_.Merged(ValueOf(write).merged, shared);
    if (ValueOf(write).merged != ValueOf(other).merged) {
      // One of the two does not have the loops that the other one merged.
      if (flow_.Merged(ValueOf(other).merged, shared) != shared) return false;
    }
    const LinearIndex first = WithoutPrivate(write.element);
    const LinearIndex second = WithoutPrivate(other.element);
    return flow_.digits.EqualOnlyAtSame(first, second, shared) ||
           flow_.digits.AreDisjoint(write.element, other.element);
  }

  /// A stage that runs only in the first iteration, before another stage, is in order for every
  /// iteration of the other. So is a stage that runs only in the last iteration, after the other.
  void DropFixed(const TensorAccess& write, const TensorAccess& other, std::vector<int>& shared) {
    const auto of_write = FixedOf(write);
    const auto of_other = FixedOf(other);
    std::erase_if(shared, [&](int digit) {
      const auto drops = [&](const absl::flat_hash_map<int, int64_t>& fixed, bool earlier) {
        const auto found = fixed.find(digit);
        if (found == fixed.end()) return false;
        return earlier ? found->second == 0 : found->second == flow_.digits.extent(digit) - 1;
      };
      return drops(of_write, write.stage < other.stage) ||
             drops(of_other, other.stage < write.stage);
    });
  }

  LinearIndex WithoutPrivate(const LinearIndex& element) {
    LinearIndex form = flow_.digits.Normalised(element);
    form.Drop([&](int digit) { return private_.contains(digit); });
    return form;
  }

  Dataflow& flow_;
  int tensor_;
  absl::flat_hash_set<int> private_;
};

/// The final values of the parameters. A store that a later one overwrites is left out.
bool Results(Dataflow& flow, std::vector<StageValue>& results) {
  for (size_t tensor = 0; tensor < flow.stages.tensors.size(); ++tensor) {
    if (flow.stages.tensors[tensor].kind != StageTensor::Kind::kParam) continue;
    const std::vector<StageValue> values = flow.values[tensor];
    if (values.size() * values.size() > kMostFlowPairs)
      return flow.Refuse("it has too many statements");
    for (size_t i = 0; i < values.size(); ++i) {
      bool stays = true;
      for (size_t k = i + 1; k < values.size() && stays; ++k) {
        if (flow.digits.AreDisjoint(values[i].element, values[k].element)) continue;
        if (!flow.digits.Solve(values[k].element, values[i].element, {}))
          return flow.Refuse("an output's element may be written by two stages");
        stays = false;
      }
      if (stays) results.push_back(values[i]);
    }
  }
  if (results.empty()) return flow.Refuse("it writes no parameter");
  return true;
}

bool ParamsDoNotOverlap(Dataflow& flow, const PrimFunc& func) {
  const auto& tensors = flow.stages.tensors;
  const auto params = std::count_if(tensors.begin(), tensors.end(), [](const StageTensor& tensor) {
    return tensor.kind == StageTensor::Kind::kParam && tensor.accessed;
  });
  if (params <= 1 || flow.options.params_do_not_overlap || IsNoAlias(func)) return true;
  return flow.Refuse("its parameters may overlap: it has no `tir.noalias`");
}

/// True if each written operand is only read at the element that is being written, so that the
/// loops may have any order.
bool ReadsOnlyWhatItReplaces(const Computation& all) {
  for (const ComputationStore& store : all.stores) {
    const ComputationAccess& written = all.accesses[static_cast<size_t>(store.access)];
    for (const ComputationAccess& access : all.accesses) {
      if (access.operand == written.operand && (access != written || all.stores.size() > 1)) {
        const auto stored = [&](const ComputationStore& one) {
          return all.accesses[static_cast<size_t>(one.access)] == access;
        };
        const bool read = std::any_of(all.steps.begin(), all.steps.end(), [&](const Step& step) {
          return IsRead(step.kind) && all.accesses[static_cast<size_t>(step.access)] == access;
        });
        if (read || std::none_of(all.stores.begin(), all.stores.end(), stored)) return false;
      }
    }
  }
  return true;
}

}  // namespace

ComputationResult ComputationOf(const PrimFunc& func, const ComputationOptions& options) {
  Digits digits;
  Dataflow flow(digits, options);
  std::vector<StageValue> results;
  const auto prove = [&] {
    if (!CollectStages(func, digits, flow.stages, flow.because)) return false;
    if (flow.stages.stages.empty()) return flow.Refuse("it writes no parameter");
    if (!ParamsDoNotOverlap(flow, func)) return false;
    flow.values.resize(flow.stages.tensors.size());
    flow.accesses.resize(flow.stages.tensors.size());
    for (int i = 0; i < static_cast<int>(flow.stages.stages.size()); ++i) {
      if (IsArgReduction(flow.stages, static_cast<size_t>(i))) {
        if (!EvaluateArgReduction(flow, i++)) return false;
      } else if (!EvaluateStage(flow, i)) {
        return false;
      }
    }
    for (size_t i = 0; i < flow.stages.tensors.size(); ++i) {
      if (!OrderCheck(flow, static_cast<int>(i)).Check()) return false;
    }
    return Results(flow, results);
  };
  if (!prove()) return {std::nullopt, flow.because};
  Computation all = ExportComputation(flow, results);
  if (!ReadsOnlyWhatItReplaces(all)) return {std::nullopt, "a parameter is both read and written"};
  return {std::move(all), {}};
}

Function ComputationForm(Context& context, const Function& function,
                         const ComputationOptions& options) {
  const Function plain = InlineValueLets(
      context, function, options.params_do_not_overlap || IsNoAlias(*function.func));
  const Function updates = MoveGuardsIntoUpdates(context, plain, options.keeps_order);
  return Reroll(context, SplitIndexChoices(context, updates));
}

}  // namespace tenon
