#include "tests/integration/corpus/model.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>

#include "parser/parser.h"
#include "support/file.h"
#include "support/npy.h"

namespace tenon {
namespace {

Tensor TensorOf(const NpyArray& array) {
  Tensor tensor;
  tensor.dtype = *DataType::Parse(array.dtype);
  tensor.shape = array.shape;
  tensor.bytes.assign(array.bytes.begin(), array.bytes.end());
  return tensor;
}

void ExpectNear(const std::vector<uint8_t>& got, const std::vector<uint8_t>& want) {
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < want.size(); i += sizeof(float)) {
    float x;
    float y;
    std::memcpy(&x, got.data() + i, sizeof x);
    std::memcpy(&y, want.data() + i, sizeof y);
    EXPECT_LE(std::fabs(x - y), 1e-5 + 1e-4 * std::fabs(y)) << "element " << i / sizeof(float);
  }
}

}  // namespace

std::string CorpusDir() {
  const char* set = std::getenv("TENON_CORPUS_DIR");
  return set != nullptr ? set : TENON_SOURCE_DIR "/../shared/corpus";
}

bool HasCorpus() { return std::filesystem::exists(CorpusDir()); }

std::vector<std::string> ModelNames() {
  return {"kws_int8",    "ad_int8",  "sww_int8",  "vww_int8",
          "resnet_int8", "ad_float", "vww_float", "resnet_float"};
}

Model* Model::Get(const std::string& name) {
  static std::map<std::string, std::unique_ptr<Model>> models;
  std::unique_ptr<Model>& model = models[name];
  if (model == nullptr) {
    model = std::make_unique<Model>();
    if (!model->Load(CorpusDir() + "/models/" + name)) model->module.reset();
  }
  if (model->module == std::nullopt) return nullptr;
  // Drops errors that an earlier test provoked.
  model->diagnostics.Clear();
  return model.get();
}

bool Model::Load(const std::string& folder) {
  const auto text = ReadFile(folder + "/module.py");
  const auto given = ReadNpy(folder + "/input0.npy");
  const auto expected = ReadNpy(folder + "/expected0.npy");
  EXPECT_TRUE(text.ok() && given.ok() && expected.ok()) << folder;
  if (!text.ok() || !given.ok() || !expected.ok()) return false;
  module = ParseModule(context, "module.py", (*text)->view(), *text, {}, diagnostics);
  EXPECT_TRUE(module.has_value()) << Messages();
  if (!module) return false;
  input = TensorOf(*given);
  want = TensorOf(*expected);
  const auto outputs = RunModel(*module, {{"", input}}, diagnostics);
  EXPECT_TRUE(outputs.ok() && outputs->size() == 1u) << Messages();
  if (!outputs.ok() || outputs->size() != 1u) return false;
  const Tensor& got = outputs->front().tensor;
  EXPECT_EQ(got.dtype, want.dtype);
  if (want.dtype.is_integer()) {
    EXPECT_EQ(got.bytes, want.bytes);
  } else {
    ExpectNear(got.bytes, want.bytes);
    // Other engines' results are only close; no pass and no plan may change a bit of this one.
    want.bytes = got.bytes;
  }
  return !testing::Test::HasFailure();
}

std::optional<std::vector<uint8_t>> Model::Run(const IRModule& version,
                                               const InterpreterOptions& options) {
  const auto outputs = RunModel(version, {{"", input}}, diagnostics, options);
  if (!outputs.ok()) return std::nullopt;
  return outputs->front().tensor.bytes;
}

}  // namespace tenon
