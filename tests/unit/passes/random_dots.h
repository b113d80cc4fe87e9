#ifndef TENON_TESTS_UNIT_PASSES_RANDOM_DOTS_H_
#define TENON_TESTS_UNIT_PASSES_RANDOM_DOTS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fmt/format.h"
#include "tests/unit/passes/random_sums.h"

namespace tenon {

/// Writes a module with one convolution or dense layer of 8-bit integers, perhaps with their mean.
class ByteConvolutionWriter : RandomText {
 public:
  explicit ByteConvolutionWriter(uint64_t seed) : RandomText(seed) {}

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
  int64_t Rows() const { return (height_ + 2 * padding_ - kernel_) / stride_ + 1; }
  int64_t Columns() const { return (width_ + 2 * padding_ - kernel_) / stride_ + 1; }

  void Constant(std::string_view name, std::string_view dtype, int64_t count, int64_t least,
                int64_t most) {
    std::vector<int64_t> values;
    for (int64_t i = 0; i < count; ++i) values.push_back(least + Below(most - least + 1));
    WriteConstant(name, dtype, values);
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

}  // namespace tenon

#endif  // TENON_TESTS_UNIT_PASSES_RANDOM_DOTS_H_
