#include <functional>
#include <string>

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

/// A convolution over three axes; the first ones may have one element.
struct ConvCase {
  std::string name;
  Ints x, w;  ///< [n, c, ...] and [o, c / groups, ...]
  Ints strides = {1, 1, 1}, dilations = {1, 1, 1}, pads = {0, 0, 0, 0, 0, 0};
  int64_t groups = 1;
  Ints more = {0, 0, 0};  ///< `output_padding`
};

int64_t SizeOf(const Ints& shape) {
  int64_t size = 1;
  for (const int64_t extent : shape) size *= extent;
  return size;
}

/// Calls `body` for each index of a shape.
void ForEach(const Ints& shape, const std::function<void(const Ints& at)>& body) {
  Ints at(shape.size());
  for (int64_t i = 0; i < SizeOf(shape); ++i) {
    int64_t rest = i;
    for (size_t axis = shape.size(); axis-- > 0; rest /= shape[axis]) at[axis] = rest % shape[axis];
    body(at);
  }
}

size_t PlaceIn(const Ints& shape, const Ints& at) {
  int64_t place = 0;
  for (size_t axis = 0; axis < shape.size(); ++axis) place = place * shape[axis] + at[axis];
  return static_cast<size_t>(place);
}

/// The products of all input places and kernel places, added to the output's place: by scattering
/// for transposed convolutions, by gathering for others.
Numbers Reference(const ConvCase& conv, bool is_transposed, const Numbers& x, const Numbers& w,
                  Ints& shape) {
  const int64_t channels = is_transposed ? conv.w[1] * conv.groups : conv.w[0];
  shape = {conv.x[0], channels};
  for (size_t axis = 0; axis < 3; ++axis) {
    const int64_t reach = (conv.w[axis + 2] - 1) * conv.dilations[axis] + 1;
    const int64_t pads = conv.pads[axis] + conv.pads[axis + 3];
    shape.push_back(is_transposed ? (conv.x[axis + 2] - 1) * conv.strides[axis] + reach - pads +
                                        conv.more[axis]
                                  : (conv.x[axis + 2] + pads - reach) / conv.strides[axis] + 1);
  }
  Numbers y(static_cast<size_t>(SizeOf(shape)));
  const Ints& moving = is_transposed ? conv.x : shape;
  const Ints& padded = is_transposed ? shape : conv.x;
  const int64_t of_group = channels / conv.groups;
  const int64_t in_group = conv.x[1] / conv.groups;
  ForEach(moving, [&](const Ints& at) {
    ForEach({of_group, in_group, conv.w[2], conv.w[3], conv.w[4]}, [&](const Ints& k) {
      const int64_t group = at[1] / (is_transposed ? in_group : of_group);
      const int64_t o = group * of_group + k[0];
      const int64_t c = group * in_group + k[1];
      if (at[1] != (is_transposed ? c : o)) return;
      Ints place = {at[0], is_transposed ? o : c};
      for (size_t axis = 0; axis < 3; ++axis) {
        place.push_back(at[axis + 2] * conv.strides[axis] + k[axis + 2] * conv.dilations[axis] -
                        conv.pads[axis]);
        if (place.back() < 0 || place.back() >= padded[axis + 2]) return;
      }
      const Ints of_weight =
          is_transposed ? Ints{c, k[0], k[2], k[3], k[4]} : Ints{o, k[1], k[2], k[3], k[4]};
      const double weight = w[PlaceIn(conv.w, of_weight)];
      y[PlaceIn(shape, is_transposed ? place : at)] +=
          weight * x[PlaceIn(conv.x, is_transposed ? at : place)];
    });
  });
  return y;
}

/// Without the first axes of an image, which have one element.
Ints Without(const Ints& shape, size_t axes) {
  Ints rest = {shape[0], shape[1]};
  rest.insert(rest.end(), shape.begin() + 2 + static_cast<int64_t>(axes), shape.end());
  return rest;
}

Ints Last(const Ints& numbers, size_t axes) {
  Ints rest;
  for (size_t i = 0; i < numbers.size(); ++i)
    if (i % 3 >= axes) rest.push_back(numbers[i]);
  return rest;
}

