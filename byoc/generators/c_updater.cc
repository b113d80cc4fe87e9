#include "byoc/generators/c_updater.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <set>

#include "byoc/generators/can_make_loops.h"
#include "passes/fusion/constant_elements.h"

namespace tenon {

namespace {

/// The values of a constant in 8 bits; nullopt if it is not of 16 bits, or has larger values.
std::optional<std::vector<uint8_t>> InBytes(const Constant& constant) {
  if (constant.dtype() != DataType::Int(16)) return std::nullopt;
  const absl::StatusOr<std::span<const uint8_t>> from = constant.StoredBytes();
  if (!from.ok() || !constant.placement().codec.empty()) return std::nullopt;
  std::vector<uint8_t> bytes;
  for (size_t i = 0; i + 1 < from->size(); i += sizeof(int16_t)) {
    int16_t value = 0;
    std::memcpy(&value, from->data() + i, sizeof(value));
    if (value != static_cast<int8_t>(value)) return std::nullopt;
    bytes.push_back(static_cast<uint8_t>(value));
  }
  return bytes;
}

/// Updates all references to steps to their new numbers.
void RenumberSteps(OpInfo& info, const std::vector<int>& now_of) {
  for (ComputationStore& store : info.computation.stores)
    store.step = now_of[static_cast<size_t>(store.step)];
  if (info.contraction >= 0) info.contraction = now_of[static_cast<size_t>(info.contraction)];
}

/// The claim with the parameters `narrow` in 8 bits, whose elements are extended after each read.
OpInfo WithNarrowParams(const OpInfo& info, const std::set<int>& narrow) {
  OpInfo now = info;
  Computation& all = now.computation;
  const auto is_narrow = [&](const ComputationOperand& operand) {
    return !operand.constant && narrow.contains(operand.index);
  };
  for (ComputationOperand& operand : all.operands) {
    if (is_narrow(operand)) operand.dtype = DataType::Int(8);
  }
  all.steps.clear();
  std::vector<int> now_of;   // the value of 16 bits
  std::vector<int> read_of;  // the element as it is stored
  for (Step step : info.computation.steps) {
    const bool extends = step.kind == StepKind::kNode && step.node == NodeKind::kCast &&
                         step.dtype.is_int() && step.dtype.bits() > 8;
    for (int& arg : step.args)
      arg = extends ? read_of[static_cast<size_t>(arg)] : now_of[static_cast<size_t>(arg)];
    const bool reads =
        IsRead(step.kind) && is_narrow(all.operands[static_cast<size_t>(
                                 all.accesses[static_cast<size_t>(step.access)].operand)]);
    const DataType wide = step.dtype;
    if (reads) step.dtype = DataType::Int(8);
    all.steps.push_back(step);
    const auto at = static_cast<int>(all.steps.size()) - 1;
    read_of.push_back(at);
    now_of.push_back(at);
    if (!reads) continue;
    Step cast;
    cast.kind = StepKind::kNode;
    cast.node = NodeKind::kCast;
    cast.dtype = wide;
    cast.args = {at};
    now_of.back() = at + 1;
    all.steps.push_back(std::move(cast));
  }
  RenumberSteps(now, now_of);
  return now;
}

bool IsRealZero(const Step& step) { return step.kind == StepKind::kReal && step.real == 0; }

/// True if the step `user` is the only use of a step.
bool IsUsedOnlyBy(const Computation& all, int step, int user) {
  int64_t uses = 0;
  for (const Step& other : all.steps)
    uses += std::count(other.args.begin(), other.args.end(), step);
  for (const ComputationStore& store : all.stores) uses += store.step == step ? 1 : 0;
  const std::vector<int>& args = all.steps[static_cast<size_t>(user)].args;
  return uses == 1 && std::count(args.begin(), args.end(), step) == 1;
}

/// A product in a sum of floats: a finite number times an element that is 0 unless a condition
/// holds, like an element of a padded input.
struct PaddedProduct {
  int product = 0;
  int choice = 0;
  int finite = 0;
};

/// The product that the contraction adds up, if it is a padded product. Elements of the parameters
/// `finite` are finite.
std::optional<PaddedProduct> PaddedProductOf(const OpInfo& info, const std::set<int>& finite) {
  const Computation& all = info.computation;
  const auto at = [&](int step) -> const Step& { return all.steps[static_cast<size_t>(step)]; };
  if (info.contraction < 0 || finite.empty()) return std::nullopt;
  const Step& sum = at(info.contraction);
  // A sum that begins at +0 never becomes -0, so adding a zero of either sign does not change it.
  if (sum.kind != StepKind::kReduce || sum.node != NodeKind::kAdd || !IsRealZero(at(sum.args[0])) ||
      std::signbit(at(sum.args[0]).real))
    return std::nullopt;
  const int product = sum.args[1];
  if (at(product).kind != StepKind::kNode || at(product).node != NodeKind::kMul ||
      !IsUsedOnlyBy(all, product, info.contraction))
    return std::nullopt;
  const auto is_finite = [&](const Step& step) {
    if (step.kind != StepKind::kRead) return false;
    const ComputationOperand& operand =
        all.operands[static_cast<size_t>(all.accesses[static_cast<size_t>(step.access)].operand)];
    return !operand.constant && operand.dtype == DataType::Float(32) &&
           finite.contains(operand.index);
  };
  const std::vector<int>& factors = at(product).args;
  for (size_t i = 0; i < 2; ++i) {
    const Step& choice = at(factors[i]);
    if (IsChoice(choice) && at(choice.args[1]).kind == StepKind::kRead &&
        IsRealZero(at(choice.args[2])) && is_finite(at(factors[1 - i])))
      return PaddedProduct{product, factors[i], factors[1 - i]};
  }
  return std::nullopt;
}

/// The claim with `condition ? x * w : 0` in place of `(condition ? x : 0) * w`: the sum is the
/// same, without the products that the condition excludes.
OpInfo WithProductInChoice(const OpInfo& info, const PaddedProduct& padded) {
  OpInfo now = info;
  Computation& all = now.computation;
  all.steps.clear();
  const bool is_choice_used = !IsUsedOnlyBy(info.computation, padded.choice, padded.product);
  std::vector<int> now_of;
  const auto add = [&](Step step) {
    all.steps.push_back(std::move(step));
    return static_cast<int>(all.steps.size()) - 1;
  };
  for (int i = 0; i < static_cast<int>(info.computation.steps.size()); ++i) {
    Step step = info.computation.steps[static_cast<size_t>(i)];
    if (i == padded.choice && !is_choice_used) {
      now_of.push_back(-1);
      continue;
    }
    if (i == padded.product) {
      Step choice = info.computation.steps[static_cast<size_t>(padded.choice)];
      for (int& arg : choice.args) arg = now_of[static_cast<size_t>(arg)];
      step.args = {choice.args[1], now_of[static_cast<size_t>(padded.finite)]};
      choice.args[1] = add(std::move(step));
      now_of.push_back(add(std::move(choice)));
      continue;
    }
    for (int& arg : step.args) arg = now_of[static_cast<size_t>(arg)];
    now_of.push_back(add(std::move(step)));
  }
  RenumberSteps(now, now_of);
  return now;
}

/// Decides for one external function.
class CFunctionUpdate {
 public:
  CFunctionUpdate(const IRModule& module, const Function& function)
      : module_(module), external_(ReadExternalFunction(module, function)) {}

