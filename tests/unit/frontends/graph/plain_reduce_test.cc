#include <cmath>
#include <functional>
#include <limits>

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

constexpr double kInfinity = std::numeric_limits<double>::infinity();

PlainRun Pool(std::string_view kind, Ints kernel, const Numbers& x) {
  PlainRun run(kind);
  run.Set("kernel_shape", std::move(kernel));
  return run.In(kFloat32, {1, 1, static_cast<int64_t>(x.size())}, x);
}

TEST(PlainPoolTest, MaximaWithTheirPlaces) {
  PlainRun run("max_pool");
  run.Set("kernel_shape", Ints{2, 2}).Set("strides", Ints{2, 1}).Set("pads", Ints{1, 0, 0, 1});
  run.In(kFloat32, {1, 2, 3, 2}, {1, 5, 2, 4, 3, 6, -1, -5, -2, -4, -3, -6});
  const auto both = run.Out(kFloat32).Out(kInt64).RunAll();
  EXPECT_THAT(both[0], ElementsAre(5, 5, 6, 6, -1, -5, -2, -4));
  EXPECT_THAT(both[1], ElementsAre(1, 1, 5, 5, 6, 7, 8, 9));
  EXPECT_THAT(run.shape(), ElementsAre(1, 2, 2, 2));
  // Columns first: the element [row 2, column 1] of 3 rows is number 5, [0, 1] is number 3.
  EXPECT_THAT(PlainRun(run).Set("storage_order", int64_t{1}).RunAll()[1],
              ElementsAre(3, 3, 5, 5, 6, 9, 7, 10));
}

TEST(PlainPoolTest, TypesDilationsAndCeilMode) {
  EXPECT_THAT(PlainRun("max_pool")
                  .Set("kernel_shape", Ints{2})
                  .In(kUInt8, {1, 1, 4}, {3, 200, 100, 7})
                  .Out(kUInt8)
                  .Run(),
              ElementsAre(200, 200, 100));
  EXPECT_THAT(Pool("max_pool", {2}, {5, 1, 2, 4}).Set("dilations", Ints{2}).Out(kFloat32).Run(),
              ElementsAre(5, 4));
  const auto ceil = [](int64_t mode) {
    return Pool("max_pool", {2}, {1, 2, 3, 4, 5})
        .Set("strides", Ints{2})
        .Set("ceil_mode", mode)
        .Out(kFloat32)
        .Run();
  };
  EXPECT_THAT(ceil(0), ElementsAre(2, 4));
  EXPECT_THAT(ceil(1), ElementsAre(2, 4, 5));
  // A window that begins after the input and its pad is not one.
  EXPECT_THAT(Pool("max_pool", {1}, {1, 2, 3, 4})
                  .Set("strides", Ints{4})
                  .Set("ceil_mode", int64_t{1})
                  .Out(kFloat32)
                  .Run(),
              ElementsAre(1));
}

TEST(PlainPoolTest, MeansWithAndWithoutPads) {
  const auto mean = [](bool with_pads, bool ceil) {
    return Pool("average_pool", {3}, {6, 12, 18, 24})
        .Set("strides", Ints{2})
        .Set("pads", Ints{1, 1})
        .Set("ceil_mode", int64_t{ceil})
        .Set("count_include_pad", int64_t{with_pads})
        .Out(kFloat32)
        .Run();
  };
  EXPECT_THAT(mean(false, false), ElementsAre(9, 18));
  EXPECT_THAT(mean(true, false), ElementsAre(6, 18));
  // The last window has one element and one pad; the place after the pad does not count.
  EXPECT_THAT(mean(false, true), ElementsAre(9, 18, 24));
  EXPECT_THAT(mean(true, true), ElementsAre(6, 18, 12));
  EXPECT_THAT(Pool("average_pool", {2}, {1, 2, 3, 4})
                  .Set("dilations", Ints{2})
                  .Set("pads", Ints{2, 1})
                  .Out(kFloat32)
                  .Run(),
              ElementsAre(1, 2, 2, 3, 3));
}

TEST(PlainPoolTest, WholeChannelsAndNorms) {
  const auto all = [](std::string_view kind) {
    return PlainRun(kind).In(kFloat32, {1, 2, 1, 2}, {3, 4, -5, 12}).Out(kFloat32).Run();
  };
  EXPECT_THAT(all("global_max_pool"), ElementsAre(4, 12));
  EXPECT_THAT(all("global_average_pool"), ElementsAre(3.5, 3.5));
  EXPECT_THAT(all("global_lp_pool"), ElementsAre(5, 13));
  ExpectNear(Pool("lp_pool", {2}, {1, -2, 3}).Set("p", int64_t{3}).Out(kFloat32).Run(),
             {std::cbrt(9), std::cbrt(35)});
  EXPECT_THAT(Pool("max_pool", {2}, {1, 2})
                  .Set("layout", "NHWC")
                  .Set("kernel_shape", Ints{1})
                  .Out(kFloat32)
                  .Run(),
              ElementsAre(1, 2));
  EXPECT_THAT(ErrorOf(Pool("average_pool", {2, 2}, {1, 2}).Out(kFloat32)),
              HasSubstr("1 numbers in `kernel_shape`, found 2"));
}

