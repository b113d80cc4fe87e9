// Claims are read and proven, then each target's generator is queried about all operators, and the
// answers are recorded. A generator is queried only once, because it may be a program that starts
// slowly.

#include "byoc/annotate_targets.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "byoc/call_flow.h"
#include "byoc/code_generator.h"
#include "byoc/recognise_ops.h"
#include "byoc/region_units.h"
#include "ir/attributes.h"
#include "ir/function_attrs.h"
#include "passes/function_choice.h"
#include "support/check.h"
#include "support/nearest_name.h"

namespace tenon {

namespace {

/// The targets and reasons of one operator: first those of the module, then those of the
/// generators.
struct Answers {
  std::vector<std::string> targets;
  std::vector<std::pair<std::string, std::string>> why_not;

  bool Has(std::string_view target) const {
    return std::find(targets.begin(), targets.end(), target) != targets.end();
  }
  void Refuse(std::string_view target, std::string because) {
    for (auto& [name, reason] : why_not) {
      if (name == target) return reason = std::move(because), void();
    }
    why_not.emplace_back(target, std::move(because));
  }
  void Take(std::string_view target) {
    if (!Has(target)) targets.emplace_back(target);
    std::erase_if(why_not, [&](const auto& reason) { return reason.first == target; });
  }
  bool operator==(const Answers&) const = default;
};

Answers AnswersIn(const Attr* targets, const Attr* why_not) {
  Answers answers;
  if (const auto* list = dyn_cast_or_null<ArrayAttr>(targets)) {
    for (const Attr* item : list->items) {
      if (const std::string_view* target = AsString(item)) answers.Take(*target);
    }
  }
  if (const auto* map = dyn_cast_or_null<MapAttr>(why_not)) {
    for (const MapItem* item : map->items) {
      const std::string_view* key = AsString(item->key);
      const std::string_view* because = AsString(item->value);
      if (key != nullptr && because != nullptr) answers.Refuse(*key, std::string(*because));
    }
  }
  return answers;
}

/// Null without targets.
const Attr* ListOf(NodeBuilder& builder, const Answers& answers) {
  if (answers.targets.empty()) return nullptr;
  std::vector<const Attr*> items;
  for (const std::string& target : answers.targets) items.push_back(builder.StringValue(target));
  return builder.Array(Span<const Attr*>(items.data(), items.size()));
}

/// Null without reasons.
const Attr* ReasonsOf(NodeBuilder& builder, const Answers& answers) {
  const MapAttr* map = nullptr;
  for (const auto& [target, because] : answers.why_not)
    map = builder.With(map, builder.arena().Copy(std::string_view(target)),
                       builder.StringValue(because));
  return map;
}

/// An operator with a claim: a function, or an extern of the module.
struct Operator {
  std::string_view name;
  OpInfo info;
  SourceRange range;
  /// Null for an extern.
  const Function* function = nullptr;
  /// The value of `tenon.offload`; empty without one.
  std::string_view offload;
  /// The answers in the module.
  Answers answers;
};

class Annotator {
 public:
  Annotator(const IRModule& module, const AnnotateTargetsOptions& options, PassContext& context)
      : module_(module),
        options_(options),
        context_(context),
        diagnostics_(context.diagnostics),
        built_in_(CodeGenerators::BuiltIn()),
        generators_(context.generators != nullptr ? *context.generators : built_in_),
        result_(module) {}

  absl::StatusOr<IRModule> Run() {
    if (!CheckNotPlanned(module_, diagnostics_))
      return absl::FailedPreconditionError("the module is planned");
    if (!CheckClaims(module_, diagnostics_))
      return absl::InvalidArgumentError("a claim cannot be read");
    if (options_.floats != "reassociate" && options_.floats != "bitwise")
      return absl::InvalidArgumentError("option `floats` is not `reassociate` or `bitwise`");
    if (options_.on_error != "error" && options_.on_error != "refuse")
      return absl::InvalidArgumentError("option `on-error` is not `error` or `refuse`");
    const std::optional<HostFacts> host = HostFacts::Parse(options_.host);
    if (!host) return absl::InvalidArgumentError(kNoHostFacts);
    host_ = *host;
    for (const std::string_view name : WordsOf(options_.targets)) AddTarget(name, {});
    if (targets_.empty() && !diagnostics_.has_errors())
      return absl::InvalidArgumentError("expected targets in option `targets`, found none");
    ReadNames(options_.only, only_);
    ReadNames(options_.skip, skip_);
    if (diagnostics_.has_errors()) return absl::InvalidArgumentError("unknown target or operator");
    if (!Prove()) return absl::InvalidArgumentError("an operator was not recognised");
    ReadOperators();
    if (!AskGenerators()) return absl::InvalidArgumentError("a code generator failed");
    const std::vector<Function> functions = result_.functions();
    for (const Function& function : functions) AnnotateFunction(function);
    AnnotateExterns();
    if (diagnostics_.has_errors()) return absl::InvalidArgumentError("an operator has no target");
    context_.Count("annotate-targets.operators", operators_);
    context_.Count("annotate-targets.annotated", annotated_);
    return result_;
  }

