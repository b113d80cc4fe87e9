// Declares all functions before it emits any, so that calls need no order. Names of the interface
// are taken first. The result is verified once, so that no later step must.

#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>

#include <algorithm>

#include "absl/container/flat_hash_set.h"
#include "fmt/format.h"
#include "ir/analysis/call_graph.h"
#include "ir/context.h"
#include "ir/function_interface.h"
#include "lowering/llvm/llvm_internal.h"

namespace tenon::llvm_lowering {

namespace {

/// `tvmgen_default_f`, with a numeric suffix if two functions would have the same name.
std::string FunctionName(const ModuleState& state, const Function& function,
                         absl::flat_hash_set<std::string>& taken) {
  const std::string_view symbol = SymbolOf(function);
  const std::string base = SanitizeName(symbol.starts_with(state.options.prefix)
                                            ? std::string(symbol)
                                            : fmt::format("{}_{}", state.options.prefix, symbol));
  std::string name = base;
  for (int n = 1; !taken.insert(name).second; ++n) name = fmt::format("{}_{}", base, n);
  return name;
}

/// Emits the functions through which an application runs the model, and their data.
void EmitEntry(ModuleState& state, const Function& main) {
  const std::vector<const Function*> functions = EntryFunctions(state.module);
  if (functions.empty())
    state.Error(main.func->range, "the module has no functions to call it by; run make-entry");
  state.entry = DefineEntryData(state, main);
  for (const Function* function : functions) {
    state.functions[function->name] = FunctionEmitter::Declare(
        state, *function, function->global_symbol().empty(),
        fmt::format("{}_{}", state.options.prefix, EntryFunctionOf(*function)));
  }
  for (const Function* function : functions) FunctionEmitter(state, *function).Emit();
}

/// Adds a module to those in `out`.
void AddModule(const IRModule& module, const EmitLlvmOptions& options,
               const llvm::TargetMachine& machine, OutsideConstants& outside, llvm::Module& out,
               Diagnostics& diagnostics) {
  const size_t errors = diagnostics.error_count();
  const ModuleEffects effects(module);
  ModuleState state{module, options, diagnostics, effects, out, outside, INT64_MAX,
                    0,      {},      {},          {},      {},  {}};
  state.has_arm_dsp = HasArmDsp(machine);
  state.has_arm_mve = HasArmMve(machine);
  state.x86_pair_bits = X86PairBits(machine);
  state.has_pmuldq = HasPmuldq(machine);
  state.quads = QuadInstructionsOf(machine);
  if (options.opt_level > 0) state.byte_sums = ByteSumsFormOf(machine);
  if (options.debug_info) state.debug = DebugInfo(out, module.context().sources());
  const std::vector<const Function*> functions = ReachedFunctions(module);
  LayOutConstantsOf(state, functions);
  const Function* main = module.Main();
  // Reserves the names of the interface.
  absl::flat_hash_set<std::string> taken;
  for (const std::string_view suffix : OwnSuffixes()) {
    if (main != nullptr) taken.insert(options.prefix + std::string(suffix));
  }
  for (const Function* function : functions) {
    // With an entry, all calls go through <prefix>_run.
    const bool is_internal = main != nullptr || function->global_symbol().empty();
    state.functions[function->name] = FunctionEmitter::Declare(
        state, *function, is_internal, FunctionName(state, *function, taken));
  }
  if (diagnostics.error_count() != errors) return;
  for (const Function* function : functions) FunctionEmitter(state, *function).Emit();
  if (main != nullptr) EmitEntry(state, *main);
  state.debug.Finish();
}

void AddArena(const LlvmProgram::Arena& arena, llvm::Module& out) {
  llvm::Type* type = llvm::ArrayType::get(llvm::Type::getInt8Ty(out.getContext()),
                                          static_cast<uint64_t>(std::max<int64_t>(arena.bytes, 1)));
  auto* global =
      new llvm::GlobalVariable(out, type, /*isConstant=*/false, llvm::GlobalValue::ExternalLinkage,
                               llvm::ConstantAggregateZero::get(type), arena.name);
  global->setAlignment(llvm::Align(static_cast<uint64_t>(arena.alignment)));
  if (llvm::Triple(out.getTargetTriple()).isOSBinFormatELF()) global->setSection(arena.section);
}

/// Whether the target's addresses reach all data of the module. Linkers also check this, but only
/// if no index wraps before.
bool Fits(const llvm::Module& out, const OutsideConstants& outside, Diagnostics& diagnostics) {
  const unsigned bits = out.getDataLayout().getPointerSizeInBits();
  if (bits >= 64) return true;
  uint64_t bytes = 0;
  for (const llvm::GlobalVariable& global : out.globals()) {
    if (global.hasInitializer())
      bytes += out.getDataLayout().getTypeAllocSize(global.getValueType()).getFixedValue();
  }
  for (const Blob& blob : outside.blobs) bytes += static_cast<uint64_t>(blob.size_bytes);
  if (bytes < uint64_t{1} << bits) return true;
  diagnostics.Error(DiagnosticKind::kUnsupported, {},
                    fmt::format("constants and workspace have {} bytes, and addresses of the "
                                "target {} bits",
                                bytes, bits));
  return false;
}

bool Verify(const llvm::Module& out, Diagnostics& diagnostics) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (!llvm::verifyModule(out, &stream)) return true;
  diagnostics.Error(DiagnosticKind::kUnsupported, {},
                    fmt::format("the generated LLVM code is not well formed: {}", stream.str()));
  return false;
}

}  // namespace

std::unique_ptr<llvm::Module> BuildModule(const LlvmProgram& program,
                                          const EmitLlvmOptions& options,
                                          const llvm::TargetMachine& machine,
                                          llvm::LLVMContext& context, OutsideConstants& outside,
                                          Diagnostics& diagnostics) {
  const size_t errors = diagnostics.error_count();
  auto out = std::make_unique<llvm::Module>(
      program.units.empty() ? options.prefix : program.units[0].prefix, context);
#if LLVM_VERSION_MAJOR >= 21
  out->setTargetTriple(machine.getTargetTriple());
#else
  out->setTargetTriple(machine.getTargetTriple().str());
#endif
  out->setDataLayout(machine.createDataLayout());
  if (machine.isPositionIndependent()) out->setPICLevel(llvm::PICLevel::BigPIC);
  if (options.debug_info) {
    out->addModuleFlag(llvm::Module::Warning, "Debug Info Version", llvm::DEBUG_METADATA_VERSION);
    out->addModuleFlag(llvm::Module::Warning, "Dwarf Version", 4);
  }
  for (const LlvmProgram::Unit& unit : program.units) {
    EmitLlvmOptions own = options;
    own.prefix = unit.prefix;
    AddModule(*unit.module, own, machine, outside, *out, diagnostics);
  }
  for (const LlvmProgram::Arena& arena : program.arenas) AddArena(arena, *out);
  if (diagnostics.error_count() != errors || !Fits(*out, outside, diagnostics) ||
      !Verify(*out, diagnostics))
    return nullptr;
  return out;
}

}  // namespace tenon::llvm_lowering
