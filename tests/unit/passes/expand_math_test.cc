// tanh, exp and erf of float32 as arithmetic: the same bits as the functions of the C library.

#include "passes/lowering/expand_math.h"

#include <gnu/libc-version.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "byoc/known_passes.h"
#include "fmt/format.h"
#include "interp/interpreter.h"
#include "parser/parser.h"
#include "passes/pipeline/pipeline.h"
#include "passes/pipeline/runner.h"
#include "tests/unit/support/nightly.h"

namespace tenon {
namespace {

/// Evenly spread bit patterns, and the neighbours of every place where the algorithm branches.
std::vector<float> Arguments(size_t multiple) {
  std::vector<float> values;
  const auto stride = static_cast<uint32_t>(Sample(1 << 20, 32));
  for (uint64_t bits = 0; bits < uint64_t{1} << 32; bits += (uint64_t{1} << 32) / stride + 1)
    values.push_back(std::bit_cast<float>(static_cast<uint32_t>(bits)));
  for (const double edge :
       {0.0,           0x1p-126,      0x1p-119,      0x1p-55,      0x1p-28, 0x1p-25,
        0x1.62e43p-3,  0x1.0a2b24p-1, 0.84375,       1.0,          1.25,    2.0,
        0x1.6db6dcp+1, 6.0,           8.0,           9.0,          10.0,    22.0,
        0x1.04845ep+5, 44.0,          0x1.f8cbb2p+5, 0x1.5d58ap+6, 88.0,    0x1.62e42ep+6,
        0x1.9fe368p+6, 0x1.fffffep127}) {
    const auto bits = std::bit_cast<uint32_t>(static_cast<float>(edge));
    for (uint32_t i = 0; i < 400; ++i) {
      values.push_back(std::bit_cast<float>(bits + i));
      values.push_back(-std::bit_cast<float>(bits - std::min(bits, i)));
    }
  }
  values.push_back(-0.0F);
  values.push_back(std::numeric_limits<float>::quiet_NaN());
  values.push_back(std::numeric_limits<float>::infinity());
  values.push_back(-std::numeric_limits<float>::infinity());
  while (values.size() % multiple != 0) values.push_back(1);
  return values;
}

std::string ModuleText(std::string_view function, size_t count, int lanes) {
  const std::string element = lanes == 1 ? "i" : fmt::format("T.Ramp(i * {0}, 1, {0})", lanes);
  return fmt::format(
      "# from tvm.script import tir as T\n\n@T.prim_func\n"
      "def main(x: T.Buffer(({0},), \"float32\"), y: T.Buffer(({0},), \"float32\")):\n"
      "    for i in range({1}):\n"
      "        y[{2}] = T.{3}(x[{2}])\n",
      count, count / static_cast<size_t>(lanes), element, function);
}

std::vector<float> ResultsOf(const IRModule& module, const std::vector<float>& arguments) {
  Diagnostics diagnostics;
  const auto interpreter = Interpreter::Compile(module, diagnostics);
  if (!interpreter.ok()) return {};
  const auto count = static_cast<int64_t>(arguments.size());
  Tensor x{DataType::Float(32), {count}, std::vector<uint8_t>(arguments.size() * sizeof(float))};
  std::memcpy(x.bytes.data(), arguments.data(), x.bytes.size());
  Tensor y{DataType::Float(32), {count}, std::vector<uint8_t>(x.bytes.size())};
  if (!interpreter->Run("main", {Argument::Of(&x), Argument::Of(&y, true)}, diagnostics)) return {};
  std::vector<float> results(arguments.size());
  std::memcpy(results.data(), y.bytes.data(), y.bytes.size());
  return results;
}

/// The version of the C library, 2.36 as 236.
int LibraryVersion() {
  int major = 0;
  int minor = 0;
  const std::string version = gnu_get_libc_version();
  return std::sscanf(version.c_str(), "%d.%d", &major, &minor) == 2 ? 100 * major + minor : 0;
}

/// Functions of fdlibm, which newer libraries round better.
bool IsOfFdlibm() { return LibraryVersion() < 241; }

/// expf of Arm's optimized-routines, with fused multiply-and-add.
bool IsOfOptimizedRoutines() {
#ifdef __x86_64__
  return LibraryVersion() >= 228 && __builtin_cpu_supports("fma");
#else
  return LibraryVersion() >= 228;
#endif
}

struct Function {
  std::string_view name;
  int lanes;
  float (*of_library)(float);
  double (*exact)(double);
  bool (*is_same)();
};

class ExpandMathTest : public testing::TestWithParam<Function> {};

TEST_P(ExpandMathTest, ResultsHaveTheBitsOfTheLibrary) {
  const Function& function = GetParam();
  const std::vector<float> arguments = Arguments(16);
  Context context;
  Diagnostics diagnostics;
  const std::string text = ModuleText(function.name, arguments.size(), function.lanes);
  const auto module = ParseModule(context, "math.py", text, nullptr, {}, diagnostics);
  ASSERT_TRUE(module.has_value()) << Render(context.sources(), diagnostics);
  const auto pipeline = ParsePipeline(context, "expand-math", KnownPasses(), diagnostics);
  const auto expanded = RunPipeline(*module, *pipeline, RunOptions(), diagnostics);
  ASSERT_TRUE(expanded.has_value()) << Render(context.sources(), diagnostics);
  const std::vector<float> results = ResultsOf(*expanded, arguments);
  ASSERT_EQ(results.size(), arguments.size());
  for (size_t i = 0; i < results.size(); ++i) {
    const float expected = function.of_library(arguments[i]);
    const double exact = function.exact(static_cast<double>(arguments[i]));
    if (std::isnan(expected)) {
      ASSERT_TRUE(std::isnan(results[i])) << arguments[i];
    } else if (function.is_same() || std::isinf(expected)) {
      ASSERT_EQ(std::bit_cast<uint32_t>(results[i]), std::bit_cast<uint32_t>(expected))
          << arguments[i];
    } else {
      // The error is less than 2 units in the last place.
      ASSERT_NEAR(results[i], exact, std::fabs(exact) * 0x1p-22 + 0x1p-148) << arguments[i];
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Functions, ExpandMathTest,
    testing::Values(Function{"tanh", 1, std::tanh, std::tanh, IsOfFdlibm},
                    Function{"tanh", 16, std::tanh, std::tanh, IsOfFdlibm},
                    Function{"exp", 16, std::exp, std::exp, IsOfOptimizedRoutines},
                    Function{"erf", 16, std::erf, std::erf, IsOfFdlibm}),
    [](const auto& info) { return fmt::format("{}{}", info.param.name, info.param.lanes); });

}  // namespace
}  // namespace tenon
