// Statements that end the liveness of a buffer, each with similar statements that do not.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "ir/analysis/liveness.h"
#include "parser/parser.h"

namespace tenon {
namespace {

constexpr std::string_view kFunctions = R"(
    @T.prim_func
    def fill(P: T.Buffer((8,), "float32")):
        T.func_attr({"global_symbol": "fill"})
        for i in range(8):
            P[i] = T.float32(0)

    @T.prim_func
    def fill_four(P: T.Buffer((4,), "float32")):
        T.func_attr({"global_symbol": "fill_four"})
        for i in range(4):
            P[i] = T.float32(0)

    @T.prim_func
    def copy(P: T.Buffer((8,), "float32"), Q: T.Buffer((8,), "float32")):
        T.func_attr({"global_symbol": "copy"})
        for i in range(8):
            Q[i] = P[7 - i]

    @T.prim_func
    def gives(P: T.Buffer((8,), "float32")) -> T.int32:
        T.func_attr({"global_symbol": "gives"})
        for i in range(8):
            P[i] = T.float32(0)
        T.ret(1)

    @T.prim_func
    def leaves(P: T.Buffer((8,), "float32"), n: T.int32) -> T.int32:
        T.func_attr({"global_symbol": "leaves"})
        if n < 3:
            T.ret(0)
        for i in range(8):
            P[i] = T.float32(0)
        T.ret(1)

    @T.prim_func
    def checks(P: T.Buffer((8,), "float32"), n: T.int32):
        T.func_attr({"global_symbol": "checks"})
        T.tvm_check_return(0, -1, T.call_extern("int32", "ready"))
        for i in range(8):
            P[i] = T.float32(0)

    @T.prim_func
    def main(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "float32"), n: T.int32):
        T.func_attr({"global_symbol": "main", "tenon.externs": {"over": ["o"], "part": ["w"], "both": ["rw"], "copies": ["r", "o"]}})
        x = T.allocate([8], "float32", "global")
        X = T.Buffer((8,), "float32", data=x)
        X2 = T.Buffer((4, 2), "float32", data=x)
        y = T.allocate([8], "float32", "global")
        Y = T.Buffer((8,), "float32", data=y)
        keep = T.allocate([1], "handle", "global")
        Keep = T.Buffer((1,), "handle", data=keep)
)";

/// Whether `x` and `y` of main are live at the same time, if main contains `body` and `rest`.
bool Meet(std::string_view body, std::string_view rest) {
  Context context;
  Diagnostics diagnostics;
  const std::string text = fmt::format("@I.ir_module\nclass Module:{}{}{}", kFunctions, body, rest);
  const auto module = ParseModule(context, "test.py", text, nullptr, {}, diagnostics);
  const auto liveness =
      module ? ComputeLiveness(*module, *module->Main(), diagnostics) : std::nullopt;
  EXPECT_TRUE(liveness.has_value()) << Render(context.sources(), diagnostics) << text;
  if (!liveness) return false;
  const std::vector<LiveRange>* ranges[2] = {};
  for (size_t i = 0; i < liveness->allocations.size(); ++i) {
    if (liveness->allocations[i].name == "x") ranges[0] = &liveness->ranges[i];
    if (liveness->allocations[i].name == "y") ranges[1] = &liveness->ranges[i];
  }
  EXPECT_TRUE(ranges[0] != nullptr && ranges[1] != nullptr);
  for (const LiveRange& a : *ranges[0]) {
    for (const LiveRange& b : *ranges[1]) {
      if (a.lower < b.upper && b.lower < a.upper) return true;
    }
  }
  return false;
}

/// Unindented lines, indented for a body.
std::string Indented(std::string_view lines, int columns) {
  std::string out;
  const std::string space(static_cast<size_t>(columns), ' ');
  while (!lines.empty()) {
    const size_t end = std::min(lines.find('\n'), lines.size());
    if (end > 0) out += fmt::format("{}{}\n", space, lines.substr(0, end));
    lines.remove_prefix(std::min(end + 1, lines.size()));
  }
  return out;
}

