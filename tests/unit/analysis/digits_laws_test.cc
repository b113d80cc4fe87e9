// Compares what Digits proves with all values of small forms.

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

#include "ir/analysis/digits.h"
#include "ir/builder.h"
#include "ir/builtins.h"

namespace tenon {
namespace {

using Values = std::map<int, int64_t>;

/// Digits with roots, which are numbered before any split, and forms over them.
class Laws {
 public:
  explicit Laws(uint32_t seed) : random_(seed) {}

  int64_t Number(int64_t least, int64_t most) {
    return std::uniform_int_distribution<int64_t>(least, most)(random_);
  }
  int Root(int64_t extent) {
    roots.push_back(digits.Count(extent).terms[0].first);
    return roots.back();
  }
  /// A form with random strides of all roots.
  LinearIndex Random(int64_t least, int64_t most) {
    LinearIndex form;
    form.offset = Number(-5, 5);
    for (const int root : roots) {
      const int64_t stride = Number(least, most);
      if (stride != 0) form.terms.emplace_back(root, stride);
    }
    return form;
  }
  /// Calls `f` with the values of all digits, for all values of the roots in `known`.
  template <class F>
  void ForAll(const DigitBounds& known, F&& f) const {
    Values values;
    Visit(0, known, values, f);
  }
  static int64_t Dividend(const LinearIndex& form, const Values& values) {
    int64_t sum = form.offset;
    for (const auto& [digit, stride] : form.terms) sum += stride * values.at(digit);
    return sum;
  }
  static int64_t Of(const LinearIndex& form, const Values& values) {
    EXPECT_EQ(form.divisor, 1);
    return Dividend(form, values);
  }

  Digits digits;
  std::vector<int> roots;

 private:
  template <class F>
  void Visit(size_t i, const DigitBounds& known, Values& values, F& f) const {
    if (i == roots.size()) return f(static_cast<const Values&>(values));
    const auto found = known.find(roots[i]);
    const Bounds bounds =
        found == known.end() ? Bounds{0, digits.extent(roots[i]) - 1} : found->second;
    for (int64_t value = bounds.min; value <= bounds.max; ++value) {
      int64_t rest = value;
      const std::vector<int> leaves = digits.Leaves(roots[i]);
      for (size_t leaf = leaves.size(); leaf-- > 0;) {
        values[leaves[leaf]] = rest % digits.extent(leaves[leaf]);
        rest /= digits.extent(leaves[leaf]);
      }
      EXPECT_EQ(rest, 0);
      values[roots[i]] = value;
      Visit(i + 1, known, values, f);
    }
  }

