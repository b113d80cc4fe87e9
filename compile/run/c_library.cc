#include "compile/run/c_library.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cctype>
#include <functional>
#include <utility>
#include <vector>

#include "compile/run/external_checker.h"
#include "compile/run/given_functions.h"
#include "ir/analysis/model_entry.h"
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

bool MapsAny(const EntryAbi& abi) { return abi.MapsAny(false) || abi.MapsAny(true); }

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

/// The flags for constants in a file.
std::vector<std::string> ConstantFlags(const CBuild& build, const std::string& prefix,
                                       const std::string& folder) {
  if (build.for_package) return {"-DTENON_CONSTANTS_TRUST_DATA"};
  // An absolute path, so that the current folder does not matter.
  std::string macro = prefix;
  for (char& letter : macro) letter = static_cast<char>(std::toupper(letter));
  return {
      fmt::format("-D{}_CONSTANTS_PATH=\"{}/{}_constants.safetensors\"", macro, folder, prefix)};
}

/// The bytes of the library depend on neither its folder nor on names of temporary files.
void AddReproducibleFlags(const std::string& folder, std::vector<std::string>& words) {
  words.insert(words.end(), {fmt::format("-ffile-prefix-map={}=.", folder), "-s"});
}

}  // namespace

absl::Status BuildCLibrary(const Artifacts& artifacts, const CBuild& build,
                           const std::string& folder) {
  TENON_CHECK(!artifacts.units.empty());
  const EmittedUnit& unit = artifacts.units[0];
  const std::string& prefix = unit.abi.prefix;
  if (!unit.abi.has_run)
    return absl::FailedPreconditionError("the generated C has no run function to call");
  std::vector<FolderFile> files = FolderFiles(artifacts.files);
  const std::string map_source = MapSource(unit.abi);
  const std::string check_source = ExternalChecker::Source();
  if (!artifacts.checks.empty()) files.push_back({"tenon_engine_checks.c", check_source});
  if (MapsAny(unit.abi)) files.push_back({fmt::format("{}.c", kMapFunction), map_source});
  TENON_TRY(WriteFolder(folder, files));

  std::vector<std::string> words = SplitBlanks(build.cc);
  if (words.empty()) return absl::InvalidArgumentError("no C compiler was named");
  for (std::string& flag : SplitBlanks(build.cflags)) words.push_back(std::move(flag));
  // A function of these files takes precedence over one of the process with the same name.
  words.insert(words.end(),
               {"-shared", "-fPIC", "-Wl,-Bsymbolic", "-I" + folder, "-o", folder + "/model.so"});
  if (build.for_package) AddReproducibleFlags(folder, words);
  TENON_ASSIGN_OR(const LinkWords link, LinkWordsOf(artifacts.link));
  words.insert(words.end(), link.before.begin(), link.before.end());
  const bool has_file = unit.constant_storage == ConstantStorage::kFile;
  const std::string opener = prefix + "_constants_host.c";
  for (const FolderFile& file : files) {
    const bool is_left_out = has_file && build.for_package && file.name == opener;
    if (IsCompiled(file.name) && !is_left_out)
      words.push_back(fmt::format("{}/{}", folder, file.name));
  }
  if (has_file) {
    for (std::string& flag : ConstantFlags(build, prefix, folder)) words.push_back(std::move(flag));
  }
  if (unit.needs.zstd) words.emplace_back("-lzstd");
  if (unit.needs.thread_pool) words.emplace_back("-pthread");
  words.insert(words.end(), link.after.begin(), link.after.end());
  words.emplace_back("-lm");
  const std::string log = folder + "/compiler.txt";
  const absl::StatusOr<int> code = RunProgram(words, log);
  if (!code.ok()) return code.status();
  if (*code == 0) return absl::OkStatus();
  if (!artifacts.link.empty()) TENON_TRY(CheckLibraries(SplitBlanks(build.cc), artifacts.link));
  const absl::StatusOr<std::shared_ptr<const FileBytes>> said = ReadFile(log);
  const std::string_view text = said.ok() ? (*said)->view() : std::string_view();
  return absl::FailedPreconditionError(fmt::format("`{}` failed with exit code {}:\n{}", build.cc,
                                                   *code, text.substr(0, kMostOutput)));
}

absl::StatusOr<std::unique_ptr<CLibrary>> CLibrary::Load(const std::string& path, EntryAbi abi,
                                                         bool has_externals, int threads) {
  std::unique_ptr<CLibrary> library(new CLibrary(std::move(abi)));
  TENON_TRY(library->Open(path, has_externals, threads));
  return library;
}

CLibrary::~CLibrary() {
  if (stop_threads_ != nullptr) reinterpret_cast<void (*)()>(stop_threads_)();
  if (library_ != nullptr) dlclose(library_);
}

absl::Status CLibrary::Open(const std::string& path, bool has_externals, int threads) {
  const auto fail = [] {
    const char* why = dlerror();
    const std::string_view text = why == nullptr ? "no reason given" : why;
    const bool is_missing = text.find("undefined symbol") != std::string_view::npos;
    return absl::InternalError(fmt::format("cannot load the compiled model: {}{}", text,
                                           is_missing ? kMissingFunction : ""));
  };
  library_ = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library_ == nullptr) return fail();
  const auto find = [&](const std::string& name) { return dlsym(library_, name.c_str()); };
  if ((run_ = find(abi_.prefix + "_run")) == nullptr) return fail();
  if (MapsAny(abi_) && (map_ = find(std::string(kMapFunction))) == nullptr) return fail();
  if (abi_.needs_init || has_externals) init_ = find(abi_.prefix + "_init");
  if (abi_.needs_init && init_ == nullptr) return fail();
  void* const start = find("tenon_parallel_start");
  if (start != nullptr) {
    stop_threads_ = find("tenon_parallel_stop");
    reinterpret_cast<int32_t (*)(int32_t)>(start)(threads);
  }
  return absl::OkStatus();
}

EntryCode CLibrary::Code() const {
  using Fields = EntryCode::Fields;
  void* const message = dlsym(library_, kExternalMessage);
  return {[this](std::span<void*> inputs, std::span<void*> outputs, Fields pools) {
            Map(inputs, outputs, pools);
          },
          [this](Fields inputs, Fields outputs, Fields pools) {
            return CallRun(run_, abi_, inputs, outputs, pools);
          },
          init_ == nullptr ? std::function<int32_t(Fields)>()
                           : [this](Fields pools) { return Init(pools); },
          {},
          reinterpret_cast<const char* (*)()>(message)};
}

absl::Status CLibrary::SetConstants(std::string_view file) {
  const std::string name = abi_.prefix + "_set_constants";
  void* const set = dlsym(library_, name.c_str());
  if (set == nullptr) return absl::InternalError(fmt::format("the code has no `{}`", name));
  const int32_t result =
      reinterpret_cast<int32_t (*)(const void*, size_t)>(set)(file.data(), file.size());
  if (result == 0) return absl::OkStatus();
  return absl::InternalError(fmt::format("`{}` returned {}", name, result));
}

bool CLibrary::Gives(const std::string& symbol) const {
  void* const address = FindGivenFunction(library_, symbol);
  if (address == nullptr) return false;
  Dl_info own = {};
  Dl_info given = {};
  if (dladdr(run_, &own) != 0 && dladdr(address, &given) != 0 && own.dli_fbase == given.dli_fbase)
    return true;
  // Code calls the process's function of this name before that of another library.
  void* const called = dlsym(RTLD_DEFAULT, symbol.c_str());
  return called == nullptr || called == address;
}

absl::Status CLibrary::SetChecks() {
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

}  // namespace tenon
