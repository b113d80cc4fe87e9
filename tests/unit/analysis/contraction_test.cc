#include "analysis/contraction.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace tenon {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using Terms = decltype(LinearIndex::terms);

/// Builds a computation step by step.
struct Maker {
  Computation all;

  int Loop(int64_t extent) {
    all.loops.push_back({"l" + std::to_string(all.loops.size()), extent});
    return static_cast<int>(all.loops.size()) - 1;
  }
  /// The access of a new operand.
  int Access(Terms terms, int64_t offset = 0, bool constant = false, int64_t divisor = 1) {
    const int operand = static_cast<int>(all.operands.size());
    all.operands.push_back({constant, operand, DataType::Float(32), 1024});
    all.accesses.push_back({operand, {offset, std::move(terms), divisor}});
    return static_cast<int>(all.accesses.size()) - 1;
  }
  int Put(Step step) {
    all.steps.push_back(std::move(step));
    return static_cast<int>(all.steps.size()) - 1;
  }
  int Read(int access) {
    Step step;
    step.kind = StepKind::kRead;
    step.access = access;
    return Put(step);
  }
  int Integer(int64_t value) {
    Step step;
    step.integer = value;
    return Put(step);
  }
  int Real(double value) {
    Step step;
    step.kind = StepKind::kReal;
    step.real = value;
    return Put(step);
  }
  int Index(Terms terms, int64_t offset = 0) {
    Step step;
    step.kind = StepKind::kIndex;
    step.linear = {offset, std::move(terms), 1};
    return Put(step);
  }
  int Node(NodeKind node, std::vector<int> args) {
    Step step;
    step.kind = StepKind::kNode;
    step.node = node;
    step.args = std::move(args);
    return Put(step);
  }
  /// `least <= index < end`.
  int Within(const Terms& terms, int64_t offset, int64_t least, int64_t end) {
    const int low = Node(NodeKind::kGE, {Index(terms, offset), Integer(least)});
    const int high = Node(NodeKind::kLT, {Index(terms, offset), Integer(end)});
    return Node(NodeKind::kAnd, {low, high});
  }
  int Padded(int condition, int value, double otherwise = 0) {
    return Node(NodeKind::kSelect, {condition, value, Real(otherwise)});
  }
  int Sum(int body, std::vector<int> loops, NodeKind node = NodeKind::kAdd) {
    Step step;
    step.kind = StepKind::kReduce;
    step.node = node;
    step.args = {Integer(0), body};
    step.loops = std::move(loops);
    return Put(step);
  }
  void Store(int step, std::vector<int> loops) {
    const int access = Access({});
    all.stores.push_back({access, step, std::move(loops)});
  }
  /// Stores the sum over `summed` of the product of two values.
  void Contract(int a, int b, std::vector<int> kept, std::vector<int> summed) {
    Store(Sum(Node(NodeKind::kMul, {a, b}), std::move(summed)), std::move(kept));
  }

  std::string because;
  std::optional<Contraction> Find() { return FindContraction(all, because); }
  /// The reason why there is no contraction.
  std::string Refusal() {
    EXPECT_FALSE(Find().has_value());
    return because;
  }
};

/// x[o * stride + k * dilation + offset] * w[k] for `places` times `taps` values, unpadded.
struct Line : Maker {
  Line(int64_t places, int64_t taps, int64_t stride, int64_t dilation)
      : o(Loop(places)), c(Loop(5)), k(Loop(taps)) {
    x = Access({{o, stride}, {k, dilation}});
    w = Access({{c, taps}, {k, 1}}, 0, true);
    Contract(Read(x), Read(w), {o, c}, {k});
  }
  int o, c, k, x, w;
};

TEST(ContractionTest, ClassifiesTheLoopsOfABatchOfMatrixProducts) {
  Maker maker;
  const int g = maker.Loop(2), m = maker.Loop(3), n = maker.Loop(4), k = maker.Loop(5);
  const int a = maker.Access({{g, 15}, {m, 5}, {k, 1}});
  const int b = maker.Access({{g, 20}, {n, 1}, {k, 4}});
  maker.Contract(maker.Read(a), maker.Read(b), {g, m, n}, {k});
  const auto found = maker.Find();
  ASSERT_TRUE(found.has_value()) << maker.because;
  EXPECT_EQ(found->input, a);
  EXPECT_EQ(found->weights, b);
  EXPECT_THAT(found->shared, ElementsAre(g));
  EXPECT_THAT(found->rows, ElementsAre(m));
  EXPECT_THAT(found->columns, ElementsAre(n));
  EXPECT_THAT(found->summed, ElementsAre(k));
  EXPECT_THAT(found->windows, IsEmpty());
  EXPECT_THAT(found->guards, IsEmpty());
}

