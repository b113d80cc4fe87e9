#include "parser/scopes.h"

#include <fmt/format.h>

#include <algorithm>

#include "support/nearest_name.h"

namespace tenon {

static SymbolKind KindOf(PyKind kind) {
  switch (kind) {
    case PyKind::kError:
      return SymbolKind::kUnknown;
    case PyKind::kExpr:
      return SymbolKind::kVariable;
    case PyKind::kBuffer:
      return SymbolKind::kBuffer;
    case PyKind::kScalar:
      return SymbolKind::kScalar;
    case PyKind::kIterVar:
      return SymbolKind::kAxis;
    default:
      return SymbolKind::kValue;
  }
}

void Scopes::Bind(NameEntry* name, const PyValue& value, SourceRange where) {
  const bool has_symbol = where.valid() && env_.symbols != nullptr;
  Bind(name, value, where,
       has_symbol ? env_.AddSymbol(KindOf(value.kind), name->text, where) : SymbolTable::kNone);
}

void Scopes::Bind(NameEntry* name, const PyValue& value, SourceRange where, int32_t symbol) {
  Binding& binding = bindings_.emplace_back();
  binding.value = value;
  binding.where = where;
  binding.outer = name->binding;
  binding.depth = depth();
  binding.name = name;
  binding.symbol = symbol;
  name->binding = static_cast<int32_t>(bindings_.size() - 1);
}

void Scopes::Define(NameEntry* name, const PyValue& value, SourceRange where) {
  const Binding* known = FindInFrame(name);
  if (known != nullptr && !known->value.is_error() && !value.is_error()) {
    Diagnostic& error = env_.Error(DiagnosticKind::kDuplicateName, where,
                                   fmt::format("`{}` is already defined", name->text));
    Diagnostics::AddNote(error, known->where, "the earlier definition is here");
  }
  Bind(name, value, where);
}

const Binding* Scopes::Nearest(std::string_view text) {
  constexpr int kMostSuggestions = 100;  // looking for them takes long
  constexpr size_t kMostLength = 64;
  constexpr size_t kMostNames = 2000;
  if (text.size() > kMostLength || bindings_.size() > kMostNames) return nullptr;
  if (text.size() <= 2) return nullptr;  // anything is near to those
  if (++suggestions_ > kMostSuggestions) return nullptr;
  size_t best = text.size() <= 4 ? 2 : 3;
  const Binding* nearest = nullptr;
  for (const Binding& binding : bindings_) {  // the first of equally near ones
    const std::string_view other = binding.name->text;
    const size_t gap = std::max(other.size(), text.size()) - std::min(other.size(), text.size());
    if (gap >= best || other.size() > kMostLength || !binding.where.valid()) continue;
    const size_t distance = EditDistance(text, other, best);
    if (distance >= best) continue;
    best = distance;
    nearest = &binding;
  }
  return nearest;
}

}  // namespace tenon
