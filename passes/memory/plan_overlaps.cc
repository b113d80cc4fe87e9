// Two questions need the same pairs of neighbours in memory: which overlaps a plan may use, and
// which pointers stay `restrict` under that plan.

#include "passes/memory/plan_overlaps.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <tuple>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "ir/analysis/call_graph.h"
#include "ir/attributes.h"
#include "ir/function_attrs.h"
#include "ir/overlaps.h"
#include "support/check.h"

namespace tenon {

namespace {

/// The buffer of each allocation that the plan places; -1 for all others.
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

/// A pass may have made the statement, which then has no place.
std::string PlaceText(const IRModule& module, std::string_view what, SourceRange range) {
  if (!range.valid()) return fmt::format("{} of a pass", what);
  const SourcePlace place = module.context().sources().Locate(range.begin);
  return fmt::format("{} at {}:{}", what, place.line, place.column);
}

/// The pair of accesses that ends the allowed range of a distance, as text: at the range's upper
/// end, or at its lower end if it has no upper end.
std::string BoundText(const IRModule& module, const SafeDistances& distances, int64_t distance) {
  const auto range = std::find_if(distances.allowed.begin(), distances.allowed.end(),
                                  [&](const AllowedDistances& of) { return distance <= of.last; });
  TENON_CHECK(range != distances.allowed.end());
  const int32_t number = range->above >= 0 ? range->above : range->below;
  if (number < 0) return "";
  const DistanceBound& bound = distances.bounds[static_cast<size_t>(number)];
  const std::string store = PlaceText(module, "store", bound.store);
  const std::string access = PlaceText(module, "access", bound.access);
  if (bound.loop == nullptr) return fmt::format("{}, {} in the same iteration", store, access);
  return fmt::format("{}, {} in a later iteration of `{}`{}", store, access,
                     bound.loop->name.view(),
                     bound.weight == 1 ? "" : fmt::format(", {} iterations on", bound.weight));
}

}  // namespace

std::vector<OverlapCandidate> FindOverlapCandidates(const IRModule& module,
                                                    const MemoryProblem& made) {
  const std::vector<int32_t> buffers = BuffersOfAllocations(made);
  std::vector<OverlapCandidate> candidates;
  for (const DyingPair& pair : FindDyingPairs(module, made.liveness)) {
    const int32_t a = buffers[pair.dying];
    const int32_t b = buffers[pair.begun];
    if (a < 0 || b < 0) continue;
    const Function* callee = module.Find(made.liveness.calls[pair.call].callee);
    TENON_CHECK(callee != nullptr);
    const auto [dying, begun] = BuffersOf(*callee->func, pair, made.liveness);
    const int64_t alignment = std::min(made.problem.buffers[planner::Index(a)].alignment,
                                       made.problem.buffers[planner::Index(b)].alignment);
    candidates.push_back({pair, callee->name, dying, begun, a, b, alignment});
  }
  return candidates;
}

void AddOverlapRelations(const IRModule& module, OverlapMode mode, MemoryProblem& made) {
  if (mode == OverlapMode::kOff) return;
  absl::flat_hash_map<std::tuple<Symbol, size_t, size_t, int64_t, int64_t>, SafeDistances> known;
  std::set<std::pair<int32_t, int32_t>> related;
  for (const OverlapCandidate& candidate : FindOverlapCandidates(module, made)) {
    const auto& [pair, callee, dying, begun, a, b, alignment] = candidate;
    if (related.contains(std::minmax(a, b))) continue;
    const auto key = std::make_tuple(callee, pair.dying_param, pair.begun_param, dying.size_bytes,
                                     begun.size_bytes);
    auto at = known.find(key);
    if (at == known.end())
      at = known
               .emplace(key, DistancesOfParams(*module.Find(callee)->func, pair.dying_param, dying,
                                               pair.begun_param, begun))
               .first;
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
    const int64_t distance = plan.placements[planner::Index(relation.b)].offset -
                             plan.placements[planner::Index(relation.a)].offset;
    records.push_back({std::string(made.liveness.calls[overlap.pair.call].callee.view()),
                       allocations[overlap.pair.dying].name, allocations[overlap.pair.begun].name,
                       relation.allowed, distance, BoundText(module, overlap.distances, distance)});
  }
  return records;
}

namespace {

/// Memory of a function with `tir.noalias` in addition to an argument.
struct Neighbour {
  const Function& callee;
  int64_t param;
  int32_t argument;  ///< buffer
  int32_t other;     ///< buffer of another argument, or of the function's own memory
  /// The parameter of another argument; nullopt for own memory.
  std::optional<int64_t> other_param;
};

/// For functions with `tir.noalias`, visits the memory that they access besides each argument: the
/// other arguments, their own memory, and their callees' memory. Such memory may take the place of
/// an argument after its last read.
class Neighbours {
 public:
  Neighbours(const IRModule& module, const MemoryProblem& made)
      : module_(module), made_(made), buffers_(BuffersOfAllocations(made)), calls_(module) {}

