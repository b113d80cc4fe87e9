#include <optional>
#include <string>
#include <utility>

#include "ir/structural.h"
#include "ir/verifier.h"
#include "parser/parser.h"
#include "printer/printer.h"
#include "tests/fuzz/target.h"

// Text -> module -> text -> module. A module that the parser and the verifier accept is printed.
// The print must parse, verify, be structurally equal to the module, and print as itself. For every
// text, ParseText must give the same diagnostics, and symbols with places in the text.

namespace tenon::fuzz {
namespace {

ParseOptions Options() {
  ParseOptions options;
  // Truncated lists exercise more code than complete ones.
  options.allow_truncated_constants = true;
  options.allow_unknown_ops = true;
  // Keeps the parser from looking for side files in the current folder.
  options.base_dir = "/nonexistent";
  return options;
}

void CheckForTools(std::string_view input, bool is_module, const std::string& diagnostics) {
  Context context;
  const ParsedModule parsed = ParseText(context, "input", input, /*owner=*/nullptr, Options());
  Require(parsed.is_whole == is_module, "ParseText and ParseModule differ");
  Require(Render(context.sources(), parsed.diagnostics) == diagnostics, "other diagnostics");
  const auto check = [&](const TextSymbol& symbol, SourceRange range) {
    Require(!context.sources().Text(range).empty(), "`" + symbol.name + "` is at no place");
    Require(parsed.SymbolAt(range.begin) != nullptr, "`" + symbol.name + "` is not found");
  };
  for (const TextSymbol& symbol : parsed.symbols) {
    check(symbol, symbol.definition);
    for (const SourceRange& use : symbol.uses) check(symbol, use);
  }
  Diagnostics ignored;
  if (VerifyModule(parsed.module, ignored)) PrintModule(parsed.module);
}

}  // namespace

bool TakeInput(std::string_view input) {
  Context context;
  Diagnostics diagnostics;
  const std::optional<IRModule> first =
      ParseModule(context, "input", input, /*owner=*/nullptr, Options(), diagnostics);
  CheckForTools(input, first.has_value(), Render(context.sources(), diagnostics));
  const bool accepted = first && VerifyModule(*first, diagnostics);
  if (!Judge(accepted, context.sources(), diagnostics)) return false;

  const std::string printed = PrintModule(*first);
  const auto require = [&](bool holds, const std::string& what) {
    Require(holds, what + "\n--- printed\n" + printed);
  };
  diagnostics.Clear();
  const std::optional<IRModule> second =
      ParseModule(context, "printed", printed, /*owner=*/nullptr, Options(), diagnostics);
  require(second && VerifyModule(*second, diagnostics),
          "the print is refused: " + Render(context.sources(), diagnostics));
  Difference difference;
  const bool equal = StructuralEqual(*first, *second, &difference);
  require(equal, "the print is another module, at " + difference.path);
  const std::string again = PrintModule(*second);
  require(again == printed, "the print is not a fixed point:\n--- again\n" + again);
  return true;
}

}  // namespace tenon::fuzz
