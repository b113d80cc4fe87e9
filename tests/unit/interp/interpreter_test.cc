// Statements, calls and checks.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/interp/run_text.h"

namespace tenon {
namespace {

Tensor Int32s(int64_t count) {
  return MakeTensor(DataType::Int(32), {count}, std::vector<int32_t>(static_cast<size_t>(count)));
}

struct Bad {
  DiagnosticKind kind;
  int line;  // of the text, from the line after the header
  const char* text;
};

class Faults : public testing::TestWithParam<Bad> {};

TEST_P(Faults, AreLocated) {
  Tensor a = Int32s(4);
  InterpreterOptions options;
  options.max_steps = 100'000;
  options.max_bytes = 1 << 20;
  const Outcome outcome = RunText(GetParam().text, {&a}, "main", options);
  EXPECT_FALSE(outcome.ok);
  EXPECT_EQ(outcome.kind, KindText(GetParam().kind)) << outcome.all;
  EXPECT_EQ(outcome.place, std::to_string(GetParam().line)) << outcome.all;
}

constexpr Bad kFaults[] = {
    {DiagnosticKind::kOutOfBounds, 5, R"(
@T.prim_func
def main(A: T.Buffer((4,), "int32")):
    for i in range(5):
        A[i] = i
)"},
    {DiagnosticKind::kOutOfBounds, 5, R"(
@T.prim_func
def main(A: T.Buffer((4,), "int32")):
    B = T.Buffer((9,), "int32", data=A.data)
    B[A[0] + 8] = 1
)"},
    {DiagnosticKind::kUninitialisedRead, 6, R"(
@T.prim_func
def main(A: T.Buffer((4,), "int32")):
    t = T.allocate([4], "int32", "global")
    t_1 = T.Buffer((4,), "int32", data=t)
    A[0] = t_1[2]
)"},
    {DiagnosticKind::kWriteToConstant, 7, R"(
@I.ir_module
class Module:
    @T.prim_func
    def f(B: T.handle("int32")):
        B_1 = T.Buffer((4,), "int32", data=B)
        B_1[0] = 1

    @T.prim_func
    def main(A: T.Buffer((4,), "int32")):
        c = T.allocate_const([1, 2, 3, 4], "int32", [4])
        p: T.handle("int32") = T.reinterpret("handle", T.reinterpret("uint64", c))
        Module.f(p)
)"},
    {DiagnosticKind::kDivisionByZero, 4, R"(
@T.prim_func
def main(A: T.Buffer((4,), "int32")):
    A[0] = 7 // A[1]
)"},
    {DiagnosticKind::kShiftRange, 4, R"(
@T.prim_func
def main(A: T.Buffer((4,), "int32")):
    A[0] = T.shift_left(1, A[1] + 32)
)"},
    {DiagnosticKind::kAssertion, 4, R"(
@T.prim_func
def main(A: T.Buffer((4,), "int32")):
    assert A[0] == 1, "should be one"
    A[0] = 2
)"},
    {DiagnosticKind::kUnknownFunction, 4, R"(
@T.prim_func
def main(A: T.Buffer((4,), "int32")):
    T.evaluate(T.call_extern("int32", "nowhere", A.data))
)"},
    {DiagnosticKind::kStepLimit, 4, R"(
@T.prim_func
def main(A: T.Buffer((4,), "int32")):
    while A[0] == 0:
        A[1] = 1
)"},
    {DiagnosticKind::kStepLimit, 4, R"(
@T.prim_func
def main(A: T.Buffer((4,), "int32")):
    for i in range(T.int64(1000000000000000000)):
        A[1] = 1
)"},
    {DiagnosticKind::kMemoryLimit, 4, R"(
@T.prim_func
def main(A: T.Buffer((4,), "int32")):
    t = T.allocate([1000000, 1000000], "int32", "global")
    A[0] = 1
)"},
    {DiagnosticKind::kNullPointer, 6, R"(
@T.prim_func
def main(A: T.Buffer((4,), "int32")):
    p: T.handle("int32") = T.reinterpret("handle", T.uint64(0))
    q = T.Buffer((4,), "int32", data=p)
    A[0] = q[0]
)"},
    {DiagnosticKind::kDeadAllocation, 10, R"(
@T.prim_func
def main(A: T.Buffer((4,), "int32")):
    p = T.allocate([1], "uint64", "global")
    p_1 = T.Buffer((1,), "uint64", data=p)
    with T.allocate([4], "int32", "global") as t:
        p_1[0] = T.reinterpret("uint64", t)
    q: T.handle("int32") = T.reinterpret("handle", p_1[0])
    q_1 = T.Buffer((4,), "int32", data=q)
    A[0] = q_1[0]
)"},
    {DiagnosticKind::kUnsupported, 4, R"(
@T.prim_func
def main(A: T.Buffer((4,), "int32")):
    A[0] = T.vscale()
)"},
};
INSTANTIATE_TEST_SUITE_P(Each, Faults, testing::ValuesIn(kFaults));

TEST(Interpreter, RunsVectorsAndShuffles) {
  Tensor a = Int32s(8);
  const Outcome outcome = RunText(R"(
@T.prim_func
def main(A: T.Buffer((8,), "int32")):
    A[0:4] = T.Ramp(10, 3, 4)
    A[4:8] = A[0:4] * T.Broadcast(2, 4) + T.Select(T.Ramp(0, 1, 4) < T.Broadcast(2, 4), T.Broadcast(1, 4), T.Broadcast(0, 4))
    A[T.Ramp(0, 2, 2)] = T.Shuffle([A[4:8]], [3, 0])
)",
                                  {&a});
  ASSERT_TRUE(outcome.ok) << outcome.all;
  EXPECT_THAT(Values<int32_t>(a), testing::ElementsAre(38, 13, 21, 19, 21, 27, 32, 38));
}

TEST(Interpreter, RunsBlocksAndTheirInit) {
  Tensor a = MakeTensor<int32_t>(DataType::Int(32), {2, 3}, {1, 2, 3, 4, 5, 6});
  Tensor b = MakeTensor<int32_t>(DataType::Int(32), {2}, {99, 99});
  const Outcome outcome = RunText(R"(
@T.prim_func
def main(A: T.Buffer((2, 3), "int32"), B: T.Buffer((2,), "int32")):
    for i, k in T.grid(2, 4):
        with T.block("sum"):
            vi, vk = T.axis.remap("SR", [i, k])
            T.where(k < 3)
            with T.init():
                B[vi] = 100
            B[vi] = B[vi] + A[vi, vk]
)",
                                  {&a, &b});
  ASSERT_TRUE(outcome.ok) << outcome.all;
  EXPECT_THAT(Values<int32_t>(b), testing::ElementsAre(106, 115));
}

