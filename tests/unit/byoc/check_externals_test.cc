#include "byoc/check_externals.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/verifier.h"
#include "parser/parser.h"
#include "printer/printer.h"

// Tests the calls that checks add around a call of an external function.

namespace tenon {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class CheckExternalsTest : public testing::Test {
 protected:
  IRModule Parse(const std::string& text) {
    Diagnostics diagnostics;
    std::optional<IRModule> module =
        ParseModule(context_, "test.py", text, nullptr, {}, diagnostics);
    EXPECT_TRUE(module.has_value() && VerifyModule(*module, diagnostics))
        << Render(context_.sources(), diagnostics);
    return *std::move(module);
  }

  CheckedExternals Checked(const std::string& functions) {
    CheckedExternals checked =
        AddExternalChecks(Parse("@I.ir_module\nclass Module:\n" + functions));
    Diagnostics diagnostics;
    EXPECT_TRUE(VerifyModule(checked.module, diagnostics))
        << Render(context_.sources(), diagnostics) << PrintModule(checked.module);
    return checked;
  }

  Context context_;
};

/// The arguments of the module's calls of `name`, in the order of the text.
std::vector<std::string> CallsOf(const IRModule& module, std::string_view name) {
  const std::string text = PrintModule(module);
  const std::string call = fmt::format("T.call_extern(\"int32\", \"{}\", ", name);
  std::vector<std::string> calls;
  for (size_t at = text.find(call); at != std::string::npos; at = text.find(call, at + 1)) {
    const size_t begin = at + call.size();
    size_t end = begin;
    for (int depth = 1; depth > 0; ++end) depth += text[end] == '(' ? 1 : text[end] == ')' ? -1 : 0;
    calls.push_back(text.substr(begin, end - begin - 1));
  }
  return calls;
}

/// A function `op` with the attributes, parameters and statements; the external function `one`
/// that calls it; and `main` that calls `one`. `effects` are the letters of its code.
std::string OneCall(std::string_view attrs, std::string_view params, std::string_view args,
                    std::string_view statements, std::string_view effects) {
  return fmt::format(R"(
    @T.prim_func(private=True)
    def op({1}):
        T.func_attr({{{0}"tir.noalias": T.bool(True)}})
{3}
    @T.prim_func
    def one({1}):
        T.func_attr({{"Compiler": "test", "tenon.external": {{"symbol": "one", "effects": [{4}]}},
                     "tir.noalias": T.bool(True)}})
        T.evaluate(T.call_extern("int32", "op", {2}))

    @T.prim_func
    def main({1}):
        T.evaluate(T.call_extern("int32", "one", {2}))
)",
                     attrs, params, args, statements, effects);
}

constexpr std::string_view kSum =
    "\"tenon.op\": {\"kind\": \"dense\", \"macs\": 8, \"elements\": 2}, ";
constexpr std::string_view kTwoFloats =
    R"(x: T.Buffer((4,), "float32"), y: T.Buffer((4,), "float32"))";
constexpr std::string_view kTwice =
    "        for i in range(4):\n            y[i] = x[i] * T.float32(2)\n";

