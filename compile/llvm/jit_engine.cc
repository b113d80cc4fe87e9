#include "compile/llvm/jit_engine.h"

#include <array>
#include <memory>
#include <utility>

#include "compile/compiler.h"
#include "compile/run/run_entry.h"
#include "ir/memory_pools.h"
#include "lowering/llvm/jit.h"
#include "lowering/llvm/llvm_backend.h"
#include "runtime/tenon_parallel.h"

namespace tenon {

namespace {

/// Constants stay out of pools unless the module or the options name pools: a pool of constants is
/// made of copies, while code in memory can use them where they are.
CompileOptions WithoutConstantPool(const IRModule& module, CompileOptions options) {
  if (!NamesPools(module, options)) options.workspace_pools = std::string(kDefaultWorkspacePool);
  return options;
}

/// A pool of threads for parallel loops, which ends with this.
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

/// The functions of the interface in code that was made in memory. `abi` outlives the result.
absl::StatusOr<EntryCode> LookUpEntry(Jit& jit, const EntryAbi& abi) {
  using Fields = EntryCode::Fields;
  const absl::StatusOr<void*> run = jit.Lookup(abi.prefix + "_run");
  if (!run.ok()) return run.status();
  std::array<void*, 2> maps = {};
  for (const bool is_output : {false, true}) {
    if (!abi.MapsAny(is_output)) continue;
    const absl::StatusOr<void*> map =
        jit.Lookup(abi.prefix + (is_output ? "_map_outputs" : "_map_inputs"));
    if (!map.ok()) return map.status();
    maps[is_output ? 1 : 0] = *map;
  }
  EntryCode code;
  code.map = [maps, &abi](std::span<void*> inputs, std::span<void*> outputs, Fields pools) {
    CallMaps(maps[0], maps[1], abi, inputs, outputs, pools);
  };
  code.run = [run = *run, &abi](Fields inputs, Fields outputs, Fields pools) {
    return CallRun(run, abi, inputs, outputs, pools);
  };
  if (!abi.has_init) return code;
  const absl::StatusOr<void*> init = jit.Lookup(abi.prefix + "_init");
  if (!init.ok()) return init.status();
  code.init = [address = *init](Fields pools) {
    using InitPools = int32_t (*)(const void*);
    using InitNothing = int32_t (*)();
    return pools.empty() ? reinterpret_cast<InitNothing>(address)()
                         : reinterpret_cast<InitPools>(address)(pools.data());
  };
  return code;
}

class JitModel : public RunnableModel {
 public:
  JitModel(std::unique_ptr<Jit> jit, LoweredModule lowered, EntrySignature signature, int threads)
      : jit_(std::move(jit)),
        lowered_(std::move(lowered)),
        signature_(std::move(signature)),
        pool_(*jit_, threads) {}

  bool Add(Diagnostics& diagnostics) {
    EmitLlvmOptions options;
    static_cast<CodeOptions&>(options) = lowered_.options.code;
    options.target = lowered_.options.target;
    options.workspace_alignment = lowered_.options.workspace_alignment;
    options.prefix = lowered_.interface.abi.prefix;
    if (!pool_.status().ok()) return Fail(pool_.status(), diagnostics);
    return jit_->Add(lowered_.lowered, options, diagnostics);
  }

  bool Run(TensorValues& values, Runs& runs, Diagnostics& diagnostics) override {
    const EntryAbi& abi = lowered_.interface.abi;
    const absl::StatusOr<EntryCode> code = LookUpEntry(*jit_, abi);
    if (!code.ok()) return Fail(code.status(), diagnostics);
    return RunEntry(abi, lowered_.planned.converted, signature_, *code, values, runs, diagnostics);
  }

 private:
  static bool Fail(const absl::Status& status, Diagnostics& diagnostics) {
    diagnostics.Error(DiagnosticKind::kRun, {}, std::string(status.message()));
    return false;
  }

  std::unique_ptr<Jit> jit_;
  LoweredModule lowered_;
  EntrySignature signature_;
  PoolOfThreads pool_;
};

std::unique_ptr<RunnableModel> Load(const IRModule& module, const EntrySignature& signature,
                                    const EngineOptions& options, Diagnostics& diagnostics) {
  const auto fail = [&](const absl::Status& status) {
    diagnostics.Error(DiagnosticKind::kRun, {}, std::string(status.message()));
    return nullptr;
  };
  const CompileOptions& compile = options.compile;
  absl::StatusOr<std::unique_ptr<Jit>> jit = Jit::Create(compile.target, compile.code.opt_level);
  if (!jit.ok()) return fail(jit.status());
  const absl::StatusOr<PlanTarget> target = PlanTargetOf(LlvmBackend(), compile);
  if (!target.ok()) return fail(target.status());
  const CompileOptions planned =
      WithoutConstantPool(module, WithVectorAlignment(module, compile, *target));
  std::optional<LoweredModule> lowered =
      LowerModule({&module, {}, {}}, planned, LlvmBackend(), *target, diagnostics);
  if (!lowered) return nullptr;
  auto model =
      std::make_unique<JitModel>(*std::move(jit), *std::move(lowered), signature, options.threads);
  if (!model->Add(diagnostics)) return nullptr;
  return model;
}

constexpr Engine kEngine = {"jit", "compiles the module by LLVM, in memory, and runs it",
                            "compiling and running", Load};

}  // namespace

const Engine& JitEngine() { return kEngine; }

}  // namespace tenon
