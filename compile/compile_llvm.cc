#include "compile/compile.h"
#include "lowering/big_endian.h"
#include "passes/pipeline/default_pipelines.h"

namespace tenon {

std::optional<CompiledForLlvm> CompileForLlvm(const IRModule& module, const CompileOptions& options,
                                              Diagnostics& diagnostics) {
  const CompileOptions aligned = WithVectorAlignment(module, options);
  std::optional<PlannedModule> planned = PlanModule(module, aligned, diagnostics);
  if (!planned) return std::nullopt;
  if (options.big_endian) {
    const absl::Status status = CheckBigEndian(planned->noted);
    if (!status.ok()) {
      diagnostics.Error(DiagnosticKind::kUnsupported, {}, std::string(status.message()));
      return std::nullopt;
    }
  }
  std::optional<IRModule> lowered =
      RunPipeline(planned->converted, LowerForLlvm(), options.run, diagnostics);
  if (!lowered) return std::nullopt;
  EmitCOptions emit;
  emit.module_name = options.module_name;
  emit.workspace_alignment = aligned.workspace_alignment;
  emit.constant_alignment = aligned.constant_alignment;
  emit.parallel = options.parallel;
  std::optional<EmittedC> interface = EmitCInterface(*lowered, emit, diagnostics);
  if (!interface || diagnostics.has_errors()) return std::nullopt;
  return CompiledForLlvm{*std::move(planned), *std::move(lowered), *std::move(interface)};
}

}  // namespace tenon