TEST_F(CheckExternalsTest, MagnitudesAreOfFloatsThatAreRead) {
  const CheckedExternals checked = Checked(OneCall(
      kSum,
      R"(x: T.Buffer((8,), "float32"), d: T.Buffer((2,), "float64"), h: T.Buffer((2,), "float16"),
            n: T.Buffer((2,), "int32"), y: T.Buffer((2,), "float32"), m: T.Buffer((2,), "int32"))",
      "x.data, d.data, h.data, n.data, y.data, m.data", R"(        for i in range(2):
            y[i] = x[i * 4] + x[i * 4 + 1] + T.Cast("float32", d[i]) + T.Cast("float32", h[i])
            m[i] = n[i]
)",
      R"("r", "r", "r", "r", "o", "o")"));
  EXPECT_THAT(CallsOf(checked.module, kMagnitudeFunction),
              ElementsAre("magnitude, x.data, T.int64(8), T.int64(32)",
                          "magnitude_1, d.data, T.int64(2), T.int64(64)",
                          "magnitude_2, h.data, T.int64(2), T.int64(16)"));
  EXPECT_THAT(CallsOf(checked.module, "one_body"),
              ElementsAre("x.data, d.data, h.data, n.data, expected, expected_1",
                          "magnitude, magnitude_1, magnitude_2, n.data, magnitude_3, magnitude_4"));
  // Only results of floats have a bound.
  const std::string first = "T.address_of(guarded[T.int64(1024)])";
  const std::string second = "T.address_of(guarded_1[T.int64(1024)])";
  EXPECT_THAT(CallsOf(checked.module, "one"),
              ElementsAre("x.data, d.data, h.data, n.data, " + first + ", " + second));
  EXPECT_THAT(CallsOf(checked.module, kCompareFunction),
              ElementsAre("T.int64(0), T.int64(0), " + first + ", expected, magnitude_3",
                          "T.int64(0), T.int64(1), " + second + ", expected_1, expected_1"));
  EXPECT_THAT(
      CallsOf(checked.module, kCopyFunction),
      ElementsAre("y.data, " + first + ", T.int64(8)", "m.data, " + second + ", T.int64(8)"));
}

TEST_F(CheckExternalsTest, WithoutSumsOfFloatsThereAreNoBounds) {
  const CheckedExternals product =
      Checked(OneCall("\"tenon.op\": {\"kind\": \"elementwise\", \"elements\": 4}, ", kTwoFloats,
                      "x.data, y.data", kTwice, R"("r", "o")"));
  EXPECT_EQ(product.checks[0].terms, 0);
  EXPECT_THAT(CallsOf(product.module, kMagnitudeFunction), IsEmpty());
  EXPECT_THAT(CallsOf(product.module, "one_body"), ElementsAre("x.data, expected"));
  const CheckedExternals integers = Checked(OneCall(
      kSum, R"(x: T.Buffer((4,), "float32"), y: T.Buffer((4,), "int32"))", "x.data, y.data",
      "        for i in range(4):\n            y[i] = T.Cast(\"int32\", x[i])\n", R"("r", "o")"));
  EXPECT_EQ(integers.checks[0].terms, 4);
  EXPECT_THAT(CallsOf(integers.module, kMagnitudeFunction), IsEmpty());
}

TEST_F(CheckExternalsTest, OldValuesMatterUnlessAllIsOverwritten) {
  const auto copies = [&](std::string_view attrs, std::string_view letters) {
    return CallsOf(
        Checked(OneCall(attrs, kTwoFloats, "x.data, y.data",
                        "        for i in range(2):\n            y[i] = x[i]\n", letters))
            .module,
        kCopyFunction);
  };
  const std::string guarded = "T.address_of(guarded[T.int64(1024)])";
  const std::string result = "y.data, " + guarded + ", T.int64(16)";
  EXPECT_THAT(copies("", R"("r", "o")"), ElementsAre(result));
  // Nothing is known about an argument without letters.
  for (const std::string_view letters : {R"("r", "w")", R"("r")"}) {
    EXPECT_THAT(copies("", letters), ElementsAre("expected, y.data, T.int64(16)",
                                                 guarded + ", y.data, T.int64(16)", result));
  }
  EXPECT_THAT(copies(kSum, R"("r", "w")"),
              ElementsAre("expected, y.data, T.int64(16)", "magnitude_1, y.data, T.int64(16)",
                          guarded + ", y.data, T.int64(16)", result));
}

TEST_F(CheckExternalsTest, ValuesThatTheBodyReadsAreKeptWhateverTheLettersSay) {
  const CheckedExternals checked = Checked(
      OneCall("", kTwoFloats, "x.data, y.data",
              "        for i in range(4):\n            y[i] = y[i] + x[i]\n", R"("r", "o")"));
  EXPECT_THAT(CallsOf(checked.module, kCopyFunction),
              ElementsAre("expected, y.data, T.int64(16)",
                          "T.address_of(guarded[T.int64(1024)]), y.data, T.int64(16)",
                          "y.data, T.address_of(guarded[T.int64(1024)]), T.int64(16)"));
}

