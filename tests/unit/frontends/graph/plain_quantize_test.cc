#include <cmath>

#include "frontends/graph/code.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "plain_run.h"

namespace tenon::graph {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Ints = std::vector<int64_t>;
using Numbers = std::vector<double>;

TEST(PlainQuantizeTest, TiesGoToEvenNumbersAndResultsSaturate) {
  const auto quantized = [](DataType dtype, double zero, const Numbers& x) {
    PlainRun run("quantize_linear");
    run.In(kFloat32, {static_cast<int64_t>(x.size())}, x).In(kFloat32, {}, {2});
    return run.In(dtype, {}, {zero}).Out(dtype).Run();
  };
  EXPECT_THAT(quantized(kInt8, 1, {1, 3, 5, -1, 1000, -1000, std::nan("")}),
              ElementsAre(1, 3, 3, 1, 127, -128, -128));
  EXPECT_THAT(quantized(kUInt8, 128, {1, 3, 5, 1000, -1000}), ElementsAre(128, 130, 130, 255, 0));
  EXPECT_THAT(quantized(kInt16, 0, {100000}), ElementsAre(32767));
  EXPECT_THAT(quantized(DataType::UInt(16), 32768, {100000, 6}), ElementsAre(65535, 32771));
}

TEST(PlainQuantizeTest, ScalesOfAnAxisAndOfBlocks) {
  PlainRun axis("quantize_linear");
  axis.Set("axis", int64_t{0}).In(kFloat32, {2, 2}, {4, 8, 4, 8});
  EXPECT_THAT(axis.In(kFloat32, {2}, {1, 4}).In(kInt8, {2}, {0, 10}).Out(kInt8).Run(),
              ElementsAre(4, 8, 11, 12));
  PlainRun blocks("dequantize_linear");
  blocks.Set("axis", int64_t{1}).Set("block_size", int64_t{2}).In(kInt8, {1, 3}, {4, 8, 4});
  EXPECT_THAT(blocks.In(kFloat32, {1, 2}, {0.5, 2}).In(kInt8, {1, 2}, {0, 1}).Out(kFloat32).Run(),
              ElementsAre(2, 4, 6));
  EXPECT_THAT(PlainRun("dequantize_linear")
                  .In(kInt32, {2}, {-3, 5})
                  .In(kFloat32, {}, {0.5})
                  .Out(kFloat32)
                  .Run(),
              ElementsAre(-1.5, 2.5));
  EXPECT_THAT(ErrorOf(PlainRun("dequantize_linear")
                          .In(kInt8, {2, 3}, Numbers(6))
                          .In(kFloat32, {2}, {1, 1})
                          .Out(kFloat32)),
              HasSubstr("expected scales for axis 1 of int8[2, 3]"));
}

TEST(PlainQuantizeTest, ScalesOfTheDataAtRunTime) {
  PlainRun run("dynamic_quantize_linear");
  run.In(kFloat32, {3}, {-51, 0, 204}).Out(kUInt8).Out(kFloat32).Out(kUInt8);
  EXPECT_THAT(run.RunAll(), ElementsAre(ElementsAre(0, 51, 255), ElementsAre(1), ElementsAre(51)));
  PlainRun zeros("dynamic_quantize_linear");
  zeros.In(kFloat32, {1}, {0}).Out(kUInt8).Out(kFloat32).Out(kUInt8);
  EXPECT_THAT(zeros.RunAll(), ElementsAre(ElementsAre(0), ElementsAre(1), ElementsAre(0)));
}

/// The rule of QLinearConv and QLinearMatMul.
double Scaled(double sum, float a, float b, float y, double zero, double low, double high) {
  const float product = a * b;
  const float factor = product / y;
  const float steps = static_cast<float>(sum) * factor;
  return std::min(high, std::max(low, std::nearbyint(double{steps}) + zero));
}

TEST(PlainQuantizeTest, ConvolutionsWithScalesOfChannels) {
  const Numbers x = {10, 20, 30, 200};
  const Numbers w = {1, -2, 100, 127};
  const float scales[] = {0.5F, 0.01F};
  const Numbers bias = {7, -5};
  for (const bool is_constant : {false, true}) {
    const auto add = [&](PlainRun& run, DataType dtype, Ints shape, const Numbers& numbers) {
      is_constant ? run.Constant(dtype, shape, numbers) : run.In(dtype, shape, numbers);
    };
    PlainRun run("qlinear_conv");
    run.In(kUInt8, {1, 1, 4}, x);
    add(run, kFloat32, {}, {0.25});
    add(run, kUInt8, {}, {20});
    add(run, kInt8, {2, 1, 2}, w);
    add(run, kFloat32, {2}, {double{scales[0]}, double{scales[1]}});
    add(run, kInt8, {2}, {0, 3});
    add(run, kFloat32, {}, {0.5});
    add(run, kInt8, {}, {-10});
    add(run, kInt32, {2}, bias);
    Numbers wanted;
    for (size_t channel = 0; channel < 2; ++channel) {
      for (size_t i = 0; i < 3; ++i) {
        double sum = bias[channel];
        for (size_t k = 0; k < 2; ++k)
          sum += (x[i + k] - 20) * (w[channel * 2 + k] - (channel == 1 ? 3 : 0));
        wanted.push_back(Scaled(sum, 0.25F, scales[channel], 0.5F, -10, -128, 127));
      }
    }
    EXPECT_EQ(run.Out(kInt8).Run(), wanted);
  }
}

TEST(PlainQuantizeTest, MatricesWithOneScale) {
  PlainRun run("qlinear_matmul");
  run.In(kUInt8, {1, 2}, {3, 8}).Constant(kFloat32, {}, {0.5}).Constant(kUInt8, {}, {2});
  run.In(kUInt8, {2, 2}, {1, 0, 0, 1}).Constant(kFloat32, {1}, {0.5}).Constant(kUInt8, {1}, {0});
  run.Constant(kFloat32, {}, {0.5}).Constant(kUInt8, {}, {100}).Out(kUInt8);
  // Sums of 1 and 6, halved: 0.5 goes to 0.
  EXPECT_THAT(run.Run(), ElementsAre(100, 103));
}

}  // namespace
}  // namespace tenon::graph
