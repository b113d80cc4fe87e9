// A pass is checked on both sides: the forms that it needs, then the verifier, kept forms and the
// interface of the entry. A pass that returns the same versions of functions changed nothing, and
// costs no check.

#include "passes/pipeline/runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "ir/input_files.h"
#include "ir/structural.h"
#include "ir/verifier.h"
#include "passes/pipeline/kept_interface.h"
#include "passes/pipeline/pass_set.h"
#include "printer/printer.h"
#include "support/file.h"

namespace tenon {

namespace {

constexpr int kMostRounds = 100;

void AddCounter(RunReport& report, const std::string& name, int64_t count) {
  for (auto& [known, sum] : report.counters) {
    if (known != name) continue;
    sum += count;
    return;
  }
  report.counters.emplace_back(name, count);
}

class Runner {
 public:
  Runner(const RunOptions& options, Diagnostics& diagnostics, RunReport& report)
      : options_(options),
        diagnostics_(diagnostics),
        report_(report),
        context_{diagnostics,
                 options.threads,
                 {},
                 options.updaters,
                 options.generators,
                 options.evaluator,
                 options.verify_schedules,
                 options.print_schedules} {}

  bool Run(IRModule& module, const std::vector<PipelineItem>& items) {
    for (const PipelineItem& item : items) {
      const bool ok = item.is_fix ? RunFix(module, item) : RunPass(module, item.pass);
      if (!ok) return false;
    }
    return true;
  }

  void Finish() {
    report_.counters = std::move(context_.counters);
    if (options_.report == nullptr) return;
    auto& passes = options_.report->passes;
    passes.insert(passes.end(), report_.passes.begin(), report_.passes.end());
    for (const auto& [name, count] : report_.counters) AddCounter(*options_.report, name, count);
  }

 private:
  bool RunFix(IRModule& module, const PipelineItem& item) {
    for (int round = 0; round < kMostRounds; ++round) {
      const IRModule before = module;
      if (!Run(module, item.fix)) return false;
      if (SameVersion(before, module) || StructuralEqual(before, module)) return true;
    }
    diagnostics_.Error(DiagnosticKind::kPass, {},
                       fmt::format("`fix` still changes the module after {} rounds", kMostRounds));
    return false;
  }

  bool RunPass(IRModule& module, const BoundPass& pass) {
    if (options_.stop_after >= 0 &&
        static_cast<int64_t>(report_.passes.size()) >= options_.stop_after) {
      return true;
    }
    if (!HasForms(module, pass)) return false;
    PrintIf(options_.print_before_all || HasName(options_.print_before, pass.name), "before",
            pass.name, module);
    const size_t errors = diagnostics_.error_count();
    if (!interface_) interface_.emplace(module);
    if (options_.verify_each && !kept_) kept_ = FormsToKeep(module);
    context_.changes_interface = false;
    if (options_.starting) options_.starting(pass.name);
    const auto start = std::chrono::steady_clock::now();
    absl::StatusOr<IRModule> result = pass.run(module, context_);
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    if (!result.ok() || diagnostics_.error_count() != errors) {
      if (diagnostics_.error_count() == errors) {
        diagnostics_.Error(
            DiagnosticKind::kPass, {},
            fmt::format("pass `{}` failed: {}", pass.name, std::string(result.status().message())));
      }
      return false;
    }
    const bool changed = !SameVersion(module, *result);
    module = *std::move(result);
    report_.passes.push_back({std::string(pass.name), elapsed.count(), changed});
    if (changed && options_.verify_each && !Verify(module)) {
      diagnostics_.Error(DiagnosticKind::kPass, {},
                         fmt::format("the module is not valid after pass `{}`", pass.name));
      return false;
    }
    if (changed && options_.verify_each && !KeptForms(module, pass)) return false;
    if (changed && !interface_->Keep(module, pass.name, context_.changes_interface, diagnostics_)) {
      return false;
    }
#ifndef NDEBUG
    if (!GaveForms(module, pass)) return false;
#endif
    if (changed && options_.changed) options_.changed(pass.name, module);
    return Dump(module, pass.name, changed);
  }

  /// Reports a pass that runs too early.
  bool HasForms(const IRModule& module, const BoundPass& pass) {
    const std::vector<FormGap> gaps = FindGaps(module, pass.needs);
    for (const FormGap& gap : gaps) {
      Diagnostic& error = diagnostics_.Error(
          DiagnosticKind::kPipeline, pass.range,
          fmt::format("pass `{}` expected a module of the form `{}`, found {}; run {} first",
                      pass.name, FormName(gap.form), gap.what, GiversOf(gap.form)));
      if (gap.range.valid()) Diagnostics::AddNote(error, gap.range, std::string(gap.what));
    }
    return gaps.empty();
  }

  /// The forms of the module that the next pass must keep.
  static FormSet FormsToKeep(const IRModule& module) {
    FormSet forms = kKeptForms;
    for (const FormGap& gap : FindGaps(module, kKeptForms)) forms.Remove(gap.form);
    return forms;
  }

