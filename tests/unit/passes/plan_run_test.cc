// Plans, run: every allocation at its place in the pools, where a byte that another allocation has
// written counts as not written. A run without errors that gives the right output shows that the
// plan keeps apart what has to be.

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "interp/run_model.h"
#include "ir/memory_pools.h"
#include "ir/visitor.h"
#include "parser/parser.h"
#include "passes/assign_pool_info.h"
#include "passes/convert_for_loops_to_serial.h"
#include "passes/convert_pool_allocations_to_offsets.h"
#include "passes/plan_memory.h"
#include "support/file.h"
#include "support/npy.h"

namespace tenon {
namespace {

std::string CorpusDir() {
  const char* set = std::getenv("TENON_CORPUS_DIR");
  return set != nullptr ? set : TENON_SOURCE_DIR "/../shared/corpus";
}

Tensor TensorOf(const NpyArray& array) {
  Tensor tensor;
  tensor.dtype = *DataType::Parse(array.dtype);
  tensor.shape = array.shape;
  tensor.bytes.assign(array.bytes.begin(), array.bytes.end());
  return tensor;
}

/// The placements that plan-memory wrote into a module.
InterpreterOptions PlacementsOf(const IRModule& module) {
  InterpreterOptions options;
  for (const Function& function : module.functions()) {
    Walk(function.func->body, [&](const Node* node) {
      if (const auto* allocate = dyn_cast<Allocate>(node)) {
        if (const auto note = ReadPlacement(allocate->annotations)) {
          options.placement[allocate->buffer_var] = {std::string(note->pool), note->offset};
        }
      }
      return isa<Stmt>(node);
    });
  }
  return options;
}

absl::StatusOr<IRModule> Plan(const IRModule& module, const char* algorithm,
                              Diagnostics& diagnostics) {
  PassContext context{diagnostics, /*threads=*/1, {}};
  absl::StatusOr<IRModule> serial = ConvertForLoopsToSerial(module, {}, context);
  if (!serial.ok()) return serial;
  absl::StatusOr<IRModule> assigned = AssignPoolInfo(*serial, {}, context);
  if (!assigned.ok()) return assigned;
  PlanMemoryOptions options;
  options.algorithm = algorithm;
  return PlanMemory(*assigned, options, context);
}

using Case = std::tuple<const char*, const char*>;
class PlanRun : public testing::TestWithParam<Case> {};

TEST_P(PlanRun, GivesTheOutputAndReadsNothingThatIsLost) {
  const auto [model, algorithm] = GetParam();
  const std::string folder = CorpusDir() + "/models/" + model;
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no corpus at " << CorpusDir();
  const auto text = ReadFile(folder + "/module.py");
  ASSERT_TRUE(text.ok());
  Context context;
  Diagnostics diagnostics;
  const auto module = ParseModule(context, "module.py", (*text)->view(), *text, {}, diagnostics);
  ASSERT_TRUE(module.has_value()) << Render(context.sources(), diagnostics);
  const auto planned = Plan(*module, algorithm, diagnostics);
  ASSERT_TRUE(planned.ok()) << planned.status();
  const InterpreterOptions options = PlacementsOf(*planned);
  EXPECT_GT(options.placement.size(), 10u);
  const auto input = ReadNpy(folder + "/input0.npy");
  const auto expected = ReadNpy(folder + "/expected0.npy");
  ASSERT_TRUE(input.ok() && expected.ok());
  const Tensor want = TensorOf(*expected);
  // With addresses in real pools, a byte overwritten too early shows in the output.
  PassContext pass{diagnostics, /*threads=*/1, {}};
  const auto converted = ConvertPoolAllocationsToOffsets(*planned, {}, pass);
  ASSERT_TRUE(converted.ok()) << converted.status();
  const auto outputs = RunModel(*converted, {{"", TensorOf(*input)}}, diagnostics);
  ASSERT_TRUE(outputs.ok()) << Render(context.sources(), diagnostics);
  EXPECT_EQ(outputs->front().tensor.bytes, want.bytes);
  // The interpreter loses a buffer's bytes where an allocation above them begins, which may be
  // earlier than that is first used: it can judge plans that go by whole scopes.
  if (!std::string_view(algorithm).starts_with("greedy")) return;
  const auto strict = RunModel(*planned, {{"", TensorOf(*input)}}, diagnostics, options);
  ASSERT_TRUE(strict.ok()) << Render(context.sources(), diagnostics);
  EXPECT_EQ(strict->front().tensor.bytes, want.bytes);
}

INSTANTIATE_TEST_SUITE_P(Models, PlanRun,
                         testing::Combine(testing::Values("kws_int8", "ad_int8", "sww_int8"),
                                          testing::Values("greedy_by_size", "greedy_by_conflicts",
                                                          "hill_climb", "first_fit")),
                         [](const auto& info) {
                           return std::string(std::get<0>(info.param)) + "_" +
                                  std::get<1>(info.param);
                         });

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
}

}  // namespace
}  // namespace tenon
