#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <span>

#include "compile/run/engine.h"
#include "compile/run/pool_bytes.h"
#include "interp/interpreter.h"
#include "ir/loaded_constants.h"
#include "support/check.h"

namespace tenon {

namespace {

/// Fills the arguments: tensors, pools, and null for a resource handle. Returns the index of the
/// first pool in `tensors`, which begins with one entry for each tensor of the signature.
size_t MakeArguments(const EntrySignature& signature, const TensorValues& values,
                     std::deque<Tensor>& tensors, std::vector<Argument>& arguments) {
  const PrimFunc& func = *signature.entry->func;
  TENON_CHECK(values.size() == signature.tensors.size() &&
              signature.pool_params.size() == signature.pools.size());
  arguments.resize(func.params.size());
  for (size_t i = 0; i < signature.tensors.size(); ++i) {
    const EntryTensor& entry = signature.tensors[i];
    Tensor& tensor = tensors.emplace_back();
    tensor.dtype = entry.dtype;
    if (entry.place) continue;
    if (entry.is_scalar) {
      arguments[entry.param] = Argument::Scalar(ScalarBits(entry.dtype, values[i]));
      continue;
    }
    TENON_CHECK(entry.param < func.params.size() && func.buffers[entry.param] != nullptr);
    for (const Expr* extent : func.buffers[entry.param]->shape)
      tensor.shape.push_back(*AsIntImm(extent));
    tensor.bytes.assign(values[i].begin(), values[i].end());
    tensor.bytes.resize(static_cast<size_t>(entry.size_bytes));
    arguments[entry.param] = Argument::Of(&tensor, values[i].empty());
  }
  const std::vector<PoolArg>& pools = signature.pools;
  const size_t first_pool = tensors.size();
  for (size_t i = 0; i < signature.pool_params.size(); ++i) {
    Tensor& tensor = tensors.emplace_back();
    const std::string bytes = PoolBytes(pools[i]);
    tensor.dtype = DataType::UInt(8);
    tensor.shape = {pools[i].size_bytes};
    tensor.bytes.assign(bytes.begin(), bytes.end());
    tensor.bytes.resize(static_cast<size_t>(pools[i].size_bytes));
    arguments[signature.pool_params[i]] = Argument::Of(&tensor, !pools[i].pool.is_constant);
  }
  for (size_t i = 0; i < signature.tensors.size(); ++i) {
    const EntryTensor& entry = signature.tensors[i];
    if (!entry.place || values[i].empty()) continue;
    const int64_t end = entry.place->offset + entry.size_bytes;
    arguments[signature.pool_params[entry.place->pool]].written.push_back(
        {entry.place->offset, end});
  }
  return first_pool;
}

/// Fills in loaded constants, which are present when the model runs.
absl::Status FillLoaded(const EntrySignature& signature, size_t first_pool,
                        std::deque<Tensor>& tensors, std::vector<Argument>& arguments) {
  const PrimFunc& func = *signature.entry->func;
  const std::vector<PoolArg>& pools = signature.pools;
  const std::vector<LoadedConstant> loaded = ReadLoadedConstants(func);
  for (size_t i = 0; i < signature.pool_params.size() && !loaded.empty(); ++i) {
    const std::string& pool = pools[i].pool.name;
    const absl::Status status = LoadConstants(func, pool, tensors[first_pool + i].bytes);
    if (!status.ok()) return status;
    for (const LoadedConstant& constant : loaded) {
      if (constant.pool != pool) continue;
      arguments[signature.pool_params[i]].written.push_back(
          {constant.offset, constant.offset + constant.size_bytes});
    }
  }
  return absl::OkStatus();
}

/// The bytes of a tensor in a pool.
std::span<uint8_t> Bytes(std::deque<Tensor>& tensors, size_t first_pool, const EntryTensor& entry) {
  TENON_CHECK(entry.place.has_value() && first_pool + entry.place->pool < tensors.size());
  return std::span<uint8_t>(tensors[first_pool + entry.place->pool].bytes)
      .subspan(static_cast<size_t>(entry.place->offset), static_cast<size_t>(entry.size_bytes));
}

/// Writes tensors in pools: outputs with an initial value before the first run, and inputs before
/// each run, since a run may overwrite them.
void FillPools(const EntrySignature& signature, const TensorValues& values, size_t first_pool,
               bool is_first, std::deque<Tensor>& tensors) {
  for (const bool outputs : {true, false}) {
    for (size_t i = 0; i < values.size(); ++i) {
      const EntryTensor& entry = signature.tensors[i];
      if (!entry.place || entry.is_output != outputs || (outputs && !is_first)) continue;
      const std::span<uint8_t> bytes = Bytes(tensors, first_pool, entry);
      std::copy_n(values[i].begin(), std::min(values[i].size(), bytes.size()), bytes.begin());
    }
  }
}

/// False if a tensor or pool is too large to allocate.
bool CheckSizes(const EntrySignature& signature, Diagnostics& diagnostics) {
  const SourceRange range = signature.entry->func->range;
  for (const EntryTensor& tensor : signature.tensors) {
    if (tensor.size_bytes <= kMostPoolBytes) continue;
    diagnostics.Error(DiagnosticKind::kRun, range,
                      fmt::format("tensor `{}` has {} bytes, which is too large to run",
                                  tensor.name, tensor.size_bytes));
    return false;
  }
  for (const PoolArg& pool : signature.pools) {
    if (pool.size_bytes >= 0 && pool.size_bytes <= kMostPoolBytes) continue;
    diagnostics.Error(DiagnosticKind::kRun, range,
                      fmt::format("pool `{}` has {} bytes, which is too large to run",
                                  pool.pool.name, pool.size_bytes));
    return false;
  }
  return CheckPoolConstants(*signature.entry->func, diagnostics);
}

class InterpretedModel : public RunnableModel {
 public:
  InterpretedModel(EntrySignature signature, Interpreter interpreter)
      : signature_(std::move(signature)), interpreter_(std::move(interpreter)) {}

