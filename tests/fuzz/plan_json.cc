#include "planner/formats/plan_json.h"

#include <string>

#include "planner/formats/plan_answer.h"
#include "tests/fuzz/target.h"

// Planning problems and plans as JSON. An accepted problem is written, and the text must be a fixed
// point. The input is also read as a plan of a fixed problem and checked, and as an earlier plan.

namespace tenon::fuzz {
namespace {

constexpr std::string_view kProblem = R"({"version": 1,
  "pools": [{"name": "p", "capacity": 256}, {"name": "q"}],
  "buffers": [{"id": "a", "size": 64, "lifetimes": [[0, 3]]},
              {"id": "b", "size": 32, "lifetimes": [[2, 5]], "pools": ["p", "q"]},
              {"id": "c", "size": 64, "lifetimes": [[4, 6]], "alignment": 16}]})";

std::optional<PlanFile> Parse(SourceManager& sources, std::string_view text) {
  Diagnostics diagnostics;
  std::optional<PlanFile> file = ParsePlanJson(sources, "p.json", text, nullptr, diagnostics);
  Judge(file.has_value(), sources, diagnostics);
  return file;
}

bool IsPlan(std::string_view input) {
  SourceManager sources;
  const std::optional<PlanFile> problem = Parse(sources, kProblem);
  Require(problem.has_value(), "the problem is refused");
  Diagnostics diagnostics;
  const PlanText text = {"plan.json", input, nullptr};
  const auto previous = ReadPreviousPlan(sources, text, *problem, diagnostics);
  Judge(previous.has_value(), sources, diagnostics);
  diagnostics.Clear();
  const auto plan = ReadPlanAnswer(sources, text, *problem, diagnostics);
  if (!Judge(plan.has_value(), sources, diagnostics)) return previous.has_value();
  const auto verdict = JudgePlanAnswer(*problem, *plan, nullptr, diagnostics);
  return Judge(verdict.has_value(), sources, diagnostics);
}

}  // namespace

bool TakeInput(std::string_view input) {
  const bool is_plan = IsPlan(input);
  SourceManager sources;
  const std::optional<PlanFile> file = Parse(sources, input);
  if (!file) return is_plan;
  const std::string text = WriteProblemJson(*file);
  const std::optional<PlanFile> again = Parse(sources, text);
  Require(again.has_value(), "what was written is refused:\n" + text);
  Require(WriteProblemJson(*again) == text, "what was written is not a fixed point:\n" + text);
  return true;
}

}  // namespace tenon::fuzz
