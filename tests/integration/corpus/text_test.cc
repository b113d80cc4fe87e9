// Every text of a model parses, verifies, and is equal after printing and parsing.

#include <gtest/gtest.h>

#include <filesystem>

#include "ir/structural.h"
#include "ir/verifier.h"
#include "parser/parser.h"
#include "printer/printer.h"
#include "support/file.h"
#include "tests/integration/corpus/model.h"

namespace tenon {
namespace {

class Text : public testing::TestWithParam<std::string> {};

TEST_P(Text, ParsesVerifiesAndComesBack) {
  const std::filesystem::path folder = CorpusDir() + "/models/" + GetParam();
  if (!HasCorpus()) GTEST_SKIP() << "no corpus at " << CorpusDir();
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".py") continue;
    SCOPED_TRACE(entry.path().string());
    ++files;
    ParseOptions options;
    options.allow_truncated_constants = entry.path().filename() == "module_raw_metadata.py";
    const auto file = ReadFile(entry.path().string());
    ASSERT_TRUE(file.ok()) << file.status();
    Context context;
    Diagnostics diagnostics;
    const auto module =
        ParseModule(context, "first.py", (*file)->view(), *file, options, diagnostics);
    ASSERT_TRUE(module) << Render(context.sources(), diagnostics);
    EXPECT_TRUE(VerifyModule(*module, diagnostics)) << Render(context.sources(), diagnostics);
    const std::string printed = PrintModule(*module);
    const auto again = ParseModule(context, "again.py", printed, nullptr, options, diagnostics);
    ASSERT_TRUE(again) << Render(context.sources(), diagnostics);
    Difference difference;
    EXPECT_TRUE(StructuralEqual(*module, *again, &difference)) << difference.path;
    EXPECT_EQ(PrintModule(*again), printed);
  }
  EXPECT_GE(files, 3);
}

INSTANTIATE_TEST_SUITE_P(Models, Text, testing::ValuesIn(ModelNames()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace tenon
