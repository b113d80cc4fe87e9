// The order of emission: names, constants, functions, the interface, and the source last. Functions
// come before the headers of the source, because their text decides what it needs to include.

#include "lowering/c/emit_c.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "ir/analysis/call_graph.h"
#include "ir/analysis/entry_steps.h"
#include "ir/analysis/model_entry.h"
#include "ir/analysis/parallel_loops.h"
#include "ir/function_interface.h"
#include "ir/memory_pools.h"
#include "ir/visitor.h"
#include "lowering/big_endian.h"
#include "lowering/c/c_internal.h"
#include "lowering/entry/library_calls.h"
#include "lowering/runtime_files.h"

namespace tenon {

namespace c_lowering {

namespace {

/// The entry of the module; null for a library, which has none.
const Function* EntryOf(const IRModule& module, const EmitCOptions& options) {
  return options.library_name.empty() ? module.Main() : nullptr;
}

std::string Prefix(const IRModule& module, const EmitCOptions& options) {
  return options.library_name.empty() ? InterfacePrefix(module, options.module_name)
                                      : options.library_name;
}

/// Finds ModuleState::called_in_loops.
void FindCalledInLoops(ModuleState& state) {
  for (const Function& function : state.module.functions()) {
    Walk(function.func->body, [&](const Node* node) {
      const auto* loop = dyn_cast<For>(node);
      if (loop == nullptr) return !isa<Expr>(node);
      Walk(loop->body, [&](const Node* inner) {
        const auto* call = dyn_cast<Call>(inner);
        const CallSite site = call != nullptr ? AsCallSite(state.module, call) : CallSite();
        if (site.callee != nullptr) state.called_in_loops.insert(site.callee->name);
        return true;
      });
      return false;
    });
  }
}

void NameFunctions(ModuleState& state) {
  for (const Function& function : state.module.functions()) {
    if (const std::string_view role = EntryFunctionOf(function); !role.empty()) {
      state.function_names[function.name] = fmt::format("{}_{}", state.prefix, role);
      continue;
    }
    const std::string_view symbol = SymbolOf(function);
    // Names with external linkage, and names that might clash in a debugger, have the prefix.
    const bool keeps_symbol =
        symbol.starts_with(state.prefix) || !state.options.library_name.empty();
    std::string name =
        keeps_symbol ? std::string(symbol) : fmt::format("{}_{}", state.prefix, symbol);
    state.function_names[function.name] = GlobalName(state, name);
  }
  FindCalledInLoops(state);
}

/// Definitions of the constants, if they are C arrays.
std::string Constants(const ModuleState& state, ConstantStorage storage) {
  std::string out;
  if (storage != ConstantStorage::kCArray)
    return fmt::format("#include \"{}_constants.h\"\n\n", state.prefix);
  // The entry function loads the file. Its module cannot know that no constants are in a file.
  if (state.options.constant_storage == ConstantStorage::kFile) {
    out += fmt::format(
        "/* All constants are in memory of the caller, or there are none: no file is needed. */\n"
        "#define {0}_ready_constants() 0\n#define {0}_constants_result(result) (result)\n\n",
        state.prefix);
  }
  for (const Blob& blob : state.blobs) {
    if (!blob.comment.empty()) out += fmt::format("/* {} */\n", blob.comment);
    out += BlobDefinition(blob);
  }
  return out;
}

/// The headers that the source includes besides its own and the runtime's. `entry` may be null.
std::vector<std::string> Includes(const EmittedC& result, const EntryEmitter* entry) {
  std::vector<std::string> includes;
  if (result.needs.lz4) includes.push_back("\"tenon_lz4.h\"");
  if (result.needs.products) includes.push_back("\"tenon_products.h\"");
  if (result.needs.zstd) includes.push_back("<zstd.h>");
  if (result.needs.parallel) includes.push_back("\"tenon_parallel.h\"");
  if (entry == nullptr) return includes;
  for (const std::string& header : entry->PoolHeaders())
    includes.push_back(fmt::format("\"{}\"", header));
  return includes;
}

/// The tensor that a loop nest stores to first, for its name.
std::string StoredTensor(const Stmt* nest) {
  std::string name = "loops";
  bool found = false;
  Walk(nest, [&](const Node* node) {
    const auto* store = dyn_cast<BufferStore>(node);
    if (store != nullptr && !found) {
      name = store->buffer->data->name.view();
      found = true;
    }
    return !found;
  });
  return name;
}

/// Finds the operators of the entry, and names those that are loops.
void FindOperators(const Function& main, ModuleState& state) {
  const std::vector<EntryStep> steps = EntrySteps(state.module, main);
  if (std::all_of(steps.begin(), steps.end(), [](const EntryStep& s) { return s.name.empty(); }))
    return;
  const std::vector<OperatorNote>& notes = state.options.operators;
  for (size_t i = 0; i < steps.size(); ++i) {
    const std::string& name = steps[i].name;
    OperatorNote note = notes.size() == steps.size() ? notes[i] : OperatorNote{name, {}};
    if (name.empty()) note.name = StoredTensor(steps[i].stmt);
    note.name = SanitizeName(note.name);
    state.operators.push_back(std::move(note));
    state.operator_of.emplace(steps[i].stmt, i);
  }
}

/// Determines whether the source only works on little-endian machines.
void SettleByteOrder(ModuleState& state, ConstantStorage storage) {
  state.is_little_endian |= state.options.is_little_endian;
  if (storage == ConstantStorage::kCArray)
    state.is_little_endian |= std::any_of(state.blobs.begin(), state.blobs.end(), HasLowByteFirst);
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

/// The C of all functions: definitions, and declarations of functions that others may call.
struct FunctionTexts {
  std::string definitions;
  std::string declarations;
};
FunctionTexts EmitFunctions(ModuleState& state, const std::vector<const Function*>& order) {
  FunctionTexts texts;
  for (const Function* function : order) {
    FunctionEmitter emitter(state, *function);
    // With an entry, all calls go through its functions.
    const bool is_static =
        function->global_symbol().empty() ||
        (EntryOf(state.module, state.options) != nullptr && EntryFunctionOf(*function).empty());
    texts.definitions += emitter.Emit(is_static) + "\n";
    if (!is_static) texts.declarations += emitter.declaration() + ";\n";
  }
  return texts;
}

/// The flags that threads share, if some entry function uses them. C99 has no atomics; compilers
/// other than gcc and clang get code for one thread.
std::string AtomicFunctions(const ModuleState& state) {
  if (!state.has_atomics) return {};
  return fmt::format(
      R"(/* Makes a flag `desired` if it is `expected`. Returns what it was. */
static int32_t {0}_exchange_flag(int32_t* flag, int32_t expected, int32_t desired) {{
#if defined(__GNUC__) && __GCC_ATOMIC_INT_LOCK_FREE == 2
  __atomic_compare_exchange_n(flag, &expected, desired, 0, __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE);
  return expected;
#else
  const int32_t seen = *flag;
  if (seen == expected) *flag = desired;
  return seen;
#endif
}}

static void {0}_set_flag(int32_t* flag, int32_t value) {{
#if defined(__GNUC__) && __GCC_ATOMIC_INT_LOCK_FREE == 2
  __atomic_store_n(flag, value, __ATOMIC_RELEASE);
#else
  *flag = value;
#endif
}}

)",
      state.prefix);
}

/// The C of the entry functions, and of the flags that they use.
std::string EmitEntry(ModuleState& state, const EntryEmitter& entry, const Function& main) {
  const std::vector<const Function*> functions = EntryFunctions(state.module);
  if (functions.empty()) {
    state.Error(main.func->range, "the module has no functions to call it by; run make-entry");
    return {};
  }
  state.entry = entry.Entry();
  std::string definitions = EmitFunctions(state, functions).definitions;
  // Nothing follows the last function.
  definitions.pop_back();
  return entry.Flags() + AtomicFunctions(state) + definitions;
}

/// Declarations of the functions that the module calls and does not define.
std::string ExternDeclarations(const ModuleState& state) {
  std::string out = "#ifdef __cplusplus\nextern \"C\" {\n#endif\n";
  for (const ExternDeclaration& declaration : state.externs) out += declaration.ToString() + "\n";
  return out + "#ifdef __cplusplus\n}\n#endif\n\n";
}

/// The name of their header; empty if they have none.
std::string ExternsHeaderName(const ModuleState& state) {
  const bool has_header = state.options.externs_header && !state.externs.empty();
  return has_header ? state.prefix + "_externs.h" : "";
}

std::string ExternsHeader(const ModuleState& state) {
  const std::string macro = MacroName(state.prefix);
  return fmt::format(
      "#ifndef {0}_EXTERNS_H_\n#define {0}_EXTERNS_H_\n\n"
      "/* Functions that the module calls and the program defines. Include this file in their "
      "sources. */\n"
      "#include <stdint.h>\n\n{1}#endif /* {0}_EXTERNS_H_ */\n",
      macro, ExternDeclarations(state));
}

/// The facts that the header states about the source.
HeaderFacts FactsOf(const ModuleState& state, const ModelInterface& interface,
                    const EmittedC& result) {
  HeaderFacts facts{.math = result.needs.math};
  facts.constant_bytes = ConstantBytesOutsidePools(state.constants, interface.model().loads);
  if (result.constant_storage == ConstantStorage::kFile) {
    facts.file_alignment = 1;
    for (const Blob& blob : state.blobs)
      facts.file_alignment = std::max(*facts.file_alignment, blob.alignment);
    facts.replaceable = state.options.replaceable;
  }
  return facts;
}

void AddHeader(const ModuleState& state, const ModelInterface& interface, EmittedC& result) {
  result.scales = interface.Scales();
  result.files.push_back(
      {result.abi.prefix + ".h", interface.Header(FactsOf(state, interface, result))});
}

/// Only the header names the model, so that two models with equal code have equal sources.
std::string SourceComment(const Provenance& provenance, const std::string& header) {
  if (provenance.program.empty()) return "/* Made by Tenon. */\n";
  const std::string program = CommentText(provenance.program);
  if (header.empty()) return fmt::format("/* Made by {}. */\n", program);
  return fmt::format("/* Made by {}; {}.h names the model and the options. */\n", program, header);
}

void AddRuntimeNeeds(const ModuleState& state, RuntimeNeeds& needs) {
  needs.products = state.has_lane_macros;
  needs.parallel = state.has_parallel_loops;
  needs.thread_pool = needs.parallel && state.options.parallel == ParallelLoops::kThreads;
}

std::string Source(ModuleState& state, const std::string& functions, const std::string& pools,
                   const std::string& run, bool has_header,
                   const std::vector<std::string>& includes) {
  std::string out = SourceComment(state.options.provenance, has_header ? state.prefix : "") + "\n";
  if (has_header) out += fmt::format("#include \"{}.h\"\n\n", state.prefix);
  out += "#include \"tenon_runtime.h\"\n";
  for (const std::string& include : includes) out += fmt::format("#include {}\n", include);
  out += "\nTENON_GENERATED_SOURCE\n\n";
  if (state.is_little_endian) out += kLittleEndianOnly;
  if (!state.externs.empty() && ExternsHeaderName(state).empty())
    out +=
        "/* Functions that the module calls and does not define. */\n" + ExternDeclarations(state);
  if (!state.vector_types.empty()) {
    out += "/* Vectors of GNU C; those in _u are in memory, where any element may begin one. */\n";
    for (const auto& [name, definition] : state.vector_types) out += definition;
    out += "\n";
  }
  return out + pools + functions + run;
}

}  // namespace

void ModuleState::Error(SourceRange range, std::string message) {
  diagnostics.Error(DiagnosticKind::kLoweringC, range, std::move(message));
}

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
  const Function* main = EntryOf(module, options);
  std::optional<ModelInterface> interface;
  std::optional<EntryEmitter> entry;
  if (main != nullptr) {
    interface.emplace(*main, effects.Of(*main), state.prefix, options, diagnostics);
    entry.emplace(state, *main, *interface);
    result.abi = interface->abi();
    AddDecoders(interface->model().loads, result.needs);
    FindOperators(*main, state);
  }
  NameFunctions(state);
  std::vector<const Function*> order;
  for (const size_t index : CallGraph(module).Reached())
    order.push_back(&module.functions()[index]);
  LayOutConstantsOf(state, order);
  if (entry && checks) entry->AddCheckedPools(order);
  FunctionTexts functions = EmitFunctions(state, order);
  if (entry) {
    if (!checks) entry->AddConstantPools();
    entry->AddStoredConstants();
  }
  result.constant_storage = StorageOf(state);
  if (result.constant_storage == ConstantStorage::kFile && main == nullptr)
    state.Error({}, "constants in a file need an entry function, which checks that they are there");
  SettleByteOrder(state, result.constant_storage);
  std::string pools, run;
  result.needs.math = MathFunctions(module, order);
  if (entry) {
    pools = entry->Pools();
    if (diagnostics.error_count() == errors) run = EmitEntry(state, *entry, *main);
    AddHeader(state, *interface, result);
  } else if (!functions.declarations.empty()) {
    functions.definitions = functions.declarations + "\n" + functions.definitions;
  }
  if (diagnostics.error_count() != errors) return std::nullopt;
  pools = Constants(state, result.constant_storage) + pools;
  AddRuntimeNeeds(state, result.needs);
  if (result.needs.parallel && !result.needs.thread_pool) pools = kDefaultParallelFor + pools;
  std::vector<std::string> includes = Includes(result, entry ? &*entry : nullptr);
  if (const std::string name = ExternsHeaderName(state); !name.empty()) {
    includes.push_back(fmt::format("\"{}\"", name));
    result.files.push_back({name, ExternsHeader(state)});
  }
  result.files.push_back({result.abi.prefix + ".c", Source(state, functions.definitions, pools, run,
                                                           main != nullptr, includes)});
  if (result.constant_storage != ConstantStorage::kCArray) result.blobs = std::move(state.blobs);
  for (EmittedFile& file : RuntimeFiles(result.needs)) result.files.push_back(std::move(file));
  return result;
}

}  // namespace tenon
