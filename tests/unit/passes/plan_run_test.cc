#include <gtest/gtest.h>

#include "parser/parser.h"
#include "tests/unit/passes/plan_run_util.h"

namespace tenon {
namespace {

TEST(PlanRunChecks, ABufferPutOverALiveOneIsNoticed) {
  constexpr const char* kText = R"(# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((4,), "int8"), B: T.Buffer((4,), "int8")):
        T.func_attr({"global_symbol": "main"})
        x = T.allocate([4], "int8", "global")
        y = T.allocate([4], "int8", "global")
        x_1 = T.Buffer((4,), "int8", data=x)
        y_1 = T.Buffer((4,), "int8", data=y)
        for i in range(4):
            x_1[i] = A[i]
        for i in range(4):
            y_1[i] = A[i]
        for i in range(4):
            B[i] = x_1[i] + y_1[i]
)";
  Context context;
  Diagnostics diagnostics;
  const auto module = ParseModule(context, "text.py", kText, nullptr, {}, diagnostics);
  ASSERT_TRUE(module.has_value()) << Render(context.sources(), diagnostics);
  const auto planned = Plan(*module, "first_fit", diagnostics);
  ASSERT_TRUE(planned.ok());
  const Tensor input{DataType::Int(8), {4}, {1, 2, 3, 4}};
  InterpreterOptions options = PlacementsOf(*planned);
  ASSERT_EQ(options.placement.size(), 2u);
  EXPECT_TRUE(RunModel(*planned, {{"", input}}, diagnostics, options).ok());
  for (auto& [var, place] : options.placement) place.offset = 0;
  EXPECT_FALSE(RunModel(*planned, {{"", input}}, diagnostics, options).ok());
  ASSERT_FALSE(diagnostics.all().empty());
  EXPECT_EQ(diagnostics.all().back().kind, DiagnosticKind::kUninitialisedRead);
  IRModule assigned(context);
  auto open = PlanOpenly(*module, &assigned, diagnostics);
  ASSERT_TRUE(open.has_value());
  EXPECT_TRUE(planner::CheckPlan(open->made.problem, open->plan).ok());
  for (planner::Placement& place : open->plan.placements) place.offset = 0;
  EXPECT_EQ(planner::CheckPlan(open->made.problem, open->plan).fault, planner::PlanFault::kOverlap);
}

// At the planned distance every byte is read in time; at the next smaller one, some byte is not.
TEST(PlanRunChecks, OverlappingBuffersRunAtTheirDistanceAndNotAtTheNext) {
  constexpr const char* kText = R"(# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((8,), "int8"), B: T.Buffer((10,), "int8")):
        T.func_attr({"global_symbol": "main"})
        x = T.allocate([8], "int8", "global")
        y = T.allocate([10], "int8", "global")
        T.evaluate(T.call_extern("int32", "copy", A.data, x))
        T.evaluate(T.call_extern("int32", "pad", x, y))
        T.evaluate(T.call_extern("int32", "give", y, B.data))

    @T.prim_func
    def copy(A: T.Buffer((8,), "int8"), X: T.Buffer((8,), "int8")):
        T.func_attr({"global_symbol": "copy"})
        for i in range(8):
            X[i] = A[i]

    @T.prim_func
    def pad(X: T.Buffer((8,), "int8"), Y: T.Buffer((10,), "int8")):
        T.func_attr({"global_symbol": "pad"})
        for i in range(10):
            Y[i] = T.if_then_else(2 <= i, X[i - 2], T.int8(0))

    @T.prim_func
    def give(Y: T.Buffer((10,), "int8"), B: T.Buffer((10,), "int8")):
        T.func_attr({"global_symbol": "give"})
        for i in range(10):
            B[i] = Y[i]
)";
  Context context;
  Diagnostics diagnostics;
  const auto module = ParseModule(context, "text.py", kText, nullptr, {}, diagnostics);
  ASSERT_TRUE(module.has_value()) << Render(context.sources(), diagnostics);
  PassContext passes{diagnostics, /*threads=*/1, {}};
  const auto assigned = AssignPoolInfo(*module, {}, passes);
  ASSERT_TRUE(assigned.ok());
  const auto planned = PlanMemory(*assigned, {.workspace_alignment = 1, .overlap = "on"}, passes);
  ASSERT_TRUE(planned.ok()) << Render(context.sources(), diagnostics);
  const Tensor input{DataType::Int(8), {8}, {1, 2, 3, 4, 5, 6, 7, 8}};
  InterpreterOptions options = PlacementsOf(*planned);
  const auto run = RunModel(*planned, {{"", input}}, diagnostics, options);
  ASSERT_TRUE(run.ok()) << Render(context.sources(), diagnostics);
  EXPECT_EQ(run->at(0).tensor.bytes, (std::vector<uint8_t>{0, 0, 1, 2, 3, 4, 5, 6, 7, 8}));
  for (auto& [var, place] : options.placement) {
    EXPECT_EQ(place.offset, var->name.view() == "x" ? 2 : 0);
    if (var->name.view() == "x") place.offset = 1;
  }
  EXPECT_FALSE(RunModel(*planned, {{"", input}}, diagnostics, options).ok());
}

// Lifetimes go from the first to the last access. So an outer allocation may share bytes with an
// inner one whose scope has begun, but which is accessed later.
TEST(PlanRunChecks, BytesAreLostWhereTheyAreWrittenNotWhereAScopeBegins) {
  constexpr const char* kText = R"(# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((4,), "int8"), B: T.Buffer((4,), "int8")):
        T.func_attr({"global_symbol": "main"})
        x = T.allocate([4], "int8", "global")
        x_1 = T.Buffer((4,), "int8", data=x)
        for i in range(4):
            x_1[i] = A[i]
        y = T.allocate([4], "int8", "global")
        y_1 = T.Buffer((4,), "int8", data=y)
        for i in range(4):
            B[i] = x_1[i]
        for i in range(4):
            y_1[i] = B[i]
        for i in range(4):
            B[i] = y_1[i]
)";
  Context context;
  Diagnostics diagnostics;
  const auto module = ParseModule(context, "text.py", kText, nullptr, {}, diagnostics);
  ASSERT_TRUE(module.has_value()) << Render(context.sources(), diagnostics);
  const auto planned = Plan(*module, "first_fit", diagnostics);
  ASSERT_TRUE(planned.ok());
  const InterpreterOptions options = PlacementsOf(*planned);
  ASSERT_EQ(options.placement.size(), 2u);
  for (const auto& [var, place] : options.placement) EXPECT_EQ(place.offset, 0);
  const Tensor input{DataType::Int(8), {4}, {1, 2, 3, 4}};
  const auto outputs = RunModel(*planned, {{"", input}}, diagnostics, options);
  ASSERT_TRUE(outputs.ok()) << Render(context.sources(), diagnostics);
  EXPECT_EQ(outputs->front().tensor.bytes, input.bytes);
}

}  // namespace
}  // namespace tenon
