// The rows that operators read, derived from their accesses.

#include "passes/streaming/row_operator.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "fmt/format.h"
#include "parser/parser.h"
#include "support/diagnostics.h"

namespace tenon {
namespace {

/// Keeps a module alive with the rows of its only function.
class Rows {
 public:
  /// `lines` are the statements of a function that computes q from p.
  Rows(int64_t p, int64_t q, const std::string& lines, std::string_view dtype = "int8") {
    const std::string text = fmt::format(
        "# from tvm.script import tir as T\n@T.prim_func\ndef f(p: T.Buffer(({},), \"{}\"), q: "
        "T.Buffer(({},), \"{}\")):\n    T.func_attr({{\"tir.noalias\": T.bool(True)}})\n{}",
        p, dtype, q, dtype, lines);
    Diagnostics diagnostics;
    module_ = ParseModule(context_, "f.py", text, nullptr, {}, diagnostics);
    EXPECT_TRUE(module_.has_value()) << text;
  }

  int64_t natural() { return operators_.NaturalRows(module_->functions()[0]); }
  const RowOperator* With(int64_t rows) { return operators_.Find(module_->functions()[0], rows); }
  /// `stride * y + first, count rows of n` for the window with these rows.
  std::string Window(int64_t rows, int64_t row_elements) {
    const RowOperator* found = With(rows);
    if (found == nullptr) return "no rows";
    const RowWindow* window = found->reads.at(0).WithRows(row_elements);
    if (window == nullptr) return "no window";
    return fmt::format("{} * y + {}, {} rows", window->stride, window->first, window->count);
  }

 private:
  Context context_;
  std::optional<IRModule> module_;
  RowOperators operators_{context_};
};

constexpr std::string_view kPadded = R"(
    for y, x in T.grid({}, 8):
        q[y * 8 + x] = T.int8(0)
        for ky, kx in T.grid(3, 3):
            if y * {} + ky * {} >= 1 and y * {} + ky * {} < 17 and x + kx >= 1 and x + kx < 9:
                q[y * 8 + x] = q[y * 8 + x] + p[(y * {} + ky * {} - 1) * 8 + x + kx - 1] * T.int8(3)
)";

std::string Padded(int rows, int stride, int dilation) {
  return fmt::format(fmt::runtime(kPadded), rows, stride, dilation, stride, dilation, stride,
                     dilation);
}

TEST(RowOperators, KernelsStridesAndDilations) {
  EXPECT_EQ(Rows(128, 128, Padded(16, 1, 1)).Window(16, 8), "1 * y + -1, 3 rows");
  EXPECT_EQ(Rows(128, 64, Padded(8, 2, 1)).Window(8, 8), "2 * y + -1, 3 rows");
  EXPECT_EQ(Rows(128, 128, Padded(16, 1, 2)).Window(16, 8), "1 * y + -1, 5 rows");
  EXPECT_EQ(Rows(128, 128, Padded(16, 1, 1)).natural(), 16);
}

TEST(RowOperators, PadsOfIntegersHaveAValue) {
  Rows rows(128, 128, Padded(16, 1, 1));
  const RowWindow* window = rows.With(16)->reads[0].WithRows(8);
  ASSERT_NE(window, nullptr);
  EXPECT_EQ(window->pad, 0);
  EXPECT_EQ(window->implied.size(), 2U);
  ASSERT_EQ(rows.With(16)->limits.size(), 2U);
  EXPECT_EQ(rows.With(16)->limits[0].first, 1);
  EXPECT_EQ(rows.With(16)->limits[1].last, 14);
}

TEST(RowOperators, ConditionsThatSkipRowsOfTheOperandStay) {
  // Row 0 exists, but is not read: a pad of zeros would not replace the condition.
  Rows rows(128, 128, R"(
    for y, x in T.grid(16, 8):
        q[y * 8 + x] = T.int8(0)
        for ky in range(2):
            if y + ky >= 1 and y + ky < 16:
                q[y * 8 + x] = q[y * 8 + x] + p[(y + ky) * 8 + x] * T.int8(3)
)");
  const RowWindow* window = rows.With(16)->reads[0].WithRows(8);
  ASSERT_NE(window, nullptr);
  EXPECT_EQ(window->implied.size(), 1U);
}

TEST(RowOperators, FloatsHaveNoPadValue) {
  Rows rows(128, 128, R"(
    for y, x in T.grid(16, 8):
        q[y * 8 + x] = T.float32(0)
        for ky in range(3):
            if y + ky >= 1 and y + ky < 17:
                q[y * 8 + x] = q[y * 8 + x] + p[(y + ky - 1) * 8 + x] * T.float32(3)
)",
            "float32");
  // -0.0 + 0.0 is another number than -0.0.
  EXPECT_FALSE(rows.With(16)->reads[0].WithRows(8)->pad.has_value());
}

TEST(RowOperators, FusedLoopsSplitIntoRows) {
  Rows rows(128, 128, R"(
    for yx in range(128):
        q[yx] = p[yx // 8 * 8 + 7 - yx % 8]
)");
  EXPECT_EQ(rows.natural(), 16);
  EXPECT_EQ(rows.Window(16, 8), "1 * y + 0, 1 rows");
  EXPECT_EQ(rows.With(16)->nests[0].steps, 8);
}

TEST(RowOperators, UpsamplingHasRowsOfTwo) {
  Rows rows(64, 128, R"(
    for y, x in T.grid(16, 8):
        q[y * 8 + x] = p[y // 2 * 8 + x]
)");
  EXPECT_EQ(rows.natural(), 8);
  EXPECT_EQ(rows.With(8)->row_elements, 16);
  EXPECT_EQ(rows.Window(8, 8), "1 * y + 0, 1 rows");
}

TEST(RowOperators, SumsOverRowsAccumulate) {
  Rows rows(128, 8, R"(
    for y, x in T.grid(16, 8):
        q[x] = q[x] + p[y * 8 + x]
)");
  ASSERT_NE(rows.With(16), nullptr);
  EXPECT_TRUE(rows.With(16)->accumulates);
}

TEST(RowOperators, OtherAccessesHaveNoRows) {
  // Rows are stored backwards, a store goes to another row, and an index depends on data.
  EXPECT_EQ(Rows(128, 128, "    for y, x in T.grid(16, 8):\n        q[(15 - y) * 8 + x] = p[x]\n")
                .With(16),
            nullptr);
  EXPECT_EQ(
      Rows(128, 136, "    for y, x in T.grid(16, 9):\n        q[y * 8 + x] = p[y * 8]\n").With(16),
      nullptr);
  Rows gather(128, 128,
              "    for y, x in T.grid(16, 8):\n        q[y * 8 + x] = p[T.Cast(\"int32\", p[y * 8 "
              "+ x]) + 64]\n");
  EXPECT_TRUE(gather.With(16)->reads[0].windows.empty());
}

}  // namespace
}  // namespace tenon
