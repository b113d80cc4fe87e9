#include "driver/run_entry.h"
#include "lowering/llvm/jit.h"
#include "tools/llvm_tools.h"

namespace tenon {

namespace {

bool RunJit(const IRModule& module, const EntrySignature& signature, const CompileOptions& compile,
            EmitLlvmOptions options, TensorValues& values, int64_t repeat,
            Diagnostics& diagnostics) {
  const auto fail = [&](const absl::Status& status) {
    diagnostics.Error(DiagnosticKind::kRun, {}, std::string(status.message()));
    return false;
  };
  const absl::StatusOr<std::unique_ptr<Jit>> jit = Jit::Create(options.target, options.opt_level);
  if (!jit.ok()) return fail(jit.status());
  const std::optional<CompiledForLlvm> compiled = CompileForLlvm(module, compile, diagnostics);
  if (!compiled) return false;
  const EmittedC& interface = compiled->interface;
  options.prefix = interface.prefix;
  if (!(*jit)->Add(compiled->lowered, options, diagnostics)) return false;
  const absl::StatusOr<void*> run = (*jit)->Lookup(interface.prefix + "_run");
  if (!run.ok()) return fail(run.status());
  void* maps[2] = {};
  for (const bool outputs : {false, true}) {
    bool is_mapped = false;
    for (const bool flag : outputs ? interface.output_mapped : interface.input_mapped)
      is_mapped |= flag;
    if (!is_mapped) continue;
    const absl::StatusOr<void*> map =
        (*jit)->Lookup(interface.prefix + (outputs ? "_map_outputs" : "_map_inputs"));
    if (!map.ok()) return fail(map.status());
    maps[outputs ? 1 : 0] = *map;
  }
  using Fields = EntryCode::Fields;
  return RunEntry(interface, compiled->planned.converted, signature,
                  {[&](std::span<void*> inputs, std::span<void*> outputs, Fields pools) {
                     CallMaps(maps[0], maps[1], interface, inputs, outputs, pools);
                   },
                   [&](Fields inputs, Fields outputs, Fields pools) {
                     return CallRun(*run, interface.input_mapped, interface.output_mapped, inputs,
                                    outputs, pools);
                   }},
                  values, repeat, diagnostics);
}

constexpr LlvmTools kTools = {CheckLlvmTarget, EmitLlvm, RunJit};

}  // namespace

const LlvmTools* GetLlvmTools() { return &kTools; }

}  // namespace tenon
