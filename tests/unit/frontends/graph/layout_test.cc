#include <cmath>

#include "frontends/graph/axis_order.h"
#include "frontends/graph/channels_last.h"
#include "frontends/graph/code.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "net.h"

namespace tenon::graph {

namespace {

using ::testing::ElementsAre;
using Ints = std::vector<int64_t>;

/// A convolution by a kernel of 3 x 3 with pads.
int Conv(Net& net, int x, int64_t channels, int64_t groups = 1) {
  const int64_t depth = net.shape(x)[1] / groups;
  return net.Add("conv", {x, net.Constant(kFloat32, {channels, depth, 3, 3})},
                 {{"pads", Ints{1, 1, 1, 1}}, {"group", groups}});
}

TEST(AxisOrderTest, Orders) {
  EXPECT_THAT(ChannelsLast(4), ElementsAre(0, 2, 3, 1));
  EXPECT_THAT(ChannelsLast(2), ElementsAre(0, 1));
  EXPECT_THAT(PlacesOf({0, 2, 3, 1}), ElementsAre(0, 3, 1, 2));
  EXPECT_TRUE(HaveSamePlaces(Ints{2, 1, 3, 4}, InOrder(4), ChannelsLast(4)));
  EXPECT_TRUE(HaveSamePlaces(Ints{2, 5, 1, 1}, InOrder(4), ChannelsLast(4)));
  EXPECT_FALSE(HaveSamePlaces(Ints{2, 5, 1, 2}, InOrder(4), ChannelsLast(4)));
  Net net;
  const int constant = net.Constant(kInt8, {2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_THAT(OrderedBytes(net.graph().tensor(constant), {1, 0}), ElementsAre(1, 4, 2, 5, 3, 6));
}

TEST(LayoutTest, TransposesStandAtInputsAndOutputs) {
  Net net;
  int x = net.In(kFloat32, {1, 3, 4, 5});
  x = net.Add("relu", {Conv(net, x, 6)});
  x = net.Add("add", {Conv(net, x, 6, 6), x});
  net.Out(Conv(net, x, 2));
  EXPECT_THAT(KindsOf(net.Check()),
              ElementsAre("transpose", "conv", "relu", "conv", "add", "conv", "transpose"));
}

TEST(LayoutTest, NetworksWithoutConvolutionsStay) {
  Net net;
  const int x = net.In(kFloat32, {1, 3, 4, 5});
  net.Out(net.Add("max_pool", {net.Add("relu", {x})}, {{"kernel_shape", Ints{2, 2}}}));
  EXPECT_THAT(KindsOf(net.Check()), ElementsAre("relu", "max_pool"));
}

TEST(LayoutTest, OneChannelIsAReshape) {
  Net net;
  const int x = Conv(net, net.In(kFloat32, {1, 1, 4, 5}), 8);
  const int mean = net.Add("reduce_mean", {x}, {{"axes", Ints{2, 3}}, {"keepdims", int64_t{0}}});
  net.Out(net.Add("gemm", {mean, net.Constant(kFloat32, {8, 4})}));
  EXPECT_THAT(KindsOf(net.Check()), ElementsAre("conv", "reduce_mean", "gemm"));
}

TEST(LayoutTest, WeightsFollowRows) {
  Net net;
  int x = net.Add("flatten", {Conv(net, net.In(kFloat32, {2, 1, 3, 4}), 5)});
  x = net.Add("relu", {x});
  net.Out(net.Add("gemm", {x, net.Constant(kFloat32, {60, 7})}));
  net.Out(net.Add("gemm", {x, net.Constant(kFloat32, {7, 60}), net.Constant(kFloat32, {7})},
                  {{"transB", int64_t{1}}}));
  net.Out(net.Add("matmul", {x, net.Constant(kFloat32, {60, 3})}));
  EXPECT_THAT(KindsOf(net.Check()), ElementsAre("conv", "relu", "gemm", "gemm", "matmul"));
}

TEST(LayoutTest, RowsThatOthersReadAreTransposedOnce) {
  Net net;
  const int x = net.Add("flatten", {Conv(net, net.In(kFloat32, {2, 1, 3, 4}), 5)});
  net.Out(net.Add("softmax", {x}));
  net.Out(net.Add("matmul", {x, net.In(kFloat32, {60, 3})}));
  EXPECT_EQ(TransposesOf(net.Check()), 1);
}

TEST(LayoutTest, ShuffledChannelsTakeOneTranspose) {
  Net net;
  int x = Conv(net, net.In(kFloat32, {1, 1, 3, 4}), 6);
  x = net.Add("reshape", {x}, {{"shape", Ints{1, 2, 3, 3, 4}}});
  x = net.Add("transpose", {x}, {{"perm", Ints{0, 2, 1, 3, 4}}});
  x = net.Add("reshape", {x}, {{"shape", Ints{1, 6, 3, 4}}});
  x = net.Add("reduce_max", {Conv(net, x, 2)}, {{"axes", Ints{2, 3}}});
  net.Out(x);
  EXPECT_THAT(KindsOf(net.Check()), ElementsAre("conv", "transpose", "conv", "reduce_max"));
}

TEST(LayoutTest, TransposesThatMeetCancel) {
  // A network of NHWC that a converter has brought to NCHW.
  Net net;
  int x = net.In(kFloat32, {1, 4, 5, 3});
  x = net.Add("transpose", {x}, {{"perm", Ints{0, 3, 1, 2}}});
  x = net.Add("transpose", {net.Add("relu", {Conv(net, x, 6)})}, {{"perm", Ints{0, 2, 3, 1}}});
  net.Out(net.Add("softmax", {x}));
  EXPECT_THAT(KindsOf(net.Check()), ElementsAre("conv", "relu", "softmax"));
}

TEST(LayoutTest, PixelsBecomeASequence) {
  Net net;
  int x = Conv(net, net.In(kFloat32, {1, 1, 4, 5}), 6);
  x = net.Add("reshape", {x}, {{"shape", Ints{1, 6, 20}}});
  x = net.Add("transpose", {x}, {{"perm", Ints{0, 2, 1}}});
  const int scale = net.Constant(kFloat32, {6});
  net.Out(net.Add("layer_normalization", {x, scale, scale}));
  EXPECT_THAT(KindsOf(net.Check()), ElementsAre("conv", "layer_normalization"));
}

TEST(LayoutTest, CallersMayHaveChannelsLast) {
  Net net;
  const int x = net.In(kFloat32, {1, 3, 4, 5});
  net.Out(Conv(net, x, 2));
  const Graph last = SetLayout(net.graph(), {.channels_last = true, .inputs = {0}, .outputs = {0}});
  EXPECT_THAT(KindsOf(last), ElementsAre("conv"));
  EXPECT_THAT(last.tensor(last.inputs[0]).shape, ElementsAre(1, 4, 5, 3));
  EXPECT_THAT(last.tensor(last.outputs[0]).shape, ElementsAre(1, 4, 5, 2));
  const Graph kept = SetLayout(net.graph(), {.inputs = {0}, .outputs = {0}});
  EXPECT_THAT(KindsOf(kept), ElementsAre("transpose", "conv", "transpose"));
  const GraphResult a = RunGraph(last, net.data());
  const GraphResult b = RunGraph(kept, net.data());
  EXPECT_EQ(a.shapes, b.shapes);
  ExpectNear(a.outputs[0], b.outputs[0]);
}

TEST(LayoutTest, StatesAreReadBeforeTheyChange) {
  // The state is a transposed view in the output, and changes in the same run.
  Net net;
  const int state = net.State(kFloat32, {1, 2, 3});
  const int read = net.Add("read_variable", {state});
  const int x = net.In(kFloat32, {1, 2, 3});
  const int sum = net.Add("add", {read, x});
  const int moved = net.Add("transpose", {read});
  net.Add("assign_variable", {state, sum}, {}, kFloat32, 0);
  net.Out(net.Add("relu", {moved}));
  const Graph last = SetLayout(net.graph(), {.channels_last = true});
  for (const Operator& op : last.operators) {
    if (op.kind == "transpose" && op.inputs[0] == read) return;
  }
  ADD_FAILURE() << "expected a transpose of the state where the file has it";
}

/// A rule's operator over an image [2, 4, 3, 6] that a convolution has made, and its settings.
struct RuleCase {
  std::string_view kind;
  Net::Settings settings = {};
  /// Shapes of constants after the image.
  std::vector<Net::Shape> constants = {};
  size_t outputs = 1;
};

std::vector<RuleCase> RuleCases() {
  const Ints kernel = {2, 3};
  return {
      {"tanh"},
      {"clip", {}, {{}, {}}},
      {"add", {}, {{}}},
      {"mul", {}, {{6}}},
      {"sub", {}, {{4, 1, 1}}},
      {"max", {}, {{1, 4, 3, 1}, {3, 6}}},
      {"prelu", {}, {{4, 1, 1}}},
      {"softmax", {{"axis", int64_t{1}}}},
      {"softmax", {{"axis", int64_t{1}}, {"flatten", int64_t{1}}}},
      {"log_softmax", {{"axis", int64_t{-2}}}},
      {"hardmax", {{"axis", int64_t{1}}}},
      {"lp_normalization", {{"axis", int64_t{1}}}},
      {"cumsum", {{"axis", int64_t{1}}}},
      {"average_pool", {{"kernel_shape", kernel}, {"pads", Ints{1, 1, 0, 1}}}},
      {"max_pool", {{"kernel_shape", kernel}, {"strides", Ints{1, 2}}}},
      {"lp_pool", {{"kernel_shape", kernel}}},
      {"global_average_pool"},
      {"global_max_pool"},
      {"batch_normalization", {}, {{4}, {4}, {4}, {4}}},
      {"instance_normalization", {}, {{4}, {4}}},
      {"group_normalization", {{"num_groups", int64_t{2}}}, {{4}, {4}}},
      {"layer_normalization", {{"axis", int64_t{1}}}, {{4, 3, 6}}},
      {"layer_normalization", {}, {{6}}},
      {"lrn", {{"size", int64_t{3}}}},
      {"depth_to_space", {{"blocksize", int64_t{2}}}},
      {"depth_to_space", {{"blocksize", int64_t{2}}, {"mode", "CRD"}}},
      {"space_to_depth", {{"blocksize", int64_t{3}}}},
      {"space_to_depth", {{"blocksize", int64_t{3}}, {"mode", "CRD"}}},
      {"pad", {{"pads", Ints{0, 1, 2, 0, 0, 0, 1, 3}}}},
      {"pad", {{"pads", Ints{1, 2}}, {"axes", Ints{-3}}, {"mode", "reflect"}}},
      {"slice", {{"starts", Ints{0, 1}}, {"ends", Ints{9, 3}}}},
      {"slice", {{"starts", Ints{5}}, {"ends", Ints{0}}, {"axes", Ints{3}}, {"steps", Ints{-2}}}},
      {"split", {{"axis", int64_t{1}}, {"split", Ints{3, 1}}}, {}, 2},
      {"resize", {{"scales", std::vector<double>{1, 1, 2, 1.5}}, {"mode", "linear"}}},
      {"resize", {{"sizes", Ints{6, 3}}, {"axes", Ints{2, 3}}}},
      {"expand", {{"shape", Ints{3, 1}}}},
      {"tile", {{"repeats", Ints{1, 2, 1, 3}}}},
      {"reduce_sum", {{"axes", Ints{1}}}},
      {"reduce_mean", {{"axes", Ints{-1, 2}}, {"keepdims", int64_t{0}}}},
      {"reduce_max", {{"axes", Ints{1, 3}}, {"keepdims", int64_t{0}}}},
      {"reduce_l2", {{"keepdims", int64_t{0}}}},
      {"reduce_min", {{"noop_with_empty_axes", int64_t{1}}}},
      {"transpose"},
      {"transpose", {{"perm", Ints{0, 2, 1, 3}}}},
      {"reshape", {{"shape", Ints{2, 2, 2, 18}}}},
      {"reshape", {{"shape", Ints{2, 12, 6}}}},
      {"reshape", {{"shape", Ints{8, 18}}}},
      {"reshape", {{"shape", Ints{144}}}},
      {"flatten", {{"axis", int64_t{3}}}},
      {"unsqueeze", {{"axes", Ints{0, 2}}}},
      {"identity"},
      {"matmul", {}, {{6, 5}}},
  };
}

TEST(LayoutTest, EveryRuleGivesTheSameNumbers) {
  for (const RuleCase& rule : RuleCases()) {
    SCOPED_TRACE(std::string(rule.kind));
    Net net;
    std::vector<int> inputs = {Conv(net, net.In(kFloat32, {2, 2, 3, 6}), 4)};
    for (const Net::Shape& shape : rule.constants) {
      Net::Numbers numbers = Noise(144);
      int64_t count = 1;
      for (const int64_t extent : shape) count *= extent;
      numbers.resize(static_cast<size_t>(count));
      // Variances are positive.
      for (double& number : numbers) number = std::abs(number) + 0.5;
      inputs.push_back(net.Constant(kFloat32, shape, numbers));
    }
    const int made = net.Add(rule.kind, inputs, rule.settings, kFloat32, rule.outputs);
    for (size_t i = 0; i < rule.outputs; ++i) net.Out(made + static_cast<int>(i));
    // The next operator sees what the rule says about the order.
    net.Out(net.Add("abs", {made}));
    net.Check();
  }
}

TEST(LayoutTest, NumbersOfElementsStay) {
  Net net;
  const int x = Conv(net, net.In(kFloat32, {2, 2, 3, 6}), 4);
  for (const int64_t order : {0, 1}) {
    const int pool = net.Add("max_pool", {x},
                             {{"kernel_shape", Ints{2, 3}}, {"storage_order", order}}, kFloat32, 2);
    net.SetType(pool + 1, kInt64);
    net.Out(pool + 1);
  }
  net.Out(net.Add("arg_max", {x}, {{"axis", int64_t{1}}}, kInt64));
  net.Out(net.Add("arg_min", {x}, {{"axis", int64_t{3}}, {"keepdims", int64_t{0}}}, kInt64));
  const int picked = net.Constant(kInt64, {2}, {3, 0});
  net.Out(net.Add("gather", {x, picked}, {{"axis", int64_t{1}}}));
  net.Out(net.Add("gather", {x, net.Constant(kInt64, {}, {-1})}, {{"axis", int64_t{1}}}));
  net.Check();
}

TEST(LayoutTest, ScalesOfChannels) {
  Net net;
  const int x = Conv(net, net.In(kFloat32, {2, 2, 3, 4}), 4);
  const int scale = net.Constant(kFloat32, {4}, {0.25, 0.5, 1, 2});
  const int zero = net.Constant(kInt8, {4}, {1, -2, 3, -4});
  const int q = net.Add("quantize_linear", {net.Add("round", {x}), scale, zero}, {}, kInt8);
  net.Out(q);
  net.Out(net.Add("dequantize_linear", {q, scale, zero}, {{"axis", int64_t{-3}}}));
  net.Check();
}

TEST(LayoutTest, ConvolutionsOfAllKinds) {
  for (const int64_t axes : {1, 2, 3}) {
    for (const int64_t groups : {1, 2, 4}) {
      Net net;
      Net::Shape shape = {2, 4}, kernel = {8, 4 / groups}, spread = {4, 8 / groups};
      for (int64_t axis = 0; axis < axes; ++axis) {
        shape.push_back(5 - axis);
        kernel.push_back(2 + axis % 2);
        spread.push_back(2);
      }
      const int x = net.In(kFloat32, shape);
      const Ints twice(static_cast<size_t>(axes), 2);
      net.Out(net.Add("conv", {x, net.Constant(kFloat32, kernel), net.Constant(kFloat32, {8})},
                      {{"group", groups}, {"auto_pad", "SAME_UPPER"}, {"dilations", twice}}));
      net.Out(net.Add("conv", {x, net.In(kFloat32, kernel)}, {{"group", groups}}));
      net.Out(net.Add("conv_transpose", {x, net.Constant(kFloat32, spread)},
                      {{"group", groups}, {"strides", twice}}));
      net.Out(net.Add("conv_transpose", {x, net.In(kFloat32, spread)}, {{"group", groups}}));
      net.Check();
    }
  }
}

}  // namespace

}  // namespace tenon::graph
