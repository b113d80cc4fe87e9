// Random poolings of products: each iteration computes sums and uses them, and only the uses make
// the iterations depend on each other. The results are the same after the loops are divided.

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "byoc/known_passes.h"
#include "fmt/format.h"
#include "interp/interpreter.h"
#include "parser/parser.h"
#include "passes/pipeline/pipeline.h"
#include "passes/pipeline/runner.h"
#include "printer/printer.h"
#include "tests/unit/support/nightly.h"

namespace tenon {
namespace {

/// Writes `y[c] = op(y[c], use(sum over k of x[t, k] * f[k, c]))` for all `t`, in many forms.
class PoolingWriter {
 public:
  explicit PoolingWriter(uint64_t seed) : random_(seed) {}

  std::string Module() {
    Line(0, "# from tvm.script import tir as T\n\n@T.prim_func");
    Line(0, fmt::format("def main(x: T.Buffer(({},), \"{}\"), f: T.Buffer(({},), \"{}\"), "
                        "y: T.Buffer(({},), \"{}\")):",
                        places_ * steps_, data_, steps_ * columns_, data_, columns_, dtype_));
    if (Below(8) != 0) Line(1, "T.func_attr({\"tir.noalias\": T.bool(True)})");
    const bool is_split = columns_ % 2 == 0 && Below(3) == 0;
    const std::string c = is_split ? "(c * 2 + d)" : "c";
    Line(1, is_split ? fmt::format("for t, c, d in T.grid({}, {}, 2):", places_, columns_ / 2)
                     : fmt::format("for t, c in T.grid({}, {}):", places_, columns_));
    Line(2, fmt::format("s = T.allocate([1], \"{}\", \"global\")", dtype_));
    Line(2, fmt::format("s_1 = T.Buffer((1,), \"{}\", data=s)", dtype_));
    Line(2, fmt::format("s_1[0] = {}", Number(Below(3))));
    Line(2, fmt::format("for k in range({}):", steps_));
    const std::string factor = Below(2) == 0 ? fmt::format("f[k * {} + {}]", columns_, c)
                                             : fmt::format("f[{} * {} + k]", c, steps_);
    const std::string product =
        fmt::format("{} * {}", Wide(fmt::format("x[t * {} + k]", steps_)), Wide(factor));
    // Reads of what the uses write tie the sums to the uses.
    const std::string more = Below(6) == 0 ? fmt::format(" + y[{}]", Below(columns_)) : "";
    Line(3, fmt::format("s_1[0] = s_1[0] + {}{}", product, more));
    std::string used = "s_1[0]";
    if (Below(3) == 0) {
      Line(2, fmt::format("v = T.allocate([1], \"{}\", \"global\")", dtype_));
      Line(2, fmt::format("v_1 = T.Buffer((1,), \"{}\", data=v)", dtype_));
      Line(2, fmt::format("v_1[0] = T.max(s_1[0], {})", Number(0)));
      used = "v_1[0]";
    }
    if (Below(3) == 0) used = fmt::format("{} * {}", used, Number(3));
    if (Below(3) == 0) used = fmt::format("({} + {})", used, Wide("x[t]"));
    // Later columns of an iteration read what its earlier ones write.
    if (columns_ <= steps_ && data_ == dtype_ && Below(4) == 0)
      Line(2, fmt::format("x[t * {} + {}] = {}", steps_, c, used));
    const std::string result = fmt::format("y[{}]", Below(6) == 0 ? "0" : c);
    switch (Below(3)) {
      case 0:
        Line(2, fmt::format("{0} = {0} + {1}", result, used));
        break;
      case 1:
        Line(2, fmt::format("{0} = T.max({0}, {1})", result, used));
        break;
      default:
        Line(2, fmt::format("{0} = {1} - {0}", result, used));
        break;
    }
    return text_;
  }

