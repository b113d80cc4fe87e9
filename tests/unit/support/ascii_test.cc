#include "support/ascii.h"

#include <gtest/gtest.h>

namespace tenon {
namespace {

TEST(AsciiTest, ClassesEndAtTheirEnds) {
  for (const char c : {'0', '9'}) EXPECT_TRUE(ascii::IsDigit(c)) << c;
  for (const char c : {'/', ':', 'a', '\0'}) EXPECT_FALSE(ascii::IsDigit(c)) << c;
  for (const char c : {'a', 'z', 'A', 'Z'}) EXPECT_TRUE(ascii::IsLetter(c)) << c;
  for (const char c : {'`', '{', '@', '[', '0', '\xe4'}) EXPECT_FALSE(ascii::IsLetter(c)) << c;
  EXPECT_TRUE(ascii::IsWordCharacter('_'));
  EXPECT_FALSE(ascii::IsLetterOrDigit('_'));
}

TEST(AsciiTest, IdentifiersAreNamesInC) {
  for (const char* name : {"x", "_", "T1", "_9"}) EXPECT_TRUE(ascii::IsIdentifier(name)) << name;
  for (const char* name : {"", "9x", "a-b", "a.b", "a b"})
    EXPECT_FALSE(ascii::IsIdentifier(name)) << name;
}

TEST(AsciiTest, WordsReplaceOtherCharacters) {
  EXPECT_EQ(ascii::AsWord("conv2d/add:0"), "conv2d_add_0");
  EXPECT_EQ(ascii::AsWord("2x"), "_2x");
  EXPECT_EQ(ascii::AsWord(""), "");
}

}  // namespace
}  // namespace tenon
