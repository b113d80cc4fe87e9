// The code that generators make of claims, and the claims that they refuse.
// tests/integration/targets checks that the code computes the claims.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "byoc/code_generator.h"
#include "byoc/generators/blas.h"
#include "byoc/generators/can_make_loops.h"
#include "parser/parser.h"
#include "passes/loops/staged_factors.h"
#include "printer/printer.h"
#include "tests/unit/byoc/block_loops.h"
#include "tests/unit/byoc/claims.h"
#include "tests/unit/byoc/run_computation.h"

namespace tenon {
namespace {

using testing::HasSubstr;
using testing_claims::Bytes;
using testing_claims::ClaimMaker;
using testing_claims::RandomBytes;
using testing_claims::RandomClaims;

constexpr int kClaims = 600;

TEST(GeneratorsTest, StagedFactorsAreThoseOfTheClaim) {
  int staged_claims = 0;
  for (int seed = 0; seed < kClaims; ++seed) {
    const auto number = static_cast<uint64_t>(seed);
    const OpInfo op = RandomClaims(number).Make();
    const StagedComputation staged =
        StageFactors(op.computation, op.contraction, /*extends=*/false);
    staged_claims += staged.memory.empty() ? 0 : 1;
    std::mt19937_64 random(number);
    std::vector<Bytes> before;
    for (const ComputationOperand& operand : op.computation.operands)
      before.push_back(RandomBytes(operand.dtype, operand.elements, random));
    std::vector<Bytes> now = before;
    for (const int memory : staged.memory) {
      const auto& operand = staged.computation.operands[static_cast<size_t>(memory)];
      now.push_back(RandomBytes(operand.dtype, operand.elements, random));
    }
    const std::vector<std::span<uint8_t>> of_claim(before.begin(), before.end());
    const std::vector<std::span<uint8_t>> of_staged(now.begin(), now.end());
    ASSERT_TRUE(RunComputation(op.computation, of_claim).ok());
    const absl::Status status = RunComputation(staged.computation, of_staged);
    ASSERT_TRUE(status.ok()) << seed << ": " << status;
    now.resize(before.size());
    EXPECT_EQ(before, now) << "seed " << seed << ", " << op.kind;
  }
  EXPECT_GT(staged_claims, kClaims / 40);
}

/// The code that a generator makes for the function `region` of a module in this text.
std::string CodeOfText(const std::string& text, const CodeGenerator& generator,
                       GeneratedFunction* made = nullptr, TargetVectors vectors = {}) {
  Context context;
  Diagnostics diagnostics;
  const auto module = ParseModule(context, "region.py", text, nullptr, {}, diagnostics);
  EXPECT_TRUE(module.has_value()) << Render(context.sources(), diagnostics);
  const ExternalFunction region = ReadExternalFunction(*module, *module->FindCallee("region"));
  GeneratorTarget target(generator.name());
  target.vectors = vectors;
  const auto code = generator.Generate({&region, 1}, target, diagnostics);
  EXPECT_TRUE(code.has_value()) << Render(context.sources(), diagnostics);
  if (!code) return "";
  if (made != nullptr) *made = code->functions[0];
  std::string all;
  for (const EmittedFile& file : code->sources) all += file.text;
  IRModule functions(context);
  for (const Function& function : code->tir) functions.Add(function);
  return all + (code->tir.empty() ? "" : PrintModule(functions));
}

/// Three operators with two intermediates; `body` computes the claim of `scale`.
std::string RegionText(const std::string& body) {
  return R"(
from tvm.script import ir as I
from tvm.script import tir as T
@I.ir_module
class Module:
    @T.prim_func
    def region(x: T.Buffer((8,), "float32"), y: T.Buffer((8,), "float32")):
        T.func_attr({"Compiler": "blocks", "global_symbol": "region", "tir.noalias": T.bool(True)})
        a = T.allocate([32], "int8", "global")
        b = T.allocate([32], "int8", "global")
        T.tvm_check_return(0, -1, T.call_extern("int32", "scale", x.data, a))
        T.tvm_check_return(0, -1, T.call_extern("int32", "scale", a, b))
        T.tvm_check_return(0, -1, T.call_extern("int32", "scale", b, y.data))

    @T.prim_func
    def scale(x: T.Buffer((8,), "float32"), y: T.Buffer((8,), "float32")):
        T.func_attr({"tenon.op": {"kind": "elementwise", "elements": 8, "loops": [["i", 8]],
            "operands": [["param", 0, "float32", 8], ["param", 1, "float32", 8]],
            "accesses": [[0, [0, [["i", 1]]]], [1, [0, [["i", 1]]]]],
            "steps": [["read", 0], ["const", "float32", 3], ["mul", 0, 1]],
            "stores": [[1, 2, ["i"]]]}})
)" + body;
}

constexpr const char* kForward = R"(
        for i in range(8):
            y[i] = x[i] * T.float32(3)
)";
constexpr const char* kBackward = R"(
        three = T.allocate([1], "float32", "global")
        three_1 = T.Buffer((1,), data=three)
        three_1[0] = T.float32(3)
        for block in range(4):
            for i in range(2):
                y[7 - block * 2 - i] = three_1[0] * x[7 - block * 2 - i]
)";

