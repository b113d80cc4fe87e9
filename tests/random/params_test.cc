// Constants that become parameters and then constants again, and runs with them as arguments.

#include "ir/structural.h"
#include "ir/visitor.h"
#include "parser/parser.h"
#include "passes/constants/lift_params.h"
#include "random/check.h"
#include "support/programs.h"

namespace tenon::random_ir {
namespace {

class RandomParams : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(folder_.ok()) << folder_.status(); }

  std::string File() const { return folder_->File("w.safetensors"); }

  const absl::StatusOr<TemporaryFolder> folder_ = TemporaryFolder::Create();
};

/// The module after printing and parsing.
std::optional<IRModule> Again(Sample& sample, const IRModule& module) {
  return ParseModule(sample.context, "printed.py", PrintModule(module), nullptr, {},
                     sample.diagnostics);
}

int64_t CountConstants(const IRModule& module) {
  int64_t count = 0;
  for (const Function& function : module.functions()) {
    Walk(function.func, [&](const Node* node) {
      if (isa<AllocateConst>(node)) ++count;
      return true;
    });
  }
  return count;
}

TEST_F(RandomParams, LiftedAndBoundIsExtracted) {
  const Seeds seeds(300);
  int64_t constants = 0;
  for (uint64_t seed = seeds.first; seed < seeds.end; ++seed) {
    Sample sample(seed);
    const auto extracted = sample.Apply(sample.module, "extract-constants");
    ASSERT_TRUE(extracted.has_value()) << sample.Messages();
    constants += CountConstants(*extracted);
    const auto lifted = sample.Apply(sample.module, "lift-params{file=\"" + File() + "\"}");
    ASSERT_TRUE(lifted.has_value()) << sample.Messages();
    ASSERT_EQ(CountConstants(*lifted), 0) << PrintModule(*lifted);
    const auto read = Again(sample, *lifted);
    ASSERT_TRUE(read.has_value()) << sample.Messages() << PrintModule(*lifted);
    const auto bound = sample.Apply(*read, "bind-params{file=\"" + File() + "\"}");
    ASSERT_TRUE(bound.has_value()) << sample.Messages() << PrintModule(*lifted);
    const auto bound_read = Again(sample, *bound);
    const auto extracted_read = Again(sample, *extracted);
    ASSERT_TRUE(bound_read.has_value() && extracted_read.has_value()) << sample.Messages();
    Difference difference;
    ASSERT_TRUE(StructuralEqual(*extracted_read, *bound_read, &difference))
        << "seed " << seed << " at " << difference.path << "\n"
        << PrintModule(*extracted) << PrintModule(*lifted) << PrintModule(*bound);
  }
  EXPECT_GT(constants, 0);
}

TEST_F(RandomParams, LinkedInOlderWaysAndBackIsExtracted) {
  const Seeds seeds(150);
  for (uint64_t seed = seeds.first; seed < seeds.end; ++seed) {
    Sample sample(seed);
    const auto extracted = sample.Apply(sample.module, "extract-constants");
    ASSERT_TRUE(extracted.has_value()) << sample.Messages();
    const auto wanted = Again(sample, *extracted);
    for (const char* to : {"attrs", "params"}) {
      const auto linked =
          sample.Apply(sample.module, fmt::format("convert-link-params{{to={}}}", to));
      ASSERT_TRUE(linked.has_value()) << sample.Messages();
      ASSERT_EQ(CountConstants(*linked), 0) << PrintModule(*linked);
      const auto read = Again(sample, *linked);
      ASSERT_TRUE(read.has_value()) << sample.Messages() << PrintModule(*linked);
      const auto back = sample.Apply(*read, "convert-link-params");
      ASSERT_TRUE(back.has_value()) << sample.Messages() << PrintModule(*linked);
      const auto got = Again(sample, *back);
      ASSERT_TRUE(got.has_value()) << sample.Messages();
      Difference difference;
      ASSERT_TRUE(StructuralEqual(*wanted, *got, &difference))
          << "seed " << seed << ", " << to << ", at " << difference.path << "\n"
          << PrintModule(*extracted) << PrintModule(*linked) << PrintModule(*back);
    }
  }
}

TEST_F(RandomParams, LiftedRunsWithValuesAsArguments) {
  const Seeds seeds(150);
  for (uint64_t seed = seeds.first; seed < seeds.end; ++seed) {
    Sample sample(seed);
    const auto before = sample.Run(sample.module);
    ASSERT_TRUE(before.has_value()) << sample.Messages();
    PassContext pass{sample.diagnostics, 1, {}};
    const auto lifted = LiftConstants(sample.module, pass);
    ASSERT_TRUE(lifted.has_value()) << sample.Messages();
    // The values come after main's other parameters; values of other functions come last.
    const size_t params = sample.module.Main()->func->params.size();
    const size_t values = lifted->module.Main()->func->params.size() - params;
    std::vector<NamedTensor> constants;
    for (size_t i = 0; i < values; ++i) {
      const Constant& constant = *lifted->values[i].constant;
      const auto bytes = *constant.Bytes();
      constants.push_back({lifted->values[i].name,
                           {constant.dtype(), constant.shape(), {bytes.begin(), bytes.end()}}});
    }
    const auto after = sample.Run(lifted->module, {}, std::move(constants));
    ASSERT_TRUE(after.has_value()) << sample.Messages() << PrintModule(lifted->module);
    ASSERT_EQ(*before, *after) << "seed " << seed << "\n" << PrintModule(lifted->module);
  }
}

}  // namespace
}  // namespace tenon::random_ir