TEST_F(CheckExternalsTest, GuardsAreAroundTheResult) {
  const CheckedExternals checked =
      Checked(OneCall("", kTwoFloats, "x.data, y.data", kTwice, R"("r", "o")"));
  EXPECT_THAT(CallsOf(checked.module, kGuardFunction), ElementsAre("guarded.data, T.int64(2064)"));
  EXPECT_THAT(PrintModule(checked.module),
              HasSubstr("guarded = T.decl_buffer((T.int64(2064),), \"uint8\""));
}

TEST_F(CheckExternalsTest, InputsAreKeptUnlessTheCodeMayWriteThem) {
  const auto saved = [&](std::string_view letters) {
    const CheckedExternals checked = Checked(
        OneCall("", kTwoFloats, "x.data, y.data", kTwice, fmt::format("\"{}\", \"o\"", letters)));
    EXPECT_EQ(CallsOf(checked.module, kUnchangedFunction), CallsOf(checked.module, kSaveFunction));
    return CallsOf(checked.module, kSaveFunction);
  };
  EXPECT_THAT(saved("r"), ElementsAre("T.int64(0), T.int64(0), x.data"));
  EXPECT_THAT(saved("rw"), IsEmpty());
}

TEST_F(CheckExternalsTest, ConstantsAreNotKept) {
  const CheckedExternals checked = Checked(R"(
    @T.prim_func(private=True)
    def op(y: T.Buffer((4,), "float32"), w: T.Buffer((4,), "float32"), x: T.Buffer((4,), "float32")):
        for i in range(4):
            y[i] = x[i] * w[i]

    @T.prim_func
    def one(y: T.Buffer((4,), "float32"), w: T.Buffer((4,), "float32"), x: T.Buffer((4,), "float32")):
        T.func_attr({"Compiler": "test", "tenon.external": {"symbol": "one", "effects": ["o", "r", "r"]}})
        T.evaluate(T.call_extern("int32", "op", y.data, w.data, x.data))

    @T.prim_func
    def main(x: T.Buffer((4,), "float32"), y: T.Buffer((4,), "float32")):
        w = T.allocate_const([1.0, 2.0, 3.0, 4.0], "float32", [4])
        T.evaluate(T.call_extern("int32", "one", y.data, w, x.data))
)");
  EXPECT_THAT(CallsOf(checked.module, kSaveFunction),
              ElementsAre("T.int64(0), T.int64(1), x.data"));
  EXPECT_THAT(CallsOf(checked.module, kUnchangedFunction),
              ElementsAre("T.int64(0), T.int64(1), x.data"));
}

/// The declarations of a buffer whose elements are not at all places from the start of its memory.
constexpr std::string_view kNotPlain[] = {
    R"(T.Buffer((4,), "float32", strides=(2,)))", R"(T.Buffer((4,), "float32", elem_offset=2))",
    R"(T.Buffer((4,), "float32", elem_offset=2, strides=(2,)))"};

TEST_F(CheckExternalsTest, OnlyPlainResultsAreCompared) {
  for (const std::string_view type : kNotPlain) {
    const CheckedExternals checked =
        Checked(OneCall("", fmt::format("x: T.Buffer((4,), \"float32\"), y: {}", type),
                        "x.data, y.data", kTwice, R"("r", "o")"));
    ASSERT_EQ(checked.checks.size(), 1U);
    EXPECT_THAT(checked.checks[0].results, IsEmpty()) << type;
    EXPECT_THAT(CallsOf(checked.module, kCompareFunction), IsEmpty()) << type;
  }
}