struct ReduceCase {
  std::string_view kind;
  std::function<double(const Numbers& of)> of;
};

double SumOf(const Numbers& of, const std::function<double(double)>& term) {
  double sum = 0;
  for (const double x : of) sum += term(x);
  return sum;
}

std::vector<ReduceCase> ReduceCases() {
  const auto square = [](double x) { return x * x; };
  const auto same = [](double x) { return x; };
  return {
      {"reduce_sum", [=](const Numbers& of) { return SumOf(of, same); }},
      {"reduce_mean",
       [=](const Numbers& of) { return SumOf(of, same) / static_cast<double>(of.size()); }},
      {"reduce_max", [](const Numbers& of) { return *std::max_element(of.begin(), of.end()); }},
      {"reduce_min", [](const Numbers& of) { return *std::min_element(of.begin(), of.end()); }},
      {"reduce_prod",
       [](const Numbers& of) {
         double product = 1;
         for (const double x : of) product *= x;
         return product;
       }},
      {"reduce_l1",
       [](const Numbers& of) { return SumOf(of, [](double x) { return std::abs(x); }); }},
      {"reduce_l2", [=](const Numbers& of) { return std::sqrt(SumOf(of, square)); }},
      {"reduce_log_sum", [=](const Numbers& of) { return std::log(SumOf(of, same)); }},
      {"reduce_log_sum_exp",
       [](const Numbers& of) { return std::log(SumOf(of, [](double x) { return std::exp(x); })); }},
      {"reduce_sum_square", [=](const Numbers& of) { return SumOf(of, square); }},
  };
}

TEST(PlainReduceTest, AnyAxes) {
  // Sums are positive, so that they have logarithms.
  Numbers x = Noise(2 * 3 * 4);
  for (double& one : x) one = std::abs(one) + 0.5;
  for (const ReduceCase& test : ReduceCases()) {
    SCOPED_TRACE(test.kind);
    Numbers wanted;
    for (size_t k = 0; k < 3; ++k) {
      Numbers of;
      for (size_t i = 0; i < 2; ++i)
        for (size_t j = 0; j < 4; ++j) of.push_back(x[(i * 3 + k) * 4 + j]);
      wanted.push_back(test.of(of));
    }
    PlainRun run(test.kind);
    ExpectNear(run.Set("axes", Ints{-1, 0}).In(kFloat32, {2, 3, 4}, x).Out(kFloat32).Run(), wanted);
    EXPECT_THAT(run.shape(), ElementsAre(1, 3, 1));
    run.Set("keepdims", int64_t{0}).Run();
    EXPECT_THAT(run.shape(), ElementsAre(3));
    PlainRun all(test.kind);
    ExpectNear(all.In(kFloat64, {2, 3, 4}, x).Out(kFloat64).Run(), {test.of(x)}, 1e-6);
    PlainRun none(test.kind);
    Numbers single;
    for (const double one : x) single.push_back(test.of({one}));
    none.Set("axes", Ints{}).Set("noop_with_empty_axes", int64_t{1});
    ExpectNear(none.In(kFloat32, {2, 3, 4}, x).Out(kFloat32).Run(), single);
  }
}