void Check(const ConvCase& conv, std::string_view kind) {
  SCOPED_TRACE(conv.name);
  const bool is_transposed = kind == "conv_transpose";
  const Numbers x = Noise(static_cast<size_t>(SizeOf(conv.x)), 1);
  const Numbers w = Noise(static_cast<size_t>(SizeOf(conv.w)), 2);
  Ints shape;
  Numbers wanted = Reference(conv, is_transposed, x, w, shape);
  const Numbers bias = Noise(static_cast<size_t>(shape[1]), 3);
  const int64_t inner = shape[2] * shape[3] * shape[4];
  for (size_t i = 0; i < wanted.size(); ++i)
    wanted[i] += bias[i / static_cast<size_t>(inner) % bias.size()];
  // One axis, two or three: axes that one case leaves out have one element.
  size_t unused = 0;
  while (unused < 2 && conv.x[unused + 2] == 1 && conv.w[unused + 2] == 1) ++unused;
  for (const bool is_constant : {false, true}) {
    PlainRun run(kind);
    run.Set("strides", Last(conv.strides, unused)).Set("dilations", Last(conv.dilations, unused));
    run.Set("pads", Last(conv.pads, unused)).Set("group", conv.groups);
    if (is_transposed) run.Set("output_padding", Last(conv.more, unused));
    run.In(kFloat32, Without(conv.x, unused), x);
    if (is_constant) {
      run.Constant(kFloat32, Without(conv.w, unused), w);
      run.Constant(kFloat32, {shape[1]}, bias);
    } else {
      run.In(kFloat32, Without(conv.w, unused), w).In(kFloat32, {shape[1]}, bias);
    }
    ExpectNear(run.Out(kFloat32).Run(), wanted);
    EXPECT_EQ(run.shape(), Without(shape, unused));
  }
}

TEST(PlainConvTest, OverOneToThreeAxes) {
  const std::vector<ConvCase> cases = {
      {.name = "row", .x = {2, 3, 1, 1, 9}, .w = {4, 3, 1, 1, 3}, .pads = {0, 0, 2, 0, 0, 1}},
      {.name = "plane",
       .x = {1, 2, 1, 5, 6},
       .w = {3, 2, 1, 3, 2},
       .strides = {1, 2, 1},
       .pads = {0, 1, 0, 0, 2, 1}},
      {.name = "space",
       .x = {1, 2, 3, 4, 5},
       .w = {2, 2, 2, 3, 2},
       .strides = {1, 1, 2},
       .pads = {1, 0, 1, 0, 1, 0}},
      {.name = "dilated",
       .x = {1, 1, 1, 7, 8},
       .w = {1, 1, 1, 3, 2},
       .dilations = {1, 2, 3},
       .pads = {0, 2, 0, 0, 1, 3}},
      {.name = "groups", .x = {2, 4, 1, 3, 3}, .w = {6, 2, 1, 2, 2}, .groups = 2},
      {.name = "depthwise", .x = {1, 3, 1, 4, 4}, .w = {6, 1, 1, 3, 3}, .groups = 3},
  };
  for (const ConvCase& conv : cases) Check(conv, "conv");
}

TEST(PlainConvTest, TransposedOverOneToThreeAxes) {
  const std::vector<ConvCase> cases = {
      {.name = "row",
       .x = {1, 2, 1, 1, 4},
       .w = {2, 3, 1, 1, 3},
       .strides = {1, 1, 2},
       .pads = {0, 0, 1, 0, 0, 0},
       .more = {0, 0, 1}},
      {.name = "plane",
       .x = {2, 2, 1, 3, 4},
       .w = {2, 2, 1, 3, 2},
       .strides = {1, 2, 3},
       .pads = {0, 1, 0, 0, 2, 1}},
      {.name = "space",
       .x = {1, 2, 2, 2, 3},
       .w = {2, 1, 2, 3, 2},
       .strides = {2, 1, 2},
       .more = {1, 0, 1}},
      {.name = "dilated", .x = {1, 1, 1, 3, 3}, .w = {1, 2, 1, 2, 2}, .dilations = {1, 2, 3}},
      {.name = "groups", .x = {1, 4, 1, 3, 3}, .w = {4, 3, 1, 2, 2}, .groups = 2},
  };
  for (const ConvCase& conv : cases) Check(conv, "conv_transpose");
}

TEST(PlainConvTest, AutomaticPads) {
  const auto row = [](std::string_view padding, int64_t stride) {
    return PlainRun("conv")
        .Set("auto_pad", std::string(padding))
        .Set("strides", Ints{stride})
        .In(kFloat32, {1, 1, 4}, {1, 2, 3, 4})
        .Constant(kFloat32, {1, 1, 2}, {10, 1})
        .Out(kFloat32)
        .Run();
  };
  EXPECT_THAT(row("SAME_UPPER", 1), ElementsAre(12, 23, 34, 40));
  EXPECT_THAT(row("SAME_LOWER", 1), ElementsAre(1, 12, 23, 34));
  EXPECT_THAT(row("VALID", 2), ElementsAre(12, 34));
  PlainRun run("conv_transpose");
  run.Set("auto_pad", "SAME_UPPER").Set("strides", Ints{2}).In(kFloat32, {1, 1, 2}, {1, 2});
  EXPECT_THAT(run.Constant(kFloat32, {1, 1, 3}, {1, 10, 100}).Out(kFloat32).Run(),
              ElementsAre(1, 10, 102, 20));
}

