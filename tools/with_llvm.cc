#include <functional>

#include "driver/run_entry.h"
#include "ir/memory_pools.h"
#include "lowering/llvm/jit.h"
#include "runtime/tenon_parallel.h"
#include "tools/llvm_tools.h"

namespace tenon {

namespace {

/// Constants stay out of pools unless somebody asks for these: a pool of constants is made of
/// copies, while code in memory can use them where they are.
CompileOptions WithoutConstantPool(const IRModule& module, CompileOptions options) {
  const bool has_pools = !options.workspace_pools.empty() || !options.constant_pools.empty() ||
                         !options.pools_file.empty() ||
                         module.attrs()->Find("workspace_memory_pools") != nullptr ||
                         module.attrs()->Find("constant_memory_pools") != nullptr;
  if (!has_pools) options.workspace_pools = std::string(kDefaultWorkspacePool);
  return options;
}

bool RunJit(const IRModule& module, const EntrySignature& signature, const CompileOptions& compile,
            EmitLlvmOptions options, TensorValues& values, Runs& runs, int threads,
            Diagnostics& diagnostics) {
  const auto fail = [&](const absl::Status& status) {
    diagnostics.Error(DiagnosticKind::kRun, {}, std::string(status.message()));
    return false;
  };
  const absl::StatusOr<std::unique_ptr<Jit>> jit = Jit::Create(options.target, options.opt_level);
  if (!jit.ok()) return fail(jit.status());
  if (threads > 1) {
    const absl::Status defined =
        (*jit)->Define("tenon_parallel_for", reinterpret_cast<void*>(&tenon_parallel_for));
    if (!defined.ok()) return fail(defined);
    tenon_parallel_start(threads);
  }
  CompileOptions planned = WithoutConstantPool(module, compile);
  planned.llvm_level = options.opt_level;
  planned.vector_bytes = VectorBytes(options.target);
  const std::optional<CompiledForLlvm> compiled = CompileForLlvm(module, planned, diagnostics);
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
  using InitPools = int32_t (*)(const void*);
  using InitNothing = int32_t (*)();
  std::function<int32_t(Fields)> init;
  if (interface.has_init) {
    const absl::StatusOr<void*> found = (*jit)->Lookup(interface.prefix + "_init");
    if (!found.ok()) return fail(found.status());
    init = [address = *found](Fields pools) {
      return pools.empty() ? reinterpret_cast<InitNothing>(address)()
                           : reinterpret_cast<InitPools>(address)(pools.data());
    };
  }
  const bool ok = RunEntry(interface, compiled->planned.converted, signature,
                           {[&](std::span<void*> inputs, std::span<void*> outputs, Fields pools) {
                              CallMaps(maps[0], maps[1], interface, inputs, outputs, pools);
                            },
                            [&](Fields inputs, Fields outputs, Fields pools) {
                              return CallRun(*run, interface.input_mapped, interface.output_mapped,
                                             inputs, outputs, pools);
                            },
                            init},
                           values, runs, diagnostics);
  if (threads > 1) tenon_parallel_stop();
  return ok;
}

constexpr LlvmTools kTools = {CheckLlvmTarget, VectorBytes, EmitLlvm, RunJit};

}  // namespace

const LlvmTools* GetLlvmTools() { return &kTools; }

}  // namespace tenon
