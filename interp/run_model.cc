#include "interp/run_model.h"

#include <algorithm>
#include <cstring>

#include "fmt/format.h"
#include "ir/analysis/effects.h"
#include "ir/analysis/entry_signature.h"
#include "ir/linked_params.h"
#include "ir/loaded_constants.h"
#include "ir/memory_pools.h"

namespace tenon {
namespace {

EntrySignature SignatureOf(const Function& function, const FunctionEffects& effects) {
  return ReadEntrySignature(function, effects, [](const std::string&) {});
}

/// The pool for parameter `index`, or null.
const PoolArg* PoolOfParam(const EntrySignature& signature, size_t index) {
  for (size_t i = 0; i < signature.pools.size(); ++i) {
    if (signature.pool_params[i] == index) return &signature.pools[i];
  }
  return nullptr;
}

bool FillConstants(const PoolInfo& pool, SourceRange range, std::vector<uint8_t>& bytes,
                   Diagnostics& diagnostics) {
  for (const PooledConstant& constant : pool.constants) {
    if (constant.data == nullptr) {
      diagnostics.Error(DiagnosticKind::kMetadata, range,
                        "a constant of the pool has no data: the text lacks its metadata");
      return false;
    }
    const int64_t* offset = &constant.byte_offset;
    const auto content = constant.data->Bytes();
    if (!content.ok()) {
      const auto message = content.status().message();
      diagnostics.Error(DiagnosticKind::kConstantFile, range,
                        std::string(message.data(), message.size()));
      return false;
    }
    const auto size = static_cast<int64_t>(bytes.size());
    const auto count = static_cast<int64_t>(content->size());
    if (*offset < 0 || *offset > size || count > size - *offset) {
      diagnostics.Error(DiagnosticKind::kMetadata, range,
                        fmt::format("a constant of {} bytes at {} does not fit the pool of {}",
                                    count, *offset, size));
      return false;
    }
    if (count > 0) std::memcpy(bytes.data() + *offset, content->data(), content->size());
  }
  return true;
}

/// Fills in the constants of a constant pool, or those loaded into a workspace pool: they are
/// present when the model runs.
bool FillPool(const Function& main, const PoolInfo& pool, Argument& argument,
              Diagnostics& diagnostics) {
  if (pool.is_constant)
    return FillConstants(pool, main.func->range, argument.tensor->bytes, diagnostics);
  const absl::Status status = LoadConstants(*main.func, pool.name, argument.tensor->bytes);
  if (!status.ok()) {
    diagnostics.Error(DiagnosticKind::kMetadata, main.func->range, std::string(status.message()));
    return false;
  }
  for (const LoadedConstant& constant : ReadLoadedConstants(*main.func)) {
    if (constant.pool == pool.name)
      argument.written.push_back({constant.offset, constant.offset + constant.size_bytes});
  }
  return true;
}

/// The given tensor for input number `index`; null after an error.
NamedTensor* FindInput(std::vector<NamedTensor>& inputs, size_t index, const ModelParam& param,
                       Diagnostics& diagnostics) {
  NamedTensor* found = nullptr;
  size_t unnamed = 0;
  for (NamedTensor& input : inputs) {
    if (input.name.empty() ? unnamed++ == index : input.name == param.name) found = &input;
  }
  if (found == nullptr) {
    diagnostics.Error(DiagnosticKind::kArguments, {},
                      fmt::format("missing value of input `{}`", param.name));
    return nullptr;
  }
  const Tensor& tensor = found->tensor;
  bool fits = tensor.dtype == param.dtype && tensor.shape.size() == param.shape.size();
  int64_t bytes = tensor.dtype.bytes();
  for (size_t i = 0; fits && i < param.shape.size(); ++i) {
    fits = param.shape[i] == -1 || param.shape[i] == tensor.shape[i];
    fits = fits && !__builtin_mul_overflow(bytes, tensor.shape[i], &bytes);
  }
  if (!fits || bytes != static_cast<int64_t>(tensor.bytes.size())) {
    diagnostics.Error(
        DiagnosticKind::kArguments, {},
        fmt::format("input `{}` is {} of {}, but {} dimensions of {} are given with {} bytes",
                    param.name, param.dtype.ToString(), param.shape.size(), tensor.shape.size(),
                    tensor.dtype.ToString(), tensor.bytes.size()));
    return nullptr;
  }
  return found;
}

/// The first element of a tensor as the value of a scalar parameter.
Argument ScalarOf(const Tensor& tensor) {
  uint64_t bits = 0;
  const size_t size = std::min<size_t>(static_cast<size_t>(tensor.dtype.element_bytes()),
                                       std::min(sizeof bits, tensor.bytes.size()));
  if (size > 0) std::memcpy(&bits, tensor.bytes.data(), size);
  const int shift = 64 - tensor.dtype.bits();
  if (!tensor.dtype.is_int()) return Argument::Scalar(static_cast<int64_t>(bits));
  return Argument::Scalar(static_cast<int64_t>(bits << shift) >> shift);
}

bool MakeBytes(const ModelParam& param, const InterpreterOptions& options, Tensor* tensor,
               Diagnostics& diagnostics) {
  int64_t bytes = param.role == ModelParam::Role::kOutput ? param.dtype.bytes() : param.pool_bytes;
  bool ok = true;
  if (param.role == ModelParam::Role::kOutput) {
    for (const int64_t extent : param.shape) {
      ok = ok && extent >= 0 && !__builtin_mul_overflow(bytes, extent, &bytes);
    }
  }
  if (!ok || bytes < 0 || bytes > options.max_bytes) {
    diagnostics.Error(
        DiagnosticKind::kMemoryLimit, {},
        fmt::format("`{}` needs {} bytes, which a run may not use, or its size is not "
                    "known",
                    param.name, bytes));
    return false;
  }
  tensor->dtype = param.dtype;
  tensor->shape = param.shape;
  tensor->bytes.resize(static_cast<size_t>(bytes));
  return true;
}

ModelParam ParamOf(const EntrySignature& signature, size_t i, const FunctionEffects& effects) {
  const Function& function = *signature.entry;
  const Var* var = function.func->params[i];
  const Buffer* buffer = function.func->buffers[i];
  ModelParam param;
  param.name = var->name.view();
  param.dtype = buffer == nullptr ? var->dtype : buffer->dtype;
  if (const PoolArg* pool = PoolOfParam(signature, i)) {
    param.role =
        pool->pool.is_constant ? ModelParam::Role::kConstants : ModelParam::Role::kWorkspace;
    param.pool_bytes = pool->size_bytes;
    param.shape = {param.pool_bytes};
    param.dtype = DataType::UInt(8);
    return param;
  }
  if (LinkedParams(*function.func)[i] != nullptr) {
    param.role = ModelParam::Role::kLinked;
  } else if (buffer == nullptr && var->dtype.is_handle() && !var->type->is_pointer()) {
    param.role = ModelParam::Role::kHandle;
  } else if (OutputParams(*function.func, effects)[i]) {
    param.role = ModelParam::Role::kOutput;
  }
  if (buffer != nullptr) {
    for (const Expr* extent : buffer->shape) {
      const int64_t* value = AsIntImm(extent);
      param.shape.push_back(value == nullptr ? -1 : *value);
    }
  }
  return param;
}

std::vector<ModelParam> ParamsOf(const EntrySignature& signature, const FunctionEffects& effects,
                                 Diagnostics& diagnostics) {
  const PrimFunc& func = *signature.entry->func;
  std::vector<ModelParam> params;
  for (size_t i = 0; i < func.params.size(); ++i) {
    params.push_back(ParamOf(signature, i, effects));
    if (params.back().role == ModelParam::Role::kWorkspace && params.back().pool_bytes < 0) {
      diagnostics.Error(DiagnosticKind::kMetadata, func.range,
                        fmt::format("the pool `{}` has no size", params.back().name));
      return {};
    }
  }
  return params;
}

}  // namespace

std::vector<ModelParam> ModelParams(const IRModule& module, const Function& function,
                                    Diagnostics& diagnostics) {
  const ModuleEffects effects(module);
  const FunctionEffects& own = effects.Of(function);
  return ParamsOf(SignatureOf(function, own), own, diagnostics);
}

namespace {

/// Runs the entry; a result other than 0 is an error.
bool RunMain(const Interpreter& interpreter, const Function& main,
             const std::vector<Argument>& arguments, Diagnostics& diagnostics) {
  int64_t result = 0;
  if (!interpreter.Run(main.name.view(), arguments, diagnostics, &result)) return false;
  if (result == 0) return true;
  diagnostics.Error(DiagnosticKind::kAssertion, main.func->range,
                    fmt::format("`{}` returned {}, not 0", main.name.view(), result));
  return false;
}

}  // namespace

absl::StatusOr<std::vector<NamedTensor>> RunModel(const IRModule& module,
                                                  std::vector<NamedTensor> inputs,
                                                  Diagnostics& diagnostics,
                                                  InterpreterOptions options) {
  const absl::Status failed = absl::InvalidArgumentError("the model did not run");
  const Function* main = module.Main();
  if (main == nullptr) {
    diagnostics.Error(DiagnosticKind::kUnknownFunction, {}, "the module has no entry function");
    return failed;
  }
  const InterpreterOptions limits = options;
  const auto interpreter = Interpreter::Compile(module, diagnostics, std::move(options));
  if (!interpreter.ok()) return failed;
  const ModuleEffects effects(module);
  const EntrySignature signature = SignatureOf(*main, effects.Of(*main));
  const std::vector<ModelParam> params = ParamsOf(signature, effects.Of(*main), diagnostics);
  if (params.size() != main->func->params.size()) return failed;
  std::vector<NamedTensor> made(params.size());
  std::vector<Argument> arguments;
  size_t input_count = 0;
  for (size_t i = 0; i < params.size(); ++i) {
    const ModelParam& param = params[i];
    if (param.role == ModelParam::Role::kLinked || param.role == ModelParam::Role::kHandle) {
      arguments.push_back({});
      continue;
    }
    if (param.role == ModelParam::Role::kInput) {
      NamedTensor* input = FindInput(inputs, input_count++, param, diagnostics);
      if (input == nullptr) return failed;
      if (main->func->buffers[i] == nullptr && !param.dtype.is_handle()) {
        arguments.push_back(ScalarOf(input->tensor));
      } else {
        arguments.push_back(Argument::Of(&input->tensor));
      }
      continue;
    }
    made[i].name = param.name;
    if (!MakeBytes(param, limits, &made[i].tensor, diagnostics)) return failed;
    arguments.push_back(Argument::Of(&made[i].tensor, param.role != ModelParam::Role::kConstants));
    const PoolArg* pool = PoolOfParam(signature, i);
    if (pool != nullptr && !FillPool(*main, pool->pool, arguments.back(), diagnostics))
      return failed;
  }
  if (input_count < inputs.size()) {
    diagnostics.Error(
        DiagnosticKind::kArguments, {},
        fmt::format("the model takes {} inputs, but {} are given", input_count, inputs.size()));
    return failed;
  }
  if (!RunMain(*interpreter, *main, arguments, diagnostics)) return failed;
  std::vector<NamedTensor> outputs;
  for (size_t i = 0; i < params.size(); ++i) {
    if (params[i].role == ModelParam::Role::kOutput) outputs.push_back(std::move(made[i]));
  }
  return outputs;
}

}  // namespace tenon
