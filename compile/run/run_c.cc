#include <memory>

#include "compile/run/run.h"
#include "compile/run/run_entry.h"

namespace tenon {

bool RunCompiledC(const IRModule& module, const EntrySignature& signature,
                  const CompileOptions& compile, const CEngineOptions& engine_options,
                  TensorValues& values, Runs& runs, Diagnostics& diagnostics) {
  const std::optional<CompiledC> compiled = CompileToC(module, compile, diagnostics);
  if (!compiled) return false;
  const absl::StatusOr<std::unique_ptr<CEngine>> engine =
      CEngine::Build(compiled->c, engine_options);
  if (!engine.ok()) {
    diagnostics.Error(DiagnosticKind::kRun, {}, std::string(engine.status().message()));
    return false;
  }
  const CEngine& code = **engine;
  using Fields = EntryCode::Fields;
  return RunEntry(compiled->c, compiled->planned.converted, signature,
                  {[&](std::span<void*> inputs, std::span<void*> outputs, Fields pools) {
                     code.Map(inputs, outputs, pools);
                   },
                   [&](Fields inputs, Fields outputs, Fields pools) {
                     return code.Run(inputs, outputs, pools);
                   },
                   [&](Fields pools) { return code.Init(pools); }},
                  values, runs, diagnostics);
}

}  // namespace tenon