  std::mt19937 random_;
};

Bounds Enumerated(const Laws& laws, const LinearIndex& form, const DigitBounds& known) {
  Bounds bounds{INT64_MAX, INT64_MIN};
  laws.ForAll(known, [&](const Values& values) {
    bounds.min = std::min(bounds.min, Laws::Of(form, values));
    bounds.max = std::max(bounds.max, Laws::Of(form, values));
  });
  return bounds;
}

TEST(DigitsLawsTest, BoundsAreThoseOfAllValues) {
  for (uint32_t seed = 0; seed < 100; ++seed) {
    Laws laws(seed);
    for (int i = 0; i < 3; ++i) laws.Root(laws.Number(2, 6));
    const LinearIndex form = laws.Random(-4, 4);
    EXPECT_EQ(laws.digits.BoundsOf(form), Enumerated(laws, form, {}));
    DigitBounds known;
    const int64_t last = laws.digits.extent(laws.roots[1]) - 1;
    const int64_t from = laws.Number(0, last);
    known[laws.roots[1]] = {from, laws.Number(from, last)};
    EXPECT_EQ(laws.digits.BoundsOf(form, known), Enumerated(laws, form, known));
  }
}

TEST(DigitsLawsTest, PartsOfADigitHaveItsBounds) {
  Laws laws(0);
  const int root = laws.Root(24);
  laws.digits.Split(root, 6);
  laws.digits.Split(laws.digits.Leaves(root)[1], 2);
  for (int64_t from = 0; from < 24; ++from) {
    for (int64_t to = from; to < 24; ++to) {
      const DigitBounds known{{root, {from, to}}};
      for (const int leaf : laws.digits.Leaves(root)) {
        LinearIndex form;
        form.terms.emplace_back(leaf, 1);
        EXPECT_EQ(laws.digits.BoundsOf(form, known), Enumerated(laws, form, known));
      }
    }
  }
  EXPECT_EQ(laws.digits.splits(), 2);
}

TEST(DigitsLawsTest, BoundsOfExactQuotientsAreWhole) {
  Laws laws(0);
  const int root = laws.Root(8);
  LinearIndex form;
  form.terms.emplace_back(root, 1);
  form.divisor = 3;
  for (const auto& [constant, min, max] :
       {std::tuple{0, 0, 2}, std::tuple{1, 1, 2}, std::tuple{-1, 0, 2}, std::tuple{-4, -1, 1}}) {
    form.offset = constant;
    EXPECT_EQ(laws.digits.BoundsOf(form), (Bounds{min, max})) << constant;
  }
}

TEST(DigitsLawsTest, SumsAddUp) {
  for (uint32_t seed = 0; seed < 100; ++seed) {
    Laws laws(seed);
    for (int i = 0; i < 3; ++i) laws.Root(laws.Number(2, 3) * 2);
    const LinearIndex a = laws.Random(-3, 3);
    const LinearIndex b = laws.Random(-3, 3);
    const int64_t scale = laws.Number(-2, 2);
    laws.digits.Split(laws.roots[0], 2);
    LinearIndex sum = a;
    ASSERT_TRUE(laws.digits.Accumulate(sum, b, scale));
    laws.ForAll({}, [&](const Values& values) {
      EXPECT_EQ(Laws::Of(sum, values), Laws::Of(a, values) + scale * Laws::Of(b, values));
    });
    for (const auto& [digit, stride] : sum.terms) EXPECT_NE(stride, 0);
  }
}

TEST(DigitsLawsTest, SumsOfQuotientsHaveACommonDivisor) {
  for (const int64_t a_divisor : {1, 2, 4}) {
    for (const int64_t b_divisor : {1, 2, 3}) {
      Laws laws(static_cast<uint32_t>(a_divisor * 10 + b_divisor));
      for (int i = 0; i < 2; ++i) laws.Root(5);
      LinearIndex a = laws.Random(-3, 3);
      LinearIndex b = laws.Random(-3, 3);
      a.divisor = a_divisor;
      b.divisor = b_divisor;
      LinearIndex sum = a;
      ASSERT_TRUE(laws.digits.Accumulate(sum, b, 2));
      laws.ForAll({}, [&](const Values& values) {
        // a / a_divisor + 2 * b / b_divisor, without fractions.
        EXPECT_EQ(Laws::Dividend(sum, values) * a_divisor * b_divisor,
                  sum.divisor * (Laws::Dividend(a, values) * b_divisor +
                                 2 * Laws::Dividend(b, values) * a_divisor));
      });
    }
  }
}

TEST(DigitsLawsTest, WholeQuotientsLoseTheirDivisor) {
  Laws laws(0);
  const int root = laws.Root(5);
  LinearIndex half;
  half.offset = 3;
  half.terms.emplace_back(root, 1);
  half.divisor = 2;
  LinearIndex sum = half;
  ASSERT_TRUE(laws.digits.Accumulate(sum, half, 1));
  EXPECT_EQ(sum.divisor, 1);
  EXPECT_EQ(sum.offset, 3);
  EXPECT_EQ(sum.stride(root), 1);
}

TEST(DigitsLawsTest, LargeNumbersAreUnknown) {
  Laws laws(0);
  const int root = laws.Root(5);
  constexpr int64_t kMost = int64_t{1} << 48;
  LinearIndex form;
  form.terms.emplace_back(root, kMost / 4);
  EXPECT_EQ(laws.digits.BoundsOf(form), std::nullopt);
  form.terms[0].second = kMost / 4 - 1;
  EXPECT_EQ(laws.digits.BoundsOf(form), (Bounds{0, kMost - 4}));
  form.offset = 4;
  EXPECT_EQ(laws.digits.BoundsOf(form), std::nullopt);
  form.terms[0].second = -form.terms[0].second;
  form.offset = -4;
  EXPECT_EQ(laws.digits.BoundsOf(form), std::nullopt);
  form.offset = -3;
  EXPECT_EQ(laws.digits.BoundsOf(form), (Bounds{1 - kMost, -3}));
  LinearIndex sum;
  sum.offset = kMost - 1;
  LinearIndex one;
  one.offset = 1;
  EXPECT_FALSE(laws.digits.Accumulate(sum, one, 1));
  sum.offset = kMost - 2;
  EXPECT_TRUE(laws.digits.Accumulate(sum, one, 1));
  LinearIndex none;
  EXPECT_FALSE(laws.digits.Accumulate(none, form, 8));
}

TEST(DigitsLawsTest, QuotientsAndRemaindersMakeTheForm) {
  int known = 0;
  for (uint32_t seed = 0; seed < 300; ++seed) {
    Laws laws(seed);
    for (int i = 0; i < 3; ++i) laws.Root(laws.Number(1, 4) * 2);
    const LinearIndex form = laws.Random(-6, 6);
    const int64_t divisor = laws.Number(1, 6);
    const auto division = laws.digits.Divide(form, divisor, {});
    if (!division) continue;
    ++known;
    laws.ForAll({}, [&](const Values& values) {
      const int64_t rest = Laws::Of(division->rest, values);
      EXPECT_EQ(Laws::Of(division->quotient, values) * divisor + rest, Laws::Of(form, values));
      EXPECT_GE(rest, 0);
      EXPECT_LT(rest, divisor);
    });
  }
  EXPECT_GE(known, 60);
}

TEST(DigitsLawsTest, DividesSingleDigitsWhereTheirExtentAllows) {
  for (const int64_t extent : {6, 8, 12}) {
    for (int64_t divisor = 1; divisor <= 14; ++divisor) {
      for (const int64_t stride : {1, 2, -1}) {
        Laws laws(0);
        LinearIndex form;
        form.terms.emplace_back(laws.Root(extent), stride);
        if (stride < 0) form.offset = extent - 1;
        const bool whole_steps = divisor % std::abs(stride) == 0;
        const int64_t steps = divisor / std::abs(stride);
        const bool exact = divisor == 1 || (std::abs(stride) == 2 && divisor == 2) ||
                           (extent - 1) * std::abs(stride) < divisor ||
                           (whole_steps && steps < extent && extent % steps == 0);
        EXPECT_EQ(laws.digits.Divide(form, divisor, {}).has_value(), exact)
            << extent << " " << divisor << " " << stride;
      }
    }
  }
}

TEST(DigitsLawsTest, ConditionsMakeQuotientsKnown) {
  Laws laws(0);
  const int root = laws.Root(7);
  LinearIndex form;
  form.terms.emplace_back(root, 1);
  EXPECT_FALSE(laws.digits.Divide(form, 4, {}).has_value());
  EXPECT_FALSE(laws.digits.Divide(form, 4, {{root, {3, 6}}}).has_value());
  const auto division = laws.digits.Divide(form, 4, {{root, {4, 6}}});
  ASSERT_TRUE(division.has_value());
  EXPECT_EQ(division->quotient.offset, 1);
  EXPECT_EQ(division->rest.offset, -4);
}

TEST(DigitsLawsTest, InjectiveFormsHaveDifferentValues) {
  int proven = 0;
  int injective = 0;
  for (uint32_t seed = 0; seed < 300; ++seed) {
    Laws laws(seed);
    for (int i = 0; i < 3; ++i) laws.Root(laws.Number(2, 4));
    const LinearIndex form = laws.Random(-12, 12);
    std::set<int64_t> seen;
    bool different = true;
    laws.ForAll({}, [&](const Values& values) {
      different = seen.insert(Laws::Of(form, values)).second && different;
    });
    // A root without a stride does not count.
    if (form.terms.size() < 3) continue;
    injective += different;
    if (!laws.digits.IsInjective(form)) continue;
    ++proven;
    EXPECT_TRUE(different);
  }
  EXPECT_GE(proven * 5, injective);
  EXPECT_GT(proven, 15);
}

TEST(DigitsLawsTest, DisjointFormsHaveNoCommonValue) {
  int proven = 0;
  for (uint32_t seed = 0; seed < 400; ++seed) {
    Laws laws(seed);
    for (int i = 0; i < 2; ++i) laws.Root(laws.Number(2, 4));
    LinearIndex a = laws.Random(0, 8);
    const LinearIndex b = laws.Random(0, 8);
    a.offset += laws.Number(-8, 8);
    std::set<int64_t> of_a;
    laws.ForAll({}, [&](const Values& values) { of_a.insert(Laws::Of(a, values)); });
    bool disjoint = true;
    laws.ForAll({}, [&](const Values& values) {
      disjoint = disjoint && !of_a.contains(Laws::Of(b, values));
    });
    if (!laws.digits.AreDisjoint(a, b)) continue;
    ++proven;
    EXPECT_TRUE(disjoint);
  }
  EXPECT_GE(proven, 40);
}

TEST(DigitsLawsTest, NeighboursAreDisjointAndOverlapsAreNot) {
  Laws laws(0);
  const int i = laws.Root(4), j = laws.Root(3);
  LinearIndex row;
  row.terms.emplace_back(j, 1);
  for (int64_t distance = -4; distance <= 4; ++distance) {
    LinearIndex moved = row;
    moved.offset = distance;
    EXPECT_EQ(laws.digits.AreDisjoint(row, moved), std::abs(distance) >= 3) << distance;
  }
  // Columns 0 to 2 and 3 to 5 of rows of six.
  LinearIndex columns = row;
  columns.terms.insert(columns.terms.begin(), {i, 6});
  for (int64_t distance = 0; distance <= 6; ++distance) {
    LinearIndex moved = columns;
    moved.offset = distance;
    EXPECT_EQ(laws.digits.AreDisjoint(columns, moved), distance == 3) << distance;
  }
}

TEST(DigitsLawsTest, EqualValuesHaveTheSameDigits) {
  int proven = 0;
  for (uint32_t seed = 0; seed < 400; ++seed) {
    Laws laws(seed);
    for (int i = 0; i < 3; ++i) laws.Root(laws.Number(2, 4));
    LinearIndex a = laws.Random(-3, 3);
    LinearIndex b = laws.Random(-3, 3);
    a.Drop([&](int digit) { return digit == laws.roots[0]; });
    b.Drop([&](int digit) { return digit == laws.roots[0]; });
    const int64_t stride = laws.Number(4, 30);
    a.terms.insert(a.terms.begin(), {laws.roots[0], stride});
    b.terms.insert(b.terms.begin(), {laws.roots[0], stride});
    bool same = true;
    laws.ForAll({}, [&](const Values& x) {
      laws.ForAll({}, [&](const Values& y) {
        if (Laws::Of(a, x) == Laws::Of(b, y))
          same = same && x.at(laws.roots[0]) == y.at(laws.roots[0]);
      });
    });
    if (!laws.digits.EqualOnlyAtSame(a, b, {laws.roots[0]})) continue;
    ++proven;
    EXPECT_TRUE(same);
  }
  EXPECT_GE(proven, 100);
}

TEST(DigitsLawsTest, StridesAboveTheReachTellDigits) {
  Laws laws(0);
  const int i = laws.Root(4), j = laws.Root(3);
  for (int64_t stride = 1; stride <= 6; ++stride) {
    for (int64_t distance = 0; distance <= 3; ++distance) {
      LinearIndex a;
      a.terms = {{i, stride}, {j, 1}};
      LinearIndex b = a;
      b.offset = distance;
      // The rests differ by at most 2 + distance.
      EXPECT_EQ(laws.digits.EqualOnlyAtSame(a, b, {i}), stride > 2 + distance)
          << stride << " " << distance;
      EXPECT_EQ(laws.digits.EqualOnlyAtSame(b, a, {i}), stride > 2 + distance);
    }
  }
}

TEST(DigitsLawsTest, SolutionsAreTheOnlyOnes) {
  int known = 0;
  for (uint32_t seed = 0; seed < 400; ++seed) {
    Laws laws(seed);
    const bool reversed = seed % 3 == 0;
    const int i = laws.Root(laws.Number(2, 4)), j = laws.Root(laws.Number(2, 4));
    const int64_t pad = laws.Number(0, 2);
    LinearIndex written;
    written.offset = laws.Number(-3, 3);
    written.terms = {{i, laws.digits.extent(j) + pad}, {j, reversed ? -1 : 1}};
    const int k = laws.Root(laws.Number(1, 3) * 2);
    LinearIndex read;
    read.offset = laws.Number(-3, 6);
    read.terms = {{k, laws.Number(1, 6)}};
    const auto solution = laws.digits.Solve(written, read, {});
    if (!solution) continue;
    ++known;
    const LinearIndex leaves = laws.digits.Normalised(written);
    laws.ForAll({}, [&](Values values) {
      const int64_t place = Laws::Of(read, values);
      Values solved = values;
      for (const auto& [digit, form] : *solution) {
        solved[digit] = Laws::Of(form, values);
        EXPECT_GE(solved[digit], 0);
        EXPECT_LT(solved[digit], laws.digits.extent(digit));
      }
      EXPECT_EQ(Laws::Of(leaves, solved), place);
    });
  }
  EXPECT_GE(known, 20);
}

/// Expressions of a variable that counts up to an extent, next to their values.
class FormBuilderLawsTest : public testing::Test {
 protected:
  FormBuilderLawsTest() : builder_(context_, arena_), forms_(laws_.digits) {}

