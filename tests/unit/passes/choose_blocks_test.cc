// Random convolutions of floats in many layouts: the same results in blocks of the machine's width.

#include "passes/loops/choose_blocks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "byoc/known_passes.h"
#include "fmt/format.h"
#include "ir/attributes.h"
#include "ir/function_attrs.h"
#include "ir/visitor.h"
#include "parser/parser.h"
#include "passes/pipeline/pipeline.h"
#include "passes/pipeline/runner.h"
#include "printer/printer.h"
#include "tests/unit/passes/random_results.h"
#include "tests/unit/passes/random_sums.h"
#include "tests/unit/support/nightly.h"

namespace tenon {
namespace {

/// True if a buffer is stored in vectors.
bool HasVectors(const IRModule& module) {
  bool found = false;
  for (const Function& function : module.functions()) {
    Walk(function.func->body, [&](const Node* node) {
      const auto* store = dyn_cast<BufferStore>(node);
      found |= store != nullptr && !store->value->dtype.is_scalar();
      return !found;
    });
  }
  return found;
}

/// Checks that `passes` keep the results of random modules, and that `part` of them have vectors
/// then.
template <class Writer>
void KeepResults(std::string_view passes, int part) {
  const int seeds = Sample(1600, 8);
  ExpectSameResults<Writer>(
      passes, seeds, [](const IRModule& module) { return OutputOf(module); },
      [](const IRModule&, const IRModule& after) { return HasVectors(after); }, seeds / part);
}

/// Another schedule of the same lanes, which may be one that the pass refuses: other sizes, the
/// blocks of lanes outermost, elements that are loaded ahead.
std::string OtherSchedule(const std::string& text, std::mt19937_64& random) {
  const auto below = [&](uint64_t end) { return random() % end; };
  std::string other;
  for (size_t at = 0; at < text.size();) {
    other += text[at];
    if (text[at++] != '/') continue;
    size_t digits = 0;
    const int64_t size = std::stoll(text.substr(at), &digits);
    const auto most = static_cast<uint64_t>(size) + 3;
    other += std::to_string(below(3) == 0 ? static_cast<int64_t>(1 + below(most)) : size);
    at += digits;
  }
  // The loop of the first lanes has the last serial band of the store, or the first one.
  const size_t lanes = other.find("lanes ") + 6;
  const std::string loop = other.substr(lanes, other.find_first_of(" ,", lanes) - lanes);
  const size_t band = other.find(loop + "/");
  if (below(3) == 0 && band != std::string::npos && band > 0) {
    const size_t end = std::min(other.find_first_of(" ,", band), other.size());
    const std::string word = other.substr(band, end - band);
    other = word + " " + other.substr(0, band - 1) + other.substr(end);
  }
  const size_t steps = other.find(", unroll ");
  const bool adds_one = other.find("pairs") == std::string::npos && steps != std::string::npos;
  if (adds_one && other.find("skip pads") != std::string::npos) {
    if (below(2) == 0) other += ", ahead";
  } else if (adds_one && below(2) == 0) {
    const size_t last = other.rfind(' ', steps - 1) + 1;
    const std::string name = other.substr(last, steps - last);
    other =
        other.substr(0, steps) + "/2, unroll " + name + " " + other.substr(steps + 9) + ", ahead";
  }
  return other;
}

/// The module after choose-blocks, whose errors go to `diagnostics`.
std::optional<IRModule> InBlocks(const IRModule& module, bool writes_schedules,
                                 Diagnostics& diagnostics) {
  Pipeline pipeline;
  pipeline.Add<&ChooseBlocks>({.registers = 8, .schedules = writes_schedules});
  return RunPipeline(module, pipeline, RunOptions(), diagnostics);
}

struct ScheduleCounts {
  int accepted = 0;
  int refused = 0;
};

/// Runs a module by other schedules than the one that the pass chooses. A schedule that the pass
/// accepts computes the same bits.
void RunOtherSchedules(Context& context, const IRModule& module, uint64_t seed,
                       ScheduleCounts& counts) {
  std::mt19937_64 random(seed);
  Diagnostics diagnostics;
  const auto chosen = InBlocks(module, true, diagnostics);
  ASSERT_TRUE(chosen.has_value());
  const std::string_view* text = AsString(chosen->Main()->FindAttr(attr_key::kSchedule));
  if (text == nullptr) return;
  const auto before = OutputOf(module);
  for (int i = 0; i < 6; ++i) {
    const std::string other = OtherSchedule(std::string(*text), random);
    IRModule given(context);
    given.Add(WithAttrs(context, *module.Main(), [&](NodeBuilder& builder, const MapAttr* attrs) {
      return builder.With(attrs, attr_key::kSchedule, builder.StringValue(other));
    }));
    Diagnostics errors;
    const auto after = InBlocks(given, false, errors);
    ++(after ? counts.accepted : counts.refused);
    if (!after) continue;
    ASSERT_EQ(before, OutputOf(*after)) << seed << ": " << other << "\n" << PrintModule(*after);
  }
}

template <class Writer>
ScheduleCounts RunSchedules() {
  ScheduleCounts counts;
  const int seeds = Sample(1600, 8);
  for (uint64_t seed = 1; seed <= static_cast<uint64_t>(seeds); ++seed) {
    Context context;
    Diagnostics diagnostics;
    const auto module =
        ParseModule(context, "random.py", Writer(seed).Module(), nullptr, {}, diagnostics);
    if (module) RunOtherSchedules(context, *module, seed, counts);
  }
  return counts;
}

TEST(RandomSchedules, LegalOnesComputeTheSameBits) {
  for (const ScheduleCounts& counts :
       {RunSchedules<ConvolutionWriter>(), RunSchedules<ProductWriter>()}) {
    EXPECT_GT(counts.accepted, 100);
    EXPECT_GT(counts.refused, 20);
  }
}

class RandomConvolutionBlocks : public testing::TestWithParam<const char*> {};
TEST_P(RandomConvolutionBlocks, KeepResults) { KeepResults<ConvolutionWriter>(GetParam(), 10); }

class RandomFloatProducts : public testing::TestWithParam<const char*> {};
TEST_P(RandomFloatProducts, KeepResults) { KeepResults<ProductWriter>(GetParam(), 4); }

INSTANTIATE_TEST_SUITE_P(All, RandomFloatProducts,
                         testing::Values("choose-blocks{registers=4 register-bytes=16}",
                                         "choose-blocks{registers=4 register-bytes=64}",
                                         "choose-blocks{registers=8 register-bytes=16},"
                                         "choose-blocks{registers=8 register-bytes=16},simplify",
                                         "choose-blocks{registers=4},vectorize-loops,"
                                         "promote-accumulators,jam-loops,simplify"));

INSTANTIATE_TEST_SUITE_P(
    All, RandomConvolutionBlocks,
    testing::Values("choose-blocks", "choose-blocks,choose-blocks,simplify",
                    "choose-blocks{registers=32 register-bytes=64}",
                    "choose-blocks{registers=16 register-bytes=16}",
                    "forward-producers{keep-pads=true},choose-blocks{register-bytes=64},"
                    "vectorize-loops,promote-accumulators,jam-loops,simplify"));

}  // namespace
}  // namespace tenon
