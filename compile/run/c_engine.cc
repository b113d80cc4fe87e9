#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>
#include <vector>

#include "compile/compiler.h"
#include "compile/run/engine.h"
#include "compile/run/external_checker.h"
#include "compile/run/run_entry.h"
#include "ir/analysis/model_entry.h"
#include "ir/external_code.h"
#include "lowering/c/c_backend.h"
#include "support/check.h"
#include "support/file.h"
#include "support/programs.h"
#include "support/status_macros.h"

namespace tenon {

namespace {

/// A message includes at most this many bytes of the compiler's messages.
constexpr size_t kMostOutput = 4000;

/// A name that no model uses.
constexpr std::string_view kMapFunction = "tenon_engine_map_tensors";

/// C that stores the structs of the map functions, which are returned by value, as lists of
/// pointers.
std::string MapSource(const EntryAbi& abi) {
  std::string out = fmt::format(
      "#include <string.h>\n#include \"{}.h\"\n"
      "#ifdef __cplusplus\nextern \"C\"\n#endif\n"
      "void {}(void** inputs, void** outputs, void* pools);\n"
      "void {}(void** inputs, void** outputs, void* pools) {{\n",
      abi.prefix, kMapFunction, kMapFunction);
  const std::string pools =
      abi.pools.empty() ? std::string()
                        : fmt::format("(struct {}_{}*)pools", abi.prefix, entry_struct::kPools);
  for (const bool is_output : {false, true}) {
    if (!abi.MapsAny(is_output)) continue;
    out += fmt::format(
        "  struct {0}_{1} {1}_ = {0}_map_{1}({2});\n  memcpy({1}, &{1}_, sizeof({1}_));\n",
        abi.prefix, entry_struct::OfTensors(is_output), pools);
  }
  return out + "  (void)inputs; (void)outputs; (void)pools;\n}\n";
}

bool MapsAny(const EntryAbi& abi) { return abi.MapsAny(false) || abi.MapsAny(true); }

/// Emitted C, compiled to a shared object in a temporary folder and loaded. The folder is removed
/// with this object.
class CLibrary {
 public:
  /// The error contains the compiler's messages.
  static absl::StatusOr<std::unique_ptr<CLibrary>> Build(const Artifacts& artifacts,
                                                         const EngineOptions& options) {
    if (!artifacts.units[0].abi.has_run)
      return absl::FailedPreconditionError("the generated C has no run function to call");
    std::unique_ptr<CLibrary> library(new CLibrary(artifacts.units[0]));
    const Function* entry = artifacts.planned[0].converted.Main();
    library->has_externals_ = entry != nullptr && !ReadExternalInits(*entry->func).empty();
    TENON_TRY(library->Compile(artifacts, options));
    TENON_TRY(library->Load(options.threads));
    TENON_TRY(library->SetChecks(!artifacts.checks.empty()));
    return library;
  }
  ~CLibrary() {
    if (stop_threads_ != nullptr) reinterpret_cast<void (*)()>(stop_threads_)();
    if (library_ != nullptr) dlclose(library_);
  }
  CLibrary(const CLibrary&) = delete;
  CLibrary& operator=(const CLibrary&) = delete;

  const EntryAbi& abi() const { return unit_.abi; }
  /// The functions of the interface, which call this object.
  EntryCode Code() const {
    using Fields = EntryCode::Fields;
    return {[this](std::span<void*> inputs, std::span<void*> outputs, Fields pools) {
              Map(inputs, outputs, pools);
            },
            [this](Fields inputs, Fields outputs, Fields pools) {
              return CallRun(run_, unit_.abi, inputs, outputs, pools);
            },
            init_ == nullptr ? std::function<int32_t(Fields)>()
                             : [this](Fields pools) { return Init(pools); }};
  }

