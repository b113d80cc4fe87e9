#include "planner/exact/fix_related.h"

#include <vector>

#include "planner/algorithms.h"
#include "planner/problem/bound.h"
#include "support/check.h"

namespace tenon::planner {
namespace {

// The limit on buffers, since they are compared pairwise.
constexpr size_t kMaxRelated = 1000;

// The problem of the related and the fixed buffers, with their relations. `from[i]` is the number
// of its buffer i in `problem`.
std::optional<Problem> RelatedOnly(const Problem& problem, std::vector<int32_t>* from) {
  std::vector<bool> in(problem.buffers.size());
  for (const Relation& relation : problem.relations) {
    in[Index(relation.a)] = true;
    in[Index(relation.b)] = true;
  }
  Problem part;
  part.pools = problem.pools;
  std::vector<int32_t> number(problem.buffers.size(), -1);
  for (size_t i = 0; i < problem.buffers.size(); ++i) {
    const Buffer& buffer = problem.buffers[i];
    if (!in[i] && !buffer.fixed_offset) continue;
    if (buffer.pools.size() != 1 || from->size() == kMaxRelated) return std::nullopt;
    number[i] = static_cast<int32_t>(from->size());
    from->push_back(static_cast<int32_t>(i));
    part.buffers.push_back(buffer);
  }
  part.relations = problem.relations;
  for (Relation& relation : part.relations) {
    TENON_CHECK(number[Index(relation.a)] >= 0 && number[Index(relation.b)] >= 0);
    relation.a = number[Index(relation.a)];
    relation.b = number[Index(relation.b)];
  }
  return part;
}

}  // namespace

std::optional<Problem> FixRelated(const Problem& problem, const PlanOptions& options,
                                  SearchBudget* budget) {
  if (problem.relations.empty()) return std::nullopt;
  std::vector<int32_t> from;
  const std::optional<Problem> part = RelatedOnly(problem, &from);
  if (!part) return std::nullopt;
  PlanOptions quiet = options;
  quiet.progress = nullptr;
  const auto plan = GapFit(*part, ComputeLowerBounds(*part), Fit::kEither, quiet, budget);
  if (!plan.ok() || plan->stopped || plan->no_room_for) return std::nullopt;
  TENON_CHECK(plan->placements.size() == from.size());
  Problem fixed = problem;
  for (size_t i = 0; i < from.size(); ++i) {
    fixed.buffers[Index(from[i])].fixed_offset = plan->placements[i].offset;
  }
  return fixed;
}

}  // namespace tenon::planner
