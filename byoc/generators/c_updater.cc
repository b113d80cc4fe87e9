#include "byoc/generators/c_updater.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <set>

#include "byoc/generators/op_loops.h"

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

/// The claim with the parameters `narrow` in 8 bits: what is read of them is extended.
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
  for (ComputationStore& store : all.stores) store.step = now_of[static_cast<size_t>(store.step)];
  if (info.contraction >= 0) now.contraction = now_of[static_cast<size_t>(info.contraction)];
  return now;
}

/// Decides for one external function.
class NarrowingUpdate {
 public:
  NarrowingUpdate(const IRModule& module, const Function& function)
      : module_(module), external_(ReadExternalFunction(module, function)) {}

  ConstantUpdate Run() {
    ConstantUpdate update;
    if (!external_.ops) return update;
    for (size_t i = 0; i < external_.constants.size(); ++i) {
      if (auto bytes = InBytes(*external_.constants[i].constant))
        bytes_of_.emplace(static_cast<int>(i), *std::move(bytes));
    }
    // All calls of an operator get their constants in the same type.
    for (bool changed = true; changed;) changed = DropConflicts();
    for (const OpCall& call : *external_.ops) AddNarrowCallee(call, update);
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

  /// An operator can read a constant in another type.
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

  /// Leaves a constant as it is that some operator needs so. True when there was one.
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

  void AddNarrowCallee(const OpCall& call, ConstantUpdate& update) {
    std::set<int> narrow;
    for (size_t i = 0; i < call.args.size(); ++i) {
      if (IsNarrow(call.args[i])) narrow.insert(static_cast<int>(i));
    }
    if (narrow.empty()) return;
    AddCallee(module_, external_, call, WithNarrowParams(call.op.info, narrow), update);
  }

  const IRModule& module_;
  ExternalFunction external_;
  /// The constants that become narrow, by index.
  std::map<int, std::vector<uint8_t>> bytes_of_;
};

}  // namespace

std::optional<ConstantUpdate> CUpdater::UpdateIn(const IRModule& module, const Function& function,
                                                 std::span<const FunctionConstant>,
                                                 Diagnostics&) const {
  return NarrowingUpdate(module, function).Run();
}

}  // namespace tenon
