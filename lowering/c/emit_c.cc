#include "lowering/c/emit_c.h"

#include <fmt/format.h>

#include <algorithm>

#include "absl/container/flat_hash_set.h"
#include "ir/analysis/parallel_loops.h"
#include "ir/memory_pools.h"
#include "ir/visitor.h"
#include "lowering/big_endian.h"
#include "lowering/c/c_internal.h"
#include "lowering/reached.h"
#include "tenon_runtime_text.h"

namespace tenon {

namespace c_lowering {

namespace {

constexpr std::string_view kMainSuffix = "___tvm_main__";

/// `tvmgen_default`: from the option, or the entry's global symbol up to `___tvm_main__`.
std::string Prefix(const IRModule& module, const EmitCOptions& options) {
  if (!options.module_name.empty()) return EmittedPrefix(options.module_name);
  const Function* main = module.Main();
  const std::string_view symbol = main == nullptr ? std::string_view() : main->global_symbol();
  if (symbol.ends_with(kMainSuffix))
    return SanitizeName(symbol.substr(0, symbol.size() - kMainSuffix.size()));
  return "tvmgen_default";
}

/// Functions in an order in which callees come before callers, as far as recursion allows.
class CallOrder {
 public:
  CallOrder(const IRModule& module, const ModuleEffects& effects) : effects_(effects) {
    for (const Function& function : module.functions()) Visit(function);
  }
  std::vector<const Function*> order;

 private:
  void Visit(const Function& function) {
    if (!seen_.insert(function.name).second) return;
    for (const CallSite& call : effects_.Of(function).calls) {
      if (call.callee != nullptr) WithStack([&] { Visit(*call.callee); });
    }
    order.push_back(&function);
  }

  const ModuleEffects& effects_;
  absl::flat_hash_set<Symbol> seen_;
};

void NameFunctions(ModuleState& state) {
  for (const Function& function : state.module.functions()) {
    std::string_view symbol = function.global_symbol();
    if (symbol.empty()) symbol = function.name.view();
    // Everything with external linkage, and what might clash in a debugger, carries the prefix.
    std::string name = symbol.starts_with(state.prefix)
                           ? std::string(symbol)
                           : fmt::format("{}_{}", state.prefix, symbol);
    state.function_names[function.name] = state.globals.Unique(name);
  }
}

/// Definitions of the constants, where they are C arrays.
std::string Constants(const ModuleState& state, ConstantStorage storage) {
  std::string out;
  if (storage != ConstantStorage::kCArray)
    return fmt::format("#include \"{}_constants.h\"\n\n", state.prefix);
  for (const Blob& blob : state.blobs) {
    if (!blob.comment.empty()) out += fmt::format("/* {} */\n", blob.comment);
    out += BlobDefinition(blob);
  }
  return out;
}

/// What the source includes besides its header and that of the runtime.
std::vector<std::string> Includes(const EmittedC& result) {
  std::vector<std::string> includes;
  if (result.uses_lz4) includes.push_back("\"tenon_lz4.h\"");
  if (result.uses_zstd) includes.push_back("<zstd.h>");
  if (result.uses_parallel) includes.push_back("\"tenon_parallel.h\"");
  return includes;
}

void AddRuntimeFiles(EmittedC& result) {
  const auto add = [&](const char* name, std::string_view text) {
    result.files.push_back({name, std::string(text)});
  };
  add("tenon_runtime.h", kRuntimeHeaderText);
  if (result.uses_lz4) add("tenon_lz4.h", kLz4HeaderText);
  if (result.uses_pool) {
    for (EmittedFile& file : ParallelPoolFiles()) result.files.push_back(std::move(file));
  } else if (result.uses_parallel) {
    add("tenon_parallel.h", kParallelHeaderText);
  }
}

/// Finds out whether the source is for little-endian machines alone.
void SettleByteOrder(ModuleState& state, ConstantStorage storage) {
  state.is_little_endian |= state.options.is_little_endian;
  if (storage == ConstantStorage::kCArray)
    state.is_little_endian |= std::any_of(state.blobs.begin(), state.blobs.end(), HasLowByteFirst);
}

bool HasParallelLoops(const IRModule& module, const ModuleEffects& effects) {
  bool found = false;
  const absl::flat_hash_set<Symbol> reached = ReachedFunctions(module, effects);
  for (const Function& function : module.functions()) {
    if (found || !reached.contains(function.name)) continue;
    Walk(function.func->body, [&](const Node* node) {
      const auto* loop = dyn_cast<For>(node);
      found |= loop != nullptr && RunsOnThreads(loop);
      return !found;
    });
  }
  return found;
}

/// What runs parallel loops unless the program has its own.
constexpr const char* kDefaultParallelFor =
    R"(#if defined(TENON_WEAK) && !defined(TENON_SERIAL)
/* Unless the program has its own. */
TENON_WEAK int32_t tenon_parallel_for(tenon_parallel_body body, void* context, int64_t count) {
  return tenon_parallel_for_serial(body, context, count);
}
#endif

)";

std::string Source(ModuleState& state, const std::string& functions, const std::string& pools,
                   const std::string& run, bool has_header,
                   const std::vector<std::string>& includes) {
  std::string out = "/* Made by Tenon. */\n\n";
  if (has_header) out += fmt::format("#include \"{}.h\"\n\n", state.prefix);
  out += "#include \"tenon_runtime.h\"\n";
  for (const std::string& include : includes) out += fmt::format("#include {}\n", include);
  out += '\n';
  if (state.is_little_endian) out += kLittleEndianOnly;
  if (!state.externs.empty()) {
    out += "/* What the module calls and does not define. */\n";
    out += "#ifdef __cplusplus\nextern \"C\" {\n#endif\n";
    for (const ExternDeclaration& declaration : state.externs) out += declaration.ToString() + "\n";
    out += "#ifdef __cplusplus\n}\n#endif\n\n";
  }
  if (!state.vector_types.empty()) {
    out += "/* Vectors of GNU C; those in _u are in memory, where any element may begin one. */\n";
    for (const auto& [name, definition] : state.vector_types) out += definition;
    out += "\n";
  }
  return out + pools + functions + run;
}

}  // namespace

}  // namespace c_lowering