TEST(PlainReduceTest, IntegersBoolsAndSpecialNumbers) {
  const auto reduce = [](std::string_view kind, DataType dtype, const Numbers& x) {
    return PlainRun(kind).In(dtype, {static_cast<int64_t>(x.size())}, x).Out(dtype).Run();
  };
  EXPECT_THAT(reduce("reduce_sum", kInt8, {100, 100}), ElementsAre(-56));
  EXPECT_THAT(reduce("reduce_mean", kInt8, {100, 100, 103}), ElementsAre(101));
  EXPECT_THAT(reduce("reduce_l2", kInt32, {3, 4}), ElementsAre(5));
  EXPECT_THAT(reduce("reduce_max", kUInt8, {3, 250}), ElementsAre(250));
  EXPECT_THAT(reduce("reduce_min", kInt64, {3, -7}), ElementsAre(-7));
  EXPECT_THAT(reduce("reduce_min", DataType::UInt(64), {3, 7}), ElementsAre(3));
  EXPECT_THAT(reduce("reduce_max", kInt64, {-3, -7}), ElementsAre(-3));
  EXPECT_THAT(reduce("reduce_max", kBoolean, {0, 1}), ElementsAre(1));
  EXPECT_THAT(reduce("reduce_min", kBoolean, {0, 1}), ElementsAre(0));
  EXPECT_THAT(reduce("reduce_max", kFloat32, {}), ElementsAre(-kInfinity));
  EXPECT_THAT(reduce("reduce_prod", kFloat32, {}), ElementsAre(1));
  EXPECT_TRUE(std::isnan(reduce("reduce_max", kFloat32, {std::nan(""), 3})[0]));
  ExpectNear(reduce("reduce_log_sum_exp", kFloat32, {1000, 1000}), {1000 + std::log(2)});
  EXPECT_THAT(reduce("reduce_log_sum_exp", kFloat32, {-kInfinity}), ElementsAre(-kInfinity));
  EXPECT_THAT(ErrorOf(PlainRun("reduce_sum").Set("axes", Ints{2}).In(kInt8, {1}, {1}).Out(kInt8)),
              HasSubstr("expected an axis of 1 dimensions, found 2"));
  EXPECT_THAT(
      ErrorOf(PlainRun("reduce_sum").Set("axes", Ints{0, -1}).In(kInt8, {1}, {1}).Out(kInt8)),
      HasSubstr("found 0 twice"));
}

TEST(PlainReduceTest, PlacesOfExtremes) {
  const auto arg = [](std::string_view kind, int64_t last) {
    return PlainRun(kind)
        .Set("axis", int64_t{-1})
        .Set("select_last_index", last)
        .In(kFloat32, {2, 3}, {1, 3, 3, 0, 0, 2})
        .Out(kInt64)
        .Run();
  };
  EXPECT_THAT(arg("arg_max", 0), ElementsAre(1, 2));
  EXPECT_THAT(arg("arg_max", 1), ElementsAre(2, 2));
  EXPECT_THAT(arg("arg_min", 0), ElementsAre(0, 0));
  EXPECT_THAT(arg("arg_min", 1), ElementsAre(0, 1));
  PlainRun run("arg_max");
  EXPECT_THAT(run.Set("keepdims", int64_t{0}).In(kInt8, {2, 2}, {1, 5, 7, 2}).Out(kInt64).Run(),
              ElementsAre(1, 0));
  EXPECT_THAT(run.shape(), ElementsAre(2));
}

TEST(PlainSoftmaxTest, AlongAnyAxis) {
  const Numbers x = Noise(2 * 3 * 2);
  const auto soft = [&](const std::vector<size_t>& group, size_t at) {
    double sum = 0;
    for (const size_t i : group) sum += std::exp(x[i]);
    return std::exp(x[at]) / sum;
  };
  Numbers along, flat;
  for (size_t i = 0; i < x.size(); ++i) {
    const size_t row = i / 6;
    const size_t column = i % 2;
    along.push_back(soft({row * 6 + column, row * 6 + 2 + column, row * 6 + 4 + column}, i));
    flat.push_back(
        soft({row * 6, row * 6 + 1, row * 6 + 2, row * 6 + 3, row * 6 + 4, row * 6 + 5}, i));
  }
  const auto run = [&](std::string_view kind, DataType dtype, int64_t flatten) {
    PlainRun made(kind);
    made.Set("axis", int64_t{1}).Set("flatten", flatten);
    return made.In(dtype, {2, 3, 2}, x).Out(dtype).Run();
  };
  ExpectNear(run("softmax", kFloat32, 0), along);
  ExpectNear(run("softmax", kFloat64, 1), flat, 1e-6);
  ExpectNear(run("softmax", kFloat16, 0), along, 2e-3);
  for (double& one : along) one = std::log(one);
  ExpectNear(run("log_softmax", kFloat32, 0), along);
  ExpectNear(PlainRun("softmax").In(kFloat32, {2}, {1000, 1000}).Out(kFloat32).Run(), {0.5, 0.5});
  EXPECT_THAT(PlainRun("hardmax").In(kFloat32, {2, 3}, {1, 3, 3, 2, 1, 0}).Out(kFloat32).Run(),
              ElementsAre(0, 1, 0, 1, 0, 0));
}

