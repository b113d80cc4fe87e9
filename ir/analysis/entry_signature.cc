#include "ir/analysis/entry_signature.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ir/analysis/param_names.h"
#include "ir/attributes.h"
#include "ir/constant.h"
#include "ir/extents.h"
#include "ir/linked_params.h"
#include "ir/mapped_tensors.h"
#include "support/check.h"

namespace tenon {

namespace {

/// The dtype, shape and size of a parameter's buffer.
void DescribeBuffer(const Buffer& buffer, EntryTensor& tensor) {
  tensor.dtype = buffer.dtype;
  const std::optional<int64_t> bytes = StaticBytes(buffer.dtype, buffer.shape);
  tensor.has_shape = bytes.has_value();
  tensor.size_bytes = bytes.value_or(0);
  if (!bytes) return;
  const auto shape = StaticShape(buffer.shape);
  tensor.shape.assign(shape->begin(), shape->end());
  // In a file, lanes are the innermost dimension.
  if (buffer.dtype.lanes() > 1) tensor.shape.push_back(buffer.dtype.lanes());
}

EntryTensor TensorOfParam(const PrimFunc& func, size_t index, bool is_output) {
  TENON_CHECK(index < func.params.size() && func.buffers.size() == func.params.size());
  const Var& param = *func.params[index];
  EntryTensor tensor;
  tensor.name = ParamName(func, index);
  tensor.param = index;
  tensor.dtype = param.dtype;
  if (!param.dtype.is_handle()) {
    tensor.is_scalar = true;
    tensor.has_shape = param.dtype.is_scalar();
    tensor.size_bytes = param.dtype.bytes();
    return tensor;
  }
  tensor.is_output = is_output;
  if (func.buffers[index] == nullptr) {
    tensor.has_shape = false;
  } else {
    DescribeBuffer(*func.buffers[index], tensor);
  }
  return tensor;
}

EntryTensor TensorOfMapped(MappedTensor& mapped) {
  EntryTensor tensor;
  tensor.name = std::move(mapped.name);
  tensor.dtype = mapped.dtype;
  tensor.shape = std::move(mapped.shape);
  if (mapped.dtype.lanes() > 1) tensor.shape.push_back(mapped.dtype.lanes());
  tensor.size_bytes = mapped.size_bytes;
  tensor.is_output = mapped.is_output;
  return tensor;
}

/// Tensors that lie in pools, each with its original parameter index.
std::vector<std::pair<int64_t, EntryTensor>> PlacedTensors(const EntrySignature& signature,
                                                           const SignatureError& error) {
  std::vector<std::pair<int64_t, EntryTensor>> placed;
  for (MappedTensor& mapped : ReadMappedTensors(*signature.entry->func)) {
    EntryTensor tensor = TensorOfMapped(mapped);
    const std::optional<size_t> pool = signature.PoolNamed(mapped.pool);
    if (!pool || signature.pools[*pool].pool.is_constant ||
        mapped.offset > signature.pools[*pool].size_bytes - mapped.size_bytes) {
      error(
          fmt::format("`{}` lies in the pool `{}`, but the entry does not take that pool, or takes "
                      "a smaller one",
                      tensor.name, mapped.pool));
      continue;
    }
    tensor.place = EntryTensor::Place{*pool, mapped.offset};
    placed.emplace_back(mapped.index, std::move(tensor));
  }
  return placed;
}

/// Whether parameter `index` is the last one, a handle without a known pointee.
bool IsLastBareHandle(const PrimFunc& func, size_t index) {
  const Var& param = *func.params[index];
  return index + 1 == func.params.size() && func.buffers[index] == nullptr &&
         param.dtype.is_handle() && !param.type->is_pointer();
}

/// Whether parameter `index` is a device's handle, which follows other parameters.
bool IsResourceHandle(const PrimFunc& func, size_t index) {
  return index > 0 && IsLastBareHandle(func, index);
}

/// The parameters of an entry function by role.
struct ParamSplit {
  std::vector<EntryTensor> tensors;
  std::vector<PoolArg> pools;
  std::vector<size_t> pool_params;
  std::optional<size_t> resource_handle;
};

ParamSplit SplitParams(const PrimFunc& func, const FunctionEffects& effects) {
  ParamSplit split;
  split.pools = ReadPoolArgs(func);
  const size_t end = EndOfPoolParams(func, split.pools);
  const size_t first_pool = end - std::min(end, split.pools.size());
  split.pools.resize(end - first_pool);
  const std::vector<const Constant*> linked = LinkedParams(func);
  const std::vector<bool> is_output = OutputParams(func, effects);
  for (size_t i = 0; i < func.params.size(); ++i) {
    if (i >= first_pool && i < end) {
      split.pool_params.push_back(i);
    } else if (IsResourceHandle(func, i)) {
      split.resource_handle = i;
    } else if (linked[i] == nullptr) {
      split.tensors.push_back(TensorOfParam(func, i, is_output[i]));
    }
  }
  return split;
}

bool Contains(const std::vector<std::string_view>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Checks that each declared output is a pointer parameter, or was one before it moved to a pool.
void CheckDeclaredOutputs(const PrimFunc& func, const SignatureError& error) {
  const std::optional<std::vector<std::string_view>> declared = DeclaredOutputs(func);
  if (!declared || declared->empty()) return;
  std::vector<std::string> known;
  for (size_t i = 0; i < func.params.size(); ++i) {
    if (func.params[i]->dtype.is_handle()) known.emplace_back(ParamName(func, i));
  }
  for (MappedTensor& mapped : ReadMappedTensors(func)) known.push_back(std::move(mapped.name));
  for (const std::string_view name : *declared) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    error(fmt::format("the attribute `{}` names `{}`, which is not a tensor of the entry",
                      attr_key::kOutputs, name));
  }
}

}  // namespace

std::optional<size_t> EntrySignature::PoolNamed(std::string_view name) const {
  for (size_t i = 0; i < pools.size(); ++i) {
    if (pools[i].pool.name == name) return i;
  }
  return std::nullopt;
}

std::vector<bool> OutputParams(const PrimFunc& function, const FunctionEffects& effects) {
  std::vector<bool> is_output(function.params.size());
  const std::optional<std::vector<std::string_view>> declared = DeclaredOutputs(function);
  for (size_t i = 0; i < is_output.size(); ++i) {
    if (!function.params[i]->dtype.is_handle()) continue;
    is_output[i] =
        declared ? Contains(*declared, ParamName(function, i)) : effects.params[i].writes;
  }
  return is_output;
}

std::vector<EntryTensor> EntryTensors(const PrimFunc& function, const FunctionEffects& effects) {
  std::vector<std::pair<int64_t, EntryTensor>> mapped;
  for (MappedTensor& tensor : ReadMappedTensors(function)) {
    const int64_t index = tensor.index;
    mapped.emplace_back(index, TensorOfMapped(tensor));
  }
  ParamSplit split = SplitParams(function, effects);
  // A device's handle may be the only parameter left when tensors have moved to pools.
  if (!split.tensors.empty() && IsLastBareHandle(function, split.tensors.back().param))
    split.tensors.pop_back();
  return InOrderOfParams(std::move(split.tensors), std::move(mapped));
}

EntrySignature ReadEntrySignature(const Function& entry, const FunctionEffects& effects,
                                  const SignatureError& error) {
  TENON_CHECK(effects.params.size() == entry.func->params.size());
  EntrySignature signature;
  signature.entry = &entry;
  ParamSplit split = SplitParams(*entry.func, effects);
  signature.pools = std::move(split.pools);
  signature.pool_params = std::move(split.pool_params);
  signature.resource_handle = split.resource_handle;
  signature.tensors = InOrderOfParams(std::move(split.tensors), PlacedTensors(signature, error));
  CheckDeclaredOutputs(*entry.func, error);
  return signature;
}

std::vector<PlacedLoad> ReadPlacedLoads(const EntrySignature& signature,
                                        const SignatureError& error) {
  std::vector<PlacedLoad> loads;
  for (LoadedConstant& constant : ReadLoadedConstants(*signature.entry->func)) {
    const std::optional<size_t> pool = signature.PoolNamed(constant.pool);
    const int64_t room = pool ? signature.pools[*pool].size_bytes : -1;
    const bool fits = constant.size_bytes <= room && constant.offset <= room - constant.size_bytes;
    TENON_CHECK(constant.stored != nullptr);
    const bool is_alone = constant.stored_pool.empty();
    const std::optional<size_t> stored_pool =
        is_alone ? std::nullopt : signature.PoolNamed(constant.stored_pool);
    const bool is_stored =
        constant.stored->has_bytes() && (is_alone || stored_pool) &&
        (!constant.codec.empty() || constant.stored->size_bytes() == constant.size_bytes);
    if (!fits || !is_stored) {
      error(
          fmt::format("constant `{}` cannot be loaded into pool `{}`: it has no data, or the "
                      "pools are not what the attribute `{}` says",
                      constant.name, constant.pool, attr_key::kLoadedConstants));
      continue;
    }
    TENON_CHECK(pool.has_value());
    loads.push_back({std::move(constant), *pool, stored_pool});
  }
  return loads;
}

}  // namespace tenon
