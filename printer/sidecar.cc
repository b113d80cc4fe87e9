#include "printer/sidecar.h"

#include <fmt/format.h>

#include <algorithm>

#include "printer/constant_plan.h"
#include "support/hash.h"
#include "support/safetensors.h"
#include "support/status_macros.h"

namespace tenon {
namespace {

constexpr int64_t kUsualAlignment = 64;  // a cache line

absl::StatusOr<SafetensorsTensor> TensorOf(const ConstantPlan::Entry& entry) {
  const Constant& constant = *entry.constant;
  const absl::StatusOr<std::span<const uint8_t>> bytes = constant.Bytes();
  if (!bytes.ok()) return bytes.status();
  SafetensorsTensor tensor;
  tensor.name = entry.name;
  tensor.dtype = constant.dtype().element().ToString();
  tensor.shape = constant.shape();
  if (constant.dtype().lanes() != 1) tensor.shape.push_back(constant.dtype().lanes());
  if (SafetensorsElementBytes(tensor.dtype) == 0) {
    tensor.dtype = "uint8";
    tensor.shape = {constant.size_bytes()};
  }
  tensor.bytes = {reinterpret_cast<const char*>(bytes->data()), bytes->size()};
  tensor.alignment =
      std::min(kSafetensorsAlignment, std::max(kUsualAlignment, constant.placement().alignment));
  return tensor;
}

}  // namespace

int64_t CountSidecarConstants(const IRModule& module, const PrintOptions& options) {
  const ConstantPlan plan(module, options);
  return std::count_if(plan.entries().begin(), plan.entries().end(),
                       [](const auto& entry) { return entry.form == ConstantPlan::Form::kFile; });
}

absl::Status WriteSidecar(const IRModule& module, const PrintOptions& options,
                          std::string_view path) {
  const ConstantPlan plan(module, options);
  std::vector<SafetensorsTensor> tensors;
  SafetensorsMetadata metadata;
  for (const ConstantPlan::Entry& entry : plan.entries()) {
    if (entry.form != ConstantPlan::Form::kFile) continue;
    absl::StatusOr<SafetensorsTensor> tensor = TensorOf(entry);
    if (!tensor.ok()) return tensor.status();
    tensors.push_back(*std::move(tensor));
    const absl::StatusOr<ContentHash> hash = entry.constant->Hash();
    if (!hash.ok()) return hash.status();
    metadata.emplace_back(fmt::format("xxh3.{}", entry.name),
                          HashToString({hash->high, hash->low}));
  }
  if (tensors.empty()) return absl::OkStatus();
  return WriteSafetensors(path, tensors, metadata);
}

}  // namespace tenon
