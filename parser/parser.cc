#include "parser/parser.h"

#include <utility>

#include "parser/lexer.h"
#include "parser/module_parser.h"

namespace tenon {

namespace {

/// The text as a part of the context; null after an error.
const SourceFile* AddText(Context& context, std::string_view name, std::string_view text,
                          std::shared_ptr<const void> owner, Diagnostics& diagnostics) {
  const SourceFile* const file =
      AddSource(context.sources(), name, text, std::move(owner), diagnostics);
  if (file == nullptr) return nullptr;
  return CheckEncoding(file->text(), file->base(), diagnostics) ? file : nullptr;
}

}  // namespace

std::optional<IRModule> ParseModule(Context& context, std::string_view name, std::string_view text,
                                    std::shared_ptr<const void> owner, const ParseOptions& options,
                                    Diagnostics& diagnostics) {
  const SourceFile* file = AddText(context, name, text, std::move(owner), diagnostics);
  if (file == nullptr) return std::nullopt;
  ModuleParser parser(context, file->text(), file->base(), options,
                      /*symbols=*/nullptr, diagnostics);
  if (!parser.Parse()) return std::nullopt;
  return parser.TakeModule();
}

ParsedModule ParseText(Context& context, std::string_view name, std::string_view text,
                       std::shared_ptr<const void> owner, const ParseOptions& options) {
  ParsedModule result{.module = IRModule(context), .symbols = {}, .diagnostics = {}};
  const SourceFile* file = AddText(context, name, text, std::move(owner), result.diagnostics);
  if (file == nullptr) return result;
  SymbolTable symbols;
  ModuleParser parser(context, file->text(), file->base(), options, &symbols, result.diagnostics);
  result.is_whole = parser.Parse();
  result.module = parser.TakeModule();
  result.symbols = symbols.Take();
  return result;
}

}  // namespace tenon
