#include "compile/package/module_facts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "compile/run/tensors.h"
#include "ir/attributes.h"
#include "ir/tensor_scales.h"
#include "ir/verifier.h"
#include "parser/parser.h"
#include "support/shown_text.h"

namespace tenon {

namespace {

/// A tensor in a message.
std::string TensorText(const PackageTensor& tensor) {
  std::string text =
      fmt::format("`{}` {}[{}] of {} bytes", ShownText(tensor.name), ShownText(tensor.dtype),
                  fmt::join(tensor.shape, ", "), tensor.size_bytes);
  if (tensor.scale)
    text += fmt::format(" with scale {} and zero point {}", *tensor.scale, tensor.zero_point);
  return text;
}

std::string GeneratorText(const PackageGenerator& generator) {
  return fmt::format("`{}` with {}", ShownText(generator.target),
                     ShownText(fmt::format("{}", fmt::join(generator.functions, ", "))));
}

/// The first difference of two lists, as a clause; empty if they are equal.
template <class T, class Text>
std::string Difference(std::string_view kind, const std::vector<T>& manifest,
                       const std::vector<T>& module, const Text& text) {
  for (size_t i = 0; i < std::max(manifest.size(), module.size()); ++i) {
    const std::string says = i < manifest.size() ? text(manifest[i]) : "none";
    const std::string has = i < module.size() ? text(module[i]) : "none";
    if (says != has)
      return fmt::format("{} {}: the manifest has {}, and the text has {}", kind, i + 1, says, has);
  }
  return {};
}

/// The first difference between a manifest and a module; empty if there is none.
std::string FirstDifference(const Package& manifest, const Package& module) {
  std::string found = Difference("input", manifest.inputs, module.inputs, TensorText);
  if (found.empty()) found = Difference("output", manifest.outputs, module.outputs, TensorText);
  if (found.empty())
    found = Difference("generator", manifest.generators, module.generators, GeneratorText);
  if (!found.empty()) return found;
  // The code looks for constants under this name, and applications include that header.
  for (const auto& [role, name] :
       {std::pair(PackageRole::kConstants, manifest.prefix + "_constants.safetensors"),
        std::pair(PackageRole::kHeader, manifest.prefix + ".h")}) {
    const PackageFile* file = manifest.Find(role);
    if (file != nullptr && file->name != name)
      return fmt::format("prefix: the manifest has `{}`, and the file is `{}`, not `{}`",
                         manifest.prefix, file->name, name);
  }
  return {};
}

}  // namespace

bool AddModuleFacts(const IRModule& module, Package& package, Diagnostics& diagnostics) {
  const std::optional<EntrySignature> signature = ReadEntrySignature(module, diagnostics);
  if (!signature) return false;
  for (const EntryTensor& tensor : signature->tensors) {
    PackageTensor& to = (tensor.is_output ? package.outputs : package.inputs).emplace_back();
    to.name = tensor.name;
    to.dtype = tensor.dtype.element().ToString();
    to.shape = tensor.shape;
    to.size_bytes = tensor.size_bytes;
    const std::optional<TensorScale> scale = ReadTensorScale(*signature->entry->func, tensor.name);
    if (!scale) continue;
    // The shortest digits that mean the float.
    to.scale = std::strtod(fmt::format("{}", scale->scale).c_str(), nullptr);
    to.zero_point = scale->zero_point;
  }
  std::map<std::string, std::vector<std::string>> functions;
  for (const Function& function : module.functions()) {
    const std::string_view* target = AsString(function.FindAttr(attr_key::kCompiler));
    if (target != nullptr) functions[std::string(*target)].emplace_back(function.name.view());
  }
  for (auto& [target, names] : functions)
    package.generators.push_back({target, /*version=*/{}, std::move(names)});
  return true;
}

std::optional<IRModule> ReadPackageModule(const Package& package, const std::string& path,
                                          Context& context, Diagnostics& diagnostics) {
  ParseOptions parse;
  parse.find_file = [&](std::string_view name) -> absl::StatusOr<std::shared_ptr<const FileBytes>> {
    const PackageFile* file = package.Find(name);
    if (file != nullptr) return file->bytes;
    return absl::NotFoundError(fmt::format("{}: no file `{}`", path, name));
  };
  const std::shared_ptr<const FileBytes>& text = package.Find(PackageRole::kModule)->bytes;
  std::optional<IRModule> module =
      ParseModule(context, text->path(), text->view(), text, parse, diagnostics);
  Package stated;
  if (!module || !VerifyModule(*module, diagnostics) ||
      !AddModuleFacts(*module, stated, diagnostics))
    return std::nullopt;
  const std::string difference = FirstDifference(package, stated);
  if (difference.empty()) return module;
  diagnostics.Error(DiagnosticKind::kArtifactMismatch, {},
                    fmt::format("{}: {}; make the package again", path, difference));
  return std::nullopt;
}

}  // namespace tenon
