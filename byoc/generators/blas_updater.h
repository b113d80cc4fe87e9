#ifndef TENON_BYOC_GENERATORS_BLAS_UPDATER_H_
#define TENON_BYOC_GENERATORS_BLAS_UPDATER_H_

#include "byoc/generators/operator_updater.h"

namespace tenon {

/// Lays out the constants of external functions as matrices that BLAS takes. The operators that
/// read them get claims and bodies that know the new layout, so that the module computes what it
/// did. A second update changes nothing.
class BlasUpdater : public OperatorUpdater {
 public:
  std::string_view name() const override { return "blas"; }
  std::optional<ConstantUpdate> UpdateIn(const IRModule& module, const Function& function,
                                         std::span<const FunctionConstant> constants,
                                         Diagnostics& diagnostics) const override;
};

}  // namespace tenon

#endif  // TENON_BYOC_GENERATORS_BLAS_UPDATER_H_
