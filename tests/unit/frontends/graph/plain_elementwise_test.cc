#include <cmath>
#include <functional>
#include <limits>
#include <numbers>

#include "frontends/graph/code.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "plain_run.h"

namespace tenon::graph {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Function = std::function<double(double)>;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

double Sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
double Softplus(double x) { return std::log(1 + std::exp(x)); }

struct UnaryCase {
  std::string_view kind;
  Function of;
  std::vector<double> at = {-3, -1.5, -0.25, 0, 0.25, 0.5, 1, 2.5, 10};
  std::vector<std::pair<std::string_view, double>> settings = {};
};

std::vector<UnaryCase> UnaryCases() {
  const std::vector<double> positive = {0.25, 0.5, 1, 3, 40};
  const std::vector<double> small = {-0.75, -0.5, 0, 0.5, 0.75};
  return {
      {"abs", [](double x) { return std::abs(x); }},
      {"neg", [](double x) { return -x; }},
      {"sign", [](double x) { return x > 0   ? 1
                                     : x < 0 ? -1
                                             : 0; }},
      {"sqrt", [](double x) { return std::sqrt(x); }, positive},
      {"reciprocal", [](double x) { return 1 / x; }, positive},
      {"exp", [](double x) { return std::exp(x); }},
      {"log", [](double x) { return std::log(x); }, positive},
      {"erf", [](double x) { return std::erf(x); }},
      {"floor", [](double x) { return std::floor(x); }},
      {"ceil", [](double x) { return std::ceil(x); }},
      {"round",
       [](double x) { return std::nearbyint(x); },
       {-2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 2.75}},
      {"sin", [](double x) { return std::sin(x); }},
      {"cos", [](double x) { return std::cos(x); }},
      {"tan", [](double x) { return std::tan(x); }, small},
      {"sinh", [](double x) { return std::sinh(x); }},
      {"cosh", [](double x) { return std::cosh(x); }},
      {"tanh", [](double x) { return std::tanh(x); }},
      {"asin", [](double x) { return std::asin(x); }, small},
      {"acos", [](double x) { return std::acos(x); }, small},
      {"atan", [](double x) { return std::atan(x); }},
      {"asinh", [](double x) { return std::asinh(x); }},
      {"acosh", [](double x) { return std::acosh(x); }, {1, 1.5, 4}},
      {"atanh", [](double x) { return std::atanh(x); }, small},
      {"relu", [](double x) { return std::max(x, 0.0); }},
      {"leaky_relu", [](double x) { return x < 0 ? 0.5 * x : x; }, small, {{"alpha", 0.5}}},
      {"leaky_relu", [](double x) { return x < 0 ? 0.01 * x : x; }},
      {"thresholded_relu", [](double x) { return x > 1 ? x : 0; }},
      {"elu", [](double x) { return x > 0 ? x : 2 * (std::exp(x) - 1); }, small, {{"alpha", 2}}},
      {"selu", [](double x) { return 1.0507010 * (x > 0 ? x : 1.6732632 * (std::exp(x) - 1)); }},
      {"celu",
       [](double x) { return x > 0 ? x : 2 * (std::exp(x / 2) - 1); },
       small,
       {{"alpha", 2}}},
      {"sigmoid", &Sigmoid},
      {"hard_sigmoid", [](double x) { return std::min(1.0, std::max(0.0, 0.2 * x + 0.5)); }},
      {"hard_swish", [](double x) { return x * std::min(1.0, std::max(0.0, x / 6 + 0.5)); }},
      {"softplus", &Softplus},
      {"softsign", [](double x) { return x / (1 + std::abs(x)); }},
      {"gelu", [](double x) { return 0.5 * x * (1 + std::erf(x / std::numbers::sqrt2)); }},
      {"swish", [](double x) { return x * Sigmoid(2 * x); }, small, {{"alpha", 2}}},
      {"mish", [](double x) { return x * std::tanh(Softplus(x)); }},
      {"shrink",
       [](double x) { return x < -1  ? x + 2
                             : x > 1 ? x - 2
                                     : 0; },
       {-3, -1, 0, 1, 3},
       {{"lambd", 1}, {"bias", 2}}},
  };
}

TEST(PlainElementwiseTest, FunctionsOfEveryFloatType) {
  for (const UnaryCase& one : UnaryCases()) {
    std::vector<double> wanted;
    for (const double x : one.at) wanted.push_back(one.of(x));
    const auto size = static_cast<int64_t>(one.at.size());
    const std::pair<DataType, double> types[] = {
        {kFloat32, 1e-5}, {kFloat64, 1e-6}, {kFloat16, 2e-3}, {kBFloat16, 1e-2}};
    for (const auto& [dtype, most] : types) {
      SCOPED_TRACE(std::string(one.kind) + " " + dtype.ToString());
      PlainRun run(one.kind);
      for (const auto& [name, value] : one.settings) run.Set(name, value);
      ExpectNear(run.In(dtype, {size}, one.at).Out(dtype).Run(), wanted, most);
    }
  }
}

TEST(PlainElementwiseTest, GeluByTanh) {
  const std::vector<double> at = {-2, -0.5, 0, 0.5, 2};
  std::vector<double> wanted;
  for (const double x : at) {
    const double inner = std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x);
    wanted.push_back(0.5 * x * (1 + std::tanh(inner)));
  }
  ExpectNear(PlainRun("gelu").Set("approximate", "tanh").In(kFloat32, {5}, at).Out(kFloat32).Run(),
             wanted);
}

