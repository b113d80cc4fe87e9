#include "compile/run/interpreted_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <span>
#include <utility>

#include "compile/externals.h"
#include "compile/run/pool_bytes.h"
#include "ir/analysis/effects.h"
#include "passes/lowering/make_entry.h"
#include "support/check.h"

namespace tenon {

namespace {

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

}  // namespace

/// The structs of the application, the memory that they point to, and the data of the code.
struct InterpretedModel::Memory {
  std::deque<Tensor> tensors;
  ArgumentStruct inputs;
  ArgumentStruct outputs;
  ArgumentStruct caller_pools;
  EntryDataArguments data;

  ArgumentStruct& Fields(bool is_output) { return is_output ? outputs : inputs; }
  Argument NewBytes(std::string_view name, DataType dtype, std::string_view bytes, int64_t size,
                    bool undefined) {
    Tensor& tensor = tensors.emplace_back();
    tensor.dtype = dtype;
    tensor.bytes.assign(bytes.begin(), bytes.end());
    tensor.bytes.resize(static_cast<size_t>(size));
    tensor.shape = {size / std::max<int64_t>(dtype.bytes(), 1)};
    Argument argument = Argument::Of(&tensor, undefined);
    argument.name = name;
    return argument;
  }
  void AddFlag(std::string_view name) {
    data[EntryDataKey(entry_data::kFlag, name)] =
        NewBytes(name, DataType::Int(32), {}, sizeof(int32_t), /*undefined=*/false);
  }
  Argument& Pool(const ModelEntry& entry, size_t pool) {
    const std::optional<size_t> field = entry.PoolField(pool);
    if (field) return caller_pools.fields[*field];
    return data[EntryDataKey(entry_data::kPool, entry.signature.pools[pool].pool.name)];
  }
  /// The argument of the caller's pools, if a function takes it.
  void AddPools(std::vector<Argument>& arguments) {
    if (!caller_pools.fields.empty()) arguments.push_back(Argument::Struct(&caller_pools));
  }
  /// The bytes that a field points to.
  static std::span<uint8_t> Bytes(const Argument& field, int64_t size) {
    TENON_CHECK(field.tensor != nullptr);
    return std::span<uint8_t>(field.tensor->bytes)
        .subspan(static_cast<size_t>(field.offset), static_cast<size_t>(size));
  }
};

std::unique_ptr<InterpretedModel> InterpretedModel::Load(const IRModule& module,
                                                         InterpreterOptions options,
                                                         Diagnostics& diagnostics) {
  const auto fail = [&](const absl::Status& status, SourceRange range) {
    if (!diagnostics.has_errors())
      diagnostics.Error(DiagnosticKind::kRun, range, std::string(status.message()));
    return nullptr;
  };
  PassContext context{diagnostics, /*threads=*/1, {}};
  // The interpreter runs the bodies of external functions.
  const absl::StatusOr<IRModule> with_entry = MakeEntry(WithoutInits(module), {}, context);
  if (!with_entry.ok()) return fail(with_entry.status(), {});
  const Function* main = with_entry->Main();
  if (main == nullptr) return fail(absl::NotFoundError("the module has no entry function"), {});
  absl::StatusOr<Interpreter> interpreter =
      Interpreter::Compile(*with_entry, diagnostics, std::move(options));
  if (!interpreter.ok()) return fail(interpreter.status(), main->func->range);
  std::unique_ptr<InterpretedModel> model(new InterpretedModel(*std::move(interpreter)));
  const IRModule& kept = model->interpreter_.module();
  model->entry_ =
      ReadModelEntry(*kept.Main(), ModuleEffects(kept).Of(*kept.Main()), [](const std::string&) {});
  return CheckSizes(model->entry_.signature, diagnostics) ? std::move(model) : nullptr;
}

bool InterpretedModel::Fail(std::string message, Diagnostics& diagnostics) const {
  diagnostics.Error(DiagnosticKind::kRun, entry_.signature.entry->func->range, std::move(message));
  return false;
}

bool InterpretedModel::Call(std::string_view role, std::vector<Argument> arguments,
                            const Memory& memory, Diagnostics& diagnostics) const {
  for (const Function* function : EntryFunctions(interpreter_.module())) {
    if (EntryFunctionOf(*function) != role) continue;
    int64_t result = 0;
    const std::string_view name = function->name.view();
    if (!interpreter_.Run(name, arguments, diagnostics, &result, &memory.data)) return false;
    if (result == 0) return true;
    const bool is_run = role == entry_function::kRun;
    return Fail(fmt::format("`{}` returned {}", is_run ? entry_.signature.entry->name.view() : name,
                            result),
                diagnostics);
  }
  return Fail(fmt::format("the entry has no function `{}`", role), diagnostics);
}

/// Adds memory that generated code would own in addition to its pools.
bool InterpretedModel::AddStored(Memory& memory, Diagnostics& diagnostics) const {
  memory.AddFlag(entry_data::kIsLoaded);
  memory.AddFlag(entry_data::kExternalsState);
  memory.AddFlag(entry_data::kFedRows);
  for (size_t i = 0; i < entry_.loads.size(); ++i) {
    const LoadedConstant& constant = entry_.loads[i].constant;
    if (entry_.loads[i].stored_pool) continue;
    const absl::StatusOr<std::span<const uint8_t>> bytes = constant.stored->Bytes();
    if (!bytes.ok()) return Fail(std::string(bytes.status().message()), diagnostics);
    memory.data[EntryDataKey(entry_data::kStored, std::to_string(i))] =
        memory.NewBytes(constant.name, DataType::UInt(8),
                        {reinterpret_cast<const char*>(bytes->data()), bytes->size()},
                        static_cast<int64_t>(bytes->size()), /*undefined=*/false);
  }
  return true;
}

/// Allocates all memory, finds the tensors that lie in pools, and loads constants.
bool InterpretedModel::Prepare(const TensorValues& values, Memory& memory,
                               Diagnostics& diagnostics) const {
  const EntrySignature& signature = entry_.signature;
  TENON_CHECK(values.size() == signature.tensors.size());
  for (const PoolArg& arg : signature.pools) {
    Argument pool = memory.NewBytes(arg.pool.name, DataType::UInt(8), PoolBytes(arg),
                                    arg.size_bytes, /*undefined=*/!arg.pool.is_constant);
    if (arg.pool.is_internal) {
      memory.data[EntryDataKey(entry_data::kPool, arg.pool.name)] = std::move(pool);
    } else {
      memory.caller_pools.fields.push_back(std::move(pool));
    }
  }
  if (!AddStored(memory, diagnostics)) return false;
  for (size_t i = 0; i < values.size(); ++i) {
    const EntryTensor& tensor = signature.tensors[i];
    Argument field;
    if (!tensor.place) {
      field = memory.NewBytes(tensor.name, tensor.dtype, values[i], tensor.size_bytes,
                              values[i].empty() && !tensor.is_scalar);
    } else if (!values[i].empty()) {
      memory.Pool(entry_, tensor.place->pool)
          .written.push_back({tensor.place->offset, tensor.place->offset + tensor.size_bytes});
    }
    memory.Fields(tensor.is_output).fields.push_back(std::move(field));
  }
  for (const bool is_output : {false, true}) {
    if (!entry_.MapsAny(is_output)) continue;
    ArgumentStruct mapped{std::vector<Argument>(memory.Fields(is_output).fields.size())};
    std::vector<Argument> arguments = {Argument::Struct(&mapped)};
    memory.AddPools(arguments);
    if (!Call(is_output ? entry_function::kMapOutputs : entry_function::kMapInputs,
              std::move(arguments), memory, diagnostics))
      return false;
    for (size_t i = 0; i < mapped.fields.size(); ++i) {
      Argument& field = memory.Fields(is_output).fields[i];
      if (mapped.fields[i].tensor == nullptr) continue;
      field.tensor = mapped.fields[i].tensor;
      field.offset = mapped.fields[i].offset;
    }
  }
  if (!entry_.HasInit()) return true;
  std::vector<Argument> arguments;
  memory.AddPools(arguments);
  if (!Call(entry_function::kInit, std::move(arguments), memory, diagnostics)) return false;
  for (const PlacedLoad& load : entry_.loads) {
    const LoadedConstant& constant = load.constant;
    memory.Pool(entry_, load.pool)
        .written.push_back({constant.offset, constant.offset + constant.size_bytes});
  }
  return true;
}

bool InterpretedModel::Run(TensorValues& values, Runs& runs, Diagnostics& diagnostics) {
  Memory memory;
  if (!Prepare(values, memory, diagnostics)) return false;
  std::vector<Argument> arguments;
  for (const bool is_output : {false, true}) {
    if (!entry_.MapsAll(is_output))
      arguments.push_back(Argument::Struct(&memory.Fields(is_output)));
  }
  memory.AddPools(arguments);
  // Applies to each value and the bytes that the application sees.
  const auto for_each = [&](bool is_output, auto action) {
    const std::vector<size_t> fields = entry_.Fields(is_output);
    for (size_t i = 0; i < fields.size(); ++i) {
      const EntryTensor& tensor = entry_.signature.tensors[fields[i]];
      action(tensor, values[fields[i]],
             Memory::Bytes(memory.Fields(is_output).fields[i], tensor.size_bytes));
    }
  };
  for (int64_t i = 0; i < runs.count; ++i) {
    // Tensors in pools: outputs with an initial value before the first run, and inputs before each
    // run, since a run may overwrite them.
    for (const bool is_output : {true, false}) {
      for_each(is_output,
               [&](const EntryTensor& tensor, const std::string& value, std::span<uint8_t> bytes) {
                 if (!tensor.place || (is_output && i > 0)) return;
                 std::copy_n(value.begin(), std::min(value.size(), bytes.size()), bytes.begin());
               });
    }
    if (!runs.Time([&] { return Call(entry_function::kRun, arguments, memory, diagnostics); }))
      return false;
  }
  for_each(true, [](const EntryTensor&, std::string& value, std::span<uint8_t> bytes) {
    value.assign(bytes.begin(), bytes.end());
  });
  return true;
}

}  // namespace tenon
