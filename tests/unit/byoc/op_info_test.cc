#include "byoc/op_info.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "ir/builtins.h"
#include "ir/module.h"
#include "parser/parser.h"
#include "printer/printer.h"
#include "tests/unit/byoc/run_computation.h"

namespace tenon {
namespace {

using testing::HasSubstr;

/// A function `f` with `attrs` as the text of its attributes.
IRModule Parse(Context& context, const std::string& attrs) {
  const std::string text =
      "@T.prim_func\ndef f(a: T.Buffer((4,), \"float32\")):\n    T.func_attr({" + attrs +
      "})\n    a[0] = T.float32(1)\n";
  Diagnostics diagnostics;
  std::optional<IRModule> module = ParseModule(context, "test.py", text, nullptr, {}, diagnostics);
  EXPECT_TRUE(module.has_value()) << Render(context.sources(), diagnostics);
  return *std::move(module);
}

/// A claim that contains each kind of step and each field.
OpInfo Everything() {
  OpInfo info;
  info.kind = "conv2d";
  info.macs = int64_t{1} << 40;
  info.elements = 12;
  info.bitwise = false;
  info.groups = 2;
  info.window = WindowInfo{{4, 5}, {3, 4}, {2, 2}, {1, 1}, {1, 1}, {0, 0}, {0, 0}};
  Computation& all = info.computation;
  all.loops = {{"h", 3}, {"w", 4}, {"kh", 2}, {"co1", 2}, {"co0", 3}};
  all.operands = {{false, 0, DataType::Float(32), 20}, {true, 1, DataType::Float(32), 4}};
  all.accesses = {{0, {-3, {{0, 5}, {1, 1}, {2, 5}}}}, {1, {0, {{2, -1}}}}};
  const auto step = [&](StepKind kind, DataType dtype) -> Step& {
    Step& added = all.steps.emplace_back();
    added.kind = kind;
    added.dtype = dtype;
    return added;
  };
  const DataType f32 = DataType::Float(32);
  step(StepKind::kReal, f32).real = -std::numeric_limits<double>::infinity();
  step(StepKind::kRead, f32).access = 0;
  step(StepKind::kRead, f32).access = 1;
  Step& product = step(StepKind::kNode, f32);
  product.node = NodeKind::kMul;
  product.args = {1, 2};
  Step& sum = step(StepKind::kReduce, f32);
  sum.node = NodeKind::kAdd;
  sum.loops = {2};
  sum.args = {0, 3};
  step(StepKind::kIndex, DataType::Int(64)).linear = {1, {{0, 2}}};
  step(StepKind::kInteger, DataType::Int(64)).integer = -7;
  Step& less = step(StepKind::kNode, DataType::Bool());
  less.node = NodeKind::kLT;
  less.args = {5, 6};
  Step& root = step(StepKind::kCall, f32);
  root.op = OpKind::kSqrt;
  root.args = {4};
  Step& choice = step(StepKind::kNode, f32);
  choice.node = NodeKind::kSelect;
  choice.args = {7, 8, 4};
  Step& narrow = step(StepKind::kNode, DataType::Int(8));
  narrow.node = NodeKind::kCast;
  narrow.args = {9};
  Step& place = step(StepKind::kArgReduce, DataType::Int(64));
  place.node = NodeKind::kMin;
  place.integer = 1;
  place.loops = {2};
  place.args = {6, 0, 5, 3};
  Step& gather = step(StepKind::kGather, f32);
  gather.access = 1;
  gather.args = {11};
  all.stores = {{0, 9, {0, 1}}, {0, 12, {0, 1}}};
  info.contraction = 4;
  info.input = 0;
  info.weights = 1;
  return info;
}

TEST(OpInfoTest, ReadsBackWhatItWrites) {
  Context context;
  const IRModule module = Parse(context, "");
  const Function claimed = WithOpInfo(context, module.functions()[0], Everything());
  const std::optional<OpInfo> read = ReadOpInfo(claimed);
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(*read, Everything());
}

TEST(OpInfoTest, TextBeginsWithTheKindAndReadsBack) {
  Context context;
  IRModule module = Parse(context, "");
  module.Update(WithOpInfo(context, module.functions()[0], Everything()));
  const std::string text = PrintModule(module);
  EXPECT_THAT(text, HasSubstr("\"tenon.op\": {\"kind\": \"conv2d\", \"acc\": \"float32\""));
  Diagnostics diagnostics;
  const auto again = ParseModule(context, "again.py", text, nullptr, {}, diagnostics);
  ASSERT_TRUE(again.has_value()) << Render(context.sources(), diagnostics);
  const std::optional<OpInfo> read = ReadOpInfo(again->functions()[0]);
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(*read, Everything());
  EXPECT_EQ(PrintModule(*again), text);
}

TEST(OpInfoTest, UnknownKeepsItsReason) {
  Context context;
  IRModule module = Parse(context, "");
  module.Update(WithOpInfo(context, module.functions()[0], UnknownOp("a loop without bounds")));
  EXPECT_THAT(PrintModule(module),
              HasSubstr("{\"kind\": \"unknown\", \"because\": \"a loop without bounds\"}"));
  EXPECT_EQ(ReadOpInfo(module.functions()[0]), UnknownOp("a loop without bounds"));
}

TEST(OpInfoTest, ReadsShortClaimsOfAnyKind) {
  Context context;
  const IRModule module = Parse(context, "\"tenon.op\": {\"kind\": \"my_op2\", \"macs\": 12}");
  const std::optional<OpInfo> read = ReadOpInfo(module.functions()[0]);
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->kind, "my_op2");
  EXPECT_EQ(read->macs, 12);
  EXPECT_EQ(read->computation, Computation());
}

TEST(OpInfoTest, RefusesInvalidClaims) {
  const auto problem = [](const std::string& value) {
    Context context;
    const IRModule module = Parse(context, "\"tenon.op\": " + value);
    std::string text;
    EXPECT_EQ(ReadOpInfo(module.functions()[0].FindAttr("tenon.op"), &text), std::nullopt) << value;
    return text;
  };
  EXPECT_EQ(problem("3"), "expected a map");
  EXPECT_EQ(problem("{\"macs\": 3}"), "expected a string under `kind`");
  EXPECT_THAT(problem("{\"kind\": \"Conv\"}"), HasSubstr("found `Conv`"));
  EXPECT_EQ(problem("{\"kind\": \"c\", \"macs\": \"x\"}"), "expected an integer under `macs`");
  EXPECT_EQ(problem("{\"kind\": \"c\", \"exact\": \"maybe\"}"),
            "expected `bitwise` or `reassociates` under `exact`");
  EXPECT_EQ(problem("{\"kind\": \"c\", \"loops\": [[\"i\", 0]]}"),
            "expected a name and a positive extent for each loop");
  EXPECT_EQ(problem("{\"kind\": \"c\", \"loops\": [[\"i\", 1], [\"i\", 2]]}"),
            "two loops are called `i`");
  EXPECT_EQ(problem("{\"kind\": \"c\", \"accesses\": [[0, [0, []]]]}"),
            "expected an operand and an element for each access");
  EXPECT_EQ(problem("{\"kind\": \"c\", \"steps\": [[\"add\", 0, 0]]}"),
            "step 0 has an unknown name, or arguments that do not fit it");
  EXPECT_EQ(problem("{\"kind\": \"c\", \"steps\": [[\"const\", \"int8\", 3], "
                    "[\"const\", \"int32\", 3], [\"add\", 0, 1]]}"),
            "step 2 has an unknown name, or arguments that do not fit it");
  EXPECT_EQ(problem("{\"kind\": \"c\", \"contraction\": 0}"), "`contraction` is out of range");
  EXPECT_THAT(problem("{\"kind\": \"c\", \"operands\": [[\"param\", 0, \"int8\", -1]]}"),
              HasSubstr("elements of each operand"));
  const std::string loop = "{\"kind\": \"c\", \"loops\": [[\"i\", 4]], ";
  EXPECT_EQ(problem(loop + "\"steps\": [[\"index\", \"int32\", [0, [[\"i\", 1], [\"i\", 2]]]]]}"),
            "expected one stride of each loop, found two of `i`");
  EXPECT_EQ(problem(loop + "\"steps\": [[\"const\", \"int8\", 3], "
                           "[\"reduce\", \"add\", [\"i\", \"i\"], 0, 0]]}"),
            "a reduction counts the loop `i` twice");
}

/// A claim that sums `x[i + j]` over the loops `sum`, then over `k` and `j`, and stores the sum in
/// the loops `store`.
std::string SumClaim(const std::string& sum, const std::string& store) {
  return "{\"kind\": \"reduce\", \"loops\": [[\"i\", 4], [\"k\", 4], [\"j\", 4]], \"operands\": "
         "[[\"param\", 0, \"int32\", 7], [\"param\", 1, \"int32\", 4]], \"accesses\": "
         "[[0, [0, [[\"i\", 1], [\"j\", 1]]]], [1, [0, [[\"i\", 1]]]]], \"steps\": [[\"const\", "
         "\"int32\", 0], "
         "[\"read\", 0], [\"reduce\", \"add\", " +
         sum + ", 0, 1], [\"reduce\", \"add\", [\"k\", \"j\"], 0, 2]], \"stores\": [[1, 3, " +
         store + "]]}";
}

TEST(OpInfoTest, RefusesLoopsThatCountTwice) {
  const auto problem = [](const std::string& value) {
    Context context;
    const IRModule module = Parse(context, "\"tenon.op\": " + value);
    std::string text;
    ReadOpInfo(module.functions()[0].FindAttr("tenon.op"), &text);
    return text;
  };
  EXPECT_EQ(problem(SumClaim("[]", "[\"i\"]")), "");
  EXPECT_EQ(problem(SumClaim("[\"i\"]", "[\"i\"]")),
            "a store and a reduction in its value count the loop `i`");
  EXPECT_EQ(problem(SumClaim("[\"k\"]", "[\"i\"]")),
            "a reduction and a reduction in its value count the loop `k`");
  EXPECT_EQ(problem(SumClaim("[\"i\", \"i\"]", "[]")), "a reduction counts the loop `i` twice");
  EXPECT_EQ(problem(SumClaim("[]", "[\"i\", \"i\"]")), "a store counts the loop `i` twice");
}

TEST(OpInfoTest, ComputationWhoseLoopsCountTwiceDoesNotRun) {
  Computation all;
  all.loops = {{"i", 4}};
  all.operands = {{false, 0, DataType::Int(32), 4}};
  all.accesses = {{0, {0, {{0, 1}}}}};
  Step number;
  number.dtype = DataType::Int(32);
  Step sum = number;
  sum.kind = StepKind::kReduce;
  sum.args = {0, 0};
  sum.loops = {0};
  all.steps = {number, sum};
  all.stores = {{0, 1, {0}}};
  std::vector<uint8_t> bytes(16);
  std::vector<std::span<uint8_t>> operands = {bytes};
  EXPECT_EQ(RunComputation(all, operands).code(), absl::StatusCode::kInvalidArgument);
}

TEST(OpInfoTest, TellsPlainFactors) {
  OpInfo info = Everything();
  EXPECT_TRUE(HasPlainFactors(info));
  info.computation.steps[3].args = {1, 1};
  EXPECT_FALSE(HasPlainFactors(info));
  info = Everything();
  info.computation.steps[2] = info.computation.steps[0];
  EXPECT_FALSE(HasPlainFactors(info));
}

TEST(OpInfoTest, LoopsOfAnAxisAreInOrder) {
  const Computation all = Everything().computation;
  EXPECT_EQ(LoopsOfAxis(all, "co"), (std::vector<int>{4, 3}));
  EXPECT_EQ(LoopsOfAxis(all, "h"), (std::vector<int>{0}));
}

}  // namespace
}  // namespace tenon
