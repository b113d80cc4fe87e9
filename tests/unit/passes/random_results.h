#ifndef TENON_TESTS_UNIT_PASSES_RANDOM_RESULTS_H_
#define TENON_TESTS_UNIT_PASSES_RANDOM_RESULTS_H_

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
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
/// Nullopt after an error.
inline std::optional<std::vector<uint8_t>> ResultOf(const IRModule& module, LastParameter last) {
  Diagnostics diagnostics;
  const auto interpreter = Interpreter::Compile(module, diagnostics);
  if (!interpreter.ok()) return std::nullopt;
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
  if (!interpreter->Run("main", arguments, diagnostics)) return std::nullopt;
  return tensors.back().bytes;
}

/// Expects that a pipeline keeps the results of the modules of `Writer`, for the seeds 1 to
/// `seeds`. `result(module)` is a result, or nullopt. `counts(before, after)` is true for the
/// modules that count, which must be more than `least`.
template <class Writer, class Result, class Counts>
void ExpectSameResults(std::string_view passes, int seeds, const Result& result,
                       const Counts& counts, int least, const RunOptions& options = {}) {
  int counted = 0;
  for (uint64_t seed = 1; seed <= static_cast<uint64_t>(seeds); ++seed) {
    const std::string text = Writer(seed).Module();
    Context context;
    Diagnostics diagnostics;
    const auto module = ParseModule(context, "random.py", text, nullptr, {}, diagnostics);
    ASSERT_TRUE(module.has_value()) << text << Render(context.sources(), diagnostics);
    const auto before = result(*module);
    ASSERT_TRUE(before.has_value()) << text;
    const auto pipeline = ParsePipeline(context, passes, KnownPasses(), diagnostics);
    ASSERT_TRUE(pipeline.has_value()) << Render(context.sources(), diagnostics);
    const auto after = RunPipeline(*module, *pipeline, options, diagnostics);
    ASSERT_TRUE(after.has_value()) << text << Render(context.sources(), diagnostics);
    ASSERT_EQ(before, result(*after)) << "seed " << seed << "\n" << text << PrintModule(*after);
    counted += counts(*module, *after) ? 1 : 0;
  }
  EXPECT_GT(counted, least);
}

/// The same for ResultOf. The pipeline writes blocks for a third of the modules.
template <class Writer>
void ExpectSameResults(std::string_view passes, LastParameter last) {
  const int seeds = Sample(4000, 16);
  ExpectSameResults<Writer>(
      passes, seeds, [&](const IRModule& module) { return ResultOf(module, last); },
      [](const IRModule&, const IRModule& after) {
        return PrintModule(after).find("block") != std::string::npos;
      },
      seeds / 3);
}

}  // namespace tenon

#endif  // TENON_TESTS_UNIT_PASSES_RANDOM_RESULTS_H_
