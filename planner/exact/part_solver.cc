#include "planner/exact/part_solver.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "planner/exact/general_search.h"
#include "planner/exact/packing.h"
#include "planner/exact/packing_solver.h"

namespace tenon::planner {
namespace {

using Parts = std::vector<std::unique_ptr<PartSolver>>;

// The limit on buffers for looking at every pair.
constexpr size_t kMaxPairwise = 512;

// The bounds of packings hardly consider alignment.
constexpr size_t kMaxAligned = 16;

bool IsAligned(const Problem& problem, const std::vector<int32_t>& members) {
  if (members.size() > kMaxAligned) return false;
  return std::any_of(members.begin(), members.end(), [&](int32_t i) {
    return problem.buffers[Index(i)].alignment != problem.buffers[Index(members[0])].alignment;
  });
}

bool AddPackings(const Problem& problem, const PairRules& rules, int32_t pool,
                 const std::vector<int32_t>& members, SearchBudget* budget, Parts* parts) {
  std::optional<std::vector<Packing>> packings = MakePackings(problem, rules, pool, members);
  if (!packings) return false;
  for (Packing& packing : *packings) {
    parts->push_back(std::make_unique<PackingSolver>(std::move(packing), budget));
  }
  return true;
}

// Sets of members that constrain no member of another set.
std::vector<std::vector<int32_t>> Components(const PairRules& rules,
                                             const std::vector<int32_t>& members) {
  std::vector<size_t> root(members.size());
  std::iota(root.begin(), root.end(), size_t{0});
  auto find = [&](size_t i) {
    while (root[i] != i) i = root[i] = root[root[i]];
    return i;
  };
  for (size_t i = 0; i < members.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      if (find(i) != find(j) && rules.Conflict(members[i], members[j])) root[find(i)] = find(j);
    }
  }
  std::vector<std::vector<int32_t>> by_root(members.size());
  for (size_t i = 0; i < members.size(); ++i) by_root[find(i)].push_back(members[i]);
  std::erase_if(by_root, [](const std::vector<int32_t>& part) { return part.empty(); });
  return by_root;
}

}  // namespace

bool MakeParts(const Problem& problem, const PairRules& rules, int32_t pool,
               const std::vector<int32_t>& members, SearchBudget* budget, Parts* parts) {
  if (IsPlain(problem, rules, members) && !IsAligned(problem, members)) {
    return AddPackings(problem, rules, pool, members, budget, parts);
  }
  if (members.size() > kMaxPairwise) return false;
  bool all = true;
  for (std::vector<int32_t>& component : Components(rules, members)) {
    if (IsPlain(problem, rules, component) && !IsAligned(problem, component)) {
      all = AddPackings(problem, rules, pool, component, budget, parts) && all;
    } else if (component.size() <= GeneralSearch::kMaxBuffers) {
      parts->push_back(
          std::make_unique<GeneralSearch>(problem, rules, pool, std::move(component), budget));
    } else {
      all = false;
    }
  }
  return all;
}

}  // namespace tenon::planner
