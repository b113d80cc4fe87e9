#include "compile/link_params.h"

#include <fmt/format.h>

#include <algorithm>

#include "lowering/blob.h"
#include "passes/constants/lift_params.h"
#include "support/check.h"
#include "support/hash.h"
#include "support/safetensors.h"
#include "support/status_macros.h"

namespace tenon {

namespace {

constexpr int64_t kParamAlignment = 64;  // a cache line

}  // namespace

const Constant* LinkedModule::Find(std::string_view name) const {
  for (const NamedConstant& param : params) {
    if (param.name == name) return param.constant;
  }
  return nullptr;
}

std::optional<LinkedModule> LinkModule(const IRModule& module, const CompileOptions& options,
                                       Diagnostics& diagnostics) {
  std::optional<IRModule> linked = LinkParams(module, options, diagnostics);
  if (!linked) return std::nullopt;
  if (options.link_params) return LinkedModule{*std::move(linked), {}};
  if (options.promote || options.compress) {
    diagnostics.Error(
        DiagnosticKind::kArguments, {},
        "with --link-params=off constants are inputs, which cannot be promoted or compressed");
    return std::nullopt;
  }
  PassContext context{diagnostics, options.run.threads, {}};
  std::optional<LiftedModule> lifted = LiftConstants(*linked, context);
  if (!lifted) return std::nullopt;
  return LinkedModule{std::move(lifted->module), std::move(lifted->values)};
}

absl::StatusOr<EmittedFile> ParamsFile(std::string_view prefix, const LinkedModule& linked) {
  // The parts keep their bytes alive independently of the module.
  std::vector<SafetensorsTensor> tensors;
  SafetensorsMetadata metadata;
  for (const NamedConstant& param : linked.params) {
    TENON_CHECK(param.constant != nullptr);
    const Constant& constant = *param.constant;
    TENON_ASSIGN_OR(BlobPart part, PartOf(constant, 0));
    TENON_ASSIGN_OR(const ContentHash hash, constant.Hash());
    TensorForm form = TensorFormOf(constant.dtype(), constant.shape());
    SafetensorsTensor tensor;
    tensor.name = param.name;
    tensor.dtype = std::move(form.dtype);
    tensor.shape = std::move(form.shape);
    tensor.alignment =
        std::clamp(constant.placement().alignment, kParamAlignment, kSafetensorsAlignment);
    tensor.append = [part = std::move(part)](const ByteSink& sink) {
      return StreamPart(part, sink);
    };
    tensors.push_back(std::move(tensor));
    metadata.emplace_back(fmt::format("xxh3.{}", param.name), HashToString({hash.high, hash.low}));
  }
  EmittedFile file;
  file.name = fmt::format("{}.params.safetensors", prefix);
  file.append = [tensors = std::move(tensors), metadata = std::move(metadata)](
                    const ByteSink& sink) { return StreamSafetensors(sink, tensors, metadata); };
  return file;
}

}  // namespace tenon
