// Regions become functions, which generators optimise before any other step. If several targets
// call a function, each gets a copy, because the answer for one target may change it.

#include "byoc/partition.h"

#include <fmt/format.h>

#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "byoc/index.h"
#include "byoc/outline.h"
#include "ir/analysis/call_graph.h"
#include "ir/attributes.h"
#include "ir/function_attrs.h"
#include "ir/visitor.h"
#include "lowering/symbol_names.h"
#include "passes/loops/inline_lets.h"
#include "passes/outlining.h"
#include "support/check.h"

namespace tenon {

namespace {

/// The state of one run of the pass, for all functions.
class Partitioner {
 public:
  Partitioner(const IRModule& module, const PartitionOptions& options, PassContext& context)
      : module_(module),
        options_(options),
        context_(context),
        built_in_(CodeGenerators::BuiltIn()),
        generators_(context.generators != nullptr ? *context.generators : built_in_),
        result_(module) {
    for (const Function& function : module.functions()) {
      taken_.insert(std::string(function.name.view()));
      taken_.insert(std::string(function.global_symbol()));
    }
  }

  absl::StatusOr<IRModule> Run();

  const IRModule& module() const { return module_; }
  const PartitionOptions& options() const { return options_; }

  /// Adds the function of a unit, and returns the call that replaces the unit.
  const Stmt* AddRegion(const CallFlow& flow, const FlowScope& scope,
                        const std::vector<RegionUnit>& units, size_t at, const ScopeUses& uses,
                        NodeBuilder& builder);

 private:
  std::string SymbolOf(const Function& caller, const std::string& target, int64_t& number);
  std::string FreeName(std::string base);
  std::vector<std::string> TargetsOfAll(const FlowScope& scope, const RegionUnit& unit) const;
  std::string CopyFor(const CallSite& site, const std::string& target);
  bool IsInside(const std::string& target) const;
  absl::Status Optimize();
  absl::StatusOr<IRModule> OptimizeFor(const CodeGenerator& generator, const std::string& target);
  void DropAnnotations();

  const IRModule& module_;
  const PartitionOptions& options_;
  PassContext& context_;
  const CodeGenerators built_in_;
  const CodeGenerators& generators_;
  IRModule result_;
  absl::flat_hash_set<std::string> taken_;
  /// The next number of an external function in a symbol, by caller.
  absl::flat_hash_map<Symbol, int64_t> numbers_;
  /// The target whose external functions call the operator itself; other targets have copies.
  absl::flat_hash_map<Symbol, std::string> owner_;
  absl::flat_hash_map<std::pair<Symbol, std::string>, std::string> copies_;
  /// In the order in which they were created.
  std::vector<std::pair<std::string, Symbol>> made_;
};

/// Replaces the regions of one function by calls.
class FunctionPartitioner : public ScopeRewriter {
 public:
  FunctionPartitioner(NodeBuilder& builder, const CallFlow& flow, Partitioner& partitioner,
                      Diagnostics& diagnostics)
      : ScopeRewriter(builder, flow, diagnostics), partitioner_(partitioner) {}

 private:
  const Stmt* RewriteScope(const FlowScope& scope, bool is_changed) override {
    std::vector<RegionUnit> units = GivenUnits(scope);
    const bool keep = partitioner_.options().keep_reasons;
    for (RegionUnit& unit : units) {
      if (!unit.target.empty()) {
        is_changed |= unit.target != kHostTarget || !keep;
        continue;
      }
      const CallSite& site = scope.nodes[At(unit.nodes.front())].site;
      const std::vector<std::string> targets = TargetsOf(partitioner_.module(), site);
      if (targets.empty()) continue;
      unit.target = targets.front();
      is_changed = true;
    }
    if (!is_changed) return nullptr;
    if (!OrderUnits(flow(), scope, units, diagnostics()) || !MayMove(scope, units)) {
      Fail();
      return nullptr;
    }
    return Rebuild(scope, units);
  }

