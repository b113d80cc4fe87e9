#include "parser/text_dialect.h"

#include <gtest/gtest.h>

#include "ir/dialect.h"

namespace tenon {
namespace {

Dialect DialectIn(std::string_view text) {
  Arena arena;
  NameTable names(arena);
  return DialectOfText(text, 0, names).dialect;
}

bool ShowsTirx(std::string_view text) { return DialectIn(text) == kNewestTirx; }

TEST(TextDialectTest, ImportsDecide) {
  EXPECT_TRUE(ShowsTirx("# from tvm.script import tirx as T\n@T.prim_func\ndef f(): pass\n"));
  EXPECT_FALSE(ShowsTirx("# from tvm.script import tir as T\n@T.prim_func\ndef f(): pass\n"));
  EXPECT_TRUE(ShowsTirx("from tvm.script import ir as I, tirx as T\n"));
  EXPECT_TRUE(ShowsTirx("# from tvm.script import ir as I\n# from tvm.script import tirx as T\n"));
  // Relax is possible in both dialects.
  EXPECT_FALSE(
      ShowsTirx("# from tvm.script import relax as R\n# from tvm.script import tir as T\n"));
  // The import decides, independently of the rest.
  EXPECT_FALSE(ShowsTirx("# from tvm.script import tir as T\nx = T.sblock()\n"));
}

TEST(TextDialectTest, WithoutImportsTheFirstNameDecides) {
  EXPECT_TRUE(ShowsTirx("@T.prim_func(s_tir=True)\ndef f(): pass\n"));
  EXPECT_TRUE(ShowsTirx("@T.prim_func\ndef f():\n    with T.sblock(\"x\"):\n        pass\n"));
  EXPECT_TRUE(ShowsTirx("@T.prim_func\ndef f():\n    x: T.let[T.int32] = 1\n"));
  EXPECT_FALSE(ShowsTirx("@T.prim_func\ndef f():\n    with T.block(\"x\"):\n        pass\n"));
  // Strings, comments and names without a prefix do not count.
  EXPECT_FALSE(ShowsTirx("@T.prim_func\ndef f(sblock: T.int32):\n    \"T.sblock\"  # T.sblock\n"));
}

TEST(TextDialectTest, NothingSaysItIsTir) {
  EXPECT_EQ(DialectIn(""), Dialect::kV015);
  EXPECT_EQ(DialectIn("@T.prim_func\ndef f(x: T.int32):\n    y: T.int32 = x\n"), Dialect::kV015);
}

TEST(TextDialectTest, PlacesAreThoseOfTheText) {
  Arena arena;
  NameTable names(arena);
  const std::string_view text = "# from tvm.script import tirx as T\n";
  const TextDialect found = DialectOfText(text, 100, names);
  ASSERT_TRUE(found.where.valid());
  EXPECT_EQ(found.where.begin, 100 + text.find("tirx"));
  EXPECT_EQ(found.where.end, 100 + text.find("tirx") + 4);
}

}  // namespace
}  // namespace tenon
