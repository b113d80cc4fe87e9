#ifndef TENON_PASSES_PIPELINE_KEPT_INTERFACE_H_
#define TENON_PASSES_PIPELINE_KEPT_INTERFACE_H_

#include <string_view>
#include <vector>

#include "ir/analysis/entry_signature.h"
#include "ir/module.h"
#include "support/diagnostics.h"

namespace tenon {

/// The inputs and outputs of a module's entry: their order, names, and roles. They are read before
/// the first pass of a pipeline, and every pass keeps them, whatever it proves about the
/// statements. Applications call the code by them.
class KeptInterface {
 public:
  explicit KeptInterface(const IRModule& module);

  /// Called after a pass that changed `module`. If the statements no longer show which tensors are
  /// outputs, the entry gets the attribute attr_key::kOutputs. False, with a diagnostic, if tensors
  /// were lost, added, renamed or moved. With `may_differ`, that is not an error: tensors that keep
  /// their names also keep their roles.
  bool Keep(IRModule& module, std::string_view pass, bool may_differ, Diagnostics& diagnostics);

 private:
  const EntryTensor* Find(std::string_view name) const;

  /// Empty if the module has no entry.
  std::string_view entry_;
  std::vector<EntryTensor> tensors_;
};

}  // namespace tenon

#endif  // TENON_PASSES_PIPELINE_KEPT_INTERFACE_H_
