#ifndef TENON_BYOC_GENERATORS_OPERATOR_UPDATER_H_
#define TENON_BYOC_GENERATORS_OPERATOR_UPDATER_H_

#include "byoc/generators/external_body.h"
#include "passes/constants/constant_updater.h"

// Constant updaters that need the operators of an external function.

namespace tenon {

/// Changes constants through UpdateIn. Without the module, the operators are unknown, so no
/// constants change.
class OperatorUpdater : public ConstantUpdater {
 public:
  std::optional<ConstantUpdate> Update(const Function&, std::span<const FunctionConstant>,
                                       Diagnostics&) const override {
    return ConstantUpdate();
  }
};

/// Sets the claim of the operator of `call` to `info`, with a body that computes it. Only the first
/// such claim of an operator is used.
void AddCallee(const IRModule& module, const ExternalFunction& external, const OpCall& call,
               const OpInfo& info, ConstantUpdate& update);

/// Replaces the constant number `index` by `bytes` of type `dtype`, in one dimension. Its name ends
/// in `suffix`.
UpdatedConstant& AddConstant(const ExternalFunction& external, int index, std::string_view suffix,
                             DataType dtype, std::vector<uint8_t> bytes, ConstantUpdate& update);

}  // namespace tenon

#endif  // TENON_BYOC_GENERATORS_OPERATOR_UPDATER_H_