  const Expr* Variable(int64_t extent) {
    const Var* var = builder_.NewVar("i", DataType::Int(32));
    LinearIndex form;
    form.terms.emplace_back(laws_.Root(extent), 1);
    forms_.Define(var, form);
    return var;
  }
  template <class T>
  const Expr* Make(const Expr* a, int64_t b) {
    return builder_.New<T>(SourceRange(), a, builder_.Int(b));
  }
  const Expr* Call(OpKind op, const Expr* a, int64_t b) {
    return builder_.New<tenon::Call>(SourceRange(), DataType::Int(32), Op::Get(op),
                                     builder_.List<Expr>({a, builder_.Int(b)}));
  }
  std::optional<LinearIndex> FormOf(const Expr* expr, const LinearIndex& lane = {}) {
    return forms_.Evaluate(expr, lane, {});
  }
  /// Whether the form is known; `f` gives the value for each value of the variable.
  template <class F>
  bool Knows(const Expr* expr, F&& f) {
    const std::optional<LinearIndex> form = FormOf(expr);
    if (!form) return false;
    laws_.ForAll({}, [&](const Values& values) {
      EXPECT_EQ(Laws::Of(*form, values), f(values.at(laws_.roots.back())));
    });
    return true;
  }

  Context context_;
  Arena arena_;
  NodeBuilder builder_;
  Laws laws_{0};
  FormBuilder forms_;
};

TEST_F(FormBuilderLawsTest, Arithmetic) {
  const Expr* i = Variable(8);
  EXPECT_TRUE(Knows(Make<Add>(i, 3), [](int64_t v) { return v + 3; }));
  EXPECT_TRUE(Knows(Make<Sub>(i, 3), [](int64_t v) { return v - 3; }));
  EXPECT_TRUE(Knows(Make<Mul>(i, 3), [](int64_t v) { return v * 3; }));
  EXPECT_TRUE(
      Knows(builder_.New<Mul>(SourceRange(), builder_.Int(3), i), [](int64_t v) { return v * 3; }));
  EXPECT_TRUE(Knows(Make<FloorDiv>(i, 4), [](int64_t v) { return v / 4; }));
  EXPECT_TRUE(Knows(Make<FloorMod>(i, 4), [](int64_t v) { return v % 4; }));
  EXPECT_TRUE(Knows(Make<Div>(i, 2), [](int64_t v) { return v / 2; }));
  EXPECT_TRUE(Knows(Make<Mod>(i, 2), [](int64_t v) { return v % 2; }));
  EXPECT_FALSE(FormOf(builder_.New<Mul>(SourceRange(), i, i)).has_value());
  EXPECT_FALSE(FormOf(Make<FloorDiv>(i, 0)).has_value());
  EXPECT_FALSE(FormOf(Make<FloorDiv>(i, -2)).has_value());
  EXPECT_FALSE(FormOf(builder_.New<FloorDiv>(SourceRange(), i, i)).has_value());
  EXPECT_TRUE(Knows(Make<FloorDiv>(i, 1), [](int64_t v) { return v; }));
}

TEST_F(FormBuilderLawsTest, TruncationIsFlooringOnlyFromZero) {
  const Expr* i = Variable(8);
  EXPECT_TRUE(Knows(Make<FloorDiv>(Make<Sub>(i, 8), 4), [](int64_t v) { return v / 4 - 2; }));
  EXPECT_TRUE(Knows(Make<FloorMod>(Make<Sub>(i, 8), 4), [](int64_t v) { return v % 4; }));
  EXPECT_FALSE(FormOf(Make<Div>(Make<Sub>(i, 8), 4)).has_value());
  EXPECT_FALSE(FormOf(Make<Mod>(Make<Sub>(i, 8), 4)).has_value());
  EXPECT_FALSE(FormOf(Make<Div>(Make<Sub>(i, 1), 8)).has_value());
}

TEST_F(FormBuilderLawsTest, BitsAndShifts) {
  const Expr* i = Variable(8);
  EXPECT_TRUE(Knows(Call(OpKind::kShiftLeft, i, 3), [](int64_t v) { return v << 3; }));
  EXPECT_TRUE(Knows(Call(OpKind::kShiftLeft, i, 0), [](int64_t v) { return v; }));
  EXPECT_TRUE(Knows(Call(OpKind::kShiftRight, i, 1), [](int64_t v) { return v >> 1; }));
  EXPECT_TRUE(Knows(Call(OpKind::kBitwiseAnd, i, 3), [](int64_t v) { return v & 3; }));
  EXPECT_TRUE(Knows(Call(OpKind::kBitwiseAnd, i, 1), [](int64_t v) { return v & 1; }));
  EXPECT_FALSE(FormOf(Call(OpKind::kBitwiseAnd, i, 2)).has_value());
  EXPECT_FALSE(FormOf(Call(OpKind::kBitwiseAnd, i, 0)).has_value());
  EXPECT_FALSE(FormOf(Call(OpKind::kShiftLeft, i, -1)).has_value());
  EXPECT_FALSE(FormOf(Call(OpKind::kShiftLeft, i, 41)).has_value());
  EXPECT_FALSE(FormOf(Call(OpKind::kBitwiseOr, i, 1)).has_value());
}

TEST_F(FormBuilderLawsTest, CastsKeepWhatTheirTypeHolds) {
  const Expr* i = Variable(8);
  const auto as = [&](DataType dtype, const Expr* value) {
    return FormOf(builder_.New<Cast>(SourceRange(), dtype, value)).has_value();
  };
  EXPECT_TRUE(as(DataType::Int(8), Make<Add>(i, 120)));
  EXPECT_FALSE(as(DataType::Int(8), Make<Add>(i, 121)));
  EXPECT_TRUE(as(DataType::Int(8), Make<Sub>(i, 128)));
  EXPECT_FALSE(as(DataType::Int(8), Make<Sub>(i, 129)));
  EXPECT_TRUE(as(DataType::UInt(8), Make<Add>(i, 248)));
  EXPECT_FALSE(as(DataType::UInt(8), Make<Add>(i, 249)));
  EXPECT_FALSE(as(DataType::UInt(8), Make<Sub>(i, 1)));
  EXPECT_TRUE(as(DataType::Int(64), Make<Sub>(i, 1)));
  EXPECT_TRUE(as(DataType::UInt(64), i));
  EXPECT_FALSE(as(DataType::UInt(64), Make<Sub>(i, 1)));
  EXPECT_FALSE(as(DataType::Float(32), i));
}

TEST_F(FormBuilderLawsTest, LanesAndUnknownVariables) {
  const Expr* i = Variable(8);
  LinearIndex lane;
  lane.terms.emplace_back(laws_.Root(4), 1);
  const Expr* ramp = builder_.New<Ramp>(SourceRange(), i, builder_.Int(2), 4);
  const std::optional<LinearIndex> form = FormOf(ramp, lane);
  ASSERT_TRUE(form.has_value());
  EXPECT_EQ(form->stride(laws_.roots[0]), 1);
  EXPECT_EQ(form->stride(laws_.roots[1]), 2);
  EXPECT_FALSE(FormOf(builder_.New<Ramp>(SourceRange(), i, i, 4), lane).has_value());
  EXPECT_EQ(FormOf(builder_.New<Broadcast>(SourceRange(), i, 4), lane)->terms.size(), 1u);
  EXPECT_FALSE(FormOf(builder_.NewVar("j", DataType::Int(32))).has_value());
  forms_.Forget(static_cast<const Var*>(i));
  EXPECT_FALSE(FormOf(i).has_value());
}

}  // namespace
}  // namespace tenon
