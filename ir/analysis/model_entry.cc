#include "ir/analysis/model_entry.h"

#include <fmt/format.h>

#include <algorithm>

#include "ir/attributes.h"

namespace tenon {

std::vector<size_t> ModelEntry::Fields(bool is_output) const {
  std::vector<size_t> fields;
  for (size_t i = 0; i < signature.tensors.size(); ++i) {
    if (signature.tensors[i].is_output == is_output) fields.push_back(i);
  }
  return fields;
}

std::optional<size_t> ModelEntry::PoolField(size_t pool) const {
  const std::vector<PoolArg>& pools = signature.pools;
  if (pool >= pools.size() || pools[pool].pool.is_internal) return std::nullopt;
  return static_cast<size_t>(
      std::count_if(pools.begin(), pools.begin() + static_cast<std::ptrdiff_t>(pool),
                    [](const PoolArg& arg) { return !arg.pool.is_internal; }));
}

bool ModelEntry::HasCallerPools() const {
  return std::any_of(signature.pools.begin(), signature.pools.end(),
                     [](const PoolArg& arg) { return !arg.pool.is_internal; });
}

bool ModelEntry::MapsAny(bool is_output) const {
  return std::any_of(
      signature.tensors.begin(), signature.tensors.end(),
      [&](const EntryTensor& tensor) { return tensor.is_output == is_output && tensor.place; });
}

bool ModelEntry::MapsAll(bool is_output) const {
  return std::all_of(
      signature.tensors.begin(), signature.tensors.end(),
      [&](const EntryTensor& tensor) { return tensor.is_output != is_output || tensor.place; });
}

bool ModelEntry::NeedsInit() const {
  return std::any_of(loads.begin(), loads.end(), [&](const PlacedLoad& load) {
    return !signature.pools[load.pool].pool.is_internal;
  });
}

bool ModelEntry::HasFini() const {
  return std::any_of(inits.begin(), inits.end(),
                     [](const ExternalInit& init) { return !init.fini.empty(); });
}

ModelEntry ReadModelEntry(const Function& entry, const FunctionEffects& effects,
                          const SignatureError& error) {
  ModelEntry model;
  model.signature = ReadEntrySignature(entry, effects, error);
  model.loads = ReadPlacedLoads(model.signature, error);
  model.feed = ReadRowFeed(*entry.func);
  model.state_pool = model.signature.PoolNamed(kStatePool);
  const int64_t size = model.state_pool ? model.signature.pools[*model.state_pool].size_bytes : 0;
  for (ExternalInit& init : ReadExternalInits(*entry.func)) {
    if (init.bytes <= size && init.offset <= size - init.bytes) {
      model.inits.push_back(std::move(init));
      continue;
    }
    error(fmt::format("the state that `{}` fills has {} bytes from {} on, and its pool `{}` has {}",
                      init.symbol, init.bytes, init.offset, kStatePool, size));
  }
  return model;
}

std::string_view EntryFunctionOf(const Function& function) {
  const std::string_view* role = AsString(function.FindAttr(attr_key::kEntryFunction));
  return role == nullptr ? std::string_view() : *role;
}

std::vector<const Function*> EntryFunctions(const IRModule& module) {
  std::vector<const Function*> functions;
  for (const Function& function : module.functions()) {
    if (!EntryFunctionOf(function).empty()) functions.push_back(&function);
  }
  return functions;
}

IRModule WithoutEntryFunctions(IRModule module) {
  std::vector<Symbol> names;
  for (const Function* function : EntryFunctions(module)) names.push_back(function->name);
  for (const Symbol name : names) module.Remove(name);
  return module;
}

}  // namespace tenon
