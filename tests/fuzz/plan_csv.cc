#include "planner/formats/plan_csv.h"

#include <string>

#include "planner/formats/plan_answer.h"
#include "tests/fuzz/target.h"

// Planning problems and plans as CSV. An accepted problem is written if CSV can express it, and the
// text must be a fixed point. The input is also read as a plan and checked.

namespace tenon::fuzz {
namespace {

std::optional<PlanCsv> Parse(SourceManager& sources, std::string_view text) {
  Diagnostics diagnostics;
  std::optional<PlanCsv> file = ParsePlanCsv(sources, "p.csv", text, nullptr, diagnostics);
  Judge(file.has_value(), sources, diagnostics);
  return file;
}

bool IsPlan(std::string_view input) {
  SourceManager sources;
  Diagnostics diagnostics;
  const auto plan = ReadSelfContainedPlan(sources, {"p.csv", input, nullptr}, {}, diagnostics);
  if (!Judge(plan.has_value(), sources, diagnostics)) return false;
  const auto verdict = JudgePlanAnswer(plan->problem, plan->answer, nullptr, diagnostics);
  return Judge(verdict.has_value(), sources, diagnostics);
}

}  // namespace

bool TakeInput(std::string_view input) {
  const bool is_plan = IsPlan(input);
  SourceManager sources;
  const std::optional<PlanCsv> file = Parse(sources, input);
  if (!file) return is_plan;
  const auto text = WriteProblemCsv(*file);
  if (!text.ok()) return true;
  const std::optional<PlanCsv> again = Parse(sources, *text);
  Require(again.has_value(), "what was written is refused:\n" + *text);
  const auto same = WriteProblemCsv(*again);
  Require(same.ok() && *same == *text, "what was written is not a fixed point:\n" + *text);
  return true;
}

}  // namespace tenon::fuzz