TEST(PlainElementwiseTest, LargeNumbersDoNotOverflow) {
  const std::vector<double> at = {-1000, 1000, kNan};
  for (const auto& [kind, low, high] :
       {std::tuple("sigmoid", 0.0, 1.0), std::tuple("softplus", 0.0, 1000.0),
        std::tuple("relu", 0.0, 1000.0), std::tuple("elu", -1.0, 1000.0)}) {
    SCOPED_TRACE(kind);
    ExpectNear(PlainRun(kind).In(kFloat32, {3}, at).Out(kFloat32).Run(), {low, high, kNan});
  }
}

TEST(PlainElementwiseTest, FunctionsOfIntegersAndBools) {
  EXPECT_THAT(PlainRun("abs").In(kInt8, {3}, {-128, -1, 5}).Out(kInt8).Run(),
              ElementsAre(-128, 1, 5));
  EXPECT_THAT(PlainRun("neg").In(kInt64, {2}, {-7, 9}).Out(kInt64).Run(), ElementsAre(7, -9));
  EXPECT_THAT(PlainRun("sign").In(kUInt8, {3}, {0, 1, 200}).Out(kUInt8).Run(),
              ElementsAre(0, 1, 1));
  EXPECT_THAT(PlainRun("relu").In(kInt32, {2}, {-3, 4}).Out(kInt32).Run(), ElementsAre(0, 4));
  EXPECT_THAT(PlainRun("bitwise_not").In(kUInt8, {2}, {0, 170}).Out(kUInt8).Run(),
              ElementsAre(255, 85));
  EXPECT_THAT(PlainRun("not").In(kBoolean, {2}, {0, 1}).Out(kBoolean).Run(), ElementsAre(1, 0));
  EXPECT_THAT(ErrorOf(PlainRun("exp").In(kInt32, {1}, {1}).Out(kInt32)),
              HasSubstr("node: not for int32"));
}

TEST(PlainElementwiseTest, TestsOfFloats) {
  const std::vector<double> at = {1, kNan, kInfinity, -kInfinity};
  for (const DataType dtype : {kFloat32, kFloat16, kFloat64}) {
    EXPECT_THAT(PlainRun("is_nan").In(dtype, {4}, at).Out(kBoolean).Run(), ElementsAre(0, 1, 0, 0));
    EXPECT_THAT(PlainRun("is_inf").In(dtype, {4}, at).Out(kBoolean).Run(), ElementsAre(0, 0, 1, 1));
    EXPECT_THAT(PlainRun("is_inf")
                    .Set("detect_negative", int64_t{0})
                    .In(dtype, {4}, at)
                    .Out(kBoolean)
                    .Run(),
                ElementsAre(0, 0, 1, 0));
  }
}

