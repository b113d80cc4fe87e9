#include "compile/load_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tenon {
namespace {

TEST(LoadOptionsTest, PromotionIsBytesAndAPool) {
  const auto bytes = ParsePromotion("20000");
  ASSERT_TRUE(bytes.ok());
  EXPECT_EQ(bytes->budget, 20000);
  EXPECT_EQ(bytes->pool, "");
  const auto both = ParsePromotion("0:sram");
  ASSERT_TRUE(both.ok());
  EXPECT_EQ(both->budget, 0);
  EXPECT_EQ(both->pool, "sram");
  const auto all = ParsePromotion("all:sram");
  ASSERT_TRUE(all.ok());
  EXPECT_EQ(all->budget, -1);
  const auto kibibytes = ParsePromotion("2K:sram");
  ASSERT_TRUE(kibibytes.ok());
  EXPECT_EQ(kibibytes->budget, 2048);
}

TEST(LoadOptionsTest, CompressionIsACodecARatioAndAPool) {
  const auto codec = ParseCompression("lz4");
  ASSERT_TRUE(codec.ok());
  EXPECT_EQ(codec->codec, "lz4");
  EXPECT_EQ(codec->min_ratio, 1.25);
  const auto all = ParseCompression("zstd:1e3:sram");
  ASSERT_TRUE(all.ok());
  EXPECT_EQ(all->min_ratio, 1000);
  EXPECT_EQ(all->pool, "sram");
}

TEST(LoadOptionsTest, InvalidValuesAreErrors) {
  for (const char* text : {"", ":", "-1", "+1", " 1", "1 ", "1kb", "0x", "99999999999999999999",
                           "1:", "all:", "ALL", "1:a:b", "1:a;b", "1:a\"b"}) {
    EXPECT_FALSE(ParsePromotion(text).ok()) << text;
  }
  for (const char* text : {"", "gzip", "LZ4", "lz4:", "lz4:0.99", "lz4:-2", "lz4:inf", "lz4:nan",
                           "lz4:1000001", "lz4:2x", "lz4::sram", "lz4:2:", "lz4:2:a:b"}) {
    EXPECT_FALSE(ParseCompression(text).ok()) << text;
  }
}

}  // namespace
}  // namespace tenon
