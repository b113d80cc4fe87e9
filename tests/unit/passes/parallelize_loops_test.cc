// Loops that parallelize-loops chooses give the same results if their iterations run backwards.

#include "passes/loops/parallelize_loops.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "byoc/known_passes.h"
#include "fmt/format.h"
#include "interp/interpreter.h"
#include "ir/rewriter.h"
#include "parser/parser.h"
#include "passes/pipeline/pipeline.h"
#include "passes/pipeline/runner.h"
#include "printer/printer.h"
#include "tests/unit/support/nightly.h"

namespace tenon {
namespace {

constexpr int kElements = 512;
constexpr int kLoops = 3;

/// Writes three loops with stores at random strides: rows, columns, blocks, and overlapping ones.
class StridedNest {
 public:
  explicit StridedNest(uint64_t seed) : random_(seed) {
    for (int& extent : extents_) extent = 1 + Below(4);
    lanes_ = Below(2) == 0 ? 1 : 4;
  }

  std::string Module() {
    std::string text = fmt::format(
        "# from tvm.script import tir as T\n\n@T.prim_func\n"
        "def main(x: T.Buffer(({0},), \"int32\"), y: T.Buffer(({0},), \"int32\")):\n"
        "    T.func_attr({{\"tir.noalias\": T.bool(True)}})\n"
        "    for i in range({1}):\n        for j in range({2}):\n            for k in "
        "range({3}):\n",
        kElements, extents_[0], extents_[1], extents_[2]);
    DrawStrides();
    const int stores = 1 + Below(3);
    for (int n = 0; n < stores; ++n) {
      const std::string to = Element(Below(3) == 0);
      const std::string from = Below(2) == 0 ? to : Element(Below(3) == 0);
      text += fmt::format("                y[{}] = y[{}] * {} + x[{}] + {}\n", to, from, Lanes("3"),
                          Element(true), Lanes("i * 5 + j * 7 + k"));
    }
    return text;
  }

 private:
  int Below(int end) { return static_cast<int>(random_() % static_cast<uint64_t>(end)); }

  /// Strides in mixed radix, in a random order of the loops. Some are then too small or larger.
  void DrawStrides() {
    std::vector<int> order(kLoops);
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random_);
    int stride = lanes_;
    for (const int loop : order) {
      strides_[static_cast<size_t>(loop)] = stride;
      stride *= extents_[static_cast<size_t>(loop)];
      if (Below(4) == 0) stride += Below(3);
    }
    if (Below(4) == 0) strides_[static_cast<size_t>(Below(kLoops))] -= 1;
  }

  std::string Element(bool is_moved) {
    const int offset = is_moved ? Below(200) : 100;
    const std::string first =
        fmt::format("i * {} + j * {} + k * {} + {}", strides_[0], strides_[1], strides_[2], offset);
    return lanes_ == 1 ? first : fmt::format("T.Ramp({}, 1, {})", first, lanes_);
  }
  std::string Lanes(const std::string& value) const {
    return lanes_ == 1 ? value : fmt::format("T.Broadcast({}, {})", value, lanes_);
  }

  std::mt19937_64 random_;
  int extents_[kLoops] = {};
  int strides_[kLoops] = {};
  int lanes_ = 1;
};

/// Makes parallel loops serial, from the last iteration to the first.
class Reverser : public Rewriter<Reverser> {
 public:
  Reverser(Context& context, std::shared_ptr<Storage> storage, int& loops)
      : Rewriter(context, std::move(storage)), loops_(loops) {}

  const Stmt* RewriteFor(const For* loop) {
    if (loop->for_kind != ForKind::kParallel) return RewriteChildren(loop);
    ++loops_;
    const Expr* last = builder().Int(*AsIntImm(loop->extent) - 1);
    places_[loop->loop_var] = builder().New<Sub>({}, last, loop->loop_var);
    For copy = *RewriteChildren(loop);
    copy.for_kind = ForKind::kSerial;
    return arena().New<For>(copy);
  }

  const Expr* RewriteVar(const Var* var) {
    const auto place = places_.find(var);
    return place == places_.end() ? var : place->second;
  }

 private:
  int& loops_;
  absl::flat_hash_map<const Var*, const Expr*> places_;
};

std::vector<uint8_t> ResultsOf(const IRModule& module) {
  Diagnostics diagnostics;
  const auto interpreter = Interpreter::Compile(module, diagnostics);
  if (!interpreter.ok()) return {};
  std::vector<Tensor> tensors(2, {DataType::Int(32), {kElements}, {}});
  for (int i = 0; i < kElements * 4; ++i) {
    tensors[0].bytes.push_back(static_cast<uint8_t>(i * 89 + i / 7));
    tensors[1].bytes.push_back(static_cast<uint8_t>(i * 13 + i / 3));
  }
  if (!interpreter->Run("main", {Argument::Of(&tensors[0]), Argument::Of(&tensors[1])},
                        diagnostics))
    return {};
  return tensors[1].bytes;
}

/// The number of parallel loops; the module then has them backwards.
int Reverse(Context& context, IRModule& module) {
  int loops = 0;
  const Function now = RewriteFunction<Reverser>(context, *module.Main(), loops);
  module.Update(now);
  return loops;
}

TEST(ParallelizeLoopsTest, IterationsMayRunBackwards) {
  int chosen = 0;
  int possible = 0;
  const int seeds = Sample(20'000, 10);
  for (uint64_t seed = 1; seed <= static_cast<uint64_t>(seeds); ++seed) {
    const std::string text = StridedNest(seed).Module();
    Context context;
    Diagnostics diagnostics;
    const auto module = ParseModule(context, "nest.py", text, nullptr, {}, diagnostics);
    ASSERT_TRUE(module.has_value()) << text << Render(context.sources(), diagnostics);
    const std::vector<uint8_t> expected = ResultsOf(*module);
    if (expected.empty()) continue;  // An index is outside of the buffer.
    const auto pipeline = ParsePipeline(context, "parallelize-loops{min-work=0 iterations=1}",
                                        KnownPasses(), diagnostics);
    auto parallel = RunPipeline(*module, *pipeline, RunOptions(), diagnostics);
    ASSERT_TRUE(parallel.has_value()) << Render(context.sources(), diagnostics);
    const std::string printed = PrintModule(*parallel);
    const int loops = Reverse(context, *parallel);
    ASSERT_EQ(expected, ResultsOf(*parallel)) << "seed " << seed << "\n" << printed;
    chosen += loops > 0 ? 1 : 0;
    ++possible;
  }
  EXPECT_GT(chosen, possible / 3);
  EXPECT_LT(chosen, possible);
}

}  // namespace
}  // namespace tenon
