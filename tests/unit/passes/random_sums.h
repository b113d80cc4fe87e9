#ifndef TENON_TESTS_UNIT_PASSES_RANDOM_SUMS_H_
#define TENON_TESTS_UNIT_PASSES_RANDOM_SUMS_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "fmt/format.h"
#include "fmt/ranges.h"
#include "interp/interpreter.h"

// Modules with sums of products, and their results.

namespace tenon {

/// Writes the text of a module from random numbers.
class RandomText {
 protected:
  explicit RandomText(uint64_t seed) : random_(seed) {}

  int64_t Below(int64_t end) {
    return static_cast<int64_t>(random_() % static_cast<uint64_t>(end));
  }
  void Line(int depth, std::string_view line) {
    text_ += fmt::format("{:{}}{}\n", "", depth * 4, line);
  }
  /// A constant with a flat buffer over it, which has `_1` after its name.
  template <class Value>
  void WriteConstant(std::string_view name, std::string_view dtype,
                     const std::vector<Value>& values) {
    Line(1, fmt::format("{} = T.allocate_const([{}], \"{}\", [{}])", name, fmt::join(values, ", "),
                        dtype, values.size()));
    Line(1, fmt::format("{0}_1 = T.Buffer(({1},), \"{2}\", data={0})", name, values.size(), dtype));
  }

  std::string text_;

 private:
  std::mt19937_64 random_;
};

/// Writes a module with one convolution: blocks of output channels, whose places are a loop or
/// statements, and a padded copy of the input.
class ConvolutionWriter : RandomText {
 public:
  explicit ConvolutionWriter(uint64_t seed) : RandomText(seed) {}

  std::string Module() {
    text_ = "# from tvm.script import tir as T\n\n@T.prim_func\n";
    Line(0, fmt::format("def main(x: T.Buffer(({},), \"{}\"), y: T.Buffer(({},), \"{}\")):",
                        channels_ * height_ * width_, inputs_,
                        blocks_ * block_ * Rows() * Columns(), dtype_));
    Line(1, "T.func_attr({\"tir.noalias\": T.bool(True)})");
    Constant("w", blocks_ * block_ * channels_ * kernel_ * kernel_, factors_);
    Constant("b", blocks_ * block_, dtype_);
    if (!guards_update_) Pad();
    Line(1, fmt::format("for o, i in T.grid({}, {}):", blocks_, Rows()));
    Line(2, fmt::format("s = T.allocate([{}], \"{}\", \"global\")", Columns() * block_, dtype_));
    Line(2, fmt::format("s_1 = T.Buffer(({},), \"{}\", data=s)", Columns() * block_, dtype_));
    Places(2, [&](int depth, const std::string& place) {
      Line(depth, fmt::format("for c in range({}):", block_));
      Line(depth + 1, fmt::format("s_1[{} * {} + c] = {}", place, block_,
                                  starts_with_bias_ ? Bias("c") : Zero()));
    });
    Line(2, channels_last_
                ? fmt::format("for p, q, k in T.grid({1}, {1}, {0}):", channels_, kernel_)
                : fmt::format("for k, p, q in T.grid({0}, {1}, {1}):", channels_, kernel_));
    Places(3, [&](int depth, const std::string& place) {
      Line(depth, fmt::format("for c in range({}):", block_));
      const std::string sum = fmt::format("s_1[{} * {} + c]", place, block_);
      const std::string row = fmt::format("i * {} + p", stride_);
      const std::string column = fmt::format("{} * {} + q", place, stride_);
      if (guards_update_) {
        Line(depth + 1, fmt::format("if {0} <= {1} and {1} < {2} and {0} <= {3} and {3} < {4}:",
                                    padding_, row, height_ + padding_, column, width_ + padding_));
        ++depth;
      }
      Line(depth + 1,
           fmt::format("{0} = {0} + {1} * {2}", sum, InSum(Input(row, column), inputs_, offset_),
                       InSum(Weight(), factors_, weight_offset_)));
    });
    Line(2, fmt::format("for j, c in T.grid({}, {}):", Columns(), block_));
    Line(3, fmt::format("y[{}] = {}", Output(), Result()));
    return text_;
  }

