#ifndef TENON_PASSES_PIPELINE_RUNNER_H_
#define TENON_PASSES_PIPELINE_RUNNER_H_

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "passes/pipeline/pipeline.h"

namespace tenon {

struct RunReport;

/// Options for running a pipeline. Dumps go to `dump`, in the order of the passes.
struct RunOptions {
  /// Verify the module before the first pass and after every pass that changed it.
  bool verify_each = true;
  /// Read back loops that passes write for an operator (schedule/check/why_not_equal.h). On in
  /// builds with assertions.
#ifdef NDEBUG
  bool verify_schedules = false;
#else
  bool verify_schedules = true;
#endif
  /// Passes that choose the order of loops show the best schedules with their costs, as notes.
  bool print_schedules = false;
  bool print_before_all = false;
  bool print_after_all = false;
  bool print_after_change = false;
  /// The names of passes: prints the module before, or after, each of their runs.
  std::vector<std::string> print_before;
  std::vector<std::string> print_after;
  /// Writes `<dump_dir>/<number>.<pass>.<changed|same>.py` after every pass; empty: no files. The
  /// folder is created if necessary.
  std::string dump_dir;
  /// The number of the last dump, shared by all pipelines that run with copies of these options.
  std::shared_ptr<int64_t> last_dump = std::make_shared<int64_t>(0);
  /// Runs only this many passes, then stops; -1: all. For finding the pass that breaks a module.
  int64_t stop_after = -1;
  int threads = 1;
  /// Code generators with special constants (passes/constants/constant_updater.h); null: those that
  /// come with Tenon.
  const ConstantUpdaters* updaters = nullptr;
  /// External code generators (byoc/code_generator.h); null: those that come with Tenon.
  const CodeGenerators* generators = nullptr;
  /// Runs functions for fold-constants (analysis/function_evaluator.h); null: nothing is folded.
  const FunctionEvaluator* evaluator = nullptr;
  /// Called before each pass, with its name; may be empty.
  std::function<void(std::string_view pass)> starting = nullptr;
  /// Receives the text of --print-ir-*.
  std::function<void(std::string_view)> dump;
  /// Called after every pass that changed the module.
  std::function<void(std::string_view pass, const IRModule&)> changed;
  /// If not null, receives the passes of every pipeline that runs with these options.
  RunReport* report = nullptr;
};

/// The record of one pass execution.
struct PassRun {
  std::string name;
  double seconds = 0;
  bool changed = false;
};

struct RunReport {
  std::vector<PassRun> passes;
  std::vector<std::pair<std::string, int64_t>> counters;
};

/// Adds its lifetime, from construction to destruction, to a report as a step that is not a pass;
/// does nothing if the report is null. A report has one row per name.
class StepTimer {
 public:
  StepTimer(RunReport* report, std::string_view name);
  StepTimer(const StepTimer&) = delete;
  StepTimer& operator=(const StepTimer&) = delete;
  ~StepTimer();

 private:
  RunReport* report_;
  std::string_view name_;
  std::chrono::steady_clock::time_point start_;
};

/// Adds `seconds` to the row of this name, and creates the row if necessary.
void AddStep(RunReport& report, std::string_view name, double seconds);

/// Runs a pipeline over a module. Nullopt if a pass or the verifier failed; the diagnostics have
/// the reason. A `fix` that does not settle within 100 rounds is an error.
std::optional<IRModule> RunPipeline(const IRModule& module, const Pipeline& pipeline,
                                    const RunOptions& options, Diagnostics& diagnostics,
                                    RunReport* report = nullptr);

/// True if both are the same version: identical functions, attributes and constants.
bool SameVersion(const IRModule& a, const IRModule& b);

/// The table that --timing prints.
std::string TimingTable(const RunReport& report);

}  // namespace tenon

#endif  // TENON_PASSES_PIPELINE_RUNNER_H_
