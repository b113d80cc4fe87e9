#include "compile/run/run_entry.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "compile/run/model_call.h"
#include "support/check.h"

namespace tenon {

namespace {

/// The memory of the tensors of one call.
struct Storages {
  std::vector<AlignedBytes> owned;
  std::vector<void*> inputs;
  std::vector<void*> outputs;
};

/// Allocates the tensors, or takes the addresses of those in pools. False without enough memory.
bool AddAll(const EntrySignature& signature, const std::vector<std::string>& values,
            const ModelCall& call, Storages& storages) {
  TENON_CHECK(values.size() == signature.tensors.size());
  for (size_t i = 0; i < values.size(); ++i) {
    const EntryTensor& tensor = signature.tensors[i];
    std::vector<void*>& fields = tensor.is_output ? storages.outputs : storages.inputs;
    void* address = call.mapped(tensor.is_output)[fields.size()];
    if (address == nullptr) {
      storages.owned.push_back(AlignedBytes::Of(tensor.size_bytes, values[i]));
      address = storages.owned.back().data();
    }
    fields.push_back(address);
    if (address == nullptr) return false;
  }
  return true;
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

}  // namespace

std::string EntryCode::MessageText() const {
  const std::string_view text = message == nullptr ? std::string_view() : message();
  return text.empty() ? std::string() : fmt::format(": {}", text);
}

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
  const std::optional<ModelCall> call = ModelCall::Open(abi, planned, code, diagnostics);
  if (!call) return false;
  Storages storages;
  if (!AddAll(signature, values, *call, storages))
    return fail("there is not enough memory for the tensors of the entry function");
  for (int64_t i = 0; i < runs.count; ++i) {
    Fill(signature, values, abi, i == 0, storages);
    const int32_t result = runs.Time([&] { return call->Run(storages.inputs, storages.outputs); });
    if (result != 0)
      return fail(fmt::format("`{}_run` returned {}{}", abi.prefix, result, code.MessageText()));
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
