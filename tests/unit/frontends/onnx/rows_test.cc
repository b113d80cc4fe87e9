#include "frontends/onnx/rows.h"

#include <gtest/gtest.h>

#include <string>

namespace tenon::onnx {
namespace {

TEST(RowsTest, VersionsOfAnOperatorHaveTheirOwnRows) {
  const OperatorRow* old = FindRow("", "Softmax", 12);
  const OperatorRow* current = FindRow("", "Softmax", 13);
  ASSERT_NE(old, nullptr);
  ASSERT_NE(current, nullptr);
  EXPECT_NE(old, current);
  EXPECT_EQ(FindRow("", "Softmax", kLastVersion), current);
}

TEST(RowsTest, OperatorsAreThereFromTheirFirstVersionOn) {
  EXPECT_EQ(FindRow("", "LayerNormalization", 16), nullptr);
  EXPECT_NE(FindRow("", "LayerNormalization", 17), nullptr);
  EXPECT_EQ(FindRow("", "Upsample", 10), nullptr);
  EXPECT_TRUE(HasAnyRow("", "Upsample"));
  EXPECT_EQ(FindRow("com.example", "Softmax", 13), nullptr);
  EXPECT_FALSE(HasAnyRow("com.example", "Softmax"));
}

}  // namespace
}  // namespace tenon::onnx
