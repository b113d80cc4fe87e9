#ifndef TENON_TESTS_UNIT_PASSES_RANDOM_RESULTS_H_
#define TENON_TESTS_UNIT_PASSES_RANDOM_RESULTS_H_

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "byoc/known_passes.h"
#include "interp/interpreter.h"
#include "parser/parser.h"
#include "passes/pipeline/pipeline.h"
#include "passes/pipeline/runner.h"
#include "printer/printer.h"
#include "tests/unit/support/nightly.h"

// Runs random modules before and after a pipeline.

namespace tenon {

/// The contents of the last parameter of `main` before a run.
enum class LastParameter : bool { kUndefined, kNumbers };

/// The bytes of the last parameter of `main` after a run on numbers that depend on their places.
/// Empty after an error.
inline std::vector<uint8_t> ResultOf(const IRModule& module, LastParameter last) {
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
  std::vector<Argument> arguments;
  for (Tensor& tensor : tensors) arguments.push_back(Argument::Of(&tensor));
  arguments.back().undefined = last == LastParameter::kUndefined;
  if (!interpreter->Run("main", arguments, diagnostics)) return {};
  return tensors.back().bytes;
}

/// Expects that a pipeline keeps the results of the modules of `Writer`, for many seeds, and that
/// it writes blocks for a third of them.
template <class Writer>
void ExpectSameResults(const char* passes, LastParameter last) {
  int in_blocks = 0;
  const int seeds = Sample(4000, 16);
  for (uint64_t seed = 1; seed <= static_cast<uint64_t>(seeds); ++seed) {
    const std::string text = Writer(seed).Module();
    Context context;
    Diagnostics diagnostics;
    const auto module = ParseModule(context, "random.py", text, nullptr, {}, diagnostics);
    ASSERT_TRUE(module.has_value()) << text << Render(context.sources(), diagnostics);
    const std::vector<uint8_t> before = ResultOf(*module, last);
    ASSERT_FALSE(before.empty()) << text;
    const auto pipeline = ParsePipeline(context, passes, KnownPasses(), diagnostics);
    const auto after = RunPipeline(*module, *pipeline, RunOptions(), diagnostics);
    ASSERT_TRUE(after.has_value()) << text << Render(context.sources(), diagnostics);
    ASSERT_EQ(before, ResultOf(*after, last)) << "seed " << seed << "\n"
                                              << text << PrintModule(*after);
    in_blocks += PrintModule(*after).find("block") != std::string::npos ? 1 : 0;
  }
  EXPECT_GT(in_blocks, seeds / 3);
}

}  // namespace tenon

#endif  // TENON_TESTS_UNIT_PASSES_RANDOM_RESULTS_H_
