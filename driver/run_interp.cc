#include <fmt/format.h>

#include <cstring>
#include <deque>

#include "driver/pool_bytes.h"
#include "driver/run.h"
#include "interp/interpreter.h"

namespace tenon {

namespace {

/// Fills the arguments: tensors, pools, and null for a resource handle.
void MakeArguments(const EntrySignature& signature, const TensorValues& values,
                   std::deque<Tensor>& tensors, std::vector<Argument>& arguments) {
  const PrimFunc& func = *signature.entry->func;
  arguments.resize(func.params.size());
  for (size_t i = 0; i < signature.tensors.size(); ++i) {
    const EntryTensor& entry = signature.tensors[i];
    Tensor& tensor = tensors.emplace_back();
    tensor.dtype = entry.dtype;
    if (entry.is_scalar) {
      arguments[entry.param] = Argument::Scalar(ScalarBits(entry.dtype, values[i]));
      continue;
    }
    for (const Expr* extent : func.buffers[entry.param]->shape)
      tensor.shape.push_back(*AsIntImm(extent));
    tensor.bytes.assign(values[i].begin(), values[i].end());
    tensor.bytes.resize(static_cast<size_t>(entry.size_bytes));
    arguments[entry.param] = Argument::Of(&tensor, values[i].empty());
  }
  const std::vector<PoolArg> pools = ReadPoolArgs(func);
  for (size_t i = 0; i < signature.pool_params.size(); ++i) {
    Tensor& tensor = tensors.emplace_back();
    const std::string bytes = PoolBytes(pools[i]);
    tensor.dtype = DataType::UInt(8);
    tensor.shape = {pools[i].size_bytes};
    tensor.bytes.assign(bytes.begin(), bytes.end());
    tensor.bytes.resize(static_cast<size_t>(pools[i].size_bytes));
    arguments[signature.pool_params[i]] = Argument::Of(&tensor, !pools[i].pool.is_constant);
  }
}

}  // namespace

bool RunInterpreted(const IRModule& module, const EntrySignature& signature, TensorValues& values,
                    int64_t repeat, int64_t max_steps, Diagnostics& diagnostics) {
  const auto fail = [&](std::string message) {
    diagnostics.Error(DiagnosticKind::kRun, signature.entry->func->range, std::move(message));
    return false;
  };
  for (const EntryTensor& tensor : signature.tensors) {
    if (tensor.size_bytes > kMostPoolBytes)
      return fail(fmt::format("tensor `{}` has {} bytes; that is too large to be run", tensor.name,
                              tensor.size_bytes));
  }
  for (const PoolArg& pool : ReadPoolArgs(*signature.entry->func)) {
    if (pool.size_bytes < 0 || pool.size_bytes > kMostPoolBytes)
      return fail(fmt::format("pool `{}` has {} bytes; that cannot be run", pool.pool.name,
                              pool.size_bytes));
  }
  InterpreterOptions options;
  if (max_steps > 0) options.max_steps = max_steps;
  const absl::StatusOr<Interpreter> interpreter =
      Interpreter::Compile(module, diagnostics, std::move(options));
  if (!interpreter.ok()) {
    return diagnostics.has_errors() ? false : fail(std::string(interpreter.status().message()));
  }
  std::deque<Tensor> tensors;
  std::vector<Argument> arguments;
  MakeArguments(signature, values, tensors, arguments);
  const std::string_view name = signature.entry->name.view();
  for (int64_t i = 0; i < repeat; ++i) {
    int64_t result = 0;
    if (!interpreter->Run(name, arguments, diagnostics, &result)) return false;
    if (result != 0) return fail(fmt::format("`{}` returned {}", name, result));
  }
  for (size_t i = 0; i < values.size(); ++i) {
    if (signature.tensors[i].is_output)
      values[i].assign(tensors[i].bytes.begin(), tensors[i].bytes.end());
  }
  return true;
}

}  // namespace tenon
