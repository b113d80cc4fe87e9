#include <algorithm>
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

PlainRun Row(std::string_view mode, std::string_view coordinates, const Numbers& x) {
  PlainRun run("resize");
  run.Set("mode", std::string(mode));
  run.Set("coordinate_transformation_mode", std::string(coordinates));
  return run.In(kFloat32, {static_cast<int64_t>(x.size())}, x).Out(kFloat32);
}

/// The element at a real place, between two elements; the ends are repeated.
double LinearAt(const Numbers& x, double place) {
  const auto element = [&](double at) {
    return x[static_cast<size_t>(std::clamp(at, 0.0, static_cast<double>(x.size() - 1)))];
  };
  const double low = std::floor(place);
  return element(low) * (1 - (place - low)) + element(low + 1) * (place - low);
}

TEST(PlainResizeTest, EveryCoordinateMode) {
  const Numbers x = {1, 4, 2, 8, 5};
  for (const int64_t size : {3, 5, 7, 10}) {
    const double scale = static_cast<double>(size) / 5;
    const auto check = [&](std::string_view mode, const std::function<double(double)>& place) {
      SCOPED_TRACE(std::string(mode) + " " + std::to_string(size));
      Numbers wanted;
      for (int64_t o = 0; o < size; ++o)
        wanted.push_back(LinearAt(x, place(static_cast<double>(o))));
      ExpectNear(Row("linear", mode, x).Set("sizes", Ints{size}).Run(), wanted);
    };
    check("half_pixel", [&](double o) { return (o + 0.5) / scale - 0.5; });
    check("pytorch_half_pixel", [&](double o) { return (o + 0.5) / scale - 0.5; });
    check("half_pixel_symmetric", [&](double o) { return (o + 0.5) / scale - 0.5; });
    check("asymmetric", [&](double o) { return o / scale; });
    check("align_corners", [&](double o) { return o * 4 / static_cast<double>(size - 1); });
  }
  EXPECT_THAT(Row("linear", "pytorch_half_pixel", x).Set("sizes", Ints{1}).Run(), ElementsAre(1));
  EXPECT_THAT(Row("linear", "align_corners", x).Set("sizes", Ints{1}).Run(), ElementsAre(1));
}

TEST(PlainResizeTest, PartsOfAnAxis) {
  PlainRun run = Row("linear", "tf_crop_and_resize", {0, 10, 20});
  run.Set("sizes", Ints{4}).Set("roi", Numbers{0.25, 1.75}).Set("extrapolation_value", -1.0);
  // Places 0.5, 1.5, 2.5 and 3.5.
  EXPECT_THAT(run.Run(), ElementsAre(5, 15, -1, -1));
  EXPECT_THAT(ErrorOf(run.Set("roi", Numbers{0})), HasSubstr("2 numbers in `roi`, found 1"));
}

TEST(PlainResizeTest, NearestElements) {
  const auto nearest = [](std::string_view rounding) {
    PlainRun run = Row("nearest", "asymmetric", {1, 2, 3});
    return run.Set("nearest_mode", std::string(rounding)).Set("scales", Numbers{2}).Run();
  };
  EXPECT_THAT(nearest("floor"), ElementsAre(1, 1, 2, 2, 3, 3));
  EXPECT_THAT(nearest("ceil"), ElementsAre(1, 2, 2, 3, 3, 3));
  EXPECT_THAT(nearest("round_prefer_floor"), ElementsAre(1, 1, 2, 2, 3, 3));
  EXPECT_THAT(nearest("round_prefer_ceil"), ElementsAre(1, 2, 2, 3, 3, 3));
  PlainRun run("resize");
  run.Set("scales", Numbers{2, 1}).Set("axes", Ints{2, 0}).In(kInt8, {1, 2, 2}, {1, 2, 3, 4});
  EXPECT_THAT(run.Out(kInt8).Run(), ElementsAre(1, 1, 2, 2, 3, 3, 4, 4));
}

