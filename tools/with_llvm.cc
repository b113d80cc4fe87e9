#include <algorithm>
#include <array>
#include <functional>
#include <vector>

#include "compile/run/run_entry.h"
#include "ir/attributes.h"
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
                         module.attrs()->Find(attr_key::kWorkspaceMemoryPools) != nullptr ||
                         module.attrs()->Find(attr_key::kConstantMemoryPools) != nullptr;
  if (!has_pools) options.workspace_pools = std::string(kDefaultWorkspacePool);
  return options;
}

/// A pool of threads for parallel loops, gone with this.
class PoolOfThreads {
 public:
  PoolOfThreads(Jit& jit, int threads) : threads_(threads) {
    if (threads_ <= 1) return;
    status_ = jit.Define("tenon_parallel_for", reinterpret_cast<void*>(&tenon_parallel_for));
    if (status_.ok()) tenon_parallel_start(threads_);
  }
  ~PoolOfThreads() {
    if (threads_ > 1 && status_.ok()) tenon_parallel_stop();
  }
  PoolOfThreads(const PoolOfThreads&) = delete;
  PoolOfThreads& operator=(const PoolOfThreads&) = delete;
  const absl::Status& status() const { return status_; }

 private:
  int threads_;
  absl::Status status_;
};

using Fields = EntryCode::Fields;

/// The entry's code, by the names of its interface.
absl::StatusOr<EntryCode> LookUpEntry(Jit& jit, const EmittedC& interface) {
  const absl::StatusOr<void*> run = jit.Lookup(interface.prefix + "_run");
  if (!run.ok()) return run.status();
  std::array<void*, 2> maps = {};
  for (const bool outputs : {false, true}) {
    const std::vector<bool>& mapped = outputs ? interface.output_mapped : interface.input_mapped;
    if (std::find(mapped.begin(), mapped.end(), true) == mapped.end()) continue;
    const absl::StatusOr<void*> map =
        jit.Lookup(interface.prefix + (outputs ? "_map_outputs" : "_map_inputs"));
    if (!map.ok()) return map.status();
    maps[outputs ? 1 : 0] = *map;
  }
  EntryCode code;
  code.map = [maps, &interface](std::span<void*> inputs, std::span<void*> outputs, Fields pools) {
    CallMaps(maps[0], maps[1], interface, inputs, outputs, pools);
  };
  code.run = [run = *run, &interface](Fields inputs, Fields outputs, Fields pools) {
    return CallRun(run, interface.input_mapped, interface.output_mapped, inputs, outputs, pools);
  };
  if (!interface.has_init) return code;
  const absl::StatusOr<void*> init = jit.Lookup(interface.prefix + "_init");
  if (!init.ok()) return init.status();
  code.init = [address = *init](Fields pools) {
    using InitPools = int32_t (*)(const void*);
    using InitNothing = int32_t (*)();
    return pools.empty() ? reinterpret_cast<InitNothing>(address)()
                         : reinterpret_cast<InitPools>(address)(pools.data());
  };
  return code;
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
  const PoolOfThreads pool(**jit, threads);
  if (!pool.status().ok()) return fail(pool.status());
  CompileOptions looped = compile;
  looped.llvm_level = options.opt_level;
  UseVectors(VectorRegistersOf(options.target), looped);
  const CompileOptions planned = WithoutConstantPool(module, WithVectorAlignment(module, looped));
  options.workspace_alignment = planned.workspace_alignment;
  const std::optional<CompiledForLlvm> compiled = CompileForLlvm(module, planned, diagnostics);
  if (!compiled) return false;
  options.prefix = compiled->interface.prefix;
  if (!(*jit)->Add(compiled->lowered, options, diagnostics)) return false;
  const absl::StatusOr<EntryCode> code = LookUpEntry(**jit, compiled->interface);
  if (!code.ok()) return fail(code.status());
  return RunEntry(compiled->interface, compiled->planned.converted, signature, *code, values, runs,
                  diagnostics);
}

constexpr LlvmTools kTools = {CheckLlvmTarget, VectorRegistersOf, IsBigEndian, EmitLlvm, RunJit};

}  // namespace

const LlvmTools* GetLlvmTools() { return &kTools; }

}  // namespace tenon
