#include "compile/run/model_call.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>

#include "compile/run/pool_bytes.h"
#include "ir/external_code.h"
#include "ir/memory_pools.h"

namespace tenon {

namespace {

/// The status of an external init function that cannot run on this machine.
constexpr int32_t kUnavailable = 1;

}  // namespace

AlignedBytes AlignedBytes::Of(int64_t size, std::string_view bytes, size_t alignment,
                              size_t beside) {
  if (size < 0 || size > kMostPoolBytes) return {};
  const size_t padded = ((static_cast<size_t>(size) + beside) / alignment + 1) * alignment;
  AlignedBytes result;
  result.block_.reset(std::aligned_alloc(alignment, padded));
  if (result.block_ == nullptr) return result;
  std::memset(result.block_.get(), 0, padded);
  result.data_ = static_cast<char*>(result.block_.get()) + beside;
  std::memcpy(result.data_, bytes.data(), std::min(bytes.size(), padded - beside));
  return result;
}

bool ModelCall::AddPools(const IRModule& planned) {
  for (const PoolArg& arg : ReadPoolArgs(*planned.Main()->func)) {
    if (arg.pool.is_internal) continue;
    const auto alignment = std::max(static_cast<size_t>(arg.alignment), AlignedBytes::kAlignment);
    const auto base = static_cast<size_t>(std::max<int64_t>(arg.pool.base_address, 0));
    owned_.push_back(AlignedBytes::Of(arg.size_bytes, PoolBytes(arg), alignment, base % alignment));
    pools_.push_back(owned_.back().data());
    if (pools_.back() == nullptr) return false;
  }
  return true;
}

bool ModelCall::Init(const EntryAbi& abi, const IRModule& planned, Diagnostics& diagnostics) const {
  if (!code_.init) return true;
  const int32_t result = code_.init(pools_);
  if (result == 0) return true;
  const Function* entry = planned.Main();
  if (result != kUnavailable || entry == nullptr || ReadExternalInits(*entry->func).empty()) {
    diagnostics.Error(
        DiagnosticKind::kRun, {},
        fmt::format("`{}_init` returned {}{}", abi.prefix, result, code_.MessageText()));
    return false;
  }
  Diagnostic& error = diagnostics.Error(
      DiagnosticKind::kExternalUnavailable, {},
      fmt::format("an external function cannot run on this machine{}; remove its target from "
                  "--targets, or pass --externals=body",
                  code_.MessageText()));
  if (!code_.checks.empty())
    Diagnostics::AddNote(error, {}, fmt::format("it checks {}", fmt::join(code_.checks, ", ")));
  return false;
}

std::optional<ModelCall> ModelCall::Open(const EntryAbi& abi, const IRModule& planned,
                                         EntryCode code, Diagnostics& diagnostics) {
  ModelCall call;
  call.code_ = std::move(code);
  if (!call.AddPools(planned)) {
    diagnostics.Error(DiagnosticKind::kRun, {},
                      "there is not enough memory for the pools of the entry function");
    return std::nullopt;
  }
  call.mapped_inputs_.resize(abi.inputs.size());
  call.mapped_outputs_.resize(abi.outputs.size());
  call.code_.map(call.mapped_inputs_, call.mapped_outputs_, call.pools_);
  for (const bool is_output : {false, true}) {
    std::vector<void*>& mapped = is_output ? call.mapped_outputs_ : call.mapped_inputs_;
    for (size_t i = 0; i < mapped.size(); ++i) {
      if (!abi.Fields(is_output)[i].is_mapped) mapped[i] = nullptr;
    }
  }
  if (!call.Init(abi, planned, diagnostics)) return std::nullopt;
  return call;
}

}  // namespace tenon