TEST(ContractionTest, TheConstantFactorIsTheWeights) {
  for (const bool first : {false, true}) {
    Maker maker;
    const int m = maker.Loop(3), n = maker.Loop(4), k = maker.Loop(5);
    const int w = maker.Access({{n, 5}, {k, 1}}, 0, true);
    const int x = maker.Access({{m, 5}, {k, 1}});
    const int a = maker.Read(first ? w : x);
    maker.Contract(a, maker.Read(first ? x : w), {m, n}, {k});
    const auto found = maker.Find();
    ASSERT_TRUE(found.has_value()) << maker.because;
    EXPECT_EQ(found->input, x);
    EXPECT_EQ(found->weights, w);
    EXPECT_THAT(found->rows, ElementsAre(m));
    EXPECT_THAT(found->columns, ElementsAre(n));
  }
}

TEST(ContractionTest, OfAMatrixAndAVectorTheVectorIsTheInput) {
  for (const bool first : {false, true}) {
    Maker maker;
    const int n = maker.Loop(4), k = maker.Loop(5);
    const int matrix = maker.Access({{n, 5}, {k, 1}});
    const int vector = maker.Access({{k, 1}});
    const int a = maker.Read(first ? vector : matrix);
    maker.Contract(a, maker.Read(first ? matrix : vector), {n}, {k});
    const auto found = maker.Find();
    ASSERT_TRUE(found.has_value()) << maker.because;
    EXPECT_EQ(found->input, vector);
    EXPECT_THAT(found->columns, ElementsAre(n));
    EXPECT_THAT(found->rows, IsEmpty());
  }
}

TEST(ContractionTest, TheFactorWithWindowsIsTheInput) {
  for (const bool first : {false, true}) {
    Maker maker;
    const int o = maker.Loop(8), c = maker.Loop(4), k = maker.Loop(3);
    const int x = maker.Access({{o, 1}, {k, 1}});
    const int w = maker.Access({{c, 3}, {k, 1}});
    const int a = maker.Read(first ? x : w);
    maker.Contract(a, maker.Read(first ? w : x), {o, c}, {k});
    const auto found = maker.Find();
    ASSERT_TRUE(found.has_value()) << maker.because;
    EXPECT_EQ(found->input, x);
    ASSERT_EQ(found->windows.size(), 1u);
  }
}

TEST(ContractionTest, ASumWithoutLoopsIsAProductOfEachElement) {
  Maker maker;
  const int i = maker.Loop(6);
  const int a = maker.Access({{i, 1}}), b = maker.Access({{i, 2}});
  maker.Contract(maker.Read(a), maker.Read(b), {i}, {});
  const auto found = maker.Find();
  ASSERT_TRUE(found.has_value()) << maker.because;
  EXPECT_THAT(found->shared, ElementsAre(i));
  EXPECT_THAT(found->summed, IsEmpty());
}

TEST(ContractionTest, WindowsByOverlap) {
  Line line(6, 3, 2, 1);
  const auto found = line.Find();
  ASSERT_TRUE(found.has_value()) << line.because;
  ASSERT_EQ(found->windows.size(), 1u);
  const Window& window = found->windows[0];
  EXPECT_THAT(window.places, ElementsAre(line.o));
  EXPECT_THAT(window.kernel, ElementsAre(line.k));
  EXPECT_EQ(window.stride, 2);
  EXPECT_EQ(window.dilation, 1);
  EXPECT_EQ(window.pad_before, 0);
  EXPECT_EQ(window.pad_after, 0);
  EXPECT_EQ(window.extent, 13);
  EXPECT_EQ(window.divisor, 1);
  EXPECT_EQ(window.pitch, 1);
  EXPECT_THAT(found->rows, IsEmpty());
  EXPECT_THAT(found->columns, ElementsAre(line.c));
  EXPECT_THAT(found->summed, IsEmpty());
}

TEST(ContractionTest, OverlapsHaveTheCommonPitchOfTheirLoops) {
  Line line(6, 3, 12, 8);
  const auto found = line.Find();
  ASSERT_TRUE(found.has_value()) << line.because;
  ASSERT_EQ(found->windows.size(), 1u);
  EXPECT_EQ(found->windows[0].pitch, 4);
  EXPECT_EQ(found->windows[0].stride, 3);
  EXPECT_EQ(found->windows[0].dilation, 2);
  EXPECT_EQ(found->windows[0].extent, 3 * 5 + 2 * 2 + 1);
}

TEST(ContractionTest, RangesThatOnlyTouchAreNotWindows) {
  // Patches of three elements next to each other, and taps as far apart as all places.
  for (Line line : {Line(6, 3, 3, 1), Line(6, 3, 1, 6)}) {
    const auto found = line.Find();
    ASSERT_TRUE(found.has_value()) << line.because;
    EXPECT_THAT(found->windows, IsEmpty());
    EXPECT_THAT(found->rows, ElementsAre(line.o));
    EXPECT_THAT(found->summed, ElementsAre(line.k));
  }
  // One element less, and they overlap.
  for (Line line : {Line(6, 3, 2, 1), Line(6, 3, 1, 5)}) {
    const auto found = line.Find();
    ASSERT_TRUE(found.has_value()) << line.because;
    EXPECT_EQ(found->windows.size(), 1u);
  }
}

