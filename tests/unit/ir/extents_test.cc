#include "ir/extents.h"

#include <gtest/gtest.h>

#include "ir/builder.h"
#include "support/checked.h"

namespace tenon {
namespace {

class ExtentsTest : public testing::Test {
 protected:
  Span<const Expr*> Extents(const std::vector<int64_t>& values) {
    std::vector<const Expr*> extents;
    for (const int64_t value : values) extents.push_back(b.Int(DataType::Int(64), value));
    return arena.Copy(Span<const Expr*>(extents.data(), extents.size()));
  }
  std::optional<int64_t> Bytes(DataType dtype, const std::vector<int64_t>& extents) {
    return StaticBytes(dtype, Extents(extents));
  }
  Buffer BufferOf(const std::vector<int64_t>& shape, const std::vector<int64_t>& strides,
                  int64_t offset = 0) {
    Buffer buffer(Symbol(), nullptr, DataType::Float(32), Extents(shape), b.Int(offset));
    buffer.strides = Extents(strides);
    return buffer;
  }

  Context context;
  Arena arena;
  NodeBuilder b{context, arena};
  const Var* n = b.NewVar("n", DataType::Int(64));
};

TEST_F(ExtentsTest, MultipliesConstantExtents) {
  EXPECT_EQ(StaticCount(Extents({3, 5})), 15);
  EXPECT_EQ(StaticCount(Extents({})), 1);
  EXPECT_EQ(Bytes(DataType::Float(32), {3, 5}), 60);
  EXPECT_EQ(Bytes(DataType::Int(64), {}), 8);
}

TEST_F(ExtentsTest, DoesNotKnowAVariableExtent) {
  const Expr* const extents[] = {b.Int(0), n};
  EXPECT_EQ(StaticShape(extents), std::nullopt);
  EXPECT_EQ(StaticCount(extents), std::nullopt);
  EXPECT_EQ(StaticBytes(DataType::Int(8), extents), std::nullopt);
}

TEST_F(ExtentsTest, DoesNotKnowANegativeExtent) {
  EXPECT_EQ(StaticShape(Extents({-2, -3})), (std::vector<int64_t>{-2, -3}));
  // The product of two negative extents is positive, but is not a size.
  EXPECT_EQ(StaticCount(Extents({-2, -3})), std::nullopt);
  EXPECT_EQ(Bytes(DataType::Int(8), {-2, -3}), std::nullopt);
  EXPECT_EQ(Bytes(DataType::Int(8), {0, -3}), std::nullopt);
}

TEST_F(ExtentsTest, DoesNotKnowASizeBeyondTheLimit) {
  constexpr int64_t kHalf = int64_t{1} << 31;
  EXPECT_EQ(Bytes(DataType::Int(8), {kHalf, kHalf - 1}), kHalf * (kHalf - 1));
  EXPECT_EQ(StaticCount(Extents({kHalf, kHalf})), std::nullopt);
  EXPECT_EQ(Bytes(DataType::Int(16), {kHalf, kHalf / 2 - 1}), kHalf * (kHalf - 2));
  EXPECT_EQ(Bytes(DataType::Int(16), {kHalf, kHalf / 2}), std::nullopt);
  // 2^66 bytes would wrap to 0.
  EXPECT_EQ(Bytes(DataType::Int(32), {kHalf * 2, kHalf * 2, 1}), std::nullopt);
  EXPECT_EQ(Bytes(DataType::Int(8), {kSizeLimit}), std::nullopt);
}

TEST_F(ExtentsTest, AZeroExtentWinsOverTheOthers) {
  constexpr int64_t kLarge = kSizeLimit - 1;
  EXPECT_EQ(StaticCount(Extents({kLarge, kLarge, 0})), 0);
  EXPECT_EQ(Bytes(DataType::Int(64), {0, kLarge, kLarge}), 0);
}

TEST_F(ExtentsTest, CountsWholeBytesOfEachLane) {
  EXPECT_EQ(Bytes(DataType::Bool(), {3}), 3);
  EXPECT_EQ(Bytes(DataType::Int(4), {3}), 3);
  EXPECT_EQ(Bytes(DataType::Int(4, 8), {3}), 24);
  EXPECT_EQ(Bytes(DataType::Float(32, 4), {3}), 48);
  EXPECT_EQ(Bytes(DataType::Handle(), {3}), 24);
}

TEST_F(ExtentsTest, DoesNotKnowDTypesWithoutAConstantSize) {
  EXPECT_EQ(Bytes(DataType::Void(), {3}), std::nullopt);
  EXPECT_EQ(Bytes(DataType::Float(32, -4), {3}), std::nullopt);
  EXPECT_EQ(Bytes(DataType::Float(32, -4), {0}), std::nullopt);
}

TEST_F(ExtentsTest, FindsTheShapeOfACompactBuffer) {
  const std::vector<int64_t> shape = {2, 1, 3};
  EXPECT_EQ(CompactShape(BufferOf(shape, {})), shape);
  EXPECT_EQ(CompactShape(BufferOf(shape, {3, 3, 1})), shape);
  EXPECT_EQ(CompactShape(BufferOf(shape, {3, 99, 1})), shape) << "a stride that nothing takes";
  EXPECT_EQ(CompactShape(BufferOf(shape, {4, 3, 1})), std::nullopt);
  EXPECT_EQ(CompactShape(BufferOf(shape, {}, /*offset=*/1)), std::nullopt);
  EXPECT_EQ(CompactShape(BufferOf({2, -3}, {})), std::nullopt);
}

}  // namespace
}  // namespace tenon
