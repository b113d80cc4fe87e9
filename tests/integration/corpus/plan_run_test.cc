// Runs plans of whole models: see plan_run_util.h.

#include <gtest/gtest.h>

#include "passes/memory/convert_pool_allocations_to_offsets.h"
#include "passes/pipeline/default_pipelines.h"
#include "passes/pipeline/pass_set.h"
#include "passes/pipeline/runner.h"
#include "tests/integration/corpus/model.h"
#include "tests/unit/passes/mapped_copies.h"
#include "tests/unit/passes/plan_run_util.h"

namespace tenon {
namespace {

class PlanRun : public testing::TestWithParam<std::string> {};

TEST_P(PlanRun, GivesTheOutputAndReadsNothingThatIsLost) {
  if (!HasCorpus()) GTEST_SKIP() << "no corpus at " << CorpusDir();
  Model* const model = Model::Get(GetParam());
  ASSERT_NE(model, nullptr);
  for (const std::string_view algorithm : planner::AlgorithmNames()) {
    SCOPED_TRACE(algorithm);
    const auto planned = Plan(*model->module, algorithm, model->diagnostics);
    ASSERT_TRUE(planned.ok()) << planned.status();
    const InterpreterOptions options = PlacementsOf(*planned);
    EXPECT_GT(options.placement.size(), 10u);
    // A byte that is overwritten too early is detected when it is read.
    EXPECT_EQ(model->Run(*planned, options), model->want.bytes) << model->Messages();
    // With addresses in real pools it changes the output: for one algorithm, or nightly for all.
    if (algorithm != "optimal" && !IsNightly()) continue;
    PassContext pass{model->diagnostics, /*threads=*/1, {}};
    const auto converted = ConvertPoolAllocationsToOffsets(*planned, {}, pass);
    ASSERT_TRUE(converted.ok()) << converted.status();
    EXPECT_EQ(model->Run(*converted), model->want.bytes) << model->Messages();
  }
}

// All passes that make the workspace smaller, with inputs and outputs in it. The caller's input is
// overwritten, but never before its last read.
TEST_P(PlanRun, OverlapsReadNothingThatIsLost) {
  if (!HasCorpus()) GTEST_SKIP() << "no corpus at " << CorpusDir();
  Model* const model = Model::Get(GetParam());
  ASSERT_NE(model, nullptr);
  const std::string text =
      "lower-blocks,flatten-buffers,convert-for-loops-to-serial,lower-packed-calls," +
      PipelineText(FusionPipeline({.fuse = true, .narrow = true, .lanes = true})) +
      ",create-io-allocates,assign-pool-info,reverse-loops,plan-memory{overlap=on},verify-plan";
  const auto pipeline = ParsePipeline(model->context, text, PassSet(), model->diagnostics);
  ASSERT_TRUE(pipeline.has_value()) << model->Messages();
  const auto planned = RunPipeline(*model->module, *pipeline, {}, model->diagnostics);
  ASSERT_TRUE(planned.has_value()) << model->Messages();
  InterpreterOptions options;
  const IRModule copying = WithParams(*planned, options);
  EXPECT_GT(options.placement.size(), 5u);
  EXPECT_EQ(model->Run(copying, options), model->want.bytes) << model->Messages();
}

/// Whether two buffers are live together for longer than the statement in which one may take over
/// the other's bytes.
bool LiveTogether(const planner::Buffer& a, const planner::Buffer& b) {
  for (const planner::Lifetime& x : a.lifetimes) {
    for (const planner::Lifetime& y : b.lifetimes) {
      // The later buffer is written before the last read of the other one.
      if (x.lower < y.lower && y.upper < x.upper) return true;
    }
  }
  return false;
}

TEST_P(PlanRun, WhateverIsPutOverALiveBufferIsNoticed) {
  if (!HasCorpus()) GTEST_SKIP() << "no corpus at " << CorpusDir();
  Model* const model = Model::Get(GetParam());
  ASSERT_NE(model, nullptr);
  if (GetParam() != "kws_int8" && GetParam() != "resnet_int8" && !IsNightly()) {
    GTEST_SKIP() << "in `make nightly`";
  }
  IRModule assigned(model->context);
  const auto open = PlanOpenly(*model->module, &assigned, model->diagnostics);
  ASSERT_TRUE(open.has_value()) << model->Messages();
  const auto& buffers = open->made.problem.buffers;
  int spoilt = 0;
  for (size_t i = 0; i < buffers.size() && spoilt < 8; ++i) {
    for (size_t j = 0; j < buffers.size() && spoilt < 8; ++j) {
      if (i == j || buffers[i].kind == planner::BufferKind::kConstant ||
          buffers[j].kind == planner::BufferKind::kConstant ||
          !LiveTogether(buffers[i], buffers[j])) {
        continue;
      }
      ++spoilt;
      OpenPlan wrong = *open;
      wrong.plan.placements[j].offset = wrong.plan.placements[i].offset;
      EXPECT_FALSE(planner::CheckPlan(wrong.made.problem, wrong.plan).ok());
      EXPECT_EQ(model->Run(assigned, wrong.Options()), std::nullopt)
          << buffers[j].name << " over " << buffers[i].name;
    }
  }
  EXPECT_GT(spoilt, 0);
}

INSTANTIATE_TEST_SUITE_P(Models, PlanRun, testing::ValuesIn(ModelNames()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace tenon
