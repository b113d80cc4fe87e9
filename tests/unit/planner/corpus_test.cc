// The planning problems of the corpus: plans are right, not far from their bounds, and quick.

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>

#include "tests/unit/planner/problems.h"

namespace tenon::planner {
namespace {

std::string CorpusFile(const std::string& name) {
  const char* directory = std::getenv("TENON_CORPUS_DIR");
  return std::string(directory == nullptr ? "../shared/corpus" : directory) + "/planning/" + name;
}

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
  double at_most;  // times the bound
};

class CorpusTest : public ::testing::TestWithParam<CorpusCase> {};

TEST_P(CorpusTest, FirstFitIsNearTheBound) {
  const CorpusCase& c = GetParam();
  const std::optional<Problem> problem = ReadCsv(c.file);
  if (!problem) GTEST_SKIP() << "no " << CorpusFile(c.file);
  const auto plan = PlanMemory(*problem, "first_fit");
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(plan->pools[0].lower_bound.bytes, c.bound);
  EXPECT_LE(static_cast<double>(plan->pools[0].size), c.at_most * static_cast<double>(c.bound));
}

INSTANTIATE_TEST_SUITE_P(Planning, CorpusTest,
                         ::testing::Values(CorpusCase{"idealloc/G_1.csv", 3030937746, 1.0},
                                           CorpusCase{"idealloc/resnet50.csv", 1515472556, 1.0031},
                                           CorpusCase{"minimalloc/A.1048576.csv", 1048576, 1.35},
                                           CorpusCase{"minimalloc/C.1048576.csv", 1039360, 1.35},
                                           CorpusCase{"minimalloc/D.1048576.csv", 986112, 1.35},
                                           CorpusCase{"minimalloc/K.1048576.csv", 1048576, 1.35}));

// Neither lists of all pairs nor a cubic search: 10,000 buffers, short and long lives mixed.
TEST(ScaleTest, TenThousandBuffers) {
  uint64_t state = 42;
  auto draw = [&](uint64_t count) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<int64_t>((state >> 33) % count);
  };
  std::vector<IntervalRow> rows;
  for (int i = 0; i < 10000; ++i) {
    const int64_t first = draw(100000);
    const int64_t length = draw(20) == 0 ? draw(20000) : draw(100);
    rows.push_back({first, first + length, 1 + draw(65536)});
  }
  const auto plan = PlanMemory(IntervalProblem(rows, 16), "first_fit", {.work_limit = 0});
  ASSERT_TRUE(plan.ok());
  const PoolPlan& pool = plan->pools[0];
  EXPECT_LE(static_cast<double>(pool.size), 1.2 * static_cast<double>(pool.lower_bound.bytes));
}

TEST(ScaleTest, ManyIdenticalBuffers) {
  const std::vector<IntervalRow> rows(3000, {0, 9, 64});
  const auto plan = PlanMemory(IntervalProblem(rows), "first_fit");
  ASSERT_TRUE(plan.ok());
  EXPECT_EQ(plan->pools[0].size, 3000 * 64);
  EXPECT_TRUE(plan->proven_optimal);
}

}  // namespace
}  // namespace tenon::planner