struct Case {
  const char* name;
  const char* lines;
};

void PrintTo(const Case& test, std::ostream* out) { *out << test.name; }

std::string NameOf(const testing::TestParamInfo<Case>& info) { return info.param.name; }

/// Puts `lines` into a loop, before a read of x; the loop then uses y. Returns whether x is live
/// across iterations.
bool IsCarried(std::string_view lines) {
  return Meet("        for o in range(4):\n" + Indented(lines, 12), R"(
            B[o] = X[o] + X[n]
            Module.fill(y)
            B[o] = Y[n]
)");
}

class Overwrites : public testing::TestWithParam<Case> {};
TEST_P(Overwrites, ALoopThatBeginsWithItDoesNotCarry) { EXPECT_FALSE(IsCarried(GetParam().lines)); }
INSTANTIATE_TEST_SUITE_P(
    Forms, Overwrites,
    testing::Values(
        Case{"Loop", "for i in range(8):\n    X[i] = A[i]"},
        Case{"Grid", "for i, j in T.grid(4, 2):\n    X2[i, j] = A[i]"},
        Case{"Permuted", "for i, j in T.grid(2, 4):\n    X2[j, i] = A[i]"},
        Case{"Linear", "for i, j in T.grid(2, 4):\n    X[i * 4 + j] = A[i]"},
        Case{"Reversed", "for i in range(8):\n    X[7 - i] = A[i]"},
        Case{"Shifted", "for i in range(3, 11):\n    X[i - 3] = A[0]"},
        Case{"Fused", "for f in range(8):\n    X2[f // 2, f % 2] = A[f]"},
        Case{"FusedPermuted", "for f in range(8):\n    X2[f % 4, f // 4] = A[f]"},
        Case{"FusedThrice",
             "for f in range(8):\n    X[f % 2 * 4 + f // 2 % 2 * 2 + f // 4] = A[f]"},
        Case{"FusedOuter",
             "for f in range(4):\n    for j in range(2):\n        X[f % 2 * 4 + f // 2 * 2 + j] = "
             "A[f]"},
        Case{"Truncating", "for f in range(8):\n    X2[T.Div(f, 2), T.truncmod(f, 2)] = A[f]"},
        Case{"Bits", "for f in range(8):\n    X2[T.shift_right(f, 1), T.bitwise_and(f, 1)] = A[f]"},
        Case{"Windows", "for i, j in T.grid(4, 5):\n    X[i + j] = A[i]"},
        Case{"Vector", "X[0:8] = T.Broadcast(T.float32(1), 8)"},
        Case{"Vectors", "for i in range(2):\n    X[i * 4:i * 4 + 4] = A[0:4]"},
        Case{"StridedVectors", "for i in range(2):\n    X[T.Ramp(i, 2, 4)] = A[0:4]"},
        Case{"VectorElements",
             "V = T.Buffer((2,), \"float32x4\", data=x)\nfor i in range(2):\n    V[i] = A[0:4]"},
        Case{"Strides",
             "S = T.Buffer((2, 4), \"float32\", data=x, strides=(1, 2))\nfor i, j in T.grid(2, "
             "4):\n    S[i, j] = A[i]"},
        Case{"Halves",
             "L = T.Buffer((4,), \"float32\", data=x)\n"
             "H = T.Buffer((4,), \"float32\", data=x, elem_offset=4)\n"
             "for i in range(4):\n    L[i] = A[i]\nfor i in range(4):\n    H[i] = A[i]"},
        Case{"HalvesInOneLoop", "for i in range(4):\n    X[i] = A[i]\n    X[i + 4] = A[i]"},
        Case{"OtherType",
             "W = T.Buffer((16,), \"int16\", data=x)\nfor i in range(16):\n    W[i] = T.int16(0)"},
        Case{"Parallel", "for i in T.parallel(8):\n    X[i] = A[i]"},
        Case{"ParallelRows",
             "for i in T.parallel(4):\n    for j in T.vectorized(2):\n        X2[i, j] = A[i]"},
        Case{"AmongOthers",
             "for i in range(8):\n    B[i] = A[i]\n    X[i] = B[i]\n    B[i] = X[i]"},
        Case{"SumFromZero",
             "for i in range(8):\n    X[i] = T.float32(0)\n    for k in range(8):\n        X[i] = "
             "X[i] + A[k]"},
        Case{"RowsFromZero",
             "for i in range(4):\n    for j in range(2):\n        X2[i, j] = T.float32(0)\n"
             "    for k, j in T.grid(8, 2):\n        X2[i, j] = X2[i, j] + A[k]"},
        Case{"RowsFromZeroFlat",
             "for i in range(4):\n    for j in range(2):\n        X[i * 2 + j] = T.float32(0)\n"
             "    for k, j in T.grid(8, 2):\n        X[i * 2 + 1 - j] = X[i * 2 + j] + A[k]"},
        Case{"BothArms",
             "if n < 3:\n    for i in range(8):\n        X[i] = A[i]\nelse:\n    for i in "
             "range(8):\n        X[i] = B[i]"},
        Case{"Twice",
             "for i in range(8):\n    X[i] = A[i]\nB[0] = X[0]\nfor i in range(8):\n    X[i] = "
             "A[i]"},
        Case{"InnerLoop",
             "for p in range(3):\n    for i in range(8):\n        X[i] = A[i]\n    B[p] = X[n]"},
        Case{"Call", "Module.fill(x)"}, Case{"CallByName", "T.call_extern(\"int32\", \"fill\", x)"},
        Case{"CallChecked", "T.tvm_check_return(0, -1, T.call_extern(\"int32\", \"fill\", x))"},
        Case{"CallBound", "r: T.int32 = Module.gives(x)\nB[0] = T.Cast(\"float32\", r)"},
        Case{"CallsOnHalves", "Module.fill_four(x)\nModule.fill_four(T.address_of(X[4]))"},
        Case{"AccessPtr",
             "Module.fill(T.tvm_access_ptr(T.type_annotation(\"float32\"), x, 0, 8, 2))"},
        Case{"Alias",
             "p: T.handle(\"float32\", \"global\") = T.address_of(X[0])\nP = T.Buffer((8,), "
             "\"float32\", data=p)\n"
             "for i in range(8):\n    P[i] = A[i]"},
        Case{"Extern", "T.call_extern(\"int32\", \"over\", x)"},
        Case{"ExternAndInput", "T.call_extern(\"int32\", \"copies\", A.data, x)"}),
    NameOf);