TEST(PlainResizeTest, CubicElements) {
  // The weights of a place in the middle of two elements: a / 8 outside, with a = -0.75.
  const Numbers x = {1, 2, 5, 3};
  const double outer = -0.75 / 8;
  const double inner = 0.5 - outer;
  PlainRun run = Row("cubic", "align_corners", x);
  ExpectNear(run.Set("sizes", Ints{7}).Run(),
             {1, (1 + 2) * inner + (1 + 5) * outer, 2, (2 + 5) * inner + (1 + 3) * outer, 5,
              (5 + 3) * inner + (2 + 3) * outer, 3});
  // Without the elements outside, the others get their weights.
  run.Set("exclude_outside", int64_t{1}).Set("cubic_coeff_a", -0.5);
  const double far = -0.0625;
  const double near = 0.5625;
  const double first = ((1 + 2) * near + 5 * far) / (2 * near + far);
  EXPECT_NEAR(run.Run()[1], first, 1e-6);
}

TEST(PlainResizeTest, WiderFiltersForSmallerImages) {
  // Half the size: weights of 1/8, 3/8, 3/8 and 1/8 around each place, and the ends repeated.
  PlainRun run = Row("linear", "half_pixel", {8, 16, 24, 64});
  run.Set("antialias", int64_t{1}).Set("scales", Numbers{0.5});
  ExpectNear(run.Run(), {(8 + 24 + 48 + 24) / 8.0, (16 + 72 + 192 + 64) / 8.0});
}

TEST(PlainResizeTest, ShapesFollowScalesAndPolicies) {
  PlainRun run("resize");
  run.Set("sizes", Ints{8, 6}).In(kFloat32, {4, 2}, Noise(8)).Out(kFloat32);
  const auto shape = [&](std::string_view policy) {
    run.Set("keep_aspect_ratio_policy", std::string(policy)).Run();
    return run.shape();
  };
  EXPECT_THAT(shape("stretch"), ElementsAre(8, 6));
  EXPECT_THAT(shape("not_larger"), ElementsAre(8, 4));
  EXPECT_THAT(shape("not_smaller"), ElementsAre(12, 6));
  PlainRun tenth("resize");
  tenth.Set("scales", Numbers{double{0.7F}}).In(kFloat32, {10}, Noise(10)).Out(kFloat32).Run();
  EXPECT_THAT(tenth.shape(), ElementsAre(7));
  // Two axes at once, in integers and in doubles.
  PlainRun plane("resize");
  plane.Set("mode", "linear").Set("scales", Numbers{2, 2});
  plane.Set("coordinate_transformation_mode", "align_corners");
  PlainRun doubles = plane;
  EXPECT_THAT(plane.In(kUInt8, {2, 2}, {0, 90, 90, 180}).Out(kUInt8).Run()[5], 60);
  ExpectNear(doubles.In(kFloat64, {2, 2}, {0, 90, 90, 180}).Out(kFloat64).Run(),
             {0, 30, 60, 90, 30, 60, 90, 120, 60, 90, 120, 150, 90, 120, 150, 180}, 1e-6);
}

TEST(PlainResizeTest, WrongSettingsAreRefused) {
  const auto error = [](std::string_view name, Attributes::Value value) {
    PlainRun run = Row("nearest", "half_pixel", {1, 2});
    return ErrorOf(run.Set("scales", Numbers{1.5}).Set(name, std::move(value)));
  };
  EXPECT_THAT(error("scales", Numbers{0}), HasSubstr("scales above 0"));
  EXPECT_THAT(error("scales", Numbers{1, 1}), HasSubstr("1 numbers in `scales`, found 2"));
  EXPECT_THAT(error("scales", Numbers{1e12}), HasSubstr("at most 2^30 elements"));
  EXPECT_THAT(error("sizes", Ints{4}), HasSubstr("either `scales` or `sizes`"));
  EXPECT_THAT(error("mode", "bicubic"), HasSubstr("`bicubic`"));
  EXPECT_THAT(error("nearest_mode", "up"), HasSubstr("`up`"));
  EXPECT_THAT(error("coordinate_transformation_mode", "corner"), HasSubstr("`corner`"));
}

