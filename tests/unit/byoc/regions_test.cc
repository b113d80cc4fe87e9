#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <ctime>

#include "byoc/known_passes.h"
#include "fmt/format.h"
#include "ir/attributes.h"
#include "ir/visitor.h"
#include "parser/parser.h"
#include "passes/pipeline/runner.h"
#include "printer/printer.h"
#include "tests/run_model.h"
#include "tests/unit/byoc/call_graphs.h"
#include "tests/unit/support/nightly.h"

// Regions of random call graphs: checks their results, and that making regions changes nothing
// else.

namespace tenon {
namespace {

#ifdef __OPTIMIZE__
constexpr bool kOptimised = true;
#else
constexpr bool kOptimised = false;
#endif

uint64_t NumberFrom(const char* variable, uint64_t otherwise) {
  const char* text = std::getenv(variable);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

/// A parsed module, and the results of pipelines on it.
class Subject {
 public:
  explicit Subject(std::string text) : text_(std::move(text)) {
    std::optional<IRModule> parsed = Parse(text_);
    EXPECT_TRUE(parsed.has_value()) << Messages();
    if (parsed) module = *std::move(parsed);
  }

  std::optional<IRModule> Parse(const std::string& text) {
    return ParseModule(context, "test.py", text, nullptr, {}, diagnostics);
  }

  std::optional<IRModule> Run(const IRModule& from, std::string_view pipeline) {
    const std::optional<Pipeline> passes =
        ParsePipeline(context, pipeline, KnownPasses(), diagnostics);
    EXPECT_TRUE(passes.has_value());
    std::optional<IRModule> result = RunPipeline(from, *passes, {}, diagnostics);
    EXPECT_TRUE(result.has_value()) << pipeline << "\n" << Messages();
    return result;
  }

  /// The outputs for fixed inputs; empty after an error.
  std::vector<std::vector<uint8_t>> Outputs(const IRModule& of) {
    std::vector<NamedTensor> inputs;
    for (const std::string name : {"p", "q"}) {
      Tensor tensor{DataType::Int(32), {8}, {}};
      for (int i = 0; i < 32; ++i)
        tensor.bytes.push_back(static_cast<uint8_t>(i * 37 + (name == "p" ? 5 : 91)));
      inputs.push_back({"", tensor});
    }
    if (of.Main()->func->params.size() < 4) inputs.pop_back();
    const auto outputs = RunModel(of, inputs, diagnostics);
    EXPECT_TRUE(outputs.ok()) << Messages();
    std::vector<std::vector<uint8_t>> bytes;
    if (!outputs.ok()) return bytes;
    for (const NamedTensor& output : *outputs) bytes.push_back(output.tensor.bytes);
    return bytes;
  }

  std::string Messages() const { return Render(context.sources(), diagnostics) + "\n" + text_; }

  Context context;
  Diagnostics diagnostics;
  IRModule module{context};

 private:
  std::string text_;
};

int CountFunctions(const IRModule& module) {
  int count = 0;
  for (const Function& function : module.functions())
    count += function.FindAttr(attr_key::kCompiler) != nullptr ? 1 : 0;
  return count;
}

void CheckSeed(uint64_t seed) {
  CallGraphOptions options;
  options.calls = 2 + static_cast<int>(seed * 13 % 60);
  if (seed % 20 == 0) options.calls = 200;
  options.targets = 1 + static_cast<int>(seed / 3 % 3);
  options.reuse = static_cast<int>(seed * 29 % 100);
  options.opaque = seed % 4 != 0;
  Subject subject(RandomCallGraph(seed, options));
  ASSERT_FALSE(subject.diagnostics.has_errors()) << subject.Messages();
  const auto expected = subject.Outputs(subject.module);
  ASSERT_FALSE(expected.empty());
  const std::string_view merges[] = {"merge-regions", "merge-regions{siblings=false}",
                                     "merge-regions{reorder=false}", "merge-regions{min-ops=2}",
                                     "merge-regions{max-regions=1}"};
  const auto merged = subject.Run(subject.module, merges[seed % 7 < 5 ? seed % 7 : 0]);
  ASSERT_TRUE(merged.has_value());
  ASSERT_EQ(subject.Outputs(*merged), expected) << PrintModule(*merged);
  const auto again = subject.Run(*merged, merges[seed % 7 < 5 ? seed % 7 : 0]);
  ASSERT_EQ(PrintModule(*again), PrintModule(*merged)) << "merge-regions is not idempotent";
  const auto partitioned = subject.Run(*merged, "partition");
  ASSERT_TRUE(partitioned.has_value()) << PrintModule(*merged);
  ASSERT_EQ(subject.Outputs(*partitioned), expected) << PrintModule(*partitioned);
  const std::string text = PrintModule(*partitioned);
  ASSERT_EQ(PrintModule(*subject.Run(*partitioned, "partition")), text);
  const auto read_back = subject.Parse(text);
  ASSERT_TRUE(read_back.has_value()) << subject.Messages();
  ASSERT_EQ(PrintModule(*read_back), text);
  const auto inlined = subject.Run(*partitioned, "inline-region");
  ASSERT_TRUE(inlined.has_value()) << text;
  ASSERT_EQ(subject.Outputs(*inlined), expected) << PrintModule(*inlined);
  ASSERT_EQ(CountFunctions(*inlined), 0);
}

TEST(RegionsTest, RandomCallGraphsComputeTheSame) {
  const uint64_t first = NumberFrom("TENON_RANDOM_FIRST", 1);
  const uint64_t count = NumberFrom("TENON_RANDOM_COUNT", static_cast<uint64_t>(Sample(400, 4)));
  for (uint64_t seed = first; seed < first + count; ++seed) {
    SCOPED_TRACE(fmt::format("TENON_RANDOM_FIRST={} TENON_RANDOM_COUNT=1", seed));
    CheckSeed(seed);
    if (HasFatalFailure()) return;
  }
}

TEST(RegionsTest, TheSameTextGivesTheSameRegions) {
  for (uint64_t seed = 1; seed < 40; ++seed) {
    const std::string text = RandomCallGraph(seed, {});
    Subject first(text);
    Subject second(text);
    EXPECT_EQ(PrintModule(*first.Run(first.module, "merge-regions,partition")),
              PrintModule(*second.Run(second.module, "merge-regions,partition")));
  }
}

/// CPU seconds, so that other programs do not count.
double SecondsOf(const std::string& text) {
  Subject subject(text);
  const Pipeline passes = *ParsePipeline(subject.context, "merge-regions,partition", KnownPasses(),
                                         subject.diagnostics);
  RunOptions options;
  options.verify_each = false;
  const std::clock_t start = std::clock();
  const auto result = RunPipeline(subject.module, passes, options, subject.diagnostics);
  const std::clock_t end = std::clock();
  EXPECT_TRUE(result.has_value()) << Render(subject.context.sources(), subject.diagnostics);
  EXPECT_GT(CountFunctions(*result), 0);
  return static_cast<double>(end - start) / CLOCKS_PER_SEC;
}

TEST(RegionsTest, ChainOfTenThousandCallsTakesLessThanASecond) {
  if (!kOptimised) GTEST_SKIP() << "only optimised code is fast";
  EXPECT_LT(SecondsOf(ChainOfCalls(10000, 3, 2)), kPatience);
  EXPECT_LT(SecondsOf(ChainOfCalls(10000, 1, 0)), kPatience);
}

TEST(RegionsTest, TwoHundredDenseLayersTakeLessThanASecond) {
  if (!kOptimised) GTEST_SKIP() << "only optimised code is fast";
  EXPECT_LT(SecondsOf(DenseLayers(200, 3)), kPatience);
}

}  // namespace
}  // namespace tenon
