#include "support/shell_word.h"

#include <gtest/gtest.h>

#include <vector>

namespace tenon {
namespace {

TEST(ShellWord, PlainWordsStayAsTheyAre) {
  EXPECT_EQ(ShellWord("-L/usr/lib/x86_64-linux-gnu"), "-L/usr/lib/x86_64-linux-gnu");
  EXPECT_EQ(ShellWord("a+b=c,d:e@f.o"), "a+b=c,d:e@f.o");
}

TEST(ShellWord, OthersAreQuoted) {
  EXPECT_EQ(ShellWord(""), "''");
  EXPECT_EQ(ShellWord("-L/a b"), "'-L/a b'");
  EXPECT_EQ(ShellWord("x; rm y"), "'x; rm y'");
  EXPECT_EQ(ShellWord("$(id)`id`\"*"), "'$(id)`id`\"*'");
  EXPECT_EQ(ShellWord("it's"), "'it'\\''s'");
  EXPECT_EQ(ShellWord("two\nlines"), "'two lines'");
}

TEST(ShellWord, ACommandHasBlanksBetweenItsWords) {
  const std::vector<std::string> words = {"cc", "-o", "a b"};
  EXPECT_EQ(ShellWords(words), "cc -o 'a b'");
}

}  // namespace
}  // namespace tenon
