#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <map>

#include "byoc/recognise_ops.h"
#include "parser/parser.h"
#include "support/file.h"
#include "tests/unit/byoc/claim_check.h"
#include "tests/unit/support/corpus.h"

namespace tenon {
namespace {

/// Files whose claims are checked: those of the corpus, or those that TENON_CLAIM_TEXTS lists,
/// separated by colons.
std::vector<std::filesystem::path> Texts() {
  if (const char* listed = std::getenv("TENON_CLAIM_TEXTS")) {
    std::vector<std::filesystem::path> texts;
    std::string_view rest = listed;
    while (!rest.empty()) {
      const size_t end = std::min(rest.find(':'), rest.size());
      texts.emplace_back(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return texts;
  }
  return CorpusTexts({"module.py", "module_llvm.py", "module_parallel.py"});
}

/// Holds the claims of a text against its bodies. What takes long is left to the nightly run. The
/// number of operators that nothing is known of, and of all.
std::pair<int, int> CheckClaimsOf(const std::filesystem::path& path) {
  std::pair<int, int> counts;
  const auto check = [&] {
    Context context;
    Diagnostics diagnostics;
    const auto file = ReadFile(path.string());
    ASSERT_TRUE(file.ok());
    const auto module =
        ParseModule(context, path.string(), (*file)->view(), *file, {}, diagnostics);
    ASSERT_TRUE(module.has_value()) << Render(context.sources(), diagnostics);
    PassContext pass{.diagnostics = diagnostics, .threads = 1, .counters = {}};
    const auto claimed = RecogniseOps(*module, {}, pass);
    ASSERT_TRUE(claimed.ok());
    const auto interpreter = Interpreter::Compile(*module, diagnostics);
    ASSERT_TRUE(interpreter.ok()) << Render(context.sources(), diagnostics);
    for (const Function& function : claimed->functions()) {
      const std::optional<OpInfo> info = ReadOpInfo(function);
      if (!info) continue;
      ++counts.second;
      counts.first += info->known() ? 0 : 1;
      const bool is_short = std::getenv("TENON_NIGHTLY") != nullptr || info->macs < 500'000;
      if (!info->known() || !is_short) continue;
      EXPECT_EQ(CheckClaim(*interpreter, function, *info, 17), "")
          << path << " " << function.name.view() << " " << info->kind;
    }
  };
  check();
  return counts;
}

TEST(CorpusClaims, AreWhatTheBodiesCompute) {
  const std::vector<std::filesystem::path> texts = Texts();
  if (texts.empty()) GTEST_SKIP() << "the corpus is not there (TENON_CORPUS_DIR)";
  for (const std::filesystem::path& path : texts) EXPECT_EQ(CheckClaimsOf(path).first, 0) << path;
}

TEST(NetworkClaims, AreWhatTheBodiesCompute) {
  const auto [unknown, all] = CheckClaimsOf(std::filesystem::path(TENON_SOURCE_DIR) /
                                            "tests/lit/byoc/recognise_ops_networks.py");
  EXPECT_GE(all, 35);
  // Indices that are read from memory, and pairs of an index and a value.
  EXPECT_LE(unknown, 2);
}

}  // namespace
}  // namespace tenon
