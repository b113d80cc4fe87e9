#include "parser/module_functions.h"

#include <fmt/format.h>

#include "parser/lexer.h"

namespace tenon {

void ModuleFunctions::Define(NameEntry* name, SourceRange range) {
  const auto [seen, added] = defined_.emplace(name, range);
  if (added && env_.symbols != nullptr) env_.symbols->Define(SymbolOf(name), range);
  if (added) return;
  Diagnostic& error = env_.Error(DiagnosticKind::kDuplicateName, range,
                                 fmt::format("function `{}` is already defined", name->text));
  Diagnostics::AddNote(error, seen->second, "the earlier definition is here");
}

int32_t ModuleFunctions::SymbolOf(NameEntry* name) {
  const auto [found, added] = symbols_.try_emplace(name, SymbolTable::kNone);
  if (added) found->second = env_.AddSymbol(SymbolKind::kFunction, name->text, {});
  return found->second;
}

void ModuleFunctions::Use(NameEntry* name, SourceRange range) {
  if (env_.symbols != nullptr) env_.symbols->Use(SymbolOf(name), range);
}

std::optional<DataType> ModuleFunctions::ResultOf(NameEntry* name) {
  if (!std::exchange(scanned_, true)) Scan();
  const auto found = results_.find(name);
  return found == results_.end() ? std::nullopt : std::optional(found->second);
}

void ModuleFunctions::Scan() {
  Diagnostics ignored;
  for (size_t pos = env_.text.find("def "); pos != std::string_view::npos;
       pos = env_.text.find("def ", pos + 4)) {
    size_t before = pos;
    while (before > 0 && env_.text[before - 1] == ' ') --before;
    if (before > 0 && env_.text[before - 1] != '\n') continue;
    Lexer scan(env_.text, env_.base, env_.names, ignored);
    scan.RestartLine(pos);
    Token token;
    scan.Next(token);
    while (token.kind == Tok::kIndent) scan.Next(token);
    if (token.kind != Tok::kDef) continue;
    scan.Next(token);
    if (token.name == nullptr) continue;
    NameEntry* name = token.name;
    DataType dtype = DataType::Void();
    for (scan.Next(token); token.kind != Tok::kEnd && token.kind != Tok::kNewline;
         scan.Next(token)) {
      if (token.kind == Tok::kColon && scan.bracket_depth() == 0) break;
      // The bracket is never closed: the rest belongs to another function.
      if (token.kind == Tok::kDef || token.kind == Tok::kAt) break;
      if (token.kind != Tok::kArrow) continue;
      for (int i = 0; i < 3; ++i) scan.Next(token);  // T . int32
      if (token.name != nullptr) {
        dtype = env_.DTypeOf(token.name->text).value_or(DataType::Void());
      }
    }
    results_.emplace(name, dtype);
  }
}

}  // namespace tenon
