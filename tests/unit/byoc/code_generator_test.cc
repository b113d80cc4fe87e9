#include "byoc/code_generator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "byoc/known_passes.h"
#include "ir/attributes.h"
#include "parser/parser.h"
#include "passes/pipeline/runner.h"
#include "printer/printer.h"

// A user's generator, as the region passes call it.

namespace tenon {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

/// A generator whose answers are functions that a test sets.
class TestGenerator : public CodeGenerator {
 public:
  std::string_view name() const override { return "test"; }
  Support Supports(const OpInfo& op, const GeneratorTarget& target) const override {
    return supports(op, target);
  }
  Support AcceptsRegion(const Region& region, const GeneratorTarget& target) const override {
    return accepts ? accepts(region) : CodeGenerator::AcceptsRegion(region, target);
  }
  int64_t min_macs() const override { return least_macs; }
  ConstantsAs constants(const GeneratorTarget&) const override { return ConstantsAs::kInside; }
  absl::StatusOr<IRModule> Optimize(const IRModule& module, const GeneratorTarget&) const override {
    return optimize ? optimize(module) : module;
  }
  std::optional<GeneratedCode> Generate(std::span<const ExternalFunction>, const GeneratorTarget&,
                                        Diagnostics&) const override {
    return GeneratedCode();
  }

  std::function<Support(const OpInfo&, const GeneratorTarget&)> supports =
      [](const OpInfo&, const GeneratorTarget&) { return Support::Yes(); };
  std::function<Support(const Region&)> accepts;
  std::function<absl::StatusOr<IRModule>(const IRModule&)> optimize;
  int64_t least_macs = 0;
};

constexpr char kText[] = R"(
@I.ir_module
class Module:
    @T.prim_func
    def float_op(x: T.Buffer((4,), "float32"), y: T.Buffer((4,), "float32")):
        T.func_attr({"tenon.op": {"kind": "elementwise", "elements": 4}})
        for i in range(4):
            y[i] = x[i] + T.float32(1)

    @T.prim_func
    def conv(x: T.Buffer((4,), "float32"), w: T.Buffer((4,), "float32"), y: T.Buffer((4,), "float32")):
        T.func_attr({"tenon.op": {"kind": "conv2d", "macs": 100, "elements": 4}})
        for i in range(4):
            y[i] = x[i] * w[i]

    @T.prim_func
    def main(x: T.Buffer((4,), "float32"), y: T.Buffer((4,), "float32")):
        a = T.allocate([4], "float32", "global")
        b = T.allocate([16], "float32", "global")
        c = T.Buffer((16,), "float32", data=b)
        w = T.allocate_const([1.0, 2.0, 3.0, 4.0], "float32", [4])
        T.call_extern("int32", "float_op", x.data, a)
        T.call_extern("int32", "conv", a, w, T.address_of(c[4]))
        T.call_extern("int32", "float_op", T.address_of(c[4]), y.data)
)";

class CodeGeneratorTest : public testing::Test {
 protected:
  CodeGeneratorTest() {
    auto owned = std::make_unique<TestGenerator>();
    generator = owned.get();
    EXPECT_TRUE(generators.Add(std::move(owned)));
  }

  std::optional<IRModule> Run(std::string_view passes, std::string_view text = kText) {
    const std::optional<IRModule> module =
        ParseModule(context, "test.py", text, nullptr, {}, diagnostics);
    EXPECT_TRUE(module.has_value()) << Render(context.sources(), diagnostics);
    const auto pipeline = ParsePipeline(context, passes, KnownPasses(), diagnostics);
    RunOptions options;
    options.generators = &generators;
    return RunPipeline(*module, *pipeline, options, diagnostics);
  }

  Context context;
  Diagnostics diagnostics;
  CodeGenerators generators;
  TestGenerator* generator = nullptr;
};

TEST_F(CodeGeneratorTest, TargetHasAGeneratorAndAnInstance) {
  const GeneratorTarget target("npu:1");
  EXPECT_EQ(target.generator, "npu");
  EXPECT_EQ(target.instance, "1");
  EXPECT_EQ(GeneratorTarget("npu").instance, "");
  EXPECT_EQ(generators.Find("test:7"), generator);
  EXPECT_EQ(generators.Find("tests"), nullptr);
  EXPECT_FALSE(generators.Add(std::make_unique<TestGenerator>()));
  EXPECT_THAT(generators.Names(), ElementsAre("test"));
}

TEST_F(CodeGeneratorTest, HostFactsAreText) {
  HostFacts facts;
  EXPECT_EQ(facts.ToString(), "");
  EXPECT_EQ(HostFacts::Parse(""), facts);
  facts = {"llvm", "znver4", 64, true, true};
  EXPECT_EQ(facts.ToString(), "llvm,vector:64,optimised,contract,cpu:znver4");
  EXPECT_EQ(HostFacts::Parse(facts.ToString()), facts);
  for (const char* text : {"fortran", "vector:", "vector:-1", "vector:6x", "cpus"})
    EXPECT_EQ(HostFacts::Parse(text), std::nullopt) << text;
}