 private:
  explicit CLibrary(EmittedUnit unit) : unit_(std::move(unit)) {}
  absl::Status Compile(const Artifacts& artifacts, const EngineOptions& options);
  absl::Status Load(int threads);
  /// Passes the checker's functions to code with checks.
  absl::Status SetChecks(bool has_checks);
  /// Sets the fields of inputs or outputs by `<prefix>_map_inputs` and `_map_outputs`, if they
  /// exist.
  void Map(std::span<void*> inputs, std::span<void*> outputs, std::span<void* const> pools) const;
  /// Calls `<prefix>_init` if the caller must; returns its result, otherwise 0.
  int32_t Init(std::span<void* const> pools) const;

  EmittedUnit unit_;
  /// True if external functions must be initialised.
  bool has_externals_ = false;
  std::optional<TemporaryFolder> folder_;
  void* library_ = nullptr;
  void* run_ = nullptr;
  void* map_ = nullptr;
  void* init_ = nullptr;
  /// Ends the pool of threads, if any, before the code is unloaded.
  void* stop_threads_ = nullptr;
};

absl::Status CLibrary::Compile(const Artifacts& artifacts, const EngineOptions& options) {
  TENON_ASSIGN_OR(TemporaryFolder made, TemporaryFolder::Create());
  const std::string& folder = folder_.emplace(std::move(made)).path();
  std::vector<FolderFile> files = FolderFiles(artifacts.files);
  const std::string map_source = MapSource(abi());
  const std::string check_source = ExternalChecker::Source();
  if (!artifacts.checks.empty()) files.push_back({"tenon_engine_checks.c", check_source});
  if (MapsAny(abi())) files.push_back({fmt::format("{}.c", kMapFunction), map_source});
  TENON_TRY(WriteFolder(folder, files));

  std::vector<std::string> words = SplitBlanks(options.cc);
  if (words.empty()) return absl::InvalidArgumentError("no C compiler was named");
  for (std::string& flag : SplitBlanks(options.cflags)) words.push_back(std::move(flag));
  words.insert(words.end(), {"-shared", "-fPIC", "-I" + folder, "-o", folder_->File("model.so")});
  TENON_ASSIGN_OR(const LinkWords link, LinkWordsOf(artifacts.link));
  words.insert(words.end(), link.before.begin(), link.before.end());
  for (const FolderFile& file : files) {
    if (IsCompiled(file.name)) words.push_back(folder_->File(file.name));
  }
  if (unit_.constant_storage == ConstantStorage::kFile) {
    // An absolute path, so that the current folder does not matter.
    std::string macro = abi().prefix;
    for (char& letter : macro) letter = static_cast<char>(std::toupper(letter));
    words.push_back(fmt::format("-D{}_CONSTANTS_PATH=\"{}/{}_constants.safetensors\"", macro,
                                folder, abi().prefix));
  }
  if (unit_.needs.zstd) words.emplace_back("-lzstd");
  if (unit_.needs.thread_pool) words.emplace_back("-pthread");
  words.insert(words.end(), link.after.begin(), link.after.end());
  words.emplace_back("-lm");
  const std::string log = folder_->File("compiler.txt");
  const absl::StatusOr<int> code = RunProgram(words, log);
  if (!code.ok()) return code.status();
  if (*code == 0) return absl::OkStatus();
  if (!artifacts.link.empty()) TENON_TRY(CheckLibraries(SplitBlanks(options.cc), artifacts.link));
  const absl::StatusOr<std::shared_ptr<const FileBytes>> said = ReadFile(log);
  const std::string_view text = said.ok() ? (*said)->view() : std::string_view();
  return absl::FailedPreconditionError(fmt::format("`{}` failed with exit code {}:\n{}", options.cc,
                                                   *code, text.substr(0, kMostOutput)));
}

absl::Status CLibrary::Load(int threads) {
  library_ = dlopen(folder_->File("model.so").c_str(), RTLD_NOW | RTLD_LOCAL);
  const std::string name = abi().prefix + "_run";
  if (library_ != nullptr) run_ = dlsym(library_, name.c_str());
  const bool maps = MapsAny(abi());
  if (maps && library_ != nullptr) map_ = dlsym(library_, std::string(kMapFunction).c_str());
  if ((abi().needs_init || has_externals_) && library_ != nullptr)
    init_ = dlsym(library_, std::string(abi().prefix + "_init").c_str());
  if (unit_.needs.thread_pool && library_ != nullptr) {
    void* const start = dlsym(library_, "tenon_parallel_start");
    stop_threads_ = dlsym(library_, "tenon_parallel_stop");
    if (start != nullptr) reinterpret_cast<int32_t (*)(int32_t)>(start)(threads);
  }
  if (run_ != nullptr && (map_ != nullptr || !maps) && (init_ != nullptr || !abi().needs_init))
    return absl::OkStatus();
  const char* why = dlerror();
  return absl::InternalError(
      fmt::format("cannot load the compiled model: {}", why == nullptr ? "no reason given" : why));
}

absl::Status CLibrary::SetChecks(bool has_checks) {
  if (!has_checks) return absl::OkStatus();
  void* const set = dlsym(library_, "tenon_engine_set_checks");
  if (set == nullptr) return absl::InternalError("the checks of external functions are missing");
  std::vector<void*> addresses;
  for (const auto& [name, address] : ExternalChecker::Functions()) addresses.push_back(address);
  reinterpret_cast<void (*)(void* const*)>(set)(addresses.data());
  return absl::OkStatus();
}

void CLibrary::Map(std::span<void*> inputs, std::span<void*> outputs,
                   std::span<void* const> pools) const {
  if (map_ == nullptr) return;
  TENON_CHECK(inputs.size() == abi().inputs.size() && outputs.size() == abi().outputs.size());
  using MapTensors = void (*)(void**, void**, const void*);
  reinterpret_cast<MapTensors>(map_)(inputs.data(), outputs.data(), pools.data());
}

int32_t CLibrary::Init(std::span<void* const> pools) const {
  if (init_ == nullptr) return 0;
  return reinterpret_cast<int32_t (*)(const void*)>(init_)(pools.data());
}

class CompiledModel : public RunnableModel {
 public:
  CompiledModel(PlannedModule planned, EntrySignature signature, std::unique_ptr<CLibrary> library,
                std::vector<ExternalCheck> checks, const EngineOptions& options)
      : planned_(std::move(planned)),
        signature_(std::move(signature)),
        library_(std::move(library)),
        checker_(std::move(checks)),
        on_compared_(OnCompared(options)) {}

