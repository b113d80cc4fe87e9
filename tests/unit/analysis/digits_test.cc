#include "ir/analysis/digits.h"

#include <gtest/gtest.h>

#include "ir/builder.h"

namespace tenon {
namespace {

/// constant + sum(stride * form).
LinearIndex Sum(const Digits& digits, int64_t constant,
                const std::vector<std::pair<LinearIndex, int64_t>>& terms) {
  LinearIndex form;
  form.offset = constant;
  for (const auto& [term, stride] : terms) EXPECT_TRUE(digits.Accumulate(form, term, stride));
  return form;
}

TEST(DigitsTest, SplitsReachFormsThatWereMadeBefore) {
  Digits digits;
  const LinearIndex f = digits.Count(1024);
  const LinearIndex before = Sum(digits, 5, {{f, 16}});
  const auto division = digits.Divide(f, 32, {});
  ASSERT_TRUE(division.has_value());
  // Now f is 32 * quotient + rest.
  const LinearIndex again = Sum(digits, 5, {{division->quotient, 512}, {division->rest, 16}});
  EXPECT_EQ(digits.Normalised(before), digits.Normalised(again));
  EXPECT_EQ(digits.BoundsOf(division->rest), (Bounds{0, 31}));
}

TEST(DigitsTest, DividesOnlyWhatIsExact) {
  Digits digits;
  EXPECT_FALSE(digits.Divide(digits.Count(7), 2, {}).has_value());
  const LinearIndex below = digits.Count(7);
  const auto division = digits.Divide(below, 8, {});
  ASSERT_TRUE(division.has_value());
  EXPECT_EQ(division->quotient, LinearIndex());
  EXPECT_EQ(division->rest, below);
}

TEST(DigitsTest, SolvesForTheDigitsOfAnotherForm) {
  Digits digits;
  const LinearIndex row = digits.Count(34), column = digits.Count(34), channel = digits.Count(3);
  const LinearIndex written = Sum(digits, 0, {{row, 102}, {column, 3}, {channel, 1}});
  const LinearIndex y = digits.Count(32), ky = digits.Count(3), x = digits.Count(32),
                    kx = digits.Count(3);
  const LinearIndex c = digits.Count(3);
  const LinearIndex read = Sum(digits, 0, {{y, 102}, {ky, 102}, {x, 3}, {kx, 3}, {c, 1}});
  const auto solution = digits.Solve(written, read, {});
  ASSERT_TRUE(solution.has_value());
  EXPECT_EQ(solution->at(row.terms[0].first), Sum(digits, 0, {{y, 1}, {ky, 1}}));
  EXPECT_EQ(solution->at(column.terms[0].first), Sum(digits, 0, {{x, 1}, {kx, 1}}));
  EXPECT_EQ(solution->at(channel.terms[0].first), c);
}

TEST(DigitsTest, SolvesBackwardsAndRefusesWhatIsOutside) {
  Digits digits;
  const LinearIndex i = digits.Count(8);
  const LinearIndex reversed = Sum(digits, 7, {{i, -1}});
  const LinearIndex j = digits.Count(8);
  const auto solution = digits.Solve(reversed, j, {});
  ASSERT_TRUE(solution.has_value());
  EXPECT_EQ(solution->at(i.terms[0].first), Sum(digits, 7, {{j, -1}}));
  // One element past the end; then not, because a condition excludes it.
  const LinearIndex shifted = Sum(digits, 1, {{j, 1}});
  EXPECT_FALSE(digits.Solve(i, shifted, {}).has_value());
  EXPECT_TRUE(digits.Solve(i, shifted, {{j.terms[0].first, {0, 6}}}).has_value());
}

TEST(DigitsTest, RefusesToSolveWhatIsWrittenTwice) {
  Digits digits;
  const LinearIndex i = digits.Count(4), j = digits.Count(4), k = digits.Count(4);
  EXPECT_FALSE(digits.IsInjective(Sum(digits, 0, {{i, 1}, {j, 1}})));
  EXPECT_FALSE(digits.Solve(Sum(digits, 0, {{i, 1}, {j, 1}}), k, {}).has_value());
  EXPECT_TRUE(digits.IsInjective(Sum(digits, 0, {{i, 1}, {j, 4}})));
}

TEST(DigitsTest, TellsDisjointForms) {
  Digits digits;
  const LinearIndex i = digits.Count(10), j = digits.Count(3), k = digits.Count(5);
  // Rows of eight: the first three elements, and the last five.
  const LinearIndex first = Sum(digits, 0, {{i, 8}, {j, 1}});
  const LinearIndex last = Sum(digits, 3, {{i, 8}, {k, 1}});
  EXPECT_TRUE(digits.AreDisjoint(first, last));
  EXPECT_FALSE(digits.AreDisjoint(first, Sum(digits, 2, {{i, 8}, {k, 1}})));
}

TEST(DigitsTest, TellsWhereFormsAreEqualOnlyInOneIteration) {
  Digits digits;
  const LinearIndex i = digits.Count(10), j = digits.Count(3), k = digits.Count(5);
  const std::vector<int> loop = {i.terms[0].first};
  const LinearIndex a = Sum(digits, 0, {{i, 8}, {j, 1}});
  EXPECT_TRUE(digits.EqualOnlyAtSame(a, Sum(digits, 0, {{i, 8}, {k, 1}}), loop));
  EXPECT_FALSE(digits.EqualOnlyAtSame(a, Sum(digits, 8, {{i, 8}, {k, 1}}), loop));
  EXPECT_FALSE(digits.EqualOnlyAtSame(a, Sum(digits, 0, {{i, 7}, {k, 1}}), loop));
  EXPECT_FALSE(digits.EqualOnlyAtSame(j, k, loop));
}

TEST(FormBuilderTest, QuotientsOfQuotientsMultiplyTheirDivisors) {
  Context context;
  Arena arena;
  NodeBuilder builder(context, arena);
  const Var* i = builder.NewVar("i", DataType::Int(32));
  const Expr* sum = builder.New<Add>(SourceRange(), i, builder.Int(1));
  const Expr* half = builder.New<FloorDiv>(SourceRange(), sum, builder.Int(2));
  const Expr* quarter = builder.New<FloorDiv>(SourceRange(), half, builder.Int(2));
  Digits digits;
  FormBuilder forms(digits);
  forms.Define(i, digits.Count(15));
  // A condition says that i + 1 is a multiple of 2, and another one that half of it is.
  const LinearIndex lane;
  forms.multiples.push_back({*forms.Evaluate(sum, lane, {}), 2});
  forms.multiples.push_back({*forms.Evaluate(half, lane, {}), 2});
  const std::optional<LinearIndex> form = forms.Evaluate(quarter, lane, {});
  ASSERT_TRUE(form.has_value());
  EXPECT_EQ(form->divisor, 4);
  EXPECT_EQ(form->offset, 1);
}

TEST(FormBuilderTest, AnyConditionMayMakeAQuotientExact) {
  Context context;
  Arena arena;
  NodeBuilder builder(context, arena);
  const Var* i = builder.NewVar("i", DataType::Int(32));
  const Var* j = builder.NewVar("j", DataType::Int(32));
  const auto quotient = [&](const Var* var, int64_t divisor) {
    return builder.New<FloorDiv>(SourceRange(), var, builder.Int(divisor));
  };
  Digits digits;
  FormBuilder forms(digits);
  forms.Define(i, digits.Count(7));
  forms.Define(j, digits.Count(7));
  const LinearIndex lane;
  const LinearIndex of_i = *forms.Evaluate(i, lane, {});
  const LinearIndex of_j = *forms.Evaluate(j, lane, {});
  // j is a multiple of 3, and i of 3 and 4.
  forms.multiples = {{of_j, 3}, {of_i, 3}, {of_i, 4}};
  for (const int64_t divisor : {2, 3, 4}) {
    const auto form = forms.Evaluate(quotient(i, divisor), lane, {});
    ASSERT_TRUE(form.has_value()) << divisor;
    EXPECT_EQ(form->divisor, divisor);
    const Expr* rest = builder.New<FloorMod>(SourceRange(), i, builder.Int(divisor));
    EXPECT_EQ(forms.Evaluate(rest, lane, {}), LinearIndex()) << divisor;
  }
  EXPECT_FALSE(forms.Evaluate(quotient(i, 5), lane, {}).has_value());
  EXPECT_FALSE(forms.Evaluate(quotient(j, 2), lane, {}).has_value());
}

}  // namespace
}  // namespace tenon
