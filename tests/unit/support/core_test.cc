#include <gtest/gtest.h>

#include <set>
#include <string>

#include "support/arena.h"
#include "support/diagnostics.h"
#include "support/interner.h"
#include "support/source.h"
#include "support/stack.h"

namespace tenon {
namespace {

TEST(ArenaTest, AlignsAndKeepsValues) {
  Arena arena;
  std::vector<int64_t*> values;
  for (int64_t i = 0; i < 10000; ++i) {
    arena.Allocate(static_cast<size_t>(i % 7) + 1, 1);
    values.push_back(arena.New<int64_t>(i));
    ASSERT_EQ(reinterpret_cast<uintptr_t>(values.back()) % alignof(int64_t), 0u);
  }
  for (int64_t i = 0; i < 10000; ++i) EXPECT_EQ(*values[static_cast<size_t>(i)], i);
}

TEST(ArenaTest, LargeAllocationsLeaveTheCurrentChunkInUse) {
  Arena arena;
  int* small = arena.New<int>(1);
  arena.Allocate(size_t{10} << 20, 16);
  const size_t reserved = arena.bytes_reserved();
  int* next = arena.New<int>(2);
  EXPECT_EQ(arena.bytes_reserved(), reserved);
  EXPECT_EQ(*small + *next, 3);
}

TEST(ArenaTest, CopiesOutliveTheirSource) {
  Arena arena;
  std::string_view copy;
  {
    const std::string text(1000, 'x');
    copy = arena.Copy(std::string_view(text));
  }
  EXPECT_EQ(copy, std::string(1000, 'x'));
  EXPECT_TRUE(arena.Copy(std::string_view()).empty());
}

TEST(InternerTest, EqualTextIsOneSymbol) {
  Interner interner;
  std::set<std::string_view> texts;
  for (int i = 0; i < 5000; ++i) {
    const std::string text = "name_" + std::to_string(i % 2500);
    const Symbol symbol = interner.Intern(text);
    EXPECT_EQ(symbol.view(), text);
    EXPECT_EQ(symbol, interner.Intern(text));
  }
  EXPECT_EQ(interner.size(), 2500u);
  EXPECT_TRUE(interner.Intern("").empty());
  EXPECT_EQ(Symbol(), interner.Intern(""));
}

TEST(InternerTest, HashOnlyDependsOnText) {
  Interner a;
  Interner b;
  b.Intern("something else first");
  EXPECT_EQ(a.Intern("conv2d").hash(), b.Intern("conv2d").hash());
  EXPECT_NE(HashText("ab"), HashText("ba"));
  EXPECT_NE(HashText(std::string_view("a\0", 2)), HashText("a"));
}

TEST(SourceTest, LocatesLinesAndColumns) {
  SourceManager sources;
  const SourceFile* first = *sources.Add("a.py", "one\ntwo\n\nfour", nullptr);
  const SourceFile* second = *sources.Add("b.py", "x", nullptr);
  const SourcePlace place = sources.Locate(first->base() + 5);
  EXPECT_EQ(place.file, first);
  EXPECT_EQ(place.line, 2u);
  EXPECT_EQ(place.column, 2u);
  EXPECT_EQ(sources.Line(*first, 4), "four");
  EXPECT_EQ(sources.Line(*first, 3), "");
  EXPECT_EQ(sources.Locate(second->base()).file, second);
  EXPECT_EQ(sources.Locate(0).file, nullptr);
  EXPECT_EQ(sources.Text({first->base() + 4, first->base() + 7}), "two");
}

TEST(DiagnosticsTest, RendersLineAndCaret) {
  SourceManager sources;
  const SourceFile* file = *sources.Add("m.py", "x = 1\n\ty = nme + 2\n", nullptr);
  Diagnostics diagnostics;
  const uint32_t at = file->base() + 11;
  Diagnostic& error =
      diagnostics.Error(DiagnosticKind::kUndefinedName, {at, at + 3}, "undefined name `nme`");
  Diagnostics::AddNote(error, {file->base(), file->base() + 1}, "did you mean `x`");
  EXPECT_EQ(Render(sources, diagnostics),
            "m.py:2:6: error: undefined name `nme` [undefined-name]\n"
            "  \ty = nme + 2\n"
            "  \t    ^~~\n"
            "m.py:1:1: note: did you mean `x`\n"
            "  x = 1\n"
            "  ^\n");
}

TEST(DiagnosticsTest, ClipsLongLines) {
  SourceManager sources;
  std::string line(5000, '1');
  line[2500] = '?';
  const SourceFile* file = *sources.Add("m.py", line, nullptr);
  Diagnostics diagnostics;
  diagnostics.Error(DiagnosticKind::kLiteral, {file->base() + 2500, file->base() + 2501},
                    "bad digit");
  const std::string text = Render(sources, diagnostics);
  EXPECT_LT(text.size(), 400u);
  const size_t mark = text.find('?');
  const size_t caret = text.find('^');
  ASSERT_NE(mark, std::string::npos);
  ASSERT_NE(caret, std::string::npos);
  EXPECT_EQ(mark - text.rfind('\n', mark), caret - text.rfind('\n', caret));
}

TEST(DiagnosticsTest, KeepsCountingBeyondTheLimit) {
  Diagnostics diagnostics;
  for (size_t i = 0; i < Diagnostics::kMostErrors + 10; ++i) {
    diagnostics.Error(DiagnosticKind::kSyntax, {}, "again");
  }
  EXPECT_EQ(diagnostics.error_count(), Diagnostics::kMostErrors + 10);
  EXPECT_EQ(diagnostics.all().size(), Diagnostics::kMostErrors);
  SourceManager sources;
  EXPECT_NE(Render(sources, diagnostics).find("1010 errors"), std::string::npos);
}

int64_t Depth(int64_t left) {
  return left == 0 ? 0 : WithStack([&] { return Depth(left - 1) + 1; });
}

TEST(StackTest, RecursionGoesOnWhereTheStackEnds) { EXPECT_EQ(Depth(1'000'000), 1'000'000); }

}  // namespace
}  // namespace tenon
