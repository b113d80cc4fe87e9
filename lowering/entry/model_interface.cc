// Reads the interface of an entry from its attributes, and names its fields and macros. C's names
// are valid in all languages that call the code.

#include "lowering/entry/model_interface.h"

#include <fmt/format.h>

#include <algorithm>

#include "ir/analysis/call_graph.h"
#include "ir/analysis/constant_section.h"
#include "ir/analysis/parallel_loops.h"
#include "ir/emitted_names.h"
#include "ir/function_interface.h"
#include "ir/visitor.h"
#include "lowering/entry/c_names.h"
#include "lowering/entry/c_text.h"
#include "lowering/entry/library_calls.h"
#include "lowering/symbol_names.h"

namespace tenon {

ModelInterface::ModelInterface(const Function& entry, const FunctionEffects& effects,
                               std::string_view prefix, const InterfaceOptions& options,
                               Diagnostics& diagnostics)
    : entry_(entry), prefix_(prefix), options_(options), diagnostics_(diagnostics) {
  model_ = ReadModelEntry(entry, effects, [&](std::string message) { Error(std::move(message)); });
  abi_.prefix = std::string(prefix);
  abi_.has_run = true;
  AddPools();
  AddTensors();
  AddInits();
}

void ModelInterface::Error(std::string message) const {
  diagnostics_.Error(DiagnosticKind::kLoweringC, entry_.func->range, std::move(message));
}

InterfacePool ModelInterface::MakePool(const PoolArg& arg) {
  InterfacePool pool;
  pool.field = SanitizeName(arg.pool.name);
  if (IsReservedWord(pool.field) || IsMacroOf(prefix_, pool.field)) pool.field += "_v";
  pool.bytes = arg.size_bytes;
  pool.is_constant = arg.pool.is_constant;
  pool.is_internal = arg.pool.is_internal;
  pool.alignment = std::max(
      arg.alignment, pool.is_constant ? options_.constant_alignment : options_.workspace_alignment);
  pool.section = arg.pool.section;
  if (pool.is_constant && pool.is_internal && !arg.pool.header.empty()) {
    pool.header = arg.pool.header;
    if (pool.field != arg.pool.name || !IsHeaderName(pool.header)) {
      Error(fmt::format("pool `{}` cannot be declared by the header `{}` of C", arg.pool.name,
                        pool.header));
    }
  }
  if (!IsSectionName(pool.section))
    Error(fmt::format("the section of pool `{}` cannot be written in C", arg.pool.name));
  if (std::string error = SectionError(arg.pool); !error.empty()) Error(std::move(error));
  for (const InterfacePool& other : pools_) {
    if (other.field == pool.field)
      Error(fmt::format("two pools of the entry have the name `{}` in C", pool.field));
  }
  if (pool.section.empty())
    pool.section = pool.is_constant ? options_.constant_section : options_.workspace_section;
  return pool;
}

void ModelInterface::AddPools() {
  for (const PoolArg& arg : signature().pools) {
    const InterfacePool& pool = pools_.emplace_back(MakePool(arg));
    if (pool.is_internal) continue;
    abi_.pools.push_back({pool.field, pool.is_constant, pool.bytes, pool.alignment,
                          arg.pool.base_address % pool.alignment, pool.section});
  }
}

/// `<PREFIX>_X_SIZE`, with a numeric suffix if another macro of the header has that name: tensors
/// `x` and `X` are distinct in C, but their macros are not.
std::string ModelInterface::SizeMacro(const std::string& field) {
  const std::string prefix = MacroName(prefix_);
  if (macros_.empty()) {
    macros_ = {prefix + "_WORKSPACE_SIZE", prefix + "_CONSTANTS_SIZE"};
    for (const InterfacePool& pool : pools_) macros_.insert(PoolMacro(pool) + "_SIZE");
  }
  const std::string base = fmt::format("{}_{}_SIZE", prefix, MacroName(field));
  std::string macro = base;
  for (int n = 1; !macros_.insert(macro).second; ++n) macro = fmt::format("{}_{}", base, n);
  return macro;
}

/// The prefix of a pool's macros.
std::string ModelInterface::PoolMacro(const InterfacePool& pool) const {
  return fmt::format("{}_{}_{}_POOL", MacroName(prefix_), MacroName(pool.field),
                     pool.is_constant ? "CONSTANT" : "WORKSPACE");
}

/// Names the tensors, which are fields of their structs.
void ModelInterface::AddTensors() {
  NameScope fields;
  for (const EntryTensor& entry : signature().tensors) {
    InterfaceTensor& tensor = tensors_.emplace_back(InterfaceTensor{entry, {}, {}, {}});
    if (tensor.is_scalar) tensor.scalar = CType(tensor.dtype);
    std::string wanted = SanitizeName(tensor.name);
    if (IsMacroOf(prefix_, wanted)) wanted += "_v";
    tensor.field = fields.Unique(wanted);
    if (tensor.field != wanted && !IsReservedWord(wanted))
      Error(fmt::format("two tensors of the entry have the name `{}` in C", wanted));
    tensor.macro = SizeMacro(tensor.field);
    (tensor.is_output ? abi_.outputs : abi_.inputs)
        .push_back({.name = tensor.field,
                    .size_bytes = tensor.size_bytes,
                    .is_mapped = tensor.place.has_value(),
                    .row_bytes = !tensor.is_output && model_.feed ? model_.feed->row_bytes : 0,
                    .type = std::string(CType(tensor.dtype.element())),
                    .size_macro = tensor.macro,
                    .alignment = tensor.dtype.element_bytes()});
  }
}

void ModelInterface::AddInits() {
  for (const ExternalInit& init : model_.inits) {
    if (std::string error = ExternNameError(prefix_, init.symbol); !error.empty())
      Error(std::move(error));
  }
  abi_.has_init = model_.HasInit();
  abi_.needs_init = model_.NeedsInit();
}

std::string InterfacePrefix(const IRModule& module, std::string_view module_name) {
  for (const Function* function : EntryFunctions(module)) {
    const std::string_view symbol = function->global_symbol();
    const size_t end = symbol.rfind(fmt::format("_{}", EntryFunctionOf(*function)));
    if (end != std::string_view::npos) return std::string(symbol.substr(0, end));
  }
  return EmittedPrefix(module, module_name);
}

int64_t ConstantBytesOutsidePools(const ModuleConstants& constants,
                                  const std::vector<PlacedLoad>& loads) {
  int64_t bytes = 0;
  for (const ConstantBlock& block : constants.blocks()) bytes += block.size_bytes();
  for (const PlacedLoad& load : loads) {
    if (!load.stored_pool) bytes += load.constant.stored->size_bytes();
  }
  return bytes;
}

void AddDecoders(const std::vector<PlacedLoad>& loads, RuntimeNeeds& needs) {
  for (const PlacedLoad& load : loads) {
    needs.lz4 |= load.constant.codec == "lz4";
    needs.zstd |= load.constant.codec == "zstd";
  }
}

namespace {

bool HasParallelLoops(const std::vector<const Function*>& functions) {
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

}  // namespace

std::optional<EntryInterface> MakeEntryInterface(const IRModule& module,
                                                 std::string_view module_name,
                                                 const InterfaceOptions& options,
                                                 Diagnostics& diagnostics) {
  const size_t errors = diagnostics.error_count();
  const std::vector<const Function*> functions = ReachedFunctions(module);
  EntryInterface result;
  result.abi.prefix = InterfacePrefix(module, module_name);
  result.needs.math = MathFunctions(module, functions);
  if (const Function* main = module.Main()) {
    const ModuleEffects effects(module);
    const std::string prefix = result.abi.prefix;
    const ModelInterface interface(*main, effects.Of(*main), prefix, options, diagnostics);
    AddDecoders(interface.model().loads, result.needs);
    HeaderFacts facts{.math = result.needs.math};
    facts.constant_bytes = ConstantBytesOutsidePools(
        ModuleConstants(functions, options.constant_alignment), interface.model().loads);
    result.abi = interface.abi();
    result.header = {prefix + ".h", interface.Header(facts)};
  }
  if (diagnostics.error_count() != errors) return std::nullopt;
  result.needs.parallel = HasParallelLoops(functions);
  result.needs.thread_pool = result.needs.parallel && options.parallel == ParallelLoops::kThreads;
  return result;
}

}  // namespace tenon