  /// An error for a region that may leave the function.
  bool MayMove(const FlowScope& scope, const std::vector<RegionUnit>& units) {
    for (const RegionUnit& unit : units) {
      if (unit.target.empty() || unit.target == kHostTarget) continue;
      for (const int node : unit.nodes) {
        if (!scope.nodes[At(node)].is_barrier) continue;
        diagnostics().Error(
            DiagnosticKind::kUnsupportedOperator, scope.nodes[At(node)].stmt->range,
            fmt::format("expected calls and loops in the region of `{}`, found a statement that "
                        "may leave the function, or whose memory is not known",
                        unit.target));
        return false;
      }
    }
    return true;
  }

  const Stmt* Rebuild(const FlowScope& scope, const std::vector<RegionUnit>& units) {
    const ScopeUses uses(flow(), scope, units);
    std::vector<const Stmt*> statements;
    absl::flat_hash_set<const Var*> moved;
    for (size_t i = 0; i < units.size(); ++i) {
      const RegionUnit& unit = units[i];
      const bool is_region = !unit.target.empty() && unit.target != kHostTarget;
      if (is_region) {
        for (const RegionVar& var : uses.VarsOf(i)) moved.insert(var.var);
        statements.push_back(partitioner_.AddRegion(flow(), scope, units, i, uses, builder()));
        continue;
      }
      const Stmt* stmt = scope.nodes[At(unit.nodes.front())].stmt;
      if (!unit.target.empty() && partitioner_.options().keep_reasons) {
        const std::string_view key = attr_key::kRegion;
        stmt = builder().New<AttrStmt>(stmt->range, unit.name, key, builder().String(unit.target),
                                       stmt);
      }
      statements.push_back(stmt);
    }
    return InBindings(builder(), StillUsed(scope.bindings, statements, moved),
                      builder().Seq(Span<const Stmt*>(statements.data(), statements.size())));
  }

  /// The bindings without those that only regions used.
  static std::vector<const Stmt*> StillUsed(const std::vector<const Stmt*>& bindings,
                                            const std::vector<const Stmt*>& statements,
                                            const absl::flat_hash_set<const Var*>& moved) {
    absl::flat_hash_set<const Node*> used;
    const auto note = [&](const Node* node) {
      if (isa<Var>(node) || isa<Buffer>(node)) used.insert(node);
      return true;
    };
    for (const Stmt* stmt : statements) Walk(stmt, note);
    std::vector<const Stmt*> kept;
    for (size_t i = bindings.size(); i-- > 0;) {
      const auto* allocate = dyn_cast<Allocate>(bindings[i]);
      const auto* constant = dyn_cast<AllocateConst>(bindings[i]);
      const auto* decl = dyn_cast<DeclBuffer>(bindings[i]);
      const Var* var = allocate != nullptr   ? allocate->buffer_var
                       : constant != nullptr ? constant->buffer_var
                                             : decl->buffer->data;
      const bool is_used = used.contains(decl != nullptr ? static_cast<const Node*>(decl->buffer)
                                                         : static_cast<const Node*>(var));
      if (!is_used && moved.contains(var)) continue;
      kept.push_back(bindings[i]);
      if (decl != nullptr) Walk(decl->buffer, note);
      if (allocate != nullptr) {
        for (const Expr* extent : allocate->extents) Walk(extent, note);
      }
    }
    std::reverse(kept.begin(), kept.end());
    return kept;
  }