TEST(ContractionTest, LoopsThatContinueAnAxisBelongToItsWindow) {
  Maker maker;
  const int outer = maker.Loop(2), middle = maker.Loop(5), inner = maker.Loop(4);
  const int c = maker.Loop(3), k = maker.Loop(3);
  const int x = maker.Access({{outer, 20}, {middle, 4}, {inner, 1}, {k, 1}});
  const int w = maker.Access({{c, 3}, {k, 1}}, 0, true);
  maker.Contract(maker.Read(x), maker.Read(w), {outer, middle, inner, c}, {k});
  const auto found = maker.Find();
  ASSERT_TRUE(found.has_value()) << maker.because;
  ASSERT_EQ(found->windows.size(), 1u);
  EXPECT_THAT(found->windows[0].places, ElementsAre(outer, middle, inner));
  EXPECT_EQ(found->windows[0].extent, 42);
  EXPECT_THAT(found->rows, IsEmpty());
}

/// x[o * stride + k - 1] * w[k], read where 0 <= o * stride + k - 1 < size.
struct PaddedLine : Maker {
  PaddedLine(int64_t places, int64_t stride, int64_t size, int64_t pitch = 1, double otherwise = 0)
      : o(Loop(places)), c(Loop(5)), k(Loop(3)) {
    x = Access({{o, stride * pitch}, {k, pitch}}, -pitch);
    w = Access({{c, 3}, {k, 1}}, 0, true);
    condition = Within({{o, stride}, {k, 1}}, -1, 0, size);
    Contract(Padded(condition, Read(x), otherwise), Read(w), {o, c}, {k});
  }
  int o, c, k, x, w, condition;
};

TEST(ContractionTest, WindowsByConditions) {
  PaddedLine line(8, 2, 15, 7);
  const auto found = line.Find();
  ASSERT_TRUE(found.has_value()) << line.because;
  EXPECT_THAT(found->guards, ElementsAre(line.condition));
  ASSERT_EQ(found->windows.size(), 1u);
  const Window& window = found->windows[0];
  EXPECT_THAT(window.places, ElementsAre(line.o));
  EXPECT_THAT(window.kernel, ElementsAre(line.k));
  EXPECT_EQ(window.stride, 2);
  EXPECT_EQ(window.dilation, 1);
  EXPECT_EQ(window.pad_before, 1);
  // The last index is 2 * 7 + 2 - 1 = 15, one above the last element.
  EXPECT_EQ(window.pad_after, 1);
  EXPECT_EQ(window.extent, 15);
  EXPECT_EQ(window.pitch, 7);
}

TEST(ContractionTest, InputsLongerThanTheirWindowsHaveNoPadAfter) {
  PaddedLine line(8, 2, 20);
  const auto found = line.Find();
  ASSERT_TRUE(found.has_value()) << line.because;
  EXPECT_EQ(found->windows.at(0).pad_after, 0);
  EXPECT_EQ(found->windows.at(0).extent, 20);
}

TEST(ContractionTest, OnlyPaddingByZeroIsACondition) {
  PaddedLine line(8, 2, 15, 7, 1);
  const auto found = line.Find();
  ASSERT_TRUE(found.has_value()) << line.because;
  EXPECT_THAT(found->guards, IsEmpty());
}

TEST(ContractionTest, ConditionsOfOneIndexHoldTogether) {
  // 2 <= i - 1 and 0 <= i - 1, i - 1 < 9 and i - 1 < 20.
  Maker maker;
  const int o = maker.Loop(12), c = maker.Loop(5), k = maker.Loop(3);
  const int x = maker.Access({{o, 1}, {k, 1}}, -1);
  const int w = maker.Access({{c, 3}, {k, 1}}, 0, true);
  const Terms terms{{o, 1}, {k, 1}};
  const int inner = maker.Padded(maker.Within(terms, -1, 2, 20), maker.Read(x));
  const int outer = maker.Padded(maker.Within(terms, -1, 0, 9), inner);
  maker.Contract(outer, maker.Read(w), {o, c}, {k});
  const auto found = maker.Find();
  ASSERT_TRUE(found.has_value()) << maker.because;
  ASSERT_EQ(found->windows.size(), 1u);
  EXPECT_EQ(found->windows[0].pad_before, 3);
  EXPECT_EQ(found->windows[0].extent, 7);
  EXPECT_EQ(found->windows[0].pad_after, 4);
}

TEST(ContractionTest, OneBoundIsEnough) {
  Maker maker;
  const int o = maker.Loop(12), c = maker.Loop(5), k = maker.Loop(3);
  const int x = maker.Access({{o, 1}, {k, 1}}, -2);
  const int w = maker.Access({{c, 3}, {k, 1}}, 0, true);
  const int low = maker.Node(NodeKind::kGE, {maker.Index({{o, 1}, {k, 1}}, -2), maker.Integer(0)});
  maker.Contract(maker.Padded(low, maker.Read(x)), maker.Read(w), {o, c}, {k});
  const auto found = maker.Find();
  ASSERT_TRUE(found.has_value()) << maker.because;
  EXPECT_EQ(found->windows.at(0).pad_before, 2);
  EXPECT_EQ(found->windows.at(0).pad_after, 0);
  EXPECT_EQ(found->windows.at(0).extent, 12);
}

