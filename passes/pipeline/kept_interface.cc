// A pass may remove the only statement that shows a tensor to be an output. So the roles before the
// first pass are kept here, and become an attribute where statements no longer show them.

#include "passes/pipeline/kept_interface.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>

#include "ir/analysis/effects.h"
#include "ir/attributes.h"
#include "ir/builder.h"
#include "ir/function_attrs.h"

namespace tenon {

namespace {

std::vector<EntryTensor> TensorsOf(const IRModule& module, const Function& entry) {
  return EntryTensors(*entry.func, ModuleEffects(module).Of(entry));
}

/// A pass may determine a size that was unknown before.
bool SameTensor(const EntryTensor& a, const EntryTensor& b) {
  const bool known = a.has_shape && b.has_shape;
  return a.name == b.name && a.is_scalar == b.is_scalar && (!known || a.size_bytes == b.size_bytes);
}

std::string Listed(const std::vector<EntryTensor>& tensors) {
  std::string text;
  for (const EntryTensor& tensor : tensors) {
    text += fmt::format("{}`{}`", text.empty() ? "" : ", ", tensor.name);
    if (tensor.has_shape) text += fmt::format(" ({} bytes)", tensor.size_bytes);
  }
  return text.empty() ? "none" : text;
}

void DeclareOutputs(IRModule& module, const Function& entry,
                    const std::vector<EntryTensor>& tensors) {
  module.Update(WithAttrs(module.context(), entry, [&](NodeBuilder& builder, const MapAttr* attrs) {
    std::vector<const Attr*> names;
    for (const EntryTensor& tensor : tensors) {
      if (tensor.is_output) names.push_back(builder.StringValue(tensor.name));
    }
    return builder.With(attrs, attr_key::kOutputs,
                        builder.Array(Span<const Attr*>(names.data(), names.size())));
  }));
}

}  // namespace

KeptInterface::KeptInterface(const IRModule& module) {
  const Function* entry = module.Main();
  if (entry == nullptr) return;
  entry_ = entry->name.view();
  tensors_ = TensorsOf(module, *entry);
}

bool KeptInterface::Keep(IRModule& module, std::string_view pass, bool may_differ,
                         Diagnostics& diagnostics) {
  const Function* entry = module.Main();
  if (entry_.empty() || (may_differ && entry == nullptr)) {
    *this = KeptInterface(module);
    return true;
  }
  if (entry == nullptr || entry->name.view() != entry_) {
    diagnostics.Error(DiagnosticKind::kPass, {},
                      fmt::format("the entry `{}` is not the entry after pass `{}`", entry_, pass));
    return false;
  }
  std::vector<EntryTensor> now = TensorsOf(module, *entry);
  if (!may_differ &&
      !std::equal(tensors_.begin(), tensors_.end(), now.begin(), now.end(), SameTensor)) {
    diagnostics.Error(DiagnosticKind::kPass, entry->func->range,
                      fmt::format("pass `{}` changed the inputs and outputs of `{}`: expected {}, "
                                  "found {}",
                                  pass, entry_, Listed(tensors_), Listed(now)));
    return false;
  }
  bool differs = false;
  for (size_t i = 0; i < now.size(); ++i) {
    const EntryTensor* known = may_differ ? Find(now[i].name) : &tensors_[i];
    if (known == nullptr || known->is_output == now[i].is_output) continue;
    now[i].is_output = known->is_output;
    differs = true;
  }
  if (differs) DeclareOutputs(module, *entry, now);
  tensors_ = std::move(now);
  return true;
}

const EntryTensor* KeptInterface::Find(std::string_view name) const {
  for (const EntryTensor& tensor : tensors_) {
    if (tensor.name == name) return &tensor;
  }
  return nullptr;
}

}  // namespace tenon
