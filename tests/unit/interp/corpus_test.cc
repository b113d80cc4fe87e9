// The corpus's models against the outputs that TVM's own code gave for them.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "interp/run_model.h"
#include "parser/parser.h"
#include "support/file.h"
#include "support/npy.h"

namespace tenon {
namespace {

struct Case {
  const char* model;
  const char* file;
};

std::string CorpusDir() {
  const char* set = std::getenv("TENON_CORPUS_DIR");
  return set != nullptr ? set : TENON_SOURCE_DIR "/../shared/corpus";
}

Tensor TensorOf(const NpyArray& array) {
  Tensor tensor;
  tensor.dtype = *DataType::Parse(array.dtype);
  tensor.shape = array.shape;
  tensor.bytes.assign(array.bytes.begin(), array.bytes.end());
  return tensor;
}

class Corpus : public testing::TestWithParam<Case> {};

TEST_P(Corpus, GivesTvmsOutput) {
  const std::string folder = CorpusDir() + "/models/" + GetParam().model;
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no corpus at " << CorpusDir();
  const auto text = ReadFile(folder + "/" + GetParam().file);
  ASSERT_TRUE(text.ok());
  Context context;
  Diagnostics diagnostics;
  const auto module =
      ParseModule(context, GetParam().file, (*text)->view(), *text, {}, diagnostics);
  ASSERT_TRUE(module.has_value()) << Render(context.sources(), diagnostics);
  const auto input = ReadNpy(folder + "/input0.npy");
  const auto expected = ReadNpy(folder + "/expected0.npy");
  ASSERT_TRUE(input.ok() && expected.ok());
  const auto outputs = RunModel(*module, {{"", TensorOf(*input)}}, diagnostics);
  ASSERT_TRUE(outputs.ok()) << Render(context.sources(), diagnostics);
  ASSERT_EQ(outputs->size(), 1u);
  const Tensor want = TensorOf(*expected);
  const Tensor& got = outputs->front().tensor;
  ASSERT_EQ(got.dtype, want.dtype);
  ASSERT_EQ(got.bytes.size(), want.bytes.size());
  if (want.dtype.is_integer()) {
    EXPECT_EQ(got.bytes, want.bytes);
    return;
  }
  for (size_t i = 0; i < want.bytes.size(); i += sizeof(float)) {
    float x;
    float y;
    std::memcpy(&x, got.bytes.data() + i, sizeof x);
    std::memcpy(&y, want.bytes.data() + i, sizeof y);
    EXPECT_LE(std::fabs(x - y), 1e-5 + 1e-4 * std::fabs(y)) << "element " << i / sizeof(float);
  }
}

std::vector<Case> Cases() {
  std::vector<Case> cases;
  for (const char* file : {"module.py", "module_llvm.py", "planned_greedy_by_size.py"}) {
    for (const char* model : {"kws_int8", "vww_int8", "resnet_int8", "ad_int8", "sww_int8",
                              "ad_float", "resnet_float", "vww_float"}) {
      cases.push_back({model, file});
    }
  }
  cases.push_back({"kws_int8", "module_parallel.py"});
  return cases;
}

std::string NameOf(const testing::TestParamInfo<Case>& info) {
  const std::string file = info.param.file;
  return std::string(info.param.model) + "_" + file.substr(0, file.size() - 3);
}

INSTANTIATE_TEST_SUITE_P(Models, Corpus, testing::ValuesIn(Cases()), NameOf);

}  // namespace
}  // namespace tenon
