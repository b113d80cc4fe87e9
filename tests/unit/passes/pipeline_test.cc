#include "passes/pipeline/pipeline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "byoc/known_passes.h"
#include "ir/builder.h"
#include "ir/storage_defaults.h"
#include "passes/cleanup/remove_no_op.h"
#include "passes/cleanup/simplify.h"
#include "passes/constants/compress_constants.h"
#include "passes/lowering/convert_for_loops_to_serial.h"
#include "passes/lowering/lower_vectors.h"
#include "passes/memory/assign_pool_info.h"
#include "passes/memory/limit_stack.h"
#include "passes/memory/plan_memory.h"
#include "passes/pipeline/default_pipelines.h"
#include "passes/pipeline/runner.h"

namespace tenon {
namespace {

using testing::HasSubstr;

/// The errors of parsing a pipeline, as a user sees them.
std::string Errors(std::string_view text) {
  Context context;
  Diagnostics diagnostics;
  const std::optional<Pipeline> pipeline = ParsePipeline(context, text, diagnostics);
  EXPECT_EQ(pipeline.has_value(), !diagnostics.has_errors());
  return Render(context.sources(), diagnostics);
}

/// A module of one function with one parallel loop.
IRModule OneLoop(Context& context) {
  auto storage = std::make_shared<Storage>();
  NodeBuilder b(context, storage->arena());
  const Var* i = b.NewVar("i", DataType::Int(32));
  const Stmt* loop = b.New<For>({}, i, b.Int(0), b.Int(4), ForKind::kParallel, b.NoOp());
  const PrimFunc* func = b.New<PrimFunc>({}, Span<const Var*>(), Span<const Buffer*>(),
                                         context.VoidType(), b.Map({}), loop);
  IRModule module(context);
  module.Add({context.Intern("f"), func, storage});
  return module;
}

TEST(PipelineTest, ReadsPassesOptionsAndFixpoints) {
  Context context;
  Diagnostics diagnostics;
  const std::optional<Pipeline> pipeline =
      ParsePipeline(context,
                    "convert-for-loops-to-serial, plan-memory{algorithm=hill_climb "
                    "workspace-alignment=8},fix(simplify)",
                    diagnostics);
  ASSERT_TRUE(pipeline.has_value());
  ASSERT_EQ(pipeline->size(), 3u);
  EXPECT_EQ((*pipeline)[1].pass.name, "plan-memory");
  EXPECT_TRUE((*pipeline)[2].is_fix);
  EXPECT_EQ((*pipeline)[2].fix[0].pass.name, "simplify");
}

TEST(PipelineTest, ErrorsAreLocated) {
  EXPECT_THAT(Errors("simplfy"), HasSubstr("<pipeline>:1:1: error: unknown pass `simplfy`; did "
                                           "you mean `simplify`? [pipeline]"));
  EXPECT_THAT(Errors("simplify,plan-memory{algoritm=x}"),
              HasSubstr("<pipeline>:1:22: error: pass `plan-memory`: unknown "
                        "option `algoritm`"));
  EXPECT_THAT(Errors("plan-memory{workspace-alignment=many}"),
              HasSubstr("expected an integer as value of option"));
  EXPECT_THAT(Errors("simplify,"), HasSubstr("expected the name of a pass"));
  EXPECT_THAT(Errors("fix(simplify"), HasSubstr("expected `,` or `)`"));
  // A list is one value; text with a `=` is the next option.
  EXPECT_THAT(Errors("plan-memory{workspace-alignment=8,9 algorithm=x}"),
              HasSubstr("value of option `workspace-alignment`, found `8,9`"));
  EXPECT_THAT(Errors("plan-memory{workspace-alignment=8,nine=9}"),
              HasSubstr("unknown option `nine`"));
  EXPECT_THAT(Errors("plan-memory{algorithm=x,,y}"),
              HasSubstr("expected an option as `name=value`"));
  EXPECT_THAT(Errors("simplify{a}"), HasSubstr("expected an option as `name=value`"));
  EXPECT_THAT(Errors("simplify)"), HasSubstr("unexpected `)`"));
  EXPECT_THAT(Errors("plan-memory{algorithm=\"x}"), HasSubstr("unterminated string"));
  EXPECT_THAT(Errors("plan-memory{algorithm=\"x\\\"}"), HasSubstr("unterminated string"));
  EXPECT_THAT(Errors("plan-memory{algorithm=\"x\\"), HasSubstr("unterminated string"));
  EXPECT_THAT(Errors("plan-memory{algorithm=\"a\\b\"}"),
              HasSubstr("<pipeline>:1:25: error: expected `\\\"` or `\\\\` in "
                        "a quoted value"));
  std::string deep;
  for (int i = 0; i < 1000; ++i) deep += "fix(";
  EXPECT_THAT(Errors(deep), HasSubstr("[limit]"));
}

/// The text of the pipeline after reading `text`.
std::string ReadAndWritten(std::string_view text) {
  Context context;
  Diagnostics diagnostics;
  const std::optional<Pipeline> pipeline = ParsePipeline(context, text, KnownPasses(), diagnostics);
  EXPECT_TRUE(pipeline.has_value()) << Render(context.sources(), diagnostics);
  return pipeline ? PipelineText(*pipeline) : "";
}

TEST(PipelineTest, IsBuiltFromTypedOptions) {
  Pipeline pipeline;
  pipeline.Add<&ConvertForLoopsToSerial>()
      .Add<&PlanMemory>({.algorithm = "hill_climb", .workspace_alignment = 8})
      .Fix(Pipeline().Add<&Simplify>().Add<&RemoveNoOp>());
  EXPECT_EQ(PipelineText(pipeline),
            "convert-for-loops-to-serial,plan-memory{algorithm=hill_climb "
            "workspace-alignment=8},"
            "fix(simplify,remove-no-op)");
  ASSERT_EQ(pipeline.size(), 3u);
  EXPECT_FALSE(pipeline[0].pass.range.valid());
  Pipeline twice = pipeline;
  twice.Append(pipeline).Fix({});
  EXPECT_EQ(PipelineText(twice), PipelineText(pipeline) + "," + PipelineText(pipeline));
  EXPECT_EQ(PipelineText({}), "");
}

TEST(PipelineTest, TextReadsBackAsTheSamePipeline) {
  for (const std::string_view name : KnownPasses().Names()) EXPECT_EQ(ReadAndWritten(name), name);
  for (const Pipeline& pipeline :
       {LowerForC(), LowerForC(/*gnu_vectors=*/true), LowerForLlvm(), LowerForPlanning(),
        LoopPipeline({}), LoopPipeline({.machine = {.vector_bytes = 512}})}) {
    EXPECT_EQ(ReadAndWritten(PipelineText(pipeline)), PipelineText(pipeline));
  }
  // Removes blanks and defaults, and quotes that are not needed.
  EXPECT_EQ(ReadAndWritten(" fix( simplify , fix(remove-no-op{}) ) "),
            "fix(simplify,fix(remove-no-op))");
  EXPECT_EQ(ReadAndWritten("plan-memory{algorithm=\"optimal\", constants=\"tvm\"}"),
            "plan-memory{constants=tvm}");
  EXPECT_EQ(ReadAndWritten("hoist-constants{functions=a,b}"), "hoist-constants{functions=\"a,b\"}");
}

TEST(PipelineTest, SumsLeaveVectorRegistersToTheirOperands) {
  const auto has = [](const Pipeline& pipeline, std::string_view text) {
    return PipelineText(pipeline).find(text) != std::string::npos;
  };
  EXPECT_TRUE(has(LoopPipeline({.machine = {256, 16, 16}}), "vector-bytes=192"));
  EXPECT_TRUE(has(LoopPipeline({.machine = {512, 16, 32}}), "vector-bytes=384"));
  // 1024 bytes, the default, are half of 32 registers of 64 bytes.
  EXPECT_FALSE(has(LoopPipeline({.machine = {1024, 32, 64}}), "vector-bytes"));
  EXPECT_TRUE(has(LoopPipeline({.machine = {.vector_bytes = 512}}), "vector-bytes=512"));
}

TEST(PipelineTest, AnyTextOfAnOptionReadsBack) {
  for (const std::string text : {"a b", "\"", "\\", "\\\"", "a\\\\\"b\"", "{a,b}=c", "x\ny",
                                 "fix(a)", "a:1;b", "\xc3\xa9"}) {
    const std::string written =
        PipelineText(Pipeline().Add<&AssignPoolInfo>({.pools = text, .internal = false}));
    EXPECT_EQ(ReadAndWritten(written), written);
    Context context;
    Diagnostics diagnostics;
    const std::optional<Pipeline> pipeline = ParsePipeline(context, written, diagnostics);
    ASSERT_TRUE(pipeline.has_value()) << written;
    const OptionValues want = {{"pools", text}, {"internal", "false"}};
    EXPECT_EQ((*pipeline)[0].pass.options, want) << written;
  }
}

TEST(PipelineTest, NumbersReadBackExactly) {
  const std::string written = PipelineText(
      Pipeline().Add<&CompressConstants>({.codec = "", .min_ratio = 1.0 / 3, .budget = INT64_MIN}));
  EXPECT_EQ(written,
            "compress-constants{codec=\"\" min_ratio=0.3333333333333333 "
            "budget=-9223372036854775808}");
  EXPECT_EQ(ReadAndWritten(written), written);
}

TEST(PipelineTest, TextKnowsWhereAPassIsNamed) {
  Context context;
  Diagnostics diagnostics;
  const std::optional<Pipeline> pipeline =
      ParsePipeline(context, "simplify, fix(remove-no-op)", diagnostics);
  ASSERT_TRUE(pipeline.has_value());
  const SourceRange range = (*pipeline)[1].fix[0].pass.range;
  EXPECT_EQ(context.sources().Text(range), "remove-no-op");
}

TEST(RunnerTest, ReportsWhatChanged) {
  Context context;
  Diagnostics diagnostics;
  const std::optional<Pipeline> pipeline = ParsePipeline(
      context, "convert-for-loops-to-serial,convert-for-loops-to-serial", diagnostics);
  RunReport report;
  RunOptions options;
  std::string dump;
  options.print_after_change = true;
  options.dump = [&](std::string_view text) { dump += text; };
  const std::optional<IRModule> result =
      RunPipeline(OneLoop(context), *pipeline, options, diagnostics, &report);
  ASSERT_TRUE(result.has_value());
  ASSERT_EQ(report.passes.size(), 2u);
  EXPECT_TRUE(report.passes[0].changed);
  EXPECT_FALSE(report.passes[1].changed);
  EXPECT_THAT(dump, HasSubstr("# IR after convert-for-loops-to-serial"));
  EXPECT_THAT(dump, testing::Not(HasSubstr("parallel")));
}

TEST(RunnerTest, StopsAfterTheGivenNumberOfPasses) {
  Context context;
  Diagnostics diagnostics;
  const IRModule module = OneLoop(context);
  const std::optional<Pipeline> pipeline =
      ParsePipeline(context, "convert-for-loops-to-serial", diagnostics);
  RunOptions options;
  options.stop_after = 0;
  const std::optional<IRModule> result = RunPipeline(module, *pipeline, options, diagnostics);
  ASSERT_TRUE(result.has_value());
  EXPECT_TRUE(SameVersion(module, *result));
}

TEST(RunnerTest, AFailingPassIsADiagnostic) {
  Context context;
  Diagnostics diagnostics;
  const std::optional<Pipeline> pipeline =
      ParsePipeline(context, "plan-memory{algorithm=nobody}", diagnostics);
  const std::optional<Pipeline> assign =
      ParsePipeline(context, "assign-pool-info{workspace-pools=a:b}", diagnostics);
  EXPECT_FALSE(RunPipeline(OneLoop(context), *assign, {}, diagnostics).has_value());
  ASSERT_EQ(diagnostics.error_count(), 1u);
  EXPECT_EQ(diagnostics.all()[0].kind, DiagnosticKind::kPass);
}

/// A module whose function has a local array of so many bytes.
IRModule OneArray(Context& context, int64_t bytes) {
  auto storage = std::make_shared<Storage>();
  NodeBuilder b(context, storage->arena());
  const Var* data = b.NewVar("t", context.PointerType(DataType::Int(8), "local"));
  const Stmt* body = b.New<Allocate>({}, data, DataType::Int(8), b.List<Expr>({b.Int(bytes)}),
                                     b.Bool(true), nullptr, b.NoOp());
  const PrimFunc* func = b.New<PrimFunc>({}, Span<const Var*>(), Span<const Buffer*>(),
                                         context.VoidType(), b.Map({}), body);
  IRModule module(context);
  module.Add({context.Intern("f"), func, storage});
  return module;
}

TEST(RunnerTest, APassThatMakesAnArrayTooLargeForTheStackIsFound) {
  Context context;
  const auto widen = [](const IRModule& module, PassContext&) -> absl::StatusOr<IRModule> {
    return OneArray(module.context(), kStackLimit);
  };
  const Pipeline pipeline = Pipeline().Add({{nullptr, "widen", {}, {}, {}, {}, widen}, {}, false});
  Diagnostics diagnostics;
  EXPECT_FALSE(
      RunPipeline(OneArray(context, kStackLimit - 1), pipeline, {}, diagnostics).has_value());
  ASSERT_EQ(diagnostics.error_count(), 1u);
  EXPECT_EQ(diagnostics.all()[0].message,
            "pass `widen` expected to keep the form `small-stack`, but left scratch that is too "
            "large for the stack");
  // A module without the form may stay without it, until a pass gives it.
  Diagnostics none;
  const IRModule large = OneArray(context, kStackLimit + 1);
  EXPECT_TRUE(RunPipeline(large, pipeline, {}, none).has_value());
  Pipeline limited = Pipeline().Add<&LimitStack>();
  EXPECT_FALSE(RunPipeline(large, limited.Append(pipeline), {}, none).has_value());
}

TEST(RunnerTest, AWrongOrderOfTypedPassesIsAnErrorWithoutAPlace) {
  Context context;
  Diagnostics diagnostics;
  auto storage = std::make_shared<Storage>();
  NodeBuilder b(context, storage->arena());
  const Var* data = b.NewVar("t", context.PointerType(DataType::Int(8), "global"));
  const Stmt* body = b.New<Allocate>({}, data, DataType::Int(8), b.List<Expr>({b.Int(4)}),
                                     b.Bool(true), nullptr, b.NoOp());
  const PrimFunc* func = b.New<PrimFunc>({}, Span<const Var*>(), Span<const Buffer*>(),
                                         context.VoidType(), b.Map({}), body);
  IRModule module(context);
  module.Add({context.Intern("main"), func, storage});
  EXPECT_FALSE(RunPipeline(module, Pipeline().Add<&PlanMemory>(), {}, diagnostics).has_value());
  ASSERT_EQ(diagnostics.error_count(), 1u);
  EXPECT_EQ(diagnostics.all()[0].kind, DiagnosticKind::kPipeline);
  EXPECT_FALSE(diagnostics.all()[0].range.valid());
  EXPECT_THAT(diagnostics.all()[0].message, HasSubstr("run `assign-pool-info` first"));
  Diagnostics none;
  EXPECT_TRUE(RunPipeline(module, Pipeline().Add<&AssignPoolInfo>().Add<&PlanMemory>(), {}, none)
                  .has_value());
}

TEST(FormTest, GapsAreThoseOfTheModule) {
  Context context;
  const IRModule module = OneLoop(context);
  EXPECT_TRUE(
      FindGaps(module, ModuleForm::kNoBlocks | ModuleForm::kFlat | ModuleForm::kScalar).empty());
  const std::vector<FormGap> gaps = FindGaps(module, ModuleForm::kFlat | ModuleForm::kSerialLoops);
  ASSERT_EQ(gaps.size(), 1u);
  EXPECT_EQ(gaps[0].form, ModuleForm::kSerialLoops);
  EXPECT_EQ(gaps[0].what, "a parallel loop");
}

TEST(FormTest, SetsHaveNames) {
  EXPECT_EQ(FormNames({}), "");
  EXPECT_EQ(FormNames(ModuleForm::kPlanned | ModuleForm::kNoBlocks), "no-blocks, planned");
  FormSet all;
  for (const ModuleForm form : AllForms()) all.Add(form);
  all.Remove(ModuleForm::kFlat | ModuleForm::kScalar);
  EXPECT_FALSE(all.Has(ModuleForm::kFlat));
  EXPECT_TRUE(all.Has(ModuleForm::kOffsets));
}

TEST(FormTest, OptionsMayGiveLess) {
  EXPECT_TRUE(BindPass<&LowerVectors>({}).gives.Has(ModuleForm::kScalar));
  EXPECT_FALSE(BindPass<&LowerVectors>({.keep = "gnu"}).gives.Has(ModuleForm::kScalar));
}

TEST(FormTest, PassesBeforeAreThoseThatGiveWhatIsNeeded) {
  EXPECT_THAT(PassesBefore(PassSet(), "flatten-buffers"), testing::ElementsAre("lower-blocks"));
  EXPECT_THAT(PassesBefore(PassSet(), "convert-pool-allocations-to-offsets"),
              testing::ElementsAre("assign-pool-info", "plan-memory"));
  EXPECT_THAT(PassesBefore(PassSet(), "simplify"), testing::IsEmpty());
}

TEST(ListPassesTest, NamesEveryPassAndItsOptions) {
  const std::string text = ListPasses(KnownPasses());
  for (std::string_view name : KnownPasses().Names())
    EXPECT_THAT(text, HasSubstr(std::string(name)));
  EXPECT_THAT(text, HasSubstr("algorithm=optimal (text): "));
}

}  // namespace
}  // namespace tenon
