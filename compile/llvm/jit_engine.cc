#include "compile/llvm/jit_engine.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compile/compiler.h"
#include "compile/run/external_checker.h"
#include "compile/run/given_functions.h"
#include "compile/run/run_entry.h"
#include "ir/analysis/extern_uses.h"
#include "ir/memory_pools.h"
#include "lowering/llvm/jit.h"
#include "lowering/llvm/llvm_backend.h"
#include "runtime/tenon_parallel.h"
#include "support/programs.h"
#include "support/status_macros.h"

namespace tenon {

namespace {

/// A pool of threads for parallel loops, which ends with this object.
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

/// Calls a map function, which may be null, on the fields of its struct.
void CallMap(void* map, std::span<void*> fields, EntryCode::Fields pools) {
  using MapPools = int32_t (*)(void**, const void*);
  using MapNothing = int32_t (*)(void**);
  if (map == nullptr) return;
  pools.empty() ? reinterpret_cast<MapNothing>(map)(fields.data())
                : reinterpret_cast<MapPools>(map)(fields.data(), pools.data());
}

/// The functions of the interface in generated in-memory code. `abi` outlives the result.
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
  code.map = [maps](std::span<void*> inputs, std::span<void*> outputs, Fields pools) {
    CallMap(maps[0], inputs, pools);
    CallMap(maps[1], outputs, pools);
  };
  code.run = [run = *run, &abi](Fields inputs, Fields outputs, Fields pools) {
    return CallRun(run, abi, inputs, outputs, pools);
  };
  if (!abi.has_init) return code;
  const absl::StatusOr<void*> init = jit.Lookup(abi.prefix + "_init");
  if (!init.ok()) return init.status();
  if (const absl::StatusOr<void*> message = jit.Lookup(kExternalMessage); message.ok())
    code.message = reinterpret_cast<const char* (*)()>(*message);
  code.init = [address = *init](Fields pools) {
    using InitPools = int32_t (*)(const void*);
    using InitNothing = int32_t (*)();
    return pools.empty() ? reinterpret_cast<InitNothing>(address)()
                         : reinterpret_cast<InitPools>(address)(pools.data());
  };
  return code;
}

/// Code of external code generators, compiled and loaded into the process, and the libraries that
/// it and calls in TIR need.
class LoadedExternals {
 public:
  LoadedExternals() = default;
  ~LoadedExternals() {
    for (void* handle : handles_) dlclose(handle);
  }
  LoadedExternals(const LoadedExternals&) = delete;
  LoadedExternals& operator=(const LoadedExternals&) = delete;

  absl::Status Load(Jit& jit, const LoweredModule& lowered, const std::vector<std::string>& cc) {
    const ExternalFiles& files = lowered.external.files;
    if (!lowered.external.checks.empty()) {
      for (const auto& [name, address] : ExternalChecker::Functions())
        TENON_TRY(jit.Define(name, address));
    }
    if (files.empty()) return absl::OkStatus();
    TENON_ASSIGN_OR(TemporaryFolder made, TemporaryFolder::Create());
    folder_.emplace(std::move(made));
    TENON_TRY(LoadLibraries(files.link, cc));
    if (!files.sources.empty() || !files.objects.empty()) {
      const std::string path = folder_->File("externals.so");
      TENON_ASSIGN_OR(const std::vector<std::string> flags,
                      CompilerFlags(cc, lowered.options.target, lowered.options.code));
      TENON_TRY(BuildSharedObject(cc, flags, files, folder_->path(), path));
      TENON_TRY(Open(path, RTLD_NOW | RTLD_LOCAL).status());
    }
    return DefineFunctions(jit, lowered.lowered);
  }

 private:
  /// Defines the functions outside the module that the loaded files have. The last file has
  /// precedence.
  absl::Status DefineFunctions(Jit& jit, const IRModule& module) const {
    for (const ExternUse& use : ExternUses(module)) {
      for (auto handle = handles_.rbegin(); handle != handles_.rend(); ++handle) {
        void* const address = FindGivenFunction(*handle, use.symbol);
        if (address == nullptr) continue;
        TENON_TRY(jit.Define(use.symbol, address));
        break;
      }
    }
    return absl::OkStatus();
  }

  absl::StatusOr<void*> Open(const std::string& path, int flags) {
    void* const handle = dlopen(path.c_str(), flags);
    if (handle != nullptr) {
      handles_.push_back(handle);
      return handle;
    }
    const char* why = dlerror();
    return absl::FailedPreconditionError(
        fmt::format("cannot load `{}`: {}", path, why == nullptr ? "no reason given" : why));
  }

  /// Adds the symbols of libraries to the process, where LLVM looks. A C compiler finds libraries
  /// that the loader does not find by name.
  absl::Status LoadLibraries(const LinkNeeds& needs, const std::vector<std::string>& cc) {
    bool all = needs.packages.empty();
    for (const std::string& library : needs.libraries) {
      std::vector<std::string> paths;
      for (const std::string& folder : needs.library_folders)
        paths.push_back(fmt::format("{}/lib{}.so", folder, library));
      paths.push_back(fmt::format("lib{}.so", library));
      all &= std::any_of(paths.begin(), paths.end(), [&](const std::string& path) {
        return Open(path, RTLD_NOW | RTLD_GLOBAL).ok();
      });
    }
    if (all) return absl::OkStatus();
    ExternalFiles files;
    files.sources.push_back({"libraries.c", "extern int tenon_nothing;\n"});
    files.link = needs;
    const std::string path = folder_->File("libraries.so");
    TENON_TRY(BuildSharedObject(cc, {}, files, folder_->path(), path));
    return Open(path, RTLD_NOW | RTLD_GLOBAL).status();
  }

