// Random nests of loops that hand buffers on: the same results before and after passes that join
// them.

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "byoc/known_passes.h"
#include "fmt/format.h"
#include "interp/interpreter.h"
#include "interp/interpreter_evaluator.h"
#include "ir/visitor.h"
#include "parser/parser.h"
#include "passes/pipeline/pipeline.h"
#include "passes/pipeline/runner.h"
#include "printer/printer.h"
#include "tests/unit/support/nightly.h"

namespace tenon {
namespace {

constexpr int kElements = 24;

/// Writes functions in which each nest fills a buffer from those before it.
class Writer {
 public:
  explicit Writer(uint64_t seed) : random_(seed) {}

  std::string Module() {
    text_ = "# from tvm.script import tir as T\n\n@T.prim_func\n";
    Line(0, fmt::format("def main(x: T.Buffer(({0},), \"int32\"), y: T.Buffer(({0},), \"int32\")):",
                        kElements));
    Line(1, fmt::format("T.func_attr({{\"tir.noalias\": T.bool({})}})",
                        Below(8) == 0 ? "False" : "True"));
    depth_ = 1;
    if (Below(6) == 0) Line(depth_++, "for o in range(2):");
    const int buffers = 2 + Below(4);
    for (int i = 0; i < buffers; ++i) {
      Line(depth_, fmt::format("b{} = T.allocate([{}], \"int32\", \"global\")", i, kElements));
      Line(depth_, fmt::format("b{0}_1 = T.Buffer(({1},), \"int32\", data=b{0})", i, kElements));
    }
    std::vector<std::string> sources = {"x"};
    for (int i = 0; i < buffers; ++i) {
      const std::string name = fmt::format("b{}_1", i);
      Fill(name, sources);
      sources.push_back(name);
      if (Below(8) == 0) AddNest(Pick(sources), sources, /*replaces=*/false);
    }
    Fill("y", sources);
    if (Below(4) == 0) AddNest("y", sources, /*replaces=*/false);
    return text_;
  }

 private:
  /// The index of an element, which loops count in some order.
  struct Place {
    std::vector<std::string> loops;
    std::string index;
  };

  int Below(int end) { return static_cast<int>(random_() % static_cast<uint64_t>(end)); }
  std::string Pick(const std::vector<std::string>& names) {
    // The last one most often, so that chains come up.
    if (Below(3) != 0) return names.back();
    return names[static_cast<size_t>(Below(static_cast<int>(names.size())))];
  }
  void Line(int depth, std::string_view line) {
    text_ += fmt::format("{:{}}{}\n", "", depth * 4, line);
  }

  Place MakePlace() {
    switch (Below(8)) {
      case 0:
        return {{"i in range(24)"}, "i"};
      case 1:
        return {{"i in range(24)"}, "(23 - i)"};
      case 2:
        return {{"i in range(24)"}, "(i % 4 * 6 + i // 4)"};
      case 3:
        return {{"i in range(6)", "k in range(4)"}, "(i * 4 + k)"};
      case 4:
        return {{"k in range(4)", "i in range(6)"}, "(i * 4 + k)"};
      case 5:
        return {{"i in range(2)", "j in range(3)", "k in range(4)"}, "(i * 12 + j * 4 + k)"};
      case 6:
        return {{"i in range(1, 7)", "k in range(4)"}, "(i * 4 + k - 4)"};
      default:
        return {{"i in range(3)", "k in range(8)"}, "(i * 8 + (7 - k))"};
    }
  }

  /// A value of what was filled before, at the place `at`.
  std::string Value(const std::vector<std::string>& sources, const std::string& at) {
    const std::string from = Pick(sources);
    switch (Below(9)) {
      case 0:
        return fmt::format("{}[{}]", from, at);
      case 1:
        return fmt::format("{}[{}] * 3 - 7", from, at);
      case 2:
        return fmt::format("{}[23 - {}]", from, at);
      case 3:
        return fmt::format("T.if_then_else({1} > 3, {0}[{1} - 4], 5)", from, at);
      case 4:
        return fmt::format("{}[{} // 2] + {}", from, at, Below(9));
      case 5:
        return fmt::format("{}[{}] + {}[{}]", from, at, Pick(sources), at);
      case 6:
        return fmt::format("T.q_multiply_shift({}[{}], 1518500250, 31, 1)", from, at);
      case 7:
        return fmt::format("T.Select({1} < 7, {0}[{1}], {0}[0])", from, at);
      default:
        return fmt::format("T.max(T.min({}[{}], 127), -128)", from, at);
    }
  }

  int Open(const std::vector<std::string>& loops) {
    int depth = depth_;
    for (const std::string& loop : loops) Line(depth++, fmt::format("for {}:", loop));
    return depth;
  }

  void Fill(const std::string& to, const std::vector<std::string>& sources) {
    if (Below(10) == 0) {
      // Filled in two nests.
      Line(Open({"i in range(24)"}), fmt::format("{}[i] = 0", to));
      return AddNest(to, sources, /*replaces=*/false);
    }
    AddNest(to, sources, /*replaces=*/true);
  }