  bool Run(TensorValues& values, Runs& runs, Diagnostics& diagnostics) override {
    const ExternalChecker::Scope scope(checker_);
    return RunEntry(library_->abi(), planned_.converted, signature_, library_->Code(), values, runs,
                    diagnostics) &&
           checker_.Report(diagnostics, on_compared_);
  }

 private:
  PlannedModule planned_;
  EntrySignature signature_;
  std::unique_ptr<CLibrary> library_;
  ExternalChecker checker_;
  std::function<void(const std::string&)> on_compared_;
};

std::unique_ptr<RunnableModel> LoadModel(const IRModule& module, const EntrySignature& signature,
                                         const EngineOptions& options, Diagnostics& diagnostics) {
  const CompileUnit unit = {&module, {}, {}};
  std::optional<Artifacts> artifacts =
      Compile({&unit, 1}, options.compile, CBackend(), diagnostics);
  if (!artifacts) return nullptr;
  absl::StatusOr<std::unique_ptr<CLibrary>> library = CLibrary::Build(*artifacts, options);
  if (!library.ok()) {
    const DiagnosticKind kind = IsMissingLibrary(library.status(), artifacts->link)
                                    ? DiagnosticKind::kMissingLibrary
                                    : DiagnosticKind::kRun;
    diagnostics.Error(kind, {}, std::string(library.status().message()));
    return nullptr;
  }
  if (options.on_externals && !artifacts->byoc.empty()) options.on_externals(artifacts->byoc[0]);
  return std::make_unique<CompiledModel>(std::move(artifacts->planned[0]), signature,
                                         *std::move(library), std::move(artifacts->checks),
                                         options);
}

constexpr Engine kCEngine = {"c", "compiles the C of the module with --cc, and runs it",
                             "compiling and running the C", LoadModel};

}  // namespace

const Engine& CEngine() { return kCEngine; }

}  // namespace tenon
