#include "compile/externals.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <set>

#include "byoc/annotate_targets.h"
#include "byoc/check_externals.h"
#include "byoc/generate_externals.h"
#include "byoc/hoist_operator_constants.h"
#include "byoc/merge_regions.h"
#include "byoc/partition.h"
#include "byoc/recognise_ops.h"
#include "byoc/separate_operators.h"
#include "byoc/split_externals.h"
#include "compile/plan.h"
#include "ir/analysis/call_graph.h"
#include "ir/attributes.h"
#include "ir/external_code.h"
#include "passes/constants/constant_updater.h"
#include "passes/constants/hoist_constants.h"
#include "passes/constants/update_constants.h"

namespace tenon {

namespace {

/// An updater that somebody else owns, under the name of a target.
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

 private:
  std::string name_;
  const ConstantUpdater& updater_;
};

/// Of the functions of a module, those with `Compiler`, by name.
std::set<std::string_view> WithCompiler(const IRModule& module) {
  std::set<std::string_view> names;
  for (const Function& function : module.functions()) {
    if (function.FindAttr(attr_key::kCompiler) != nullptr) names.insert(function.name.view());
  }
  return names;
}

/// Those that have their code.
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

/// Makes the functions of a target the host's.
IRModule WithoutTarget(const IRModule& module, const std::string& target) {
  IRModule result = module;
  for (const Function& function : module.functions()) {
    if (CompilerOf(function) != target) continue;
    auto storage = std::make_shared<Storage>(function.storage);
    NodeBuilder builder(module.context(), storage->arena());
    PrimFunc copy = *function.func;
    copy.attrs = builder.With(copy.attrs, attr_key::kCompiler, nullptr);
    const PrimFunc* now = storage->arena().New<PrimFunc>(copy);
    result.Update({function.name, now, std::move(storage)});
  }
  return result;
}

/// The entry without the calls that initialise external functions.
IRModule WithoutInits(const IRModule& module) {
  const Function* entry = module.Main();
  if (entry == nullptr || ReadExternalInits(*entry->func).empty()) return module;
  auto storage = std::make_shared<Storage>(entry->storage);
  NodeBuilder builder(module.context(), storage->arena());
  PrimFunc copy = *entry->func;
  copy.attrs = builder.With(copy.attrs, attr_key::kExternal, nullptr);
  const PrimFunc* now = storage->arena().New<PrimFunc>(copy);
  IRModule result = module;
  result.Update({entry->name, now, std::move(storage)});
  return result;
}

class ExternalsMaker {
 public:
  ExternalsMaker(const IRModule& module, const CompileOptions& options, std::string_view name,
                 Diagnostics& diagnostics, const TargetVectors& vectors)
      : module_(module),
        options_(options),
        vectors_(vectors),
        own_(options.externals),
        name_(name),
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
    if (own_.targets.empty() && WithCompiler(module_).empty()) return ExternalModule(module_);
    if (!CheckTargets()) return std::nullopt;
    IRModule module = module_;
    // Each round has one target less.
    for (;;) {
      std::string failed;
      Diagnostics own;
      std::optional<ExternalModule> made = Attempt(module, own, failed);
      if (made || failed.empty() || !own_.falls_back) {
        diagnostics_.Append(std::move(own));
        if (made) Warn(made->report);
        return made;
      }
      FallBack(failed, own);
      module = WithoutTarget(module, failed);
    }
  }

 private:
  void MakeUpdaters() {
    given_updaters_ = ConstantUpdaters::BuiltIn();
    const ConstantUpdaters& given =
        options_.run.updaters != nullptr ? *options_.run.updaters : given_updaters_;
    for (const std::string_view name : given.Names())
      updaters_.Add(std::make_unique<BorrowedUpdater>(std::string(name), *given.Find(name)));
    for (const std::string& target : targets_) {
      const CodeGenerator* generator = generators_.Find(target);
      if (generator != nullptr && generator->updater() != nullptr)
        updaters_.Add(std::make_unique<BorrowedUpdater>(target, *generator->updater()));
    }
  }

  bool CheckTargets() {
    bool ok = true;
    for (const std::string& target : targets_) {
      if (generators_.Find(target) != nullptr && target != kHostTarget) continue;
      ok = false;
      diagnostics_.Error(DiagnosticKind::kUnknownTarget, {},
                         fmt::format("no code generator makes code for the target `{}`; expected "
                                     "one of {}",
                                     target, fmt::join(generators_.Names(), ", ")));
    }
    return ok;
  }

