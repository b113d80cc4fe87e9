#include "parser/parser.h"

#include <utility>

#include "parser/lexer.h"
#include "parser/module_parser.h"

namespace tenon {

std::optional<IRModule> ParseModule(Context& context, std::string_view name, std::string_view text,
                                    std::shared_ptr<const void> owner, const ParseOptions& options,
                                    Diagnostics& diagnostics) {
  absl::StatusOr<const SourceFile*> file = context.sources().Add(name, text, std::move(owner));
  if (!file.ok()) {
    diagnostics.Error(DiagnosticKind::kLimit, {}, std::string(file.status().message()));
    return std::nullopt;
  }
  const size_t errors = diagnostics.error_count();
  if (!CheckEncoding((*file)->text(), (*file)->base(), diagnostics)) return std::nullopt;
  ModuleParser parser(context, (*file)->text(), (*file)->base(), options, diagnostics);
  std::optional<IRModule> module = parser.Parse();
  if (diagnostics.error_count() != errors) return std::nullopt;
  return module;
}

}  // namespace tenon