class Keeps : public testing::TestWithParam<Case> {};
TEST_P(Keeps, ALoopThatBeginsWithItCarries) { EXPECT_TRUE(IsCarried(GetParam().lines)); }
INSTANTIATE_TEST_SUITE_P(
    Forms, Keeps,
    testing::Values(
        Case{"Nothing", ""}, Case{"OneElement", "X[0] = A[0]"},
        Case{"OneTooFew", "for i in range(7):\n    X[i] = A[i]"},
        Case{"NotTheFirst", "for i in range(1, 8):\n    X[i] = A[i]"},
        Case{"EveryOther", "for i in range(4):\n    X[i * 2] = A[i]"},
        Case{"FarSteps", "for i, j in T.grid(2, 3):\n    X[i * 5 + j] = A[i]"},
        Case{"Diagonal", "for i in range(8):\n    X2[i // 2, i // 4] = A[i]"},
        Case{"FusedTooShort", "for f in range(6):\n    X2[f // 2, f % 2] = A[f]"},
        Case{"FusedUneven", "for f in range(8):\n    X[f // 3 * 3 + f % 3 % 2] = A[f]"},
        Case{"UnknownIndex", "for i in range(8):\n    X[n] = A[i]"},
        Case{"UnknownExtent", "for i in range(n):\n    X[i] = A[i]"},
        Case{"Wraps",
             "for i in range(8):\n    X[T.Cast(\"int32\", T.Cast(\"int8\", i * 64)) // 64] = A[i]"},
        Case{"HalfVector", "X[0:4] = T.Broadcast(T.float32(1), 4)"},
        Case{"Predicated",
             "X.vstore([T.Ramp(0, 1, 8)], T.Broadcast(T.float32(1), 8), "
             "predicate=T.Broadcast(T.bool(False), 8))"},
        Case{"OneHalf",
             "H = T.Buffer((4,), \"float32\", data=x, elem_offset=4)\nfor i in range(4):\n    H[i] "
             "= A[i]"},
        Case{"OneHalfTwice",
             "H = T.Buffer((4,), \"float32\", data=x, elem_offset=4)\n"
             "for i in range(4):\n    H[i] = A[i]\nfor i in range(4):\n    H[i] = A[i]"},
        Case{"UnknownOffset",
             "H = T.Buffer((8,), \"float32\", data=x, elem_offset=n)\nfor i in range(8):\n    H[i] "
             "= A[i]"},
        Case{"NarrowType",
             "W = T.Buffer((8,), \"int16\", data=x)\nfor i in range(8):\n    W[i] = T.int16(0)"},
        Case{"ReadsItself", "for i in range(8):\n    X[i] = X[7 - i]"},
        Case{"ReadsItselfByAView", "for i, j in T.grid(4, 2):\n    X[i * 2 + j] = X2[3 - i, j]"},
        Case{"ReadsItselfByAnAlias",
             "p: T.handle(\"float32\", \"global\") = T.address_of(X[0])\nP = T.Buffer((8,), "
             "\"float32\", data=p)\n"
             "for i in range(8):\n    X[i] = P[7 - i]"},
        Case{"ReadsItselfInAnIndex",
             "for i in range(8):\n    X[i] = A[T.Cast(\"int32\", X[7 - i])]"},
        Case{"ReadBefore", "B[0] = X[n]\nfor i in range(8):\n    X[i] = A[i]"},
        Case{"ReadBeforeInTheNest", "for i in range(8):\n    B[i] = X[7 - i]\n    X[i] = A[i]"},
        Case{"ReadsANeighbour",
             "for i in range(8):\n    X[i] = T.float32(0)\n    X[i] = X[i] + X[(i + 1) % 8]"},
        Case{"ReadsTheNextRow",
             "for i in range(4):\n    for j in range(2):\n        X[i * 2 + j] = T.float32(0)\n"
             "    for j in range(2):\n        X[i * 2 + j] = X[i * 2 + j + 1]"},
        Case{"ReadsAnUnknownRow",
             "for i in range(4):\n    for j in range(2):\n        X2[i, j] = T.float32(0)\n    "
             "B[i] = X2[n, 0]"},
        Case{"OneArm", "if n < 3:\n    for i in range(8):\n        X[i] = A[i]"},
        Case{"TheOtherArm",
             "if n < 3:\n    B[0] = A[0]\nelse:\n    for i in range(8):\n        X[i] = A[i]"},
        Case{"GuardInside", "for i in range(8):\n    if i < n:\n        X[i] = A[i]"},
        Case{"MaybeEmptyLoop", "for p in range(n):\n    for i in range(8):\n        X[i] = A[i]"},
        Case{"EmptyLoop", "for p in range(0):\n    for i in range(8):\n        X[i] = A[i]"},
        Case{"While",
             "while B[0] < T.float32(3):\n    for i in range(8):\n        X[i] = A[i]\n    B[0] = "
             "X[0]"},
        Case{"ParallelLoop",
             "for p in T.parallel(3):\n    for i in range(8):\n        X[i] = A[i]\n    B[p] = "
             "X[n]"},
        Case{"Escaped", "Keep[0] = x\nfor i in range(8):\n    X[i] = A[i]"},
        Case{"AsANumber",
             "q: T.uint64 = T.reinterpret(\"uint64\", x)\nfor i in range(8):\n    X[i] = A[i]\nif "
             "q < T.uint64(3):\n    B[0] = A[0]"},
        Case{"CallOnAHalf", "Module.fill_four(x)"},
        Case{"CallOnOneHalfTwice",
             "Module.fill_four(T.address_of(X[4]))\nModule.fill_four(T.address_of(X[4]))"},
        Case{"CallAtAnUnknownPlace", "Module.fill(T.address_of(X[n]))"},
        Case{"CallThatLeaves", "r: T.int32 = Module.leaves(x, n)\nB[0] = T.Cast(\"float32\", r)"},
        Case{"CallThatChecks", "Module.checks(x, n)"},
        Case{"CallInAnExpression",
             "B[0] = T.Select(n < 3, T.Cast(\"float32\", Module.gives(x)), T.float32(1))"},
        Case{"CallOnTwo", "Module.copy(x, x)"},
        Case{"ExternPart", "T.call_extern(\"int32\", \"part\", x)"},
        Case{"ExternBoth", "T.call_extern(\"int32\", \"both\", x)"},
        Case{"ExternUnknown", "T.call_extern(\"int32\", \"unknown\", x)"},
        Case{"ExternOnAHalf", "T.call_extern(\"int32\", \"over\", T.address_of(X[4]))"},
        Case{"ExternOnTwo", "T.call_extern(\"int32\", \"copies\", x, x)"},
        Case{"ExternInAnArm", "if n < 3:\n    T.call_extern(\"int32\", \"over\", x)"},
        Case{"ExternInAnExpression",
             "B[0] = T.Select(n < 3, T.Cast(\"float32\", T.call_extern(\"int32\", \"over\", x)), "
             "T.float32(1))"}),
    NameOf);