 private:
  /// False if no generator has that name.
  bool AddTarget(std::string_view name, SourceRange range) {
    const CodeGenerator* generator = generators_.Find(name);
    if (generator == nullptr || name == kHostTarget) {
      diagnostics_.Error(DiagnosticKind::kUnknownTarget, range,
                         generators_.UnknownTargetText(name));
      return false;
    }
    targets_.push_back(TargetNamed(name));
    return true;
  }

  GeneratorTarget TargetNamed(std::string_view name) const {
    GeneratorTarget target{name};
    target.may_reassociate = options_.floats == "reassociate";
    target.host = host_;
    for (const std::string_view kind : WordsOf(options_.inexact)) target.inexact.emplace_back(kind);
    return target;
  }

  void ReadNames(std::string_view list, absl::flat_hash_set<std::string_view>& names) {
    for (const std::string_view name : WordsOf(list)) {
      names.insert(name);
      const bool is_extern = EntryOfExtern(module_, attr_key::kOps, name) != nullptr;
      if (is_extern || module_.Find(module_.context().Intern(name)) != nullptr) continue;
      diagnostics_.Error(DiagnosticKind::kPass, {}, NoSuchFunction(module_, name));
    }
  }

  /// Compares the claims of the module with the bodies. The claim that the loops prove contains
  /// more facts, so it replaces an equal claim of the module.
  bool Prove() {
    if (options_.trust) return true;
    PassContext context{.diagnostics = diagnostics_, .threads = context_.threads, .counters = {}};
    const absl::StatusOr<IRModule> proven = RecogniseOps(WithoutClaims(), {}, context);
    if (!proven.ok()) return false;
    for (const Function& function : module_.functions()) {
      const std::optional<OpInfo> claim = ReadOpInfo(function);
      if (!claim || !claim->known()) continue;
      const Function* by_loops = proven->Find(function.name);
      const std::optional<OpInfo> proof =
          by_loops == nullptr ? std::nullopt : ReadOpInfo(*by_loops);
      if (!proof || !proof->known()) {
        unproven_[function.name] =
            fmt::format("its loops do not prove the claim `{}`{}{}", claim->kind, proof ? ": " : "",
                        proof ? proof->because : "");
        continue;
      }
      const bool is_short = claim->computation.stores.empty();
      // Constants that are now parameters prove nothing about the operator's numbers.
      OpInfo stated = *claim;
      if (!proof->requantise) stated.requantise.reset();
      if (proof->kind != claim->kind || (!is_short && !(*proof == stated))) {
        Diagnostic& error = diagnostics_.Error(
            DiagnosticKind::kWrongOperator, function.func->range,
            fmt::format("expected a claim that the loops of `{}` prove, found `{}`",
                        function.name.view(), claim->kind));
        Diagnostics::AddNote(error, function.func->range,
                             fmt::format("the loops prove `{}` of {} multiplications and {} "
                                         "elements written",
                                         proof->kind, proof->macs, proof->elements));
        continue;
      }
      if (!(*proof == *claim)) result_.Update(WithOpInfo(module_.context(), function, *proof));
    }
    return true;
  }

  /// The module without its claims.
  IRModule WithoutClaims() const {
    IRModule result = module_;
    for (const Function& function : module_.functions()) {
      if (function.FindAttr(attr_key::kOp) == nullptr) continue;
      result.Update(WithoutAttrs(module_.context(), function, {attr_key::kOp}));
    }
    return result;
  }

  /// True if the options exclude the operator, with the reason.
  bool IsLeftOut(std::string_view name, std::string& because) const {
    if (skip_.contains(name)) return because = "the option skip names it", true;
    if (!only_.empty() && !only_.contains(name))
      return because = "the option only does not name it", true;
    return false;
  }