TEST(PlainConvTest, ChannelsLast) {
  // Two channels, the second one times 10; the kernel adds neighbours.
  PlainRun run("conv");
  run.Set("layout", "NHWC").In(kFloat32, {1, 3, 2}, {1, 10, 2, 20, 3, 30});
  EXPECT_THAT(run.Constant(kFloat32, {2, 2, 2}, {1, 1, 0, 0, 0, 0, 1, 2}).Out(kFloat32).Run(),
              ElementsAre(3, 50, 5, 80));
  EXPECT_THAT(run.shape(), ElementsAre(1, 2, 2));
}

TEST(PlainConvTest, SmallFloatsAddInFloat32) {
  // 2048 + 1 is not a float16.
  EXPECT_THAT(PlainRun("conv")
                  .In(kFloat16, {1, 1, 3}, {2048, 1, 1})
                  .In(kFloat16, {1, 1, 3}, {1, 1, 1})
                  .Out(kFloat16)
                  .Run(),
              ElementsAre(2050));
}

TEST(PlainConvTest, IntegersWithZeroPoints) {
  PlainRun run("conv_integer");
  run.In(kUInt8, {1, 1, 3}, {5, 6, 7}).In(kInt8, {2, 1, 2}, {1, 2, 3, 4});
  run.In(kUInt8, {}, {5}).In(kInt8, {2}, {1, 2}).Out(kInt32);
  // (x - 5) = 0 1 2; weights minus 1 and 2: 0 1 and 1 2.
  EXPECT_THAT(run.Run(), ElementsAre(1, 2, 2, 5));
  PlainRun constant("conv_integer");
  constant.In(kUInt8, {1, 1, 3}, {5, 6, 7}).Constant(kUInt8, {1, 1, 2}, {1, 2});
  EXPECT_THAT(constant.Constant(kUInt8, {1}, {5}).Out(kInt32).Run(), ElementsAre(2, 5));
}

TEST(PlainConvTest, WrongFilesAreRefused) {
  const auto conv = [](Ints x, Ints w) {
    PlainRun run("conv");
    run.In(kFloat32, x, Noise(static_cast<size_t>(SizeOf(x))));
    return run.In(kFloat32, w, Noise(static_cast<size_t>(SizeOf(w)))).Out(kFloat32);
  };
  EXPECT_THAT(ErrorOf(conv({1, 3, 5}, {2, 2, 3})), HasSubstr("an input of 2 channels in 1 groups"));
  EXPECT_THAT(ErrorOf(conv({1, 2, 2}, {2, 2, 3})), HasSubstr("a kernel within 2 padded elements"));
  EXPECT_THAT(ErrorOf(conv({1, 2, 5}, {2, 2, 3}).Set("group", int64_t{0})), HasSubstr("found 0"));
  EXPECT_THAT(ErrorOf(conv({1, 2, 5}, {2, 2, 3}).Set("strides", Ints{0})),
              HasSubstr("numbers of 1 to 1048576 in `strides`, found 0"));
  EXPECT_THAT(ErrorOf(conv({1, 2, 5}, {2, 2, 3}).Set("pads", Ints{1})),
              HasSubstr("2 numbers in `pads`, found 1"));
  EXPECT_THAT(ErrorOf(conv({1, 2, 5}, {2, 2, 3}).Set("kernel_shape", Ints{4})),
              HasSubstr("kernel_shape"));
  EXPECT_THAT(ErrorOf(conv({1, 2, 5}, {2, 2, 3}).Set("auto_pad", "SAME")), HasSubstr("`SAME`"));
  EXPECT_THAT(ErrorOf(conv({5}, {5})), HasSubstr("an input of 1 dimensions"));
  EXPECT_THAT(ErrorOf(conv({1, 2, 5}, {2, 2, 0})), HasSubstr("expected weights"));
  EXPECT_THAT(ErrorOf(PlainRun("conv").In(kFloat32, {1, 1, 3}, {1, 2, 3}).Out(kFloat32)),
              HasSubstr("expected 2 to 3 inputs, found 1"));
}