TEST(PlainElementwiseTest, CastsFollowTheTypes) {
  const auto cast = [](DataType from, DataType to, const std::vector<double>& at) {
    return PlainRun("cast").In(from, {static_cast<int64_t>(at.size())}, at).Out(to).Run();
  };
  EXPECT_THAT(cast(kInt32, kInt8, {300, -129, 5}), ElementsAre(44, 127, 5));
  EXPECT_THAT(cast(kInt8, kUInt8, {-1, 7}), ElementsAre(255, 7));
  EXPECT_THAT(cast(kFloat32, kInt32, {-2.75, 2.75}), ElementsAre(-2, 2));
  EXPECT_THAT(cast(kFloat16, kInt64, {-2.75, 100}), ElementsAre(-2, 100));
  EXPECT_THAT(cast(kFloat32, kBoolean, {0, 0.25, kNan}), ElementsAre(0, 1, 1));
  EXPECT_THAT(cast(kInt64, kBoolean, {0, 256}), ElementsAre(0, 1));
  EXPECT_THAT(cast(kBoolean, kFloat64, {0, 1}), ElementsAre(0, 1));
  EXPECT_THAT(cast(kFloat64, kFloat16, {1.0 + 1.0 / 4096, 1e9}), ElementsAre(1, kInfinity));
  EXPECT_THAT(cast(kFloat32, kBFloat16, {1.0 + 1.0 / 512, -3}), ElementsAre(1, -3));
  EXPECT_THAT(cast(kBFloat16, kFloat32, {1.5}), ElementsAre(1.5));
}

TEST(PlainElementwiseTest, ShapesAreRepeated) {
  PlainRun run("add");
  EXPECT_THAT(run.In(kFloat32, {2, 1}, {10, 20}).In(kFloat32, {3}, {1, 2, 3}).Out(kFloat32).Run(),
              ElementsAre(11, 12, 13, 21, 22, 23));
  EXPECT_THAT(run.shape(), ElementsAre(2, 3));
  EXPECT_THAT(PlainRun("mul").In(kInt16, {}, {3}).In(kInt16, {}, {5}).Out(kInt16).Run(),
              ElementsAre(15));
  EXPECT_THAT(ErrorOf(PlainRun("sub").In(kInt8, {2}, {1, 2}).In(kInt8, {3}, {1, 2, 3}).Out(kInt8)),
              HasSubstr("extents of 2 and 3"));
}

struct BinaryCase {
  std::string_view kind;
  DataType dtype;
  std::vector<double> a, b, wanted;
  std::vector<std::pair<std::string_view, Attributes::Value>> settings = {};
};

TEST(PlainElementwiseTest, FunctionsOfTwoNumbers) {
  const Attributes::Value one = int64_t{1};
  const std::vector<BinaryCase> cases = {
      {"add", kUInt8, {250, 1}, {10, 2}, {4, 3}},
      {"add", kFloat16, {1, 2048}, {0.5, 1}, {1.5, 2048}},
      {"sub", kInt8, {-128, 1}, {1, 2}, {127, -1}},
      {"mul", kFloat64, {1.5, -2}, {2, 0.25}, {3, -0.5}},
      {"div", kInt32, {-7, 7, 5}, {2, -2, 3}, {-3, -3, 1}},
      {"div", kUInt8, {200}, {3}, {66}},
      {"div", kFloat32, {1, -1, 0}, {0, 0, 0}, {kInfinity, -kInfinity, kNan}},
      {"mod", kInt32, {-7, 7, 6}, {3, -3, 3}, {2, -2, 0}},
      {"mod", kInt32, {-7, 7, 6}, {3, -3, 3}, {-1, 1, 0}, {{"fmod", one}}},
      {"mod", kFloat32, {-4.5, 4.5}, {2, -2}, {-0.5, 0.5}, {{"fmod", one}}},
      {"mod", kFloat32, {-4.5, 4.5, 3}, {2, -2, 1.5}, {1.5, -1.5, 0}},
      {"pow", kFloat32, {2, 9, -2}, {3, 0.5, 3}, {8, 3, -8}},
      {"pow", kInt64, {3, -3, 2}, {39, 3, 0}, {4052555153018976267.0, -27, 1}},
      {"pow", kInt32, {2, 1, -1, -1}, {-1, -5, -2, -3}, {0, 1, 1, -1}},
      {"bitwise_and", kUInt8, {12}, {10}, {8}},
      {"bitwise_or", kInt32, {12}, {10}, {14}},
      {"bitwise_xor", kInt64, {12}, {10}, {6}},
      {"bit_shift", kUInt8, {3, 3}, {7, 8}, {128, 0}, {{"direction", "LEFT"}}},
      {"bit_shift", kInt8, {-4, -4, 4}, {1, 9, -1}, {-2, -1, 0}, {{"direction", "RIGHT"}}},
      {"prelu", kFloat32, {-2, 3}, {0.5, 0.5}, {-1, 3}},
  };
  for (const BinaryCase& test : cases) {
    SCOPED_TRACE(std::string(test.kind) + " " + test.dtype.ToString());
    const auto size = static_cast<int64_t>(test.a.size());
    PlainRun run(test.kind);
    for (const auto& [name, value] : test.settings) run.Set(name, value);
    ExpectNear(
        run.In(test.dtype, {size}, test.a).In(test.dtype, {size}, test.b).Out(test.dtype).Run(),
        test.wanted, 1e-6);
  }
  EXPECT_THAT(PlainRun("pow").In(kFloat32, {2}, {2, 3}).In(kInt64, {}, {2}).Out(kFloat32).Run(),
              ElementsAre(4, 9));
}

