#include "tests/integration/externals/externals_fixture.h"

// Operators that go to targets: packed constants, failing generators, a user's generator.

namespace tenon {
namespace {

using testing::HasSubstr;
using testing::Not;

using ExternalTargets = ExternalsTest;

/// Two operators, and the entry that calls them.
const std::string kOperatorsInARow = kOperators + R"(
    @T.prim_func
    def __tvm_main__(a: T.Buffer((16,), "float32"), b: T.Buffer((16,), "float32")):
        T.func_attr({"global_symbol": "tvmgen_default___tvm_main__", "runner_function": T.bool(True),
                     "tir.noalias": T.bool(True)})
        s = T.allocate([16], "float32", "global.workspace")
        T.tvm_check_return(0, -1, T.call_extern("int32", "add", a.data, s))
        T.tvm_check_return(0, -1, T.call_extern("int32", "double", s, b.data))
)";

/// Fails, and counts how often it is asked which operators it supports.
class FailingGenerator : public CodeGenerator {
 public:
  explicit FailingGenerator(int& asked) : asked_(asked) {}
  std::string_view name() const override { return "failing"; }
  Support Supports(const OpInfo&, const GeneratorTarget&) const override {
    ++asked_;
    return Support::Yes();
  }
  std::optional<GeneratedCode> Generate(std::span<const ExternalFunction>, const GeneratorTarget&,
                                        Diagnostics& diagnostics) const override {
    diagnostics.Error(DiagnosticKind::kGeneratorFailed, {}, "out of registers");
    return std::nullopt;
  }

 private:
  int& asked_;
};

TEST_F(ExternalTargets, RegionsOfAFailedGeneratorGoToTheNextTargetAndNothingIsFoundAgain) {
  for (const bool has_next : {true, false}) {
    int asked = 0;
    CodeGenerators generators = CodeGenerators::BuiltIn();
    ASSERT_TRUE(generators.Add(std::make_unique<FailingGenerator>(asked)));
    CompileOptions options;
    options.run.generators = &generators;
    options.externals.targets = {"failing"};
    if (has_next) options.externals.targets.emplace_back("reference");
    options.externals.falls_back = true;
    diagnostics_.Clear();
    const std::optional<ExternalModule> made =
        MakeExternals(Parse(kOperatorsInARow), options, "default", diagnostics_);
    ASSERT_TRUE(made.has_value()) << Errors();
    EXPECT_THAT(Errors(), HasSubstr("out of registers [generator-failed]"));
    EXPECT_EQ(asked, 2);
    const std::string text = PrintModule(made->partitioned, {});
    EXPECT_EQ(text.find("\"Compiler\": \"reference\"") != std::string::npos, has_next) << text;
    EXPECT_EQ(text.find("Compiler") != std::string::npos, has_next) << text;
    EXPECT_EQ(text.find("call_extern(\"int32\", \"add\", a.data") == std::string::npos, has_next);
    ASSERT_EQ(made->report.operators.size(), 2u);
    for (const ByocOperator& op : made->report.operators) {
      EXPECT_EQ(op.target, has_next ? "reference" : "host");
      ASSERT_EQ(op.why_not.size(), 1u);
      EXPECT_EQ(op.why_not[0].second, "its code generator failed");
    }
  }
}

/// Whether a claim has a step of that operation.
bool Has(const OpInfo& op, NodeKind node) {
  return std::any_of(
      op.computation.steps.begin(), op.computation.steps.end(),
      [&](const Step& step) { return step.kind == StepKind::kNode && step.node == node; });
}

/// Fails, and only supports `double`.
class FailingForProducts : public FailingGenerator {
 public:
  using FailingGenerator::FailingGenerator;
  Support Supports(const OpInfo& op, const GeneratorTarget&) const override {
    return Has(op, NodeKind::kMul) ? Support::Yes() : Support::No("no product");
  }
};

/// Generates no code, and counts how often it is asked for code.
class CountingGenerator : public CodeGenerator {
 public:
  CountingGenerator(int& made, bool takes_products)
      : made_(made), takes_products_(takes_products) {}
  std::string_view name() const override { return "counting"; }
  Support Supports(const OpInfo& op, const GeneratorTarget&) const override {
    return takes_products_ || !Has(op, NodeKind::kMul) ? Support::Yes() : Support::No("a product");
  }
  std::optional<GeneratedCode> Generate(std::span<const ExternalFunction> functions,
                                        const GeneratorTarget&, Diagnostics&) const override {
    ++made_;
    GeneratedCode code;
    for (const ExternalFunction& external : functions)
      code.functions.emplace_back().symbol = std::string(external.function.global_symbol());
    return code;
  }

