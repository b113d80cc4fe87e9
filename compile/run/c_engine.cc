#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compile/compiler.h"
#include "compile/run/c_library.h"
#include "compile/run/engine.h"
#include "compile/run/external_checker.h"
#include "compile/run/run_entry.h"
#include "ir/analysis/extern_uses.h"
#include "ir/external_code.h"
#include "lowering/c/c_backend.h"
#include "support/programs.h"
#include "support/status_macros.h"

namespace tenon {

namespace {

/// A loaded library. The folder that it was compiled in is removed before the code runs, which may
/// end the process in any way, unless the code opens its constants there.
struct CompiledLibrary {
  std::optional<TemporaryFolder> folder;
  std::unique_ptr<CLibrary> code;
};

absl::StatusOr<CompiledLibrary> BuildAndLoad(const Artifacts& artifacts,
                                             const EngineOptions& options) {
  TENON_ASSIGN_OR(TemporaryFolder folder, TemporaryFolder::Create());
  TENON_TRY(BuildCLibrary(artifacts, {options.cc, options.cflags}, folder.path()));
  const Function* entry = artifacts.planned[0].converted.Main();
  const bool has_externals = entry != nullptr && !ReadExternalInits(*entry->func).empty();
  TENON_ASSIGN_OR(std::unique_ptr<CLibrary> library,
                  CLibrary::Load(folder.File("model.so"), artifacts.units[0].abi, has_externals,
                                 options.threads));
  if (!artifacts.checks.empty()) TENON_TRY(library->SetChecks());
  CompiledLibrary compiled{std::nullopt, std::move(library)};
  if (artifacts.units[0].constant_storage == ConstantStorage::kFile)
    compiled.folder = std::move(folder);
  return compiled;
}

class CompiledModel : public RunnableModel {
 public:
  CompiledModel(PlannedModule planned, EntrySignature signature, CompiledLibrary compiled,
                std::vector<ExternalCheck> checks, const EngineOptions& options)
      : planned_(std::move(planned)),
        signature_(std::move(signature)),
        compiled_(std::move(compiled)),
        has_checks_(!checks.empty()),
        checker_(std::move(checks), options.compile.externals.notes_fallback),
        is_timed_(options.compile.externals.use == ExternalsUse::kTime),
        on_compared_(OnCompared(options)) {}

  bool Run(TensorValues& values, Runs& runs, Diagnostics& diagnostics) override {
    const ExternalChecker::Scope scope(checker_);
    runs.external = is_timed_ ? &checker_.external_milliseconds() : nullptr;
    const CLibrary& library = *compiled_.code;
    return RunEntry(library.abi(), planned_.converted, signature_, library.Code(), values, runs,
                    diagnostics) &&
           checker_.Report(diagnostics, on_compared_);
  }

  bool CanOpen() const override { return !has_checks_; }
  std::optional<ModelCall> Open(Diagnostics& diagnostics) override {
    const CLibrary& library = *compiled_.code;
    return ModelCall::Open(library.abi(), planned_.converted, library.Code(), diagnostics);
  }

 private:
  PlannedModule planned_;
  EntrySignature signature_;
  CompiledLibrary compiled_;
  /// Checks report to the checker, which only Run reads.
  bool has_checks_;
  ExternalChecker checker_;
  bool is_timed_;
  std::function<void(const std::string&)> on_compared_;
};

/// Reports the error, unless it is that an external function is undefined: then its calls.
void ReportFailure(const absl::Status& status, const Artifacts& artifacts,
                   const std::vector<ExternUse>& untrusted, Diagnostics& diagnostics) {
  const std::string message(status.message());
  bool is_undefined = false;
  for (const ExternUse& use : untrusted) {
    if (message.find("undefined symbol: " + use.symbol) == std::string::npos) continue;
    ReportUntrusted(use, diagnostics);
    is_undefined = true;
  }
  if (is_undefined) return;
  const DiagnosticKind kind = IsMissingLibrary(status, artifacts.link)
                                  ? DiagnosticKind::kMissingLibrary
                                  : DiagnosticKind::kRun;
  diagnostics.Error(kind, {}, message);
}

std::unique_ptr<RunnableModel> LoadModel(const IRModule& module, const EntrySignature& signature,
                                         const EngineOptions& options, Diagnostics& diagnostics) {
  const CompileUnit unit = {&module, {}, {}};
  CompileOptions compile = options.compile;
  compile.is_for_this_machine = true;
  std::optional<Artifacts> artifacts = Compile({&unit, 1}, compile, CBackend(), diagnostics);
  if (!artifacts) return nullptr;
  absl::StatusOr<CompiledLibrary> compiled = BuildAndLoad(*artifacts, options);
  const std::vector<ExternUse> untrusted =
      UntrustedExterns(artifacts->externs, options.allowed_externs);
  if (!compiled.ok()) {
    ReportFailure(compiled.status(), *artifacts, untrusted, diagnostics);
    return nullptr;
  }
  bool is_trusted = true;
  for (const ExternUse& use : untrusted) {
    if (compiled->code->Gives(use.symbol)) continue;
    ReportUntrusted(use, diagnostics);
    is_trusted = false;
  }
  if (!is_trusted) return nullptr;
  if (options.on_externals && !artifacts->byoc.empty()) options.on_externals(artifacts->byoc[0]);
  return std::make_unique<CompiledModel>(std::move(artifacts->planned[0]), signature,
                                         *std::move(compiled), std::move(artifacts->checks),
                                         options);
}

constexpr Engine kCEngine = {"c", "compiles the C of the module with --cc, and runs it",
                             "compiling and running the C", LoadModel};

}  // namespace

const Engine& CEngine() { return kCEngine; }

}  // namespace tenon
