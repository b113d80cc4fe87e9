#include "compile/run/c_engine.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>
#include <vector>

#include "compile/run/run_entry.h"
#include "support/check.h"
#include "support/file.h"
#include "support/status_macros.h"

namespace tenon {

namespace {

/// What of the compiler's complaints a message repeats.
constexpr size_t kMostOutput = 4000;

std::vector<std::string> SplitBlanks(const std::string& text) {
  std::vector<std::string> words;
  size_t at = 0;
  while ((at = text.find_first_not_of(" \t\n", at)) != std::string::npos) {
    const size_t end = std::min(text.find_first_of(" \t\n", at), text.size());
    words.push_back(text.substr(at, end - at));
    at = end;
  }
  return words;
}

/// A name that no model has.
constexpr std::string_view kMapFunction = "tenon_engine_map_tensors";

bool AnyOf(const std::vector<bool>& flags) {
  return std::find(flags.begin(), flags.end(), true) != flags.end();
}
/// C that writes the structs of the map functions, which are returned by value, as lists of
/// pointers.
std::string MapSource(const EmittedC& c) {
  std::string out = fmt::format(
      "#include <string.h>\n#include \"{}.h\"\n"
      "#ifdef __cplusplus\nextern \"C\"\n#endif\n"
      "void {}(void** inputs, void** outputs, void* pools);\n"
      "void {}(void** inputs, void** outputs, void* pools) {{\n",
      c.prefix, kMapFunction, kMapFunction);
  const std::string pools = c.external_pools.empty()
                                ? std::string()
                                : fmt::format("(struct {}_workspace_pools*)pools", c.prefix);
  for (const std::string_view what : {"inputs", "outputs"}) {
    if (!AnyOf(what == "inputs" ? c.input_mapped : c.output_mapped)) continue;
    out += fmt::format(
        "  struct {0}_{1} {1}_ = {0}_map_{1}({2});\n  memcpy({1}, &{1}_, sizeof({1}_));\n",
        c.prefix, what, pools);
  }
  return out + "  (void)inputs; (void)outputs; (void)pools;\n}\n";
}

}  // namespace

absl::StatusOr<std::unique_ptr<CEngine>> CEngine::Build(const EmittedC& c,
                                                        const CEngineOptions& options) {
  if (!c.has_run) {
    return absl::FailedPreconditionError("the generated C has no run function to call");
  }
  std::unique_ptr<CEngine> engine(new CEngine);
  TENON_TRY(engine->Compile(c, options));
  TENON_TRY(engine->Load(c, options.threads));
  return engine;
}

CEngine::~CEngine() {
  if (stop_threads_ != nullptr) reinterpret_cast<void (*)()>(stop_threads_)();
  if (library_ != nullptr) dlclose(library_);
}

absl::Status CEngine::Compile(const EmittedC& c, const CEngineOptions& options) {
  TENON_ASSIGN_OR(TemporaryFolder made, TemporaryFolder::Create());
  const std::string& folder = folder_.emplace(std::move(made)).path();
  std::vector<FolderFile> files = FolderFiles(c.files);
  const std::string map_source = MapSource(c);
  const bool maps = AnyOf(c.input_mapped) || AnyOf(c.output_mapped);
  if (maps) files.push_back({fmt::format("{}.c", kMapFunction), map_source});
  TENON_TRY(WriteFolder(folder, files));

  std::vector<std::string> words = SplitBlanks(options.cc);
  if (words.empty()) return absl::InvalidArgumentError("no C compiler was named");
  for (std::string& flag : SplitBlanks(options.cflags)) words.push_back(std::move(flag));
  words.insert(words.end(), {"-shared", "-fPIC", "-I" + folder, "-o", folder_->File("model.so")});
  for (const FolderFile& file : files) {
    if (file.name.ends_with(".c") || file.name.ends_with(".S") || file.name.ends_with(".o"))
      words.push_back(folder_->File(file.name));
  }
  if (c.constant_storage == ConstantStorage::kFile) {
    // Where the file is, however the current folder changes.
    std::string macro = c.prefix;
    for (char& letter : macro) letter = static_cast<char>(std::toupper(letter));
    words.push_back(fmt::format("-D{}_CONSTANTS_PATH=\"{}/{}_constants.safetensors\"", macro,
                                folder, c.prefix));
  }
  if (c.uses_zstd) words.emplace_back("-lzstd");
  if (c.uses_pool) words.emplace_back("-pthread");
  words.emplace_back("-lm");
  const std::string log = folder_->File("compiler.txt");
  const absl::StatusOr<int> code = RunProgram(words, log);
  if (!code.ok()) return code.status();
  if (*code == 0) return absl::OkStatus();
  const absl::StatusOr<std::shared_ptr<const FileBytes>> said = ReadFile(log);
  const std::string_view text = said.ok() ? (*said)->view() : std::string_view();
  return absl::FailedPreconditionError(fmt::format("`{}` failed with exit code {}:\n{}", options.cc,
                                                   *code, text.substr(0, kMostOutput)));
}

absl::Status CEngine::Load(const EmittedC& c, int threads) {
  library_ = dlopen(folder_->File("model.so").c_str(), RTLD_NOW | RTLD_LOCAL);
  const std::string name = c.prefix + "_run";
  if (library_ != nullptr) run_ = dlsym(library_, name.c_str());
  input_mapped_ = c.input_mapped;
  output_mapped_ = c.output_mapped;
  const bool maps = AnyOf(input_mapped_) || AnyOf(output_mapped_);
  if (maps && library_ != nullptr) map_ = dlsym(library_, std::string(kMapFunction).c_str());
  if (c.needs_init && library_ != nullptr)
    init_ = dlsym(library_, std::string(c.prefix + "_init").c_str());
  if (c.uses_pool && library_ != nullptr) {
    void* const start = dlsym(library_, "tenon_parallel_start");
    stop_threads_ = dlsym(library_, "tenon_parallel_stop");
    if (start != nullptr) reinterpret_cast<int32_t (*)(int32_t)>(start)(threads);
  }
  if (run_ != nullptr && (map_ != nullptr || !maps) && (init_ != nullptr || !c.needs_init))
    return absl::OkStatus();
  const char* why = dlerror();
  return absl::InternalError(
      fmt::format("cannot load the compiled model: {}", why == nullptr ? "no reason given" : why));
}

void CEngine::Map(std::span<void*> inputs, std::span<void*> outputs,
                  std::span<void* const> pools) const {
  if (map_ == nullptr) return;
  TENON_CHECK(inputs.size() == input_mapped_.size() && outputs.size() == output_mapped_.size());
  std::vector<void*> mapped_inputs(inputs.size());
  std::vector<void*> mapped_outputs(outputs.size());
  using MapTensors = void (*)(void**, void**, const void*);
  reinterpret_cast<MapTensors>(map_)(mapped_inputs.data(), mapped_outputs.data(), pools.data());
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (input_mapped_[i]) inputs[i] = mapped_inputs[i];
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (output_mapped_[i]) outputs[i] = mapped_outputs[i];
  }
}

int32_t CEngine::Init(std::span<void* const> pools) const {
  if (init_ == nullptr) return 0;
  return reinterpret_cast<int32_t (*)(const void*)>(init_)(pools.data());
}

int32_t CEngine::Run(std::span<void* const> inputs, std::span<void* const> outputs,
                     std::span<void* const> pools) const {
  TENON_CHECK(run_ != nullptr);
  return CallRun(run_, input_mapped_, output_mapped_, inputs, outputs, pools);
}

}  // namespace tenon
