// The same of real models: every pass leaves their outputs as they were, bit for bit.

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "interp/run_model.h"
#include "ir/memory_pools.h"
#include "parser/parser.h"
#include "passes/pipeline/runner.h"
#include "random/pipelines.h"
#include "support/file.h"
#include "support/npy.h"

namespace tenon::random_ir {
namespace {

std::string CorpusDir() {
  const char* set = std::getenv("TENON_CORPUS_DIR");
  return set != nullptr ? set : TENON_SOURCE_DIR "/../shared/corpus";
}

tenon::Tensor TensorOf(const NpyArray& array) {
  tenon::Tensor tensor;
  tensor.dtype = *DataType::Parse(array.dtype);
  tensor.shape = array.shape;
  tensor.bytes.assign(array.bytes.begin(), array.bytes.end());
  return tensor;
}

class ModelPasses : public testing::TestWithParam<const char*> {
 protected:
  /// The output of a version of the model, or nullopt after an error. Without pools, what is an
  /// input and what an output is what the original says: calls by the stack hide it.
  std::optional<std::vector<uint8_t>> Run(const IRModule& version, const IRModule& original) {
    if (!ReadPoolArgs(*version.Main()->func).empty()) {
      const auto outputs = RunModel(version, {{"", input_}}, diagnostics_);
      if (!outputs.ok()) return std::nullopt;
      return outputs->front().tensor.bytes;
    }
    const auto interpreter = Interpreter::Compile(version, diagnostics_);
    if (!interpreter.ok()) return std::nullopt;
    tenon::Tensor input = input_;
    tenon::Tensor output = want_;
    output.bytes.assign(want_.bytes.size(), 0);
    std::vector<Argument> arguments;
    for (const ModelParam& param : ModelParams(original, *original.Main(), diagnostics_)) {
      if (param.role == ModelParam::Role::kInput) {
        arguments.push_back(Argument::Of(&input));
      } else if (param.role == ModelParam::Role::kOutput) {
        arguments.push_back(Argument::Of(&output, true));
      } else {
        arguments.push_back({});
      }
    }
    if (!interpreter->Run(version.Main()->name.view(), arguments, diagnostics_)) {
      return std::nullopt;
    }
    return output.bytes;
  }

  std::string Messages() const { return Render(context_.sources(), diagnostics_); }

  Context context_;
  Diagnostics diagnostics_;
  tenon::Tensor input_;
  tenon::Tensor want_;
};

TEST_P(ModelPasses, KeepOutputs) {
  const std::string folder = CorpusDir() + "/models/" + GetParam();
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no corpus at " << CorpusDir();
  const auto text = ReadFile(folder + "/module.py");
  const auto input = ReadNpy(folder + "/input0.npy");
  const auto expected = ReadNpy(folder + "/expected0.npy");
  ASSERT_TRUE(text.ok() && input.ok() && expected.ok());
  const auto module = ParseModule(context_, "module.py", (*text)->view(), *text, {}, diagnostics_);
  ASSERT_TRUE(module.has_value()) << Messages();
  input_ = TensorOf(*input);
  want_ = TensorOf(*expected);
  ASSERT_EQ(Run(*module, *module), want_.bytes) << Messages();
  for (const std::string& passes : Pipelines()) {
    SCOPED_TRACE(passes);
    const auto pipeline = ParsePipeline(context_, passes, diagnostics_);
    ASSERT_TRUE(pipeline.has_value());
    const auto after = RunPipeline(*module, *pipeline, {}, diagnostics_);
    ASSERT_TRUE(after.has_value()) << Messages();
    ASSERT_EQ(Run(*after, *module), want_.bytes) << Messages();
  }
}

INSTANTIATE_TEST_SUITE_P(All, ModelPasses, testing::Values("kws_int8", "ad_int8", "sww_int8"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace tenon::random_ir
