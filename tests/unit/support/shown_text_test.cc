#include "support/shown_text.h"

#include <gtest/gtest.h>

namespace tenon {
namespace {

TEST(ShownTextTest, EscapesControlCharacters) {
  EXPECT_EQ(EscapeControls("a\x1b[31m\n\r\t\x7f\x01z"), "a\\x1b[31m\\n\\r\\t\\x7f\\x01z");
  EXPECT_EQ(EscapeControls(std::string_view("\0", 1)), "\\x00");
  // U+009B is a control character; U+00A0 and a byte that is not UTF-8 are not.
  EXPECT_EQ(EscapeControls("\xC2\x9B\xC2\xA0\xC3\x9B\x9B\xC2"), "\\u009b\xC2\xA0\xC3\x9B\x9B\xC2");
}

TEST(ShownTextTest, KeepsLinesWhereAsked) {
  EXPECT_EQ(EscapeControlsOfLines("a\n\tb\r\n\x1b"), "a\n\tb\\r\n\\x1b");
}

TEST(ShownTextTest, CutsLongNames) {
  EXPECT_EQ(ShownText("a\nb\x7f"), "a\\nb\\x7f");
  EXPECT_EQ(ShownText(std::string(100, 'x')), std::string(60, 'x').append("..."));
}

}  // namespace
}  // namespace tenon