  bool Run(TensorValues& values, Runs& runs, Diagnostics& diagnostics) override {
    const auto fail = [&](std::string message) {
      diagnostics.Error(DiagnosticKind::kRun, signature_.entry->func->range, std::move(message));
      return false;
    };
    std::deque<Tensor> tensors;
    std::vector<Argument> arguments;
    const size_t first_pool = MakeArguments(signature_, values, tensors, arguments);
    const absl::Status loaded = FillLoaded(signature_, first_pool, tensors, arguments);
    if (!loaded.ok()) return fail(std::string(loaded.message()));
    const std::string_view name = signature_.entry->name.view();
    for (int64_t i = 0; i < runs.count; ++i) {
      int64_t result = 0;
      FillPools(signature_, values, first_pool, i == 0, tensors);
      if (!runs.Time([&] { return interpreter_.Run(name, arguments, diagnostics, &result); }))
        return false;
      if (result != 0) return fail(fmt::format("`{}` returned {}", name, result));
    }
    for (size_t i = 0; i < values.size(); ++i) {
      const EntryTensor& entry = signature_.tensors[i];
      if (!entry.is_output) continue;
      const std::span<const uint8_t> bytes =
          entry.place ? Bytes(tensors, first_pool, entry) : std::span<uint8_t>(tensors[i].bytes);
      values[i].assign(bytes.begin(), bytes.end());
    }
    return true;
  }

 private:
  EntrySignature signature_;
  Interpreter interpreter_;
};

std::unique_ptr<RunnableModel> Load(const IRModule& module, const EntrySignature& signature,
                                    const EngineOptions& options, Diagnostics& diagnostics) {
  if (!CheckSizes(signature, diagnostics)) return nullptr;
  InterpreterOptions interpreter_options;
  if (options.max_steps > 0) interpreter_options.max_steps = options.max_steps;
  absl::StatusOr<Interpreter> interpreter =
      Interpreter::Compile(module, diagnostics, std::move(interpreter_options));
  if (interpreter.ok())
    return std::make_unique<InterpretedModel>(signature, *std::move(interpreter));
  if (!diagnostics.has_errors())
    diagnostics.Error(DiagnosticKind::kRun, signature.entry->func->range,
                      std::string(interpreter.status().message()));
  return nullptr;
}

constexpr Engine kInterpreterEngine = {"interp", "interprets the module, and checks every access",
                                       "interpreting", Load};

}  // namespace

const Engine& InterpreterEngine() { return kInterpreterEngine; }

}  // namespace tenon
