#include <gtest/gtest.h>

#include <string>

#include "parser/parser.h"

namespace tenon {
namespace {

/// A text that was read for tools.
struct ForTools {
  Context context;
  ParsedModule parsed;

  explicit ForTools(std::string_view text)
      : parsed(ParseText(context, "test.py", text, nullptr, {})) {}

  std::string PlaceOf(SourceRange range) const {
    const SourcePlace place = context.sources().Locate(range.begin);
    return std::to_string(place.line) + ":" + std::to_string(place.column);
  }
  /// "kind name 1:2, 3:4": the definition, then the uses; a line each.
  std::string Symbols() const {
    std::string lines;
    for (const TextSymbol& symbol : parsed.symbols) {
      lines += std::string(SymbolKindText(symbol.kind)) + " " + symbol.name + " " +
               PlaceOf(symbol.definition);
      for (const SourceRange& use : symbol.uses) lines += ", " + PlaceOf(use);
      lines += "\n";
    }
    return lines;
  }
};

constexpr std::string_view kTwoFunctions = R"(@I.ir_module
class Module:
    @T.prim_func
    def broken(A: T.Buffer((4,), "int32")):
        A[0] = missing
        A[1] = A[0]

    @T.prim_func
    def sound(B: T.Buffer((4,), "int32"), n: T.int32):
        for i in range(4):
            B[i] = n
        Module.broken(B.data)
)";

TEST(ParseTextTest, GivesTheFunctionsWithoutErrors) {
  const ForTools text(kTwoFunctions);
  EXPECT_FALSE(text.parsed.is_whole);
  EXPECT_EQ(text.parsed.diagnostics.error_count(), 1u);
  EXPECT_EQ(text.parsed.module.name.view(), "Module");
  ASSERT_EQ(text.parsed.module.functions().size(), 1u);
  EXPECT_EQ(text.parsed.module.functions()[0].name.view(), "sound");
}

TEST(ParseTextTest, GivesTheSymbolsOfAllFunctions) {
  const ForTools text(kTwoFunctions);
  EXPECT_EQ(text.Symbols(),
            "module Module 2:7, 12:9\n"
            "function broken 4:9, 12:16\n"
            "buffer A 4:16, 5:9, 6:9, 6:16\n"
            "function sound 9:9\n"
            "buffer B 9:15, 11:13, 12:23\n"
            "variable n 9:43, 11:20\n"
            "variable i 10:13, 11:15\n");
}

TEST(ParseTextTest, FindsTheSymbolAtAPlace) {
  const ForTools text("@T.prim_func\ndef f(n: T.int32):\n    T.evaluate(n)\n");
  ASSERT_TRUE(text.parsed.is_whole);
  const TextSymbol& n = text.parsed.symbols.at(1);
  ASSERT_EQ(n.uses.size(), 1u);
  EXPECT_EQ(text.parsed.SymbolAt(n.definition.begin), &n);
  EXPECT_EQ(text.parsed.SymbolAt(n.uses[0].begin), &n);
  EXPECT_EQ(text.parsed.SymbolAt(n.uses[0].end), nullptr);
}

TEST(ParseTextTest, NamesThatAreReadTwiceAreOneUse) {
  const ForTools text(R"(@T.prim_func
def f(A: T.Buffer((4,), "int32"), r: T.handle):
    a, b = A[0], A[1]
    a, A[0]
    T.evaluate(T.reduce(T.comm_reducer(lambda x, y: x + y, [0]), source=[a], init=[], axis=[T.iter_var("k", (0, 4), "CommReduce", "")], condition=T.bool(True), value_index=0))
)");
  EXPECT_EQ(text.Symbols(),
            "function f 2:5\n"
            "buffer A 2:7, 3:12, 3:18, 4:8\n"
            "variable r 2:35\n"
            "variable a 3:5, 4:5, 5:74\n"
            "variable b 3:8\n"
            "variable x 5:47, 5:53\n"
            "variable y 5:50, 5:57\n");
}

TEST(ParseTextTest, TheParameterDefinesAVariableOfAQuotedExtent) {
  const ForTools text(R"(# from tvm.script import tirx as T
@T.prim_func
def f(A: T.Buffer(("n", "m"), "int32"), n: T.int32):
    m = T.int32()
    T.evaluate(m)
)");
  EXPECT_EQ(text.Symbols(),
            "function f 3:5\n"
            "buffer A 3:7\n"
            "variable m 3:26, 4:5, 5:16\n"
            "variable n 3:41, 3:21\n");
}

TEST(ParseTextTest, RelaxFunctionsHaveSymbols) {
  const ForTools text(R"(@I.ir_module
class Module:
    @T.prim_func
    def copy(A: T.Buffer((4,), "int8"), B: T.Buffer((4,), "int8")):
        for i in range(4):
            B[i] = A[i]

    @R.function
    def main(x: R.Tensor((4,), dtype="int8")):
        cls = Module
        y = R.call_tir(cls.copy, (x,), out_ty=R.Tensor((4,), dtype="int8"))
        return y
)");
  EXPECT_TRUE(text.parsed.is_whole);
  EXPECT_EQ(text.parsed.module.functions().size(), 2u);
  EXPECT_EQ(text.Symbols(),
            "module Module 2:7, 10:15\n"
            "function copy 4:9, 11:28\n"
            "buffer A 4:14, 6:20\n"
            "buffer B 4:41, 6:13\n"
            "variable i 5:13, 6:15, 6:22\n"
            "function main 9:9\n"
            "variable x 9:14, 11:35\n"
            "variable cls 10:9, 11:24\n"
            "variable y 11:9, 12:16\n");
}

TEST(ParseTextTest, TextThatIsNotAModuleGivesAnEmptyModule) {
  const ForTools text("x ==\n");
  EXPECT_FALSE(text.parsed.is_whole);
  EXPECT_TRUE(text.parsed.module.functions().empty());
  EXPECT_TRUE(text.parsed.diagnostics.has_errors());
}

}  // namespace
}  // namespace tenon
