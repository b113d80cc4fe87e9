// An operator is copied if the host and an external body both reach it. Reachability is computed
// from both sides first, so that each copy is made once and calls among copies agree.

#include "byoc/separate_operators.h"

#include <fmt/format.h>

#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "byoc/callee_renamer.h"
#include "ir/analysis/call_graph.h"
#include "ir/attributes.h"
#include "ir/function_attrs.h"

namespace tenon {

namespace {

/// The names of copies by the functions that they are copies of.
using Copies = absl::flat_hash_map<Symbol, Symbol>;

/// The functions that `open` reach, including `open`, without the callees of functions for which
/// `stops` holds.
absl::flat_hash_set<size_t> Reach(const IRModule& module, const CallGraph& graph,
                                  std::vector<size_t> open,
                                  const std::function<bool(const Function&)>& stops) {
  absl::flat_hash_set<size_t> reached;
  while (!open.empty()) {
    const size_t index = open.back();
    open.pop_back();
    if (stops(module.functions()[index]) || !reached.insert(index).second) continue;
    for (const CallGraph::Site& site : graph.CallsOf(index)) open.push_back(site.callee);
  }
  return reached;
}

/// The function under another name, without a global symbol.
Function CopyOf(Context& context, const Function& function, Symbol name) {
  Function copy = WithoutAttrs(context, function, {attr_key::kGlobalSymbol});
  copy.name = name;
  return copy;
}

}  // namespace

IRModule SeparateOperators(const IRModule& module,
                           const std::function<bool(const Function&)>& is_external) {
  const CallGraph graph(module);
  std::vector<size_t> hosts;
  std::vector<size_t> bodies;
  std::vector<size_t> externals;
  for (size_t i = 0; i < module.functions().size(); ++i) {
    if (!graph.IsCalled(i)) hosts.push_back(i);
    if (!is_external(module.functions()[i])) continue;
    externals.push_back(i);
    for (const CallGraph::Site& site : graph.CallsOf(i)) bodies.push_back(site.callee);
  }
  if (externals.empty()) return module;
  const auto nothing = [](const Function&) { return false; };
  const absl::flat_hash_set<size_t> of_host = Reach(module, graph, hosts, is_external);
  const absl::flat_hash_set<size_t> of_bodies = Reach(module, graph, bodies, nothing);
  Copies copies;
  IRModule result = module;
  for (size_t i = 0; i < module.functions().size(); ++i) {
    if (!of_host.contains(i) || !of_bodies.contains(i)) continue;
    const Function& function = module.functions()[i];
    std::string name = fmt::format("{}_external", function.name.view());
    while (result.FindCallee(name) != nullptr) name += '_';
    const Symbol symbol = module.context().Intern(name);
    copies.emplace(function.name, symbol);
    result.Add(CopyOf(module.context(), function, symbol));
  }
  if (copies.empty()) return module;
  const CalleeName callee_name = [&](const CallSite& site) {
    const auto found = copies.find(site.callee->name);
    return std::string(found == copies.end() ? site.name : found->second.view());
  };
  const auto rename = [&](Symbol name) {
    const Function before = *result.Find(name);
    Function now = RewriteFunction<CalleeRenamer>(module.context(), before, module, callee_name);
    if (now.func != before.func) result.Update(std::move(now));
  };
  for (const size_t i : externals) rename(module.functions()[i].name);
  for (const auto& [name, copy] : copies) rename(copy);
  for (const size_t i : of_bodies) {
    if (!of_host.contains(i)) rename(module.functions()[i].name);
  }
  return result;
}

}  // namespace tenon
