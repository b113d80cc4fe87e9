#ifndef TENON_TESTS_RANDOM_CHECK_H_
#define TENON_TESTS_RANDOM_CHECK_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "byoc/known_passes.h"
#include "fmt/format.h"
#include "interp/interpreter_evaluator.h"
#include "ir/memory_pools.h"
#include "ir/verifier.h"
#include "passes/pipeline/runner.h"
#include "printer/printer.h"
#include "random/generator.h"
#include "random/tensors.h"
#include "tests/run_model.h"

namespace tenon::random_ir {

/// The seeds to test: `count` from 1 on, or the values of TENON_RANDOM_FIRST and
/// TENON_RANDOM_COUNT.
struct Seeds {
  explicit Seeds(uint64_t count) : usual(count) {
    if (const char* text = std::getenv("TENON_RANDOM_FIRST"))
      first = std::strtoull(text, nullptr, 10);
    if (const char* text = std::getenv("TENON_RANDOM_COUNT"))
      count = std::strtoull(text, nullptr, 10);
    end = first + count;
  }

  /// The count that these seeds shall reach if the usual number of seeds reaches `least`.
  uint64_t Part(uint64_t least) const { return least * std::min(end - first, usual) / usual; }

  uint64_t first = 1;
  uint64_t end = 0;
  uint64_t usual;
};

/// The part of a failure message that names the seed and tells how to reproduce it.
inline std::string Again(uint64_t seed) {
  const testing::TestInfo& test = *testing::UnitTest::GetInstance()->current_test_info();
  return fmt::format(
      "failing seed {0}; again with TENON_RANDOM_FIRST={0} TENON_RANDOM_COUNT=1 and "
      "--gtest_filter={1}.{2}\n",
      seed, test.test_suite_name(), test.name());
}

/// A module of a seed with values for its inputs.
class Sample {
 public:
  explicit Sample(uint64_t seed, const ModuleOptions& options = {})
      : seed(seed), module(MakeModule(context, seed, options)) {
    Dice dice(seed ^ 0x5eed);
    const Function& main = *module.Main();
    for (size_t i = 0; i < 3 && i < main.func->buffers.size(); ++i) {
      inputs.push_back({std::string(main.func->params[i]->name.view()),
                        RandomTensor(*main.func->buffers[i], dice)});
    }
  }

  std::string Messages() const {
    return fmt::format("seed {}\n{}", seed, Render(context.sources(), diagnostics));
  }

  /// The outputs of main, or nullopt after an error. NaNs are normalized, because their bits are
  /// not specified. `more` are arguments after those of the original module.
  std::optional<std::vector<std::vector<uint8_t>>> Run(const IRModule& version,
                                                       InterpreterOptions options = {},
                                                       std::vector<NamedTensor> more = {}) {
    options.max_steps = 20'000'000;
    std::vector<std::vector<uint8_t>> bytes;
    std::vector<NamedTensor> outputs;
    if (!ReadPoolArgs(*version.Main()->func).empty()) {
      auto made = RunModel(version, inputs, diagnostics, std::move(options));
      if (!made.ok()) return std::nullopt;
      outputs = *std::move(made);
    } else if (!RunMain(version, std::move(options), outputs, std::move(more))) {
      return std::nullopt;
    }
    for (const NamedTensor& output : outputs) {
      bytes.push_back(output.tensor.bytes);
      OneNan(output.tensor.dtype, bytes.back());
    }
    return bytes;
  }

  /// Runs a pipeline and verifies after every pass; nullopt after an error.
  std::optional<IRModule> Apply(const IRModule& version, std::string_view text) {
    const auto pipeline = ParsePipeline(context, text, KnownPasses(), diagnostics);
    if (!pipeline) return std::nullopt;
    const InterpreterEvaluator evaluator;
    RunOptions options;
    options.evaluator = &evaluator;
    return RunPipeline(version, *pipeline, options, diagnostics);
  }

  /// Runs main of a module that is not planned: the inputs, then undefined outputs.
  bool RunMain(const IRModule& version, InterpreterOptions options,
               std::vector<NamedTensor>& outputs, std::vector<NamedTensor> more = {}) {
    const auto interpreter = Interpreter::Compile(version, diagnostics, std::move(options));
    if (!interpreter.ok()) return false;
    Dice dice(seed);
    std::vector<NamedTensor> given = inputs;
    const PrimFunc& main = *module.Main()->func;
    for (size_t i = inputs.size(); i < main.params.size(); ++i) {
      outputs.push_back({"", RandomTensor(*main.buffers[i], dice)});
    }
    std::vector<Argument> arguments;
    for (NamedTensor& input : given) arguments.push_back(Argument::Of(&input.tensor));
    for (NamedTensor& output : outputs) arguments.push_back(Argument::Of(&output.tensor, true));
    for (NamedTensor& tensor : more) arguments.push_back(Argument::Of(&tensor.tensor));
    return interpreter->Run("main", arguments, diagnostics);
  }

  uint64_t seed;
  Context context;
  Diagnostics diagnostics;
  IRModule module;
  std::vector<NamedTensor> inputs;
};

}  // namespace tenon::random_ir

#endif  // TENON_TESTS_RANDOM_CHECK_H_
