#include "lowering/blob.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lowering/image/image_layout.h"

namespace tenon {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

BlobPart Bytes(std::vector<uint8_t> bytes, int64_t offset) {
  auto owner = std::make_shared<const std::vector<uint8_t>>(std::move(bytes));
  return PartOf(*owner, owner, offset);
}

BlobPart Splat(uint16_t element, int64_t bytes, int64_t offset) {
  BlobPart part;
  part.offset = offset;
  part.size_bytes = bytes;
  part.dtype = DataType::UInt(16);
  part.element = element;
  return part;
}

TEST(BlobTest, SettleSortsAndFillsWithZeros) {
  Blob blob;
  blob.size_bytes = 8;
  blob.parts = {Bytes({5, 6}, 5), Bytes({1, 2}, 0)};
  ASSERT_TRUE(Settle(blob).ok());
  EXPECT_THAT(BlobBytes(blob), ElementsAre(1, 2, 0, 0, 0, 5, 6, 0));
}

TEST(BlobTest, EqualPartsAreStoredOnce) {
  Blob blob;
  blob.size_bytes = 6;
  blob.parts = {Bytes({1, 2, 3, 4}, 0), Bytes({2, 3}, 1), Bytes({3, 4, 5, 6}, 2)};
  ASSERT_TRUE(Settle(blob).ok());
  EXPECT_EQ(blob.parts.size(), 2u);
  EXPECT_THAT(BlobBytes(blob), ElementsAre(1, 2, 3, 4, 5, 6));
}

TEST(BlobTest, SplatsAgreeWithBytesAtAnyPhase) {
  Blob blob;
  blob.size_bytes = 7;
  blob.parts = {Bytes({0, 1, 2}, 0), Splat(0x0102, 6, 1)};
  ASSERT_FALSE(Settle(blob).ok());  // 2 1 2 1 ..., not 1 2
  blob.parts = {Bytes({0, 2, 1, 2}, 0), Splat(0x0102, 6, 1)};
  ASSERT_TRUE(Settle(blob).ok());
  EXPECT_THAT(BlobBytes(blob), ElementsAre(0, 2, 1, 2, 1, 2, 1));
}

TEST(BlobTest, RefusesPartsThatDifferOrLieOutside) {
  Blob blob;
  blob.name = "pool";
  blob.size_bytes = 4;
  blob.parts = {Bytes({1, 2}, 0), Bytes({3}, 1)};
  EXPECT_THAT(std::string(Settle(blob).message()), HasSubstr("overlap in `pool`, and differ"));
  for (const int64_t offset : {int64_t{-1}, int64_t{3}, INT64_MAX}) {
    blob.parts = {Bytes({1, 2}, offset)};
    EXPECT_THAT(std::string(Settle(blob).message()), HasSubstr("lies outside of the 4 bytes"));
  }
}

TEST(BlobTest, NamesOfKindsRoundTrip) {
  for (const std::string_view name : ConstantStorageNames())
    EXPECT_EQ(ConstantStorageNames()[static_cast<size_t>(*ParseConstantStorage(name))], name);
  EXPECT_FALSE(ParseConstantStorage("rom"));
}

TEST(ImageLayoutTest, SectionsInOrderOfTheirFirstBlob) {
  std::vector<Blob> blobs(3);
  const char* sections[] = {".a", ".b", ".a"};
  for (size_t i = 0; i < 3; ++i) {
    blobs[i].section = sections[i];
    blobs[i].size_bytes = 3;
    blobs[i].alignment = 8;
    blobs[i].parts = {Bytes({1, 2, 3}, 0)};
  }
  blobs[1].alignment = 32;
  const absl::StatusOr<ImageLayout> layout = LayOutImage(blobs);
  ASSERT_TRUE(layout.ok());
  ASSERT_EQ(layout->sections.size(), 2u);
  EXPECT_EQ(layout->sections[0].size_bytes, 11);
  EXPECT_EQ(layout->sections[1].offset, 32);
  EXPECT_EQ(layout->size_bytes, 35);
  std::string bytes;
  ASSERT_TRUE(StreamImage(*layout, [&](std::string_view piece) {
                bytes += piece;
                return absl::OkStatus();
              }).ok());
  ASSERT_EQ(bytes.size(), 35u);
  EXPECT_EQ(bytes.substr(8, 3), "\1\2\3");
  EXPECT_EQ(bytes.substr(32), "\1\2\3");
}

TEST(ImageLayoutTest, MoreBytesThanAFileIsAnError) {
  std::vector<Blob> blobs(3);
  for (Blob& blob : blobs) {
    blob.section = ".a";
    blob.size_bytes = int64_t{1} << 60;
  }
  EXPECT_FALSE(LayOutImage(blobs).ok());
}

}  // namespace
}  // namespace tenon
