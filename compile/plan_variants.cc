#include "compile/plan_variants.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "ir/memory_plan.h"
#include "ir/memory_pools.h"
#include "ir/visitor.h"
#include "planner/planner.h"

namespace tenon {

namespace {

/// Whether each pool of a planned module is for constants.
std::map<std::string, bool> KindsOfPools(const IRModule& noted) {
  std::map<std::string, bool> kinds;
  const auto add = [&](const MapAttr* annotations) {
    for (const PoolInfo& pool : ReadCandidates(annotations)) kinds[pool.name] = pool.is_constant;
  };
  for (const Function& function : noted.functions()) {
    Walk(function.func->body, [&](const Node* node) {
      if (const auto* allocate = dyn_cast<Allocate>(node)) add(allocate->annotations);
      if (const auto* allocate = dyn_cast<AllocateConst>(node)) add(allocate->annotations);
      return !isa<Expr>(node);
    });
  }
  return kinds;
}

ReportAccounting AccountingOf(const MemoryReport& report) {
  std::vector<ReportModelPool> pools;
  for (const ReportPool& pool : report.pools) {
    if (!pool.is_constant)
      pools.push_back({pool.name, pool.size_bytes, pool.lower_bound_bytes, pool.proven_optimal});
  }
  return SumOf(std::move(pools));
}

/// The workspace with other options; nullopt if the module cannot be planned with them.
std::optional<ReportAccounting> PlanAgain(const PlanBase& base, const CompileOptions& options) {
  Diagnostics unheard;
  const std::optional<PlannedModule> planned =
      PlanModule(base.module, OptionsForTrial(options), base.target, unheard);
  if (!planned) return std::nullopt;
  const std::map<std::string, bool> kinds = KindsOfPools(planned->noted);
  std::vector<ReportModelPool> pools;
  for (const PlannedPool& pool : ReadPlannedPools(planned->noted)) {
    const auto kind = kinds.find(pool.name);
    if (kind != kinds.end() && !kind->second)
      pools.push_back({pool.name, pool.size_bytes, pool.lower_bound_bytes, pool.proven_optimal});
  }
  return SumOf(std::move(pools));
}

/// A planning option that changes the workspace.
struct PlanOption {
  std::string_view flag;
  /// The first value does nothing, the last one does the most.
  std::span<const std::string_view> values;
  /// The value in use; a value that is not in `values` counts as weaker than all of them.
  std::string (*value)(const CompileOptions& options);
  void (*set)(CompileOptions& options, std::string_view value);
  /// True if the option has an effect together with the other options.
  bool (*applies)(const CompileOptions& options);
};

bool HasTenonsPlanner(const CompileOptions& options) {
  return !planner::IsTvmAlgorithm(options.planner);
}

std::string SwitchText(bool is_on) { return is_on ? "on" : "off"; }

constexpr std::string_view kSwitchValues[] = {"off", "on"};
constexpr std::span kOverlapValues = std::span(kOverlapNames).subspan(1);

Switch SwitchOf(std::string_view value) { return value == "on" ? Switch::kOn : Switch::kOff; }
Overlap OverlapOf(std::string_view value) {
  const auto found = std::find(kOverlapNames.begin(), kOverlapNames.end(), value);
  return static_cast<Overlap>(found - kOverlapNames.begin());
}
Streaming StreamingOf(std::string_view value) {
  const auto found = std::find(kStreamingNames.begin(), kStreamingNames.end(), value);
  return static_cast<Streaming>(found - kStreamingNames.begin());
}
constexpr std::string_view kPlannerValues[] = {"optimal"};

/// All options that are tried.
constexpr PlanOption kPlanOptions[] = {
    {"--planner", kPlannerValues, [](const CompileOptions& o) { return o.planner; },
     [](CompileOptions& o, std::string_view value) { o.planner = value; },
     [](const CompileOptions& /*o*/) { return true; }},
    {"--fuse", kSwitchValues,
     [](const CompileOptions& o) { return SwitchText(WorkspaceChoiceOf(o).fuse); },
     [](CompileOptions& o, std::string_view value) { o.fuse = SwitchOf(value); },
     &HasTenonsPlanner},
    {"--narrow", kSwitchValues,
     [](const CompileOptions& o) { return SwitchText(WorkspaceChoiceOf(o).narrow); },
     [](CompileOptions& o, std::string_view value) { o.narrow = SwitchOf(value); },
     &HasTenonsPlanner},
    {"--overlap", kOverlapValues,
     [](const CompileOptions& o) { return std::string(OverlapName(WorkspaceChoiceOf(o).overlap)); },
     [](CompileOptions& o, std::string_view value) { o.overlap = OverlapOf(value); },
     &HasTenonsPlanner},
    {"--stream", kStreamingNames,
     [](const CompileOptions& o) { return std::string(StreamingName(o.stream)); },
     [](CompileOptions& o, std::string_view value) { o.stream = StreamingOf(value); },
     [](const CompileOptions& o) { return WorkspaceChoiceOf(o).fuse; }},
};

class OptionTrials {
 public:
  OptionTrials(const PlanBase& base, const MemoryReport& report)
      : base_(base), bytes_(report.workspace_bytes()) {}