TEST(Interpreter, ReadsThroughStridesAndOffsets) {
  Tensor a = MakeTensor<int32_t>(DataType::Int(32), {8}, {0, 1, 2, 3, 4, 5, 6, 7});
  Tensor b = Int32s(4);
  const Outcome outcome = RunText(R"(
@T.prim_func
def main(A: T.Buffer((8,), "int32"), B: T.Buffer((4,), "int32")):
    V = T.Buffer((2, 2), "int32", data=A.data, strides=(4, 1), elem_offset=2)
    for i, j in T.grid(2, 2):
        B[i * 2 + j] = V[i, j]
)",
                                  {&a, &b});
  ASSERT_TRUE(outcome.ok) << outcome.all;
  EXPECT_THAT(Values<int32_t>(b), testing::ElementsAre(2, 3, 6, 7));
}

TEST(Interpreter, IfThenElseGuardsItsLoad) {
  Tensor a = Int32s(4);
  const Outcome outcome = RunText(R"(
@T.prim_func
def main(A: T.Buffer((4,), "int32")):
    for i in range(4):
        A[i] = T.if_then_else(i > 0, A[i - 1], 5) + 1
)",
                                  {&a});
  ASSERT_TRUE(outcome.ok) << outcome.all;
  EXPECT_THAT(Values<int32_t>(a), testing::ElementsAre(6, 7, 8, 9));
}