 private:
  bool Coin() { return Below(2) == 0; }
  int64_t Rows() const { return (Dilated(height_) + 2 * padding_ - kernel_) / stride_ + 1; }
  int64_t Columns() const { return (Dilated(width_) + 2 * padding_ - kernel_) / stride_ + 1; }
  /// The elements and the zeros between them.
  int64_t Dilated(int64_t size) const { return (size - 1) * dilation_ + 1; }
  std::string Zero() const { return fmt::format("T.{}(0)", dtype_); }
  bool IsInt() const { return dtype_ == "int32"; }
  /// A factor in the dtype of the sum, perhaps with a zero point.
  std::string InSum(const std::string& factor, const std::string& dtype, int64_t zero_point) const {
    if (dtype == dtype_) return factor;
    const std::string number = fmt::format("T.Cast(\"{}\", {})", dtype_, factor);
    return zero_point == 0 ? number : fmt::format("({} + {})", number, zero_point);
  }
  std::string Drawn(std::vector<std::string> choices) {
    return choices[static_cast<size_t>(Below(static_cast<int64_t>(choices.size())))];
  }

  void Constant(std::string_view name, int64_t count, const std::string& dtype) {
    std::vector<double> values;
    for (int64_t i = 0; i < count; ++i) {
      const int64_t value = IsInt() ? Below(256) - 128 : Below(2001) - 1000;
      values.push_back(static_cast<double>(value) / (IsInt() ? 1 : 256));
    }
    WriteConstant(name, dtype, values);
  }

  void Pad() {
    const int64_t height = Dilated(height_) + 2 * padding_;
    const int64_t width = Dilated(width_) + 2 * padding_;
    Line(1, fmt::format("pad = T.allocate([{}], \"{}\", \"global\")", channels_ * height * width,
                        inputs_));
    Line(1, fmt::format("pad_1 = T.Buffer(({},), \"{}\", data=pad)", channels_ * height * width,
                        inputs_));
    Line(1, fmt::format("for k, p, q in T.grid({}, {}, {}):", channels_, height, width));
    const std::string zero = fmt::format("T.{}(0)", inputs_);
    std::string element =
        fmt::format("x[k * {} + (p - {}) // {} * {} + (q - {}) // {}]", height_ * width_, padding_,
                    dilation_, width_, padding_, dilation_);
    if (dilation_ > 1) {
      element =
          fmt::format("T.if_then_else((p - {0}) % {1} == 0 and (q - {0}) % {1} == 0, {2}, {3})",
                      padding_, dilation_, element, zero);
    }
    Line(2,
         fmt::format("pad_1[k * {} + p * {} + q] = T.if_then_else({} <= p and p < {} and {} <= q "
                     "and q < {}, {}, {})",
                     height * width, width, padding_, height - padding_, padding_, width - padding_,
                     element, zero));
  }

  /// Makes statements for all places of a row, in a loop or one after the other.
  void Places(int depth, const std::function<void(int, const std::string&)>& make) {
    if (unrolled_) {
      for (int64_t place = 0; place < Columns(); ++place) make(depth, std::to_string(place));
      return;
    }
    Line(depth, fmt::format("for j in range({}):", Columns()));
    make(depth + 1, "j");
  }

  std::string Input(const std::string& row, const std::string& column) const {
    if (guards_update_) {
      return fmt::format("x[k * {} + ({} - {}) * {} + {} - {}]", height_ * width_, row, padding_,
                         width_, column, padding_);
    }
    const int64_t width = Dilated(width_) + 2 * padding_;
    return fmt::format("pad_1[k * {} + ({}) * {} + {}]", (Dilated(height_) + 2 * padding_) * width,
                       row, width, column);
  }

