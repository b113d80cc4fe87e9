#include <optional>
#include <string>

#include "report/extras.h"
#include "report/read_json.h"
#include "tests/fuzz/target.h"

// Reports as JSON. An accepted report must render in every format. Its JSON must be a fixed point,
// and a diff with the original must be empty.

namespace tenon::fuzz {
namespace {

std::optional<MemoryReport> Read(std::string_view text) {
  SourceManager sources;
  Diagnostics diagnostics;
  auto report = ReadReportJson(sources, "old.json", text, nullptr, diagnostics);
  Judge(report.has_value(), sources, diagnostics);
  return report;
}

}  // namespace

bool TakeInput(std::string_view input) {
  const std::optional<MemoryReport> report = Read(input);
  if (!report) return false;
  Require(!ReportText(*report).empty(), "the tables are empty");
  Require(!ReportHtml(*report).empty(), "the page is empty");
  const std::string text = ReportJson(*report);
  const std::optional<MemoryReport> again = Read(text);
  Require(again.has_value(), "what was written is refused:\n" + text);
  Require(ReportJson(*again) == text, "what was written is not a fixed point:\n" + text);
  const ReportDiff diff = DiffReports("old.json", *report, *again);
  Require(!DiffText(diff, *again).empty(), "the differences are empty");
  ReportExtras extras;
  extras.diff = &diff;
  for (const ReportPool& pool : again->pools) {
    if (pool.peak) extras.why.push_back(ExplainPeak(*again, pool));
  }
  Require(!ReportJson(*again, extras).empty(), "the JSON is empty");
  Require(OverlapsText(*again).empty() == again->overlaps.empty(), "overlaps are not shown");
  return true;
}

}  // namespace tenon::fuzz