/// Rows of `depth` elements with mean 0 and variance 1.
Numbers Normal(const Numbers& x, size_t depth, double epsilon, bool has_mean = true) {
  Numbers y;
  for (size_t row = 0; row < x.size() / depth; ++row) {
    double mean = 0;
    double variance = 0;
    for (size_t i = 0; has_mean && i < depth; ++i)
      mean += x[row * depth + i] / static_cast<double>(depth);
    for (size_t i = 0; i < depth; ++i)
      variance += std::pow(x[row * depth + i] - mean, 2) / static_cast<double>(depth);
    for (size_t i = 0; i < depth; ++i)
      y.push_back((x[row * depth + i] - mean) / std::sqrt(variance + epsilon));
  }
  return y;
}

TEST(PlainNormTest, Batches) {
  const Numbers x = {1, 2, 3, 4, 5, 6, 7, 8};
  Numbers wanted;
  for (size_t i = 0; i < 8; ++i) {
    const bool second = i / 2 % 2 == 1;
    wanted.push_back(second ? 3 * (x[i] - 4) / std::sqrt(4.25) - 1
                            : 2 * (x[i] - 1) / std::sqrt(1.25) + 1);
  }
  PlainRun run("batch_normalization");
  run.Set("epsilon", 0.25).In(kFloat32, {2, 2, 2}, x);
  for (const Numbers& parameter : {Numbers{2, 3}, Numbers{1, -1}, Numbers{1, 4}, Numbers{1, 4}})
    run.Constant(kFloat32, {2}, parameter);
  ExpectNear(run.Out(kFloat32).Run(), wanted);
  EXPECT_THAT(ErrorOf(run.Set("training_mode", int64_t{1})), HasSubstr("training"));
}

TEST(PlainNormTest, InstancesGroupsAndLayers) {
  const Numbers x = Noise(2 * 4 * 3);
  const Numbers scale = {1, 2, 3, 4};
  const Numbers bias = {0, -1, 1, 5};
  const auto with = [&](Numbers y) {
    for (size_t i = 0; i < y.size(); ++i) y[i] = y[i] * scale[i / 3 % 4] + bias[i / 3 % 4];
    return y;
  };
  const auto of_channels = [&](PlainRun run) {
    run.In(kFloat32, {2, 4, 3}, x).In(kFloat32, {4}, scale).In(kFloat32, {4}, bias);
    return run.Out(kFloat32).Run();
  };
  ExpectNear(of_channels(PlainRun("instance_normalization")), with(Normal(x, 3, 1e-5)));
  ExpectNear(of_channels(PlainRun("group_normalization").Set("num_groups", int64_t{2})),
             with(Normal(x, 6, 1e-5)));
  const Numbers factors = Noise(12, 5);
  const auto layers = [&](std::string_view kind, bool has_mean) {
    Numbers y = Normal(x, 12, 1e-3, has_mean);
    for (size_t i = 0; i < y.size(); ++i) y[i] *= factors[i % 12];
    PlainRun run(kind);
    run.Set("axis", int64_t{1}).Set("epsilon", 1e-3).In(kFloat32, {2, 4, 3}, x);
    ExpectNear(run.In(kFloat32, {4, 3}, factors).Out(kFloat32).Run(), y);
  };
  layers("layer_normalization", true);
  layers("rms_normalization", false);
}

TEST(PlainNormTest, LayersWithTheirMeans) {
  PlainRun run("layer_normalization");
  run.Set("epsilon", 0.0).In(kFloat32, {2, 2}, {1, 3, 4, 8}).In(kFloat32, {2}, {1, 1});
  const auto all =
      run.In(kFloat32, {2}, {0, 10}).Out(kFloat32).Out(kFloat32).Out(kFloat32).RunAll();
  ExpectNear(all[0], {-1, 11, -1, 11});
  ExpectNear(all[1], {2, 6});
  ExpectNear(all[2], {1, 0.5});
  EXPECT_THAT(run.shape(1), ElementsAre(2, 1));
}

TEST(PlainNormTest, NeighboursAndNorms) {
  PlainRun run("lrn");
  run.Set("size", int64_t{3}).Set("alpha", 3.0).Set("beta", 0.5).Set("bias", 2.0);
  ExpectNear(run.In(kFloat32, {1, 4, 1}, {1, 2, 3, 4}).Out(kFloat32).Run(),
             {1 / std::sqrt(7), 2 / std::sqrt(16), 3 / std::sqrt(31), 4 / std::sqrt(27)});
  ExpectNear(PlainRun("lp_normalization").In(kFloat32, {2, 2}, {3, 4, 0, 0}).Out(kFloat32).Run(),
             {0.6, 0.8, 0, 0});
  ExpectNear(PlainRun("lp_normalization")
                 .Set("p", int64_t{1})
                 .Set("axis", int64_t{0})
                 .In(kFloat32, {2, 1}, {-3, 1})
                 .Out(kFloat32)
                 .Run(),
             {-0.75, 0.25});
}

}  // namespace
}  // namespace tenon::graph
