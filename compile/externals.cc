#include "compile/externals.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <set>

#include "byoc/annotate_targets.h"
#include "byoc/bind_operator_constants.h"
#include "byoc/check_externals.h"
#include "byoc/generate_externals.h"
#include "byoc/hoist_operator_constants.h"
#include "byoc/inline_region.h"
#include "byoc/merge_regions.h"
#include "byoc/partition.h"
#include "byoc/recognise_ops.h"
#include "byoc/separate_operators.h"
#include "byoc/split_externals.h"
#include "byoc/split_ops.h"
#include "compile/plan.h"
#include "ir/analysis/call_graph.h"
#include "ir/attributes.h"
#include "ir/external_code.h"
#include "ir/function_attrs.h"
#include "passes/cleanup/simplify.h"
#include "passes/constants/constant_updater.h"
#include "passes/constants/hoist_constants.h"
#include "passes/constants/update_constants.h"
#include "passes/fusion/narrow_storage.h"
#include "passes/loops/inline_lets.h"
#include "passes/lowering/lower_packed_calls.h"
#include "passes/pipeline/default_pipelines.h"

namespace tenon {

namespace {

/// An updater with another owner, under the name of a target.
class BorrowedUpdater : public ConstantUpdater {
 public:
  BorrowedUpdater(std::string name, const ConstantUpdater& updater)
      : name_(std::move(name)), updater_(updater) {}
  std::string_view name() const override { return name_; }
  std::optional<ConstantUpdate> Update(const Function& function,
                                       std::span<const FunctionConstant> constants,
                                       Diagnostics& diagnostics) const override {
    return updater_.Update(function, constants, diagnostics);
  }
  std::optional<ConstantUpdate> UpdateIn(const IRModule& module, const Function& function,
                                         std::span<const FunctionConstant> constants,
                                         Diagnostics& diagnostics) const override {
    return updater_.UpdateIn(module, function, constants, diagnostics);
  }

 private:
  std::string name_;
  const ConstantUpdater& updater_;
};

/// The names of the functions of a module that have `Compiler`.
std::set<std::string_view> WithCompiler(const IRModule& module) {
  std::set<std::string_view> names;
  for (const Function& function : module.functions()) {
    if (function.FindAttr(attr_key::kCompiler) != nullptr) names.insert(function.name.view());
  }
  return names;
}

/// The names of the functions that have code.
std::set<std::string_view> WithCode(const IRModule& module) {
  std::set<std::string_view> names;
  for (const Function& function : module.functions()) {
    if (ReadExternalCode(function)) names.insert(function.name.view());
  }
  return names;
}

/// The target of a function; empty for the host's.
std::string_view CompilerOf(const Function& function) {
  const std::string_view* compiler = AsString(function.FindAttr(attr_key::kCompiler));
  return compiler == nullptr ? std::string_view() : *compiler;
}

/// The function for other targets; for the host if `targets` is empty.
Function WithTargets(Context& context, const Function& function,
                     const std::vector<std::string>& targets) {
  if (targets.empty())
    return WithoutAttrs(context, function, {attr_key::kCompiler, attr_key::kTargets});
  return WithAttrs(context, function, [&](NodeBuilder& builder, const MapAttr* attrs) {
    std::vector<const Attr*> list;
    for (const std::string& target : targets) list.push_back(builder.StringValue(target));
    const MapAttr* now = builder.With(attrs, attr_key::kCompiler, list[0]);
    if (now->Find(attr_key::kTargets) == nullptr) return now;
    return builder.With(now, attr_key::kTargets, builder.Array(Span<const Attr*>(list)));
  });
}

/// C of functions that do nothing, for all symbols that generated code would have.
EmittedFile EmptyFunctions(const IRModule& module) {
  std::set<std::string> symbols;
  for (const Function& function : module.functions()) {
    if (const std::optional<ExternalCode> code = ReadExternalCode(function)) {
      symbols.insert(code->symbol);
      if (!code->init.empty()) symbols.insert(code->init);
    }
    for (const ExternalInit& init : ReadExternalInits(*function.func)) symbols.insert(init.symbol);
  }
  std::string text = "/* Made by Tenon: external functions that do nothing. */\n";
  for (const std::string& symbol : symbols)
    text += fmt::format("int {0}(void);\nint {0}(void) {{ return 0; }}\n", symbol);
  return {"skipped_externals.c", std::move(text)};
}

class ExternalsMaker {
 public:
  ExternalsMaker(const IRModule& module, const CompileOptions& options, std::string_view name,
                 Diagnostics& diagnostics, HostFacts host, const TargetVectors& vectors)
      : module_(module),
        options_(options),
        vectors_(vectors),
        own_(options.externals),
        name_(name),
        host_(std::move(host)),
        diagnostics_(diagnostics),
        built_in_(CodeGenerators::BuiltIn()),
        generators_(options.run.generators != nullptr ? *options.run.generators : built_in_),
        targets_(options.externals.targets) {
    MakeUpdaters();
    run_ = options.run;
    run_.generators = &generators_;
    run_.updaters = &updaters_;
  }