  /// Fills `to`, or changes each element of it.
  void AddNest(const std::string& to, const std::vector<std::string>& sources, bool replaces) {
    const int kind = Below(6);
    if (kind == 0) {
      // Loops whose last part is cut off.
      const int depth = Open({"i in range(2)", "k in range(16)"});
      Line(depth, "if i * 2 + k // 8 < 3:");
      const std::string at = "(i * 16 + k)";
      const std::string old = replaces ? "" : fmt::format("{}[{}] + ", to, at);
      return Line(depth + 1, fmt::format("{}[{}] = {}{}", to, at, old, Value(sources, at)));
    }
    const Place place = MakePlace();
    const int depth = Open(place.loops);
    const std::string element = fmt::format("{}[{}]", to, place.index);
    if (kind == 1) {
      // A sum.
      if (replaces) Line(depth, fmt::format("{} = {}", element, Below(5)));
      Line(depth, "for r in range(3):");
      const std::string at = fmt::format("({} // 3 * 3 + r)", place.index);
      return Line(depth + 1, fmt::format("{0} = {0} + {1}", element, Value(sources, at)));
    }
    if (kind == 2) {
      // By way of a local buffer.
      Line(depth, "t = T.allocate([2], \"int32\", \"global\")");
      Line(depth, "t_1 = T.Buffer((2,), \"int32\", data=t)");
      Line(depth, fmt::format("for r in range(2):"));
      Line(depth + 1, fmt::format("t_1[r] = {} + r", Value(sources, place.index)));
      const std::string old = replaces ? "" : element + " + ";
      return Line(depth, fmt::format("{} = {}t_1[0] + t_1[1]", element, old));
    }
    const std::string old = replaces ? "" : element + " + ";
    Line(depth, fmt::format("{} = {}{}", element, old, Value(sources, place.index)));
  }

  std::mt19937_64 random_;
  std::string text_;
  int depth_ = 1;
};

/// What main makes of its parameters; nullopt if it fails.
std::optional<std::vector<std::vector<uint8_t>>> ResultsOf(const IRModule& module) {
  Diagnostics diagnostics;
  const auto interpreter = Interpreter::Compile(module, diagnostics);
  if (!interpreter.ok()) return std::nullopt;
  std::vector<Tensor> tensors(2, {DataType::Int(32), {kElements}, {}});
  for (Tensor& tensor : tensors) {
    for (int i = 0; i < kElements * 4; ++i)
      tensor.bytes.push_back(static_cast<uint8_t>(i % 4 < 2 ? i * 37 : 0));
  }
  if (!interpreter->Run("main", {Argument::Of(&tensors[0]), Argument::Of(&tensors[1])},
                        diagnostics))
    return std::nullopt;
  return std::vector{tensors[0].bytes, tensors[1].bytes};
}

int CountAllocations(const IRModule& module) {
  int count = 0;
  for (const Function& function : module.functions()) {
    Walk(function.func->body, [&](const Node* node) {
      count += isa<Allocate>(node) ? 1 : 0;
      return Stmt::ClassOf(node);
    });
  }
  return count;
}

class RandomNests : public testing::TestWithParam<const char*> {};

TEST_P(RandomNests, KeepResults) {
  int removed = 0;
  int ran = 0;
  const int seeds = Sample(1500, 8);
  for (uint64_t seed = 1; seed <= static_cast<uint64_t>(seeds); ++seed) {
    const std::string text = Writer(seed).Module();
    Context context;
    Diagnostics diagnostics;
    const auto module = ParseModule(context, "random.py", text, nullptr, {}, diagnostics);
    ASSERT_TRUE(module.has_value()) << text << Render(context.sources(), diagnostics);
    const auto before = ResultsOf(*module);
    if (!before.has_value()) continue;
    ++ran;
    const auto pipeline = ParsePipeline(context, GetParam(), KnownPasses(), diagnostics);
    ASSERT_TRUE(pipeline.has_value()) << Render(context.sources(), diagnostics);
    const InterpreterEvaluator evaluator;
    RunOptions options;
    options.evaluator = &evaluator;
    const auto after = RunPipeline(*module, *pipeline, options, diagnostics);
    ASSERT_TRUE(after.has_value()) << text << Render(context.sources(), diagnostics);
    ASSERT_EQ(before, ResultsOf(*after)) << "seed " << seed << "\n" << text << PrintModule(*after);
    removed += CountAllocations(*module) - CountAllocations(*after);
  }
  EXPECT_GT(ran, seeds * 2 / 3);
  // Passes that only move loops keep all of them.
  EXPECT_GE(removed, 0);
  if (std::string_view(GetParam()).find("forward") != std::string_view::npos) {
    EXPECT_GT(removed, seeds);
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, RandomNests,
    testing::Values("forward-producers", "fuse-nests", "fix(forward-producers,fuse-nests)",
                    "fuse-nests,forward-producers,simplify",
                    "forward-producers,fuse-nests,sums-in-lanes{max-lanes=8}",
                    "forward-producers,narrow-storage,forward-producers,fuse-nests,simplify,"
                    "localize-buffers,vectorize-loops,promote-accumulators,jam-loops"));

}  // namespace
}  // namespace tenon