TEST_F(CodeGeneratorTest, GeneratorsKnowTheHost) {
  std::vector<std::string> hosts;
  generator->supports = [&](const OpInfo&, const GeneratorTarget& target) {
    hosts.push_back(target.host.ToString());
    return Support::Yes();
  };
  EXPECT_TRUE(Run("annotate-targets{targets=test trust=true host=llvm,vector:32}").has_value());
  EXPECT_THAT(hosts, ElementsAre("llvm,vector:32", "llvm,vector:32"));
}

TEST_F(CodeGeneratorTest, ReasonOfARefusalIsWrittenDown) {
  generator->supports = [](const OpInfo& op, const GeneratorTarget& target) {
    EXPECT_EQ(target.may_reassociate, target.instance != "strict");
    return op.kind == "conv2d" ? Support::Yes() : Support::No("no " + op.kind);
  };
  const auto module = Run("annotate-targets{targets=test trust=true}");
  ASSERT_TRUE(module.has_value());
  const std::string text = PrintModule(*module);
  EXPECT_THAT(text, HasSubstr("\"tenon.why_not\": {\"test\": \"no elementwise\"}"));
  EXPECT_THAT(text, HasSubstr("\"tenon.targets\": [\"test\"]"));
  EXPECT_TRUE(Run("annotate-targets{targets=test:strict trust=true floats=bitwise}").has_value());
}

/// The sum of products of the two integers `left` and `right`.
std::string DenseOf(const std::string& name, const std::string& left, const std::string& right) {
  return "    @T.prim_func\n    def " + name +
         R"((x: T.Buffer((8,), "int16"), w: T.Buffer((4, 8), "int8"), y: T.Buffer((4,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i in range(4):
            y[i] = 0
            for k in range(8):
                y[i] = y[i] + )" +
         left + " * " + right + "\n\n";
}

TEST_F(CodeGeneratorTest, AGeneratorMayRefuseZeroPoints) {
  generator->supports = [](const OpInfo& op, const GeneratorTarget&) {
    return HasPlainFactors(op) ? Support::Yes() : Support::No("a zero point");
  };
  const std::string x = "T.Cast(\"int32\", x[k])";
  const std::string w = "T.Cast(\"int32\", w[i, k])";
  const auto module =
      Run("recognise-ops,annotate-targets{targets=test trust=true}",
          "@I.ir_module\nclass Module:\n" + DenseOf("of_input", "(" + x + " - 5)", w) +
              DenseOf("of_weights", x, "(" + w + " - 2)") + DenseOf("plain", x, w) +
              "    @T.prim_func\n    def main():\n        T.evaluate(0)\n");
  ASSERT_TRUE(module.has_value());
  for (const char* name : {"of_input", "of_weights", "plain"}) {
    const Function* function = module->Find(context.Intern(name));
    ASSERT_NE(function, nullptr);
    EXPECT_EQ(ReadOpInfo(*function)->kind, "dense") << name;
    EXPECT_EQ(function->FindAttr(attr_key::kTargets) != nullptr, name == std::string("plain"));
  }
}

TEST_F(CodeGeneratorTest, RegionIsTriedWithoutItsLastOperator) {
  std::vector<size_t> sizes;
  generator->accepts = [&](const Region& region) {
    EXPECT_EQ(region.function, "main");
    EXPECT_EQ(region.macs(), region.ops.size() > 1 ? 100 : 0);
    sizes.push_back(region.ops.size());
    // x comes in; y, or the part of `b` that the host reads, goes out. Weights do not count.
    EXPECT_EQ(region.input_bytes, 16);
    EXPECT_EQ(region.output_bytes, region.ops.size() == 3 ? 16 : 64);
    return region.ops.size() == 2 ? Support::Yes() : Support::No("not two");
  };
  const auto module = Run("annotate-targets{targets=test trust=true},merge-regions");
  ASSERT_TRUE(module.has_value());
  EXPECT_THAT(sizes, ElementsAre(3, 2));
  EXPECT_THAT(PrintModule(*module), HasSubstr("T.attr(\"test: not two\", \"tenon.region\", "
                                              "\"host\")"));
}

TEST_F(CodeGeneratorTest, RegionThatNobodyAcceptsIsTheHosts) {
  generator->accepts = [](const Region&) { return Support::No("not today"); };
  const auto module = Run("annotate-targets{targets=test:a,test:b trust=true},merge-regions");
  ASSERT_TRUE(module.has_value());
  const std::string text = PrintModule(*module);
  EXPECT_THAT(text, HasSubstr("\"test:a: not today; test:b: not today\""));
  EXPECT_THAT(text, Not(HasSubstr("\"tenon.region\", \"test")));
}