  std::string Weight() const {
    const int64_t taps = kernel_ * kernel_;
    if (weights_ == 0)  // Blocks of channels.
      return fmt::format("w_1[o * {} + k * {} + p * {} + q * {} + c]", channels_ * taps * block_,
                         taps * block_, kernel_ * block_, block_);
    if (weights_ == 1)  // OIHW.
      return fmt::format("w_1[(o * {} + c) * {} + k * {} + p * {} + q]", block_, channels_ * taps,
                         taps, kernel_);
    // HWIO.
    return fmt::format("w_1[p * {} + q * {} + k * {} + o * {} + c]",
                       kernel_ * channels_ * blocks_ * block_, channels_ * blocks_ * block_,
                       blocks_ * block_, block_);
  }

  std::string Output() const {
    if (output_ == 0)  // Blocks of channels.
      return fmt::format("o * {} + i * {} + j * {} + c", Rows() * Columns() * block_,
                         Columns() * block_, block_);
    if (output_ == 1)  // NCHW.
      return fmt::format("(o * {} + c) * {} + i * {} + j", block_, Rows() * Columns(), Columns());
    // NHWC.
    return fmt::format("(i * {} + j) * {} + o * {} + c", Columns(), blocks_ * block_, block_);
  }

  std::string Bias(std::string_view channel) const {
    return fmt::format("b_1[o * {} + {}]", block_, channel);
  }

  std::string Result() {
    const std::string sum = fmt::format("s_1[j * {} + c]", block_);
    if (starts_with_bias_) return sum;
    return Coin() ? fmt::format("T.max({} + {}, {})", sum, Bias("c"), Zero())
                  : fmt::format("{} * {}", Bias("c"), sum);
  }

  std::string dtype_ = Drawn({"float32", "float32", "float64", "int32", "int32"});
  std::string inputs_ = IsInt() ? Drawn({"int8", "int16", "int32"}) : dtype_;
  std::string factors_ = IsInt() ? Drawn({"int8", "int16", "int32"}) : dtype_;
  int64_t offset_ = Below(3) * 7;
  int64_t weight_offset_ = Below(6) == 0 ? 3 : 0;
  int64_t kernel_ = 1 + Below(3);
  int64_t padding_ = kernel_ == 1 ? 0 : Below(2);
  int64_t stride_ = 1 + Below(2);
  int64_t height_ = kernel_ + Below(4);
  int64_t width_ = kernel_ + Below(6);
  int64_t channels_ = 1 + Below(9);
  int64_t block_ = std::vector<int64_t>{1, 3, 4, 4, 8}[static_cast<size_t>(Below(5))];
  int64_t blocks_ = 1 + Below(9);
  int64_t weights_ = Below(3);
  int64_t output_ = Below(3);
  bool unrolled_ = Coin();
  bool guards_update_ = Below(4) == 0;
  bool starts_with_bias_ = Coin();
  bool channels_last_ = Coin();
  int64_t dilation_ = guards_update_ ? 1 : 1 + Below(4) / 3;
};

/// The output; nullopt after an error.
inline std::optional<std::vector<uint8_t>> OutputOf(const IRModule& module) {
  Diagnostics diagnostics;
  const auto interpreter = Interpreter::Compile(module, diagnostics);
  if (!interpreter.ok()) return std::nullopt;
  std::vector<Tensor> tensors;
  const Function& main = *module.Main();
  for (size_t i = 0; i < 2; ++i) {
    const Buffer& buffer = *main.func->buffers[i];
    const int64_t count = *AsIntImm(buffer.shape[0]);
    Tensor tensor{buffer.dtype, {count}, {}};
    for (int64_t at = 0; at < count; ++at) {
      if (buffer.dtype.is_integer()) {
        for (int64_t byte = 0; byte < buffer.dtype.bytes(); ++byte)
          tensor.bytes.push_back(static_cast<uint8_t>(i == 0 ? at * 89 + byte * 31 + at / 7 : 0));
        continue;
      }
      // The upper half of a number near 1, whose lower bits round differently in another order.
      for (int64_t byte = 0; byte + 2 < buffer.dtype.bytes(); ++byte)
        tensor.bytes.push_back(static_cast<uint8_t>(i == 0 ? at * 89 + byte * 31 + at / 7 : 0));
      tensor.bytes.push_back(static_cast<uint8_t>(i == 0 ? 0x80 + at % 100 : 0));
      tensor.bytes.push_back(i == 0 ? 0x3f : 0);
    }
    tensors.push_back(std::move(tensor));
  }
  if (!interpreter->Run("main", {Argument::Of(&tensors[0]), Argument::Of(&tensors[1], true)},
                        diagnostics))
    return std::nullopt;
  return tensors[1].bytes;
}

/// Writes a module with one product of matrices, which is added up in memory row by row.
class ProductWriter : RandomText {
 public:
  explicit ProductWriter(uint64_t seed) : RandomText(seed) {}

