#ifndef TENON_BYOC_GENERATORS_BLAS_UPDATER_H_
#define TENON_BYOC_GENERATORS_BLAS_UPDATER_H_

#include "byoc/generators/operator_updater.h"

namespace tenon {

/// Turns constants of external functions into matrices for BLAS. The operators that read them get
/// claims and bodies for the new layout, so the results of the module do not change. A second
/// update changes nothing.
class BlasUpdater : public OperatorUpdater {
 public:
  std::string_view name() const override { return "blas"; }
  std::optional<ConstantUpdate> UpdateIn(const IRModule& module, const Function& function,
                                         std::span<const FunctionConstant> constants,
                                         Diagnostics& diagnostics) const override;
};

}  // namespace tenon

#endif  // TENON_BYOC_GENERATORS_BLAS_UPDATER_H_