/// A product of matrices of floats, 36 x 16 and 16 x 64.
constexpr const char* kMatrices = R"(
from tvm.script import ir as I
from tvm.script import tir as T
@I.ir_module
class Module:
    @T.prim_func
    def region(x: T.Buffer((576,), "float32"), w: T.Buffer((1024,), "float32"), y: T.Buffer((2304,), "float32")):
        T.func_attr({"Compiler": "blocks", "global_symbol": "region", "tir.noalias": T.bool(True),
            "tenon.op": {"kind": "matmul", "elements": 2304, "macs": 36864,
            "loops": [["m", 36], ["n", 64], ["k", 16]],
            "operands": [["param", 0, "float32", 576], ["param", 1, "float32", 1024], ["param", 2, "float32", 2304]],
            "accesses": [[0, [0, [["m", 16], ["k", 1]]]], [1, [0, [["n", 1], ["k", 64]]]], [2, [0, [["m", 64], ["n", 1]]]]],
            "steps": [["const", "float32", 0], ["read", 0], ["read", 1], ["mul", 1, 2], ["reduce", "add", ["k"], 0, 3]],
            "stores": [[2, 4, ["m", "n"]]]}})
        T.evaluate(0)
)";

TEST(GeneratorsTest, BlocksOfFloatsFitRegistersAndHaveFewLoads) {
  // Two vectors at twelve places: 24 sums, 2 shared vectors, a copy and a product.
  const std::string wide = CodeOfText(kMatrices, BlockLoops(), nullptr, {.count = 32, .bytes = 64});
  EXPECT_THAT(wide, HasSubstr("m_block < 3;"));
  EXPECT_THAT(wide, HasSubstr("n_block < 2;"));
  EXPECT_THAT(wide, HasSubstr("block4[192]"));
  // Many registers: two steps are loaded ahead.
  EXPECT_THAT(wide, HasSubstr("shared2[64]"));
  EXPECT_THAT(wide, HasSubstr("k_block < 7;"));
  // Two vectors at six places: 12 sums, 2 shared vectors, a copy and a product.
  const std::string few = CodeOfText(kMatrices, BlockLoops(), nullptr, {.count = 16, .bytes = 32});
  EXPECT_THAT(few, HasSubstr("m_block < 6;"));
  EXPECT_THAT(few, HasSubstr("n_block < 4;"));
  EXPECT_THAT(few, HasSubstr("block4[96]"));
  EXPECT_THAT(few, HasSubstr("shared2[16]"));
  EXPECT_THAT(few, HasSubstr("k < 16;"));
}

TEST(GeneratorsTest, CodeOnlyDependsOnClaims) {
  const CodeGenerators generators = CodeGenerators::BuiltIn();
  const CodeGenerator& reference = *generators.Find("reference");
  const std::string code = CodeOfText(RegionText(kForward), reference);
  EXPECT_THAT(code, HasSubstr("region_elementwise_0"));
  EXPECT_EQ(code, CodeOfText(RegionText(kBackward), reference));
}

TEST(GeneratorsTest, IntermediatesOfARegionAreInScratchMemory) {
  GeneratedFunction made;
  const std::string code =
      CodeOfText(RegionText(kForward), BlockLoops(), &made, {.count = 16, .bytes = 16});
  EXPECT_EQ(made.workspace_bytes, 64);
  EXPECT_EQ(made.workspace_alignment, 16);
  EXPECT_THAT(code, testing::Not(HasSubstr("malloc")));
  EXPECT_THAT(code, HasSubstr("scratch"));
  // One function serves all three calls.
  EXPECT_THAT(code, testing::Not(HasSubstr("region_elementwise_1")));
}