  std::optional<TemporaryFolder> folder_;
  std::vector<void*> handles_;
};

class JitModel : public RunnableModel {
 public:
  JitModel(std::unique_ptr<Jit> jit, LoweredModule lowered, EntrySignature signature,
           const EngineOptions& options)
      : jit_(std::move(jit)),
        lowered_(std::move(lowered)),
        signature_(std::move(signature)),
        pool_(*jit_, options.threads),
        checker_(lowered_.external.checks, options.compile.externals.notes_fallback),
        is_timed_(options.compile.externals.use == ExternalsUse::kTime),
        on_compared_(OnCompared(options)) {}

  bool Add(const EngineOptions& engine, Diagnostics& diagnostics) {
    for (const std::string& symbol : engine.allowed_externs) jit_->Allow(symbol);
    const absl::Status loaded = externals_.Load(*jit_, lowered_, SplitBlanks(engine.cc));
    if (!loaded.ok()) {
      const bool is_missing = IsMissingLibrary(loaded, lowered_.external.files.link);
      diagnostics.Error(is_missing ? DiagnosticKind::kMissingLibrary : DiagnosticKind::kRun, {},
                        std::string(loaded.message()));
      return false;
    }
    EmitLlvmOptions options;
    static_cast<CodeOptions&>(options) = lowered_.options.code;
    options.target = lowered_.options.target;
    options.workspace_alignment = lowered_.options.workspace_alignment;
    options.constant_alignment = lowered_.options.constant_alignment;
    options.prefix = lowered_.interface.abi.prefix;
    options.returns_structs = false;
    if (!pool_.status().ok()) return Fail(pool_.status(), diagnostics);
    return jit_->Add(lowered_.lowered, options, diagnostics);
  }

  bool Run(TensorValues& values, Runs& runs, Diagnostics& diagnostics) override {
    const std::optional<EntryCode> code = LookUp(diagnostics);
    if (!code) return false;
    const ExternalChecker::Scope scope(checker_);
    runs.external = is_timed_ ? &checker_.external_milliseconds() : nullptr;
    return RunEntry(lowered_.interface.abi, lowered_.planned.converted, signature_, *code, values,
                    runs, diagnostics) &&
           checker_.Report(diagnostics, on_compared_);
  }

  /// Checks report to the checker, which only Run reads.
  bool CanOpen() const override { return lowered_.external.checks.empty(); }
  std::optional<ModelCall> Open(Diagnostics& diagnostics) override {
    std::optional<EntryCode> code = LookUp(diagnostics);
    if (!code) return std::nullopt;
    return ModelCall::Open(lowered_.interface.abi, lowered_.planned.converted, *std::move(code),
                           diagnostics);
  }

 private:
  /// The functions of the code, which compiles them. Nullopt after an error.
  std::optional<EntryCode> LookUp(Diagnostics& diagnostics) {
    absl::StatusOr<EntryCode> code = LookUpEntry(*jit_, lowered_.interface.abi);
    if (code.ok()) return *std::move(code);
    std::string message(code.status().message());
    if (absl::IsNotFound(code.status()) && message.find("Symbols not found") != std::string::npos)
      message += kMissingFunction;
    Fail(absl::NotFoundError(message), diagnostics);
    return std::nullopt;
  }

  static bool Fail(const absl::Status& status, Diagnostics& diagnostics) {
    diagnostics.Error(DiagnosticKind::kRun, {}, std::string(status.message()));
    return false;
  }

  /// Destroyed after the code that calls it.
  LoadedExternals externals_;
  std::unique_ptr<Jit> jit_;
  LoweredModule lowered_;
  EntrySignature signature_;
  PoolOfThreads pool_;
  ExternalChecker checker_;
  bool is_timed_;
  std::function<void(const std::string&)> on_compared_;
};

/// Code in memory runs only on this machine, so its processor is the default.
CompileOptions ForThisMachine(CompileOptions options) {
  TargetSpec& target = options.target;
  if (target.triple.empty() && target.cpu.empty() && target.features.empty()) target.cpu = "native";
  return options;
}

std::unique_ptr<RunnableModel> Load(const IRModule& module, const EntrySignature& signature,
                                    const EngineOptions& options, Diagnostics& diagnostics) {
  const auto fail = [&](const absl::Status& status) {
    diagnostics.Error(DiagnosticKind::kRun, {}, std::string(status.message()));
    return nullptr;
  };
  const CompileOptions compile = ForThisMachine(options.compile);
  absl::StatusOr<std::unique_ptr<Jit>> jit = Jit::Create(compile.target, compile.code.opt_level);
  if (!jit.ok()) return fail(jit.status());
  Backend backend = LlvmBackend();
  backend.pools_constants = false;
  std::optional<LoweredModule> lowered = Lower({&module, {}, {}}, compile, backend, diagnostics);
  if (!lowered) return nullptr;
  if (options.on_externals) options.on_externals(lowered->external.report);
  auto model = std::make_unique<JitModel>(*std::move(jit), *std::move(lowered), signature, options);
  if (!model->Add(options, diagnostics)) return nullptr;
  return model;
}

constexpr Engine kEngine = {"jit", "compiles the module by LLVM, in memory, and runs it",
                            "compiling and running", Load};

}  // namespace

const Engine& JitEngine() { return kEngine; }

}  // namespace tenon
