#ifndef TENON_IR_ANALYSIS_EXTERN_USES_H_
#define TENON_IR_ANALYSIS_EXTERN_USES_H_

#include <span>
#include <string>
#include <vector>

#include "ir/module.h"
#include "support/diagnostics.h"

namespace tenon {

/// A function outside the module that the module's code calls.
struct ExternUse {
  /// The name in generated code.
  std::string symbol;
  /// The first call, or the entry function if its code calls the function before the first run.
  SourceRange range;
};

/// The functions outside the module that it calls, in the order of their first calls.
std::vector<ExternUse> ExternUses(const IRModule& module);

/// Those of `uses` that may have effects on the machine: all but the mathematical and the memory
/// functions of the C library (ir/library_functions.h), and those that `allowed` names. A module
/// may name any function of the process that runs its code, so engines ask (docs/trust.md).
std::vector<ExternUse> UntrustedExterns(std::vector<ExternUse> uses,
                                        std::span<const std::string> allowed);

/// The error for a call that no option of the user allows.
void ReportUntrusted(const ExternUse& use, Diagnostics& diagnostics);

}  // namespace tenon

#endif  // TENON_IR_ANALYSIS_EXTERN_USES_H_