TEST(ContractionTest, TheWindowOfTheGreatestPitchIsFirst) {
  Maker maker;
  const int y = maker.Loop(6), x = maker.Loop(8), c = maker.Loop(5);
  const int ky = maker.Loop(3), kx = maker.Loop(2), channel = maker.Loop(4);
  const int input = maker.Access({{y, 40}, {x, 4}, {ky, 40}, {kx, 4}, {channel, 1}}, -44);
  const int w = maker.Access({{c, 24}, {ky, 8}, {kx, 4}, {channel, 1}}, 0, true);
  const int columns = maker.Within({{x, 1}, {kx, 1}}, -1, 0, 8);
  const int rows = maker.Within({{y, 1}, {ky, 1}}, -1, 0, 6);
  const int both = maker.Node(NodeKind::kAnd, {columns, rows});
  // Conditions around the product count like conditions of the input.
  const int product = maker.Node(NodeKind::kMul, {maker.Read(input), maker.Read(w)});
  maker.Store(maker.Sum(maker.Padded(both, product), {ky, kx, channel}), {y, x, c});
  const auto found = maker.Find();
  ASSERT_TRUE(found.has_value()) << maker.because;
  ASSERT_EQ(found->windows.size(), 2u);
  EXPECT_THAT(found->windows[0].places, ElementsAre(y));
  EXPECT_EQ(found->windows[0].pitch, 40);
  EXPECT_THAT(found->windows[1].places, ElementsAre(x));
  EXPECT_EQ(found->windows[1].pitch, 4);
  EXPECT_THAT(found->summed, ElementsAre(channel));
  EXPECT_THAT(found->columns, ElementsAre(c));
}

/// A transposed convolution: x[(o + k + rest) / divisor], where the division is exact and the
/// index is at least `least` and below `end`.
struct Transposed : Maker {
  Transposed(int64_t stride, int64_t rest, int64_t least, int64_t end, NodeKind mod,
             int64_t remainder = 0, int64_t divisor = 2, int64_t taps = 3)
      : o(Loop(12)), c(Loop(5)), k(Loop(taps)) {
    const Terms terms{{o, stride}, {k, 1}};
    x = Access(terms, rest, false, divisor);
    w = Access({{c, taps}, {k, 1}}, 0, true);
    const int exact = Node(NodeKind::kEQ,
                           {Node(mod, {Index(terms, rest), Integer(divisor)}), Integer(remainder)});
    const int both = Node(NodeKind::kAnd, {Within(terms, rest, least, end), exact});
    Contract(Padded(both, Read(x)), Read(w), {o, c}, {k});
  }
  int o, c, k, x, w;
};

TEST(ContractionTest, WindowsOfExactQuotients) {
  for (const NodeKind mod : {NodeKind::kFloorMod, NodeKind::kMod}) {
    Transposed line(1, -1, 0, 13, mod);
    const auto found = line.Find();
    ASSERT_TRUE(found.has_value()) << line.because;
    ASSERT_EQ(found->windows.size(), 1u);
    const Window& window = found->windows[0];
    EXPECT_EQ(window.divisor, 2);
    EXPECT_EQ(window.stride, 1);
    EXPECT_EQ(window.pad_before, 1);
    EXPECT_EQ(window.pad_after, 0);
    // Indices 0 to 12, of which 0, 2, ..., 12 are read.
    EXPECT_EQ(window.extent, 7);
    EXPECT_EQ(window.pitch, 1);
  }
}

TEST(ContractionTest, RefusesOtherQuotients) {
  const std::string box = "the places where its input is padded are not a box";
  // A stride, a first index that is not exact, another remainder, another operator.
  EXPECT_EQ(Transposed(2, -1, 0, 13, NodeKind::kFloorMod).Refusal(), box);
  EXPECT_EQ(Transposed(1, -1, 1, 13, NodeKind::kFloorMod).Refusal(), box);
  EXPECT_EQ(Transposed(1, -1, 0, 13, NodeKind::kFloorMod, 1).Refusal(), box);
  EXPECT_EQ(Transposed(1, -1, 0, 13, NodeKind::kAdd).Refusal(), box);
  // A stride whose places do not overlap.
  EXPECT_EQ(Transposed(2, -1, 0, 13, NodeKind::kFloorMod, 0, 2, 2).Refusal(), box);
}

