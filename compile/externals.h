#ifndef TENON_COMPILE_EXTERNALS_H_
#define TENON_COMPILE_EXTERNALS_H_

#include <optional>
#include <string_view>
#include <vector>

#include "byoc/byoc_report.h"
#include "byoc/check_externals.h"
#include "byoc/code_generator.h"
#include "compile/options.h"
#include "ir/module.h"
#include "lowering/external_files.h"
#include "report/report.h"
#include "support/diagnostics.h"

// How operators get to external code generators: regions are found, cut out, and given away. What
// is left, the host, is compiled as any module.

namespace tenon {

/// A module whose external functions have code of their own.
struct ExternalModule {
  /// Without them: what planning and back ends take.
  IRModule host;
  /// With them and their bodies, before anything else is done: what the interpreter runs. It is the
  /// text to keep: compiled again, it gives the same program.
  IRModule partitioned;
  /// The functions with bodies that `host` only declares.
  std::vector<Function> externals;
  ExternalFiles files;
  /// The alignment of the external functions' scratch memory.
  int64_t workspace_alignment = 1;
  /// The comparisons in the host's code, with ExternalsUse::kBoth.
  std::vector<ExternalCheck> checks;
  /// The target of each operator. Empty where no targets are named.
  ByocReport report;

  explicit ExternalModule(const IRModule& module) : host(module), partitioned(module) {}
};

/// Finds regions for the targets of the options, makes them functions, and has their code
/// generated. Without targets this is done for functions that the module gives to a generator that
/// is there (`Compiler`). Passes run in this order: recognise-ops, annotate-targets, merge-regions,
/// partition, hoist-constants of operators, update-constants, hoist-constants of external
/// functions; then each generator is asked once.
///
/// A planned module keeps the regions that it has. A target that takes nothing is a warning. A
/// generator that fails is an error, or with ExternalsOptions::falls_back a warning: its regions go
/// to their next target, or back into their callers. Recognition and partition are not done again;
/// the constants of regions are, and the generators that have more to do now are asked again.
/// Symbols of external functions have `name` in them, and that of their first target. `host` is how
/// the rest is compiled, as far as it is known. Nullopt after an error.
std::optional<ExternalModule> MakeExternals(const IRModule& module, const CompileOptions& options,
                                            std::string_view name, Diagnostics& diagnostics,
                                            HostFacts host = {}, const TargetVectors& vectors = {});

/// The report's operators, as a report on memory shows them.
std::vector<ReportOperator> ReportOperatorsOf(const ByocReport& report);

}  // namespace tenon

#endif  // TENON_COMPILE_EXTERNALS_H_
