// Random call graphs: inlines operators at their calls, and outlines functions again.

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "fmt/format.h"
#include "interp/interpreter.h"
#include "interp/interpreter_evaluator.h"
#include "ir/analysis/call_graph.h"
#include "tests/unit/passes/random_results.h"

namespace tenon {
namespace {

constexpr int kElements = 8;

/// Writes modules in which functions with three buffers call earlier functions.
class Writer {
 public:
  explicit Writer(uint64_t seed) : random_(seed) {}

  std::string Module() {
    const int functions = 1 + Below(5);
    for (int i = 0; i < functions; ++i) AddFunction(i);
    AddMain(functions);
    return "@I.ir_module\nclass Module:\n" + text_;
  }

 private:
  int Below(int end) { return static_cast<int>(random_() % static_cast<uint64_t>(end)); }

  void Line(int depth, std::string_view line) {
    text_ += fmt::format("{:{}}{}\n", "", depth * 4, line);
  }

  std::string Pick(const std::vector<std::string>& names) {
    return names[static_cast<size_t>(Below(static_cast<int>(names.size())))];
  }

  /// A loop over all elements: sums, copies, or stores to every second element.
  void AddNest(int depth, const std::vector<std::string>& buffers) {
    const std::string to = Pick(buffers);
    const std::string from = Pick(buffers);
    Line(depth, fmt::format("for i in range({}):", kElements));
    switch (Below(4)) {
      case 0:
        return Line(depth + 1, fmt::format("{}[i] = {}[i] * {} + 1", to, from, 1 + Below(4)));
      case 1:
        return Line(depth + 1,
                    fmt::format("{0}[i] = {0}[i] + {1}[{2} - i]", to, from, kElements - 1));
      case 2:
        return Line(depth + 1, fmt::format("{}[i] = {}", to, Below(100)));
      default:
        Line(depth + 1, "if i % 2 == 0:");
        return Line(depth + 2, fmt::format("{}[i] = {}[i // 2]", to, from));
    }
  }

  void AddCall(int depth, int callees, const std::vector<std::string>& pointers) {
    const int callee = Below(callees);
    const std::string args = fmt::format("{}, {}, {}", Pick(pointers), Pick(pointers), Below(9));
    const std::string call = fmt::format("T.call_extern(\"int32\", \"f{}\", {})", callee, args);
    if (Below(4) == 0) {
      return Line(depth, fmt::format("T.call_cpacked(\"f{}\", {}, T.reinterpret(\"handle\", "
                                     "T.uint64(0)))",
                                     callee, args));
    }
    if (Below(6) == 0) {
      Line(depth, fmt::format("for j in range({}):", 1 + Below(3)));
      ++depth;
    }
    Line(depth, Below(2) == 0 ? call : fmt::format("T.tvm_check_return(0, -1, {})", call));
  }

  void AddBody(int depth, int callees, std::vector<std::string> buffers,
               std::vector<std::string> pointers) {
    for (int i = 0; i < 1 + Below(2); ++i) {
      const std::string name = fmt::format("s{}", i);
      const bool is_bytes = Below(3) == 0;
      Line(depth, fmt::format("{} = T.allocate([{}], \"{}\", \"global\")", name,
                              is_bytes ? kElements * 4 : kElements, is_bytes ? "int8" : "int32"));
      Line(depth, fmt::format("{0}_1 = T.Buffer(({1},), \"int32\", data={0})", name, kElements));
      Line(depth, fmt::format("for i in range({}):", kElements));
      Line(depth + 1, fmt::format("{}_1[i] = {}[i] + {}", name, Pick(buffers), Below(50)));
      buffers.push_back(name + "_1");
      pointers.push_back(name);
    }
    if (Below(2) == 0) {
      Line(depth, fmt::format("c = T.allocate_const([{}], \"int32\", [{}])",
                              fmt::join(std::vector<int>(kElements, Below(9)), ", "), kElements));
      Line(depth, fmt::format("c_1 = T.Buffer(({},), \"int32\", data=c)", kElements));
      Line(depth, fmt::format("for i in range({}):", kElements));
      Line(depth + 1, fmt::format("{}[i] = c_1[i] + i", Pick(buffers)));
    }
    for (int i = 0; i < 1 + Below(4); ++i) {
      if (callees > 0 && Below(2) == 0) {
        AddCall(depth, callees, pointers);
      } else {
        AddNest(depth, buffers);
      }
    }
  }

  void AddFunction(int index) {
    Line(1, "@T.prim_func");
    Line(1, fmt::format("def f{}(x: T.Buffer(({},), \"int32\"), y: T.Buffer(({},), \"int32\"), "
                        "k: T.int32):",
                        index, kElements, kElements));
    if (Below(4) == 0) {
      Line(2, "with T.Assert(k < 100, \"large\"):");
      Line(3, "y[0] = x[1] + k");
    }
    Line(2, "y[k % 8] = k");
    AddBody(2, index, {"x", "y"}, {"x.data", "y.data"});
  }

  void AddMain(int functions) {
    Line(1, "@T.prim_func");
    Line(1, fmt::format("def main(x: T.Buffer(({0},), \"int32\"), y: T.Buffer(({0},), \"int32\")):",
                        kElements));
    Line(2, fmt::format("for i in range({}):", kElements));
    Line(3, "y[i] = x[i] + 1");
    AddBody(2, functions, {"x", "y"}, {"x.data", "y.data"});
    for (int i = 0; i < 3; ++i) AddCall(2, functions, {"x.data", "y.data", "s0"});
  }

  std::mt19937_64 random_;
  std::string text_;
};

/// The parameters after a run of main; nullopt if it fails.
std::optional<std::vector<std::vector<uint8_t>>> ResultsOf(const IRModule& module) {
  Diagnostics diagnostics;
  const auto interpreter = Interpreter::Compile(module, diagnostics);
  if (!interpreter.ok()) return std::nullopt;
  std::vector<Tensor> tensors(2, {DataType::Int(32), {kElements}, {}});
  for (Tensor& tensor : tensors) {
    for (int i = 0; i < kElements * 4; ++i)
      tensor.bytes.push_back(static_cast<uint8_t>(i % 4 == 0 ? i * 7 : 0));
  }
  if (!interpreter->Run("main", {Argument::Of(&tensors[0]), Argument::Of(&tensors[1])},
                        diagnostics))
    return std::nullopt;
  return std::vector{tensors[0].bytes, tensors[1].bytes};
}

class RandomCallGraphs : public testing::TestWithParam<const char*> {};

TEST_P(RandomCallGraphs, KeepResults) {
  const int seeds = Sample(300, 3);
  const InterpreterEvaluator evaluator;
  RunOptions options;
  options.evaluator = &evaluator;
  // Most of these modules have calls that can be replaced.
  ExpectSameResults<Writer>(
      GetParam(), seeds, ResultsOf,
      [](const IRModule& before, const IRModule& after) {
        return after.functions().size() < before.functions().size();
      },
      seeds / 10, options);
}

INSTANTIATE_TEST_SUITE_P(
    All, RandomCallGraphs,
    testing::Values("inline-callees", "inline-callees{max-nodes=300}",
                    "inline-callees,outline-operators",
                    "inline-callees,fold-constants,outline-operators",
                    "inline-callees,outline-operators,inline-callees,outline-operators"));

}  // namespace
}  // namespace tenon