  void ReadOperators() {
    for (const Function& function : result_.functions()) {
      std::optional<OpInfo> info = ReadOpInfo(function);
      if (!info || function.FindAttr(attr_key::kCompiler) != nullptr) continue;
      const std::string_view* offload = AsString(function.FindAttr(attr_key::kOffload));
      list_.push_back(
          {function.name.view(), *std::move(info), function.func->range, &function,
           offload == nullptr ? std::string_view() : *offload,
           AnswersIn(function.FindAttr(attr_key::kTargets), function.FindAttr(attr_key::kWhyNot))});
    }
    const MapAttr* attrs = result_.attrs();
    const auto* ops = dyn_cast_or_null<MapAttr>(attrs->Find(attr_key::kOps));
    if (ops == nullptr) return;
    const auto* targets = dyn_cast_or_null<MapAttr>(attrs->Find(attr_key::kTargets));
    for (const MapItem* item : ops->items) {
      const std::string_view* name = AsString(item->key);
      std::optional<OpInfo> info = ReadOpInfo(item->value);
      if (name == nullptr || !info) continue;
      list_.push_back({*name,
                       *std::move(info),
                       {},
                       nullptr,
                       {},
                       AnswersIn(targets == nullptr ? nullptr : targets->Find(*name), nullptr)});
    }
  }

  /// Queries the generator of each target about all operators without a known answer.
  bool AskGenerators() {
    std::vector<GeneratorTarget> targets = targets_;
    for (const Operator& op : list_) {
      const auto is_it = [&](const GeneratorTarget& target) { return target.name == op.offload; };
      if (op.offload.empty() || op.offload == kHostTarget ||
          generators_.Find(op.offload) == nullptr ||
          std::any_of(targets.begin(), targets.end(), is_it))
        continue;
      targets.push_back(TargetNamed(op.offload));
    }
    return std::all_of(targets.begin(), targets.end(),
                       [&](const GeneratorTarget& target) { return AskGenerator(target); });
  }

  bool AskGenerator(const GeneratorTarget& target) {
    std::vector<const Operator*> asked;
    std::vector<SupportQuestion> questions;
    for (const Operator& op : list_) {
      if (!MustAsk(op, target)) continue;
      asked.push_back(&op);
      questions.push_back({&op.info, op.function, op.range, op.name});
    }
    if (asked.empty()) return true;
    Diagnostics own;
    std::optional<std::vector<Support>> answers =
        generators_.Find(target.name)->SupportsAll(questions, target, module_.context(), own);
    if (!answers && options_.on_error == "refuse") {
      const std::string because = own.all().empty() ? "" : own.all().front().message;
      diagnostics_.Warning(DiagnosticKind::kGeneratorFailed,
                           own.all().empty() ? SourceRange() : own.all().front().range,
                           fmt::format("`{}` gets no operator: {}", target.name, because));
      answers.emplace(asked.size(), Support::No("its code generator failed"));
    } else {
      diagnostics_.Append(std::move(own));
    }
    if (!answers) return false;
    TENON_CHECK(answers->size() == asked.size());
    for (size_t i = 0; i < asked.size(); ++i)
      supports_[{target.name, asked[i]->name}] = std::move((*answers)[i]);
    return true;
  }

  bool MustAsk(const Operator& op, const GeneratorTarget& target) const {
    if (!op.info.known()) return false;
    if (!op.offload.empty()) return op.offload == target.name;
    std::string because;
    return !op.answers.Has(target.name) && !IsLeftOut(op.name, because) &&
           !unproven_.contains(module_.context().Intern(op.name));
  }

  void AnnotateFunction(const Function& function) {
    const std::optional<OpInfo> info = ReadOpInfo(function);
    if (!info || function.FindAttr(attr_key::kCompiler) != nullptr) return;
    ++operators_;
    const Answers before =
        AnswersIn(function.FindAttr(attr_key::kTargets), function.FindAttr(attr_key::kWhyNot));
    Answers answers = before;
    const auto unproven = unproven_.find(function.name);
    const std::string_view* offload = AsString(function.FindAttr(attr_key::kOffload));
    if (offload != nullptr && *offload != kHostTarget) {
      AskForced(function, *info, *offload, answers);
    } else {
      for (const GeneratorTarget& target : targets_) {
        std::string because;
        if (offload != nullptr) {
          answers.Refuse(target.name, "its tenon.offload says host");
        } else if (unproven != unproven_.end()) {
          answers.Refuse(target.name, unproven->second);
        } else if (IsLeftOut(function.name.view(), because)) {
          if (!answers.Has(target.name)) answers.Refuse(target.name, because);
        } else {
          Ask(function.name.view(), *info, target, answers);
        }
      }
    }
    annotated_ += answers.targets.empty() ? 0 : 1;
    if (answers == before) return;
    result_.Update(
        WithAttrs(module_.context(), function, [&](NodeBuilder& builder, const MapAttr* attrs) {
          attrs = builder.With(attrs, attr_key::kTargets, ListOf(builder, answers));
          return builder.With(attrs, attr_key::kWhyNot, ReasonsOf(builder, answers));
        }));
  }