 private:
  int& made_;
  bool takes_products_;
};

TEST_F(ExternalTargets, NoGeneratorMakesCodeAgainAfterAnotherOneFailed) {
  for (const bool failing_first : {true, false}) {
    int asked = 0;
    int made_by_counting = 0;
    CodeGenerators generators = CodeGenerators::BuiltIn();
    ASSERT_TRUE(generators.Add(std::make_unique<FailingForProducts>(asked)));
    ASSERT_TRUE(
        generators.Add(std::make_unique<CountingGenerator>(made_by_counting, failing_first)));
    CompileOptions options;
    options.run.generators = &generators;
    // Either `counting` or `reference` gets the functions that `failing` cannot generate.
    options.externals.targets = failing_first
                                    ? std::vector<std::string>{"failing", "counting"}
                                    : std::vector<std::string>{"counting", "failing", "reference"};
    options.externals.falls_back = true;
    diagnostics_.Clear();
    const std::optional<ExternalModule> made =
        MakeExternals(Parse(kOperatorsInARow), options, "default", diagnostics_);
    ASSERT_TRUE(made.has_value()) << Errors();
    EXPECT_EQ(made_by_counting, 1);
    ASSERT_EQ(made->report.operators.size(), 2u);
    EXPECT_EQ(made->report.operators[0].target, "counting");
    EXPECT_EQ(made->report.operators[1].target, failing_first ? "counting" : "reference");
  }
}

/// A model of one operator, for targets: y = x * w.
constexpr const char* kScale = R"(
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def scale(x: T.Buffer((4,), "float32"), y: T.Buffer((4,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        w = T.allocate_const([1, 2, 3, 4], "float32", [4])
        w_1 = T.Buffer((4,), data=w)
        for i in range(4):
            y[i] = x[i] * w_1[i]

    @T.prim_func
    def __tvm_main__(x: T.Buffer((4,), "float32"), y: T.Buffer((4,), "float32")):
        T.func_attr({"global_symbol": "tvmgen_default___tvm_main__", "tir.noalias": T.bool(True)})
        T.evaluate(T.call_extern("int32", "scale", x.data, y.data))
)";

/// Reverses the order of constants of floats.
class ReversingUpdater : public ConstantUpdater {
 public:
  std::string_view name() const override { return "test"; }
  std::optional<ConstantUpdate> Update(const Function&, std::span<const FunctionConstant> constants,
                                       Diagnostics&) const override {
    ConstantUpdate update;
    for (size_t i = 0; i < constants.size(); ++i) {
      const std::span<const uint8_t> bytes = *constants[i].constant->Bytes();
      std::vector<uint8_t> reversed;
      for (size_t at = bytes.size(); at >= 4; at -= 4) {
        for (size_t j = at - 4; j < at; ++j) reversed.push_back(bytes[j]);
      }
      UpdatedConstant& made = update.constants.emplace_back();
      made.name = "reversed";
      made.dtype = constants[i].constant->dtype();
      made.shape = constants[i].constant->shape();
      made.SetBytes(std::move(reversed));
      made.replaces = i;
    }
    return update;
  }
};

/// A generator that packs constants.
class PackingGenerator : public TestGenerator {
 public:
  using TestGenerator::TestGenerator;
  const ConstantUpdater* updater(const GeneratorTarget&) const override { return &updater_; }

 private:
  ReversingUpdater updater_;
};

/// Code of one function that multiplies with reversed constants.
std::optional<GeneratedCode> ScaleCode(std::span<const ExternalFunction> functions, Diagnostics&) {
  GeneratedCode code;
  const std::string symbol(functions[0].function.name.view());
  code.functions.emplace_back().symbol = symbol;
  code.sources.push_back(
      {"scale.c", "#include <stdint.h>\nint32_t " + symbol +
                      "(const float* x, float* y, const float* w) {\n"
                      "  for (int i = 0; i < 4; ++i) y[i] = x[i] * w[3 - i];\n  return 0;\n}\n"});
  return code;
}

TEST_F(ExternalTargets, BodiesKnowConstantsThatAreNotPacked) {
  CodeGenerators generators;
  generators.Add(std::make_unique<PackingGenerator>(ScaleCode));
  const IRModule module = Parse(kScale);
  Diagnostics diagnostics;
  const std::optional<EntrySignature> signature = ReadEntrySignature(module, diagnostics);
  for (const ExternalsUse use : {ExternalsUse::kCall, ExternalsUse::kBody, ExternalsUse::kBoth}) {
    EngineOptions how;
    how.compile.run.generators = &generators;
    how.compile.externals.targets = {"test"};
    how.compile.externals.use = use;
    const std::unique_ptr<RunnableModel> model =
        CEngine().load(module, *signature, how, diagnostics);
    ASSERT_NE(model, nullptr) << Render(context_.sources(), diagnostics);
    const std::vector<float> inputs = {1, 1, 1, 1};
    TensorValues values = {std::string(reinterpret_cast<const char*>(inputs.data()), 16), {}};
    Runs runs;
    EXPECT_TRUE(model->Run(values, runs, diagnostics)) << Render(context_.sources(), diagnostics);
    std::vector<float> results(4);
    std::memcpy(results.data(), values[1].data(), 16);
    EXPECT_EQ(results, (std::vector<float>{1, 2, 3, 4}));
  }
}

TEST_F(ExternalTargets, TextFromBeforePackingBuildsTheSame) {
  CodeGenerators generators;
  generators.Add(std::make_unique<PackingGenerator>(ScaleCode));
  CompileOptions options;
  options.run.generators = &generators;
  options.externals.targets = {"test"};
  const std::optional<Artifacts> direct = Build(Parse(kScale), options);
  ASSERT_TRUE(direct.has_value()) << Errors();
  Pipeline cutting;
  cutting.Add<&RecogniseOps>()
      .Add<&AnnotateTargets>({.targets = "test"})
      .Add<&MergeRegions>()
      .Add<&Partition>({.name = "default", .bind_constants = "inside"});
  const std::optional<IRModule> cut =
      RunPipeline(Parse(kScale), cutting, options.run, diagnostics_);
  ASSERT_TRUE(cut.has_value()) << Errors();
  const std::string text = PrintModule(*cut, {});
  for (const bool names_target : {true, false}) {
    if (!names_target) options.externals.targets.clear();
    const std::optional<Artifacts> again = Build(Parse(text), options);
    ASSERT_TRUE(again.has_value()) << Errors();
    ASSERT_EQ(again->files.size(), direct->files.size());
    for (size_t i = 0; i < again->files.size(); ++i)
      EXPECT_EQ(again->files[i].file.text, direct->files[i].file.text) << names_target;
  }
}

TEST_F(ExternalTargets, OperatorsOfAFailedGeneratorGoToTheirNextTarget) {
  class Failing : public TestGenerator {
   public:
    Failing()
        : TestGenerator([](std::span<const ExternalFunction>,
                           Diagnostics&) -> std::optional<GeneratedCode> { return std::nullopt; }) {
    }
    std::string_view name() const override { return "first"; }
  };
  CodeGenerators generators;
  generators.Add(std::make_unique<Failing>());
  generators.Add(std::make_unique<PackingGenerator>(ScaleCode));
  CompileOptions options;
  options.run.generators = &generators;
  options.externals.targets = {"first", "test"};
  options.externals.falls_back = true;
  const std::optional<ExternalModule> external =
      MakeExternals(Parse(kScale), options, "default", diagnostics_);
  ASSERT_TRUE(external.has_value()) << Errors();
  EXPECT_EQ(ByocSummary(external->report), "first: 0 of 1 operators; test: 1 of 1 operators");
  EXPECT_EQ(ByocText(external->report),
            "scale -> test: elementwise, 4 elements; not first: its code generator failed\n"
            "share of test: 1 of 1 operators\n"
            "share of host: 0 of 1 operators\n");
  EXPECT_THAT(Errors(), HasSubstr("made no code and gave no reason [generator-failed]"));
  EXPECT_THAT(Errors(), Not(HasSubstr("nothing-offloaded")));
}

// docs/internals/adding.md contains this class, with its comments.
constexpr const char* kKernel = R"(#include <stdint.h>
int32_t my_relu(const float* x, float* y, int32_t count);
int32_t my_relu(const float* x, float* y, int32_t count) {
  for (int32_t i = 0; i < count; ++i) y[i] = x[i] > 0 ? x[i] : 0;
  return 0;
}
)";

class ReluGenerator : public CodeGenerator {
 public:
  std::string_view name() const override { return "relu"; }

  Support Supports(const OpInfo& op, const GeneratorTarget&) const override {
    // Three steps: x is read, 0 is a constant, and their maximum is stored.
    const Computation& all = op.computation;
    const bool is_maximum =
        op.kind == "elementwise" && all.operands.size() == 2 && all.stores.size() == 1 &&
        all.steps.size() == 3 && all.steps[2].kind == StepKind::kNode &&
        all.steps[2].node == NodeKind::kMax && all.steps[2].dtype == DataType::Float(32);
    const auto is_zero = [](const Step& step) {
      return step.kind == StepKind::kReal && step.real == 0;
    };
    if (!is_maximum || std::none_of(all.steps.begin(), all.steps.end(), is_zero))
      return Support::No("not a relu of floats");
    // Every element is written where it was read, and the elements are dense.
    const bool is_dense =
        all.accesses.size() == 2 && all.accesses[0].element == all.accesses[1].element &&
        all.operands[0].elements == op.elements && all.operands[1].elements == op.elements;
    const bool is_forward = all.accesses[static_cast<size_t>(all.stores[0].access)].operand == 1;
    return is_dense && is_forward ? Support::Yes() : Support::No("not element by element");
  }

  std::optional<GeneratedCode> Generate(std::span<const ExternalFunction> functions,
                                        const GeneratorTarget&,
                                        Diagnostics& diagnostics) const override {
    // A call replaces one operator. Operands are those of the claim, in order.
    const auto make = [](NodeBuilder& builder, const OperatorToMake& op) -> const Stmt* {
      return CheckedCall(
          builder, "my_relu",
          {op.operands[0]->data, op.operands[1]->data, builder.Int(op.info.elements)});
    };
    // The letters say what the call does with each argument: it reads x, and writes y.
    auto bodies = MakeExternalBodies(functions, {.externs = {{"my_relu", {"r", "w", ""}}}}, make,
                                     diagnostics);
    if (!bodies) return std::nullopt;
    GeneratedCode code;
    code.functions = std::move(bodies->functions);
    code.tir = std::move(bodies->tir);
    code.sources = {{"my_relu.c", kKernel}};
    return code;
  }
};

/// `relu` of 16 floats, and similar operators that do not match.
constexpr const char* kRelu = R"(
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def least(x: T.Buffer((16,), "float32"), y: T.Buffer((16,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i in range(16):
            y[i] = T.max(x[i], T.float32(-1))

    @T.prim_func(private=True)
    def relu(x: T.Buffer((16,), "float32"), y: T.Buffer((16,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i in range(16):
            y[15 - i] = T.max(x[15 - i], T.float32(0))

    @T.prim_func(private=True)
    def some(x: T.Buffer((16,), "float32"), y: T.Buffer((16,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i in range(8):
            y[i * 2] = T.max(x[i * 2], T.float32(0))
        for i in range(8):
            y[i * 2 + 1] = T.float32(7)

    @T.prim_func
    def __tvm_main__(a: T.Buffer((16,), "float32"), b: T.Buffer((16,), "float32")):
        T.func_attr({"global_symbol": "tvmgen_default___tvm_main__", "runner_function": T.bool(True),
                     "tir.noalias": T.bool(True)})
        s = T.allocate([16], "float32", "global.workspace")
        t = T.allocate([16], "float32", "global.workspace")
        T.tvm_check_return(0, -1, T.call_extern("int32", "least", a.data, s))
        T.tvm_check_return(0, -1, T.call_extern("int32", "relu", s, t))
        T.tvm_check_return(0, -1, T.call_extern("int32", "some", t, b.data))
)";

TEST_F(ExternalTargets, GeneratorOfTheDocuments) {
  CodeGenerators generators;
  ASSERT_TRUE(generators.Add(std::make_unique<ReluGenerator>()));
  CompileOptions options;
  options.run.generators = &generators;
  options.externals.targets = {"relu"};
  options.externals.use = ExternalsUse::kBoth;
  const std::optional<ExternalModule> made =
      MakeExternals(Parse(kRelu), options, "default", diagnostics_);
  ASSERT_TRUE(made.has_value()) << Errors();
  EXPECT_THAT(ByocText(made->report), HasSubstr("least -> host"));
  EXPECT_THAT(ByocText(made->report), HasSubstr("relu -> relu: elementwise"));
  EXPECT_THAT(ByocText(made->report), HasSubstr("some -> host"));
  std::vector<const Engine*> engines = {&CEngine()};
#ifdef TENON_HAS_LLVM
  engines.push_back(&JitEngine());
#endif
  for (const Engine* engine : engines) {
    std::vector<float> results;
    EXPECT_EQ(RunBy(*engine, options, results, 1, kRelu), "");
    ASSERT_EQ(results.size(), 16u);
    EXPECT_EQ(results[2], 3);
    EXPECT_EQ(results[3], 7);
  }
}

/// One operator, and the entry that calls it.
const std::string kOneOperator = R"(
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def double(x: T.Buffer((16,), "float32"), y: T.Buffer((16,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i in range(16):
            y[i] = x[i] * T.float32(2)

    @T.prim_func
    def __tvm_main__(a: T.Buffer((16,), "float32"), b: T.Buffer((16,), "float32")):
        T.func_attr({"global_symbol": "tvmgen_default___tvm_main__", "runner_function": T.bool(True),
                     "tir.noalias": T.bool(True)})
        T.tvm_check_return(0, -1, T.call_extern("int32", "double", a.data, b.data))
)";

using Externs = std::vector<std::pair<std::string_view, std::vector<std::string_view>>>;

/// Makes each operator a call of `kernel(x, y, 16)`. Its C is a loop that computes `double`, and
/// then the text. Of the first 16 elements the loop leaves out `skipped`; `calls` counts from 1.
TestGenerator::Answer Kernel(const std::string& text, Externs externs = {{"kernel", {"r", "w"}}},
                             const std::string& skipped = "0") {
  return [text, skipped, externs = std::move(externs)](
             std::span<const ExternalFunction> functions,
             Diagnostics& diagnostics) -> std::optional<GeneratedCode> {
    const auto make = [](NodeBuilder& builder, const OperatorToMake& op) {
      return CheckedCall(
          builder, "kernel",
          {op.operands[0]->data, op.operands[1]->data, builder.Int(op.info.elements)});
    };
    auto bodies = MakeExternalBodies(functions, {.externs = externs}, make, diagnostics);
    if (!bodies) return std::nullopt;
    GeneratedCode code;
    code.functions = std::move(bodies->functions);
    code.tir = std::move(bodies->tir);
    code.sources = {{"kernel.c", fmt::format(R"(#include <math.h>
#include <stdint.h>
#include <stdlib.h>
int32_t kernel(float* x, float* y, int32_t n);
int32_t kernel(float* x, float* y, int32_t n) {{
  static int32_t calls;
  ++calls;
  for (int32_t i = 0; i < n - ({}); ++i) y[i] = x[i] * 2;
  {}
}}
)",
                                             skipped, text)}};
    return code;
  };
}

class ExternalKernels : public ExternalsTest {
 protected:
  CompileOptions KernelOptions(TestGenerator::Answer answer) {
    CompileOptions options = Options(std::move(answer));
    options.externals.targets = {"test"};
    options.externals.use = ExternalsUse::kBoth;
    return options;
  }
  /// The output of a run of the kernel, in every engine.
  std::string Said(const std::string& kernel, const std::string& module = kOneOperator) {
    const CompileOptions options = KernelOptions(Kernel(kernel));
    std::vector<float> results;
    std::string said = RunBy(CEngine(), options, results, 1, module);
#ifdef TENON_HAS_LLVM
    EXPECT_EQ(RunBy(JitEngine(), options, results, 1, module), said);
#endif
    return said;
  }
};

TEST_F(ExternalKernels, EffectsOfCallsInTirHaveToBeThoseOfTheBody) {
  const auto expect = [&](Externs externs, std::string_view message) {
    const CompileOptions options = KernelOptions(Kernel("return 0;", std::move(externs)));
    EXPECT_FALSE(Build(Parse(kOneOperator), options).has_value()) << message;
    EXPECT_THAT(Errors(), HasSubstr(std::string(message)));
    EXPECT_THAT(Errors(), HasSubstr("[generator-effects]"));
    EXPECT_THAT(Errors(), testing::StartsWith("test.py:14:9: error:"));
  };
  expect({{"kernel", {"w", "r"}}},
         "declares `w` for argument 1 of `kernel`, and the body of `tvmgen_default_test_main_0` "
         "only reads that memory, `test_0_i0`; expected `r`");
  expect({{"kernel", {"r", "r"}}},
         "declares `r` for argument 2 of `kernel`, and the body of `tvmgen_default_test_main_0` "
         "writes that memory, `test_0_o0`; expected `w`");
  expect({{"kernel", {"rw", "w"}}}, "declares `rw` for argument 1 of `kernel`");
  expect({{"kernel", {"r", "q"}}},
         "declares `q` for argument 2 of `kernel`, expected `r`, `w`, `rw`, `o`");
  expect({{"kernel", {}}}, "declares nothing for argument 1 of `kernel`, a pointer to `p0`");
  expect({{"kernel", {"r"}}}, "declares nothing for argument 2 of `kernel`, a pointer to `p1`");
  expect({{"kernel", {"r", "w", "r"}}},
         "declares `r` for argument 3 of `kernel`, which is a number; expected nothing");
  expect({{"kernel", {"r", "w", "", ""}}}, "declares 4 arguments of `kernel` and calls it with 3");
  expect({{"kernels", {"r", "w"}}},
         "calls `kernel` and does not declare what that does to memory; expected it in `externs`, "
         "which has `kernels`");
  expect({}, "calls `kernel` and does not declare what that does to memory");
  for (const char* letters : {"w", "o", "rw"}) {
    const CompileOptions options =
        KernelOptions(Kernel("return 0;", {{"kernel", {"r", letters, ""}}, {"unused", {"w"}}}));
    EXPECT_TRUE(Build(Parse(kOneOperator), options).has_value()) << Errors();
  }
}

TEST_F(ExternalKernels, ReturnTheirStatus) {
  EXPECT_EQ(Said("return 0;"), "");
  EXPECT_THAT(Said("return 7;"), HasSubstr("`tvmgen_default_run` returned -1"));
}

TEST_F(ExternalKernels, HaveToBeMade) {
  const auto nothing = [](std::span<const ExternalFunction> functions, Diagnostics& diagnostics) {
    const auto make = [](NodeBuilder&, const OperatorToMake&) -> const Stmt* { return nullptr; };
    auto bodies = MakeExternalBodies(functions, {}, make, diagnostics);
    return bodies ? std::optional<GeneratedCode>(GeneratedCode()) : std::nullopt;
  };
  EXPECT_FALSE(Build(Parse(kOneOperator), KernelOptions(nothing)).has_value());
  EXPECT_THAT(Errors(), HasSubstr("`tvmgen_default_test_main_0`: `double`: the code generator made "
                                  "no statements and gave no reason"));
}

TEST_F(ExternalKernels, LeaveTheirInputsAsTheyAre) {
  EXPECT_THAT(Said("x[5] = 77; return 0;"),
              HasSubstr("the code of `tvmgen_default_test_main_0` for `test` changes its input "
                        "`test_0_i0`: element [5] is 77, expected 6 as before the call"));
  // A difference that would be small enough for a result.
  EXPECT_THAT(Said("x[5] *= 1.000001f; return 0;"),
              HasSubstr("changes its input `test_0_i0`: byte 20"));
}

TEST_F(ExternalKernels, WriteNothingOutsideOfTheirResults) {
  for (const auto& [place, byte] : {std::pair(16, 64), std::pair(200, 800), std::pair(-1, -1)}) {
    EXPECT_THAT(Said(fmt::format("y[{}] = 3; return 0;", place)),
                HasSubstr(fmt::format("writes outside of `test_0_o0`: it has 64 bytes, and byte {} "
                                      "was written",
                                      byte)));
  }
}

TEST_F(ExternalKernels, WriteAllOfTheirResults) {
  // The first run leaves the right value where the second one writes nothing.
  const CompileOptions options =
      KernelOptions(Kernel("return 0;", {{"kernel", {"r", "w"}}}, "calls > 1 ? 1 : 0"));
  std::vector<float> results;
  EXPECT_EQ(RunBy(CEngine(), options, results, 1, kOneOperator), "");
  EXPECT_THAT(RunBy(CEngine(), options, results, 2, kOneOperator),
              HasSubstr("expected 32 as its body gives; 1 of 16 elements differ"));
}

TEST_F(ExternalKernels, DifferByNoNumberFromNaN) {
  EXPECT_THAT(Said("y[3] = NAN; return 0;"),
              HasSubstr("element [3] is nan, expected 8 as its body gives; 1 of 16 elements "
                        "differ; it calls"));
}

TEST_F(ExternalKernels, AreNamedWithTheirOperatorsAndTypes) {
  const std::string said = Said("y[1] = 0; return 0;");
  EXPECT_THAT(said, HasSubstr("1 of 16 elements differ, by 4 at most; it calls `int32_t "
                              "kernel(const float*, float*, int32_t)`"));
  EXPECT_THAT(said, Not(HasSubstr("tenon.offload")));
  EXPECT_THAT(Said("return 0;", kOperatorsInARow),
              HasSubstr("it computes `add`, `double`: the attribute `\"tenon.offload\": \"host\"` "
                        "excludes an operator from it"));
}

TEST_F(ExternalKernels, AreNamedWhenTheyCrash) {
  const auto run = [&](const Engine& engine) {
    std::vector<float> results;
    RunBy(engine, KernelOptions(Kernel("abort(); return 0;")), results, 1, kOneOperator);
  };
  constexpr const char* kLine =
      "error: the program crashed in the code of `tvmgen_default_test_main_0` for `test`";
  EXPECT_EXIT(run(CEngine()), testing::KilledBySignal(SIGABRT), kLine);
#ifdef TENON_HAS_LLVM
  EXPECT_EXIT(run(JitEngine()), testing::KilledBySignal(SIGABRT), kLine);
#endif
}

}  // namespace
}  // namespace tenon
