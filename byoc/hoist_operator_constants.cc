#include "byoc/hoist_operator_constants.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "byoc/code_generator.h"
#include "byoc/op_info.h"
#include "ir/function_interface.h"
#include "passes/constants/hoist_constants.h"

namespace tenon {

namespace {

/// For each constant of `before`, its parameter in `after`; -1 if unclear.
std::vector<int> ParametersOf(const std::vector<const AllocateConst*>& constants,
                              const PrimFunc& after) {
  std::vector<int> parameters;
  for (const AllocateConst* constant : constants) {
    int& parameter = parameters.emplace_back(-1);
    for (size_t i = 0; i < after.buffers.size(); ++i) {
      const Buffer* buffer = after.buffers[i];
      if (buffer != nullptr && buffer->data == constant->buffer_var)
        parameter = static_cast<int>(i);
    }
    // Equal constants are one parameter, that of the first constant.
    for (size_t j = 0; j + 1 < parameters.size() && parameter < 0; ++j) {
      if (constants[j]->data == constant->data) parameter = parameters[j];
    }
  }
  return parameters;
}

/// The claim with parameters instead of constants, or nullopt if they are unclear.
std::optional<OpInfo> WithParameters(OpInfo info, const PrimFunc& before, const PrimFunc& after) {
  const std::vector<int> parameters = ParametersOf(ConstantsOf(before), after);
  const size_t added = after.params.size() - before.params.size();
  size_t first = before.params.size();
  while (first > 0 && after.params[first - 1] != before.params[first - 1]) --first;
  for (ComputationOperand& operand : info.computation.operands) {
    const auto index = static_cast<size_t>(operand.index);
    if (operand.constant) {
      if (index >= parameters.size() || parameters[index] < 0) return std::nullopt;
      operand.constant = false;
      operand.index = parameters[index];
    } else if (index >= first) {
      operand.index += static_cast<int>(added);
    }
  }
  return info;
}

}  // namespace

std::optional<IRModule> HoistOperatorConstants(const IRModule& module,
                                               const std::vector<std::string>& functions,
                                               const RunOptions& options,
                                               Diagnostics& diagnostics) {
  std::vector<std::string> operators;
  for (const std::string& name : functions) {
    const Function* function = module.FindCallee(name);
    if (function == nullptr) continue;
    const ExternalFunction external = ReadExternalFunction(module, *function);
    if (!external.ops) continue;
    for (const OpCall& call : *external.ops) {
      const Function* op = call.op.function;
      if (op == nullptr || ConstantsOf(*op->func).empty()) continue;
      std::string op_name(op->name.view());
      if (std::find(operators.begin(), operators.end(), op_name) == operators.end())
        operators.push_back(std::move(op_name));
    }
  }
  if (operators.empty()) return module;
  std::optional<IRModule> hoisted = RunPipeline(
      module,
      Pipeline().Add<&HoistConstants>({.functions = fmt::format("{}", fmt::join(operators, ","))}),
      options, diagnostics);
  if (!hoisted) return std::nullopt;
  for (const std::string& name : operators) {
    const Function& before = *module.FindCallee(name);
    const Function after = *hoisted->FindCallee(name);
    const std::optional<OpInfo> claim = ReadOpInfo(before);
    if (!claim || claim->computation.operands.empty()) continue;
    const std::optional<OpInfo> now = WithParameters(*claim, *before.func, *after.func);
    hoisted->Update(
        WithOpInfo(module.context(), after,
                   now ? *now : UnknownOp("its constants cannot be told from each other")));
  }
  return hoisted;
}

}  // namespace tenon
