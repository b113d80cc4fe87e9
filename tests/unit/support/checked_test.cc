#include "support/checked.h"

#include <gtest/gtest.h>

#include <vector>

namespace tenon {
namespace {

using Shape = std::vector<int64_t>;

TEST(CheckedTest, AddAndMultiplyStopAtTheEndsOfInt64) {
  EXPECT_EQ(CheckedAdd(2, 3), 5);
  EXPECT_EQ(CheckedAdd(INT64_MAX, 0), INT64_MAX);
  EXPECT_EQ(CheckedAdd(INT64_MAX, 1), std::nullopt);
  EXPECT_EQ(CheckedAdd(INT64_MIN, -1), std::nullopt);
  EXPECT_EQ(CheckedMul(-4, 5), -20);
  EXPECT_EQ(CheckedMul(int64_t{1} << 32, int64_t{1} << 31), std::nullopt);
  EXPECT_EQ(CheckedMul(INT64_MIN, -1), std::nullopt);
}

TEST(CheckedTest, AlignUpTakesPowersOfTwoOnly) {
  EXPECT_EQ(CheckedAlignUp(0, 16), 0);
  EXPECT_EQ(CheckedAlignUp(1, 16), 16);
  EXPECT_EQ(CheckedAlignUp(16, 16), 16);
  EXPECT_EQ(CheckedAlignUp(17, 1), 17);
  EXPECT_EQ(CheckedAlignUp(5, 12), std::nullopt);
  EXPECT_EQ(CheckedAlignUp(5, 0), std::nullopt);
  EXPECT_EQ(CheckedAlignUp(-5, 8), std::nullopt);
  EXPECT_EQ(CheckedAlignUp(INT64_MAX - 3, 8), std::nullopt);
}

TEST(CheckedTest, PowersOfTwo) {
  EXPECT_TRUE(IsPowerOfTwo(1));
  EXPECT_TRUE(IsPowerOfTwo(kSizeLimit));
  for (int64_t value : {int64_t{0}, int64_t{-2}, int64_t{3}, INT64_MIN}) {
    EXPECT_FALSE(IsPowerOfTwo(value)) << value;
  }
}

TEST(CheckedTest, ProductOfShapes) {
  EXPECT_EQ(ProductOf({}), 1);
  EXPECT_EQ(ProductOf(Shape{2, 3, 4}), 24);
  EXPECT_EQ(ProductOf(Shape{2, -3}), std::nullopt);
  EXPECT_EQ(ProductOf(Shape{kSizeLimit - 1}), kSizeLimit - 1);
  EXPECT_EQ(ProductOf(Shape{kSizeLimit}), std::nullopt);
  EXPECT_EQ(ProductOf(Shape{int64_t{1} << 31, int64_t{1} << 31}), std::nullopt);
  EXPECT_EQ(ProductOf(Shape{int64_t{1} << 31, (int64_t{1} << 31) - 1}),
            (int64_t{1} << 62) - (int64_t{1} << 31));
  // The shape is empty, so the product of the other extents does not matter, in any order.
  EXPECT_EQ(ProductOf(Shape{int64_t{1} << 61, int64_t{1} << 61, 0}), 0);
  EXPECT_EQ(ProductOf(Shape{0, -1}), std::nullopt);
}

TEST(CheckedTest, BytesOfShapes) {
  EXPECT_EQ(BytesOf(Shape{3, 5}, 4), 60);
  EXPECT_EQ(BytesOf(Shape{int64_t{1} << 61}, 2), std::nullopt);
  EXPECT_EQ(BytesOf(Shape{int64_t{1} << 60}, 2), int64_t{1} << 61);
  EXPECT_EQ(BytesOf(Shape{1}, -1), std::nullopt);
}

}  // namespace
}  // namespace tenon
