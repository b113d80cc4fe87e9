// Random convolutions and dense layers of 8-bit integers: the same results with dot products, which
// the interpreter and scalar code compute, and with rescaling in words.

#include "passes/loops/dot_products.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "byoc/known_passes.h"
#include "fmt/format.h"
#include "fmt/ranges.h"
#include "interp/interpreter.h"
#include "ir/attributes.h"
#include "ir/builtins.h"
#include "ir/function_attrs.h"
#include "ir/visitor.h"
#include "parser/parser.h"
#include "passes/pipeline/pipeline.h"
#include "passes/pipeline/runner.h"
#include "printer/printer.h"
#include "tests/unit/support/nightly.h"

namespace tenon {
namespace {

/// Writes a module with one operator.
class ConvolutionWriter {
 public:
  explicit ConvolutionWriter(uint64_t seed) : random_(seed) {}

  std::string Module() {
    const bool is_mean = channels_ % 4 == 0 && padding_ == 0 && Below(2) == 0;
    text_ = "# from tvm.script import tir as T\n\n@T.prim_func\n";
    Line(0, fmt::format("def main(x: T.Buffer(({},), \"{}\"), y: T.Buffer(({},), \"int32\")):",
                        height_ * width_ * channels_, dtype_,
                        is_mean ? columns_ : Rows() * Columns() * columns_));
    Line(1, "T.func_attr({\"tir.noalias\": T.bool(True)})");
    Constant("w", Below(3) == 0 ? "int16" : "int8", kernel_ * kernel_ * channels_ * columns_, -128,
             127);
    Constant("b", "int32", columns_, -5000, 5000);
    Constant("m", "int32", columns_, 1 << 30, (int64_t{1} << 31) - 1);
    Constant("r", "int8", columns_, 1, 9);
    if (is_mean) {
      Mean();
    } else {
      Line(1, fmt::format("for i, j, c in T.grid({}, {}, {}):", Rows(), Columns(), columns_));
      Sum(2);
      Line(2, fmt::format("y[i * {} + j * {} + c] = {}", Columns() * columns_, columns_, Result()));
    }
    return text_;
  }

 private:
  int64_t Below(int64_t end) {
    return static_cast<int64_t>(random_() % static_cast<uint64_t>(end));
  }
  int64_t Rows() const { return (height_ + 2 * padding_ - kernel_) / stride_ + 1; }
  int64_t Columns() const { return (width_ + 2 * padding_ - kernel_) / stride_ + 1; }
  void Line(int depth, std::string_view line) {
    text_ += fmt::format("{:{}}{}\n", "", depth * 4, line);
  }

  void Constant(std::string_view name, std::string_view dtype, int64_t count, int64_t least,
                int64_t most) {
    std::vector<int64_t> values;
    for (int64_t i = 0; i < count; ++i) values.push_back(least + Below(most - least + 1));
    Line(1, fmt::format("{} = T.allocate_const([{}], \"{}\", [{}])", name, fmt::join(values, ", "),
                        dtype, count));
    Line(1, fmt::format("{0}_1 = T.Buffer(({1},), \"{2}\", data={0})", name, count, dtype));
  }

  /// Statements that compute `s_1[0]` at the place i, j, c.
  void Sum(int depth) {
    Line(depth, "s = T.allocate([1], \"int32\", \"global\")");
    Line(depth, "s_1 = T.Buffer((1,), \"int32\", data=s)");
    Line(depth, fmt::format("s_1[0] = {}", Below(3) == 0 ? "b_1[c]" : "0"));
    Line(depth, fmt::format("for p, q, k in T.grid({0}, {0}, {1}):", kernel_, channels_));
    const std::string row = fmt::format("i * {} + p", stride_);
    const std::string column = fmt::format("j * {} + q", stride_);
    const std::string element = fmt::format("x[({} - {}) * {} + ({} - {}) * {} + k]", row, padding_,
                                            width_ * channels_, column, padding_, channels_);
    const std::string factor = fmt::format("(T.Cast(\"int32\", {}) + {})", element, offset_);
    const std::string weight =
        transposed_ ? fmt::format("w_1[c * {} + p * {} + q * {} + k]",
                                  kernel_ * kernel_ * channels_, kernel_ * channels_, channels_)
                    : fmt::format("w_1[p * {} + q * {} + k * {} + c]",
                                  kernel_ * channels_ * columns_, channels_ * columns_, columns_);
    const std::string product = fmt::format("T.Cast(\"int32\", {}) * ", weight);
    const std::string inside =
        fmt::format("{0} >= {1} and {0} < {2} and {3} >= {1} and {3} < {4}", row, padding_,
                    height_ + padding_, column, width_ + padding_);
    if (padding_ == 0) {
      Line(depth + 1, fmt::format("s_1[0] = s_1[0] + {}{}", product, factor));
    } else if (guards_update_) {
      Line(depth + 1, fmt::format("if {}:", inside));
      Line(depth + 2, fmt::format("s_1[0] = s_1[0] + {}{}", product, factor));
    } else {
      Line(depth + 1,
           fmt::format("s_1[0] = s_1[0] + {}T.if_then_else({}, {}, 0)", product, inside, factor));
    }
  }

