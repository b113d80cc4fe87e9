#include <gtest/gtest.h>

#include <string>

#include "parse_test_util.h"

namespace tenon {
namespace {

std::string TextWithConstant() {
  std::string list = "[0";
  for (int i = 1; i < 1000; ++i) list += ", " + std::to_string(i % 100);
  return "@T.prim_func\ndef f(B: T.Buffer((1000,), \"int8\")):\n    c = T.allocate_const(" + list +
         "], \"int8\", [1000])\n    T.evaluate(T.unknown_builtin(c))\n";
}

TEST(ContextTest, HoldsTextsAndConstantsOfAllModules) {
  const std::string text = TextWithConstant();
  Context context;
  Diagnostics diagnostics;
  ParseOptions options;
  options.allow_unknown_ops = true;
  ASSERT_TRUE(ParseModule(context, "a.py", text, nullptr, options, diagnostics));
  const size_t one = context.bytes_held();
  EXPECT_GT(one, text.size() + 1000);
  ASSERT_TRUE(ParseModule(context, "b.py", text, nullptr, options, diagnostics));
  EXPECT_GT(context.bytes_held(), one + text.size() + 1000);
}

TEST(ContextTest, ResetGivesMemoryBack) {
  const std::string text = TextWithConstant();
  Context context;
  ParseOptions options;
  options.allow_unknown_ops = true;
  size_t held = 0;
  for (int i = 0; i < 1000; ++i) {
    {
      Diagnostics diagnostics;
      const auto module = ParseModule(context, "m.py", text, nullptr, options, diagnostics);
      ASSERT_TRUE(module);
      if (i == 0) held = context.bytes_held();
      ASSERT_EQ(context.bytes_held(), held) << "after " << i << " modules";
    }
    context.Reset();
    ASSERT_EQ(context.bytes_held(), 0u);
  }
}

}  // namespace
}  // namespace tenon
