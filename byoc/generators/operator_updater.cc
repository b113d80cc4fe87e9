// A constant in a new layout needs an operator that reads this layout. That operator is a copy with
// a new claim, and its body is generated from the claim.

#include "byoc/generators/operator_updater.h"

#include <algorithm>

#include "fmt/format.h"

namespace tenon {

void AddCallee(const IRModule& module, const ExternalFunction& external, const OpCall& call,
               const OpInfo& info, ConstantUpdate& update) {
  const auto is_known = [&](const UpdatedCallee& callee) { return callee.name == call.op.name; };
  if (std::any_of(update.callees.begin(), update.callees.end(), is_known)) return;
  std::string name = fmt::format("{}_{}", external.function.name.view(), call.op.name);
  while (module.FindCallee(name) != nullptr) name += '_';
  update.callees.push_back({call.op.name, OperatorOfClaim(module.context(), *call.op.function, info,
                                                          module.context().Intern(name))});
}

UpdatedConstant& AddConstant(const ExternalFunction& external, int index, std::string_view suffix,
                             DataType dtype, std::vector<uint8_t> bytes, ConstantUpdate& update) {
  const FunctionConstant& from = external.constants[static_cast<size_t>(index)];
  UpdatedConstant& now = update.constants.emplace_back();
  now.name = fmt::format("{}_{}_{}", external.function.name.view(), from.variable, suffix);
  now.dtype = dtype;
  now.shape = {static_cast<int64_t>(bytes.size()) / dtype.bytes()};
  now.placement = from.constant->placement();
  now.replaces = static_cast<size_t>(index);
  now.SetBytes(std::move(bytes));
  return now;
}

}  // namespace tenon