  std::optional<ExternalModule> Run() {
    WarnOfUnaskedGenerators(module_, options_, diagnostics_);
    if (own_.targets.empty() && WithCompiler(module_).empty()) return ExternalModule(module_);
    if (!CheckTargets()) return std::nullopt;
    std::optional<IRModule> cut =
        own_.targets.empty() ? module_ : Partitioned(module_, report_, diagnostics_);
    if (!cut) return std::nullopt;
    // Each round has one target fewer.
    for (;;) {
      std::string failed;
      Diagnostics own;
      std::optional<ExternalModule> made = Attempt(*cut, own, failed);
      if (made || failed.empty() || !own_.falls_back) {
        diagnostics_.Append(std::move(own));
        if (!made) return std::nullopt;
        made->report = std::move(report_);
        Warn(made->report);
        return made;
      }
      FallBack(failed, own);
      cut = WithoutTarget(*cut, failed);
    }
  }

 private:
  void MakeUpdaters() {
    given_updaters_ = ConstantUpdaters::BuiltIn();
    const ConstantUpdaters& given =
        options_.run.updaters != nullptr ? *options_.run.updaters : given_updaters_;
    for (const std::string_view name : given.Names())
      updaters_.Add(std::make_unique<BorrowedUpdater>(std::string(name), *given.Find(name)));
  }

  bool CheckTargets() {
    bool ok = true;
    for (const std::string& target : targets_) {
      if (generators_.Find(target) != nullptr && target != kHostTarget) continue;
      ok = false;
      diagnostics_.Error(DiagnosticKind::kUnknownTarget, {}, generators_.UnknownTargetText(target));
    }
    return ok;
  }

  /// Generates the code of a module whose regions are functions.
  std::optional<ExternalModule> Attempt(const IRModule& cut, Diagnostics& diagnostics,
                                        std::string& failed) {
    ExternalModule made(cut);
    std::optional<IRModule> partitioned = cut;
    if (own_.use != ExternalsUse::kBody) {
      partitioned = SeparateOperators(cut, [&](const Function& function) {
        return generators_.Find(CompilerOf(function)) != nullptr && IsExternalRegion(cut, function);
      });
    }
    if (!HasPlannedEntry(cut)) partitioned = WithConstants(*partitioned, diagnostics);
    if (!partitioned) return std::nullopt;
    made.host = made.partitioned = *partitioned;
    if (own_.use == ExternalsUse::kBody) {
      made.host = WithoutInits(*partitioned);
      return made;
    }
    std::optional<ExternalProgram> program =
        GenerateExternals(*partitioned, GenerateOptions(), diagnostics, &failed);
    if (!program) return std::nullopt;
    made.partitioned = program->module;
    if (own_.use == ExternalsUse::kBoth) {
      CheckedExternals checked = AddExternalChecks(program->module, program->tir, originals_);
      program->module = std::move(checked.module);
      made.checks = std::move(checked.checks);
    }
    if (own_.use == ExternalsUse::kFallback) {
      FallbackExternals fallback =
          AddExternalFallback(program->module, originals_, own_.notes_fallback);
      program->module = std::move(fallback.checked.module);
      made.checks = std::move(fallback.checked.checks);
      if (!fallback.source.name.empty())
        program->files.sources.push_back(std::move(fallback.source));
    }
    if (own_.use == ExternalsUse::kTime) {
      CheckedExternals timed = AddExternalTimers(program->module);
      program->module = std::move(timed.module);
      made.checks = std::move(timed.checks);
    }
    if (own_.use == ExternalsUse::kSkip) {
      program->tir.clear();
      program->files = {};
      program->files.sources = {EmptyFunctions(program->module)};
    }
    SplitModule split = SplitExternals(program->module, program->tir);
    made.host = std::move(split.host);
    made.externals = std::move(split.externals);
    made.files = std::move(program->files);
    for (const Function& function : program->module.functions()) {
      if (const std::optional<ExternalCode> code = ReadExternalCode(function))
        made.workspace_alignment = std::max(made.workspace_alignment, code->workspace_alignment);
    }
    return made;
  }