  std::optional<ExternalModule> Attempt(const IRModule& module, Diagnostics& diagnostics,
                                        std::string& failed) {
    ExternalModule made(module);
    std::optional<IRModule> partitioned = module;
    if (!own_.targets.empty()) {
      partitioned = Partitioned(module, made.report, diagnostics);
    } else if (!HasPlannedEntry(module)) {
      // Whoever cut the regions out has decided about packing.
      partitioned = WithConstants(module, WithCode(module), diagnostics);
    }
    if (!partitioned) return std::nullopt;
    made.host = made.partitioned = *partitioned;
    if (own_.use == ExternalsUse::kBody) {
      made.host = WithoutInits(*partitioned);
      return made;
    }
    partitioned = SeparateOperators(*partitioned, [&](const Function& function) {
      return generators_.Find(CompilerOf(function)) != nullptr &&
             IsExternalRegion(*partitioned, function);
    });
    std::optional<ExternalProgram> program =
        GenerateExternals(*partitioned, GenerateOptions(), diagnostics, &failed);
    if (!program) return std::nullopt;
    made.partitioned = program->module;
    if (own_.use == ExternalsUse::kBoth) {
      CheckedExternals checked = AddExternalChecks(program->module, originals_);
      program->module = std::move(checked.module);
      made.checks = std::move(checked.checks);
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

  GenerateExternalsOptions GenerateOptions() const {
    GenerateExternalsOptions options;
    options.generators = &generators_;
    options.may_reassociate = own_.may_reassociate;
    options.inexact = own_.inexact;
    options.vectors = vectors_;
    for (const std::string& name : targets_) {
      GeneratorTarget& target = options.targets.emplace_back(name);
      target.may_reassociate = own_.may_reassociate;
      target.inexact = own_.inexact;
      target.vectors = vectors_;
    }
    return options;
  }

  std::optional<IRModule> Partitioned(const IRModule& module, ByocReport& report,
                                      Diagnostics& diagnostics) {
    report.targets = own_.targets;
    // Regions are made before memory is planned; those that are there stay.
    if (HasPlannedEntry(module)) {
      report = ReadByocReport(module, own_.targets);
      return module;
    }
    Pipeline marking;
    marking.Add<&RecogniseOps>();
    if (!targets_.empty()) {
      marking.Add<&AnnotateTargets>({.targets = fmt::format("{}", fmt::join(targets_, ",")),
                                     .floats = own_.may_reassociate ? "reassociate" : "bitwise",
                                     .inexact = fmt::format("{}", fmt::join(own_.inexact, ","))});
    }
    marking.Add<&MergeRegions>();
    const std::optional<IRModule> marked = RunPipeline(module, marking, run_, diagnostics);
    if (!marked) return std::nullopt;
    report = ReadByocReport(*marked, own_.targets);
    NoteFailures(report);
    std::optional<IRModule> cut = RunPipeline(
        *marked, Pipeline().Add<&Partition>({.name = name_, .bind_constants = "inside"}), run_,
        diagnostics);
    if (!cut) return std::nullopt;
    return WithConstants(*cut, WithCompiler(module), diagnostics);
  }

  /// Gives functions that were not in `before` their constants as their generators want them.
  std::optional<IRModule> WithConstants(const IRModule& cut,
                                        const std::set<std::string_view>& before,
                                        Diagnostics& diagnostics) {
    std::vector<std::string> made;
    std::vector<std::string> hoisted;
    const CallGraph graph(cut);
    for (size_t i = 0; i < cut.functions().size(); ++i) {
      const Function& function = cut.functions()[i];
      if (!graph.IsCalled(i) || CompilerOf(function).empty() ||
          before.contains(function.name.view()))
        continue;
      const CodeGenerator* generator = generators_.Find(CompilerOf(function));
      if (generator == nullptr || !IsExternalRegion(cut, function)) continue;
      made.emplace_back(function.name.view());
      if (generator->constants() == ConstantsAs::kArguments)
        hoisted.emplace_back(function.name.view());
    }
    if (made.empty()) return cut;
    std::optional<IRModule> module = HoistOperatorConstants(cut, made, run_, diagnostics);
    if (!module) return std::nullopt;
    Pipeline pipeline;
    for (const std::string& target : targets_) {
      if (updaters_.Find(target) == nullptr) continue;
      std::vector<std::string_view> own;
      for (const std::string& name : made) {
        if (CompilerOf(*cut.FindCallee(name)) == target) own.push_back(name);
      }
      // Bodies know the constants that are not packed.
      if (own_.use == ExternalsUse::kBody) continue;
      for (const std::string_view name : own) {
        const Function& function = *module->FindCallee(name);
        originals_.insert_or_assign(function.name, function);
      }
      if (!own.empty()) {
        pipeline.Add<&UpdateConstants>(
            {.updater = target, .functions = fmt::format("{}", fmt::join(own, ","))});
      }
    }
    if (!hoisted.empty())
      pipeline.Add<&HoistConstants>({.functions = fmt::format("{}", fmt::join(hoisted, ","))});
    return RunPipeline(*module, pipeline, run_, diagnostics);
  }

  /// Goes on without a target whose generator failed; its errors become one warning.
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

  void NoteFailures(ByocReport& report) const {
    for (ByocOperator& op : report.operators) {
      for (const std::string& failed : failed_)
        op.why_not.insert(op.why_not.begin(), {failed, "its code generator failed"});
    }
  }

  void Warn(const ByocReport& report) {
    for (const std::string& target : own_.targets) {
      const bool has_failed = std::find(failed_.begin(), failed_.end(), target) != failed_.end();
      if (report.Count(target) > 0 || has_failed || own_.use == ExternalsUse::kBody) continue;
      diagnostics_.Warning(
          DiagnosticKind::kNothingOffloaded, {},
          fmt::format("the target `{}` takes no operator of the module; --byoc-report says why",
                      target));
    }
  }

  const IRModule& module_;
  const CompileOptions& options_;
  TargetVectors vectors_;
  const ExternalsOptions& own_;
  std::string name_;
  Diagnostics& diagnostics_;
  const CodeGenerators built_in_;
  const CodeGenerators& generators_;
  /// Those that have not failed.
  std::vector<std::string> targets_;
  std::vector<std::string> failed_;
  /// Functions before their constants were packed.
  OriginalFunctions originals_;
  ConstantUpdaters given_updaters_;
  ConstantUpdaters updaters_;
  RunOptions run_;
};

}  // namespace

std::optional<ExternalModule> MakeExternals(const IRModule& module, const CompileOptions& options,
                                            std::string_view name, Diagnostics& diagnostics,
                                            const TargetVectors& vectors) {
  return ExternalsMaker(module, options, name, diagnostics, vectors).Run();
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
