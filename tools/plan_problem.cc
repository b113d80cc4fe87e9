#include "tools/plan_problem.h"

#include <fmt/format.h>

#include <cstdint>

#include "planner/formats/plan_csv.h"
#include "planner/formats/plan_json.h"
#include "tools/interrupt.h"
#include "tools/module_input.h"
#include "tools/read_text.h"

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

std::optional<std::vector<planner::Pool>> PoolOptions(const PlanCommand& command) {
  std::vector<planner::Pool> pools;
  for (const std::string& text : command.pools) {
    absl::StatusOr<planner::Pool> pool = ParsePoolOption(text);
    if (!pool.ok()) {
      Fail("--pool: " + std::string(pool.status().message()));
      return std::nullopt;
    }
    for (const planner::Pool& other : pools) {
      if (other.name != pool->name) continue;
      Fail(fmt::format("--pool: duplicate pool `{}`", other.name));
      return std::nullopt;
    }
    pools.push_back(*std::move(pool));
  }
  return pools;
}

bool ChangePools(const PlanCommand& command, const std::vector<planner::Pool>& pools,
                 planner::Problem& problem) {
  if (absl::Status status = OverridePools(pools, problem); !status.ok()) {
    Fail("--pool: " + std::string(status.message()));
    return false;
  }
  if (command.capacity == planner::kUnlimited) return true;
  if (problem.pools.size() > 1) {
    Fail("--capacity is for problems with one pool; give others theirs by --pool=name:bytes");
    return false;
  }
  problem.pools[0].capacity = command.capacity;
  return true;
}

std::optional<PlanFile> ReadProblem(const PlanCommand& command, const std::string& path,
                                    PlanTexts& texts) {
  const std::optional<std::vector<planner::Pool>> pools = PoolOptions(command);
  if (!pools) return std::nullopt;
  std::optional<PlanText> text = texts.Read(path);
  if (!text) return std::nullopt;
  std::optional<PlanFile> file;
  if (IsPlanJson(text->name, text->text)) {
    if (command.in_place) {
      Fail("--in-place: the problem is JSON, and plans are written as CSV; give -o FILE");
      return std::nullopt;
    }
    file = ParsePlanJson(texts.sources, text->name, text->text, text->owner, texts.diagnostics,
                         *pools);
  } else {
    std::optional<PlanCsv> csv = ParsePlanCsv(texts.sources, text->name, text->text, text->owner,
                                              texts.diagnostics, {.pools = *pools});
    if (csv) file = std::move(static_cast<PlanFile&>(*csv));
  }
  if (!file || !ChangePools(command, *pools, file->problem)) return std::nullopt;
  return file;
}

planner::PlanOptions SearchOptions(const PlanCommand& command) {
  planner::PlanOptions options;
  if (command.time_limit) options.node_limit = INT64_MAX;
  if (command.node_limit) options.node_limit = *command.node_limit;
  options.time_limit = command.time_limit;
  options.stop = Interrupt::Raised;
  return options;
}

}  // namespace tenon
