// Random convolutions and dense layers of 8-bit integers: the same results with dot products, which
// the interpreter and scalar code compute, and with rescaling in words.

#include "passes/loops/dot_products.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "byoc/known_passes.h"
#include "ir/attributes.h"
#include "ir/builtins.h"
#include "ir/function_attrs.h"
#include "ir/visitor.h"
#include "parser/parser.h"
#include "passes/pipeline/pipeline.h"
#include "passes/pipeline/runner.h"
#include "printer/printer.h"
#include "tests/unit/passes/random_dots.h"
#include "tests/unit/passes/random_sums.h"
#include "tests/unit/support/nightly.h"

namespace tenon {
namespace {

bool HasCalls(const IRModule& module, OpKind op) {
  bool found = false;
  for (const Function& function : module.functions()) {
    Walk(function.func->body, [&](const Node* node) {
      const auto* call = dyn_cast<Call>(node);
      found |= call != nullptr && call->op->kind == op;
      return !found;
    });
  }
  return found;
}

class RandomConvolutions : public testing::TestWithParam<const char*> {};

TEST_P(RandomConvolutions, KeepResults) {
  int with_dots = 0;
  const int seeds = Sample(600, 8);
  const std::string_view passes = GetParam();
  for (uint64_t seed = 1; seed <= static_cast<uint64_t>(seeds); ++seed) {
    const std::string text = ByteConvolutionWriter(seed).Module();
    Context context;
    Diagnostics diagnostics;
    const auto module = ParseModule(context, "random.py", text, nullptr, {}, diagnostics);
    ASSERT_TRUE(module.has_value()) << text << Render(context.sources(), diagnostics);
    const auto before = OutputOf(*module);
    ASSERT_TRUE(before.has_value()) << text;
    const auto pipeline = ParsePipeline(context, passes, KnownPasses(), diagnostics);
    ASSERT_TRUE(pipeline.has_value()) << Render(context.sources(), diagnostics);
    const auto after = RunPipeline(*module, *pipeline, RunOptions(), diagnostics);
    ASSERT_TRUE(after.has_value()) << text << Render(context.sources(), diagnostics);
    ASSERT_EQ(before, OutputOf(*after)) << "seed " << seed << "\n" << text << PrintModule(*after);
    with_dots += HasCalls(*after, OpKind::kDp4a) ? 1 : 0;
  }
  if (passes.find("lower-vectors") == std::string_view::npos &&
      passes.find("combine=products") == std::string_view::npos) {
    EXPECT_GT(with_dots, seeds / 3);
  } else {
    EXPECT_EQ(with_dots, 0);
  }
}

/// Another schedule, which may be one that the pass refuses: other sizes, another order, another
/// instruction.
std::string OtherSchedule(const std::string& text, std::mt19937_64& random) {
  const auto below = [&](uint64_t end) { return random() % end; };
  std::string other;
  for (size_t at = 0; at < text.size();) {
    other += text[at];
    if (text[at++] != '/') continue;
    size_t digits = 0;
    const int64_t size = std::stoll(text.substr(at), &digits);
    const int64_t sizes[] = {1, 2, 4, size, size, size};
    other += std::to_string(sizes[below(std::size(sizes))]);
    at += digits;
  }
  const size_t space = other.find(' ');
  if (below(4) == 0 && space < other.find(',')) {
    const size_t end = std::min(other.find(' ', space + 1), other.find(','));
    other =
        other.substr(space + 1, end - space - 1) + " " + other.substr(0, space) + other.substr(end);
  }
  const size_t dots = other.find("dots");
  if (below(3) == 0) other = other.substr(0, dots) + (below(2) == 0 ? "dots4" : "dots8");
  if (below(3) == 0) other += below(2) == 0 ? ", finish in lanes" : ", finish in a loop";
  return other;
}

/// The module after dot-products, whose errors go to `diagnostics`.
std::optional<IRModule> InDots(const IRModule& module, bool writes_schedules,
                               Diagnostics& diagnostics) {
  Pipeline pipeline;
  pipeline.Add<&DotProducts>({.combine = "dots16", .schedules = writes_schedules});
  return RunPipeline(module, pipeline, RunOptions(), diagnostics);
}

TEST(RandomDotSchedules, LegalOnesComputeTheSame) {
  int accepted = 0;
  int refused = 0;
  const int seeds = Sample(1200, 4);
  for (uint64_t seed = 1; seed <= static_cast<uint64_t>(seeds); ++seed) {
    const std::string text = ByteConvolutionWriter(seed).Module();
    Context context;
    Diagnostics diagnostics;
    const auto module = ParseModule(context, "random.py", text, nullptr, {}, diagnostics);
    ASSERT_TRUE(module.has_value());
    const auto chosen = InDots(*module, true, diagnostics);
    ASSERT_TRUE(chosen.has_value()) << text << Render(context.sources(), diagnostics);
    const std::string_view* schedule = AsString(chosen->Main()->FindAttr(attr_key::kSchedule));
    if (schedule == nullptr) continue;
    std::mt19937_64 random(seed);
    for (int i = 0; i < 6; ++i) {
      // The first one is the one that the pass chose.
      const std::string other =
          i == 0 ? std::string(*schedule) : OtherSchedule(std::string(*schedule), random);
      IRModule given(context);
      given.Add(
          WithAttrs(context, *module->Main(), [&](NodeBuilder& builder, const MapAttr* attrs) {
            return builder.With(attrs, attr_key::kSchedule, builder.StringValue(other));
          }));
      Diagnostics errors;
      const auto after = InDots(given, false, errors);
      for (const Diagnostic& error : errors.all())
        ASSERT_NE(error.kind, DiagnosticKind::kInternal) << text << other << error.message;
      if (i > 0) ++(after ? accepted : refused);
      if (i == 0) {
        ASSERT_TRUE(after.has_value()) << other << "\n" << Render(context.sources(), errors);
        IRModule same(context);
        same.Add(*module->Main());
        ASSERT_EQ(PrintModule(*after), PrintModule(*InDots(same, false, errors))) << other;
      }
      if (!after) continue;
      ASSERT_EQ(OutputOf(*module), OutputOf(*after)) << other << "\n" << PrintModule(*after);
    }
  }
  EXPECT_GT(accepted, seeds / 2);
  EXPECT_GT(refused, seeds / 2);
}

INSTANTIATE_TEST_SUITE_P(
    All, RandomConvolutions,
    testing::Values(
        "dot-products", "dot-products,dot-products,requantize-words",
        "dot-products{rows=3 columns=1 alone=3 steps=2},lower-vectors",
        "simplify,dot-products{rows=4 columns=4},requantize-words,simplify,jam-loops",
        "dot-products{combine=dots16},simplify,jam-loops",
        "dot-products{combine=dots8 rows=3},lower-vectors",
        "dot-products{rows=1 steps=1 combine=products},requantize-words,simplify,jam-loops",
        "dot-products{rows=1 steps=1 finish-loop=1},requantize-words,simplify,jam-loops",
        "dot-products{rows=1 combine=dots16 finish=true},requantize-words{twice=true},"
        "simplify,vectorize-loops,simplify",
        "dot-products{columns=3 finish=true},requantize-words{twice=true},simplify",
        "requantize-words,dot-products{rows=1 alone=16},lower-vectors"));

}  // namespace
}  // namespace tenon