  /// Reports a pass that does not keep a form.
  bool KeptForms(const IRModule& module, const BoundPass& pass) {
    const StepTimer timer(options_.report, "verification");
    const FormSet before = *kept_;
    const std::vector<FormGap> gaps = FindGaps(module, kKeptForms);
    kept_ = kKeptForms;
    bool ok = true;
    for (const FormGap& gap : gaps) {
      kept_->Remove(gap.form);
      if (!before.Has(gap.form)) continue;
      ok = false;
      diagnostics_.Error(DiagnosticKind::kPass, gap.range,
                         fmt::format("pass `{}` expected to keep the form `{}`, but left {}",
                                     pass.name, FormName(gap.form), gap.what));
    }
    return ok;
  }

  /// Reports a pass that does not give the forms that pass_list.def claims.
  bool GaveForms(const IRModule& module, const BoundPass& pass) {
    const std::vector<FormGap> gaps = FindGaps(module, pass.gives);
    for (const FormGap& gap : gaps) {
      diagnostics_.Error(DiagnosticKind::kPass, gap.range,
                         fmt::format("pass `{}` claims to give the form `{}`, but left {}",
                                     pass.name, FormName(gap.form), gap.what));
    }
    return gaps.empty();
  }

  bool Verify(const IRModule& module) {
    const StepTimer timer(options_.report, "verification");
    return VerifyModule(module, diagnostics_, ConstantFaults::kAllowed);
  }

  /// Contents of side files stay there: a dump of gigabytes after each pass would be useless.
  static std::string Text(const IRModule& module, const std::string& folder) {
    PrintOptions options;
    options.constants = ConstantsMode::kKeep;
    options.text_folder = folder;
    return PrintModule(module, options);
  }

  static bool HasName(const std::vector<std::string>& names, std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  }

  void PrintIf(bool wanted, std::string_view when, std::string_view name, const IRModule& module,
               std::string_view comment = "") {
    if (wanted && options_.dump)
      options_.dump(fmt::format("# IR {} {}{}\n{}\n", when, name, comment, Text(module, "")));
  }

  bool Dump(const IRModule& module, std::string_view name, bool changed) {
    PrintIf(options_.print_after_all || (options_.print_after_change && changed) ||
                HasName(options_.print_after, name),
            "after", name, module, changed ? "" : " (unchanged)");
    if (options_.dump_dir.empty()) return true;
    const std::string file =
        fmt::format("{:03}.{}.{}.py", ++*options_.last_dump, name, changed ? "changed" : "same");
    const std::string text = Text(module, options_.dump_dir) + "\n";
    const FolderFile dump{file, text};
    const absl::Status written = WriteFolder(options_.dump_dir, {&dump, 1}, {}, InputFiles(module));
    if (!written.ok()) {
      diagnostics_.Error(DiagnosticKind::kPass, {}, std::string(written.message()));
    }
    return written.ok();
  }

  const RunOptions& options_;
  Diagnostics& diagnostics_;
  RunReport& report_;
  PassContext context_;
  /// Read from the module before the first pass, then kept.
  std::optional<KeptInterface> interface_;
  /// The forms that the module has of those that every pass keeps.
  std::optional<FormSet> kept_;
};

}  // namespace

bool SameVersion(const IRModule& a, const IRModule& b) {
  const auto same = [](const Function& x, const Function& y) {
    return x.func == y.func && x.name == y.name;
  };
  return a.attrs() == b.attrs() && a.global_infos() == b.global_infos() &&
         a.constants == b.constants &&
         std::equal(a.functions().begin(), a.functions().end(), b.functions().begin(),
                    b.functions().end(), same);
}

std::optional<IRModule> RunPipeline(const IRModule& module, const Pipeline& pipeline,
                                    const RunOptions& options, Diagnostics& diagnostics,
                                    RunReport* report) {
  RunReport own;
  if (report == nullptr) report = &own;
  if (options.verify_each) {
    const StepTimer timer(options.report, "verification");
    if (!VerifyModule(module, diagnostics, ConstantFaults::kAllowed)) return std::nullopt;
  }
  IRModule now = module;
  Runner runner(options, diagnostics, *report);
  const bool ok = runner.Run(now, pipeline.items());
  runner.Finish();
  if (!ok) return std::nullopt;
  return now;
}

void AddStep(RunReport& report, std::string_view name, double seconds) {
  for (PassRun& row : report.passes) {
    if (row.name != name) continue;
    row.seconds += seconds;
    return;
  }
  report.passes.push_back({std::string(name), seconds, /*changed=*/true});
}

StepTimer::StepTimer(RunReport* report, std::string_view name)
    : report_(report), name_(name), start_(std::chrono::steady_clock::now()) {}

StepTimer::~StepTimer() {
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start_;
  if (report_ != nullptr) AddStep(*report_, name_, elapsed.count());
}

std::string TimingTable(const RunReport& report) {
  double total = 0;
  for (const PassRun& pass : report.passes) total += pass.seconds;
  std::string out = "    seconds      %  pass\n";
  for (const PassRun& pass : report.passes) {
    const double share = total > 0 ? pass.seconds / total * 100 : 0;
    out += fmt::format("{:11.6f} {:6.1f}  {}{}\n", pass.seconds, share, pass.name,
                       pass.changed ? "" : " (no change)");
  }
  out += fmt::format("{:11.6f}  100.0  total\n", total);
  for (const auto& [name, count] : report.counters)
    out += fmt::format("{:11}         {}\n", count, name);
  return out;
}

}  // namespace tenon
