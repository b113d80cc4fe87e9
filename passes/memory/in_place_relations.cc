#include "passes/memory/in_place_relations.h"

#include <algorithm>
#include <set>

#include "absl/container/flat_hash_map.h"
#include "ir/analysis/pointers.h"
#include "ir/analysis/statement_call.h"
#include "ir/external_code.h"
#include "ir/visitor.h"
#include "support/check.h"

namespace tenon {

namespace {

using InPlacePairs = std::vector<std::pair<int, int>>;

class RelationMaker {
 public:
  RelationMaker(const IRModule& module, MemoryProblem& made) : module_(module), made_(made) {
    for (const ExternalCode& code : ReadDeclaredExternals(module)) Note(code);
    for (const Function& function : module.functions()) {
      if (const std::optional<ExternalCode> code = ReadExternalCode(function)) Note(*code);
    }
  }

  void Make() {
    if (pairs_.empty()) return;
    for (const MemoryProblem::Place& place : made_.places) {
      const Allocation& allocation = made_.liveness.allocations[place.allocation];
      if (!allocation.is_constant) place_of_.emplace(allocation.var, &place);
    }
    for (const Symbol name : made_.liveness.reached) {
      const Function& function = *module_.Find(name);
      roots_ = PointerRoots(*function.func);
      Walk(function.func->body, [&](const Node* node) {
        if (const auto* evaluate = dyn_cast<Evaluate>(node)) VisitStatement(evaluate);
        return true;
      });
    }
  }

 private:
  void Note(const ExternalCode& code) {
    if (!code.in_place.empty()) pairs_.emplace(code.symbol, code.in_place);
  }

  void VisitStatement(const Evaluate* evaluate) {
    const CallSite site = CallOfStatement(module_, evaluate).site;
    const auto found = site.call == nullptr ? pairs_.end() : pairs_.find(std::string(site.name));
    if (found == pairs_.end()) return;
    const std::optional<int64_t> tick = TickOf(evaluate);
    if (!tick) return;
    for (const auto& [input, output] : found->second) {
      const MemoryProblem::Place* from = PlaceOf(site, input);
      const MemoryProblem::Place* to = PlaceOf(site, output);
      if (from != nullptr && to != nullptr && from != to && MeetAt(*from, *to, *tick))
        Relate(from->buffer, to->buffer);
    }
  }

  /// When the statement runs; nothing where it runs more than once.
  std::optional<int64_t> TickOf(const Stmt* stmt) const {
    const std::vector<const Stmt*>& stmts = made_.liveness.tick_stmts;
    std::optional<int64_t> tick;
    for (size_t i = 0; i < stmts.size(); ++i) {
      if (stmts[i] != stmt) continue;
      if (tick) return std::nullopt;
      tick = static_cast<int64_t>(i);
    }
    return tick;
  }

  /// The place of the memory that argument `index` points to the start of, if no other argument
  /// points into it; null otherwise.
  const MemoryProblem::Place* PlaceOf(const CallSite& site, int index) const {
    const auto at = static_cast<size_t>(index);
    if (index < 0 || at >= site.args.size() || !isa<Var>(site.args[at])) return nullptr;
    const Var* root = roots_.RootOf(site.args[at]);
    for (size_t i = 0; i < site.args.size(); ++i) {
      const bool is_pointer = site.args[i]->dtype.is_handle();
      if (i != at && is_pointer && roots_.RootOf(site.args[i]) == root) return nullptr;
    }
    const auto found = root == nullptr ? place_of_.end() : place_of_.find(root);
    return found == place_of_.end() || root != site.args[at] ? nullptr : found->second;
  }

  /// Whether the two are live at the same time at `tick` alone.
  bool MeetAt(const MemoryProblem::Place& from, const MemoryProblem::Place& to,
              int64_t tick) const {
    bool meet = false;
    for (const LiveRange& a : made_.liveness.ranges[from.allocation]) {
      for (const LiveRange& b : made_.liveness.ranges[to.allocation]) {
        const int64_t lower = std::max(a.lower, b.lower);
        const int64_t upper = std::min(a.upper, b.upper);
        if (lower >= upper) continue;
        if (lower != tick || upper != tick + 1) return false;
        meet = true;
      }
    }
    return meet;
  }

  void Relate(size_t from, size_t to) {
    if (!related_.insert({std::min(from, to), std::max(from, to)}).second) return;
    planner::Relation& relation = made_.problem.relations.emplace_back();
    relation.kind = planner::RelationKind::kOffsetDifference;
    relation.a = static_cast<int32_t>(from);
    relation.b = static_cast<int32_t>(to);
    relation.allowed = {{0, 0}};
  }

  const IRModule& module_;
  MemoryProblem& made_;
  absl::flat_hash_map<std::string, InPlacePairs> pairs_;
  absl::flat_hash_map<const Var*, const MemoryProblem::Place*> place_of_;
  PointerRoots roots_;
  std::set<std::pair<size_t, size_t>> related_;
};

}  // namespace

void AddInPlaceRelations(const IRModule& module, MemoryProblem& made) {
  RelationMaker(module, made).Make();
}

}  // namespace tenon