  /// Records the answer of a target's generator.
  void Ask(std::string_view name, const OpInfo& info, const GeneratorTarget& target,
           Answers& answers) const {
    if (answers.Has(target.name)) return;
    if (!info.known()) return answers.Refuse(target.name, info.because);
    const Support& support = supports_.at({target.name, name});
    if (support.yes) return answers.Take(target.name);
    answers.Refuse(target.name, support.because);
  }

  /// Queries only the target that the module names.
  void AskForced(const Function& function, const OpInfo& info, std::string_view name,
                 Answers& answers) {
    const auto is_it = [&](const GeneratorTarget& target) { return target.name == name; };
    const size_t asked = targets_.size();
    auto found = std::find_if(targets_.begin(), targets_.end(), is_it);
    if (found == targets_.end()) {
      if (!AddTarget(name, function.func->range)) return;
      found = targets_.end() - 1;
    }
    for (const std::string& other : std::exchange(answers.targets, {})) {
      if (other != name) answers.Refuse(other, fmt::format("its tenon.offload says {}", name));
    }
    Ask(function.name.view(), info, *found, answers);
    for (size_t i = 0; i < asked; ++i) {
      if (targets_[i].name != name)
        answers.Refuse(targets_[i].name, fmt::format("its tenon.offload says {}", name));
    }
    std::string because;
    for (const auto& [target, reason] : answers.why_not) {
      if (target == name) because = reason;
    }
    targets_.erase(targets_.begin() + static_cast<std::ptrdiff_t>(asked), targets_.end());
    if (answers.Has(name)) return;
    diagnostics_.Error(DiagnosticKind::kUnsupportedOperator, function.func->range,
                       fmt::format("`{}` has `tenon.offload` for `{}`, which does not compute it: "
                                   "{}",
                                   function.name.view(), name, because));
  }

  /// The answers for operators without a body are in the module's attributes.
  void AnnotateExterns() {
    const MapAttr* attrs = result_.attrs();
    const auto* ops = dyn_cast_or_null<MapAttr>(attrs->Find(attr_key::kOps));
    if (ops == nullptr) return;
    auto storage = std::make_shared<Storage>();
    NodeBuilder builder(module_.context(), storage->arena());
    const auto* targets = dyn_cast_or_null<MapAttr>(attrs->Find(attr_key::kTargets));
    const auto* why_not = dyn_cast_or_null<MapAttr>(attrs->Find(attr_key::kWhyNot));
    bool is_changed = false;
    for (const MapItem* item : ops->items) {
      const std::string_view* name = AsString(item->key);
      const std::optional<OpInfo> info = ReadOpInfo(item->value);
      if (name == nullptr || !info) continue;
      ++operators_;
      const Answers before = AnswersIn(targets == nullptr ? nullptr : targets->Find(*name),
                                       why_not == nullptr ? nullptr : why_not->Find(*name));
      Answers answers = before;
      for (const GeneratorTarget& target : targets_) {
        std::string because;
        if (!IsLeftOut(*name, because)) {
          Ask(*name, *info, target, answers);
        } else if (!answers.Has(target.name)) {
          answers.Refuse(target.name, because);
        }
      }
      annotated_ += answers.targets.empty() ? 0 : 1;
      if (answers == before) continue;
      is_changed = true;
      targets = builder.With(targets, *name, ListOf(builder, answers));
      why_not = builder.With(why_not, *name, ReasonsOf(builder, answers));
    }
    if (!is_changed) return;
    const auto some = [](const MapAttr* map) {
      return map == nullptr || map->items.empty() ? nullptr : map;
    };
    attrs = builder.With(attrs, attr_key::kTargets, some(targets));
    attrs = builder.With(attrs, attr_key::kWhyNot, some(why_not));
    result_.SetAttrs(attrs, storage);
  }

  const IRModule& module_;
  const AnnotateTargetsOptions& options_;
  PassContext& context_;
  Diagnostics& diagnostics_;
  const CodeGenerators built_in_;
  const CodeGenerators& generators_;
  IRModule result_;
  std::vector<GeneratorTarget> targets_;
  HostFacts host_;
  absl::flat_hash_set<std::string_view> only_;
  absl::flat_hash_set<std::string_view> skip_;
  /// The reasons why claims do not hold, if the loops show them.
  absl::flat_hash_map<Symbol, std::string> unproven_;
  std::vector<Operator> list_;
  /// The answers of generators, by target and operator.
  absl::flat_hash_map<std::pair<std::string, std::string_view>, Support> supports_;
  int64_t operators_ = 0;
  int64_t annotated_ = 0;
};

}  // namespace

absl::StatusOr<IRModule> AnnotateTargets(const IRModule& module,
                                         const AnnotateTargetsOptions& options,
                                         PassContext& context) {
  return Annotator(module, options, context).Run();
}

}  // namespace tenon