TEST_F(CheckExternalsTest, OtherFunctionsAreCompared) {
  const auto external = [](std::string_view name, std::string_view type) {
    return fmt::format(R"(
    @T.prim_func
    def {0}(x: T.Buffer((4,), "float32"), y: {1}):
        T.func_attr({{"Compiler": "test", "tenon.external": {{"symbol": "{0}", "effects": ["r", "o"]}}}})
{2})",
                       name, type, kTwice);
  };
  const std::string functions =
      external("one", kNotPlain[0]) + external("two", R"(T.Buffer((4,), "float32"))") + R"(
    @T.prim_func
    def main(x: T.Buffer((4,), "float32"), y: T.Buffer((4,), "float32")):
        s = T.allocate([8], "float32", "global.workspace")
        T.evaluate(T.call_extern("int32", "one", x.data, s))
        T.evaluate(T.call_extern("int32", "two", s, y.data))
)";
  const CheckedExternals checked = Checked(functions);
  ASSERT_EQ(checked.checks.size(), 2U);
  EXPECT_THAT(checked.checks[0].results, IsEmpty());
  EXPECT_EQ(checked.checks[1].results.size(), 1U);
  EXPECT_THAT(CallsOf(checked.module, kEnterFunction), ElementsAre("T.int64(1)"));
  EXPECT_THAT(CallsOf(checked.module, "two_body"), ElementsAre("s, expected"));
}

TEST_F(CheckExternalsTest, BodiesWithOtherParametersAreNotCompared) {
  const IRModule module = Parse("@I.ir_module\nclass Module:\n" +
                                OneCall("", kTwoFloats, "x.data, y.data", kTwice, R"("r", "o")"));
  const Symbol one = context_.Intern("one");
  EXPECT_EQ(AddExternalChecks(module, {}, {{one, *module.Find(one)}}).checks[0].results.size(), 1U);
  const Function& other = *module.Find(context_.Intern("op"));
  EXPECT_THAT(AddExternalChecks(module, {}, {{one, other}}).checks[0].results, IsEmpty());
}

TEST_F(CheckExternalsTest, InputsThatAreNotPlainAreNotKept) {
  for (const std::string_view type : kNotPlain) {
    const CheckedExternals checked =
        Checked(OneCall("", fmt::format("x: {}, y: T.Buffer((4,), \"float32\")", type),
                        "x.data, y.data", kTwice, R"("r", "o")"));
    EXPECT_THAT(CallsOf(checked.module, kSaveFunction), IsEmpty()) << type;
    EXPECT_EQ(CallsOf(checked.module, kCompareFunction).size(), 1U) << type;
  }
  // A pointer without a buffer.
  const CheckedExternals checked = Checked(
      OneCall("", R"(x: T.handle("float32"), y: T.Buffer((4,), "float32"))", "x, y.data", R"(
        z = T.Buffer((4,), "float32", data=x)
        for i in range(4):
            y[i] = z[i]
)",
              R"("r", "o")"));
  EXPECT_THAT(CallsOf(checked.module, kSaveFunction), IsEmpty());
  EXPECT_EQ(CallsOf(checked.module, kCompareFunction).size(), 1U);
}

TEST_F(CheckExternalsTest, NumbersAreNotCompared) {
  const CheckedExternals checked = Checked(
      OneCall("", R"(n: T.int32, x: T.Buffer((4,), "float32"), y: T.Buffer((4,), "float32"))",
              "n, x.data, y.data",
              "        for i in range(4):\n            y[i] = x[i] + T.Cast(\"float32\", n)\n",
              R"("", "r", "o")"));
  ASSERT_EQ(checked.checks.size(), 1U);
  EXPECT_EQ(checked.checks[0].target, "test");
  EXPECT_EQ(checked.checks[0].inputs.size(), 1U);
  EXPECT_EQ(checked.checks[0].results.size(), 1U);
  EXPECT_THAT(CallsOf(checked.module, "one_body"), ElementsAre("n, x.data, expected"));
}

TEST_F(CheckExternalsTest, BodiesHaveFreeNames) {
  const std::string taken = R"(
    @T.prim_func(private=True)
    def one_body(x: T.Buffer((4,), "float32"), y: T.Buffer((4,), "float32")):
        T.evaluate(0)
)";
  const CheckedExternals checked =
      Checked(taken + OneCall("", kTwoFloats, "x.data, y.data", kTwice, R"("r", "o")"));
  EXPECT_THAT(CallsOf(checked.module, "one_body_"), ElementsAre("x.data, expected"));
}