  std::string Result() {
    switch (Below(4)) {
      case 0:
        return "s_1[0]";
      case 1:
        return "s_1[0] + b_1[c]";
      case 2:
        return fmt::format("T.q_multiply_shift(s_1[0], {}, 31, {})",
                           Below(4) == 0 ? int64_t{1} << 30 : (int64_t{1} << 30) + Below(1 << 30),
                           2 - Below(12));
      default:
        return "T.max(T.min(T.q_multiply_shift_per_axis(s_1[0] + b_1[c], m_1[c], 0, "
               "T.Cast(\"int32\""
               ", r_1[c]), 31, T.bool(False), T.bool(True)), 127), -128)";
    }
  }

  /// The mean of all places, in a nest of its own.
  void Mean() {
    Line(1, fmt::format("t = T.allocate([{}], \"int32\", \"global\")", columns_));
    Line(1, fmt::format("t_1 = T.Buffer(({},), \"int32\", data=t)", columns_));
    Line(1, fmt::format("for c in range({}):", columns_));
    Line(2, "t_1[c] = 0");
    Line(1, fmt::format("for i, j, c in T.grid({}, {}, {}):", Rows(), Columns(), columns_));
    Sum(2);
    Line(2, fmt::format("t_1[c] = t_1[c] + {}", Result()));
    Line(1, fmt::format("for c in range({}):", columns_));
    Line(2, "y[c] = t_1[c] // 3");
  }

  std::mt19937_64 random_;
  std::string text_;
  int64_t kernel_ = 1 + Below(3);
  int64_t padding_ = kernel_ == 1 ? 0 : Below(2);
  int64_t stride_ = 1 + Below(2);
  int64_t height_ = kernel_ + Below(4);
  int64_t width_ = kernel_ + Below(5);
  int64_t channels_ = Below(2) == 0 ? 4 * (1 + Below(3)) : 1 + Below(9);
  int64_t columns_ = 2 + Below(8);
  std::string dtype_ = Below(2) == 0 ? "int8" : "uint8";
  int64_t offset_ = std::vector<int64_t>{0, 0, 128, -128, 83, -3}[static_cast<size_t>(Below(6))];
  bool transposed_ = Below(2) == 0;
  bool guards_update_ = Below(2) == 0;
};

/// The output; nullopt after an error.
std::optional<std::vector<uint8_t>> OutputOf(const IRModule& module) {
  Diagnostics diagnostics;
  const auto interpreter = Interpreter::Compile(module, diagnostics);
  if (!interpreter.ok()) return std::nullopt;
  std::vector<Tensor> tensors;
  const Function& main = *module.Main();
  for (size_t i = 0; i < 2; ++i) {
    const Buffer& buffer = *main.func->buffers[i];
    const int64_t count = *AsIntImm(buffer.shape[0]);
    Tensor tensor{buffer.dtype, {count}, {}};
    for (int64_t at = 0; at < count * buffer.dtype.bytes(); ++at)
      tensor.bytes.push_back(i == 0 ? static_cast<uint8_t>(at * 89 + at / 7) : 0);
    tensors.push_back(std::move(tensor));
  }
  if (!interpreter->Run("main", {Argument::Of(&tensors[0]), Argument::Of(&tensors[1], true)},
                        diagnostics))
    return std::nullopt;
  return tensors[1].bytes;
}

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
    const std::string text = ConvolutionWriter(seed).Module();
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
    const std::string text = ConvolutionWriter(seed).Module();
    Context context;
    Diagnostics diagnostics;
    const auto module = ParseModule(context, "random.py", text, nullptr, {}, diagnostics);
    ASSERT_TRUE(module.has_value());
    const auto chosen = InDots(*module, true, diagnostics);
    ASSERT_TRUE(chosen.has_value());
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
