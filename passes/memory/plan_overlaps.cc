#include "passes/memory/plan_overlaps.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "absl/container/flat_hash_map.h"
#include "ir/attributes.h"
#include "ir/overlaps.h"
#include "support/check.h"

namespace tenon {

namespace {

/// The buffer of each allocation that the plan places; -1 for the others.
std::vector<int32_t> BuffersOfAllocations(const MemoryProblem& made) {
  std::vector<int32_t> buffers(made.liveness.allocations.size(), -1);
  for (const MemoryProblem::Place& place : made.places) {
    if (!made.liveness.allocations[place.allocation].is_constant)
      buffers[place.allocation] = static_cast<int32_t>(place.buffer);
  }
  return buffers;
}

bool ShareBytes(const planner::Problem& problem, const planner::Plan& plan, int32_t a, int32_t b) {
  const planner::Placement& x = plan.placements[planner::Index(a)];
  const planner::Placement& y = plan.placements[planner::Index(b)];
  return x.pool == y.pool && x.offset < y.offset + problem.buffers[planner::Index(b)].size &&
         y.offset < x.offset + problem.buffers[planner::Index(a)].size;
}

std::string PlaceText(const IRModule& module, SourceRange range) {
  if (!range.valid()) return "unknown place";
  const SourcePlace place = module.context().sources().Locate(range.begin);
  return fmt::format("{}:{}", place.line, place.column);
}

/// The pair of accesses that ends the first allowed range, as text.
std::string BoundText(const IRModule& module, const SafeDistances& distances) {
  const int32_t number = distances.allowed.front().above;
  if (number < 0) return "";
  const DistanceBound& bound = distances.bounds[static_cast<size_t>(number)];
  const std::string store = PlaceText(module, bound.store);
  const std::string access = PlaceText(module, bound.access);
  if (bound.loop == nullptr)
    return fmt::format("store at {}, access at {} in the same iteration", store, access);
  return fmt::format("store at {}, access at {} in a later iteration of `{}`{}", store, access,
                     bound.loop->name.view(),
                     bound.weight == 1 ? "" : fmt::format(", {} iterations on", bound.weight));
}

}  // namespace

void AddOverlapRelations(const IRModule& module, OverlapMode mode, MemoryProblem& made) {
  if (mode == OverlapMode::kOff) return;
  const std::vector<int32_t> buffers = BuffersOfAllocations(made);
  absl::flat_hash_map<std::tuple<Symbol, size_t, size_t, int64_t, int64_t>, SafeDistances> known;
  std::set<std::pair<int32_t, int32_t>> related;
  for (const DyingPair& pair : FindDyingPairs(module, made.liveness)) {
    const int32_t a = buffers[pair.dying];
    const int32_t b = buffers[pair.begun];
    if (a < 0 || b < 0 || related.contains(std::minmax(a, b))) continue;
    const Function* callee = module.Find(made.liveness.calls[pair.call].callee);
    TENON_CHECK(callee != nullptr);
    const auto [dying, begun] = BuffersOf(*callee->func, pair, made.liveness);
    const auto key = std::make_tuple(callee->name, pair.dying_param, pair.begun_param,
                                     dying.size_bytes, begun.size_bytes);
    auto at = known.find(key);
    if (at == known.end())
      at = known.emplace(key, SafeDistancesOf(*callee->func, dying, begun)).first;
    const planner::Problem& problem = made.problem;
    const int64_t alignment = std::min(problem.buffers[planner::Index(a)].alignment,
                                       problem.buffers[planner::Index(b)].alignment);
    std::vector<planner::DifferenceRange> allowed =
        AllowedDifferences(at->second, dying.size_bytes, begun.size_bytes, alignment, mode);
    if (allowed.empty()) continue;
    related.insert(std::minmax(a, b));
    made.overlaps.push_back({pair, at->second, made.problem.relations.size()});
    made.problem.relations.push_back(
        {planner::RelationKind::kOffsetDifference, a, b, std::move(allowed)});
  }
}

std::vector<OverlapRecord> OverlapRecordsOf(const IRModule& module, const MemoryProblem& made,
                                            const planner::Plan& plan) {
  std::vector<OverlapRecord> records;
  for (const MemoryProblem::Overlap& overlap : made.overlaps) {
    const planner::Relation& relation = made.problem.relations[overlap.relation];
    if (!ShareBytes(made.problem, plan, relation.a, relation.b)) continue;
    const auto& allocations = made.liveness.allocations;
    records.push_back({std::string(made.liveness.calls[overlap.pair.call].callee.view()),
                       allocations[overlap.pair.dying].name, allocations[overlap.pair.begun].name,
                       relation.allowed,
                       plan.placements[planner::Index(relation.b)].offset -
                           plan.placements[planner::Index(relation.a)].offset,
                       BoundText(module, overlap.distances)});
  }
  return records;
}

void NoteOverlaps(const MemoryProblem& made, const planner::Plan& plan, IRModule& module) {
  const std::vector<int32_t> buffers = BuffersOfAllocations(made);
  absl::flat_hash_map<Symbol, std::set<ParamPair>> pairs;
  for (const CallSpan& call : made.liveness.calls) {
    const auto buffer = [&](size_t argument) {
      const int32_t allocation = call.arguments[argument].allocation;
      return allocation < 0 ? -1 : buffers[static_cast<size_t>(allocation)];
    };
    for (size_t i = 0; i < call.arguments.size(); ++i) {
      for (size_t j = i + 1; j < call.arguments.size(); ++j) {
        if (buffer(i) < 0 || buffer(j) < 0 || buffer(i) == buffer(j)) continue;
        if (ShareBytes(made.problem, plan, buffer(i), buffer(j)))
          pairs[call.callee].emplace(static_cast<int64_t>(i), static_cast<int64_t>(j));
      }
    }
  }
  const std::vector<Function> functions = module.functions();
  for (const Function& function : functions) {
    const auto found = pairs.find(function.name);
    if (found == pairs.end()) continue;
    auto storage = std::make_shared<Storage>(function.storage);
    NodeBuilder builder(module.context(), storage->arena());
    PrimFunc copy = *function.func;
    copy.attrs = builder.With(copy.attrs, attr_key::kOverlaps,
                              OverlapsAttr(builder, {found->second.begin(), found->second.end()}));
    module.Update({function.name, storage->arena().New<PrimFunc>(copy), storage});
  }
}

}  // namespace tenon