/// A row of one channel at places of the axis in elements.
Numbers Sampled(std::string_view mode, std::string_view outside, const Numbers& x,
                const Numbers& places, bool align = true) {
  Numbers grid;
  const auto extent = static_cast<double>(x.size());
  for (const double place : places)
    grid.push_back(align ? place * 2 / (extent - 1) - 1 : (place * 2 + 1) / extent - 1);
  PlainRun run("grid_sample");
  run.Set("mode", std::string(mode)).Set("padding_mode", std::string(outside));
  run.Set("align_corners", int64_t{align});
  run.In(kFloat64, {1, 1, static_cast<int64_t>(x.size())}, x);
  return run.In(kFloat64, {1, static_cast<int64_t>(places.size()), 1}, grid).Out(kFloat64).Run();
}

TEST(PlainGridSampleTest, PlacesInTheImage) {
  const Numbers x = {1, 4, 2, 8, 5};
  const Numbers places = {0, 0.25, 1.75, 3.5, 4};
  Numbers wanted;
  for (const double place : places) wanted.push_back(LinearAt(x, place));
  for (const bool align : {false, true}) {
    ExpectNear(Sampled("linear", "zeros", x, places, align), wanted, 1e-9);
    ExpectNear(Sampled("nearest", "zeros", x, places, align), {1, 1, 2, 5, 5}, 1e-9);
  }
  const double outer = -0.75 / 8;
  const double inner = 0.5 - outer;
  ExpectNear(Sampled("cubic", "border", x, {1.5, 0.5}),
             {(4 + 2) * inner + (1 + 8) * outer, (1 + 4) * inner + (1 + 2) * outer}, 1e-9);
}

TEST(PlainGridSampleTest, PlacesOutsideOfTheImage) {
  const Numbers x = {1, 4, 2};
  const Numbers places = {-0.5, -2, 2.5, 4.25, std::nan("")};
  EXPECT_THAT(Sampled("nearest", "border", x, {-7, 9}), ElementsAre(1, 2));
  const Numbers zeros = Sampled("linear", "zeros", x, places);
  ExpectNear({zeros.begin(), zeros.end() - 1}, {0.5, 0, 1, 0}, 1e-9);
  const Numbers border = Sampled("linear", "border", x, places);
  ExpectNear({border.begin(), border.end() - 1}, {1, 1, 2, 2}, 1e-9);
  // Mirrored at the elements, or at the ends of the elements.
  const Numbers mirrored = Sampled("linear", "reflection", x, places);
  ExpectNear({mirrored.begin(), mirrored.end() - 1}, {2.5, 2, 3, 1.75}, 1e-9);
  ExpectNear(Sampled("nearest", "reflection", x, {-1, -2, -3, 3, 4, 6}, false), {1, 4, 2, 2, 4, 1},
             1e-9);
}

TEST(PlainGridSampleTest, TheLastAxisIsFirst) {
  PlainRun run("grid_sample");
  run.Set("mode", "nearest").Set("align_corners", int64_t{1});
  run.In(kFloat32, {1, 1, 2, 2}, {1, 2, 3, 4}).In(kFloat32, {1, 1, 2, 2}, {1, -1, -1, 1});
  EXPECT_THAT(run.Out(kFloat32).Run(), ElementsAre(2, 3));
  EXPECT_THAT(ErrorOf(run.Set("padding_mode", "wrap")), HasSubstr("`wrap`"));
  PlainRun wrong("grid_sample");
  wrong.In(kFloat32, {1, 1, 2, 2}, Noise(4)).In(kFloat32, {1, 1, 1, 3}, Noise(3));
  EXPECT_THAT(ErrorOf(wrong.Out(kFloat32)), HasSubstr("2 numbers for each place"));
}

}  // namespace
}  // namespace tenon::graph
