#include "tests/fuzz/roundtrip.h"

#include <utility>

#include "ir/structural.h"
#include "ir/verifier.h"
#include "parser/parser.h"
#include "printer/printer.h"

namespace tenon {
namespace {

ParseOptions Options() {
  ParseOptions options;
  // Truncated lists are read by more code than full ones.
  options.allow_truncated_constants = true;
  options.allow_unknown_ops = true;
  // Side files are not looked for where tests happen to run.
  options.base_dir = "/nonexistent";
  return options;
}

}  // namespace

std::optional<Roundtrip> CheckRoundtrip(std::string_view text, std::string& complaint) {
  Context context;
  Diagnostics diagnostics;
  const std::optional<IRModule> first =
      ParseModule(context, "input", text, /*owner=*/nullptr, Options(), diagnostics);
  if (!first && !diagnostics.has_errors()) {
    complaint = "refused without an error";
    return std::nullopt;
  }
  if (!first || !VerifyModule(*first, diagnostics)) {
    // Messages quote the input; to render them is part of the test.
    if (!Render(context.sources(), diagnostics).empty()) return Roundtrip::kRefused;
    complaint = "errors that render as nothing";
    return std::nullopt;
  }

  const std::string printed = PrintModule(*first);
  const auto fail = [&](std::string what) {
    complaint = std::move(what) + "\n--- printed\n" + printed;
    return std::nullopt;
  };
  diagnostics.Clear();
  const std::optional<IRModule> second =
      ParseModule(context, "printed", printed, /*owner=*/nullptr, Options(), diagnostics);
  if (!second || !VerifyModule(*second, diagnostics)) {
    return fail("the print is refused: " + Render(context.sources(), diagnostics));
  }
  Difference difference;
  if (!StructuralEqual(*first, *second, &difference)) {
    return fail("the print is another module, at " + difference.path);
  }
  const std::string again = PrintModule(*second);
  if (again != printed) return fail("the print is no fixed point:\n--- again\n" + again);
  return Roundtrip::kKept;
}

}  // namespace tenon