/// The cases are main's whole body.
class Apart : public testing::TestWithParam<Case> {};
TEST_P(Apart, TheyAreNeverLiveTogether) { EXPECT_FALSE(Meet(Indented(GetParam().lines, 8), "")); }
INSTANTIATE_TEST_SUITE_P(
    Bodies, Apart,
    testing::Values(
        Case{
            "Arms",
            "if n < 3:\n    X[0] = A[0]\n    B[0] = X[0]\nelse:\n    Y[0] = A[0]\n    B[0] = Y[0]"},
        // Only one arm needs x at the end.
        Case{"AcrossOneArm",
             "X[0] = A[0]\nif n < 3:\n    X[1] = A[1]\nelse:\n    Module.fill(x)\n"
             "B[0] = X[n]\nY[0] = A[0]\nB[0] = Y[0]"},
        Case{"AnArmThatOverwrites",
             "Module.fill(x)\nif n < 3:\n    Y[0] = A[0]\n    B[0] = Y[0]\n    "
             "Module.fill(x)\nB[0] = X[n]"
             "\nif n < 3:\n    B[0] = A[0]\nelse:\n    B[1] = A[1]"},
        Case{"BehindTheLastReadInAnArm",
             "Module.fill(x)\nif n < 3:\n    B[0] = X[n]\n    Y[0] = A[0]\n    B[0] = "
             "Y[0]\nelse:\n    B[1] = X[n]"},
        Case{"ArmsOfALoop",
             "for o in range(4):\n    if o < n:\n        Module.fill(x)\n        B[0] = X[n]\n    "
             "else:\n"
             "        Module.fill(y)\n        B[0] = Y[n]"},
        Case{"WhileBody",
             "while B[0] < T.float32(3):\n    Module.fill(x)\n    B[0] = X[n]\n    "
             "Module.fill(y)\n    B[0] = Y[n]"},
        // Read by the condition, then overwritten for the next iteration.
        Case{"BetweenConditionAndWrite",
             "X[0] = A[0]\nwhile X[0] < T.float32(3):\n    Y[0] = A[0]\n    B[0] = Y[0]\n    X[0] "
             "= A[1]"},
        Case{"BehindTheWhile",
             "X[0] = A[0]\nwhile X[0] < T.float32(3):\n    X[0] = X[0] + T.float32(1)\nY[0] = "
             "A[0]\nB[0] = Y[0]"},
        Case{"WriteThatNobodyReads",
             "Module.fill(x)\nB[0] = X[n]\nModule.fill(y)\nX[n] = A[0]\nB[0] = A[1]"
             "\nfor i in range(8):\n    X[i] = A[i]"},
        Case{"BehindAParallelLoop",
             "for i in T.parallel(8):\n    X[i] = A[i]\nfor i in T.parallel(8):\n    B[i] = X[i]\n"
             "for i in T.parallel(8):\n    Y[i] = B[i]\nfor i in T.parallel(8):\n    B[i] = Y[i]"}),
    NameOf);

