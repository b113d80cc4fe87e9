#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "ir/structural.h"
#include "ir/verifier.h"
#include "parse_test_util.h"
#include "printer/printer.h"

namespace tenon {
namespace {

std::filesystem::path CorpusDir() {
  const char* given = std::getenv("TENON_CORPUS_DIR");
  return given != nullptr ? std::filesystem::path(given)
                          : std::filesystem::path(TENON_SOURCE_DIR) / ".." / "shared" / "corpus";
}

std::string ReadText(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(CorpusTest, EveryModelParsesVerifiesAndComesBack) {
  const std::filesystem::path models = CorpusDir() / "models";
  if (!std::filesystem::is_directory(models)) GTEST_SKIP() << "no corpus at " << models;
  int files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(models)) {
    if (entry.path().extension() != ".py") continue;
    SCOPED_TRACE(entry.path().string());
    ++files;
    ParseOptions options;
    options.allow_truncated_constants = entry.path().filename() == "module_raw_metadata.py";
    const std::string text = ReadText(entry.path());
    Parsed parsed(text, options);
    ASSERT_TRUE(parsed.module) << parsed.messages();
    Diagnostics complaints;
    EXPECT_TRUE(VerifyModule(*parsed.module, complaints))
        << Render(parsed.context.sources(), complaints);
    const std::string printed = PrintModule(*parsed.module);
    const Parsed again(printed, options);
    ASSERT_TRUE(again.module) << again.messages();
    Difference difference;
    EXPECT_TRUE(StructuralEqual(*parsed.module, *again.module, &difference)) << difference.path;
    EXPECT_EQ(PrintModule(*again.module), printed);
  }
  EXPECT_GE(files, 26);
}

}  // namespace
}  // namespace tenon