TEST(ContractionTest, ThirdsOfAnInput) {
  Transposed line(1, -1, 0, 13, NodeKind::kFloorMod, 0, 3);
  const auto found = line.Find();
  ASSERT_TRUE(found.has_value()) << line.because;
  ASSERT_EQ(found->windows.size(), 1u);
  EXPECT_EQ(found->windows[0].divisor, 3);
  EXPECT_EQ(found->windows[0].extent, 5);
  EXPECT_EQ(Transposed(1, -1, 2, 13, NodeKind::kFloorMod, 0, 3).Refusal(),
            "the places where its input is padded are not a box");
}

TEST(ContractionTest, RefusesConditionsThatAreNotABox) {
  const std::string box = "the places where its input is padded are not a box";
  const auto refusal = [](auto condition) {
    std::string because;
    for (const bool constant : {false, true}) {
      Maker maker;
      const int o = maker.Loop(8), c = maker.Loop(5), k = maker.Loop(3);
      const int x = maker.Access({{o, 1}, {k, 1}});
      const int w = maker.Access({{c, 3}, {k, 1}}, 0, constant);
      const int holds = condition(maker, o, c, k);
      maker.Contract(maker.Padded(holds, maker.Read(x)), maker.Read(w), {o, c}, {k});
      because = maker.Refusal();
    }
    return because;
  };
  using M = Maker;
  // Nothing is within.
  EXPECT_EQ(refusal([](M& m, int o, int, int k) {
              return m.Within({{o, 1}, {k, 1}}, 0, 4, 4);
            }),
            box);
  // Another comparison; a bound that is not a number; no comparison.
  EXPECT_EQ(refusal([](M& m, int o, int, int) {
              return m.Node(NodeKind::kLE, {m.Index({{o, 1}}), m.Integer(3)});
            }),
            box);
  EXPECT_EQ(refusal([](M& m, int o, int, int k) {
              return m.Node(NodeKind::kLT, {m.Index({{o, 1}}), m.Index({{k, 1}})});
            }),
            box);
  EXPECT_EQ(refusal([](M& m, int, int, int) { return m.Integer(1); }), box);
  // A comparison of something else than an index, or of a quotient.
  EXPECT_EQ(refusal([](M& m, int, int, int) {
              return m.Node(NodeKind::kGE, {m.Integer(1), m.Integer(0)});
            }),
            box);
  EXPECT_EQ(refusal([](M& m, int o, int, int) {
              const int index = m.Index({{o, 1}});
              m.all.steps.back().linear.divisor = 2;
              return m.Node(NodeKind::kGE, {index, m.Integer(0)});
            }),
            box);
  // Loops that do not count as one: negative, or with a gap.
  EXPECT_EQ(refusal([](M& m, int o, int, int k) {
              return m.Within({{o, -1}, {k, 1}}, 0, 0, 4);
            }),
            box);
  EXPECT_EQ(refusal([](M& m, int o, int c, int) {
              return m.Within({{o, 1}, {c, 9}}, 0, 0, 40);
            }),
            box);
  // The input does not move as its condition does.
  EXPECT_EQ(refusal([](M& m, int o, int, int k) {
              return m.Within({{o, 2}, {k, 1}}, 0, 0, 9);
            }),
            box);
  EXPECT_EQ(refusal([](M& m, int, int c, int) { return m.Within({{c, 1}}, 0, 0, 3); }), box);
}

TEST(ContractionTest, ReadsBesideTheMainOneMayScaleIt) {
  for (const bool first : {false, true}) {
    Maker maker;
    const int m = maker.Loop(3), n = maker.Loop(4), k = maker.Loop(5);
    const int x = maker.Access({{m, 5}, {k, 1}});
    const int scale = maker.Access({{k, 1}});
    const int w = maker.Access({{n, 5}, {k, 1}}, 0, true);
    const int a = maker.Read(first ? scale : x);
    const int scaled = maker.Node(NodeKind::kMul, {a, maker.Read(first ? x : scale)});
    maker.Contract(scaled, maker.Read(w), {m, n}, {k});
    const auto found = maker.Find();
    ASSERT_TRUE(found.has_value()) << maker.because;
    EXPECT_EQ(found->input, x);
  }
}

TEST(ContractionTest, ALoopOfAWindowIsInNoOtherWindow) {
  Maker maker;
  const int o = maker.Loop(8), c = maker.Loop(5), k = maker.Loop(3), j = maker.Loop(2);
  const Terms terms{{o, 1}, {k, 1}};
  const int x = maker.Access({{o, 1}, {k, 1}, {j, 2}}, -1);
  const int w = maker.Access({{c, 6}, {k, 2}, {j, 1}}, 0, true);
  const int condition = maker.Within(terms, -1, 0, 8);
  maker.Contract(maker.Padded(condition, maker.Read(x)), maker.Read(w), {o, c}, {k, j});
  const auto found = maker.Find();
  ASSERT_TRUE(found.has_value()) << maker.because;
  EXPECT_EQ(found->windows.size(), 1u);
  EXPECT_THAT(found->summed, ElementsAre(j));
}