  Partitioner& partitioner_;
};

std::string Partitioner::FreeName(std::string base) {
  std::string name = base;
  for (int64_t i = 1; taken_.contains(name); ++i) name = fmt::format("{}_{}", base, i);
  taken_.insert(name);
  return name;
}

std::string Partitioner::SymbolOf(const Function& caller, const std::string& target,
                                  int64_t& number) {
  // TVM's front ends always use this name for the entry, so the symbol contains `main` instead.
  const std::string_view function =
      caller.name.view() == "__tvm_main__" ? "main" : caller.name.view();
  while (true) {
    number = numbers_[caller.name]++;
    std::string symbol = fmt::format("tvmgen_{}_{}_{}_{}", SanitizeName(options_.name),
                                     SanitizeName(target), SanitizeName(function), number);
    if (taken_.insert(symbol).second) return symbol;
  }
}

std::vector<std::string> Partitioner::TargetsOfAll(const FlowScope& scope,
                                                   const RegionUnit& unit) const {
  std::vector<std::string> targets = {unit.target};
  for (const std::string& target : TargetsOf(module_, scope.nodes[At(unit.nodes.front())].site)) {
    const bool has_all = std::all_of(unit.nodes.begin(), unit.nodes.end(), [&](int node) {
      const std::vector<std::string> own = TargetsOf(module_, scope.nodes[At(node)].site);
      return std::find(own.begin(), own.end(), target) != own.end();
    });
    if (has_all && target != unit.target) targets.push_back(target);
  }
  return targets;
}

std::string Partitioner::CopyFor(const CallSite& site, const std::string& target) {
  const Function& callee = *site.callee;
  const std::string& owner = owner_.try_emplace(callee.name, target).first->second;
  if (owner == target) return std::string(site.name);
  std::string& copy = copies_[{callee.name, target}];
  if (!copy.empty()) return copy;
  copy = FreeName(fmt::format("{}_{}", callee.name.view(), SanitizeName(target)));
  context_.Count("partition.copies", 1);
  Function function =
      WithAttrs(module_.context(), callee, [&](NodeBuilder& builder, const MapAttr* attrs) {
        if (callee.global_symbol().empty()) return attrs;
        return builder.With(attrs, attr_key::kGlobalSymbol, builder.StringValue(copy));
      });
  function.name = module_.context().Intern(copy);
  result_.Add(std::move(function));
  return copy;
}

bool Partitioner::IsInside(const std::string& target) const {
  if (options_.bind_constants != "generator") return options_.bind_constants == "inside";
  const CodeGenerator* generator = generators_.Find(target);
  return generator != nullptr &&
         generator->constants(GeneratorTarget(target)) == ConstantsAs::kInside;
}

const Stmt* Partitioner::AddRegion(const CallFlow& flow, const FlowScope& scope,
                                   const std::vector<RegionUnit>& units, size_t at,
                                   const ScopeUses& uses, NodeBuilder& builder) {
  const RegionUnit& unit = units[at];
  int64_t number = 0;
  OutlineOptions outline;
  outline.symbol = SymbolOf(flow.function(), unit.target, number);
  outline.target = unit.target;
  outline.prefix = fmt::format("{}_{}", SanitizeName(unit.target), number);
  outline.constants_inside = IsInside(unit.target);
  outline.targets = TargetsOfAll(scope, unit);
  const CalleeName callee_name = [&](const CallSite& site) { return CopyFor(site, unit.target); };
  OutlinedRegion region =
      Outline(flow, scope, units, at, uses, outline, callee_name, module_, builder);
  made_.emplace_back(unit.target, region.function.name);
  result_.Add(std::move(region.function));
  context_.Count("partition.functions", 1);
  context_.Count("partition.operators", static_cast<int64_t>(unit.nodes.size()));
  return region.call;
}

void Partitioner::DropAnnotations() {
  const auto without = [&](NodeBuilder& builder, const MapAttr* attrs) {
    if (attrs->Find(attr_key::kTargets) != nullptr)
      attrs = builder.With(attrs, attr_key::kTargets, nullptr);
    if (attrs->Find(attr_key::kWhyNot) != nullptr && !options_.keep_reasons)
      attrs = builder.With(attrs, attr_key::kWhyNot, nullptr);
    return attrs;
  };
  const std::vector<Function> functions = result_.functions();
  for (const Function& function : functions) {
    if (function.FindAttr(attr_key::kCompiler) != nullptr) continue;
    Function now = WithAttrs(module_.context(), function, without);
    if (now.func->attrs != function.func->attrs) result_.Update(std::move(now));
  }
  auto storage = std::make_shared<Storage>();
  NodeBuilder builder(module_.context(), storage->arena());
  const MapAttr* attrs = without(builder, result_.attrs());
  if (attrs != result_.attrs()) result_.SetAttrs(attrs, storage);
}

absl::StatusOr<IRModule> Partitioner::OptimizeFor(const CodeGenerator& generator,
                                                  const std::string& target) {
  const CallGraph calls(result_);
  std::vector<bool> is_in(result_.functions().size(), false);
  for (const auto& [of, name] : made_) {
    if (of != target) continue;
    for (const size_t function : calls.CalleesFirst(calls.IndexOf(name))) is_in[function] = true;
  }
  IRModule part(module_.context());
  part.name = module_.name;
  part.dialect = module_.dialect;
  part.constants = result_.constants;
  part.SetAttrs(result_.attrs(), nullptr);
  for (size_t i = 0; i < is_in.size(); ++i) {
    if (is_in[i]) part.Add(result_.functions()[i]);
  }
  return generator.Optimize(part, GeneratorTarget(target));
}

absl::Status Partitioner::Optimize() {
  absl::flat_hash_set<std::string> done;
  for (size_t i = 0; i < made_.size(); ++i) {
    const std::string target = made_[i].first;
    const CodeGenerator* generator = generators_.Find(target);
    if (generator == nullptr || !done.insert(target).second) continue;
    absl::StatusOr<IRModule> now = OptimizeFor(*generator, target);
    if (!now.ok()) {
      context_.diagnostics.Error(DiagnosticKind::kGeneratorFailed, {},
                                 fmt::format("the code generator of `{}` cannot optimise its "
                                             "functions: {}",
                                             target, std::string(now.status().message())));
      return now.status();
    }
    for (const Function& function : now->functions()) {
      const Function* before = result_.Find(function.name);
      if (before == nullptr) {
        result_.Add(function);
      } else if (before->func != function.func) {
        result_.Update(function);
      }
    }
    result_.constants = now->constants;
  }
  return absl::OkStatus();
}

absl::StatusOr<IRModule> Partitioner::Run() {
  if (!CheckNotPlanned(module_, context_.diagnostics))
    return absl::FailedPreconditionError("the module is planned");
  const std::string& bind = options_.bind_constants;
  if (bind != "generator" && bind != "inside" && bind != "arguments") {
    return absl::InvalidArgumentError(
        "option `bind-constants` is not `generator`, `inside` or `arguments`");
  }
  const OperatorEffects effects(module_);
  for (const Function* graph : GraphFunctions(module_)) {
    const Function plain = InlineIndexAndPointerLets(module_.context(), *graph);
    const Function* function = &plain;
    const CallFlow flow(effects, plain);
    auto storage = std::make_shared<Storage>(function->storage);
    NodeBuilder builder(module_.context(), storage->arena());
    FunctionPartitioner partitioner(builder, flow, *this, context_.diagnostics);
    const Stmt* body = partitioner.Rewrite(function->func->body);
    if (body == nullptr) return absl::InvalidArgumentError("a region cannot be a function");
    if (body == function->func->body) continue;
    PrimFunc copy = *function->func;
    copy.body = body;
    result_.Update({function->name, storage->arena().New<PrimFunc>(copy), storage});
  }
  DropAnnotations();
  if (absl::Status status = Optimize(); !status.ok()) return status;
  return result_;
}

}  // namespace

absl::StatusOr<IRModule> Partition(const IRModule& module, const PartitionOptions& options,
                                   PassContext& context) {
  return Partitioner(module, options, context).Run();
}

}  // namespace tenon