TEST(GeneratorsTest, OperatorsOfARegionAreFused) {
  GeneratedFunction made;
  const std::string code = CodeOfText(RegionText(kForward), BlockLoops(), &made);
  EXPECT_EQ(made.workspace_bytes, 0);
  EXPECT_THAT(code, testing::Not(HasSubstr("scratch")));
  EXPECT_THAT(code, HasSubstr("output[i] = p0[i] * 3.0f * 3.0f * 3.0f;"));
}

TEST(GeneratorsTest, StatementsOtherThanCallsAreErrors) {
  Context context;
  Diagnostics diagnostics;
  const std::string text =
      "from tvm.script import tir as T\n@T.prim_func\ndef f(a: T.Buffer((4,), \"float32\")):\n"
      "    T.func_attr({\"Compiler\": \"npu\", \"global_symbol\": \"f\"})\n    a[0] = "
      "T.float32(1)\n";
  const auto module = ParseModule(context, "test.py", text, nullptr, {}, diagnostics);
  ASSERT_TRUE(module.has_value());
  const ExternalFunction region = ReadExternalFunction(*module, module->functions()[0]);
  for (const char* generator : {"reference", "blas:test"}) {
    const CodeGenerators generators = CodeGenerators::BuiltIn();
    Diagnostics errors;
    EXPECT_FALSE(generators.Find(generator)
                     ->Generate({&region, 1}, GeneratorTarget(generator), errors)
                     .has_value());
    EXPECT_THAT(Render(context.sources(), errors),
                HasSubstr("test.py:3:5: error: cannot generate code for `f`: expected calls of "
                          "operators and nothing else, or a claim; run recognise-ops and "
                          "partition [generator-failed]"));
  }
}

TEST(GeneratorsTest, WithoutABlasTheUserIsTold) {
  Diagnostics diagnostics;
  EXPECT_FALSE(BlasGenerator({.folders = std::vector<std::string>{"/nowhere"}})
                   ->Generate({}, GeneratorTarget("blas"), diagnostics)
                   .has_value());
  ASSERT_EQ(diagnostics.all().size(), 1U);
  EXPECT_EQ(diagnostics.all()[0].kind, DiagnosticKind::kMissingLibrary);
  EXPECT_THAT(diagnostics.all()[0].message, HasSubstr("install libopenblas-dev"));
  const auto named = BlasGenerator({.folders = std::vector<std::string>{"/nowhere"}})
                         ->Generate({}, GeneratorTarget("blas:blis"), diagnostics);
  ASSERT_TRUE(named.has_value());
  EXPECT_THAT(named->link.libraries, testing::ElementsAre("blis"));
}

TEST(GeneratorsTest, ClaimsThatLoopsCannotExpressAreRefused) {
  const auto reason = [](const OpInfo& op) { return CanMakeLoops(op).because; };
  EXPECT_EQ(reason(UnknownOp("a while")), "nothing is proven about it");
  OpInfo op;
  op.kind = "elementwise";
  EXPECT_EQ(reason(op), "its claim has no steps");
  const auto copy = [](int64_t stride, DataType dtype) {
    ClaimMaker claim("layout");
    const int i = claim.Loop("i", 4);
    const int x = claim.Operand(DataType::Float(32), 16);
    const int y = claim.Operand(dtype, 16);
    claim.Store(y, {0, {{i, 1}}}, claim.Read(x, {0, {{i, stride}}}), {i});
    return claim.op;
  };
  EXPECT_EQ(reason(copy(4, DataType::Float(32))), "");
  EXPECT_EQ(reason(copy(4, DataType::Int(32))), "it stores a value of another dtype");
  EXPECT_EQ(reason(copy(INT64_MAX / 2, DataType::Float(32))), "an index that is too large");
  op = copy(4, DataType::Float(32));
  op.computation.stores[0].loops.clear();
  EXPECT_EQ(reason(op), "it uses a loop outside of that loop");
  op = copy(4, DataType::Float(32));
  op.computation.operands[1].index = 0;
  EXPECT_EQ(reason(op), "it overwrites what it reads");
  op.computation.accesses[0] = op.computation.accesses[1];
  EXPECT_EQ(reason(op), "");
}

}  // namespace
}  // namespace tenon
