// Rounds over targets: in each, a solver chooses regions for all waiting calls, and generators
// accept or refuse them. Refused calls wait for their next target. No round changes a region of an
// earlier one.

#include "byoc/merge_regions.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "byoc/index.h"
#include "byoc/region_units.h"
#include "ir/attributes.h"
#include "passes/loops/inline_lets.h"
#include "passes/outlining.h"
#include "support/check.h"

namespace tenon {

namespace {

/// Chooses the regions of one scope.
class ScopeMerger {
 public:
  ScopeMerger(const IRModule& module, const CallFlow& flow, const FlowScope& scope,
              const MergeRegionsOptions& options, const CodeGenerators& generators)
      : module_(module), flow_(flow), scope_(scope), options_(options), generators_(generators) {}

  /// The units of the scope, including regions, in any order. `is_new` is set if the module had
  /// fewer regions.
  std::vector<RegionUnit> Run(bool& is_new) {
    for (RegionUnit& unit : GivenUnits(scope_)) {
      const FlowNode& node = scope_.nodes[At(unit.nodes.front())];
      std::vector<std::string> targets;
      if (unit.target.empty()) targets = TargetsOf(module_, node.site);
      if (targets.empty()) {
        if (!unit.target.empty() && unit.target != kHostTarget) ++regions_of_[unit.target];
        done_.push_back(std::move(unit));
        continue;
      }
      is_new = true;
      open_.push_back({unit.nodes.front(), std::move(targets), 0, {}});
    }
    while (!open_.empty()) Round();
    return std::move(done_);
  }

  int64_t regions() const { return regions_; }
  int64_t operators() const { return operators_; }
  int64_t refused() const { return refused_; }

 private:
  /// A call that is not in a region yet.
  struct Open {
    int node = 0;
    std::vector<std::string> targets;
    size_t next = 0;
    /// The reasons of the targets before `next` that refused the call.
    std::string because;
  };

  /// Forms regions for the next target of every operator without a region.
  void Round() {
    std::vector<std::vector<int>> groups =
        Divided(options_.reorder ? Choose() : ChooseRuns(), options_.max_ops);
    std::vector<std::pair<std::string, std::vector<int>>> accepted;
    std::vector<std::pair<int, std::string>> refused;
    for (std::vector<int>& group : groups) {
      const std::string target = TargetOf(group.front());
      Support support = Accepts(group, target);
      if (!support.yes && group.size() > 1) {
        const int last = group.back();
        group.pop_back();
        const Support shorter = Accepts(group, target);
        if (shorter.yes) {
          refused.emplace_back(last, support.because);
          support = shorter;
        } else {
          group.push_back(last);
        }
      }
      if (support.yes) {
        accepted.emplace_back(target, std::move(group));
      } else {
        for (const int at : group) refused.emplace_back(at, support.because);
      }
    }
    KeepBest(accepted, refused);
    for (const auto& [target, group] : accepted) Finish(target, group);
    for (const auto& [at, because] : refused) Refuse(open_[At(at)], because);
    std::erase_if(open_, [](const Open& open) { return open.node < 0; });
  }

  const std::string& TargetOf(int at) const { return open_[At(at)].targets[open_[At(at)].next]; }

  /// The smallest number of regions, as indices of open_.
  std::vector<std::vector<int>> Choose() const {
    std::map<std::string_view, int> color_of;
    std::vector<RegionUnit> units = done_;
    std::vector<int> colors(units.size(), -1);
    const size_t first = units.size();
    for (size_t i = 0; i < open_.size(); ++i) {
      units.emplace_back().nodes = {open_[i].node};
      const int next = static_cast<int>(color_of.size());
      colors.push_back(color_of.try_emplace(TargetOf(static_cast<int>(i)), next).first->second);
    }
    const RegionChoice choice =
        ChooseRegions(GraphOfUnits(flow_, scope_, units, std::move(colors)), options_.siblings);
    std::vector<std::vector<int>> groups(At(choice.count));
    for (size_t i = 0; i < open_.size(); ++i)
      groups[At(choice.region_of[first + i])].push_back(static_cast<int>(i));
    return groups;
  }

