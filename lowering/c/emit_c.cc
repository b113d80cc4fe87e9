#include "lowering/c/emit_c.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "ir/analysis/call_graph.h"
#include "ir/analysis/parallel_loops.h"
#include "ir/function_interface.h"
#include "ir/memory_pools.h"
#include "ir/visitor.h"
#include "lowering/big_endian.h"
#include "lowering/c/c_internal.h"
#include "lowering/runtime_files.h"

namespace tenon {

namespace c_lowering {

namespace {

constexpr std::string_view kMainSuffix = "___tvm_main__";

/// `tvmgen_default`: from the option, or the entry's global symbol without `___tvm_main__`.
std::string Prefix(const IRModule& module, const EmitCOptions& options) {
  if (!options.library_name.empty()) return options.library_name;
  if (!options.module_name.empty()) return EmittedPrefix(options.module_name);
  const Function* main = module.Main();
  const std::string_view symbol = main == nullptr ? std::string_view() : main->global_symbol();
  if (symbol.ends_with(kMainSuffix))
    return SanitizeName(symbol.substr(0, symbol.size() - kMainSuffix.size()));
  return "tvmgen_default";
}

void NameFunctions(ModuleState& state) {
  for (const Function& function : state.module.functions()) {
    const std::string_view symbol = SymbolOf(function);
    // Names with external linkage, and names that might clash in a debugger, have the prefix.
    const bool keeps_symbol =
        symbol.starts_with(state.prefix) || !state.options.library_name.empty();
    std::string name =
        keeps_symbol ? std::string(symbol) : fmt::format("{}_{}", state.prefix, symbol);
    state.function_names[function.name] = GlobalName(state, name);
  }
}

/// Definitions of the constants, if they are C arrays.
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

/// The headers that the source includes besides its own and the runtime's.
std::vector<std::string> Includes(const EmittedC& result) {
  std::vector<std::string> includes;
  if (result.needs.lz4) includes.push_back("\"tenon_lz4.h\"");
  if (result.needs.products) includes.push_back("\"tenon_products.h\"");
  if (result.needs.zstd) includes.push_back("<zstd.h>");
  if (result.needs.parallel) includes.push_back("\"tenon_parallel.h\"");
  return includes;
}

/// Determines whether the source only works on little-endian machines.
void SettleByteOrder(ModuleState& state, ConstantStorage storage) {
  state.is_little_endian |= state.options.is_little_endian;
  if (storage == ConstantStorage::kCArray)
    state.is_little_endian |= std::any_of(state.blobs.begin(), state.blobs.end(), HasLowByteFirst);
}

bool HasParallelLoops(std::span<const Function* const> functions) {
  bool found = false;
  for (const Function* function : functions) {
    if (found) break;
    Walk(function->func->body, [&](const Node* node) {
      const auto* loop = dyn_cast<For>(node);
      found |= loop != nullptr && RunsOnThreads(loop);
      return !found;
    });
  }
  return found;
}

/// The default implementation of parallel loops, which a program may replace.
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

/// The C of all functions: definitions, and declarations of functions that others may call.
struct FunctionTexts {
  std::string definitions;
  std::string declarations;
};
FunctionTexts EmitFunctions(ModuleState& state, const std::vector<const Function*>& order) {
  FunctionTexts texts;
  for (const Function* function : order) {
    FunctionEmitter emitter(state, *function);
    // With an entry, all calls go through <prefix>_run.
    const bool is_static = state.module.Main() != nullptr || function->global_symbol().empty();
    texts.definitions += emitter.Emit(is_static) + "\n";
    if (!is_static) texts.declarations += emitter.declaration() + ";\n";
  }
  return texts;
}

}  // namespace

}  // namespace c_lowering

std::optional<EmittedC> EmitC(const IRModule& module, const EmitCOptions& options,
                              Diagnostics& diagnostics) {
  using namespace c_lowering;  // NOLINT: the implementation of this very file
  const size_t errors = diagnostics.error_count();
  const bool checks = options.constant_storage == ConstantStorage::kFile;
  const ModuleEffects effects(module);
  EmittedC result;
  result.abi.prefix = Prefix(module, options);
  ModuleState state{module, options, diagnostics, effects, result.abi.prefix};
  const Function* main = module.Main();
  std::optional<InterfaceEmitter> interface;
  if (main != nullptr) interface.emplace(state, *main, result);
  NameFunctions(state);
  std::vector<const Function*> order;
  for (const size_t index : CallGraph(module).Reached())
    order.push_back(&module.functions()[index]);
  LayOutConstantsOf(state, order);
  if (interface && checks) interface->AddCheckedPools(order);
  FunctionTexts functions = EmitFunctions(state, order);
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
    result.files.push_back({result.abi.prefix + ".h", interface->Header()});
    result.abi.has_run = true;
  } else if (!functions.declarations.empty()) {
    functions.definitions = functions.declarations + "\n" + functions.definitions;
  }
  if (diagnostics.error_count() != errors) return std::nullopt;
  pools = Constants(state, result.constant_storage) + pools;
  result.needs.products = state.has_lane_macros;
  result.needs.parallel = state.has_parallel_loops;
  result.needs.thread_pool = result.needs.parallel && options.parallel == ParallelLoops::kThreads;
  if (result.needs.parallel && !result.needs.thread_pool) pools = kDefaultParallelFor + pools;
  std::vector<std::string> includes = Includes(result);
  if (interface) {
    for (const std::string& header : interface->PoolHeaders())
      includes.push_back(fmt::format("\"{}\"", header));
  }
  result.files.push_back({result.abi.prefix + ".c", Source(state, functions.definitions, pools, run,
                                                           main != nullptr, includes)});
  if (result.constant_storage != ConstantStorage::kCArray) result.blobs = std::move(state.blobs);
  for (EmittedFile& file : RuntimeFiles(result.needs)) result.files.push_back(std::move(file));
  return result;
}

std::optional<EntryInterface> EmitEntryInterface(const IRModule& module,
                                                 const EmitCOptions& options,
                                                 Diagnostics& diagnostics) {
  using namespace c_lowering;  // NOLINT: as above
  const size_t errors = diagnostics.error_count();
  const ModuleEffects effects(module);
  const std::vector<const Function*> functions = ReachedFunctions(module);
  EmittedC result;
  EmittedFile header;
  result.abi.prefix = Prefix(module, options);
  if (const Function* main = module.Main()) {
    ModuleState state{module, options, diagnostics, effects, result.abi.prefix};
    LayOutConstantsOf(state, functions);
    InterfaceEmitter interface(state, *main, result);
    interface.AddStoredConstants();
    header = {result.abi.prefix + ".h", interface.Header()};
    result.abi.has_run = true;
  }
  if (diagnostics.error_count() != errors) return std::nullopt;
  result.needs.parallel = HasParallelLoops(functions);
  result.needs.thread_pool = result.needs.parallel && options.parallel == ParallelLoops::kThreads;
  return EntryInterface{std::move(result.abi), result.needs, std::move(header)};
}

}  // namespace tenon