std::string EmittedPrefix(std::string_view module_name) {
  return fmt::format("tvmgen_{}", SanitizeName(module_name));
}

std::vector<EmittedFile> ParallelPoolFiles() {
  return {{"tenon_parallel.h", std::string(kParallelHeaderText)},
          {"tenon_parallel.c", std::string(kParallelSourceText)}};
}

std::optional<EmittedC> EmitC(const IRModule& module, const EmitCOptions& options,
                              Diagnostics& diagnostics) {
  using namespace c_lowering;  // NOLINT: the implementation of this very file
  const size_t errors = diagnostics.error_count();
  const bool checks = options.constant_storage == ConstantStorage::kFile;
  const ModuleEffects effects(module);
  EmittedC result;
  result.prefix = Prefix(module, options);
  ModuleState state{module, options, diagnostics, effects, result.prefix};
  NameFunctions(state);
  const absl::flat_hash_set<Symbol> reached = ReachedFunctions(module, effects);
  const Function* main = module.Main();
  std::string declarations;
  std::string functions;
  std::vector<const Function*> order = CallOrder(module, effects).order;
  std::erase_if(order, [&](const Function* f) { return !reached.contains(f->name); });
  LayOutConstantsOf(state, order);
  std::optional<InterfaceEmitter> interface;
  if (main != nullptr) interface.emplace(state, *main, result);
  if (interface && checks) interface->AddCheckedPools(order);
  for (const Function* function : order) {
    FunctionEmitter emitter(state, *function);
    // With an entry everything is called through <prefix>_run.
    const bool is_static = main != nullptr || function->global_symbol().empty();
    functions += emitter.Emit(is_static) + "\n";
    if (!is_static) declarations += emitter.declaration() + ";\n";
  }
  if (interface) {
    if (!checks) interface->AddConstantPools();
    interface->AddStoredConstants();
  }
  result.constant_storage = ChooseStorage(state);
  if (result.constant_storage == ConstantStorage::kFile && main == nullptr)
    state.Error({}, "constants in a file need an entry function, which checks that they are there");
  SettleByteOrder(state, result.constant_storage);
  std::string pools, run;
  if (interface) {
    pools = interface->Pools();
    run = interface->Maps() + interface->Init() + interface->Run();
    result.files.push_back({result.prefix + ".h", interface->Header()});
    result.has_run = true;
  } else if (!declarations.empty()) {
    functions = declarations + "\n" + functions;
  }
  if (diagnostics.error_count() != errors) return std::nullopt;
  pools = Constants(state, result.constant_storage) + pools;
  result.uses_parallel = state.has_parallel_loops;
  result.uses_pool = result.uses_parallel && options.parallel == ParallelLoops::kThreads;
  if (result.uses_parallel && !result.uses_pool) pools = kDefaultParallelFor + pools;
  std::vector<std::string> includes = Includes(result);
  if (interface) {
    for (const std::string& header : interface->PoolHeaders())
      includes.push_back(fmt::format("\"{}\"", header));
  }
  result.files.push_back(
      {result.prefix + ".c", Source(state, functions, pools, run, main != nullptr, includes)});
  if (result.constant_storage != ConstantStorage::kCArray) result.blobs = std::move(state.blobs);
  AddRuntimeFiles(result);
  return result;
}

std::optional<EmittedC> EmitCInterface(const IRModule& module, const EmitCOptions& options,
                                       Diagnostics& diagnostics) {
  using namespace c_lowering;  // NOLINT: as above
  const size_t errors = diagnostics.error_count();
  const ModuleEffects effects(module);
  EmittedC result;
  result.prefix = Prefix(module, options);
  if (const Function* main = module.Main()) {
    ModuleState state{module, options, diagnostics, effects, result.prefix};
    InterfaceEmitter interface(state, *main, result);
    interface.AddStoredConstants();
    result.files.push_back({result.prefix + ".h", interface.Header()});
    result.has_run = true;
  }
  if (diagnostics.error_count() != errors) return std::nullopt;
  result.uses_parallel = HasParallelLoops(module, effects);
  result.uses_pool = result.uses_parallel && options.parallel == ParallelLoops::kThreads;
  return result;
}

}  // namespace tenon
