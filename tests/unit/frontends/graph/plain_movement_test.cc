#include <cmath>
#include <limits>

#include "frontends/graph/code.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "plain_run.h"

namespace tenon::graph {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Ints = std::vector<int64_t>;
using Numbers = std::vector<double>;

Numbers Count(size_t count) {
  Numbers numbers;
  for (size_t i = 0; i < count; ++i) numbers.push_back(static_cast<double>(i));
  return numbers;
}

TEST(PlainMovementTest, ReshapesKeepElements) {
  const auto shape = [](std::string_view kind, std::string_view name, Attributes::Value value,
                        Ints from) {
    int64_t size = 1;
    for (const int64_t extent : from) size *= extent;
    const Numbers x = Count(static_cast<size_t>(size));
    PlainRun run(kind);
    run.Set(name, std::move(value)).In(kInt16, std::move(from), x).Out(kInt16);
    EXPECT_EQ(run.Run(), x);
    return run.shape();
  };
  EXPECT_THAT(shape("reshape", "shape", Ints{0, -1}, {2, 3, 4}), ElementsAre(2, 12));
  EXPECT_THAT(shape("reshape", "shape", Ints{}, {1}), ElementsAre());
  EXPECT_THAT(shape("flatten", "axis", int64_t{-1}, {2, 3, 4}), ElementsAre(6, 4));
  EXPECT_THAT(shape("flatten", "axis", int64_t{0}, {2, 3}), ElementsAre(1, 6));
  EXPECT_THAT(shape("squeeze", "axes", Ints{-1}, {1, 3, 1}), ElementsAre(1, 3));
  EXPECT_THAT(shape("squeeze", "unused", int64_t{0}, {1, 3, 1}), ElementsAre(3));
  EXPECT_THAT(shape("unsqueeze", "axes", Ints{0, -1}, {3}), ElementsAre(1, 3, 1));
  EXPECT_THAT(shape("identity", "unused", int64_t{0}, {3}), ElementsAre(3));
  const auto error = [](std::string_view kind, std::string_view name, Ints value) {
    return ErrorOf(
        PlainRun(kind).Set(name, std::move(value)).In(kInt8, {2, 3}, Count(6)).Out(kInt8));
  };
  EXPECT_THAT(error("reshape", "shape", {4, -1}), HasSubstr("a shape of 6 elements, found 4"));
  EXPECT_THAT(error("reshape", "shape", {-1, -1}), HasSubstr("at most once"));
  EXPECT_THAT(error("reshape", "shape", {int64_t{1} << 40, int64_t{1} << 40}),
              HasSubstr("extents of 0 to"));
  EXPECT_THAT(error("squeeze", "axes", {0}), HasSubstr("an extent of 1 along axis 0, found 2"));
  EXPECT_THAT(error("unsqueeze", "axes", {0, 0}), HasSubstr("twice"));
  EXPECT_THAT(error("reshape", "unused", {0}), HasSubstr("`shape` is missing"));
}

TEST(PlainMovementTest, Transposes) {
  PlainRun run("transpose");
  run.Set("perm", Ints{2, 0, 1}).In(kFloat16, {2, 1, 3}, Count(6)).Out(kFloat16);
  EXPECT_THAT(run.Run(), ElementsAre(0, 3, 1, 4, 2, 5));
  EXPECT_THAT(run.shape(), ElementsAre(3, 2, 1));
  EXPECT_THAT(PlainRun("transpose").In(kBoolean, {2, 2}, {0, 1, 0, 0}).Out(kBoolean).Run(),
              ElementsAre(0, 0, 1, 0));
  EXPECT_THAT(ErrorOf(run.Set("perm", Ints{0, 0, 1})), HasSubstr("0 twice"));
  EXPECT_THAT(ErrorOf(run.Set("perm", Ints{0, 1})), HasSubstr("3 axes in `perm`, found 2"));
}

TEST(PlainMovementTest, ConcatsAndSplits) {
  PlainRun concat("concat");
  concat.Set("axis", int64_t{-1}).In(kInt64, {2, 1}, {1, 2}).In(kInt64, {2, 0}, {});
  EXPECT_THAT(concat.In(kInt64, {2, 2}, {3, 4, 5, 6}).Out(kInt64).Run(),
              ElementsAre(1, 3, 4, 2, 5, 6));
  EXPECT_THAT(
      ErrorOf(PlainRun("concat").In(kInt8, {1, 1}, {1}).In(kInt8, {1, 2}, {1, 2}).Out(kInt8)),
      HasSubstr("differ along the axis alone"));
  const auto split = [](PlainRun run) {
    return run.Set("axis", int64_t{1}).In(kInt8, {1, 5}, Count(5)).Out(kInt8).Out(kInt8).RunAll();
  };
  EXPECT_THAT(split(PlainRun("split")), ElementsAre(ElementsAre(0, 1, 2), ElementsAre(3, 4)));
  EXPECT_THAT(split(PlainRun("split").Set("split", Ints{1, 4})),
              ElementsAre(ElementsAre(0), ElementsAre(1, 2, 3, 4)));
  EXPECT_THAT(split(PlainRun("split").Set("split", Ints{0, 5})),
              ElementsAre(IsEmpty(), ElementsAre(0, 1, 2, 3, 4)));
  EXPECT_THAT(ErrorOf(PlainRun("split")
                          .Set("split", Ints{1, 3})
                          .In(kInt8, {5}, Count(5))
                          .Out(kInt8)
                          .Out(kInt8)),
              HasSubstr("with the sum 5, found 2 with the sum 4"));
}

TEST(PlainMovementTest, Slices) {
  const auto slice = [](Ints starts, Ints ends, Ints axes, Ints steps) {
    PlainRun run("slice");
    run.Set("starts", std::move(starts)).Set("ends", std::move(ends));
    run.Set("axes", std::move(axes)).Set("steps", std::move(steps));
    return run.In(kInt32, {2, 4}, Count(8)).Out(kInt32).Run();
  };
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();
  EXPECT_THAT(slice({1}, {kMost}, {1}, {2}), ElementsAre(1, 3, 5, 7));
  EXPECT_THAT(slice({-1}, {kLeast}, {-1}, {-1}), ElementsAre(3, 2, 1, 0, 7, 6, 5, 4));
  EXPECT_THAT(slice({0, -3}, {1, -1}, {0, 1}, {1, 1}), ElementsAre(1, 2));
  EXPECT_THAT(slice({3}, {1}, {1}, {1}), IsEmpty());
  EXPECT_THAT(slice({kMost}, {0}, {1}, {-3}), ElementsAre(3, 7));
  EXPECT_THAT(slice({0}, {kMost}, {1}, {kMost}), ElementsAre(0, 4));
  EXPECT_THAT(slice({kMost}, {kLeast}, {1}, {kLeast}), ElementsAre(3, 7));
  PlainRun all("slice");
  EXPECT_THAT(all.Set("starts", Ints{1})
                  .Set("ends", Ints{2})
                  .In(kBoolean, {3}, {0, 1, 0})
                  .Out(kBoolean)
                  .Run(),
              ElementsAre(1));
  PlainRun wrong("slice");
  wrong.Set("starts", Ints{0}).Set("ends", Ints{1}).Set("steps", Ints{0}).In(kInt8, {1}, {1});
  EXPECT_THAT(ErrorOf(wrong.Out(kInt8)), HasSubstr("steps other than 0"));
  EXPECT_THAT(ErrorOf(wrong.Set("steps", Ints{1, 1})), HasSubstr("found 1, 2 and 1 for 1"));
}

TEST(PlainMovementTest, Pads) {
  const auto pad = [](std::string_view mode, Ints pads) {
    PlainRun run("pad");
    run.Set("mode", std::string(mode)).Set("pads", std::move(pads)).In(kInt32, {3}, {1, 2, 3});
    return run.Out(kInt32).Run();
  };
  EXPECT_THAT(pad("constant", {1, 2}), ElementsAre(0, 1, 2, 3, 0, 0));
  EXPECT_THAT(pad("constant", {-1, 1}), ElementsAre(2, 3, 0));
  EXPECT_THAT(pad("edge", {2, 1}), ElementsAre(1, 1, 1, 2, 3, 3));
  EXPECT_THAT(pad("reflect", {2, 3}), ElementsAre(3, 2, 1, 2, 3, 2, 1, 2));
  EXPECT_THAT(pad("wrap", {2, 4}), ElementsAre(2, 3, 1, 2, 3, 1, 2, 3, 1));
  EXPECT_THAT(pad("reflect", {-1, 1}), ElementsAre(2, 3, 2));
  PlainRun run("pad");
  run.Set("pads", Ints{1, 0}).Set("axes", Ints{-1}).In(kFloat16, {2, 1}, {1, 2});
  EXPECT_THAT(run.In(kFloat16, {}, {9}).Out(kFloat16).Run(), ElementsAre(9, 1, 9, 2));
  EXPECT_THAT(ErrorOf(run.Set("mode", "mirror")), HasSubstr("`mirror`"));
  EXPECT_THAT(ErrorOf(run.Set("pads", Ints{1})), HasSubstr("2 numbers in `pads`, found 1"));
  EXPECT_THAT(ErrorOf(run.Set("pads", Ints{-5, 0})), HasSubstr("pads that leave elements"));
}

TEST(PlainMovementTest, Copies) {
  EXPECT_THAT(
      PlainRun("expand").Set("shape", Ints{2, 1, 2}).In(kInt8, {2, 1}, {1, 2}).Out(kInt8).Run(),
      ElementsAre(1, 1, 2, 2, 1, 1, 2, 2));
  EXPECT_THAT(
      PlainRun("tile").Set("repeats", Ints{2, 1}).In(kInt8, {1, 2}, {1, 2}).Out(kInt8).Run(),
      ElementsAre(1, 2, 1, 2));
  EXPECT_THAT(
      PlainRun("tile").Set("repeats", Ints{3}).In(kBoolean, {2}, {1, 0}).Out(kBoolean).Run(),
      ElementsAre(1, 0, 1, 0, 1, 0));
  EXPECT_THAT(ErrorOf(PlainRun("expand").Set("shape", Ints{3}).In(kInt8, {2}, {1, 2}).Out(kInt8)),
              HasSubstr("extents of 2 and 3"));
  EXPECT_THAT(ErrorOf(PlainRun("tile").Set("repeats", Ints{-1}).In(kInt8, {2}, {1, 2}).Out(kInt8)),
              HasSubstr("found -1"));
}

TEST(PlainMovementTest, BlocksOfImages) {
  const auto blocks = [](std::string_view kind, std::string_view mode, Ints shape) {
    return PlainRun(kind)
        .Set("blocksize", int64_t{2})
        .Set("mode", std::string(mode))
        .In(kInt32, std::move(shape), Count(8))
        .Out(kInt32)
        .Run();
  };
  EXPECT_THAT(blocks("depth_to_space", "DCR", {1, 8, 1, 1}), ElementsAre(0, 2, 4, 6, 1, 3, 5, 7));
  EXPECT_THAT(blocks("depth_to_space", "CRD", {1, 8, 1, 1}), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
  EXPECT_THAT(blocks("space_to_depth", "DCR", {1, 2, 2, 2}), ElementsAre(0, 4, 1, 5, 2, 6, 3, 7));
  EXPECT_THAT(blocks("space_to_depth", "CRD", {1, 2, 2, 2}), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
  EXPECT_THAT(ErrorOf(PlainRun("depth_to_space")
                          .Set("blocksize", int64_t{3})
                          .In(kInt8, {1, 8, 1, 1}, Count(8))
                          .Out(kInt8)),
              HasSubstr("channels that 9 divides, found 8"));
}

TEST(PlainMovementTest, Gathers) {
  for (const bool is_constant : {false, true}) {
    const auto indices = [&](PlainRun run, DataType dtype, Ints shape, const Numbers& numbers) {
      return is_constant ? run.Constant(dtype, std::move(shape), numbers)
                         : run.In(dtype, std::move(shape), numbers);
    };
    PlainRun gather = PlainRun("gather").Set("axis", int64_t{1}).In(kInt8, {2, 3}, Count(6));
    gather = indices(gather, kInt64, {1, 2}, {-1, 0});
    EXPECT_THAT(gather.Out(kInt8).Run(), ElementsAre(2, 0, 5, 3));
    EXPECT_THAT(gather.shape(), ElementsAre(2, 1, 2));
    PlainRun one = indices(PlainRun("gather").In(kFloat64, {3}, Count(3)), kInt32, {}, {-2});
    EXPECT_THAT(one.Out(kFloat64).Run(), ElementsAre(1));
    PlainRun elements = PlainRun("gather_elements").Set("axis", int64_t{1});
    elements = indices(elements.In(kInt8, {2, 2}, Count(4)), kInt64, {2, 1}, {1, -2});
    EXPECT_THAT(elements.Out(kInt8).Run(), ElementsAre(1, 2));
    PlainRun rows =
        indices(PlainRun("gather_nd").In(kInt8, {2, 3}, Count(6)), kInt64, {2, 2}, {0, -1, 1, 0});
    EXPECT_THAT(rows.Out(kInt8).Run(), ElementsAre(2, 3));
    PlainRun batches = PlainRun("gather_nd").Set("batch_dims", int64_t{1});
    batches = indices(batches.In(kInt8, {2, 2, 2}, Count(8)), kInt64, {2, 1}, {1, 0});
    EXPECT_THAT(batches.Out(kInt8).Run(), ElementsAre(2, 3, 4, 5));
  }
  // Only a constant index outside of the axis is known to be wrong.
  PlainRun wrong = PlainRun("gather").In(kInt8, {3}, Count(3)).Constant(kInt64, {1}, {3});
  EXPECT_THAT(ErrorOf(wrong.Out(kInt8)), HasSubstr("indices of -3 to 2, found 3"));
  PlainRun outside = PlainRun("gather").In(kInt8, {3}, Count(3)).In(kInt64, {2}, {7, -9});
  EXPECT_THAT(outside.Out(kInt8).Run(), ElementsAre(2, 0));
  EXPECT_THAT(ErrorOf(PlainRun("gather").In(kInt8, {3}, Count(3)).In(kInt8, {1}, {1}).Out(kInt8)),
              HasSubstr("indices of the type int8"));
  EXPECT_THAT(
      ErrorOf(PlainRun("gather_nd").In(kInt8, {3}, Count(3)).In(kInt64, {2}, {1, 1}).Out(kInt8)),
      HasSubstr("rows of 1 to 1 indices, found 2"));
}

TEST(PlainMovementTest, Scatters) {
  const auto elements = [](std::string_view reduction) {
    PlainRun run("scatter_elements");
    run.Set("axis", int64_t{1}).Set("reduction", std::string(reduction));
    run.In(kInt32, {1, 4}, {1, 2, 3, 4})
        .In(kInt64, {1, 3}, {1, -1, 1})
        .In(kInt32, {1, 3}, {5, 2, 3});
    return run.Out(kInt32).Run();
  };
  EXPECT_THAT(elements("none"), ElementsAre(1, 3, 3, 2));
  EXPECT_THAT(elements("add"), ElementsAre(1, 10, 3, 6));
  EXPECT_THAT(elements("mul"), ElementsAre(1, 30, 3, 8));
  EXPECT_THAT(elements("max"), ElementsAre(1, 5, 3, 4));
  EXPECT_THAT(elements("min"), ElementsAre(1, 2, 3, 2));
  PlainRun rows("scatter_nd");
  rows.In(kFloat32, {3, 2}, Count(6)).In(kInt64, {2, 1}, {2, 0}).In(kFloat32, {2, 2}, {7, 8, 9, 6});
  EXPECT_THAT(rows.Out(kFloat32).Run(), ElementsAre(9, 6, 2, 3, 7, 8));
  PlainRun wrong("scatter_nd");
  wrong.In(kInt8, {3}, Count(3)).In(kInt64, {1, 1}, {2}).In(kInt8, {2}, {7, 8});
  EXPECT_THAT(ErrorOf(wrong.Out(kInt8)), HasSubstr("updates for rows"));
}

TEST(PlainMovementTest, GeneratedElements) {
  const auto triangle = [](int64_t upper, int64_t k) {
    PlainRun run("trilu");
    return run.Set("upper", upper)
        .Set("k", k)
        .In(kInt8, {2, 3}, {1, 2, 3, 4, 5, 6})
        .Out(kInt8)
        .Run();
  };
  EXPECT_THAT(triangle(1, 0), ElementsAre(1, 2, 3, 0, 5, 6));
  EXPECT_THAT(triangle(1, 1), ElementsAre(0, 2, 3, 0, 0, 6));
  EXPECT_THAT(triangle(0, 0), ElementsAre(1, 0, 0, 4, 5, 0));
  EXPECT_THAT(triangle(0, -1), ElementsAre(0, 0, 0, 4, 0, 0));
  EXPECT_THAT(triangle(0, std::numeric_limits<int64_t>::max()), ElementsAre(1, 2, 3, 4, 5, 6));
  PlainRun hot("one_hot");
  hot.Set("depth", int64_t{3}).Set("axis", int64_t{0}).In(kInt64, {2}, {-1, 5});
  EXPECT_THAT(hot.In(kFloat32, {2}, {2, 7}).Out(kFloat32).Run(), ElementsAre(2, 2, 2, 2, 7, 2));
  EXPECT_THAT(
      PlainRun("eye_like").Set("k", int64_t{1}).In(kInt8, {2, 2}, Count(4)).Out(kFloat64).Run(),
      ElementsAre(0, 1, 0, 0));
  PlainRun range("range");
  range.Set("start", int64_t{10}).Set("limit", int64_t{4}).Set("delta", int64_t{-3}).Out(kInt64);
  EXPECT_THAT(range.Run(), ElementsAre(10, 7));
  EXPECT_THAT(ErrorOf(range.Set("delta", int64_t{0})), HasSubstr("`delta` other than 0"));
  EXPECT_THAT(
      ErrorOf(PlainRun("range").Set("limit", int64_t{1}).Set("delta", int64_t{300}).Out(kInt8)),
      HasSubstr("a number of int8 in `delta`, found 300"));
  EXPECT_THAT(
      ErrorOf(PlainRun("constant_of_shape").Set("shape", Ints{1}).Set("value", 0.5).Out(kInt8)),
      HasSubstr("a number of int8 in `value`, found 0.5"));
  EXPECT_THAT(ErrorOf(PlainRun("constant_of_shape")
                          .Set("shape", Ints{1})
                          .Set("value", int64_t{-1})
                          .Out(DataType::UInt(64))),
              HasSubstr("a number of uint64"));
  PlainRun reals("range");
  reals.Set("start", 1.0).Set("limit", 2.0).Set("delta", 0.4).Out(kFloat32);
  ExpectNear(reals.Run(), {1, 1.4, 1.8});
  EXPECT_THAT(
      PlainRun("constant_of_shape").Set("shape", Ints{2}).Set("value", 1.5).Out(kFloat32).Run(),
      ElementsAre(1.5, 1.5));
  PlainRun shape("shape");
  EXPECT_THAT(shape.Set("start", int64_t{-2}).In(kInt8, {4, 1, 2}, Count(8)).Out(kInt64).Run(),
              ElementsAre(1, 2));
  EXPECT_THAT(PlainRun("size").In(kInt8, {4, 2}, Count(8)).Out(kInt64).Run(), ElementsAre(8));
}

TEST(PlainMovementTest, CumulativeResults) {
  const auto sums = [](std::string_view kind, int64_t exclusive, int64_t reverse) {
    PlainRun run(kind);
    run.Set("axis", int64_t{-1}).Set("exclusive", exclusive).Set("reverse", reverse);
    return run.In(kInt32, {2, 3}, {1, 2, 3, 4, 5, 6}).Out(kInt32).Run();
  };
  EXPECT_THAT(sums("cumsum", 0, 0), ElementsAre(1, 3, 6, 4, 9, 15));
  EXPECT_THAT(sums("cumsum", 1, 0), ElementsAre(0, 1, 3, 0, 4, 9));
  EXPECT_THAT(sums("cumsum", 0, 1), ElementsAre(6, 5, 3, 15, 11, 6));
  EXPECT_THAT(sums("cumsum", 1, 1), ElementsAre(5, 3, 0, 11, 6, 0));
  EXPECT_THAT(sums("cumprod", 0, 0), ElementsAre(1, 2, 6, 4, 20, 120));
  EXPECT_THAT(PlainRun("cumsum").In(kFloat16, {2, 1}, {1, 2}).Out(kFloat16).Run(),
              ElementsAre(1, 3));
}

TEST(PlainMovementTest, ReversedSequences) {
  PlainRun run("reverse_sequence");
  run.Set("batch_axis", int64_t{0}).Set("time_axis", int64_t{1});
  run.In(kInt8, {2, 4}, Count(8)).In(kInt64, {2}, {3, 9});
  EXPECT_THAT(run.Out(kInt8).Run(), ElementsAre(2, 1, 0, 3, 7, 6, 5, 4));
  EXPECT_THAT(ErrorOf(run.Set("time_axis", int64_t{0})), HasSubstr("lengths for another axis"));
}

TEST(PlainMovementTest, GreatestElements) {
  PlainRun run("top_k");
  run.Set("k", int64_t{3}).Set("axis", int64_t{0}).In(kInt8, {4, 1}, {3, 5, 3, 9});
  const auto greatest = run.Out(kInt8).Out(kInt64).RunAll();
  EXPECT_THAT(greatest, ElementsAre(ElementsAre(9, 5, 3), ElementsAre(3, 1, 0)));
  const auto least = run.Set("largest", int64_t{0}).RunAll();
  EXPECT_THAT(least, ElementsAre(ElementsAre(3, 3, 5), ElementsAre(0, 2, 1)));
  EXPECT_THAT(ErrorOf(run.Set("k", int64_t{5})), HasSubstr("expected 0 to 4 elements, found 5"));
}

}  // namespace
}  // namespace tenon::graph
