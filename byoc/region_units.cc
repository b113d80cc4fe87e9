// Both passes must agree on what a region is, also in modules whose regions are in an order that
// cannot run. The error for a cycle shows its path, with one note for each statement.

#include "byoc/region_units.h"

#include <fmt/format.h>

#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "byoc/index.h"
#include "byoc/op_info.h"
#include "ir/attributes.h"
#include "support/check.h"
#include "support/stack.h"

namespace tenon {

namespace {

std::vector<int> UnitOfNodes(const FlowScope& scope, const std::vector<RegionUnit>& units) {
  std::vector<int> unit_of(scope.nodes.size(), -1);
  for (size_t u = 0; u < units.size(); ++u) {
    for (const int node : units[u].nodes) unit_of[At(node)] = static_cast<int>(u);
  }
  return unit_of;
}

/// A name for a statement in a message.
std::string Describe(const FlowNode& node) {
  return node.site.call == nullptr ? "this statement" : fmt::format("`{}`", node.site.name);
}

/// Adds one edge from unit to unit.
void NoteEdge(const FlowScope& scope, const std::vector<int>& unit_of, int from, int to,
              Diagnostic& error) {
  for (const FlowNode& node : scope.nodes) {
    if (unit_of[At(static_cast<int>(&node - scope.nodes.data()))] != to) continue;
    for (const FlowEdge& edge : node.before) {
      if (unit_of[At(edge.from)] != from) continue;
      const FlowNode& earlier = scope.nodes[At(edge.from)];
      const std::string_view why =
          edge.is_data ? "uses its result" : "uses the same memory, so it must come later";
      Diagnostics::AddNote(error, node.stmt->range,
                           fmt::format("after {}: {} {}", Describe(earlier), Describe(node), why));
      return;
    }
  }
}

/// The tensors that each unit reads, numbered by their memory and by the statement that wrote them.
std::vector<std::vector<int>> InputsOfUnits(const CallFlow& flow, const FlowScope& scope,
                                            const std::vector<int>& unit_of, size_t count) {
  std::vector<std::vector<int>> inputs(count);
  absl::flat_hash_map<const Var*, int> tensor_in;
  int next = 0;
  for (size_t i = 0; i < scope.nodes.size(); ++i) {
    const auto counts = [&](const FlowAccess& access) {
      const Stmt* binding = access.root == nullptr ? nullptr : flow.BindingOf(access.root);
      return access.root != nullptr && (binding == nullptr || !isa<AllocateConst>(binding));
    };
    for (const FlowAccess& access : scope.nodes[i].accesses) {
      if (!counts(access) || !access.reads) continue;
      const auto [tensor, is_new] = tensor_in.try_emplace(access.root, next);
      next += is_new ? 1 : 0;
      if (unit_of[i] >= 0) inputs[At(unit_of[i])].push_back(tensor->second);
    }
    for (const FlowAccess& access : scope.nodes[i].accesses) {
      if (counts(access) && access.writes) tensor_in[access.root] = next++;
    }
  }
  return inputs;
}

}  // namespace

std::vector<RegionUnit> GivenUnits(const FlowScope& scope) {
  std::vector<RegionUnit> units;
  std::vector<int> unit_of_region(scope.regions.size(), -1);
  for (size_t i = 0; i < scope.nodes.size(); ++i) {
    const int region = scope.nodes[i].region;
    const bool is_region = region >= 0 && scope.regions[At(region)].target != kHostTarget;
    if (is_region && unit_of_region[At(region)] >= 0) {
      units[At(unit_of_region[At(region)])].nodes.push_back(static_cast<int>(i));
      continue;
    }
    if (is_region) unit_of_region[At(region)] = static_cast<int>(units.size());
    RegionUnit& unit = units.emplace_back();
    unit.nodes = {static_cast<int>(i)};
    if (region < 0) continue;
    unit.target = std::string(scope.regions[At(region)].target);
    unit.name = scope.regions[At(region)].attr->node;
  }
  return units;
}

RegionGraph GraphOfUnits(const CallFlow& flow, const FlowScope& scope,
                         const std::vector<RegionUnit>& units, std::vector<int> colors) {
  const std::vector<int> unit_of = UnitOfNodes(scope, units);
  std::vector<RegionGraph::Edge> edges;
  for (size_t i = 0; i < scope.nodes.size(); ++i) {
    for (const FlowEdge& edge : scope.nodes[i].before) {
      const int from = unit_of[At(edge.from)];
      const int to = unit_of[i];
      if (from != to) edges.push_back({from, to, edge.is_data});
    }
  }
  return RegionGraph(std::move(colors), edges, InputsOfUnits(flow, scope, unit_of, units.size()));
}

bool OrderUnits(const CallFlow& flow, const FlowScope& scope, std::vector<RegionUnit>& units,
                Diagnostics& diagnostics) {
  std::sort(units.begin(), units.end(), [](const RegionUnit& a, const RegionUnit& b) {
    return a.nodes.front() < b.nodes.front();
  });
  const RegionGraph graph = GraphOfUnits(flow, scope, units, std::vector<int>(units.size(), -1));
  const std::vector<int> order = OrderOf(graph);
  if (order.size() == units.size()) {
    std::vector<RegionUnit> sorted;
    for (const int unit : order) sorted.push_back(std::move(units[At(unit)]));
    units = std::move(sorted);
    return true;
  }
  const std::vector<int> unit_of = UnitOfNodes(scope, units);
  std::vector<int> cycle = CycleOf(graph);
  // Every cycle contains a region: single statements are in the order of the program.
  const auto is_region = [&](int unit) { return units[At(unit)].nodes.size() > 1; };
  std::rotate(cycle.begin(), std::find_if(cycle.begin(), cycle.end(), is_region), cycle.end());
  const RegionUnit& region = units[At(cycle.front())];
  const FlowNode& first = scope.nodes[At(region.nodes.front())];
  Diagnostic& error = diagnostics.Error(
      DiagnosticKind::kRegionCycle, scope.regions[At(first.region)].attr->range,
      fmt::format("the region of `{}` cannot run as one function: a path leaves it and comes "
                  "back; put the statements on the path into the region, or divide it",
                  region.target));
  for (size_t i = 0; i < cycle.size(); ++i)
    NoteEdge(scope, unit_of, cycle[i], cycle[(i + 1) % cycle.size()], error);
  return false;
}

std::vector<std::string> TargetsOf(const IRModule& module, const CallSite& site) {
  std::vector<std::string> targets;
  if (site.call == nullptr) return targets;
  // An external function keeps its targets, in case its generator fails.
  if (site.callee != nullptr && site.callee->FindAttr(attr_key::kCompiler) != nullptr)
    return targets;
  const Attr* attr = site.callee != nullptr ? site.callee->FindAttr(attr_key::kTargets)
                                            : EntryOfExtern(module, attr_key::kTargets, site.name);
  const auto* list = dyn_cast_or_null<ArrayAttr>(attr);
  if (list == nullptr) return targets;
  for (const Attr* item : list->items) {
    if (const std::string_view* target = AsString(item)) targets.emplace_back(*target);
  }
  return targets;
}

RegionOp RegionOpOf(const IRModule& module, const CallSite& site) {
  TENON_CHECK(site.call != nullptr);
  const std::optional<OpInfo> info =
      site.callee != nullptr ? ReadOpInfo(*site.callee)
                             : ReadOpInfo(EntryOfExtern(module, attr_key::kOps, site.name));
  return {site.name, site.callee, info ? *info : UnknownOp("it has no claim")};
}

template <class T>
const Stmt* ScopeRewriter::WithBody(const T* stmt) {
  const Stmt* body = Rewrite(stmt->body);
  if (body == nullptr || body == stmt->body) return stmt;
  T copy = *stmt;
  copy.body = body;
  return builder_.arena().template New<T>(copy);
}

const Stmt* ScopeRewriter::RewriteInside(const Stmt* stmt) {
  if (const auto* loop = dyn_cast<For>(stmt)) return WithBody(loop);
  if (const auto* loop = dyn_cast<While>(stmt)) return WithBody(loop);
  if (const auto* let = dyn_cast<LetStmt>(stmt)) return WithBody(let);
  if (const auto* attr = dyn_cast<AttrStmt>(stmt)) return WithBody(attr);
  if (const auto* assertion = dyn_cast<AssertStmt>(stmt)) return WithBody(assertion);
  const auto* branch = dyn_cast<IfThenElse>(stmt);
  if (branch == nullptr) return stmt;
  IfThenElse copy = *branch;
  copy.then_case = Rewrite(branch->then_case);
  if (branch->else_case != nullptr) copy.else_case = Rewrite(branch->else_case);
  if (has_failed_) return stmt;
  if (copy.then_case == branch->then_case && copy.else_case == branch->else_case) return stmt;
  return builder_.arena().New<IfThenElse>(copy);
}

const Stmt* ScopeRewriter::Rewrite(const Stmt* body) {
  return WithStack([&] { return RewriteBody(body); });
}

const Stmt* ScopeRewriter::RewriteBody(const Stmt* body) {
  FlowScope scope;
  if (has_failed_ || !flow_.ScopeOf(body, scope, diagnostics_)) {
    Fail();
    return nullptr;
  }
  bool is_changed = false;
  for (FlowNode& node : scope.nodes) {
    if (node.site.call != nullptr) continue;
    if (node.region >= 0 && scope.regions[At(node.region)].target != kHostTarget) continue;
    const Stmt* now = RewriteInside(node.stmt);
    is_changed |= now != node.stmt;
    node.stmt = now;
  }
  if (has_failed_) return nullptr;
  const Stmt* now = RewriteScope(scope, is_changed);
  if (has_failed_) return nullptr;
  TENON_CHECK(now != nullptr || !is_changed);
  return now != nullptr ? now : body;
}

}  // namespace tenon
