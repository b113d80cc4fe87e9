#include "printer/sidecar.h"

#include <algorithm>

#include "ir/constant_file.h"
#include "printer/constant_plan.h"

namespace tenon {

namespace {

/// Whether the side file has the constant.
bool GoesAside(const ConstantPlan::Entry& entry) {
  return entry.form == ConstantPlan::Form::kFile && !entry.tensor;
}

}  // namespace

int64_t CountSidecarConstants(const IRModule& module, const PrintOptions& options) {
  const ConstantPlan plan(module, options);
  return std::count_if(plan.entries().begin(), plan.entries().end(), GoesAside);
}

absl::Status WriteSidecar(const IRModule& module, const PrintOptions& options,
                          std::string_view path) {
  const ConstantPlan plan(module, options);
  std::vector<NamedConstant> constants;
  for (const ConstantPlan::Entry& entry : plan.entries()) {
    if (GoesAside(entry)) constants.push_back({entry.name, entry.constant});
  }
  return constants.empty() ? absl::OkStatus() : WriteConstants(path, constants);
}

}  // namespace tenon
