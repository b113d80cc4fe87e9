// No analysis sees the accesses of external code, so its generator declares which outputs may
// replace inputs. The declaration counts only if the call is the single time at which both are
// live.

#include "passes/memory/in_place_relations.h"

#include <algorithm>
#include <optional>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "ir/analysis/pointers.h"
#include "ir/analysis/statement_call.h"
#include "ir/external_code.h"
#include "ir/visitor.h"

namespace tenon {

namespace {

class PairFinder {
 public:
  PairFinder(const IRModule& module, const Liveness& liveness)
      : module_(module), liveness_(liveness) {
    for (const ExternalCode& code : ReadDeclaredExternals(module)) Note(code);
    for (const Function& function : module.functions()) {
      if (const std::optional<ExternalCode> code = ReadExternalCode(function)) Note(*code);
    }
  }

  std::set<InPlacePair> Find() {
    if (named_.empty()) return {};
    for (size_t i = 0; i < liveness_.allocations.size(); ++i) {
      if (!liveness_.allocations[i].is_constant)
        number_of_.emplace(liveness_.allocations[i].var, i);
    }
    for (const Symbol name : liveness_.reached) {
      const Function& function = *module_.Find(name);
      roots_ = PointerRoots(*function.func);
      Walk(function.func->body, [&](const Node* node) {
        if (const auto* evaluate = dyn_cast<Evaluate>(node)) VisitStatement(evaluate);
        return true;
      });
    }
    return std::move(found_);
  }

 private:
  void Note(const ExternalCode& code) {
    if (!code.in_place.empty()) named_.emplace(code.symbol, code.in_place);
  }

  void VisitStatement(const Evaluate* evaluate) {
    const CallSite site = CallOfStatement(module_, evaluate).site;
    const auto named = site.call == nullptr ? named_.end() : named_.find(std::string(site.name));
    if (named == named_.end()) return;
    const std::optional<int64_t> tick = TickOf(evaluate);
    if (!tick) return;
    for (const auto& [input, output] : named->second) {
      const std::optional<size_t> from = AllocationOf(site, input);
      const std::optional<size_t> to = AllocationOf(site, output);
      if (from && to && *from != *to && MeetAt(*from, *to, *tick))
        found_.insert(std::minmax(*from, *to));
    }
  }

  /// The tick of the statement; nullopt if it runs more than once.
  std::optional<int64_t> TickOf(const Stmt* stmt) const {
    const std::vector<const Stmt*>& stmts = liveness_.tick_stmts;
    std::optional<int64_t> tick;
    for (size_t i = 0; i < stmts.size(); ++i) {
      if (stmts[i] != stmt) continue;
      if (tick) return std::nullopt;
      tick = static_cast<int64_t>(i);
    }
    return tick;
  }

  /// The allocation whose start argument `index` points to, if no other argument points into it.
  std::optional<size_t> AllocationOf(const CallSite& site, int index) const {
    const auto at = static_cast<size_t>(index);
    if (index < 0 || at >= site.args.size() || !isa<Var>(site.args[at])) return std::nullopt;
    const Var* root = roots_.RootOf(site.args[at]);
    for (size_t i = 0; i < site.args.size(); ++i) {
      const bool is_pointer = site.args[i]->dtype.is_handle();
      if (i != at && is_pointer && roots_.TargetsOf(site.args[i]).Contains(root))
        return std::nullopt;
    }
    const auto found = root == nullptr ? number_of_.end() : number_of_.find(root);
    if (found == number_of_.end() || root != site.args[at]) return std::nullopt;
    return found->second;
  }

  /// True if `tick` is the only time at which both are live.
  bool MeetAt(size_t from, size_t to, int64_t tick) const {
    bool meet = false;
    for (const LiveRange& a : liveness_.ranges[from]) {
      for (const LiveRange& b : liveness_.ranges[to]) {
        const int64_t lower = std::max(a.lower, b.lower);
        const int64_t upper = std::min(a.upper, b.upper);
        if (lower >= upper) continue;
        if (lower != tick || upper != tick + 1) return false;
        meet = true;
      }
    }
    return meet;
  }

  const IRModule& module_;
  const Liveness& liveness_;
  /// The pairs that the code generator names, by the symbol of the function.
  absl::flat_hash_map<std::string, std::vector<std::pair<int, int>>> named_;
  absl::flat_hash_map<const Var*, size_t> number_of_;
  PointerRoots roots_;
  std::set<InPlacePair> found_;
};

}  // namespace

std::set<InPlacePair> FindInPlacePairs(const IRModule& module, const Liveness& liveness) {
  return PairFinder(module, liveness).Find();
}

void AddInPlaceRelations(const IRModule& module, MemoryProblem& made) {
  const std::set<InPlacePair> pairs = FindInPlacePairs(module, made.liveness);
  if (pairs.empty()) return;
  absl::flat_hash_map<size_t, size_t> buffer_of;
  for (const MemoryProblem::Place& place : made.places)
    buffer_of.emplace(place.allocation, place.buffer);
  std::set<std::pair<size_t, size_t>> related;
  for (const auto& [a, b] : pairs) {
    const auto x = buffer_of.find(a);
    const auto y = buffer_of.find(b);
    if (x == buffer_of.end() || y == buffer_of.end()) continue;
    if (x->second == y->second || !related.insert(std::minmax(x->second, y->second)).second)
      continue;
    planner::Relation& relation = made.problem.relations.emplace_back();
    relation.kind = planner::RelationKind::kOffsetDifference;
    relation.a = static_cast<int32_t>(x->second);
    relation.b = static_cast<int32_t>(y->second);
    relation.allowed = {{0, 0}};
  }
}

}  // namespace tenon