TEST(PlainElementwiseTest, LogicAndComparisons) {
  const auto logic = [](std::string_view kind) {
    return PlainRun(kind)
        .In(kBoolean, {4}, {0, 0, 1, 1})
        .In(kBoolean, {4}, {0, 1, 0, 1})
        .Out(kBoolean)
        .Run();
  };
  EXPECT_THAT(logic("and"), ElementsAre(0, 0, 0, 1));
  EXPECT_THAT(logic("or"), ElementsAre(0, 1, 1, 1));
  EXPECT_THAT(logic("xor"), ElementsAre(0, 1, 1, 0));
  EXPECT_THAT(logic("equal"), ElementsAre(1, 0, 0, 1));
  for (const DataType dtype : {kFloat32, kFloat16, kInt8, kInt64}) {
    const auto compare = [&](std::string_view kind) {
      return PlainRun(kind).In(dtype, {3}, {-1, 2, 3}).In(dtype, {1}, {2}).Out(kBoolean).Run();
    };
    EXPECT_THAT(compare("equal"), ElementsAre(0, 1, 0));
    EXPECT_THAT(compare("less"), ElementsAre(1, 0, 0));
    EXPECT_THAT(compare("less_or_equal"), ElementsAre(1, 1, 0));
    EXPECT_THAT(compare("greater"), ElementsAre(0, 0, 1));
    EXPECT_THAT(compare("greater_or_equal"), ElementsAre(0, 1, 1));
  }
  EXPECT_THAT(ErrorOf(PlainRun("less").In(kInt8, {1}, {1}).In(kInt8, {1}, {1}).Out(kInt8)),
              HasSubstr("expected output 0 with the type bool, found int8"));
}

TEST(PlainElementwiseTest, AnyNumberOfInputs) {
  const auto fold = [](std::string_view kind, DataType dtype) {
    return PlainRun(kind)
        .In(dtype, {2}, {1, 6})
        .In(dtype, {1}, {5})
        .In(dtype, {2}, {3, 4})
        .Out(dtype)
        .Run();
  };
  for (const DataType dtype : {kFloat32, kFloat16, kInt8, DataType::UInt(64)}) {
    EXPECT_THAT(fold("max", dtype), ElementsAre(5, 6));
    EXPECT_THAT(fold("min", dtype), ElementsAre(1, 4));
  }
  EXPECT_THAT(fold("sum", kFloat64), ElementsAre(9, 15));
  EXPECT_THAT(fold("mean", kFloat32), ElementsAre(3, 5));
  ExpectNear(
      PlainRun("max").In(kFloat32, {2}, {kNan, 1}).In(kFloat32, {2}, {1, kNan}).Out(kFloat32).Run(),
      {kNan, kNan});
}

TEST(PlainElementwiseTest, WhereAndClip) {
  EXPECT_THAT(PlainRun("where")
                  .In(kBoolean, {2, 1}, {1, 0})
                  .In(kInt64, {2}, {1, 2})
                  .In(kInt64, {}, {9})
                  .Out(kInt64)
                  .Run(),
              ElementsAre(1, 2, 9, 9));
  const std::vector<double> at = {-5, 0, 5, kNan};
  ExpectNear(PlainRun("clip")
                 .In(kFloat32, {4}, at)
                 .In(kFloat32, {}, {-1})
                 .In(kFloat32, {}, {2})
                 .Out(kFloat32)
                 .Run(),
             {-1, 0, 2, kNan});
  EXPECT_THAT(
      PlainRun("clip").In(kInt8, {3}, {-5, 0, 5}).NoInput().In(kInt8, {}, {2}).Out(kInt8).Run(),
      ElementsAre(-5, 0, 2));
  EXPECT_THAT(PlainRun("clip").Set("min", 0.0).In(kFloat32, {2}, {-5, 5}).Out(kFloat32).Run(),
              ElementsAre(0, 5));
}

}  // namespace
}  // namespace tenon::graph
