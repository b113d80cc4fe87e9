// Every pass, and the pipelines that drivers run, leave a module well-formed and its results the
// same, bit for bit.

#include "passes/default_pipelines.h"
#include "random/check.h"

namespace tenon::random_ir {
namespace {

/// What has to run before a pass can.
std::string Before(std::string_view pass) {
  if (pass == "flatten-buffers") return "lower-blocks,";
  if (pass == "plan-memory") return "convert-for-loops-to-serial,lower-blocks,assign-pool-info,";
  if (pass == "convert-pool-allocations-to-offsets") {
    return "convert-for-loops-to-serial,lower-blocks,assign-pool-info,plan-memory,";
  }
  return "";
}

std::vector<std::string> Pipelines() {
  std::vector<std::string> all;
  for (const std::string_view pass : PassNames()) {
    all.push_back(Before(pass) + std::string(pass));
    // On flat buffers too.
    if (Before(pass).empty() && pass != "lower-blocks") {
      all.push_back("lower-blocks,flatten-buffers," + std::string(pass));
    }
  }
  all.emplace_back("lower-packed-calls{to=stack}");
  all.emplace_back("legalize-small-floats{storage=bits8}");
  all.emplace_back("legalize-small-floats{storage=bits}");
  all.emplace_back("lower-intrin{expand-bits=false}");
  all.emplace_back(
      "simplify,lower-blocks,simplify,flatten-buffers,lower-vectors,lower-intrin,"
      "simplify,remove-no-op");
  all.emplace_back("fix(simplify,remove-no-op)");
  all.emplace_back(kLowerForC);
  all.emplace_back(std::string(kLowerForC) + ",lower-intrin,simplify,remove-no-op");
  return all;
}

class RandomPasses : public testing::TestWithParam<std::string> {};

TEST_P(RandomPasses, KeepResults) {
  const Seeds seeds(150);
  for (uint64_t seed = seeds.first; seed < seeds.end; ++seed) {
    Sample sample(seed);
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

INSTANTIATE_TEST_SUITE_P(All, RandomPasses, testing::ValuesIn(Pipelines()), [](const auto& info) {
  std::string name = fmt::format("{}_", info.index);
  for (const char c : info.param) name += std::isalnum(c) ? c : '_';
  return name;
});

}  // namespace
}  // namespace tenon::random_ir
