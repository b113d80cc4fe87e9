// What is printed reads back as the same module, and prints the same again.

#include "ir/structural.h"
#include "parser/parser.h"
#include "random/check.h"
#include "random/ways.h"

namespace tenon::random_ir {
namespace {

TEST(RandomText, ComesBack) {
  const Seeds seeds(300);
  for (uint64_t seed = seeds.first; seed < seeds.end; ++seed) {
    Sample sample(seed, ModuleOf(seed));
    const std::string text = PrintModule(sample.module);
    const auto back =
        ParseModule(sample.context, "random.py", text, nullptr, {}, sample.diagnostics);
    ASSERT_TRUE(back.has_value()) << sample.Messages() << text;
    EXPECT_TRUE(VerifyModule(*back, sample.diagnostics)) << sample.Messages() << text;
    Difference difference;
    EXPECT_TRUE(StructuralEqual(sample.module, *back, &difference))
        << "seed " << seed << " at " << difference.path << "\n"
        << text;
    EXPECT_EQ(StructuralHash(sample.module), StructuralHash(*back)) << "seed " << seed;
    EXPECT_EQ(PrintModule(*back), text) << "seed " << seed;
    PrintOptions generic;
    generic.generic = true;
    EXPECT_FALSE(PrintModule(sample.module, generic).empty());
    if (testing::Test::HasFailure()) return;
  }
}

}  // namespace
}  // namespace tenon::random_ir
