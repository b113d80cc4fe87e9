// No pass changes a bit of the outputs of real models.

#include <gtest/gtest.h>

#include "byoc/known_passes.h"
#include "ir/memory_pools.h"
#include "passes/pipeline/runner.h"
#include "random/pipelines.h"
#include "tests/integration/corpus/model.h"

namespace tenon {
namespace {

/// The output of a version of the model, or nullopt after an error. Without pools, the original
/// module decides which parameters are inputs and outputs, because calls through the stack hide
/// that.
std::optional<std::vector<uint8_t>> OutputOf(const IRModule& version, Model& model) {
  if (!ReadPoolArgs(*version.Main()->func).empty()) return model.Run(version);
  const auto interpreter = Interpreter::Compile(version, model.diagnostics);
  if (!interpreter.ok()) return std::nullopt;
  Tensor input = model.input;
  Tensor output = model.want;
  output.bytes.assign(output.bytes.size(), 0);
  const Function& main = *model.module->Main();
  std::vector<Argument> arguments(main.func->params.size());
  for (const EntryTensor& tensor :
       EntryTensors(*main.func, ModuleEffects(*model.module).Of(main))) {
    arguments[tensor.param] = tensor.is_output ? Argument::Of(&output, true) : Argument::Of(&input);
  }
  if (!interpreter->Run(version.Main()->name.view(), arguments, model.diagnostics)) {
    return std::nullopt;
  }
  return output.bytes;
}

class Passes : public testing::TestWithParam<std::string> {};

TEST_P(Passes, KeepOutputs) {
  if (!HasCorpus()) GTEST_SKIP() << "no corpus at " << CorpusDir();
  Model* const model = Model::Get(GetParam());
  ASSERT_NE(model, nullptr);
  const bool is_small =
      GetParam() == "kws_int8" || GetParam() == "ad_int8" || GetParam() == "sww_int8";
  if (!is_small && !IsNightly()) GTEST_SKIP() << "in `make nightly`";
  ASSERT_EQ(OutputOf(*model->module, *model), model->want.bytes) << model->Messages();
  for (const std::string& passes : random_ir::Pipelines()) {
    SCOPED_TRACE(passes);
    const auto pipeline = ParsePipeline(model->context, passes, KnownPasses(), model->diagnostics);
    ASSERT_TRUE(pipeline.has_value());
    const auto after = RunPipeline(*model->module, *pipeline, {}, model->diagnostics);
    ASSERT_TRUE(after.has_value()) << model->Messages();
    ASSERT_EQ(OutputOf(*after, *model), model->want.bytes) << model->Messages();
  }
}

INSTANTIATE_TEST_SUITE_P(Models, Passes, testing::ValuesIn(ModelNames()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace tenon