  GenerateExternalsOptions GenerateOptions() {
    GenerateExternalsOptions options;
    options.generators = &generators_;
    options.may_reassociate = own_.may_reassociate;
    options.inexact = own_.inexact;
    options.vectors = vectors_;
    options.answers = &answers_;
    for (const std::string& name : targets_) options.targets.push_back(TargetNamed(name));
    return options;
  }

  GeneratorTarget TargetNamed(std::string_view name) const {
    GeneratorTarget target(name);
    target.may_reassociate = own_.may_reassociate;
    target.inexact = own_.inexact;
    target.host = host_;
    target.vectors = vectors_;
    return target;
  }

  /// The passes before targets are chosen: recognition, in the form that the targets want.
  Pipeline Recognition() const {
    OperatorForm wanted;
    for (const std::string& name : targets_) {
      const OperatorForm form = generators_.Find(name)->form(TargetNamed(name));
      wanted.narrow |= form.narrow;
      wanted.split |= form.split;
    }
    Pipeline pipeline;
    if (wanted.narrow) {
      // The calls of the entry join the storage of operators, so they must be direct calls.
      pipeline = LowerForPlanning();
      pipeline.Add<&LowerPackedCalls>().Add<&InlineLets>().Add<&Simplify>().Add<&NarrowStorage>(
          {.only_signed = true});
    }
    pipeline.Add<&RecogniseOps>();
    if (wanted.split) {
      pipeline.Add<&SplitOps>({.targets = fmt::format("{}", fmt::join(targets_, ",")),
                               .floats = own_.may_reassociate ? "reassociate" : "bitwise",
                               .inexact = fmt::format("{}", fmt::join(own_.inexact, ",")),
                               .host = host_.ToString()});
    }
    return pipeline;
  }

  /// The most operators of a region; 0: any number.
  int64_t MaxOps() const {
    int64_t most = 0;
    if (own_.use != ExternalsUse::kBoth) return most;
    for (const std::string& name : targets_) {
      const int64_t own = generators_.Find(name)->max_compared_ops();
      if (own > 0 && (most == 0 || own < most)) most = own;
    }
    return most;
  }

  std::optional<IRModule> Partitioned(const IRModule& module, ByocReport& report,
                                      Diagnostics& diagnostics) {
    report.targets = own_.targets;
    // Regions must be made before memory is planned; a planned module keeps its regions.
    if (HasPlannedEntry(module)) {
      report = ReadByocReport(module, own_.targets);
      return module;
    }
    Pipeline marking = Recognition();
    if (!targets_.empty()) {
      marking.Add<&AnnotateTargets>({.targets = fmt::format("{}", fmt::join(targets_, ",")),
                                     .floats = own_.may_reassociate ? "reassociate" : "bitwise",
                                     .inexact = fmt::format("{}", fmt::join(own_.inexact, ",")),
                                     .host = host_.ToString(),
                                     .on_error = own_.falls_back ? "refuse" : "error"});
    }
    marking.Add<&MergeRegions>({.max_ops = MaxOps(), .host = host_.ToString()});
    const std::optional<IRModule> marked =
        RunPipeline(BindOperatorConstants(module), marking, run_, diagnostics);
    if (!marked) return std::nullopt;
    report = ReadByocReport(*marked, own_.targets);
    return RunPipeline(*marked,
                       Pipeline().Add<&Partition>({.name = name_, .bind_constants = "inside"}),
                       run_, diagnostics);
  }

