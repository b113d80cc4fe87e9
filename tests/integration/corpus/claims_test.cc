// The bodies of real models' operators compute what the claims about them say.

#include <gtest/gtest.h>

#include <filesystem>

#include "tests/integration/corpus/model.h"
#include "tests/unit/byoc/text_claims.h"

namespace tenon {
namespace {

class Claims : public testing::TestWithParam<std::string> {};

TEST_P(Claims, AreWhatTheBodiesCompute) {
  if (!HasCorpus()) GTEST_SKIP() << "no corpus at " << CorpusDir();
  for (const char* name : {"module.py", "module_llvm.py", "module_parallel.py"}) {
    const std::filesystem::path text =
        std::filesystem::path(CorpusDir()) / "models" / GetParam() / name;
    if (!std::filesystem::exists(text)) continue;
    const ClaimCounts counts = CheckClaimsOf(text, IsNightly() ? INT64_MAX : 500'000);
    EXPECT_GT(counts.all, 0) << text;
    EXPECT_EQ(counts.unknown, 0) << text;
    EXPECT_GT(counts.moved, 0) << text;
  }
}

INSTANTIATE_TEST_SUITE_P(Models, Claims, testing::ValuesIn(ModelNames()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace tenon
