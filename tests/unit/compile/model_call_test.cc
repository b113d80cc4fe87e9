#include "compile/run/model_call.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "parser/parser.h"

namespace tenon {
namespace {

/// A model with the input `x`, and the output `y` in memory of the code.
class ModelCallTest : public testing::Test {
 protected:
  ModelCallTest() {
    module_ = ParseModule(context_, "m.py", R"(
@T.prim_func
def main(x: T.Buffer((1,), "int8"), y: T.Buffer((1,), "int8")):
    y[0] = x[0]
)",
                          nullptr, {}, diagnostics_);
    abi_.prefix = "tvmgen_m";
    abi_.inputs = {{"x", 1, /*is_mapped=*/false}};
    abi_.outputs = {{"y", 1, /*is_mapped=*/true}};
    code_.map = [this](std::span<void*> inputs, std::span<void*> outputs, EntryCode::Fields) {
      inputs[0] = this;  // Means nothing, since `x` is not mapped.
      outputs[0] = &y_;
    };
    code_.run = [this](EntryCode::Fields inputs, EntryCode::Fields outputs, EntryCode::Fields) {
      ++runs_;
      *static_cast<char*>(outputs[0]) = *static_cast<const char*>(inputs[0]);
      return 7;
    };
  }

  std::optional<ModelCall> Open() { return ModelCall::Open(abi_, *module_, code_, diagnostics_); }

  Context context_;
  Diagnostics diagnostics_;
  std::optional<IRModule> module_;
  EntryAbi abi_;
  EntryCode code_;
  char y_ = 0;
  int runs_ = 0;
};

TEST_F(ModelCallTest, InitialisesOnceAndRunsOften) {
  int inits = 0;
  code_.init = [&](EntryCode::Fields) {
    ++inits;
    return 0;
  };
  const std::optional<ModelCall> call = Open();
  ASSERT_TRUE(call.has_value());
  EXPECT_THAT(call->mapped(/*is_output=*/false), testing::ElementsAre(nullptr));
  EXPECT_THAT(call->mapped(/*is_output=*/true), testing::ElementsAre(&y_));
  char x = 'a';
  void* inputs[] = {&x};
  void* outputs[] = {call->mapped(/*is_output=*/true)[0]};
  EXPECT_EQ(call->Run(inputs, outputs), 7);
  EXPECT_EQ(call->Run(inputs, outputs), 7);
  EXPECT_EQ(y_, 'a');
  EXPECT_EQ(runs_, 2);
  EXPECT_EQ(inits, 1);
}

TEST_F(ModelCallTest, AFailedInitIsAnError) {
  code_.init = [](EntryCode::Fields) { return -2; };
  EXPECT_FALSE(Open().has_value());
  EXPECT_THAT(Render(context_.sources(), diagnostics_),
              testing::HasSubstr("`tvmgen_m_init` returned -2 [run]"));
  EXPECT_EQ(runs_, 0);
}

TEST(AlignedBytes, StartWithTheBytesAndEndWithZeros) {
  const AlignedBytes bytes = AlignedBytes::Of(4, "ab", 128, 3);
  ASSERT_NE(bytes.data(), nullptr);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(bytes.data()) % 128, 3U);
  EXPECT_EQ(std::string_view(static_cast<const char*>(bytes.data()), 4),
            std::string_view("ab\0\0", 4));
  EXPECT_EQ(AlignedBytes::Of(-1, "").data(), nullptr);
  EXPECT_EQ(AlignedBytes::Of(INT64_MAX, "").data(), nullptr);
}

}  // namespace
}  // namespace tenon
