#ifndef TENON_TESTS_UNIT_ANALYSIS_DISTANCE_JUDGE_H_
#define TENON_TESTS_UNIT_ANALYSIS_DISTANCE_JUDGE_H_

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "analysis/access_trace.h"
#include "analysis/safe_distances.h"
#include "interp/interpreter.h"
#include "ir/visitor.h"
#include "parser/parser.h"

// Finds the exact distances by running a function with its two buffers at every distance: the
// interpreter's pools record for each byte which allocation wrote it last.

namespace tenon {

/// A function `f(A, B)`, and the sizes of its buffers.
struct NestText {
  /// The lines of the body, with four spaces before each.
  std::string body;
  int64_t dying_elements = 1;
  int64_t begun_elements = 1;
  std::string dying_dtype = "int8";
  std::string begun_dtype = "int8";
};

class DistanceJudge {
 public:
  explicit DistanceJudge(const NestText& nest) : nest_(nest) {
    function_ = Parse(Header() + Function(), "f");
    if (!function_) return;
    written_ = WrittenElements();
    module_ = Parse(Header() + Function() + Main(), "main");
  }

  bool ok() const { return module_.has_value(); }
  std::string Messages() const { return Render(context_.sources(), diagnostics_) + Function(); }

  const PrimFunc& func() const { return *function_->functions()[0].func; }
  FunctionBuffer dying() const { return {func().buffers[0]->data, DyingBytes()}; }
  FunctionBuffer begun() const { return {func().buffers[1]->data, BegunBytes()}; }
  int64_t DyingBytes() const { return nest_.dying_elements * Width(nest_.dying_dtype); }
  int64_t BegunBytes() const { return nest_.begun_elements * Width(nest_.begun_dtype); }

  SafeDistances ClosedForm() const { return SafeDistancesOf(func(), dying(), begun()); }
  absl::StatusOr<AccessTrace> Trace() const {
    const FunctionBuffer buffers[] = {dying(), begun()};
    return AccessTrace::Of(func(), buffers, {});
  }

  /// Whether the function runs without errors and has the same outputs as with separate buffers.
  bool RunsAt(int64_t distance) {
    const std::optional<std::vector<uint8_t>> now = Outputs(distance);
    if (!apart_) apart_ = Outputs(DyingBytes());
    return now.has_value() && *now == *apart_;
  }

 private:
  static int64_t Width(std::string_view dtype) {
    if (dtype.ends_with("64")) return 8;
    if (dtype.ends_with("32")) return 4;
    return dtype.ends_with("16") ? 2 : 1;
  }

  std::string Header() const {
    return "from tvm.script import ir as I\nfrom tvm.script import tir as T\n\n"
           "@I.ir_module\nclass Module:\n";
  }
  std::string Params() const {
    return fmt::format("A: T.Buffer(({},), \"{}\"), B: T.Buffer(({},), \"{}\")",
                       nest_.dying_elements, nest_.dying_dtype, nest_.begun_elements,
                       nest_.begun_dtype);
  }
  std::string Function() const {
    return fmt::format(
        "  @T.prim_func\n  def f({}):\n    T.func_attr({{\"global_symbol\": \"f\"}})\n{}", Params(),
        nest_.body);
  }
  std::string Main() const {
    std::string text = fmt::format(
        "  @T.prim_func\n  def main(out: T.Buffer(({0},), \"{1}\")):\n"
        "    T.func_attr({{\"global_symbol\": \"main\"}})\n"
        "    a = T.allocate([{2}], \"{3}\", \"global\")\n"
        "    b = T.allocate([{0}], \"{1}\", \"global\")\n"
        "    A = T.Buffer(({2},), \"{3}\", data=a)\n    B = T.Buffer(({0},), \"{1}\", data=b)\n"
        "    for i in range({2}):\n      A[i] = T.Cast(\"{3}\", i * 7 % 101)\n"
        "    T.evaluate(T.call_extern(\"int32\", \"f\", a, b))\n",
        nest_.begun_elements, nest_.begun_dtype, nest_.dying_elements, nest_.dying_dtype);
    for (const int64_t element : written_) text += fmt::format("    out[{0}] = B[{0}]\n", element);
    return text;
  }

  std::optional<IRModule> Parse(const std::string& text, std::string name) {
    return ParseModule(context_, name + ".py", text, nullptr, {}, diagnostics_);
  }

  /// Elements of B that the function writes: those that do not keep their initial values.
  std::vector<int64_t> WrittenElements() {
    std::vector<bool> is_written(static_cast<size_t>(nest_.begun_elements));
    // A function that cannot run has no exact distances, only its closed form and trace.
    Diagnostics diagnostics;
    const auto interpreter = Interpreter::Compile(*function_, diagnostics);
    const auto width = static_cast<size_t>(Width(nest_.begun_dtype));
    for (const uint8_t fill : {uint8_t{0x55}, uint8_t{0x2a}}) {
      if (!interpreter.ok()) break;
      Tensor a = TensorOf(func().buffers[0]->dtype, nest_.dying_elements, 1);
      Tensor b = TensorOf(func().buffers[1]->dtype, nest_.begun_elements, fill);
      interpreter->Run("f", {Argument::Of(&a), Argument::Of(&b)}, diagnostics);
      for (size_t i = 0; i < b.bytes.size(); ++i)
        if (b.bytes[i] != fill) is_written[i / width] = true;
    }
    std::vector<int64_t> written;
    for (size_t i = 0; i < is_written.size(); ++i)
      if (is_written[i]) written.push_back(static_cast<int64_t>(i));
    return written;
  }

  static Tensor TensorOf(DataType dtype, int64_t elements, uint8_t fill) {
    Tensor tensor{dtype, {elements}, {}};
    tensor.bytes.assign(static_cast<size_t>(elements * dtype.bytes()), fill);
    return tensor;
  }

  std::optional<std::vector<uint8_t>> Outputs(int64_t distance) {
    InterpreterOptions options;
    Walk(module_->Main()->func->body, [&](const Node* node) {
      if (const auto* allocate = dyn_cast<Allocate>(node)) {
        const bool is_dying = allocate->buffer_var->name.view() == "a";
        const int64_t low = std::max<int64_t>(0, -distance);
        options.placement[allocate->buffer_var] = {"pool", is_dying ? low : low + distance};
      }
      return isa<Stmt>(node);
    });
    Diagnostics diagnostics;
    const auto interpreter = Interpreter::Compile(*module_, diagnostics, options);
    if (!interpreter.ok()) return std::nullopt;
    Tensor out = TensorOf(module_->Main()->func->buffers[0]->dtype, nest_.begun_elements, 0);
    if (!interpreter->Run("main", {Argument::Of(&out)}, diagnostics)) return std::nullopt;
    return out.bytes;
  }

  NestText nest_;
  Context context_;
  Diagnostics diagnostics_;
  std::optional<IRModule> function_;
  std::optional<IRModule> module_;
  std::vector<int64_t> written_;
  std::optional<std::vector<uint8_t>> apart_;
};

}  // namespace tenon

#endif  // TENON_TESTS_UNIT_ANALYSIS_DISTANCE_JUDGE_H_