  std::vector<OptionEffect> Run() {
    for (const PlanOption& option : kPlanOptions) {
      if (option.applies(base_.options)) Try(option);
      if (option.applies(together_)) Strengthen(option);
    }
    TryFeeding();
    std::stable_sort(others_.begin(), others_.end(),
                     [](const OptionEffect& a, const OptionEffect& b) {
                       return a.saved_bytes() > b.saved_bytes();
                     });
    if (stronger_ > 1) TryTogether();
    used_.insert(used_.end(), others_.begin(), others_.end());
    return std::move(used_);
  }

 private:
  void Try(const PlanOption& option) {
    const auto found =
        std::find(option.values.begin(), option.values.end(), option.value(base_.options));
    const bool known = found != option.values.end();
    if (known && found != option.values.begin()) {
      const std::optional<int64_t> without = BytesWith(option, option.values.front());
      used_.push_back({Text(option, *found), /*in_use=*/true, without.has_value(), bytes_,
                       without.value_or(0)});
    }
    const auto first = known ? found + 1 : option.values.begin();
    for (auto value = first; value != option.values.end(); ++value) {
      const std::optional<int64_t> with = BytesWith(option, *value);
      others_.push_back(
          {Text(option, *value), /*in_use=*/false, with.has_value(), with.value_or(0), bytes_});
    }
  }

  /// Rows of the input that come one after another. Many models cannot be fed.
  void TryFeeding() {
    CompileOptions options = base_.options;
    if (options.feed_rows || !WorkspaceChoiceOf(options).fuse) return;
    options.feed_rows = true;
    if (const std::optional<ReportAccounting> fed = PlanAgain(base_, options))
      others_.push_back({"--feed-rows", /*in_use=*/false, true, fed->workspace_bytes, bytes_});
  }

  /// Some options only have an effect together with options that precede them in the table.
  void Strengthen(const PlanOption& option) {
    if (option.value(base_.options) == option.values.back()) return;
    ++stronger_;
    before_last_ = {together_, together_text_};
    option.set(together_, option.values.back());
    together_text_ += (together_text_.empty() ? "" : " ") + Text(option, option.values.back());
  }

  void TryTogether() {
    const int64_t most_saved =
        others_.empty() ? 0 : std::max<int64_t>(others_.front().saved_bytes(), 0);
    const std::optional<ReportAccounting> all = PlanAgain(base_, together_);
    if (!all || bytes_ - all->workspace_bytes <= most_saved) return;
    // The last option of the table is the one that changes the most code.
    const std::optional<ReportAccounting> fewer = PlanAgain(base_, before_last_.first);
    if (fewer && fewer->workspace_bytes == all->workspace_bytes)
      together_text_ = before_last_.second;
    others_.insert(others_.begin(),
                   {together_text_, /*in_use=*/false, true, all->workspace_bytes, bytes_});
  }

  static std::string Text(const PlanOption& option, std::string_view value) {
    return fmt::format("{}={}", option.flag, value);
  }

  std::optional<int64_t> BytesWith(const PlanOption& option, std::string_view value) const {
    CompileOptions options = base_.options;
    option.set(options, value);
    const std::optional<ReportAccounting> planned = PlanAgain(base_, options);
    if (!planned) return std::nullopt;
    return planned->workspace_bytes;
  }