/// The product of matrices [rows, depth] and [depth, columns].
Numbers Product(const Numbers& a, const Numbers& b, size_t rows, size_t depth, size_t columns) {
  Numbers y(rows * columns);
  for (size_t i = 0; i < rows; ++i)
    for (size_t j = 0; j < columns; ++j)
      for (size_t k = 0; k < depth; ++k)
        y[i * columns + j] += a[i * depth + k] * b[k * columns + j];
  return y;
}

TEST(PlainMatmulTest, BatchesAreRepeated) {
  const Numbers a = Noise(2 * 1 * 3 * 4, 1);
  const Numbers b = Noise(5 * 4 * 2, 2);
  Numbers wanted;
  for (size_t i = 0; i < 2; ++i) {
    for (size_t j = 0; j < 5; ++j) {
      const Numbers left(a.begin() + static_cast<long>(i) * 12,
                         a.begin() + static_cast<long>(i + 1) * 12);
      const Numbers right(b.begin() + static_cast<long>(j) * 8,
                          b.begin() + static_cast<long>(j + 1) * 8);
      for (const double x : Product(left, right, 3, 4, 2)) wanted.push_back(x);
    }
  }
  PlainRun run("matmul");
  ExpectNear(run.In(kFloat32, {2, 1, 3, 4}, a).In(kFloat32, {5, 4, 2}, b).Out(kFloat32).Run(),
             wanted);
  EXPECT_THAT(run.shape(), ElementsAre(2, 5, 3, 2));
}

TEST(PlainMatmulTest, OperandsOfOneDimension) {
  const auto shape = [](Ints a, Ints b) {
    PlainRun run("matmul");
    run.In(kInt32, a, Numbers(static_cast<size_t>(SizeOf(a)), 2));
    run.In(kInt32, b, Numbers(static_cast<size_t>(SizeOf(b)), 3)).Out(kInt32);
    for (const double x : run.Run()) EXPECT_EQ(x, 24);
    return run.shape();
  };
  EXPECT_THAT(shape({4}, {4}), ElementsAre());
  EXPECT_THAT(shape({4}, {4, 2}), ElementsAre(2));
  EXPECT_THAT(shape({3, 4}, {4}), ElementsAre(3));
  EXPECT_THAT(shape({5, 3, 4}, {4}), ElementsAre(5, 3));
  EXPECT_THAT(shape({4}, {5, 4, 2}), ElementsAre(5, 2));
  EXPECT_THAT(
      ErrorOf(PlainRun("matmul").In(kInt8, {2}, {1, 2}).In(kInt8, {3}, {1, 2, 3}).Out(kInt8)),
      HasSubstr("one length, found 2 and 3"));
}

TEST(PlainMatmulTest, EveryType) {
  for (const DataType dtype : {kFloat16, kBFloat16, kFloat64, kInt8, DataType::UInt(64)}) {
    EXPECT_THAT(PlainRun("matmul")
                    .In(dtype, {2, 2}, {1, 2, 3, 4})
                    .In(dtype, {2, 2}, {5, 6, 7, 8})
                    .Out(dtype)
                    .Run(),
                ElementsAre(19, 22, 43, 50));
  }
}

TEST(PlainMatmulTest, IntegersWithZeroPoints) {
  PlainRun run("matmul_integer");
  run.In(kUInt8, {2, 2}, {1, 2, 3, 4}).In(kInt8, {2, 2}, {1, 2, 3, 4});
  run.In(kUInt8, {2}, {1, 3}).In(kInt8, {2}, {1, 2}).Out(kInt32);
  // 0 1 / 0 1 times 0 0 / 2 2.
  EXPECT_THAT(run.Run(), ElementsAre(2, 2, 2, 2));
  EXPECT_THAT(ErrorOf(PlainRun("matmul_integer")
                          .In(kUInt8, {1, 1}, {1})
                          .In(kInt8, {1, 1}, {1})
                          .In(kInt8, {}, {1})
                          .Out(kInt32)),
              HasSubstr("not for these types"));
}

