#ifndef TENON_BYOC_GENERATORS_C_UPDATER_H_
#define TENON_BYOC_GENERATORS_C_UPDATER_H_

#include "byoc/generators/operator_updater.h"

namespace tenon {

/// Stores constants of 16 bits in 8 bits if all of their values fit. Vectors then have more
/// elements, and products of 8-bit integers are faster. The operators that read these constants get
/// claims and bodies for the new type. A second update changes nothing.
class CUpdater : public OperatorUpdater {
 public:
  std::string_view name() const override { return "c"; }
  std::optional<ConstantUpdate> UpdateIn(const IRModule& module, const Function& function,
                                         std::span<const FunctionConstant> constants,
                                         Diagnostics& diagnostics) const override;
};

}  // namespace tenon

#endif  // TENON_BYOC_GENERATORS_C_UPDATER_H_
