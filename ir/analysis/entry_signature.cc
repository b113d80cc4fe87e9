#include "ir/analysis/entry_signature.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ir/analysis/param_names.h"
#include "ir/constant.h"
#include "ir/mapped_tensors.h"
#include "support/check.h"

namespace tenon {

namespace {

/// The dtype, shape and size of a parameter's buffer.
void DescribeBuffer(const Buffer& buffer, EntryTensor& tensor) {
  tensor.dtype = buffer.dtype;
  tensor.size_bytes = buffer.dtype.bytes();
  for (const Expr* extent : buffer.shape) {
    const int64_t* value = AsIntImm(extent);
    if (value == nullptr || *value < 0 ||
        __builtin_mul_overflow(tensor.size_bytes, *value, &tensor.size_bytes)) {
      tensor.has_shape = false;
      tensor.size_bytes = 0;
      tensor.shape.clear();
      return;
    }
    tensor.shape.push_back(*value);
  }
  // Lanes are the innermost dimension of what a file holds.
  if (buffer.dtype.lanes() > 1) tensor.shape.push_back(buffer.dtype.lanes());
}

EntryTensor TensorOfParam(const PrimFunc& func, size_t index, const ArgumentEffect& effect) {
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
  tensor.is_output = effect.writes;
  if (func.buffers[index] == nullptr) {
    tensor.has_shape = false;
  } else {
    DescribeBuffer(*func.buffers[index], tensor);
  }
  return tensor;
}

/// Tensors that lie in pools, each with its index among the parameters as they were.
std::vector<std::pair<int64_t, EntryTensor>> PlacedTensors(const EntrySignature& signature,
                                                           const SignatureError& error) {
  std::vector<std::pair<int64_t, EntryTensor>> placed;
  for (MappedTensor& mapped : ReadMappedTensors(*signature.entry->func)) {
    EntryTensor tensor;
    tensor.name = std::move(mapped.name);
    tensor.dtype = mapped.dtype;
    tensor.shape = std::move(mapped.shape);
    if (mapped.dtype.lanes() > 1) tensor.shape.push_back(mapped.dtype.lanes());
    tensor.size_bytes = mapped.size_bytes;
    tensor.is_output = mapped.is_output;
    const std::optional<size_t> pool = signature.PoolNamed(mapped.pool);
    if (!pool || signature.pools[*pool].pool.is_constant ||
        mapped.offset > signature.pools[*pool].size_bytes - mapped.size_bytes) {
      error(
          fmt::format("`{}` lies in the pool `{}`, but the entry takes no such pool, or none as "
                      "large",
                      tensor.name, mapped.pool));
      continue;
    }
    tensor.place = EntryTensor::Place{*pool, mapped.offset};
    placed.emplace_back(mapped.index, std::move(tensor));
  }
  return placed;
}

/// Whether parameter `index` is a device's handle: the last one, if it points to nothing known.
bool IsResourceHandle(const PrimFunc& func, size_t index) {
  const Var& param = *func.params[index];
  return index > 0 && index + 1 == func.params.size() && func.buffers[index] == nullptr &&
         param.dtype.is_handle() && !param.type->is_pointer();
}

}  // namespace

std::optional<size_t> EntrySignature::PoolNamed(std::string_view name) const {
  for (size_t i = 0; i < pools.size(); ++i) {
    if (pools[i].pool.name == name) return i;
  }
  return std::nullopt;
}

EntrySignature ReadEntrySignature(const Function& entry, const FunctionEffects& effects,
                                  const SignatureError& error) {
  const PrimFunc& func = *entry.func;
  TENON_CHECK(effects.params.size() == func.params.size());
  EntrySignature signature;
  signature.entry = &entry;
  signature.pools = ReadPoolArgs(func);
  const size_t end = EndOfPoolParams(func, signature.pools);
  const size_t first_pool = end - std::min(end, signature.pools.size());
  signature.pools.resize(end - first_pool);
  for (size_t i = 0; i < func.params.size(); ++i) {
    if (i >= first_pool && i < end) {
      signature.pool_params.push_back(i);
    } else if (IsResourceHandle(func, i)) {
      signature.resource_handle = i;
    } else {
      signature.tensors.push_back(TensorOfParam(func, i, effects.params[i]));
    }
  }
  signature.tensors =
      InOrderOfParams(std::move(signature.tensors), PlacedTensors(signature, error));
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
                      constant.name, constant.pool, kLoadedConstantsKey));
      continue;
    }
    TENON_CHECK(pool.has_value());
    loads.push_back({std::move(constant), *pool, stored_pool});
  }
  return loads;
}

}  // namespace tenon