  template <class F>
  void ForEach(F&& f) {
    for (const CallSpan& call : made_.liveness.calls) {
      const Function* callee = module_.Find(call.callee);
      if (callee != nullptr && IsNoAlias(*callee->func)) ForEachOf(call, *callee, f);
    }
  }

 private:
  template <class F>
  void ForEachOf(const CallSpan& call, const Function& callee, F&& f) {
    const size_t count = std::min(call.arguments.size(), callee.func->params.size());
    std::vector<std::vector<int32_t>> buffers;
    for (size_t i = 0; i < count; ++i) buffers.push_back(BuffersOf(call.arguments[i]));
    for (size_t i = 0; i < count; ++i) {
      for (const int32_t buffer : buffers[i]) {
        const auto param = static_cast<int64_t>(i);
        for (size_t j = i + 1; j < count; ++j) {
          for (const int32_t other : buffers[j]) {
            if (other != buffer)
              f(Neighbour{callee, param, buffer, other, static_cast<int64_t>(j)});
          }
        }
        for (const int32_t scratch : ScratchOf(callee)) {
          if (scratch != buffer) f(Neighbour{callee, param, buffer, scratch, std::nullopt});
        }
      }
    }
  }

  /// The planned buffers that an argument may point into.
  std::vector<int32_t> BuffersOf(const CallSpan::Argument& argument) const {
    std::vector<int32_t> allocations = argument.chosen;
    allocations.push_back(argument.allocation);
    std::vector<int32_t> buffers;
    for (const int32_t allocation : allocations) {
      if (const int32_t buffer = BufferOf(allocation); buffer >= 0) buffers.push_back(buffer);
    }
    return buffers;
  }

  const std::vector<int32_t>& ScratchOf(const Function& callee) {
    const auto [at, is_new] = scratch_.try_emplace(callee.name);
    if (!is_new) return at->second;
    absl::flat_hash_set<Symbol> reached;
    for (const size_t index : calls_.CalleesFirst(calls_.IndexOf(callee.name)))
      reached.insert(module_.functions()[index].name);
    const std::vector<Allocation>& allocations = made_.liveness.allocations;
    for (size_t i = 0; i < allocations.size(); ++i) {
      if (buffers_[i] >= 0 && reached.contains(allocations[i].function))
        at->second.push_back(buffers_[i]);
    }
    return at->second;
  }

  int32_t BufferOf(int32_t allocation) const {
    return allocation < 0 ? -1 : buffers_[static_cast<size_t>(allocation)];
  }

  const IRModule& module_;
  const MemoryProblem& made_;
  std::vector<int32_t> buffers_;
  CallGraph calls_;
  absl::flat_hash_map<Symbol, std::vector<int32_t>> scratch_;
};

}  // namespace

std::vector<planner::Relation> ApartRelations(const IRModule& module, const MemoryProblem& made,
                                              const planner::Plan& plan) {
  std::set<std::pair<int32_t, int32_t>> related;
  for (const planner::Relation& relation : made.problem.relations)
    related.insert(std::minmax(relation.a, relation.b));
  std::vector<planner::Relation> relations;
  bool any_shares = false;
  Neighbours(module, made).ForEach([&](const Neighbour& neighbour) {
    if (!related.insert(std::minmax(neighbour.argument, neighbour.other)).second) return;
    any_shares |= ShareBytes(made.problem, plan, neighbour.argument, neighbour.other);
    relations.push_back(
        {planner::RelationKind::kDisjoint, neighbour.argument, neighbour.other, {}});
  });
  if (!any_shares) relations.clear();
  return relations;
}

void NoteOverlaps(const MemoryProblem& made, const planner::Plan& plan, IRModule& module) {
  struct Shared {
    std::set<ParamPair> pairs;
    std::set<ParamAndPool> pools;
  };
  absl::flat_hash_map<Symbol, Shared> shared;
  Neighbours(module, made).ForEach([&](const Neighbour& neighbour) {
    if (!ShareBytes(made.problem, plan, neighbour.argument, neighbour.other)) return;
    Shared& own = shared[neighbour.callee.name];
    if (neighbour.other_param) {
      own.pairs.emplace(neighbour.param, *neighbour.other_param);
      return;
    }
    const int32_t pool = plan.placements[planner::Index(neighbour.other)].pool;
    own.pools.emplace(neighbour.param, made.problem.pools[planner::Index(pool)].name);
  });
  if (shared.empty()) return;
  const std::vector<Function> functions = module.functions();
  for (const Function& function : functions) {
    const auto found = shared.find(function.name);
    if (found == shared.end()) continue;
    const Shared& own = found->second;
    module.Update(
        WithAttrs(module.context(), function, [&](NodeBuilder& builder, const MapAttr* attrs) {
          return builder.With(attrs, attr_key::kOverlaps,
                              OverlapsAttr(builder, {own.pairs.begin(), own.pairs.end()},
                                           {own.pools.begin(), own.pools.end()}));
        }));
  }
}

}  // namespace tenon
