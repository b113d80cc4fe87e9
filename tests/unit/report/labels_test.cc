#include "report/labels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace tenon {
namespace {

using ::testing::ElementsAre;

std::vector<ReportStep> StepsOf(const std::vector<std::string>& labels) {
  std::vector<ReportStep> steps;
  int64_t tick = 0;
  for (const std::string& label : labels) {
    steps.push_back({label, {tick, tick + 1}, 0});
    ++tick;
  }
  return steps;
}

std::vector<std::string> Shortened(const std::vector<std::string>& labels, LabelForm form) {
  const ShortLabels shortened(StepsOf(labels), form);
  std::vector<std::string> result;
  for (const std::string& label : labels) result.push_back(shortened.Of(label));
  return result;
}

TEST(ShortLabelsTest, OmitsTheCommonPrefix) {
  EXPECT_THAT(Shortened({"net_fused_conv", "net_fused_pool"}, {}), ElementsAre("conv", "pool"));
  EXPECT_THAT(Shortened({"net_fused_conv", "net_fused_conv_1"}, {}), ElementsAre("conv", "conv_1"));
  EXPECT_THAT(Shortened({"net_conv"}, {}), ElementsAre("net_conv"));
  EXPECT_THAT(Shortened({"net_conv", "net_conv"}, {}), ElementsAre("net_conv", "net_conv"));
}

TEST(ShortLabelsTest, KeepsBothEndsAndTheNumber) {
  const std::string name = "conv2d_add_fixed_point_multiply_add_clip_cast_subtract";
  EXPECT_THAT(Shortened({"p_" + name, "p_" + name + "_13", "p_pool"}, {.most = 30}),
              ElementsAre("conv2d_add...cast_subtract", "conv2d_add...cast_subtract #13", "pool"));
}

TEST(ShortLabelsTest, KeepsFourDigitsOfAHash) {
  EXPECT_THAT(Shortened({"p_conv2d_add_fixed_point_multiply_per_axis_cc9246e62aa5afb_", "p_b"},
                        {.most = 30}),
              ElementsAre("conv2d_add...per_axis #cc92", "b"));
}

TEST(ShortLabelsTest, CutsStatementsAtTheirEnd) {
  EXPECT_THAT(Shortened({"for i, j, k in T.grid(100, 200, 300):", "x"}, {.most = 20}),
              ElementsAre("for i, j, k in T....", "x"));
}

TEST(ShortLabelsTest, KeepsWholeNamesWithoutALimit) {
  EXPECT_THAT(Shortened({"net_conv", "net_pool"}, {.most = SIZE_MAX}),
              ElementsAre("net_conv", "net_pool"));
}

TEST(ShortLabelsTest, TellsNamesApartWhoseEndsAgree) {
  const std::string start(40, 'a');
  const std::string end(40, 'z');
  std::vector<std::string> labels = {"q"};
  for (char c = 'b'; c < 'm'; ++c) labels.push_back(start + c + end);
  // Forms that others would get are taken.
  labels.push_back("aaaaaaaa...zzzzzzzzz");
  // Only a byte in the middle differs, next to UTF-8.
  for (const char* middle : {"\u00e4", "\u00f6", "\u00fc"}) labels.push_back(start + middle + end);
  for (const size_t most : {10U, 20U, 21U, 22U, 30U}) {
    const std::vector<std::string> forms = Shortened(labels, {.most = most});
    EXPECT_EQ(std::set<std::string>(forms.begin(), forms.end()).size(), labels.size()) << most;
    for (const std::string& form : forms) EXPECT_LE(form.size(), most + 12) << form;
  }
}

TEST(ShortLabelsTest, CutsBetweenCharacters) {
  std::string umlauts;
  for (int i = 0; i < 60; ++i) umlauts += "\u00e4";
  for (size_t most = 8; most < 40; ++most) {
    for (const std::string& form : Shortened({umlauts, umlauts + "b"}, {.most = most})) {
      size_t inner = 0;
      size_t first = 0;
      for (const char c : form) {
        if ((static_cast<unsigned char>(c) & 0xC0) == 0x80) ++inner;
        if ((static_cast<unsigned char>(c) & 0xC0) == 0xC0) ++first;
      }
      EXPECT_EQ(inner, first) << form;
    }
  }
}

TEST(ShortLabelsTest, ListsWhatChanged) {
  const ShortLabels labels(StepsOf({"a_x", "a_y", "a_x"}), {});
  EXPECT_THAT(labels.changed(), ElementsAre(std::pair("a_x", "x"), std::pair("a_y", "y")));
}

}  // namespace
}  // namespace tenon
