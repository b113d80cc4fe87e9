#ifndef TENON_TOOLS_PLAN_PROBLEM_H_
#define TENON_TOOLS_PLAN_PROBLEM_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "planner/formats/plan_answer.h"
#include "planner/formats/plan_file.h"
#include "planner/formats/plan_json.h"
#include "planner/heuristics/keep_offsets.h"
#include "support/diagnostics.h"
#include "support/source.h"
#include "tools/plan_command.h"
#include "tools/stderr_style.h"

// How the commands of `tenon plan` read problems and search for plans.

namespace tenon {

/// The texts that a command has read, and their errors, which are printed at the end.
class PlanTexts {
 public:
  explicit PlanTexts(const StderrStyle& style) : style_(style) {}
  ~PlanTexts() { Show(); }
  PlanTexts(const PlanTexts&) = delete;
  PlanTexts& operator=(const PlanTexts&) = delete;

  /// Prints the errors since the last time.
  void Show();
  /// Nullopt after an error, which is printed.
  std::optional<PlanText> Read(const std::string& path);

  SourceManager sources;
  Diagnostics diagnostics;

 private:
  const StderrStyle& style_;
};

/// The pools of the command line. InvalidArgument: one that is wrong or given twice.
absl::StatusOr<std::vector<planner::Pool>> PoolOptions(const PlanCommand& command);

/// Applies the pools of the command line to a problem that was read. InvalidArgument: options that
/// do not fit the problem.
absl::Status ChangePools(const PlanCommand& command, const std::vector<planner::Pool>& pools,
                         planner::Problem& problem);

/// Reads a problem in CSV or JSON, with the pools of the command line. InvalidArgument: wrong
/// pools. Nullopt after an error in the text, which is in `diagnostics`.
absl::StatusOr<std::optional<PlanFile>> ParseProblem(const PlanCommand& command,
                                                     const PlanText& text, SourceManager& sources,
                                                     Diagnostics& diagnostics);

/// Reads the problem in the file `path`, with the pools of the command line. Nullopt after an
/// error.
std::optional<PlanFile> ReadProblem(const PlanCommand& command, const std::string& path,
                                    PlanTexts& texts);

/// The limits of a search as the command line gives them. Ctrl-C ends a search that has these
/// options while an Interrupt lives.
planner::PlanOptions SearchOptions(const PlanCommand& command);

/// The provenance of a plan, for its JSON.
PlanProvenance ProvenanceOf(const PlanCommand& command, const PlanFile& problem, int64_t nodes);

/// Keeps the offsets of an earlier plan as far as no pool grows. Returns what was kept.
planner::KeptOffsets KeepPrevious(const planner::Problem& problem,
                                  const planner::PreviousPlacements& previous, planner::Plan& plan);

}  // namespace tenon

#endif  // TENON_TOOLS_PLAN_PROBLEM_H_