TEST_F(CodeGeneratorTest, GeneratorSaysHowManyMultiplicationsItWants) {
  generator->least_macs = 101;
  EXPECT_THAT(PrintModule(*Run("annotate-targets{targets=test trust=true},merge-regions")),
              HasSubstr("test: below min-macs"));
  EXPECT_THAT(
      PrintModule(*Run("annotate-targets{targets=test trust=true},merge-regions{min-macs=100}")),
      Not(HasSubstr("below min-macs")));
}

TEST_F(CodeGeneratorTest, OptimizeChangesTheFunctionsOfItsTarget) {
  generator->optimize = [&](const IRModule& part) -> absl::StatusOr<IRModule> {
    // Two external functions, and their callees.
    EXPECT_EQ(part.functions().size(), 4u);
    const auto pipeline = ParsePipeline(context, "simplify", diagnostics);
    return *RunPipeline(part, *pipeline, {}, diagnostics);
  };
  constexpr char kSum[] = R"(
@I.ir_module
class Module:
    @T.prim_func
    def two(y: T.Buffer((1,), "int32")):
        T.func_attr({"tenon.op": {"kind": "elementwise"}, "tenon.targets": ["test"]})
        for i in range(1):
            y[i] = T.min(i, 7)

    @T.prim_func
    def three(y: T.Buffer((1,), "int32")):
        T.func_attr({"tenon.op": {"kind": "elementwise"}, "tenon.targets": ["test"]})
        for i in range(1):
            y[i] = T.min(i, 8)

    @T.prim_func
    def host(y: T.Buffer((1,), "int32")):
        for i in range(1):
            y[i] = T.min(i, 9)

    @T.prim_func
    def main(x: T.Buffer((1,), "int32"), y: T.Buffer((1,), "int32"), z: T.Buffer((1,), "int32")):
        T.call_extern("int32", "two", x.data)
        T.call_extern("int32", "three", y.data)
        T.call_extern("int32", "host", z.data)
)";
  const auto module = Run("merge-regions,partition", kSum);
  ASSERT_TRUE(module.has_value());
  const std::string text = PrintModule(*module);
  EXPECT_THAT(text, Not(HasSubstr("T.min(i, 7)")));
  EXPECT_THAT(text, Not(HasSubstr("T.min(i, 8)")));
  EXPECT_THAT(text, HasSubstr("T.min(i, 9)"));
}

TEST_F(CodeGeneratorTest, FailureOfOptimizeIsAnError) {
  generator->optimize = [](const IRModule&) -> absl::StatusOr<IRModule> {
    return absl::InternalError("out of luck");
  };
  EXPECT_FALSE(Run("annotate-targets{targets=test trust=true},merge-regions,partition"));
  ASSERT_FALSE(diagnostics.all().empty());
  EXPECT_EQ(diagnostics.all()[0].kind, DiagnosticKind::kGeneratorFailed);
  EXPECT_THAT(diagnostics.all()[0].message, HasSubstr("out of luck"));
}

TEST_F(CodeGeneratorTest, ExternalFunctionHasItsCallsWithWhereTheirArgumentsPoint) {
  const auto module = Run("annotate-targets{targets=test trust=true},merge-regions,partition");
  ASSERT_TRUE(module.has_value());
  const Function* function = module->Find(context.Intern("tvmgen_default_test_main_0"));
  ASSERT_NE(function, nullptr);
  const ExternalFunction external = ReadExternalFunction(*module, *function);
  ASSERT_TRUE(external.ops.has_value());
  ASSERT_EQ(external.ops->size(), 3u);
  EXPECT_EQ(external.intermediates.size(), 2u);
  ASSERT_EQ(external.constants.size(), 1u);
  EXPECT_EQ(external.constants[0].variable, "w");
  using enum OpArgument::Kind;
  const OpCall& first = (*external.ops)[0];
  EXPECT_EQ(first.op.name, "float_op");
  EXPECT_EQ(first.op.info.kind, "elementwise");
  EXPECT_EQ(first.args[0].kind, kParameter);
  EXPECT_EQ(first.args[0].index, 0);
  EXPECT_EQ(first.args[1].kind, kIntermediate);
  const OpCall& conv = (*external.ops)[1];
  EXPECT_EQ(conv.args[0].kind, kIntermediate);
  EXPECT_EQ(conv.args[0].index, first.args[1].index);
  EXPECT_EQ(conv.args[1].kind, kConstant);
  EXPECT_EQ(conv.args[2].kind, kIntermediate);
  EXPECT_EQ(conv.args[2].offset, 16);
  EXPECT_EQ((*external.ops)[2].args[1].index, 1);
  const ExternalFunction other =
      ReadExternalFunction(*module, *module->Find(context.Intern("conv")));
  EXPECT_FALSE(other.ops.has_value());
}

}  // namespace
}  // namespace tenon