  /// Gives functions without code their constants in their generators' layout.
  std::optional<IRModule> WithConstants(const IRModule& cut, Diagnostics& diagnostics) {
    const std::set<std::string_view> before = WithCode(cut);
    std::vector<std::string> made;
    std::vector<std::string> hoisted;
    std::vector<std::string> packed;
    const CallGraph graph(cut);
    for (size_t i = 0; i < cut.functions().size(); ++i) {
      const Function& function = cut.functions()[i];
      if (!graph.IsCalled(i) || CompilerOf(function).empty() ||
          before.contains(function.name.view()))
        continue;
      const CodeGenerator* generator = generators_.Find(CompilerOf(function));
      if (generator == nullptr || !IsExternalRegion(cut, function)) continue;
      made.emplace_back(function.name.view());
      std::string target(CompilerOf(function));
      const GeneratorTarget named = TargetNamed(target);
      if (generator->constants(named) == ConstantsAs::kArguments)
        hoisted.emplace_back(function.name.view());
      // Bodies expect constants that are not packed.
      const ConstantUpdater* updater = generator->updater(named);
      if (updater == nullptr || own_.use == ExternalsUse::kBody) continue;
      updaters_.Add(std::make_unique<BorrowedUpdater>(target, *updater));
      if (std::find(packed.begin(), packed.end(), target) == packed.end())
        packed.push_back(std::move(target));
    }
    if (made.empty()) return cut;
    std::optional<IRModule> module = HoistOperatorConstants(cut, made, run_, diagnostics);
    if (!module) return std::nullopt;
    Pipeline pipeline;
    for (const std::string& target : packed) {
      std::vector<std::string_view> own;
      for (const std::string& name : made) {
        if (CompilerOf(*cut.FindCallee(name)) == target) own.push_back(name);
      }
      for (const std::string_view name : own) {
        const Function& function = *module->FindCallee(name);
        originals_.insert_or_assign(function.name, function);
      }
      pipeline.Add<&UpdateConstants>(
          {.updater = target, .functions = fmt::format("{}", fmt::join(own, ","))});
    }
    if (!hoisted.empty())
      pipeline.Add<&HoistConstants>({.functions = fmt::format("{}", fmt::join(hoisted, ","))});
    std::optional<IRModule> now = RunPipeline(*module, pipeline, run_, diagnostics);
    const bool has_bodies = own_.use == ExternalsUse::kBoth || own_.use == ExternalsUse::kFallback;
    if (now && !has_bodies) RemoveReplaced(*module, *now);
    return now;
  }

  /// Removes operators without remaining calls: others have replaced them.
  static void RemoveReplaced(const IRModule& before, IRModule& now) {
    const CallGraph calls_before(before);
    const CallGraph calls_now(now);
    std::vector<Symbol> unused;
    for (size_t i = 0; i < before.functions().size(); ++i) {
      const Symbol name = before.functions()[i].name;
      if (calls_before.IsCalled(i) && !calls_now.IsCalled(calls_now.IndexOf(name)))
        unused.push_back(name);
    }
    for (const Symbol name : unused) now.Remove(name);
  }

  /// Continues without a target whose generator failed; its errors become one warning.
  void FallBack(const std::string& failed, const Diagnostics& own) {
    std::string why;
    SourceRange range;
    for (const Diagnostic& diagnostic : own.all()) {
      if (diagnostic.severity != Severity::kError || !why.empty()) continue;
      why = diagnostic.message;
      range = diagnostic.range;
    }
    diagnostics_.Warning(
        DiagnosticKind::kGeneratorFailed, range,
        fmt::format("operators of `{}` go to their next target or to the host: {}", failed, why));
    std::erase(targets_, failed);
    failed_.push_back(failed);
  }

  /// The regions of a failed target go to the next of their targets that accepts the whole region.
  /// The operators of the remaining regions return to the host.
  IRModule WithoutTarget(const IRModule& cut, const std::string& failed) {
    const ByocReport before = ReadByocReport(cut, own_.targets);
    IRModule now = cut;
    std::vector<std::string> given_back;
    for (const Function& function : cut.functions()) {
      if (CompilerOf(function) != failed) continue;
      const std::vector<std::string> left = TargetsLeft(cut, function);
      if (left.empty() && !ReadExternalCode(function) && !HasPlannedEntry(cut))
        given_back.emplace_back(function.name.view());
      now.Update(WithTargets(cut.context(), function, left));
    }
    now = Inlined(std::move(now), given_back);
    NoteFailure(failed, before, ReadByocReport(now, own_.targets));
    return now;
  }

  /// The targets of a region that have not failed, beginning with the first that accepts it.
  std::vector<std::string> TargetsLeft(const IRModule& cut, const Function& function) const {
    std::vector<std::string> left;
    const auto* list = dyn_cast_or_null<ArrayAttr>(function.FindAttr(attr_key::kTargets));
    if (list == nullptr || ReadExternalCode(function)) return left;
    const ExternalFunction external = ReadExternalFunction(cut, function);
    Region region;
    region.function = name_;
    if (external.ops) {
      for (const OpCall& call : *external.ops) region.ops.push_back(call.op);
    }
    for (const Attr* item : list->items) {
      const std::string_view* target = AsString(item);
      if (target == nullptr || HasFailed(*target)) continue;
      const CodeGenerator* generator = generators_.Find(*target);
      if (generator == nullptr) continue;
      if (left.empty() && !generator->AcceptsRegion(region, TargetNamed(*target)).yes) continue;
      left.emplace_back(*target);
    }
    return left;
  }

