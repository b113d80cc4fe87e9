// Plans three buffers with the planner alone: no module, no compiler. Prints the size of the pool.
#include <cstdio>

#include "tenon/planner/planner.h"

int main() {
  tenon::planner::Problem problem;
  problem.pools.emplace_back().name = "ram";
  for (const int64_t birth : {0, 1, 2}) {
    tenon::planner::Buffer& buffer = problem.buffers.emplace_back();
    buffer.name = "buffer" + std::to_string(birth);
    buffer.size = 100;
    buffer.lifetimes = {{birth, birth + 2}};
    buffer.pools = {0};
  }
  const auto plan = tenon::planner::PlanMemory(problem, tenon::planner::kDefaultAlgorithm);
  if (!plan.ok()) {
    std::fprintf(stderr, "%s\n", plan.status().ToString().c_str());
    return 1;
  }
  std::printf("%lld\n", static_cast<long long>(plan->pools[0].size));
  return 0;
}