  ConstantUpdate Run() {
    ConstantUpdate update;
    if (!external_.ops) return update;
    for (size_t i = 0; i < external_.constants.size(); ++i) {
      const Constant& constant = *external_.constants[i].constant;
      if (auto bytes = InBytes(constant)) bytes_of_.emplace(static_cast<int>(i), *std::move(bytes));
      if (AreFinite(constant)) finite_.insert(static_cast<int>(i));
    }
    // All calls of an operator must get their constants in the same type.
    for (bool changed = true; changed;) changed = DropConflicts();
    std::map<std::string_view, std::set<int>> finite_params = FiniteParams();
    for (const OpCall& call : *external_.ops) {
      // Each operator is handled once.
      const auto finite = finite_params.extract(call.op.name);
      if (finite) AddUpdatedCallee(call, finite.mapped(), update);
    }
    for (auto& [index, bytes] : bytes_of_) {
      UpdatedConstant& now =
          AddConstant(external_, index, "int8", DataType::Int(8), std::move(bytes), update);
      now.shape = external_.constants[static_cast<size_t>(index)].constant->shape();
    }
    return update;
  }

 private:
  bool IsNarrow(const OpArgument& arg) const {
    return arg.kind == OpArgument::Kind::kConstant && bytes_of_.contains(arg.index);
  }