TEST(ContractionTest, RefusesFactorsWithoutAMainRead) {
  const auto refusal = [](auto factor) {
    Maker maker;
    const int m = maker.Loop(3), n = maker.Loop(4), k = maker.Loop(5);
    const int value = factor(maker, m, n, k);
    const int w = maker.Access({{n, 5}, {k, 1}}, 0, true);
    maker.Contract(value, maker.Read(w), {m, n}, {k});
    return maker.Refusal();
  };
  using M = Maker;
  const std::string two = "it sums products of other than two operands";
  // No read; a read without a summed loop; two reads of equal rank; a read over other loops.
  EXPECT_EQ(refusal([](M& maker, int, int, int) { return maker.Real(2); }), two);
  EXPECT_EQ(refusal([](M& maker, int m, int, int) {
              return maker.Read(maker.Access({{m, 1}}));
            }),
            two);
  EXPECT_EQ(refusal([](M& maker, int m, int, int k) {
              const int a = maker.Read(maker.Access({{m, 5}, {k, 1}}));
              return maker.Node(NodeKind::kAdd, {a, maker.Read(maker.Access({{m, 1}, {k, 3}}))});
            }),
            two);
  EXPECT_EQ(refusal([](M& maker, int m, int n, int k) {
              const int a = maker.Read(maker.Access({{m, 5}, {k, 1}}));
              return maker.Node(NodeKind::kAdd, {a, maker.Read(maker.Access({{n, 1}}))});
            }),
            two);
  // A gather.
  EXPECT_EQ(refusal([](M& maker, int m, int, int k) {
              Step gather;
              gather.kind = StepKind::kGather;
              gather.access = maker.Access({{m, 5}, {k, 1}});
              gather.args = {maker.Integer(0)};
              return maker.Put(gather);
            }),
            two);
}

TEST(ContractionTest, TheSquareOfAnOperandIsNotAContraction) {
  Maker maker;
  const int m = maker.Loop(3), k = maker.Loop(5);
  const int x = maker.Access({{m, 5}, {k, 1}});
  const int a = maker.Read(x);
  maker.Contract(a, maker.Read(x), {m}, {k});
  EXPECT_EQ(maker.Refusal(), "it sums products of other than two operands");
}

TEST(ContractionTest, OnlyOneFactorIsPadded) {
  for (const bool both : {false, true}) {
    Maker maker;
    const int o = maker.Loop(8), c = maker.Loop(5), k = maker.Loop(3);
    const int w = maker.Access({{c, 3}, {k, 1}});
    const int x = maker.Access({{o, 1}, {k, 1}}, -1);
    int weights = maker.Read(w);
    if (both) weights = maker.Padded(maker.Within({{k, 1}}, 0, 0, 2), weights);
    const int condition = maker.Within({{o, 1}, {k, 1}}, -1, 0, 8);
    maker.Contract(weights, maker.Padded(condition, maker.Read(x)), {o, c}, {k});
    if (both) {
      EXPECT_EQ(maker.Refusal(), "both factors are padded");
    } else {
      // The padded factor is the input, also as the second one.
      const auto found = maker.Find();
      ASSERT_TRUE(found.has_value()) << maker.because;
      EXPECT_EQ(found->input, x);
      EXPECT_EQ(found->windows.size(), 1u);
    }
  }
}

TEST(ContractionTest, CastsDoNotMatter) {
  Maker maker;
  const int m = maker.Loop(3), n = maker.Loop(4), k = maker.Loop(5);
  const int x = maker.Access({{m, 5}, {k, 1}});
  const int w = maker.Access({{n, 5}, {k, 1}}, 0, true);
  const int a = maker.Node(NodeKind::kCast, {maker.Read(x)});
  const int product = maker.Node(NodeKind::kMul, {a, maker.Read(w)});
  maker.Store(maker.Sum(maker.Node(NodeKind::kCast, {product}), {k}), {m, n});
  ASSERT_TRUE(maker.Find().has_value()) << maker.because;
}

TEST(ContractionTest, RefusesOtherReductions) {
  Maker none;
  none.Store(none.Integer(0), {});
  EXPECT_EQ(none.Refusal(), "it has no reduction");

  const auto make = [](NodeKind reduces, NodeKind combines) {
    Maker maker;
    const int m = maker.Loop(3), n = maker.Loop(4), k = maker.Loop(5);
    const int a = maker.Read(maker.Access({{m, 5}, {k, 1}}));
    const int b = maker.Read(maker.Access({{n, 5}, {k, 1}}));
    maker.Store(maker.Sum(maker.Node(combines, {a, b}), {k}, reduces), {m, n});
    return maker;
  };
  EXPECT_TRUE(make(NodeKind::kAdd, NodeKind::kMul).Find().has_value());
  EXPECT_EQ(make(NodeKind::kMax, NodeKind::kMul).Refusal(), "it does not sum products");
  EXPECT_EQ(make(NodeKind::kAdd, NodeKind::kAdd).Refusal(), "it does not sum products");

  Maker two = make(NodeKind::kAdd, NodeKind::kMul);
  two.Sum(0, {2});
  EXPECT_EQ(two.Refusal(), "it has more than one reduction");
  Maker stores = make(NodeKind::kAdd, NodeKind::kMul);
  stores.all.stores.push_back(stores.all.stores[0]);
  EXPECT_EQ(stores.Refusal(), "it stores in more than one place");
}