class Together : public testing::TestWithParam<Case> {};
TEST_P(Together, TheyAreLiveTogether) { EXPECT_TRUE(Meet(Indented(GetParam().lines, 8), "")); }
INSTANTIATE_TEST_SUITE_P(
    Bodies, Together,
    testing::Values(
        Case{"AcrossABranch",
             "Module.fill(x)\nif n < 3:\n    Y[0] = A[0]\n    B[0] = Y[0]\nB[0] = X[n]"},
        Case{"ArmsThatCarry",
             "for o in range(4):\n    if o < n:\n        X[o] = A[o]\n        B[0] = X[n]\n    "
             "else:\n"
             "        Y[o] = A[o]\n        B[0] = Y[n]"},
        Case{"ReadByTheCondition",
             "X[0] = A[0]\nwhile X[0] < T.float32(3):\n    Y[0] = A[0]\n    B[0] = Y[0]\n    X[1] "
             "= A[1]"},
        Case{"CarriedByAWhile",
             "while B[0] < T.float32(3):\n    Y[0] = A[0]\n    B[0] = Y[0] + X[n]\n    "
             "Module.fill(x)"},
        Case{"AcrossAWhile",
             "Module.fill(x)\nwhile B[0] < T.float32(3):\n    Y[0] = A[0]\n    B[0] = Y[0]\nB[0] = "
             "X[n]"},
        // The body may run zero times, so that the old contents are read.
        Case{"WhileMayRunNever",
             "Module.fill(x)\nY[0] = A[0]\nB[0] = Y[0]\nwhile B[0] < T.float32(3):\n    "
             "Module.fill(x)\n    B[0] = X[0]\nB[0] = X[n]"},
        // Iterations run concurrently.
        Case{"InAParallelLoop",
             "for p in T.parallel(8):\n    X[p] = A[p]\n    B[p] = X[p]\n    Y[p] = A[p]\n    B[p] "
             "= Y[p]"},
        Case{"InAThread",
             "p = T.launch_thread(\"threadIdx.x\", 8)\nX[p] = A[p]\nB[p] = X[p]\nY[p] = A[p]\nB[p] "
             "= Y[p]"},
        Case{"OneStatement", "Module.fill(x)\nModule.copy(x, y)\nB[0] = Y[0]"},
        Case{"CallInAStatement",
             "Module.fill(x)\nB[T.Cast(\"int32\", X[0])] = T.Cast(\"float32\", Module.gives(y))"},
        // The next iteration reads through the pointer.
        Case{"EscapedInALoop",
             "for o in range(4):\n    Y[0] = A[0]\n    B[0] = Y[0]\n    Keep[0] = x"},
        Case{"CalleeLeavesEarly",
             "Module.fill(x)\nY[0] = A[0]\nB[0] = Y[0]\nr: T.int32 = Module.leaves(x, n)\nB[0] = "
             "X[r]"}),
    NameOf);

}  // namespace
}  // namespace tenon