  /// The parameters that are finite constants in all calls, by the operator.
  std::map<std::string_view, std::set<int>> FiniteParams() const {
    std::map<std::string_view, std::set<int>> params_of;
    for (const OpCall& call : *external_.ops) {
      std::set<int> params;
      for (size_t i = 0; i < call.args.size(); ++i) {
        if (call.args[i].kind == OpArgument::Kind::kConstant &&
            finite_.contains(call.args[i].index))
          params.insert(static_cast<int>(i));
      }
      const auto [of, is_first] = params_of.emplace(call.op.name, params);
      if (!is_first) std::erase_if(of->second, [&](int param) { return !params.contains(param); });
    }
    return params_of;
  }

  /// True if an operator can read a constant in another type.
  bool CanRead(const OpCall& call, size_t param) const {
    if (call.op.function == nullptr || !CanMakeLoops(call.op.info).yes ||
        call.args[param].offset != 0)
      return false;
    bool reads = false;
    for (const ComputationOperand& operand : call.op.info.computation.operands) {
      if (operand.constant) return false;
      if (static_cast<size_t>(operand.index) != param) continue;
      if (operand.dtype != DataType::Int(16)) return false;
      reads = true;
    }
    return reads;
  }

  /// Keeps the type of constants that some operator needs unchanged. True if there was one.
  bool DropConflicts() {
    for (const OpCall& call : *external_.ops) {
      for (size_t i = 0; i < call.args.size(); ++i) {
        if (!IsNarrow(call.args[i])) continue;
        const auto agrees = [&](const OpCall& other) {
          return other.op.name != call.op.name || IsNarrow(other.args[i]);
        };
        if (CanRead(call, i) && std::all_of(external_.ops->begin(), external_.ops->end(), agrees))
          continue;
        bytes_of_.erase(call.args[i].index);
        return true;
      }
    }
    return false;
  }

  void AddUpdatedCallee(const OpCall& call, const std::set<int>& finite, ConstantUpdate& update) {
    std::set<int> narrow;
    for (size_t i = 0; i < call.args.size(); ++i) {
      if (IsNarrow(call.args[i])) narrow.insert(static_cast<int>(i));
    }
    if (call.op.function == nullptr || !CanMakeLoops(call.op.info).yes) return;
    OpInfo info = narrow.empty() ? call.op.info : WithNarrowParams(call.op.info, narrow);
    const std::optional<PaddedProduct> padded = PaddedProductOf(info, finite);
    if (narrow.empty() && !padded) return;
    if (padded) info = WithProductInChoice(info, *padded);
    AddCallee(module_, external_, call, info, update);
  }

  const IRModule& module_;
  ExternalFunction external_;
  /// The constants that become narrow, by index.
  std::map<int, std::vector<uint8_t>> bytes_of_;
  /// The constants of finite floats, by index.
  std::set<int> finite_;
};

}  // namespace

std::optional<ConstantUpdate> CUpdater::UpdateIn(const IRModule& module, const Function& function,
                                                 std::span<const FunctionConstant>,
                                                 Diagnostics&) const {
  return CFunctionUpdate(module, function).Run();
}

}  // namespace tenon