  /// Regions of calls that follow each other in the program.
  std::vector<std::vector<int>> ChooseRuns() const {
    std::vector<std::vector<int>> groups;
    for (size_t i = 0; i < open_.size(); ++i) {
      const int at = static_cast<int>(i);
      const bool follows =
          i > 0 && open_[i].node == open_[i - 1].node + 1 && TargetOf(at) == TargetOf(at - 1);
      if (!follows) groups.emplace_back();
      groups.back().push_back(at);
    }
    return groups;
  }

  /// Regions of at most this many calls, which follow each other in order, so that no path leads
  /// back.
  static std::vector<std::vector<int>> Divided(std::vector<std::vector<int>> groups,
                                               int64_t max_ops) {
    if (max_ops <= 0) return groups;
    std::vector<std::vector<int>> parts;
    for (const std::vector<int>& group : groups) {
      for (size_t i = 0; i < group.size(); ++i) {
        if (i % static_cast<size_t>(max_ops) == 0) parts.emplace_back();
        parts.back().push_back(group[i]);
      }
    }
    return parts;
  }

  Region RegionOf(const std::vector<int>& group) const {
    Region region;
    region.function = flow_.function().name.view();
    for (const int at : group) {
      const CallSite& site = scope_.nodes[At(open_[At(at)].node)].site;
      auto found = ops_.find(site.name);
      if (found == ops_.end()) found = ops_.emplace(site.name, RegionOpOf(module_, site)).first;
      region.ops.push_back(found->second);
    }
    AddBytes(group, region);
    return region;
  }

  /// How often statements access a tensor.
  struct Uses {
    int64_t reads = 0, writes = 0;
  };

  /// The accesses of the whole scope.
  const Uses& UsesOf(const Var* root) const {
    if (uses_.empty()) {
      for (const FlowNode& node : scope_.nodes) {
        for (const FlowAccess& access : node.accesses) {
          uses_[access.root].reads += access.reads ? 1 : 0;
          uses_[access.root].writes += access.writes ? 1 : 0;
        }
      }
    }
    return uses_[root];
  }

  /// Sums up the memory through which a region exchanges values with other statements.
  void AddBytes(const std::vector<int>& group, Region& region) const {
    absl::flat_hash_map<const Var*, Uses> own;
    absl::flat_hash_set<const Var*> overwritten, needed;
    for (const int at : group) {
      for (const FlowAccess& access : scope_.nodes[At(open_[At(at)].node)].accesses) {
        Uses& uses = own[access.root];
        uses.reads += access.reads ? 1 : 0;
        if (access.reads && !overwritten.contains(access.root)) needed.insert(access.root);
        uses.writes += access.writes ? 1 : 0;
        if (access.overwrites) overwritten.insert(access.root);
      }
    }
    for (const auto& [root, uses] : own) {
      const Stmt* binding = root == nullptr ? nullptr : flow_.BindingOf(root);
      if (root == nullptr || (binding != nullptr && isa<AllocateConst>(binding))) continue;
      const int64_t bytes = std::max<int64_t>(flow_.BytesOf(root), 0);
      const Uses& all = UsesOf(root);
      const bool is_param = flow_.IsParam(root);
      if (needed.contains(root) && (is_param || all.writes > uses.writes))
        region.input_bytes += bytes;
      if (uses.writes > 0 && (is_param || all.reads > uses.reads)) region.output_bytes += bytes;
    }
  }

