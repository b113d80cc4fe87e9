#ifndef TENON_TESTS_UNIT_PARSER_PARSE_TEST_UTIL_H_
#define TENON_TESTS_UNIT_PARSER_PARSE_TEST_UTIL_H_

#include <optional>
#include <string>
#include <string_view>

#include "parser/parser.h"

namespace tenon {

/// A parsed text with its diagnostics.
struct Parsed {
  Context context;
  Diagnostics diagnostics;
  std::optional<IRModule> module;

  explicit Parsed(std::string_view text, const ParseOptions& options = {}) {
    module = ParseModule(context, "test.py", text, nullptr, options, diagnostics);
  }
  /// The messages, for the output of a test that fails.
  std::string messages() const { return Render(context.sources(), diagnostics); }
  const PrimFunc* function(size_t index = 0) const { return module->functions().at(index).func; }
  const Stmt* body() const { return function()->body; }
};

/// The body of a function with some parameters: each line of `lines` starts with four blanks.
inline std::string InFunction(std::string_view lines) {
  std::string text =
      "@T.prim_func\n"
      "def f(A: T.Buffer((16, 16), \"float32\"), B: T.Buffer((64,), \"int8\"), h: T.handle, "
      "n: T.int32, m: T.int64, x: T.float32, b: T.bool):\n";
  return text += lines;
}

}  // namespace tenon

#endif  // TENON_TESTS_UNIT_PARSER_PARSE_TEST_UTIL_H_
