#include <fmt/format.h>

#include "frontends/relax/lower.h"
#include "parser/constant_files.h"
#include "parser/metadata.h"
#include "parser/parser_internal.h"
#include "parser/relax_reader.h"

// The Relax function of a module. It is read after the TIR functions, which it calls.

namespace tenon {

namespace {

/// Whether TVM counts the constants of Relax under this key.
bool IsRelaxConstant(std::string_view key) {
  return key == "ir.GenericConst" || key == "relax.expr.Constant";
}

/// The data in an object of the metadata: the constant itself, or what it holds.
const Constant* DataOf(const Attr* object) {
  const auto* record = dyn_cast_or_null<ObjectAttr>(object);
  if (record != nullptr) object = record->fields->Find("data");
  const auto* constant = dyn_cast_or_null<ConstantAttr>(object);
  return constant == nullptr ? nullptr : constant->value;
}

}  // namespace

void Parser::SkipRelaxFunction() {
  const size_t begin = token_.begin;
  Advance();  // def
  NameEntry* name = token_.name;
  const SourceRange range = Here();
  if (name == nullptr) return UnexpectedToken("the name of a function");
  const auto [seen, added] = functions_seen_.emplace(name, range);
  if (!added) {
    Diagnostic& error = Error(DiagnosticKind::kDuplicateName, range,
                              fmt::format("function `{}` is already defined", name->text));
    Diagnostics::AddNote(error, seen->second, "the earlier definition is here");
  }
  if (relax_begin_) {
    Error(DiagnosticKind::kUnsupported, range,
          "more than one Relax function, expected one that calls TIR functions");
  }
  relax_begin_ = begin;
  while (!failed_ && !At(Tok::kNewline) && !At(Tok::kEnd)) Advance();
  if (At(Tok::kNewline)) Advance();
  for (size_t depth = 0; !failed_ && !At(Tok::kEnd);) {
    if (At(Tok::kIndent)) ++depth;
    if (depth == 0) return;
    const bool closes = At(Tok::kDedent) && --depth == 0;
    Advance();
    if (closes) return;
  }
}

void Parser::ReadRelaxFunction() {
  if (!relax_begin_) return;
  RelaxReader::Surroundings surroundings;
  surroundings.module_name = module_.name.view();
  surroundings.constant = [&](std::string_view name) -> const Constant* {
    const auto found = constants_.find(context_.Intern(name));
    return found == constants_.end() ? nullptr : found->second;
  };
  RelaxReader reader(context_, lexer_.text(), base_, *relax_begin_, names_, surroundings,
                     diagnostics_);
  std::optional<relax::Function> function = reader.Read();
  if (!function || diagnostics_.has_errors()) return;
  if (!relax::CheckCalls(*function, module_, diagnostics_) || !FindRelaxConstants(*function))
    return;
  module_.Add(relax::Lower(*function, module_, storage_));
}

bool Parser::FindRelaxConstants(relax::Function& function) {
  bool ok = true;
  for (relax::Tensor& tensor : function.tensors) {
    const bool is_missing = tensor.kind == relax::Tensor::Kind::kConstant && tensor.data == nullptr;
    if (!is_missing) continue;
    tensor.data = FindRelaxConstant(tensor);
    if (tensor.data == nullptr) return false;  // the others are missing for the same reason
    const relax::TensorType type{tensor.data->dtype(), tensor.data->shape()};
    if (tensor.type && *tensor.type != type) {
      Error(DiagnosticKind::kConstantShape, tensor.range,
            fmt::format("the constant is {} with {} dimensions, expected {} with {}",
                        type.dtype.ToString(), type.shape.size(), tensor.type->dtype.ToString(),
                        tensor.type->shape.size()));
      ok = false;
    }
    tensor.type = type;
  }
  return ok;
}

const Constant* Parser::FindRelaxConstant(const relax::Tensor& tensor) {
  const relax::ConstantNumber& number = tensor.number;
  if (metadata_ != nullptr) {
    if (const Constant* data = DataOf(metadata_->Find(number.key, number.number))) return data;
  }
  const bool has_file = !options_.constants_from.empty() && IsRelaxConstant(number.key);
  if (!has_file || !tensor.type) {
    Diagnostic& error = Error(
        DiagnosticKind::kConstantFile, tensor.range,
        fmt::format("the text has only the number of constant {}, not its data", number.number));
    Diagnostics::AddNote(
        error, tensor.range,
        "export the model with tenon-export, or give --constants-from=FILE.safetensors with c0, "
        "c1, ...: docs/getting_a_model.md");
    return nullptr;
  }
  if (relax_files_ == nullptr) relax_files_ = std::make_unique<ConstantFiles>("");
  const std::string name = fmt::format("c{}", number.number);
  absl::StatusOr<ConstantSource> source =
      relax_files_->Read(options_.constants_from, name, tensor.type->dtype, tensor.type->shape);
  if (!source.ok()) {
    Error(DiagnosticKind::kConstantFile, tensor.range, std::string(source.status().message()));
    return nullptr;
  }
  const Symbol symbol = context_.Intern(name);
  const bool is_new = !constants_.contains(symbol);
  const Constant* constant =
      context_.AddConstant(is_new ? symbol : Symbol(), tensor.type->dtype, tensor.type->shape,
                           *std::move(source), {}, tensor.range);
  if (is_new) {
    constants_.emplace(symbol, constant);
    module_.constants.push_back(constant);
  }
  return constant;
}

}  // namespace tenon