  bool HasFailed(std::string_view target) const {
    return std::find(failed_.begin(), failed_.end(), target) != failed_.end();
  }

  /// Inlines these functions into their callers. A function that cannot be inlined stays a function
  /// of the host.
  IRModule Inlined(IRModule module, const std::vector<std::string>& functions) const {
    for (const std::string& name : functions) {
      Diagnostics ignored;
      std::optional<IRModule> now = RunPipeline(
          module, Pipeline().Add<&InlineRegion>({.functions = name, .attr = {}}), run_, ignored);
      if (now) module = *std::move(now);
    }
    return module;
  }

  /// Updates the targets of a failed target's operators. `before` and `now` have the operators in
  /// the order of the report.
  void NoteFailure(const std::string& failed, const ByocReport& before, ByocReport now) {
    if (report_.operators.size() != now.operators.size() ||
        before.operators.size() != now.operators.size()) {
      if (!report_.empty()) report_ = std::move(now);
      return;
    }
    for (size_t i = 0; i < now.operators.size(); ++i) {
      ByocOperator& op = report_.operators[i];
      if (before.operators[i].target != failed) continue;
      op.target = now.operators[i].target;
      op.why_not.insert(op.why_not.begin(), {failed, "its code generator failed"});
    }
  }

  void Warn(const ByocReport& report) {
    for (const std::string& target : own_.targets) {
      if (report.Count(target) > 0 || HasFailed(target) || own_.use == ExternalsUse::kBody)
        continue;
      diagnostics_.Warning(
          DiagnosticKind::kNothingOffloaded, {},
          fmt::format("the target `{}` takes no operator of the module; --byoc-report shows why",
                      target));
    }
  }

  const IRModule& module_;
  const CompileOptions& options_;
  TargetVectors vectors_;
  const ExternalsOptions& own_;
  std::string name_;
  HostFacts host_;
  Diagnostics& diagnostics_;
  const CodeGenerators built_in_;
  const CodeGenerators& generators_;
  /// The targets that have not failed.
  std::vector<std::string> targets_;
  std::vector<std::string> failed_;
  ByocReport report_;
  /// Functions before their constants were packed.
  OriginalFunctions originals_;
  /// The generators' answers of all rounds.
  std::vector<GeneratorAnswer> answers_;
  ConstantUpdaters given_updaters_;
  ConstantUpdaters updaters_;
  RunOptions run_;
};

}  // namespace

IRModule WithoutInits(const IRModule& module) {
  const Function* entry = module.Main();
  if (entry == nullptr || ReadExternalInits(*entry->func).empty()) return module;
  IRModule result = module;
  result.Update(WithoutAttrs(module.context(), *entry, {attr_key::kExternal}));
  return result;
}

void WarnOfUnaskedGenerators(const IRModule& module, const CompileOptions& options,
                             Diagnostics& diagnostics) {
  if (options.run.generators == nullptr) return;
  const CodeGenerators& generators = *options.run.generators;
  const std::vector<std::string>& targets = options.externals.targets;
  for (const std::string& name : generators.given()) {
    const CodeGenerator* generator = generators.Find(name);
    const auto is_own = [&](std::string_view target) {
      return generators.Find(target) == generator;
    };
    if (std::any_of(targets.begin(), targets.end(), is_own) ||
        std::any_of(module.functions().begin(), module.functions().end(),
                    [&](const Function& function) { return is_own(CompilerOf(function)); }))
      continue;
    diagnostics.Warning(
        DiagnosticKind::kNothingOffloaded, {},
        fmt::format("the code generator `{0}` of --generator is not asked: no target and no "
                    "function is its own; pass --targets={0}",
                    name));
  }
}

std::optional<ExternalModule> MakeExternals(const IRModule& module, const CompileOptions& options,
                                            std::string_view name, Diagnostics& diagnostics,
                                            HostFacts host, const TargetVectors& vectors) {
  return ExternalsMaker(module, options, name, diagnostics, std::move(host), vectors).Run();
}

std::vector<ReportOperator> ReportOperatorsOf(const ByocReport& report) {
  std::vector<ReportOperator> operators;
  for (const ByocOperator& op : report.operators) {
    std::string why_not;
    for (const auto& [target, because] : op.why_not)
      why_not += fmt::format("{}{}: {}", why_not.empty() ? "" : "; ", target, because);
    operators.push_back({op.name, op.kind, op.macs, op.elements, op.target, std::move(why_not)});
  }
  return operators;
}

}  // namespace tenon
