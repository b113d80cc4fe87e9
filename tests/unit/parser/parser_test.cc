#include "parser/parser.h"

#include <gtest/gtest.h>

#include <cmath>

#include "ir/builtins.h"
#include "ir/structural.h"
#include "parse_test_util.h"

namespace tenon {
namespace {

/// The expression of `T.evaluate(text)` in a function.
const Expr* ExprOf(const Parsed& parsed) {
  const auto* evaluate = dyn_cast<Evaluate>(parsed.body());
  return evaluate == nullptr ? nullptr : evaluate->value;
}
std::string Evaluated(std::string_view text) {
  return InFunction("    T.evaluate(" + std::string(text) + ")\n");
}

TEST(ParserTest, FunctionAloneIsAModule) {
  const Parsed parsed("@T.prim_func\ndef f(n: T.int32):\n    T.evaluate(n)\n");
  ASSERT_TRUE(parsed.module) << parsed.messages();
  EXPECT_TRUE(parsed.module->bare_function);
  ASSERT_EQ(parsed.module->functions().size(), 1u);
  EXPECT_EQ(parsed.module->functions()[0].global_symbol(), "f");
  EXPECT_EQ(parsed.function()->params.size(), 1u);
  EXPECT_EQ(parsed.function()->params[0]->dtype, DataType::Int(32));
  EXPECT_EQ(parsed.function()->ret_type, const_cast<Context&>(parsed.context).VoidType());
}

TEST(ParserTest, BufferParameterIsAHandleWithABuffer) {
  const Parsed parsed("@T.prim_func\ndef f(A: T.Buffer((4, 2), \"int8\")):\n    T.evaluate(0)\n");
  ASSERT_TRUE(parsed.module) << parsed.messages();
  const PrimFunc* function = parsed.function();
  EXPECT_EQ(function->params[0]->name.view(), "A_handle");
  const Buffer* buffer = function->buffers[0];
  ASSERT_NE(buffer, nullptr);
  EXPECT_EQ(buffer->name.view(), "A");
  EXPECT_EQ(buffer->data->name.view(), "A");
  EXPECT_EQ(buffer->data_alignment, 64);
  EXPECT_EQ(buffer->scope(), "global");
}

TEST(ParserTest, PrivateFunctionHasNoSymbol) {
  const Parsed parsed("@T.prim_func(private=True)\ndef f(n: T.int32) -> T.int32:\n    return n\n");
  ASSERT_TRUE(parsed.module) << parsed.messages();
  EXPECT_EQ(parsed.function()->FindAttr("global_symbol"), nullptr);
  EXPECT_EQ(parsed.function()->ret_type->dtype, DataType::Int(32));
  EXPECT_EQ(parsed.module->dialect, Dialect::kV016);
}

TEST(ParserTest, FlatScopesOwnTheRestOfTheBlock) {
  const Parsed parsed(
      InFunction("    y: T.int32 = n + 1\n"
                 "    p = T.allocate([4], \"int32\", \"global\")\n"
                 "    T.evaluate(y)\n"
                 "    T.evaluate(n)\n"));
  ASSERT_TRUE(parsed.module) << parsed.messages();
  const auto* let = dyn_cast<LetStmt>(parsed.body());
  ASSERT_NE(let, nullptr);
  const auto* allocate = dyn_cast<Allocate>(let->body);
  ASSERT_NE(allocate, nullptr);
  EXPECT_EQ(allocate->buffer_var->name.view(), "p");
  const auto* seq = dyn_cast<SeqStmt>(allocate->body);
  ASSERT_NE(seq, nullptr);
  EXPECT_EQ(seq->seq.size(), 2u);
}

TEST(ParserTest, NoOpsAreKept) {
  const Parsed parsed(InFunction("    T.evaluate(0)\n    T.evaluate(n)\n    T.evaluate(0)\n"));
  ASSERT_TRUE(parsed.module) << parsed.messages();
  EXPECT_EQ(cast<SeqStmt>(parsed.body())->seq.size(), 3u);
}

TEST(ParserTest, GridIsANestOfLoops) {
  const Parsed parsed(
      InFunction("    for i, j in T.grid(4, T.int64(8)):\n        T.evaluate(i)\n"));
  ASSERT_TRUE(parsed.module) << parsed.messages();
  const auto* outer = dyn_cast<For>(parsed.body());
  ASSERT_NE(outer, nullptr);
  const auto* inner = dyn_cast<For>(outer->body);
  ASSERT_NE(inner, nullptr);
  EXPECT_EQ(outer->loop_var->dtype, DataType::Int(32));
  EXPECT_EQ(inner->loop_var->dtype, DataType::Int(64));
  EXPECT_TRUE(IsConstInt(inner->extent, 8));
}

TEST(ParserTest, EndOfARangeGivesTheExtent) {
  for (const char* range : {"range(n, n + 4)", "range(3, 7)", "range(n * 2 + 1, n * 2 + 5)",
                            "T.serial(n + m_, 4 + n + m_)"}) {
    const Parsed parsed(InFunction("    m_: T.int32 = n * 2\n    for i in " + std::string(range) +
                                   ":\n        T.evaluate(i)\n"));
    ASSERT_TRUE(parsed.module) << parsed.messages();
    const auto* loop = dyn_cast<For>(cast<LetStmt>(parsed.body())->body);
    ASSERT_NE(loop, nullptr);
    EXPECT_TRUE(IsConstInt(loop->extent, 4)) << range;
  }
}

TEST(ParserTest, SlicesAreVectors) {
  const Parsed parsed(
      InFunction("    A[n, 0:8] = A[n, n * 4:n * 4 + 8]\n"
                 "    A[0, 0:8:2] = A[1, 3:7]\n"));
  ASSERT_TRUE(parsed.module) << parsed.messages();
  const auto* seq = cast<SeqStmt>(parsed.body());
  const auto* first = cast<BufferStore>(seq->seq[0]);
  EXPECT_EQ(first->value->dtype, DataType::Float(32, 8));
  const auto* second = cast<BufferStore>(seq->seq[1]);
  const auto* ramp = dyn_cast<Ramp>(second->indices[1]);
  ASSERT_NE(ramp, nullptr);
  EXPECT_TRUE(IsConstInt(ramp->stride, 2));
  EXPECT_EQ(ramp->dtype.lanes(), 4);
}

TEST(ParserTest, StoredNumbersTakeTheBuffersType) {
  const Parsed parsed(InFunction("    A[0, 0] = 0\n    B[0] = n\n"));
  ASSERT_TRUE(parsed.module) << parsed.messages();
  const auto* seq = cast<SeqStmt>(parsed.body());
  EXPECT_TRUE(isa<FloatImm>(cast<BufferStore>(seq->seq[0])->value));
  EXPECT_TRUE(isa<Cast>(cast<BufferStore>(seq->seq[1])->value));
}

TEST(ParserTest, PythonNumbersAreComputedByPythonsRules) {
  struct Case {
    const char* text;
    int64_t value;
  };
  for (const Case& c : {Case{"2 * 3", 6}, Case{"7 // 2", 3}, Case{"-7 % 4", 1}, Case{"-7 // 2", -4},
                        Case{"1 << 4 | 3", 19}, Case{"~5", -6}, Case{"0x1F", 31},
                        Case{"1_000", 1000}, Case{"- - -3", -3}}) {
    const Parsed parsed(Evaluated(c.text));
    ASSERT_TRUE(parsed.module) << c.text << parsed.messages();
    EXPECT_TRUE(IsConstInt(ExprOf(parsed), c.value)) << c.text;
  }
}

TEST(ParserTest, OperatorsFoldAndCallFormsDoNot) {
  const Parsed folded(Evaluated("n + 0"));
  EXPECT_TRUE(isa<Var>(ExprOf(folded)));
  const Parsed raw(Evaluated("T.Add(n, 0)"));
  EXPECT_TRUE(isa<Add>(ExprOf(raw)));
  const Parsed promoted(Evaluated("n + m"));
  ASSERT_TRUE(isa<Add>(ExprOf(promoted)));
  EXPECT_TRUE(isa<Cast>(cast<Add>(ExprOf(promoted))->a));
  const Parsed negated(Evaluated("-n"));
  EXPECT_TRUE(isa<Mul>(ExprOf(negated)));
}

TEST(ParserTest, ComparisonsFoldToTheLeft) {
  const Parsed parsed(Evaluated("n < 3 == b"));
  ASSERT_TRUE(parsed.module) << parsed.messages();
  const auto* equal = dyn_cast<EQ>(ExprOf(parsed));
  ASSERT_NE(equal, nullptr);
  EXPECT_TRUE(isa<LT>(equal->a));
  const Parsed number(Evaluated("m < 3"));
  EXPECT_EQ(cast<LT>(ExprOf(number))->b->dtype, DataType::Int(64));
}

TEST(ParserTest, FloatsKeepTheirDouble) {
  const Parsed parsed(Evaluated("T.float32(0.84080779552459717)"));
  EXPECT_EQ(cast<FloatImm>(ExprOf(parsed))->value, 0.84080779552459717);
  const Parsed wide(Evaluated("T.float64(1e300)"));
  EXPECT_EQ(cast<FloatImm>(ExprOf(wide))->value, 1e300);
  const Parsed infinite(Evaluated("T.float32(\"-inf\")"));
  EXPECT_EQ(cast<FloatImm>(ExprOf(infinite))->value, -HUGE_VAL);
  const Parsed nan(Evaluated("T.float16(\"nan\")"));
  EXPECT_TRUE(std::isnan(cast<FloatImm>(ExprOf(nan))->value));
  const Parsed most(Evaluated("T.uint64(18446744073709551615)"));
  EXPECT_TRUE(IsConstInt(ExprOf(most), -1));
  const Parsed least(Evaluated("T.int64(-9223372036854775808)"));
  EXPECT_TRUE(IsConstInt(ExprOf(least), INT64_MIN));
}

TEST(ParserTest, DialectFollowsTheText) {
  EXPECT_EQ(Parsed(Evaluated("T.float32(1)")).module->dialect, Dialect::kV015);
  EXPECT_EQ(Parsed(Evaluated("T.float32(1.0)")).module->dialect, Dialect::kV018);
  EXPECT_EQ(Parsed(Evaluated("T.float32(1.5)")).module->dialect, Dialect::kV015);
}

TEST(ParserTest, StringsAreBytes) {
  const Parsed parsed(Evaluated(R"(T.call_extern("int32", "a\x41\xC3\xA9\n" 'b' r"\n"))"));
  ASSERT_TRUE(parsed.module) << parsed.messages();
  const auto* call = cast<Call>(ExprOf(parsed));
  EXPECT_EQ(cast<StringImm>(call->args[0])->value, "aA\xC3\xA9\nb\\n");
}

TEST(ParserTest, UnknownBuiltinsStayOpaqueWhereOptionsSaySo) {
  const std::string text = Evaluated("T.hexagon.dma(\"int32x4\", n)");
  const Parsed refused(text);
  EXPECT_FALSE(refused.module);
  ASSERT_EQ(refused.diagnostics.error_count(), 1u);
  EXPECT_EQ(refused.diagnostics.all()[0].kind, DiagnosticKind::kUndefinedName);
  ParseOptions options;
  options.allow_unknown_ops = true;
  const Parsed parsed(text, options);
  ASSERT_TRUE(parsed.module) << parsed.messages();
  const auto* call = cast<Call>(ExprOf(parsed));
  EXPECT_EQ(call->op->kind, OpKind::kUnknown);
  EXPECT_EQ(call->op->text, "hexagon.dma");
  EXPECT_EQ(call->dtype, DataType::Int(32, 4));
}

TEST(ParserTest, AttributesOfFunctionsAreExpressionsOfModulesAreNot) {
  const Parsed parsed(
      "@I.ir_module\nclass M:\n    I.module_attrs({\"a\": 3, \"b\": True})\n"
      "    @T.prim_func\n    def f(n: T.int32):\n        T.func_attr({\"a\": 3, \"b\": [True]})\n"
      "        T.evaluate(n)\n");
  ASSERT_TRUE(parsed.module) << parsed.messages();
  EXPECT_TRUE(isa<IntAttr>(parsed.module->attrs()->Find("a")));
  EXPECT_TRUE(isa<BoolAttr>(parsed.module->attrs()->Find("b")));
  EXPECT_TRUE(isa<ExprAttr>(parsed.function()->FindAttr("a")));
  const auto* list = cast<ArrayAttr>(parsed.function()->FindAttr("b"));
  EXPECT_EQ(cast<ExprAttr>(list->items[0])->value->dtype, DataType::Bool());
}

TEST(ParserTest, CallsBetweenFunctionsKnowTheirResult) {
  const Parsed parsed(
      "@I.ir_module\nclass M:\n"
      "    @T.prim_func\n    def f(n: T.int32):\n        T.evaluate(M.g(n))\n"
      "    @T.prim_func(private=True)\n    def g(n: T.int32) -> T.float32:\n"
      "        return T.float32(1)\n");
  ASSERT_TRUE(parsed.module) << parsed.messages();
  const auto* call = cast<Call>(ExprOf(parsed));
  EXPECT_EQ(call->callee.view(), "g");
  EXPECT_EQ(call->dtype, DataType::Float(32));
}

TEST(ParserTest, EveryNodeKnowsItsPlace) {
  const std::string text = InFunction("    A[n, 0] = A[n, 1] + 2.0\n");
  const Parsed parsed(text);
  ASSERT_TRUE(parsed.module) << parsed.messages();
  const auto* store = cast<BufferStore>(parsed.body());
  EXPECT_EQ(parsed.context.sources().Text(store->range), "A[n, 0] = A[n, 1] + 2.0");
  EXPECT_EQ(parsed.context.sources().Text(store->value->range), "A[n, 1] + 2.0");
  const auto* sum = cast<Add>(store->value);
  EXPECT_EQ(parsed.context.sources().Text(sum->a->range), "A[n, 1]");
  EXPECT_EQ(parsed.context.sources().Text(sum->b->range), "2.0");
}

TEST(ParserTest, TruncatedConstantsOnDemand) {
  const char* text =
      "@T.prim_func\ndef f():\n    c = T.allocate_const([1, 2], \"int8\", [4])\n"
      "    T.evaluate(0)\n";
  const Parsed refused(text);
  EXPECT_FALSE(refused.module);
  ASSERT_EQ(refused.diagnostics.error_count(), 1u);
  EXPECT_EQ(refused.diagnostics.all()[0].kind, DiagnosticKind::kTruncatedConstant);
  ParseOptions options;
  options.allow_truncated_constants = true;
  const Parsed filled(text, options);
  ASSERT_TRUE(filled.module) << filled.messages();
  EXPECT_EQ(filled.diagnostics.warning_count(), 1u);
  const Constant* constant = cast<AllocateConst>(filled.body())->data;
  const std::vector<uint8_t> expected{1, 2, 0, 0};
  EXPECT_TRUE(std::ranges::equal(*constant->Bytes(), expected));
}

TEST(ParserTest, ShortTextDoesNotAskForMuchMemory) {
  ParseOptions options;
  options.allow_truncated_constants = true;
  const Parsed parsed(
      "@T.prim_func\ndef f():\n    c = T.allocate_const([1], \"int8\", [1099511627776])\n"
      "    T.evaluate(0)\n",
      options);
  EXPECT_FALSE(parsed.module);
  EXPECT_EQ(parsed.diagnostics.all()[0].kind, DiagnosticKind::kLimit);
}

TEST(ParserTest, BlocksSayWhatTheyAccess) {
  const Parsed parsed(
      "@T.prim_func\n"
      "def f(A: T.Buffer((8, 16), \"float32\"), C: T.Buffer((8,), \"float32\")):\n"
      "    for i in range(8):\n"
      "        with T.block(\"row\"):\n"
      "            v = T.axis.spatial(8, i)\n"
      "            C[v] = 0.0\n"
      "            for k in range(4):\n"
      "                C[v] = C[v] + A[v, k * 4 + 1]\n");
  ASSERT_TRUE(parsed.module) << parsed.messages();
  const auto* root = dyn_cast<BlockRealize>(parsed.body());
  ASSERT_NE(root, nullptr);  // made around a loop over blocks
  EXPECT_EQ(root->block->name_hint, "root");
  const auto* realize = cast<BlockRealize>(cast<For>(root->block->body)->body);
  const Block* block = realize->block;
  ASSERT_EQ(block->reads.size(), 2u);
  ASSERT_EQ(block->writes.size(), 1u);
  const Range* columns = block->reads[1]->region[1];
  EXPECT_TRUE(IsConstInt(columns->min, 1));
  EXPECT_TRUE(IsConstInt(columns->extent, 13));
}

}  // namespace
}  // namespace tenon
