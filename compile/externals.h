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

// The path of operators to external code generators: regions are found, cut out, and passed to the
// generators. The rest, the host, is compiled like any module.

namespace tenon {

/// A module whose external functions have separate code.
struct ExternalModule {
  /// The module without the external functions: the input of planning and back ends.
  IRModule host;
  /// The module with the external functions and their bodies, before any other pass; the
  /// interpreter runs it. Compiling its text again gives the same program.
  IRModule partitioned;
  /// The functions with bodies that `host` only declares.
  std::vector<Function> externals;
  ExternalFiles files;
  /// External code generators made some of `files`; the user may have added others.
  bool has_generated_files = false;
  /// The alignment of the external functions' scratch memory.
  int64_t workspace_alignment = 1;
  /// With ExternalsUse::kBoth: the comparisons in the host's code.
  std::vector<ExternalCheck> checks;
  /// The target of each operator. Empty if no targets are named.
  ByocReport report;

  explicit ExternalModule(const IRModule& module) : host(module), partitioned(module) {}
};

/// Finds regions for the targets of the options, turns them into functions, and generates their
/// code. Without targets, this applies to functions that the module assigns to an available
/// generator (`Compiler`). Passes run in this order: narrow-storage{signed=true} if a target wants
/// it, recognise-ops, split-ops if a target wants it, annotate-targets, merge-regions, partition,
/// hoist-constants of operators, update-constants, hoist-constants of external functions. Then each
/// generator is called once.
///
/// A planned module keeps its regions. A target without operators gives a warning. A failing
/// generator is an error, or with ExternalsOptions::falls_back a warning: its regions go to their
/// next target, or back into their callers. Recognition and partition are not repeated. The
/// constants of regions are packed again, and generators with more regions are called again.
/// Symbols of external functions contain `name` and the function's first target. `host` describes
/// how the rest is compiled, as far as known. Nullopt after an error. Warnings also have
/// WarnOfUnaskedGenerators.
std::optional<ExternalModule> MakeExternals(const IRModule& module, const CompileOptions& options,
                                            std::string_view name, Diagnostics& diagnostics,
                                            HostFacts host = {}, const TargetVectors& vectors = {});

/// A warning for each generator that the user gave (CodeGenerators::given) and that no target and
/// no function names.
void WarnOfUnaskedGenerators(const IRModule& module, const CompileOptions& options,
                             Diagnostics& diagnostics);

/// The report's operators, as a report on memory shows them.
std::vector<ReportOperator> ReportOperatorsOf(const ByocReport& report);

/// The module whose entry does not initialise external functions: for engines that run bodies.
IRModule WithoutInits(const IRModule& module);

}  // namespace tenon

#endif  // TENON_COMPILE_EXTERNALS_H_