TEST(Interpreter, CallsByNameAndReturns) {
  Tensor a = Int32s(4);
  const Outcome outcome = RunText(R"(
@I.ir_module
class Module:
    @T.prim_func
    def f(B: T.Buffer((4,), "int32"), n: T.int32) -> T.int32:
        for i in range(4):
            if i == n:
                T.evaluate(T.ret(i * 10))
            B[i] = i + 1
        T.evaluate(T.ret(-1))

    @T.prim_func
    def main(A: T.Buffer((4,), "int32")):
        A[3] = T.call_extern("int32", "f", A.data, 2)
        T.evaluate(T.tvm_check_return(0, -1, T.call_extern("int32", "f", A.data, 0)))
        T.evaluate(T.tvm_check_return(0, -7, T.call_extern("int32", "f", A.data, 1)))
        A[0] = 50
)",
                                  {&a});
  ASSERT_TRUE(outcome.ok) << outcome.all;
  EXPECT_EQ(outcome.result, -7);
  EXPECT_THAT(Values<int32_t>(a), testing::ElementsAre(1, 2, 0, 20));
}

TEST(Interpreter, LongSumsNeedNoStack) {
  std::string text = "\n@T.prim_func\ndef main(A: T.Buffer((4,), \"int32\")):\n    A[0] = A[1]";
  for (int i = 0; i < 20000; ++i) text += " + A[1]";
  Tensor a = MakeTensor<int32_t>(DataType::Int(32), {4}, {0, 1, 0, 0});
  const Outcome outcome = RunText(text + "\n", {&a});
  ASSERT_TRUE(outcome.ok) << outcome.all;
  EXPECT_EQ(Values<int32_t>(a)[0], 20001);
}

constexpr std::string_view kTwoBuffers = R"(
@T.prim_func
def main(A: T.Buffer((4,), "int32")):
    x = T.allocate([4], "int32", "global")
    y = T.allocate([4], "int32", "global")
    x_1 = T.Buffer((4,), "int32", data=x)
    y_1 = T.Buffer((4,), "int32", data=y)
    for i in range(4):
        x_1[i] = i
    for i in range(4):
        y_1[i] = x_1[i] + 1
    for i in range(4):
        A[i] = y_1[i] + x_1[i]
)";

/// Runs kTwoBuffers with x at 0 and y at `offset` of one pool.
Outcome RunPlaced(int64_t offset, Tensor* a) {
  Context context;
  Diagnostics diagnostics;
  Outcome outcome;
  const auto module =
      ParseModule(context, "test.py", std::string(kHeader) + std::string(kTwoBuffers), nullptr, {},
                  diagnostics);
  if (!module) return outcome;
  InterpreterOptions options;
  const auto* x = cast<Allocate>(module->Main()->func->body);
  const auto* y = cast<Allocate>(x->body);
  options.placement[x->buffer_var] = {"pool", 0};
  options.placement[y->buffer_var] = {"pool", offset};
  const auto interpreter = Interpreter::Compile(*module, diagnostics, options);
  if (interpreter.ok()) outcome.ok = interpreter->Run("main", {Argument::Of(a)}, diagnostics);
  outcome.all = Render(context.sources(), diagnostics);
  if (!diagnostics.all().empty()) outcome.kind = KindText(diagnostics.all()[0].kind);
  return outcome;
}

TEST(Placement, TellsSoundPlansFromUnsoundOnes) {
  Tensor a = Int32s(4);
  const Outcome sound = RunPlaced(16, &a);
  EXPECT_TRUE(sound.ok) << sound.all;
  EXPECT_THAT(Values<int32_t>(a), testing::ElementsAre(1, 3, 5, 7));
  const Outcome unsound = RunPlaced(12, &a);
  EXPECT_FALSE(unsound.ok);
  EXPECT_EQ(unsound.kind, "uninitialised-read") << unsound.all;
}

}  // namespace
}  // namespace tenon
