#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "driver/pool_bytes.h"
#include "driver/run.h"

namespace tenon {

namespace {

/// What any tensor or pool may ask for; also a cache line.
constexpr size_t kAlignment = 64;

struct Free {
  void operator()(void* bytes) const { std::free(bytes); }
};
using Block = std::unique_ptr<void, Free>;

/// Memory that begins at a multiple of `alignment`, and what of it is used.
struct Memory {
  Block block;
  void* bytes = nullptr;
};

/// `size` bytes that start as `bytes` and go on with zeros, `beside` bytes behind a multiple of
/// `alignment`; null when there is no memory.
Memory Allocate(int64_t size, std::string_view bytes, size_t alignment = kAlignment,
                size_t beside = 0) {
  if (size < 0 || size > kMostPoolBytes) return {};
  const size_t padded = ((static_cast<size_t>(size) + beside) / alignment + 1) * alignment;
  Memory storage;
  storage.block.reset(std::aligned_alloc(alignment, padded));
  if (storage.block == nullptr) return storage;
  std::memset(storage.block.get(), 0, padded);
  storage.bytes = static_cast<char*>(storage.block.get()) + beside;
  std::memcpy(storage.bytes, bytes.data(), std::min(bytes.size(), padded - beside));
  return storage;
}

/// Memory for one call: of inputs, outputs and the pools that the caller owns.
struct Storages {
  std::vector<Memory> owned;
  std::vector<void*> inputs;
  std::vector<void*> outputs;
  std::vector<void*> pools;

  bool Add(std::vector<void*>& fields, Memory storage) {
    owned.push_back(std::move(storage));
    fields.push_back(owned.back().bytes);
    return fields.back() != nullptr;
  }
  /// A pool as the plan counted with it.
  bool AddPool(const PoolArg& arg) {
    const auto alignment = std::max(static_cast<size_t>(arg.alignment), kAlignment);
    const auto base = static_cast<size_t>(std::max<int64_t>(arg.pool.base_address, 0));
    return Add(pools, Allocate(arg.size_bytes, PoolBytes(arg), alignment, base % alignment));
  }
};

bool AddAll(const EntrySignature& signature, const IRModule& planned, const TensorValues& values,
            Storages& storages) {
  bool ok = true;
  for (size_t i = 0; i < values.size(); ++i) {
    const EntryTensor& tensor = signature.tensors[i];
    ok &= storages.Add(tensor.is_output ? storages.outputs : storages.inputs,
                       Allocate(tensor.size_bytes, values[i]));
  }
  for (const PoolArg& arg : ReadPoolArgs(*planned.Main()->func)) {
    if (!arg.pool.is_internal) ok &= storages.AddPool(arg);
  }
  return ok;
}

/// Writes tensors that lie in pools there: outputs that have a value before the first run, and
/// inputs, of which little may be left, before each.
void Fill(const EntrySignature& signature, const TensorValues& values, const EmittedC& c,
          bool is_first, const Storages& storages) {
  for (const bool outputs : {true, false}) {
    if (outputs && !is_first) continue;
    const std::vector<bool>& mapped = outputs ? c.output_mapped : c.input_mapped;
    size_t field = 0;
    for (size_t i = 0; i < values.size(); ++i) {
      const EntryTensor& tensor = signature.tensors[i];
      if (tensor.is_output != outputs) continue;
      void* const bytes = (outputs ? storages.outputs : storages.inputs)[field];
      if (mapped[field++])
        std::memcpy(bytes, values[i].data(),
                    std::min(values[i].size(), static_cast<size_t>(tensor.size_bytes)));
    }
  }
}

}  // namespace

bool RunCompiledC(const IRModule& module, const EntrySignature& signature,
                  const CompileOptions& compile, const CEngineOptions& engine_options,
                  TensorValues& values, int64_t repeat, Diagnostics& diagnostics) {
  const auto fail = [&](std::string message) {
    diagnostics.Error(DiagnosticKind::kRun, {}, std::move(message));
    return false;
  };
  const std::optional<CompiledC> compiled = CompileToC(module, compile, diagnostics);
  if (!compiled) return false;
  const absl::StatusOr<std::unique_ptr<CEngine>> engine =
      CEngine::Build(compiled->c, engine_options);
  if (!engine.ok()) return fail(std::string(engine.status().message()));
  Storages storages;
  if (!AddAll(signature, compiled->planned.converted, values, storages)) {
    return fail("there is not enough memory for the tensors and pools of the entry function");
  }
  engine.value()->Map(storages.inputs, storages.outputs, storages.pools);
  if (const int32_t result = (*engine)->Init(storages.pools); result != 0)
    return fail(fmt::format("`{}_init` returned {}", compiled->c.prefix, result));
  for (int64_t i = 0; i < repeat; ++i) {
    Fill(signature, values, compiled->c, i == 0, storages);
    const int32_t result = (*engine)->Run(storages.inputs, storages.outputs, storages.pools);
    if (result != 0) return fail(fmt::format("`{}_run` returned {}", compiled->c.prefix, result));
  }
  size_t next = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    const EntryTensor& tensor = signature.tensors[i];
    if (!tensor.is_output) continue;
    values[i].assign(static_cast<const char*>(storages.outputs[next++]),
                     static_cast<size_t>(tensor.size_bytes));
  }
  return true;
}

}  // namespace tenon
