#ifndef TENON_IR_ANALYSIS_ENTRY_STEPS_H_
#define TENON_IR_ANALYSIS_ENTRY_STEPS_H_

#include <string>
#include <vector>

#include "ir/module.h"

namespace tenon {

/// An operator of a model: a statement of the entry function that calls a function, or a loop nest
/// or a store outside of all calls.
struct EntryStep {
  const Stmt* stmt = nullptr;
  /// The called function. Empty for a loop nest, a store, and a builtin.
  std::string name;
};

/// The operators of an entry in the order of the text. A call of
/// kDebugTensorFunction does not count.
std::vector<EntryStep> EntrySteps(const IRModule& module, const Function& entry);

}  // namespace tenon

#endif  // TENON_IR_ANALYSIS_ENTRY_STEPS_H_
