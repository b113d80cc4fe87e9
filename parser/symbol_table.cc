#include "parser/symbol_table.h"

#include <algorithm>
#include <utility>

namespace tenon {

int32_t SymbolTable::Add(SymbolKind kind, std::string_view name, SourceRange range) {
  symbols_.push_back({kind, std::string(name), range, {}});
  return static_cast<int32_t>(symbols_.size() - 1);
}

void SymbolTable::Define(int32_t symbol, SourceRange range) {
  if (symbol == kNone) return;
  TextSymbol& defined = symbols_[static_cast<size_t>(symbol)];
  const SourceRange before = std::exchange(defined.definition, range);
  if (before.valid()) defined.uses.push_back(before);
}

std::vector<TextSymbol> SymbolTable::Take() {
  const auto earlier = [](SourceRange a, SourceRange b) { return a.begin < b.begin; };
  std::erase_if(symbols_, [](const TextSymbol& symbol) { return !symbol.definition.valid(); });
  for (TextSymbol& symbol : symbols_) {
    std::sort(symbol.uses.begin(), symbol.uses.end(), earlier);
  }
  std::stable_sort(symbols_.begin(), symbols_.end(), [&](const TextSymbol& a, const TextSymbol& b) {
    return earlier(a.definition, b.definition);
  });
  return std::move(symbols_);
}

std::string_view SymbolKindText(SymbolKind kind) {
  constexpr std::string_view kTexts[] = {"module", "function", "constant", "variable", "buffer",
                                         "scalar", "axis",     "value",    "unknown"};
  return kTexts[static_cast<size_t>(kind)];
}

const TextSymbol* ParsedModule::SymbolAt(uint32_t offset) const {
  const auto holds = [offset](SourceRange range) {
    return range.begin <= offset && offset < range.end;
  };
  for (const TextSymbol& symbol : symbols) {
    if (holds(symbol.definition)) return &symbol;
    if (std::any_of(symbol.uses.begin(), symbol.uses.end(), holds)) return &symbol;
  }
  return nullptr;
}

}  // namespace tenon