  const PlanBase& base_;
  const int64_t bytes_;
  std::vector<OptionEffect> used_;
  std::vector<OptionEffect> others_;
  /// The strongest values of all options, and the number of these that are not in use.
  CompileOptions together_ = base_.options;
  std::string together_text_;
  int stronger_ = 0;
  /// The same without the last one.
  std::pair<CompileOptions, std::string> before_last_;
};

/// Options with which a module fits that does not fit without them.
class FittingOptions {
 public:
  explicit FittingOptions(const PlanBase& base) : base_(base) {}

  /// One option with the weakest value that suffices, or all of them, or nothing.
  std::vector<std::string> Find() {
    std::vector<std::string> alone;
    std::string all;
    CompileOptions together = base_.options;
    std::pair<CompileOptions, std::string> before_last;
    for (const PlanOption& option : kPlanOptions) {
      if (option.applies(base_.options)) TryAlone(option, alone);
      if (!option.applies(together) || option.value(together) == option.values.back()) continue;
      before_last = {together, all};
      option.set(together, option.values.back());
      all += fmt::format("{}{}={}", all.empty() ? "" : " ", option.flag, option.values.back());
    }
    if (!alone.empty() || all.empty()) return alone;
    if (!before_last.second.empty() && PlanAgain(base_, before_last.first))
      return {before_last.second};
    if (PlanAgain(base_, together)) alone.push_back(all);
    return alone;
  }

 private:
  void TryAlone(const PlanOption& option, std::vector<std::string>& alone) const {
    const auto found =
        std::find(option.values.begin(), option.values.end(), option.value(base_.options));
    const auto first = found == option.values.end() ? option.values.begin() : found + 1;
    for (auto value = first; value != option.values.end(); ++value) {
      CompileOptions options = base_.options;
      option.set(options, *value);
      if (!PlanAgain(base_, options)) continue;
      return alone.push_back(fmt::format("{}={}", option.flag, *value));
    }
  }

  const PlanBase& base_;
};

/// The figures of the report, or of a plan with all tensors inside or outside of the pools.
std::optional<ReportAccounting> Counted(const PlanBase& base, const MemoryReport& report,
                                        bool inside) {
  const CompileOptions& options = base.options;
  const bool is_own =
      base.as_given ? std::all_of(report.tensors.begin(), report.tensors.end(),
                                  [&](const ReportTensor& t) { return t.pool.empty() != inside; })
                    : options.map_inputs == inside && options.map_outputs == inside;
  if (is_own || report.tensors.empty()) return AccountingOf(report);
  if (base.as_given) return std::nullopt;
  CompileOptions mapped = options;
  mapped.map_inputs = inside;
  mapped.map_outputs = inside;
  mapped.keep_inputs = inside && options.keep_inputs;
  std::optional<ReportAccounting> planned = PlanAgain(base, mapped);
  // Without limits there must be another reason, such as a tensor without a constant shape.
  const bool has_limit = std::any_of(
      report.pools.begin(), report.pools.end(),
      [](const ReportPool& pool) { return !pool.is_constant && pool.capacity_bytes >= 0; });
  if (!planned && has_limit) planned.emplace().fits = false;
  return planned;
}

}  // namespace

ReportAccountings AccountingsOf(const PlanBase& base, const MemoryReport& report) {
  return {Counted(base, report, /*inside=*/false), Counted(base, report, /*inside=*/true)};
}

void SuggestPlanOptions(const PlanBase& base, Diagnostics& diagnostics) {
  if (base.options.board != nullptr) NoteBoard(*base.options.board, diagnostics);
  const auto is_too_large = [](const Diagnostic& one) {
    return one.kind == DiagnosticKind::kPass && one.message.starts_with("does not fit: ");
  };
  const std::vector<Diagnostic> all = diagnostics.all();
  if (std::none_of(all.begin(), all.end(), is_too_large)) return;
  const std::vector<std::string> options = FittingOptions(base).Find();
  if (options.empty()) return;
  diagnostics.Clear();
  for (const Diagnostic& one : all) {
    Diagnostic& again = one.severity == Severity::kWarning
                            ? diagnostics.Warning(one.kind, one.range, one.message)
                            : diagnostics.Error(one.kind, one.range, one.message);
    again.notes = one.notes;
    if (is_too_large(one))
      Diagnostics::AddNote(again, {},
                           fmt::format("it fits with `{}`", fmt::join(options, "`, or with `")));
  }
}

std::vector<OptionEffect> TryPlanOptions(const PlanBase& base, const MemoryReport& report) {
  if (base.as_given) return {};
  return OptionTrials(base, report).Run();
}

}  // namespace tenon
