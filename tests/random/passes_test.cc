// Every pass, and the pipelines that drivers run, keep a module well-formed and its results the
// same, bit for bit.

#include "random/check.h"
#include "random/pipelines.h"
#include "random/ways.h"

namespace tenon::random_ir {
namespace {

class RandomPasses : public testing::TestWithParam<std::string> {};

TEST_P(RandomPasses, KeepResults) {
  const Seeds seeds(150);
  for (uint64_t seed = seeds.first; seed < seeds.end; ++seed) {
    Sample sample(seed, ModuleOf(seed));
    const auto before = sample.Run(sample.module);
    ASSERT_TRUE(before.has_value()) << sample.Messages();
    const auto after = sample.Apply(sample.module, GetParam());
    ASSERT_TRUE(after.has_value()) << sample.Messages() << PrintModule(sample.module);
    const auto result = sample.Run(*after);
    ASSERT_TRUE(result.has_value()) << sample.Messages() << PrintModule(*after);
    ASSERT_EQ(*before, *result) << GetParam() << ", seed " << seed << "\n"
                                << PrintModule(sample.module);
  }
}

INSTANTIATE_TEST_SUITE_P(All, RandomPasses, testing::ValuesIn(Pipelines()),
                         [](const auto& info) { return TestName(info.index, info.param); });

}  // namespace
}  // namespace tenon::random_ir
