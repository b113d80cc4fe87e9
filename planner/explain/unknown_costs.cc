#include "planner/explain/unknown_costs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <set>
#include <vector>

#include "planner/problem/access_cost.h"

namespace tenon::planner {
namespace {

/// More pools would make the note unreadable.
constexpr size_t kMostPoolsWithoutCosts = 3;

std::string PoolText(const Problem& problem, int32_t pool, const std::set<CostFigure>& missing,
                     const CostNames& names) {
  std::vector<std::string> texts;
  for (const CostFigure figure : missing)
    texts.push_back(fmt::format("`{}`", names[static_cast<size_t>(figure)]));
  return fmt::format("pool `{}` has no {}", problem.pools[Index(pool)].name,
                     fmt::join(texts, " and no "));
}

}  // namespace

std::string UnknownCostsNote(const Problem& problem, const CostNames& names) {
  std::map<int32_t, std::set<CostFigure>> missing;
  int64_t buffers = 0;
  for (const Buffer& buffer : problem.buffers) {
    if (buffer.pools.size() < 2) continue;
    bool is_known = true;
    for (const int32_t pool : buffer.pools) {
      const std::vector<CostFigure> of = MissingFigures(buffer, problem.pools[Index(pool)].cost);
      if (of.empty()) continue;
      missing[pool].insert(of.begin(), of.end());
      is_known = false;
    }
    if (!is_known) ++buffers;
  }
  if (missing.empty()) return "";
  std::vector<std::string> texts;
  for (const auto& [pool, figures] : missing) {
    if (texts.size() == kMostPoolsWithoutCosts) break;
    texts.push_back(PoolText(problem, pool, figures, names));
  }
  if (missing.size() > kMostPoolsWithoutCosts)
    texts.push_back(
        fmt::format("{} more pools lack some", missing.size() - kMostPoolsWithoutCosts));
  return fmt::format(
      "{}: so {} with several pools {} to the first of them that has room, whatever accesses cost "
      "there",
      fmt::join(texts, ", "), buffers == 1 ? "1 buffer" : fmt::format("{} buffers", buffers),
      buffers == 1 ? "goes" : "go");
}

}  // namespace tenon::planner
