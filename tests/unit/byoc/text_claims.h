#ifndef TENON_TESTS_UNIT_BYOC_TEXT_CLAIMS_H_
#define TENON_TESTS_UNIT_BYOC_TEXT_CLAIMS_H_

#include <gtest/gtest.h>

#include <filesystem>

#include "byoc/recognise_ops.h"
#include "parser/parser.h"
#include "support/file.h"
#include "tests/unit/byoc/claim_check.h"

namespace tenon {

/// The number of operators of a text, and of operators without a claim.
struct ClaimCounts {
  int all = 0;
  int unknown = 0;
};

/// Compares the claims of a text that have at most `most_macs` multiplications with their bodies.
inline ClaimCounts CheckClaimsOf(const std::filesystem::path& path, int64_t most_macs) {
  ClaimCounts counts;
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
      ++counts.all;
      counts.unknown += info->known() ? 0 : 1;
      if (!info->known() || info->macs > most_macs) continue;
      EXPECT_EQ(CheckClaim(*interpreter, function, *info, 17), "")
          << path << " " << function.name.view() << " " << info->kind;
    }
  };
  check();
  return counts;
}

}  // namespace tenon

#endif  // TENON_TESTS_UNIT_BYOC_TEXT_CLAIMS_H_
