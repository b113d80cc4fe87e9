// Moving operators to external functions does not change the results of models.

#include <gtest/gtest.h>

#include <filesystem>

#include "byoc/known_passes.h"
#include "ir/attributes.h"
#include "parser/parser.h"
#include "passes/pipeline/runner.h"
#include "support/file.h"
#include "tests/integration/corpus/model.h"

namespace tenon {
namespace {

class Regions : public testing::TestWithParam<std::string> {};

/// Assigns operators to one target, except `skipped`, which go to another.
std::string PipelineText(const std::string& skipped) {
  return "recognise-ops,annotate-targets{targets=body:0 trust=true" +
         (skipped.empty() ? "" : " skip=" + skipped) +
         "},annotate-targets{targets=body:1 trust=true},merge-regions,partition";
}

/// The names of every second operator.
std::string EverySecond(const IRModule& module) {
  std::string names;
  size_t index = 0;
  for (const Function& function : module.functions()) {
    if (&function != module.Main() && index++ % 2 == 0)
      names += (names.empty() ? "" : ",") + std::string(function.name.view());
  }
  return names;
}

void CheckRegions(Model& model, const IRModule& module) {
  const auto expected = model.Run(module);
  ASSERT_TRUE(expected.has_value()) << model.Messages();
  for (const std::string& skipped : {std::string(), EverySecond(module)}) {
    const auto passes =
        ParsePipeline(model.context, PipelineText(skipped), KnownPasses(), model.diagnostics);
    ASSERT_TRUE(passes.has_value()) << model.Messages();
    const auto partitioned = RunPipeline(module, *passes, {}, model.diagnostics);
    ASSERT_TRUE(partitioned.has_value()) << model.Messages();
    int external = 0;
    for (const Function& function : partitioned->functions())
      external += function.FindAttr(attr_key::kCompiler) != nullptr ? 1 : 0;
    EXPECT_EQ(external == 1, skipped.empty()) << skipped << external;
    EXPECT_EQ(model.Run(*partitioned), expected) << model.Messages();
  }
}

TEST_P(Regions, ComputeTheSame) {
  if (!HasCorpus()) GTEST_SKIP() << "no corpus at " << CorpusDir();
  Model* const model = Model::Get(GetParam());
  ASSERT_NE(model, nullptr);
  CheckRegions(*model, *model->module);
  const std::string path = CorpusDir() + "/models/" + GetParam() + "/module_llvm.py";
  if (!IsNightly() || !std::filesystem::exists(path)) return;
  const auto file = ReadFile(path);
  ASSERT_TRUE(file.ok());
  const auto module =
      ParseModule(model->context, path, (*file)->view(), *file, {}, model->diagnostics);
  ASSERT_TRUE(module.has_value()) << model->Messages();
  CheckRegions(*model, *module);
}

INSTANTIATE_TEST_SUITE_P(Models, Regions, testing::ValuesIn(ModelNames()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace tenon