  std::string Module() {
    std::vector<double> values;
    for (int64_t i = 0; i < (steps_ + 1) * columns_; ++i)
      values.push_back(static_cast<double>(Below(2001) - 1000) / 256);
    const std::string sum = fmt::format("{}[i * {} + j]", adds_apart_ ? "s_1" : "y", columns_);
    std::string text = fmt::format(
        "# from tvm.script import tir as T\n\n@T.prim_func\n"
        "def main(x: T.Buffer(({},), \"{}\"), y: T.Buffer(({},), \"{}\")):\n"
        "    T.func_attr({{\"tir.noalias\": T.bool(True)}})\n"
        "    w = T.allocate_const([{}], \"{}\", [{}])\n",
        rows_ * steps_, dtype_, rows_ * columns_, dtype_, fmt::join(values, ", "), dtype_,
        values.size());
    text += fmt::format("    w_1 = T.Buffer(({},), \"{}\", data=w)\n", values.size(), dtype_);
    if (adds_apart_) {
      text += fmt::format(
          "    s = T.allocate([{0}], \"{1}\", \"global\")\n"
          "    s_1 = T.Buffer(({0},), \"{1}\", data=s)\n",
          rows_ * columns_, dtype_);
    }
    text += fmt::format(
        "    for i in range({}):\n"
        "        for j in range({}):\n            {} = {}\n"
        "        for k, j in T.grid({}, {}):\n            {} = {} + x[i * {} + k] * w_1[{}]\n",
        rows_, columns_, sum, starts_with_bias_ ? Bias() : Zero(), steps_, columns_, sum, sum,
        steps_,
        is_transposed_ ? fmt::format("j * {} + k", steps_) : fmt::format("k * {} + j", columns_));
    if (adds_apart_) {
      text += fmt::format(
          "        for j in range({}):\n            y[i * {} + j] = T.max({} + {}, {})\n", columns_,
          columns_, sum, Bias(), Zero());
    }
    return text;
  }

 private:
  std::string Zero() const { return fmt::format("T.{}(0)", dtype_); }
  std::string Bias() const { return fmt::format("w_1[{} + j]", steps_ * columns_); }

  std::string dtype_ = Below(4) == 0 ? "float64" : "float32";
  int64_t rows_ = 1 + Below(9);
  int64_t steps_ = 1 + Below(9);
  int64_t columns_ =
      (1 + Below(24)) * std::vector<int64_t>{1, 4, 8, 16}[static_cast<size_t>(Below(4))];
  bool is_transposed_ = Below(4) == 0;
  bool starts_with_bias_ = Below(2) == 0;
  bool adds_apart_ = Below(2) == 0;
};

}  // namespace tenon

#endif  // TENON_TESTS_UNIT_PASSES_RANDOM_SUMS_H_