TEST(ContractionTest, RefusesLoopsOfNoClass) {
  {
    Maker maker;
    const int m = maker.Loop(3), n = maker.Loop(4), k = maker.Loop(5), other = maker.Loop(6);
    const int a = maker.Read(maker.Access({{m, 5}, {k, 1}}));
    const int b = maker.Read(maker.Access({{n, 5}, {k, 1}}));
    maker.Contract(a, b, {m, n, other}, {k});
    EXPECT_EQ(maker.Refusal(), "a loop walks over only the result");
  }
  for (const bool first : {false, true}) {
    Maker maker;
    const int m = maker.Loop(3), n = maker.Loop(4), k = maker.Loop(5), j = maker.Loop(30);
    const int a =
        maker.Read(maker.Access(first ? Terms{{m, 5}, {k, 1}, {j, 15}} : Terms{{m, 5}, {k, 1}}));
    const int b =
        maker.Read(maker.Access(first ? Terms{{n, 5}, {k, 1}} : Terms{{n, 5}, {k, 1}, {j, 20}}));
    maker.Contract(a, b, {m, n}, {k, j});
    EXPECT_EQ(maker.Refusal(), "a summed loop walks over only one factor");
  }
  {
    Maker maker;
    const int o = maker.Loop(8), k = maker.Loop(3);
    const int x = maker.Read(maker.Access({{o, 1}, {k, 1}}));
    const int w = maker.Read(maker.Access({{o, 3}, {k, 1}}, 0, true));
    maker.Contract(x, w, {o}, {k});
    EXPECT_EQ(maker.Refusal(), "its weights change with the place");
  }
}

TEST(ComputationTest, StridesAreOfTheirLoops) {
  const LinearIndex index{7, {{0, 3}, {2, -4}}, 1};
  EXPECT_EQ(index.stride(0), 3);
  EXPECT_EQ(index.stride(1), 0);
  EXPECT_EQ(index.stride(2), -4);
}

TEST(ComputationTest, OperationsCompareTheBitsOfReals) {
  Operation a, b;
  a.kind = b.kind = StepKind::kReal;
  a.real = 0.0;
  b.real = -0.0;
  EXPECT_FALSE(a == b);
  a.real = b.real = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(a == b);
  b.args = {1};
  EXPECT_FALSE(a == b);
  b = a;
  b.integer = 1;
  EXPECT_FALSE(a == b);
}

TEST(LoopProblemTest, AListNamesALoopOnce) {
  Maker maker;
  const int i = maker.Loop(3);
  maker.Store(maker.Read(maker.Access({{i, 1}})), {i});
  EXPECT_EQ(LoopProblem(maker.all), "");
  maker.all.stores[0].loops = {i, i};
  EXPECT_EQ(LoopProblem(maker.all), "a store counts the loop `l0` twice");
}

TEST(LoopProblemTest, AStoreAndItsReductionHaveDifferentLoops) {
  Maker maker;
  const int i = maker.Loop(3), k = maker.Loop(3);
  maker.Store(maker.Sum(maker.Read(maker.Access({{i, 1}, {k, 1}})), {k}), {i});
  EXPECT_EQ(LoopProblem(maker.all), "");
  maker.all.stores[0].loops = {i, k};
  EXPECT_EQ(LoopProblem(maker.all), "a store and a reduction in its value count the loop `l1`");
}

TEST(LoopProblemTest, NestedReductionsHaveDifferentLoopsIfTheInnerOneDependsOnTheOuterOne) {
  for (const bool depends : {false, true}) {
    Maker maker;
    const int i = maker.Loop(3), k = maker.Loop(3);
    const int inner =
        maker.Sum(maker.Read(maker.Access(depends ? Terms{{i, 3}, {k, 1}} : Terms{{k, 1}})), {k});
    const int product = maker.Node(NodeKind::kMul, {inner, maker.Read(maker.Access({{k, 1}}))});
    const int outer = maker.Sum(product, {i, k});
    maker.Store(outer, {});
    EXPECT_EQ(LoopProblem(maker.all),
              depends ? "a reduction and a reduction in its value count the loop `l1`" : "");
  }
}

TEST(LoopProblemTest, CountsItsParts) {
  Maker maker;
  maker.all.loops.resize(kMostComputationParts);
  EXPECT_EQ(LoopProblem(maker.all), "");
  maker.all.loops.resize(kMostComputationParts + 1);
  EXPECT_EQ(LoopProblem(maker.all), "expected at most 4096 loops, steps and stores, found 4097");
}

