#include "tools/plan_problem.h"

#include <fmt/format.h>

#include <cstdint>

#include "planner/formats/plan_csv.h"
#include "support/status_macros.h"
#include "tools/interrupt.h"
#include "tools/module_input.h"
#include "tools/read_text.h"
#include "tools/version.h"

namespace tenon {

void PlanTexts::Show() {
  ShowDiagnostics(sources, diagnostics, style_);
  diagnostics.Clear();
}

std::optional<PlanText> PlanTexts::Read(const std::string& path) {
  const absl::StatusOr<std::shared_ptr<const FileBytes>> file =
      ReadTextFile(path, ReaderKind::kProblems);
  if (file.ok()) return PlanText{(*file)->path(), (*file)->view(), *file};
  Fail(std::string(file.status().message()));
  return std::nullopt;
}

absl::StatusOr<std::vector<planner::Pool>> PoolOptions(const PlanCommand& command) {
  std::vector<planner::Pool> pools;
  for (const std::string& text : command.pools) {
    absl::StatusOr<planner::Pool> pool = ParsePoolOption(text);
    if (!pool.ok())
      return absl::InvalidArgumentError("--pool: " + std::string(pool.status().message()));
    for (const planner::Pool& other : pools) {
      if (other.name == pool->name)
        return absl::InvalidArgumentError(fmt::format("--pool: duplicate pool `{}`", other.name));
    }
    pools.push_back(*std::move(pool));
  }
  return pools;
}

absl::Status ChangePools(const PlanCommand& command, const std::vector<planner::Pool>& pools,
                         planner::Problem& problem) {
  if (absl::Status status = OverridePools(pools, problem); !status.ok())
    return absl::InvalidArgumentError("--pool: " + std::string(status.message()));
  if (command.capacity == planner::kUnlimited) return absl::OkStatus();
  if (problem.pools.size() > 1) {
    return absl::InvalidArgumentError(
        "--capacity is for problems with one pool; give others theirs by --pool=name:bytes");
  }
  problem.pools[0].capacity = command.capacity;
  return absl::OkStatus();
}

absl::StatusOr<std::optional<PlanFile>> ParseProblem(const PlanCommand& command,
                                                     const PlanText& text, SourceManager& sources,
                                                     Diagnostics& diagnostics) {
  TENON_ASSIGN_OR(const std::vector<planner::Pool> pools, PoolOptions(command));
  std::optional<PlanFile> file;
  if (IsPlanJson(text.name, text.text)) {
    file = ParsePlanJson(sources, text.name, text.text, text.owner, diagnostics, pools);
  } else {
    std::optional<PlanCsv> csv =
        ParsePlanCsv(sources, text.name, text.text, text.owner, diagnostics, {.pools = pools});
    if (csv) file = std::move(static_cast<PlanFile&>(*csv));
  }
  if (file) TENON_TRY(ChangePools(command, pools, file->problem));
  return file;
}

std::optional<PlanFile> ReadProblem(const PlanCommand& command, const std::string& path,
                                    PlanTexts& texts) {
  const auto fail = [](const absl::Status& status) {
    Fail(std::string(status.message()));
    return std::nullopt;
  };
  // Wrong pools are reported before the file is read, which may be standard input.
  if (const absl::Status pools = PoolOptions(command).status(); !pools.ok()) return fail(pools);
  const std::optional<PlanText> text = texts.Read(path);
  if (!text) return std::nullopt;
  if (command.in_place && IsPlanJson(text->name, text->text)) {
    Fail("--in-place: the problem is JSON, and plans are written as CSV; give -o FILE");
    return std::nullopt;
  }
  absl::StatusOr<std::optional<PlanFile>> file =
      ParseProblem(command, *text, texts.sources, texts.diagnostics);
  if (!file.ok()) return fail(file.status());
  return *std::move(file);
}

planner::PlanOptions SearchOptions(const PlanCommand& command) {
  planner::PlanOptions options;
  if (command.time_limit) options.node_limit = INT64_MAX;
  if (command.node_limit) options.node_limit = *command.node_limit;
  options.time_limit = command.time_limit;
  options.stop = Interrupt::Raised;
  return options;
}

PlanProvenance ProvenanceOf(const PlanCommand& command, const PlanFile& problem, int64_t nodes) {
  const planner::PlanOptions options = SearchOptions(command);
  PlanProvenance provenance;
  provenance.program = ProgramText("tenon");
  provenance.requested = command.algorithm;
  if (options.node_limit != INT64_MAX) provenance.node_limit = options.node_limit;
  provenance.time_limit = options.time_limit;
  provenance.nodes = nodes;
  provenance.problem_hash = HashOfProblem(problem);
  return provenance;
}

planner::KeptOffsets KeepPrevious(const planner::Problem& problem,
                                  const planner::PreviousPlacements& previous,
                                  planner::Plan& plan) {
  // Steps that keeping offsets may take.
  constexpr int64_t kWork = 20'000'000;
  plan = planner::KeepOffsets(problem, plan, previous, kWork);
  return planner::CountKept(problem, plan, previous);
}

}  // namespace tenon
