// The planning problems of the corpus: plans are correct, close to their bounds, and fast.

#include <gtest/gtest.h>

#include <fstream>
#include <optional>
#include <sstream>
#include <string>

#include "tests/integration/corpus/model.h"
#include "tests/unit/planner/problems.h"

namespace tenon::planner {
namespace {

std::string CorpusFile(const std::string& name) { return CorpusDir() + "/planning/" + name; }

// Columns id, lower, upper, size.
std::optional<Problem> ReadCsv(const std::string& name) {
  std::ifstream file(CorpusFile(name));
  std::string line;
  if (!std::getline(file, line)) return std::nullopt;
  Problem problem;
  problem.pools = {MakePool("pool")};
  while (std::getline(file, line)) {
    std::istringstream fields(line);
    std::string id;
    int64_t lower = 0;
    int64_t upper = 0;
    int64_t size = 0;
    char comma = 0;
    std::getline(fields, id, ',');
    if (!(fields >> lower >> comma >> upper >> comma >> size)) continue;
    problem.buffers.push_back(LiveBuffer(id, size, lower, upper - 1));
  }
  return problem;
}

struct CorpusCase {
  const char* file;
  int64_t bound;
  double at_most;  // multiple of the bound
};

class PlanningCorpus : public ::testing::TestWithParam<CorpusCase> {};

TEST_P(PlanningCorpus, FirstFitIsNearTheBound) {
  const CorpusCase& c = GetParam();
  if (!HasCorpus()) GTEST_SKIP() << "no corpus at " << CorpusDir();
  const std::optional<Problem> problem = ReadCsv(c.file);
  ASSERT_TRUE(problem) << CorpusFile(c.file);
  const auto plan = PlanMemory(*problem, "first_fit");
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(plan->pools[0].lower_bound.bytes, c.bound);
  EXPECT_LE(static_cast<double>(plan->pools[0].size), c.at_most * static_cast<double>(c.bound));
}

INSTANTIATE_TEST_SUITE_P(Problems, PlanningCorpus,
                         ::testing::Values(CorpusCase{"idealloc/G_1.csv", 3030937746, 1.0},
                                           CorpusCase{"idealloc/resnet50.csv", 1515472556, 1.0031},
                                           CorpusCase{"minimalloc/A.1048576.csv", 1048576, 1.35},
                                           CorpusCase{"minimalloc/C.1048576.csv", 1039360, 1.35},
                                           CorpusCase{"minimalloc/D.1048576.csv", 986112, 1.35},
                                           CorpusCase{"minimalloc/K.1048576.csv", 1048576, 1.35}));

}  // namespace
}  // namespace tenon::planner
