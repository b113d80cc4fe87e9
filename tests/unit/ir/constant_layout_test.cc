#include "ir/analysis/constant_layout.h"

#include <gtest/gtest.h>

#include "ir/context.h"

namespace tenon {
namespace {

class ConstantLayoutTest : public testing::Test {
 protected:
  const Constant* Bytes(int64_t size, ConstantPlacement placement = {}) {
    return context_.AddConstant(Symbol(), DataType::UInt(8), {size},
                                std::vector<uint8_t>(static_cast<size_t>(size)), placement);
  }
  const Constant* Slice(const Constant* base, int64_t offset, int64_t size,
                        ConstantPlacement placement = {}) {
    ConstantSource source;
    source.kind = ConstantSource::Kind::kSlice;
    source.base = base;
    source.offset = offset;
    return context_.AddConstant(Symbol(), DataType::UInt(8), {size}, source, placement);
  }

  Context context_;
};

TEST_F(ConstantLayoutTest, OneConstantIsOneBlock) {
  const Constant* a = Bytes(40);
  const Constant* b = Bytes(8);
  const ConstantUse uses[] = {{b, 16}, {a, 16}, {b, 64}, {a, 16, /*group=*/1}};
  const ConstantLayout layout = LayOutConstants(uses);
  ASSERT_EQ(layout.blocks.size(), 3U);
  EXPECT_EQ(layout.blocks[0].data, b);
  EXPECT_EQ(layout.blocks[0].alignment, 64);
  EXPECT_EQ(layout.blocks[1].data, a);
  EXPECT_EQ(layout.places[2].block, 0U);
  EXPECT_EQ(layout.places[1].block, 1U);
  EXPECT_EQ(layout.places[3].block, 2U);
}

TEST_F(ConstantLayoutTest, SlicesLieInTheirBaseWhoeverComesFirst) {
  const Constant* base = Bytes(64);
  const Constant* slice = Slice(base, 32, 8);
  const Constant* of_slice = Slice(slice, 4, 4);
  const ConstantUse uses[] = {{slice, 16}, {of_slice, 4}, {base, 16}};
  const ConstantLayout layout = LayOutConstants(uses);
  ASSERT_EQ(layout.blocks.size(), 1U);
  EXPECT_EQ(layout.blocks[0].size_bytes(), 64);
  EXPECT_EQ(layout.blocks[0].largest_use, 2U);
  EXPECT_EQ(layout.places[0].offset, 32);
  EXPECT_EQ(layout.places[1].offset, 36);
  EXPECT_EQ(layout.places[2].offset, 0);
}

TEST_F(ConstantLayoutTest, OnlyUsedPartsOfABaseAreStored) {
  const Constant* base = Bytes(1 << 20);
  const ConstantUse uses[] = {
      {Slice(base, 4096 + 4, 60), 4}, {Slice(base, 4096 + 32, 64), 32}, {Slice(base, 64, 64), 16}};
  const ConstantLayout layout = LayOutConstants(uses);
  ASSERT_EQ(layout.blocks.size(), 2U);
  // Begins at a multiple of the largest alignment before the first byte, so that all stay aligned.
  EXPECT_EQ(layout.blocks[0].begin, 4096);
  EXPECT_EQ(layout.blocks[0].end, 4096 + 96);
  EXPECT_EQ(layout.blocks[0].alignment, 32);
  EXPECT_EQ(layout.places[0].offset, 4);
  EXPECT_EQ(layout.places[1].offset, 32);
  EXPECT_EQ(layout.blocks[1].begin, 64);
}

TEST_F(ConstantLayoutTest, SlicesThatCannotShareAreApart) {
  const Constant* base = Bytes(64);
  ConstantPlacement elsewhere;
  elsewhere.section = ".fast";
  const Constant* odd = Slice(base, 4, 8);
  const Constant* placed = Slice(base, 16, 8, elsewhere);
  const ConstantUse uses[] = {{base, 16}, {odd, 16}, {placed, 16}};
  const ConstantLayout layout = LayOutConstants(uses);
  ASSERT_EQ(layout.blocks.size(), 3U);
  EXPECT_EQ(layout.blocks[1].data, odd);
  EXPECT_EQ(layout.blocks[2].data, placed);
}

TEST_F(ConstantLayoutTest, NoBytes) {
  const Constant* none = Bytes(0);
  const ConstantUse uses[] = {{none, 16}, {Bytes(4), 16}, {none, 16}};
  const ConstantLayout layout = LayOutConstants(uses);
  EXPECT_EQ(layout.blocks.size(), 2U);
  EXPECT_EQ(layout.places[2].block, layout.places[0].block);
}

TEST_F(ConstantLayoutTest, SlicesMayAskForLessThanOthers) {
  const Constant* base = Bytes(64);
  ConstantPlacement four;
  four.alignment = 4;
  EXPECT_EQ(AlignmentOf(*base, 16), 16);
  EXPECT_EQ(AlignmentOf(*Bytes(8, four), 16), 16);
  EXPECT_EQ(AlignmentOf(*Slice(base, 4, 8), 16), 16);
  EXPECT_EQ(AlignmentOf(*Slice(base, 4, 8, four), 16), 4);
  const Constant* wide =
      context_.AddConstant(Symbol(), DataType::Float(64), {1}, std::vector<uint8_t>(8), four);
  EXPECT_EQ(AlignmentOf(*wide, 1), 8);
}

}  // namespace
}  // namespace tenon
