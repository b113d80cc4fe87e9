#include "parser/relax_constants.h"

#include <fmt/format.h>

namespace tenon {

namespace {

/// Whether TVM counts the constants of Relax under this key.
bool IsRelaxConstant(std::string_view key) {
  return key == "ir.GenericConst" || key == "relax.expr.Constant";
}

/// The data in an object of the metadata: the constant itself, or the constant inside it.
const Constant* DataOf(const Attr* object) {
  const auto* record = dyn_cast_or_null<ObjectAttr>(object);
  if (record != nullptr) object = record->fields->Find("data");
  const auto* constant = dyn_cast_or_null<ConstantAttr>(object);
  return constant == nullptr ? nullptr : constant->value;
}

}  // namespace

static const Constant* FindRelaxConstant(ParseEnv& env, const AttrReader& attrs,
                                         ConstantTable& constants, const relax::Tensor& tensor) {
  const relax::ConstantNumber& number = tensor.number;
  if (const Constant* data = DataOf(attrs.FindMetadata(number.key, number.number))) return data;
  const bool has_file = !env.options.constants_from.empty() && IsRelaxConstant(number.key);
  if (has_file && tensor.type) {
    return constants.ReadNumbered(number.number, tensor.type->dtype, tensor.type->shape,
                                  tensor.range);
  }
  Diagnostic& error = env.Error(
      DiagnosticKind::kConstantFile, tensor.range,
      fmt::format("the text has only the number of constant {}, not its data", number.number));
  Diagnostics::AddNote(
      error, tensor.range,
      "export the model with tenon-export, or give --constants-from=FILE.safetensors with c0, "
      "c1, ...: docs/guide/tvm.md");
  return nullptr;
}

bool FindRelaxConstants(ParseEnv& env, const AttrReader& attrs, ConstantTable& constants,
                        relax::Function& function) {
  bool ok = true;
  for (relax::Tensor& tensor : function.tensors) {
    const bool is_missing = tensor.kind == relax::Tensor::Kind::kConstant && tensor.data == nullptr;
    if (!is_missing) continue;
    tensor.data = FindRelaxConstant(env, attrs, constants, tensor);
    if (tensor.data == nullptr) return false;  // the others are missing for the same reason
    const relax::TensorType type{tensor.data->dtype(), tensor.data->shape()};
    if (tensor.type && *tensor.type != type) {
      env.Error(DiagnosticKind::kConstantShape, tensor.range,
                fmt::format("the constant is {} with {} dimensions, expected {} with {}",
                            type.dtype.ToString(), type.shape.size(), tensor.type->dtype.ToString(),
                            tensor.type->shape.size()));
      ok = false;
    }
    tensor.type = type;
  }
  return ok;
}

}  // namespace tenon