 private:
  int Below(int end) { return static_cast<int>(random_() % static_cast<uint64_t>(end)); }
  void Line(int depth, const std::string& line) {
    text_ += std::string(static_cast<size_t>(depth) * 4, ' ') + line + "\n";
  }
  std::string Number(int value) const { return fmt::format("T.{}({})", dtype_, value); }
  std::string Wide(const std::string& element) const {
    return data_ == dtype_ ? element : fmt::format("T.Cast(\"{}\", {})", dtype_, element);
  }

  std::mt19937_64 random_;
  std::string text_;
  const std::string dtype_ = Below(2) == 0 ? "float32" : "int32";
  const std::string data_ = dtype_ == "float32" ? "float32" : Below(2) == 0 ? "int8" : "int32";
  const int places_ = 1 + Below(30);
  const int columns_ = Below(12) == 0 ? 90 + Below(300) : 1 + Below(40);
  const int steps_ = 1 + Below(20);
};

/// The result of `main` for numbers that are exact in all types.
std::vector<uint8_t> ResultOf(const IRModule& module) {
  Diagnostics diagnostics;
  const auto interpreter = Interpreter::Compile(module, diagnostics);
  if (!interpreter.ok()) return {};
  std::vector<Tensor> tensors;
  for (const Buffer* buffer : module.Main()->func->buffers) {
    const int64_t count = *AsIntImm(buffer->shape[0]);
    Tensor tensor{buffer->dtype, {count}, {}};
    for (int64_t i = 0; i < count; ++i) {
      const auto number = static_cast<int32_t>((i * 37 + i / 5) % 101 - 50);
      const float real = static_cast<float>(number) / 7.0F;
      const void* from = buffer->dtype.is_float() ? static_cast<const void*>(&real) : &number;
      const auto* bytes = static_cast<const uint8_t*>(from);
      tensor.bytes.insert(tensor.bytes.end(), bytes, bytes + buffer->dtype.bytes());
    }
    tensors.push_back(std::move(tensor));
  }
  if (!interpreter->Run(
          "main", {Argument::Of(&tensors[0]), Argument::Of(&tensors[1]), Argument::Of(&tensors[2])},
          diagnostics))
    return {};
  return tensors[2].bytes;
}

class RandomPooling : public testing::TestWithParam<const char*> {};

TEST_P(RandomPooling, KeepsResults) {
  int in_blocks = 0;
  const int seeds = Sample(4000, 16);
  for (uint64_t seed = 1; seed <= static_cast<uint64_t>(seeds); ++seed) {
    const std::string text = PoolingWriter(seed).Module();
    Context context;
    Diagnostics diagnostics;
    const auto module = ParseModule(context, "random.py", text, nullptr, {}, diagnostics);
    ASSERT_TRUE(module.has_value()) << text << Render(context.sources(), diagnostics);
    const std::vector<uint8_t> before = ResultOf(*module);
    ASSERT_FALSE(before.empty()) << text;
    const auto pipeline = ParsePipeline(context, GetParam(), KnownPasses(), diagnostics);
    const auto after = RunPipeline(*module, *pipeline, RunOptions(), diagnostics);
    ASSERT_TRUE(after.has_value()) << text << Render(context.sources(), diagnostics);
    ASSERT_EQ(before, ResultOf(*after)) << "seed " << seed << "\n" << text << PrintModule(*after);
    in_blocks += PrintModule(*after).find("block") != std::string::npos ? 1 : 0;
  }
  EXPECT_GT(in_blocks, seeds / 3);
}

INSTANTIATE_TEST_SUITE_P(
    All, RandomPooling,
    testing::Values("choose-blocks", "choose-blocks{registers=32 register-bytes=64 small=true}",
                    "choose-blocks{registers=16 register-bytes=16 pairs=true},simplify,"
                    "localize-buffers,vectorize-loops,vectorize-sums,jam-loops,simplify"));

}  // namespace
}  // namespace tenon