TEST_F(CheckExternalsTest, TermsOfAllOperatorsAreAddedUp) {
  const auto op = [](std::string_view name, std::string_view facts) {
    return fmt::format(R"(
    @T.prim_func(private=True)
    def {}(x: T.Buffer((4,), "float32"), y: T.Buffer((4,), "float32")):
        T.func_attr({{"tenon.op": {{"kind": "dense", {}}}, "tir.noalias": T.bool(True)}})
{})",
                       name, facts, kTwice);
  };
  // 100 products for 8 elements are 13 terms, and 7 for 7 elements are one term each.
  const CheckedExternals checked =
      Checked(op("a", "\"macs\": 100, \"elements\": 8") + op("b", "\"macs\": 7, \"elements\": 7") +
              op("c", "\"macs\": 9, \"elements\": 0") + R"(
    @T.prim_func
    def one(x: T.Buffer((4,), "float32"), y: T.Buffer((4,), "float32")):
        T.func_attr({"Compiler": "test", "tenon.external": {"symbol": "one", "effects": ["r", "o"]}})
        s = T.allocate([4], "float32", "global.workspace")
        t = T.allocate([4], "float32", "global.workspace")
        T.evaluate(T.call_extern("int32", "a", x.data, s))
        T.evaluate(T.call_extern("int32", "b", s, t))
        T.evaluate(T.call_extern("int32", "c", t, y.data))

    @T.prim_func
    def main(x: T.Buffer((4,), "float32"), y: T.Buffer((4,), "float32")):
        T.evaluate(T.call_extern("int32", "one", x.data, y.data))
)");
  EXPECT_EQ(checked.checks[0].terms, 14);
  EXPECT_THAT(checked.checks[0].operators, ElementsAre("a", "b", "c"));
}

/// An external function of two buffers, and code in TIR for it that calls `callee`.
std::string ExternalOf(std::string_view name, std::string_view callee) {
  return fmt::format(R"(
    @T.prim_func
    def {}(x: T.Buffer((4,), "float32"), y: T.Buffer((4,), "float32")):
        T.func_attr({{"Compiler": "test", "tenon.external": {{"symbol": "{}", "effects": ["r", "o"]}},
                     "tenon.externs": {{"first": ["r", "o", ""], "second": ["r", "w"]}}}})
        T.evaluate(T.call_extern("int32", "{}", x.data, y.data))
)",
                     name, name, callee);
}

TEST_F(CheckExternalsTest, PrototypesAreThoseThatTheCodeReaches) {
  const std::string host = fmt::format(R"(
    @T.prim_func(private=True)
    def op({}):
        T.func_attr({{"tir.noalias": T.bool(True)}})
{})",
                                       kTwoFloats, kTwice);
  const IRModule module = Parse("@I.ir_module\nclass Module:\n" + host + ExternalOf("one", "op") +
                                ExternalOf("two", "op"));
  const IRModule code = Parse(R"(
@I.ir_module
class Code:
    @T.prim_func(private=True)
    def helper(x: T.Buffer((4,), "float32"), y: T.Buffer((4,), "float32")):
        T.func_attr({"tenon.externs": {"first": ["r", "o", ""], "none": []}})
        T.evaluate(T.call_extern("int32", "first", x.data, y.data, T.int64(4)))
        T.evaluate(T.call_extern("int32", "first", x.data, y.data, T.int64(5)))
        T.evaluate(T.call_extern("void", "none"))
        T.evaluate(T.call_extern("int32", "outer", T.call_extern("int64", "inner")))
        T.evaluate(T.call_extern("int32", "address", T.reinterpret("handle", T.uint64(8))))
)" + ExternalOf("one", "helper") +
                              ExternalOf("two", "second"));
  const std::vector<Function> tir(code.functions().begin(), code.functions().end());
  const CheckedExternals checked = AddExternalChecks(module, tir);
  ASSERT_EQ(checked.checks.size(), 2U);
  EXPECT_EQ(checked.checks[0].symbol, "one");
  EXPECT_THAT(
      checked.checks[0].prototypes,
      ElementsAre("int32_t first(const float*, float*, int64_t)", "void none(void)",
                  "int32_t outer(int64_t)", "int64_t inner(void)", "int32_t address(void*)"));
  EXPECT_THAT(checked.checks[1].prototypes, ElementsAre("int32_t second(const float*, float*)"));
}

}  // namespace
}  // namespace tenon
