#ifndef TENON_PARSER_SYMBOL_TABLE_H_
#define TENON_PARSER_SYMBOL_TABLE_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "parser/parser.h"

namespace tenon {

/// Collects the symbols of a text while it is read. Symbols are numbered from 0 in any order.
class SymbolTable {
 public:
  /// The number that means "no symbol".
  static constexpr int32_t kNone = -1;

  /// Adds a symbol; `range` may be invalid if the definition comes later.
  int32_t Add(SymbolKind kind, std::string_view name, SourceRange range);
  /// Sets the definition of a symbol. The earlier definition becomes a use.
  void Define(int32_t symbol, SourceRange range);
  void Use(int32_t symbol, SourceRange range) {
    if (symbol != kNone) symbols_[static_cast<size_t>(symbol)].uses.push_back(range);
  }
  /// All symbols that have a definition, with their uses, in the order of the text.
  std::vector<TextSymbol> Take();

 private:
  std::vector<TextSymbol> symbols_;
};

}  // namespace tenon

#endif  // TENON_PARSER_SYMBOL_TABLE_H_