TEST(ContractionTest, SplitsALoopEverywhere) {
  Maker maker;
  const int row = maker.Loop(12);
  const int k = maker.Loop(5);
  const int x = maker.Access({{row, 10}, {k, 1}}, 3);
  const int y = maker.Access({{row, 1}});
  maker.Read(x);
  maker.Index({{row, 7}});
  Computation all = maker.all;
  all.stores.push_back({y, 1, {row, k}});
  const int outer = SplitLoop(all, row, 4);
  EXPECT_EQ(all.loops[static_cast<size_t>(row)].extent, 4);
  EXPECT_EQ(all.loops[static_cast<size_t>(outer)].extent, 3);
  EXPECT_THAT(all.accesses[static_cast<size_t>(x)].element.terms,
              ElementsAre(std::pair(row, 10), std::pair(k, 1), std::pair(outer, 40)));
  EXPECT_EQ(all.accesses[static_cast<size_t>(x)].element.offset, 3);
  EXPECT_THAT(all.accesses[static_cast<size_t>(y)].element.terms,
              ElementsAre(std::pair(row, 1), std::pair(outer, 4)));
  EXPECT_THAT(all.steps[1].linear.terms, ElementsAre(std::pair(row, 7), std::pair(outer, 28)));
  EXPECT_THAT(all.stores[0].loops, ElementsAre(outer, row, k));
}

/// sum(select(1 <= o + k < 4, x[o + k - 1] * w[k], 0)) of integers, for three places and taps.
struct GuardedLine : Maker {
  explicit GuardedLine(int64_t weights = 3) {
    const int o = Loop(3), k = Loop(3);
    x = Access({{o, 1}, {k, 1}}, -1);
    w = Access({{k, 1}}, 0, true);
    all.operands[static_cast<size_t>(all.accesses[static_cast<size_t>(w)].operand)].elements =
        weights;
    const int bytes = Put(Typed(Read(x), DataType::UInt(8)));
    const int wide = Put(Typed(Node(NodeKind::kCast, {bytes}), DataType::Int(32)));
    const int product = Put(Typed(
        Node(NodeKind::kMul, {wide, Put(Typed(Read(w), DataType::Int(32)))}), DataType::Int(32)));
    const int zero = Put(Typed(Integer(0), DataType::Int(32)));
    const int choice =
        Put(Typed(Node(NodeKind::kSelect, {Within({{o, 1}, {k, 1}}, 0, 1, 4), product, zero}),
                  DataType::Int(32)));
    sum = Put(Typed(Sum(choice, {k}), DataType::Int(32)));
    Store(sum, {o});
  }
  /// The last step, removed, with a dtype.
  Step Typed(int step, DataType dtype) {
    EXPECT_EQ(step + 1, static_cast<int>(all.steps.size()));
    Step typed = all.steps.back();
    all.steps.pop_back();
    typed.dtype = dtype;
    return typed;
  }
  int x = 0, w = 0, sum = 0;
};

TEST(GuardFactorTest, ConditionsMoveToTheInput) {
  GuardedLine line;
  const auto before = line.Find();
  ASSERT_TRUE(before.has_value()) << line.because;
  ASSERT_TRUE(GuardFactor(line.all, line.sum, line.x));
  const Step& sum = line.all.steps[static_cast<size_t>(Reductions(line.all)[0])];
  const Step& product = line.all.steps[static_cast<size_t>(sum.args[1])];
  ASSERT_EQ(product.kind, StepKind::kNode);
  EXPECT_EQ(product.node, NodeKind::kMul);
  const Step& cast = line.all.steps[static_cast<size_t>(product.args[0])];
  EXPECT_EQ(cast.node, NodeKind::kCast);
  const Step& choice = line.all.steps[static_cast<size_t>(cast.args[0])];
  EXPECT_EQ(choice.node, NodeKind::kSelect);
  EXPECT_EQ(choice.dtype, DataType::UInt(8));
  const auto after = line.Find();
  ASSERT_TRUE(after.has_value()) << line.because;
  EXPECT_EQ(after->input, before->input);
  EXPECT_EQ(after->windows.size(), before->windows.size());
  EXPECT_EQ(after->windows[0].pad_before, before->windows[0].pad_before);
  // Each step uses earlier ones.
  for (size_t i = 0; i < line.all.steps.size(); ++i) {
    for (const int arg : line.all.steps[i].args) EXPECT_LT(arg, static_cast<int>(i));
  }
  // Nothing is left to move.
  EXPECT_FALSE(GuardFactor(line.all, Reductions(line.all)[0], line.x));
}

TEST(GuardFactorTest, WeightsMustExistWhereTheConditionIsFalse) {
  GuardedLine line(/*weights=*/2);
  const Computation before = line.all;
  EXPECT_FALSE(GuardFactor(line.all, line.sum, line.x));
  EXPECT_EQ(line.all, before);
}

TEST(GuardFactorTest, SumsOfFloatsStay) {
  GuardedLine line;
  line.all.steps[static_cast<size_t>(line.sum)].dtype = DataType::Float(32);
  EXPECT_FALSE(GuardFactor(line.all, line.sum, line.x));
}

}  // namespace
}  // namespace tenon
