#include "parser/parse_env.h"

#include <fmt/format.h>

#include <algorithm>

namespace tenon {

ParseEnv::ParseEnv(Context& context, std::string_view text, uint32_t base,
                   const ParseOptions& options, SymbolTable* symbols, Diagnostics& diagnostics)
    : context(context),
      diagnostics(diagnostics),
      options(options),
      symbols(symbols),
      text(text),
      base(base),
      storage(std::make_shared<Storage>()),
      arena(storage->arena()),
      builder(context, arena),
      names(name_arena),
      text_dialect(DialectOfText(text, base, names)),
      rules(&RulesOf(text_dialect.dialect)),
      dialect(text_dialect.dialect),
      scratch(std::make_unique<Arena>()) {}

void ParseEnv::EndFunction() {
  constexpr size_t kMostScratch = 256 * 1024;
  if (scratch->bytes_reserved() > kMostScratch) scratch = std::make_unique<Arena>();
}

void ParseEnv::NotUnderstood(SourceRange range) {
  if (!diagnostics.has_errors()) {
    Error(DiagnosticKind::kSyntax, range, "unsupported text, which Tenon could not print again");
  }
}

void ParseEnv::WrongDialect(SourceRange range, std::string message) {
  Diagnostic& error = Error(DiagnosticKind::kSyntax, range, std::move(message));
  if (!text_dialect.where.valid()) return;
  Diagnostics::AddNote(error, text_dialect.where,
                       fmt::format("this makes it a text of the dialect `{}`", rules->name));
}

bool ParseEnv::CheckDialectName(std::string_view name, SourceRange range) {
  const DialectName* row = FindDialectName(name);
  if (row == nullptr || row->is_tirx == IsTirx(dialect)) return true;
  WrongDialect(range, fmt::format("`T.{}` is of the dialect `{}`, expected `{}`", name,
                                  row->is_tirx ? "tirx" : "tir", row->instead));
  return false;
}

Symbol ParseEnv::SymbolOf(NameEntry* name) {
  if (name->symbol.empty()) name->symbol = context.Intern(name->text);
  return name->symbol;
}

std::optional<DataType> ParseEnv::DTypeOf(std::string_view text) {
  if (text.size() > 64) return DataType::Parse(text);
  NameEntry* name = names.Find(text);
  using State = NameEntry::DTypeState;
  if (name->dtype_state == State::kUnknown) {
    const std::optional<DataType> dtype = DataType::Parse(text);
    name->dtype_state = dtype ? State::kYes : State::kNo;
    if (dtype) name->dtype = *dtype;
  }
  if (name->dtype_state == State::kNo) return std::nullopt;
  return name->dtype;
}

const Type* ParseEnv::PrimTypeOf(DataType dtype) {
  for (const auto& [known, type] : prim_types_) {
    if (known == dtype) return type;
  }
  return prim_types_.emplace_back(dtype, context.PrimType(dtype)).second;
}

const Type* ParseEnv::PointerTypeOf(DataType element, std::string_view scope) {
  if (scope != "global") return context.PointerType(element, scope);
  for (const auto& [known, type] : global_pointers_) {
    if (known == element) return type;
  }
  return global_pointers_.emplace_back(element, context.PointerType(element, scope)).second;
}

PyValue ParseEnv::Items(PyKind kind, SourceRange range, Span<PyValue> items) {
  PyValue value(kind, range);
  const std::span<const PyValue> copy = scratch->Copy(items);
  value.items = copy.data();
  value.count = static_cast<uint32_t>(copy.size());
  return value;
}

PyValue ParseEnv::FreshVar(DataType dtype, const Type* type, SourceRange range, bool size_var) {
  Var* var = arena.New<Var>(Symbol(), type != nullptr ? type : PrimTypeOf(dtype));
  var->range = range;
  if (size_var) var->flags |= Var::kSizeVar;
  PyValue value(PyKind::kFreshVar, range);
  value.expr = var;
  return value;
}

PendingScope* ParseEnv::NewScope(ScopeForm form, SourceRange range) {
  auto* scope = scratch->New<PendingScope>();
  scope->form = form;
  scope->range = range;
  return scope;
}

PyValue ParseEnv::ScopeValue(PendingScope* scope) {
  PyValue value(PyKind::kScope, scope->range);
  value.scope = scope;
  return value;
}

bool ParseEnv::Bind(const Args& args, std::span<const std::string_view> params, size_t required,
                    std::span<const PyValue*> out) {
  std::fill(out.begin(), out.end(), nullptr);
  if (args.has_error) return false;
  if (args.positional.size() > params.size()) {
    Error(DiagnosticKind::kArguments, args.positional[params.size()].range,
          fmt::format("`{}` has {} arguments, expected at most {}", args.name,
                      args.positional.size() + args.keywords.size(), params.size()));
    return false;
  }
  for (size_t i = 0; i < args.positional.size(); ++i) out[i] = &args.positional[i];
  for (const PyKeyword& keyword : args.keywords) {
    const auto found = std::find(params.begin(), params.end(), keyword.name);
    if (found == params.end()) {
      Error(DiagnosticKind::kArguments, keyword.range,
            fmt::format("`{}` has no argument `{}`", args.name, keyword.name));
      return false;
    }
    const auto index = static_cast<size_t>(found - params.begin());
    if (out[index] != nullptr) {
      Error(DiagnosticKind::kArguments, keyword.range,
            fmt::format("argument `{}` is given twice", keyword.name));
      return false;
    }
    out[index] = &keyword.value;
  }
  for (size_t i = 0; i < required; ++i) {
    if (out[i] != nullptr) continue;
    Error(DiagnosticKind::kArguments, args.range,
          fmt::format("`{}` lacks its argument `{}`", args.name, params[i]));
    return false;
  }
  return true;
}

}  // namespace tenon
