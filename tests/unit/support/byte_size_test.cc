#include "support/byte_size.h"

#include <gtest/gtest.h>

namespace tenon {
namespace {

TEST(ByteSizeTest, ReadsNumbersAndUnits) {
  EXPECT_EQ(ParseByteSize("0"), 0);
  EXPECT_EQ(ParseByteSize("65536"), 65536);
  EXPECT_EQ(ParseByteSize("0x10000"), 65536);
  EXPECT_EQ(ParseByteSize("0xfK"), 15 * 1024);
  for (const char* text : {"64K", "64k", "64Ki", "64KiB"}) EXPECT_EQ(ParseByteSize(text), 65536);
  for (const char* text : {"1M", "1m", "1Mi", "1MiB"}) EXPECT_EQ(ParseByteSize(text), 1 << 20);
  EXPECT_EQ(ParseByteSize("3GiB"), int64_t{3} << 30);
  EXPECT_EQ(ParseByteSize("9223372036854775807"), INT64_MAX);
}

TEST(ByteSizeTest, RefusesInvalidSizes) {
  for (const char* text :
       {"", "K", "-1", "+1", " 1", "1 ", "1.5K", "64KB", "64kb", "64iB", "64B", "64KiBs", "64T",
        "0x", "0x-4", "x", "9223372036854775808", "9007199254740992K", "99999999999999999999"})
    EXPECT_EQ(ParseByteSize(text), std::nullopt) << text;
}

TEST(ByteSizeTest, MessageShowsNoControlCharacters) {
  EXPECT_EQ(WrongByteSize("the size", "6\x1b"),
            "the size is `6\\x1b`, expected a size in bytes, such as 65536 or 64K");
}

TEST(ShortRestTest, IsRoundedDown) {
  EXPECT_EQ(ShortRest(1023), "1023 B");
  EXPECT_EQ(ShortRest(2047), "1.9 KiB");
  EXPECT_EQ(ShortRest(2048), "2 KiB");
  EXPECT_EQ(ShortRest((int64_t{4} << 20) - 1), "3.9 MiB");
}

TEST(ShortBytesTest, HasOneDigitAfterThePoint) {
  EXPECT_EQ(ShortBytes(0), "0 B");
  EXPECT_EQ(ShortBytes(1023), "1023 B");
  EXPECT_EQ(ShortBytes(1024), "1 KiB");
  EXPECT_EQ(ShortBytes(261632), "255.5 KiB");
  EXPECT_EQ(ShortBytes(int64_t{2} << 20), "2 MiB");
  EXPECT_EQ(ShortBytes(int64_t{3} << 40), "3072 GiB");
}

}  // namespace
}  // namespace tenon
