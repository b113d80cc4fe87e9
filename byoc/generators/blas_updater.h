#ifndef TENON_BYOC_GENERATORS_BLAS_UPDATER_H_
#define TENON_BYOC_GENERATORS_BLAS_UPDATER_H_

#include "passes/constants/constant_updater.h"

namespace tenon {

/// Lays out the constants of external functions as matrices that BLAS takes. The operators that
/// read them get claims and bodies that know the new layout, so that the module computes what it
/// did. A second update changes nothing.
class BlasUpdater : public ConstantUpdater {
 public:
  std::string_view name() const override { return "blas"; }
  /// Without the operators nothing is known of the constants: they stay.
  std::optional<ConstantUpdate> Update(const Function&, std::span<const FunctionConstant>,
                                       Diagnostics&) const override {
    return ConstantUpdate();
  }
  std::optional<ConstantUpdate> UpdateIn(const IRModule& module, const Function& function,
                                         std::span<const FunctionConstant> constants,
                                         Diagnostics& diagnostics) const override;
};

}  // namespace tenon

#endif  // TENON_BYOC_GENERATORS_BLAS_UPDATER_H_
