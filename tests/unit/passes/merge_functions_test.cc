// Random layers of one form: the same results from one function for all of them.

#include "passes/lowering/merge_functions.h"

#include <gtest/gtest.h>

#include <optional>
#include <random>
#include <string>
#include <vector>

#include "fmt/format.h"
#include "interp/interpreter.h"
#include "parser/parser.h"
#include "passes/pipeline/pipeline.h"
#include "passes/pipeline/runner.h"
#include "printer/printer.h"
#include "tests/unit/support/nightly.h"

namespace tenon {
namespace {

constexpr int kElements = 64;

/// Writes a module whose entry runs three layers, each from the result of the one before.
class LayerWriter {
 public:
  explicit LayerWriter(uint64_t seed) : random_(seed) {}

  std::string Module() {
    std::string text =
        "# from tvm.script import ir as I\n# from tvm.script import tir as T\n\n@I.ir_module\n"
        "class Module:\n";
    for (int layer = 0; layer < 3; ++layer) text += Layer(layer);
    return text + fmt::format(R"(    @T.prim_func
    def main(x: T.Buffer(({0},), "int32"), y: T.Buffer(({0},), "int32")):
        T.func_attr({{"tir.noalias": T.bool(True)}})
        a = T.allocate([{0}], "int32", "global")
        b = T.allocate([{0}], "int32", "global")
        a_1 = T.Buffer(({0},), "int32", data=a)
        b_1 = T.Buffer(({0},), "int32", data=b)
        for i in range({0}):
            a_1[i] = i
            b_1[i] = -i
        T.call_extern("int32", "layer_0", x.data, a)
        T.call_extern("int32", "layer_1", a, b)
        T.call_extern("int32", "layer_2", b, y.data)
)",
                              kElements);
  }

 private:
  int64_t Below(int64_t end) {
    return static_cast<int64_t>(random_() % static_cast<uint64_t>(end));
  }

  /// A number of all layers; one layer in four has another one.
  int64_t Number(size_t which, int64_t end) {
    if (which == numbers_.size()) numbers_.push_back(Below(end));
    return Below(4) == 0 ? Below(end) : numbers_[which];
  }

  /// Places i read taps from `i * stride - pad` on, except those outside of `limit` elements.
  std::string Layer(int number) {
    size_t which = 0;
    const auto next = [&](int64_t end) { return Number(which++, end); };
    const int64_t taps = 2 + next(4);
    const int64_t stride = 1 + next(3);
    const int64_t pad = next(3);
    const int64_t places = 2 + next(15);
    const int64_t limit = kElements - next(16);
    const int64_t start = next(9) - 4;
    const int64_t factor = next(100) - 50;
    const int64_t shift = next(5);
    const int64_t added = next(256) - 128;
    const int64_t multiplier = next(1 << 30);
    const int64_t right = 20 + next(8);
    return fmt::format(
        R"(    @T.prim_func(private=True)
    def layer_{0}(x: T.Buffer(({1},), "int32"), y: T.Buffer(({2},), "int32")):
        T.func_attr({{"tenon.origins": ["layer_{0}"], "tir.noalias": T.bool(True)}})
        s = T.allocate([{3}], "int32", "global")
        s_1 = T.Buffer(({3},), "int32", data=s)
        for i in range({4}):
            for j in range({3}):
                s_1[j] = T.int32({5})
                if i * {6} + j >= {7} and i * {6} + j - {7} < {8}:
                    s_1[j] = x[i * {6} + j - {7}] * {9} + T.shift_left(j, {10})
            for j in range({11}):
                s_1[0] = s_1[0] + T.Cast("int32", T.Cast("int8", s_1[j + 1]) + T.int8({12}))
            y[i] = T.Cast("int32", T.shift_right(T.Cast("int64", s_1[0]) * T.int64({13}), T.int64({14})))

)",
        number, limit, places, taps, places, start, stride, pad, limit, factor, shift, taps - 1,
        added, multiplier, right);
  }

  std::mt19937_64 random_;
  std::vector<int64_t> numbers_;
};

/// The output; nullopt after an error.
std::optional<std::vector<uint8_t>> OutputOf(const IRModule& module, Diagnostics& diagnostics) {
  const auto interpreter = Interpreter::Compile(module, diagnostics);
  if (!interpreter.ok()) return std::nullopt;
  Tensor x{DataType::Int(32), {kElements}, {}};
  for (int64_t at = 0; at < kElements * 4; ++at)
    x.bytes.push_back(static_cast<uint8_t>(at * 89 + at / 7));
  Tensor y{DataType::Int(32), {kElements}, std::vector<uint8_t>(kElements * 4)};
  if (!interpreter->Run("main", {Argument::Of(&x), Argument::Of(&y, true)}, diagnostics))
    return std::nullopt;
  return y.bytes;
}

TEST(MergeFunctions, KeepsResults) {
  int merged = 0;
  const int seeds = Sample(2000, 8);
  for (uint64_t seed = 1; seed <= static_cast<uint64_t>(seeds); ++seed) {
    const std::string text = LayerWriter(seed).Module();
    Context context;
    Diagnostics diagnostics;
    const auto module = ParseModule(context, "random.py", text, nullptr, {}, diagnostics);
    ASSERT_TRUE(module.has_value()) << text << Render(context.sources(), diagnostics);
    const auto before = OutputOf(*module, diagnostics);
    ASSERT_TRUE(before.has_value()) << text << Render(context.sources(), diagnostics);
    const auto after =
        RunPipeline(*module, Pipeline().Add<&MergeFunctions>(), RunOptions(), diagnostics);
    ASSERT_TRUE(after.has_value()) << text << Render(context.sources(), diagnostics);
    ASSERT_EQ(before, OutputOf(*after, diagnostics))
        << "seed " << seed << "\n"
        << text << PrintModule(*after) << Render(context.sources(), diagnostics);
    merged += after->functions().size() < module->functions().size() ? 1 : 0;
  }
  EXPECT_GT(merged, seeds / 2);
}

}  // namespace
}  // namespace tenon
