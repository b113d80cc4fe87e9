#include "compile/run/run_entry.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "compile/run/pool_bytes.h"
#include "ir/external_code.h"
#include "support/check.h"

namespace tenon {

namespace {

/// The status of an external init function that cannot run on this machine.
constexpr int32_t kUnavailable = 1;

/// An alignment that suffices for all tensors and pools; also a cache line.
constexpr size_t kAlignment = 64;

struct Free {
  void operator()(void* bytes) const { std::free(bytes); }
};
using Block = std::unique_ptr<void, Free>;

/// An aligned block of memory, and the used part of it.
struct Memory {
  Block block;
  void* bytes = nullptr;
};

/// `size` bytes that start with `bytes`, followed by zeros, `beside` bytes after a multiple of
/// `alignment`; null if there is not enough memory.
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

/// The memory of one call: inputs, outputs and the caller's pools.
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
  /// Adds a pool as the plan assumed it.
  bool AddPool(const PoolArg& arg) {
    const auto alignment = std::max(static_cast<size_t>(arg.alignment), kAlignment);
    const auto base = static_cast<size_t>(std::max<int64_t>(arg.pool.base_address, 0));
    return Add(pools, Allocate(arg.size_bytes, PoolBytes(arg), alignment, base % alignment));
  }
};

bool AddAll(const EntrySignature& signature, const IRModule& planned,
            const std::vector<std::string>& values, Storages& storages) {
  TENON_CHECK(values.size() == signature.tensors.size());
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

/// Writes tensors in pools: outputs with an initial value before the first run, and inputs before
/// each run, since a run may overwrite them.
void Fill(const EntrySignature& signature, const std::vector<std::string>& values,
          const EntryAbi& abi, bool is_first, const Storages& storages) {
  for (const bool outputs : {true, false}) {
    if (outputs && !is_first) continue;
    const std::vector<EntryField>& fields = abi.Fields(outputs);
    size_t field = 0;
    for (size_t i = 0; i < values.size(); ++i) {
      const EntryTensor& tensor = signature.tensors[i];
      if (tensor.is_output != outputs) continue;
      TENON_CHECK(field < fields.size());
      void* const bytes = (outputs ? storages.outputs : storages.inputs)[field];
      if (fields[field++].is_mapped)
        std::memcpy(bytes, values[i].data(),
                    std::min(values[i].size(), static_cast<size_t>(tensor.size_bytes)));
    }
  }
}

/// True if the code's structs have a field for each tensor of the signature.
bool HasInterfaceOf(const EntryAbi& abi, const EntrySignature& signature) {
  size_t fields[2] = {};
  for (const EntryTensor& tensor : signature.tensors) {
    const std::vector<EntryField>& known = abi.Fields(tensor.is_output);
    const size_t field = fields[tensor.is_output ? 1 : 0]++;
    if (field >= known.size() || known[field].size_bytes != tensor.size_bytes) return false;
  }
  return fields[0] == abi.inputs.size() && fields[1] == abi.outputs.size();
}

/// Takes the addresses of tensors in pools from the code.
void MapTensors(const EntryAbi& abi, const EntryCode& code, Storages& storages) {
  std::vector<void*> inputs(storages.inputs.size());
  std::vector<void*> outputs(storages.outputs.size());
  code.map(inputs, outputs, storages.pools);
  const auto take = [](const std::vector<EntryField>& fields, const std::vector<void*>& mapped,
                       std::vector<void*>& storage) {
    for (size_t i = 0; i < mapped.size(); ++i) {
      if (fields[i].is_mapped) storage[i] = mapped[i];
    }
  };
  take(abi.inputs, inputs, storages.inputs);
  take(abi.outputs, outputs, storages.outputs);
}

}  // namespace

int32_t CallRun(void* run, const EntryAbi& abi, EntryCode::Fields inputs, EntryCode::Fields outputs,
                EntryCode::Fields pools) {
  // The structs hold only pointers, and a struct without fields is not a parameter.
  TENON_CHECK(run != nullptr);
  const void* args[3] = {};
  size_t count = 0;
  if (!abi.MapsAll(/*is_output=*/false)) args[count++] = inputs.data();
  if (!abi.MapsAll(/*is_output=*/true)) args[count++] = outputs.data();
  if (!pools.empty()) args[count++] = pools.data();
  using Run0 = int32_t (*)();
  using Run1 = int32_t (*)(const void*);
  using Run2 = int32_t (*)(const void*, const void*);
  using Run3 = int32_t (*)(const void*, const void*, const void*);
  switch (count) {
    case 0:
      return reinterpret_cast<Run0>(run)();
    case 1:
      return reinterpret_cast<Run1>(run)(args[0]);
    case 2:
      return reinterpret_cast<Run2>(run)(args[0], args[1]);
    default:
      return reinterpret_cast<Run3>(run)(args[0], args[1], args[2]);
  }
}

bool RunEntry(const EntryAbi& abi, const IRModule& planned, const EntrySignature& signature,
              const EntryCode& code, std::vector<std::string>& values, Runs& runs,
              Diagnostics& diagnostics) {
  const auto fail = [&](std::string message) {
    diagnostics.Error(DiagnosticKind::kRun, {}, std::move(message));
    return false;
  };
  if (values.size() != signature.tensors.size() || !HasInterfaceOf(abi, signature)) {
    return fail(
        "the compiled code does not take the inputs and outputs of the module that was given");
  }
  Storages storages;
  if (!AddAll(signature, planned, values, storages)) {
    return fail("there is not enough memory for the tensors and pools of the entry function");
  }
  MapTensors(abi, code, storages);
  if (code.init) {
    const int32_t result = code.init(storages.pools);
    const Function* entry = planned.Main();
    if (result == kUnavailable && entry != nullptr && !ReadExternalInits(*entry->func).empty()) {
      Diagnostic& error = diagnostics.Error(
          DiagnosticKind::kExternalUnavailable, {},
          "an external function cannot run on this machine; remove its target from "
          "--targets, or pass --externals=body");
      if (!code.checks.empty()) {
        Diagnostics::AddNote(error, {}, fmt::format("it checks {}", fmt::join(code.checks, ", ")));
      }
      return false;
    }
    if (result != 0) return fail(fmt::format("`{}_init` returned {}", abi.prefix, result));
  }
  for (int64_t i = 0; i < runs.count; ++i) {
    Fill(signature, values, abi, i == 0, storages);
    const int32_t result =
        runs.Time([&] { return code.run(storages.inputs, storages.outputs, storages.pools); });
    if (result != 0) return fail(fmt::format("`{}_run` returned {}", abi.prefix, result));
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