TEST(PlainMatmulTest, Gemm) {
  const Numbers a = Noise(6, 1);
  const Numbers b = Noise(12, 2);
  Numbers wanted = Product(a, b, 2, 3, 4);
  const Numbers row = {1, 2, 3, 4};
  for (size_t i = 0; i < wanted.size(); ++i) wanted[i] = 0.5 * wanted[i] - 2 * row[i % 4];
  const auto transposed = [](const Numbers& of, size_t rows, size_t columns) {
    Numbers result;
    for (size_t j = 0; j < columns; ++j)
      for (size_t i = 0; i < rows; ++i) result.push_back(of[i * columns + j]);
    return result;
  };
  for (const bool is_a : {false, true}) {
    for (const bool is_b : {false, true}) {
      PlainRun run("gemm");
      run.Set("alpha", 0.5).Set("beta", -2.0);
      run.Set("transA", int64_t{is_a}).Set("transB", int64_t{is_b});
      run.In(kFloat32, is_a ? Ints{3, 2} : Ints{2, 3}, is_a ? transposed(a, 2, 3) : a);
      run.In(kFloat32, is_b ? Ints{4, 3} : Ints{3, 4}, is_b ? transposed(b, 3, 4) : b);
      ExpectNear(run.In(kFloat32, {4}, row).Out(kFloat32).Run(), wanted);
    }
  }
  EXPECT_THAT(PlainRun("gemm").In(kInt32, {1, 1}, {2}).In(kInt32, {1, 1}, {3}).Out(kInt32).Run(),
              ElementsAre(6));
  EXPECT_THAT(ErrorOf(PlainRun("gemm")
                          .In(kInt32, {1, 1}, {2})
                          .In(kInt32, {1, 1}, {3})
                          .In(kInt32, {2, 1}, {3, 4})
                          .Out(kInt32)),
              HasSubstr("an addend that can be repeated"));
}

Numbers EinsumOf(std::string_view equation, const std::vector<Ints>& shapes,
                 Ints* shape = nullptr) {
  PlainRun run("einsum");
  run.Set("equation", std::string(equation));
  for (size_t i = 0; i < shapes.size(); ++i) {
    const auto size = static_cast<size_t>(SizeOf(shapes[i]));
    run.In(kFloat64, shapes[i], Noise(size, static_cast<uint32_t>(i + 1)));
  }
  const Numbers result = run.Out(kFloat64).Run();
  if (shape != nullptr) *shape = run.shape();
  return result;
}

TEST(PlainEinsumTest, SumsOfLabels) {
  const Numbers a = Noise(6, 1);
  const Numbers b = Noise(12, 2);
  ExpectNear(EinsumOf("ij,jk->ik", {{2, 3}, {3, 4}}), Product(a, b, 2, 3, 4), 1e-12);
  ExpectNear(EinsumOf("ij, jk", {{2, 3}, {3, 4}}), Product(a, b, 2, 3, 4), 1e-12);
  ExpectNear(EinsumOf("ba", {{2, 3}}), {a[0], a[3], a[1], a[4], a[2], a[5]}, 1e-12);
  const Numbers square = Noise(4, 1);
  ExpectNear(EinsumOf("ii->i", {{2, 2}}), {square[0], square[3]}, 1e-12);
  ExpectNear(EinsumOf("ii", {{2, 2}}), {square[0] + square[3]}, 1e-12);
  ExpectNear(EinsumOf("ij->", {{2, 2}}), {square[0] + square[1] + square[2] + square[3]}, 1e-12);
  // Batches of an outer axis are repeated.
  Ints shape;
  Numbers batches = Product({a.begin(), a.begin() + 3}, b, 1, 3, 4);
  const Numbers second = Product({a.begin() + 3, a.end()}, b, 1, 3, 4);
  batches.insert(batches.end(), second.begin(), second.end());
  ExpectNear(EinsumOf("...ij,...jk->...ik", {{2, 1, 3}, {3, 4}}, &shape), batches, 1e-12);
  EXPECT_THAT(shape, ElementsAre(2, 1, 4));
}

TEST(PlainEinsumTest, WrongEquationsAreRefused) {
  const auto error = [](std::string_view equation) {
    PlainRun run("einsum");
    run.Set("equation", std::string(equation)).In(kFloat32, {2, 3}, Noise(6));
    return ErrorOf(run.Out(kFloat32));
  };
  EXPECT_THAT(error("i->i"), HasSubstr("2 labels for an input, found 1"));
  EXPECT_THAT(error("ii->i"), HasSubstr("one extent for each label, found 2 and 3"));
  EXPECT_THAT(error("ij->k"), HasSubstr("labels of inputs after `->`"));
  EXPECT_THAT(error("ij->ii"), HasSubstr("each once"));
  EXPECT_THAT(error("ij,jk->ik"), HasSubstr("1 terms"));
  EXPECT_THAT(error("i1->i"), HasSubstr("`i1`"));
  EXPECT_THAT(error("......->"), HasSubstr("one `...`"));
  EXPECT_THAT(error("ijk..->i"), HasSubstr("`ijk..`"));
}

}  // namespace
}  // namespace tenon::graph