  Support Accepts(const std::vector<int>& group, const std::string& target) const {
    if (static_cast<int64_t>(group.size()) < options_.min_ops)
      return Support::No("fewer operators than min-ops");
    const CodeGenerator* generator = generators_.Find(target);
    GeneratorTarget to(target);
    to.host = HostFacts::Parse(options_.host).value_or(HostFacts());
    if (options_.min_macs >= 0) to.min_macs = options_.min_macs;
    const Region region = RegionOf(group);
    if (generator != nullptr) return generator->AcceptsRegion(region, to);
    const bool is_enough = region.macs() >= to.min_macs.value_or(0);
    return is_enough ? Support::Yes() : Support::No("below min-macs");
  }

  /// Moves the regions beyond the limit of their target from `accepted` to `refused`.
  void KeepBest(std::vector<std::pair<std::string, std::vector<int>>>& accepted,
                std::vector<std::pair<int, std::string>>& refused) {
    if (options_.max_regions <= 0) return;
    struct Worth {
      int64_t macs, elements;
      size_t at;
    };
    std::vector<Worth> by_worth;
    for (size_t i = 0; i < accepted.size(); ++i) {
      const Region region = RegionOf(accepted[i].second);
      by_worth.push_back({region.macs(), region.elements(), i});
    }
    std::sort(by_worth.begin(), by_worth.end(), [](const Worth& a, const Worth& b) {
      return std::tuple(-a.macs, -a.elements, a.at) < std::tuple(-b.macs, -b.elements, b.at);
    });
    std::map<std::string, int64_t> taken = regions_of_;
    std::vector<bool> is_kept(accepted.size(), false);
    for (const Worth& worth : by_worth)
      is_kept[worth.at] = taken[accepted[worth.at].first]++ < options_.max_regions;
    size_t i = 0;
    std::erase_if(accepted, [&](const auto& region) {
      if (is_kept[i++]) return false;
      for (const int at : region.second) refused.emplace_back(at, "beyond max-regions");
      return true;
    });
  }

  void Finish(const std::string& target, const std::vector<int>& group) {
    ++regions_of_[target];
    ++regions_;
    RegionUnit& unit = done_.emplace_back();
    unit.target = target;
    for (const int at : group) {
      unit.nodes.push_back(std::exchange(open_[At(at)].node, -1));
      ++operators_;
    }
  }

  void Refuse(Open& open, const std::string& because) {
    if (!open.because.empty()) open.because += "; ";
    open.because += fmt::format("{}: {}", open.targets[open.next], because);
    if (++open.next < open.targets.size()) return;
    ++refused_;
    RegionUnit& unit = done_.emplace_back();
    unit.nodes = {std::exchange(open.node, -1)};
    unit.target = std::string(kHostTarget);
    reasons_.push_back(std::make_unique<std::string>(std::move(open.because)));
    names_.push_back(std::make_unique<StringAttr>(*reasons_.back()));
    unit.name = names_.back().get();
  }

  const IRModule& module_;
  const CallFlow& flow_;
  const FlowScope& scope_;
  const MergeRegionsOptions& options_;
  const CodeGenerators& generators_;
  /// Operators by their names in calls.
  mutable absl::flat_hash_map<std::string_view, RegionOp> ops_;
  std::vector<RegionUnit> done_;
  std::vector<Open> open_;
  std::map<std::string, int64_t> regions_of_;
  std::vector<std::unique_ptr<std::string>> reasons_;
  std::vector<std::unique_ptr<StringAttr>> names_;
  mutable absl::flat_hash_map<const Var*, Uses> uses_;
  int64_t regions_ = 0;
  int64_t operators_ = 0;
  int64_t refused_ = 0;
};

/// Merges the regions of one function.
class FunctionMerger : public ScopeRewriter {
 public:
  FunctionMerger(NodeBuilder& builder, const CallFlow& flow, const IRModule& module,
                 const MergeRegionsOptions& options, const CodeGenerators& generators,
                 PassContext& context)
      : ScopeRewriter(builder, flow, context.diagnostics),
        module_(module),
        options_(options),
        generators_(generators),
        context_(context) {}

