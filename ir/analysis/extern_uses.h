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
  /// False for the mathematical and the memory functions of the C library, and for LLVM's
  /// intrinsics of the same meaning (ir/library_functions.h).
  bool may_affect_machine = true;
  /// The first call, or the entry function if its code calls the function before the first run.
  SourceRange range;
  /// It is the function of a code generator's answer, whose files or libraries must define it.
  bool is_generated = false;
};

/// The functions outside the module that it calls, in the order of their first calls.
std::vector<ExternUse> ExternUses(const IRModule& module);

/// The uses of functions that may affect the machine and that `allowed` does not name. A module may
/// call any function of the process that runs its code, so engines ask the user
/// (docs/reference/trust.md).
std::vector<ExternUse> UntrustedExterns(std::vector<ExternUse> uses,
                                        std::span<const std::string> allowed);

/// The error for a call that no option of the user allows.
void ReportUntrusted(const ExternUse& use, Diagnostics& diagnostics);

}  // namespace tenon

#endif  // TENON_IR_ANALYSIS_EXTERN_USES_H_