 private:
  const Stmt* RewriteScope(const FlowScope& scope, bool is_changed) override {
    if (scope.nodes.empty()) return nullptr;
    std::vector<RegionUnit> given = GivenUnits(scope);
    // The regions of the module are checked before the pass adds others.
    if (!OrderUnits(flow(), scope, given, diagnostics())) {
      Fail();
      return nullptr;
    }
    ScopeMerger merger(module_, flow(), scope, options_, generators_);
    std::vector<RegionUnit> units = merger.Run(is_changed);
    if (!OrderUnits(flow(), scope, units, diagnostics())) TENON_UNREACHABLE();
    if (!is_changed && IsAsWritten(scope, units)) return nullptr;
    context_.Count("merge-regions.regions", merger.regions());
    context_.Count("merge-regions.operators", merger.operators());
    context_.Count("merge-regions.refused", merger.refused());
    std::vector<const Stmt*> statements;
    for (const RegionUnit& unit : units) statements.push_back(StmtOf(scope, unit));
    return InBindings(builder(), scope.bindings,
                      builder().Seq(Span<const Stmt*>(statements.data(), statements.size())));
  }

  /// True if the units are in their original order, and each region was one scope.
  static bool IsAsWritten(const FlowScope& scope, const std::vector<RegionUnit>& units) {
    int next = 0;
    for (const RegionUnit& unit : units) {
      for (const int node : unit.nodes) {
        if (node != next++) return false;
      }
    }
    // Several scopes of one name count separately.
    return scope.scope_count == static_cast<int>(scope.regions.size());
  }

  const Stmt* StmtOf(const FlowScope& scope, const RegionUnit& unit) {
    std::vector<const Stmt*> statements;
    for (const int node : unit.nodes) statements.push_back(scope.nodes[At(node)].stmt);
    const SourceRange range = statements.front()->range;
    const Stmt* body = builder().Seq(Span<const Stmt*>(statements.data(), statements.size()));
    if (unit.target.empty()) return body;
    const Attr* name = builder().ExprValue(builder().Int(0));
    if (unit.name != nullptr) {
      const std::string_view* text = AsString(unit.name);
      name = text != nullptr ? builder().StringValue(*text) : unit.name;
    }
    const std::string_view key = attr_key::kRegion;
    return builder().New<AttrStmt>(range, name, key, builder().String(unit.target), body);
  }

  const IRModule& module_;
  const MergeRegionsOptions& options_;
  const CodeGenerators& generators_;
  PassContext& context_;
};

}  // namespace

absl::StatusOr<IRModule> MergeRegions(const IRModule& module, const MergeRegionsOptions& options,
                                      PassContext& context) {
  if (!CheckNotPlanned(module, context.diagnostics))
    return absl::FailedPreconditionError("the module is planned");
  if (!CheckClaims(module, context.diagnostics))
    return absl::InvalidArgumentError("a claim cannot be read");
  if (!HostFacts::Parse(options.host)) return absl::InvalidArgumentError(kNoHostFacts);
  const CodeGenerators built_in = CodeGenerators::BuiltIn();
  const CodeGenerators& generators = context.generators != nullptr ? *context.generators : built_in;
  const OperatorEffects effects(module);
  IRModule result = module;
  for (const Function* graph : GraphFunctions(module)) {
    const Function plain = InlineIndexAndPointerLets(module.context(), *graph);
    const Function* function = &plain;
    const CallFlow flow(effects, plain);
    auto storage = std::make_shared<Storage>(function->storage);
    NodeBuilder builder(module.context(), storage->arena());
    FunctionMerger merger(builder, flow, module, options, generators, context);
    const Stmt* body = merger.Rewrite(function->func->body);
    if (body == nullptr) return absl::InvalidArgumentError("cannot make regions");
    if (body == function->func->body) continue;
    PrimFunc copy = *function->func;
    copy.body = body;
    result.Update({function->name, storage->arena().New<PrimFunc>(copy), storage});
  }
  return result;
}

}  // namespace tenon
