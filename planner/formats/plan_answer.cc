#include "planner/formats/plan_answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "planner/formats/plan_json.h"
#include "support/json_checks.h"

namespace tenon {

namespace {

/// The place of a field in its line; the whole line if the field is empty.
SourceRange FieldRange(const PlanCsv& csv, size_t row, PlanColumn column) {
  const std::string_view line = csv.lines[row + 1];
  const std::string_view field = csv.columns.Of(column, line);
  const SourceRange at = csv.places[row];
  if (field.empty()) return at;
  const uint32_t begin = at.begin + static_cast<uint32_t>(field.data() - line.data());
  return {begin, begin + static_cast<uint32_t>(field.size())};
}

PlanRows::Row RowOf(const PlanCsv& csv, size_t row) {
  const bool has_pool = csv.columns.Has(PlanColumn::kPool);
  const planner::Buffer& buffer = csv.problem.buffers[row];
  PlanRows::Row result;
  result.id = buffer.name;
  result.id_at = FieldRange(csv, row, PlanColumn::kId);
  if (csv.columns.Has(PlanColumn::kSize)) result.size = buffer.size;
  result.size_at = FieldRange(csv, row, PlanColumn::kSize);
  if (has_pool) result.pool = csv.problem.pools[planner::Index(csv.placements[row].pool)].name;
  result.offset = csv.placements[row].offset;
  result.at = {csv.places[row], FieldRange(csv, row, PlanColumn::kPool),
               FieldRange(csv, row, PlanColumn::kOffset)};
  return result;
}

/// Lifetimes and gaps without the empty ones, as CSV writes them.
template <typename List>
std::vector<typename List::value_type> OfSomeTime(const List& list) {
  std::vector<typename List::value_type> result(list.begin(), list.end());
  std::erase_if(result, [](const auto& stretch) { return stretch.lower == stretch.upper; });
  return result;
}

/// Checks that a line describes its buffer as the problem does.
class LineCheck {
 public:
  LineCheck(const PlanCsv& csv, const PlanFile& file, Diagnostics& diagnostics)
      : csv_(csv), file_(file), diagnostics_(diagnostics) {}

  void Check(size_t row, int32_t number) {
    row_ = row;
    const planner::Buffer& is = csv_.problem.buffers[row];
    const planner::Buffer& should_be = file_.problem.buffers[planner::Index(number)];
    Compare(PlanColumn::kAlignment, is.alignment == should_be.alignment, "alignment");
    Compare(csv_.columns.Has(PlanColumn::kLower) ? PlanColumn::kLower : PlanColumn::kLifetimes,
            OfSomeTime(is.lifetimes) == OfSomeTime(should_be.lifetimes), "lifetime");
    Compare(PlanColumn::kGaps, OfSomeTime(is.gaps) == OfSomeTime(should_be.gaps), "gaps");
    Compare(PlanColumn::kKind, is.kind == should_be.kind, "kind");
    Compare(PlanColumn::kBytesRead, is.bytes_read == should_be.bytes_read, "bytes_read");
    Compare(PlanColumn::kBytesWritten, is.bytes_written == should_be.bytes_written,
            "bytes_written");
    if (csv_.columns.Has(PlanColumn::kGroups)) {
      Compare(PlanColumn::kGroups,
              Names(is.groups, csv_.groups) == Names(should_be.groups, file_.groups), "groups");
    }
    // The pools of the table are the problem's.
    Compare(PlanColumn::kPools, is.pools == should_be.pools, "candidate pools");
  }

 private:
  void Compare(PlanColumn column, bool equal, std::string_view what) {
    if (equal || !csv_.columns.Has(column)) return;
    diagnostics_.Error(DiagnosticKind::kCompare, FieldRange(csv_, row_, column),
                       fmt::format("the {} of `{}` differ from the problem's", what,
                                   ShownText(csv_.problem.buffers[row_].name)));
  }

  template <typename Numbers>
  static std::vector<std::string> Names(const Numbers& numbers,
                                        const std::vector<std::string>& names) {
    std::vector<std::string> result;
    for (const int32_t number : numbers) result.push_back(names[planner::Index(number)]);
    std::sort(result.begin(), result.end());
    return result;
  }

  const PlanCsv& csv_;
  const PlanFile& file_;
  Diagnostics& diagnostics_;
  size_t row_ = 0;
};

/// Completes a plan without a certificate: sizes follow from the offsets.
void MakePlan(const planner::Problem& problem, std::vector<planner::Placement> placements,
              planner::Plan& plan) {
  plan.placements = std::move(placements);
  plan.pools.resize(problem.pools.size());
  plan.proven_optimal = true;
  for (size_t i = 0; i < plan.placements.size(); ++i) {
    const planner::Placement& placed = plan.placements[i];
    int64_t& size = plan.pools[planner::Index(placed.pool)].size;
    int64_t end = 0;
    if (__builtin_add_overflow(placed.offset, problem.buffers[i].size, &end)) end = INT64_MAX;
    size = std::max(size, end);
    plan.proven_optimal = plan.proven_optimal && size == 0;
  }
}

std::vector<planner::Placement> AllPlaced(PlanRows& rows) {
  std::vector<planner::Placement> result;
  result.reserve(rows.placements().size());
  for (const std::optional<planner::Placement>& placed : rows.placements()) {
    result.push_back(placed.value_or(planner::Placement()));
  }
  return result;
}

}  // namespace

PlanRows::PlanRows(const PlanFile& file, bool is_previous, Diagnostics& diagnostics)
    : file_(file), is_previous_(is_previous), diagnostics_(diagnostics) {
  const size_t count = file.problem.buffers.size();
  placements_.resize(count);
  taken_.assign(count, false);
  if (!is_previous) ranges_.resize(count);
  for (size_t p = 0; p < file.problem.pools.size(); ++p) {
    pools_.try_emplace(file.problem.pools[p].name, static_cast<int32_t>(p));
  }
}

int32_t PlanRows::Take(std::string_view id, bool* is_known) {
  const std::vector<planner::Buffer>& buffers = file_.problem.buffers;
  *is_known = true;
  if (!is_mapped_ && in_order_ < buffers.size() && buffers[in_order_].name == id) {
    taken_[in_order_] = true;
    return static_cast<int32_t>(in_order_++);
  }
  if (!is_mapped_) {
    is_mapped_ = true;
    same_.assign(buffers.size(), -1);
    next_.reserve(buffers.size());
    for (size_t i = buffers.size(); i-- > 0;) {
      const auto [it, is_new] = next_.try_emplace(buffers[i].name, -1);
      if (taken_[i]) continue;
      same_[i] = it->second;
      it->second = static_cast<int32_t>(i);
    }
  }
  const auto it = next_.find(std::string(id));
  *is_known = it != next_.end();
  if (!*is_known || it->second < 0) return -1;
  const int32_t number = it->second;
  it->second = same_[planner::Index(number)];
  taken_[planner::Index(number)] = true;
  return number;
}

std::optional<int32_t> PlanRows::PoolOf(const Row& row) {
  const size_t count = file_.problem.pools.size();
  if (row.pool.empty() && (is_previous_ || count == 1)) return 0;
  const auto it = pools_.find(std::string(row.pool));
  if (it != pools_.end()) return it->second;
  if (is_previous_) return -1;
  diagnostics_.Error(DiagnosticKind::kCompare, row.at.pool,
                     row.pool.empty()
                         ? "expected a pool, as the problem has several"
                         : fmt::format("the problem has no pool `{}`", ShownText(row.pool)));
  return std::nullopt;
}

int32_t PlanRows::Add(const Row& row) {
  bool is_known = false;
  const int32_t number = Take(row.id, &is_known);
  ++rows_;
  unknown_ += is_known ? 0 : 1;
  if (number < 0) {
    if (is_previous_) return -1;
    diagnostics_.Error(DiagnosticKind::kCompare, row.id_at,
                       is_known ? fmt::format("buffer `{}` is placed twice", ShownText(row.id))
                                : fmt::format("the problem has no buffer `{}`", ShownText(row.id)));
    return -1;
  }
  const size_t index = planner::Index(number);
  const int64_t size = file_.problem.buffers[index].size;
  if (row.size && *row.size != size) {
    if (!is_previous_) {
      diagnostics_.Error(DiagnosticKind::kCompare, row.size_at,
                         fmt::format("buffer `{}` has {} bytes here, but {} in the problem",
                                     ShownText(row.id), *row.size, size));
    }
    return number;
  }
  const std::optional<int32_t> pool = PoolOf(row);
  if (!pool) return number;
  placements_[index] = planner::Placement{*pool, row.offset};
  if (!is_previous_) ranges_[index] = row.at;
  return number;
}

void PlanRows::Finish() {
  if (is_previous_) return;
  for (size_t i = 0; i < taken_.size(); ++i) {
    if (taken_[i]) continue;
    diagnostics_.Error(DiagnosticKind::kCompare,
                       file_.places.empty() ? SourceRange{} : file_.places[i],
                       fmt::format("the plan has no place for buffer `{}`",
                                   ShownText(file_.problem.buffers[i].name)));
  }
}

/// As ReadPlanAnswer, with the rows that it fills.
static std::optional<PlanAnswer> ReadAnswerWith(PlanRows& rows, SourceManager& sources,
                                                const PlanText& text, const PlanFile& problem,
                                                Diagnostics& diagnostics) {
  const size_t errors = diagnostics.error_count();
  PlanAnswer answer;
  if (IsPlanJson(text.name, text.text)) {
    const SourceFile* file = AddSource(sources, text.name, text.text, text.owner, diagnostics);
    if (file == nullptr) return std::nullopt;
    answer.certificate = ReadPlanJson(*file, problem, rows, answer.plan, diagnostics);
    if (!answer.certificate) return std::nullopt;
    answer.plan.placements = AllPlaced(rows);
  } else {
    const PlanCsvOptions options = {.pools = problem.problem.pools, .is_plan = true};
    const std::optional<PlanCsv> csv =
        ParsePlanCsv(sources, text.name, text.text, text.owner, diagnostics, options);
    if (!csv) return std::nullopt;
    LineCheck check(*csv, problem, diagnostics);
    for (size_t i = 0; i < csv->placements.size(); ++i) {
      const int32_t number = rows.Add(RowOf(*csv, i));
      if (number >= 0) check.Check(i, number);
    }
    rows.Finish();
    // After errors, buffers may have no place.
    if (diagnostics.error_count() != errors) return std::nullopt;
    MakePlan(problem.problem, AllPlaced(rows), answer.plan);
  }
  answer.rows = std::move(rows.ranges());
  if (diagnostics.error_count() != errors) return std::nullopt;
  return answer;
}

std::optional<PlanAnswer> ReadPlanAnswer(SourceManager& sources, const PlanText& text,
                                         const PlanFile& problem, Diagnostics& diagnostics) {
  Diagnostics own;
  PlanRows rows(problem, false, own);
  std::optional<PlanAnswer> answer = ReadAnswerWith(rows, sources, text, problem, own);
  if (!rows.AreOfAnotherProblem()) {
    diagnostics.Append(std::move(own));
    return answer;
  }
  // One error instead of one for each buffer of either side.
  diagnostics.Error(
      DiagnosticKind::kCompare, {},
      fmt::format("`{}` is a plan of another problem: the problem has none of its buffers",
                  ShownText(text.name)));
  return std::nullopt;
}

std::optional<SelfContainedPlan> ReadSelfContainedPlan(SourceManager& sources, const PlanText& text,
                                                       const PlanCsvOptions& options,
                                                       Diagnostics& diagnostics) {
  PlanCsvOptions as_plan = options;
  as_plan.is_plan = true;
  as_plan.is_problem = true;
  std::optional<PlanCsv> csv =
      ParsePlanCsv(sources, text.name, text.text, text.owner, diagnostics, as_plan);
  if (!csv) return std::nullopt;
  SelfContainedPlan result{*std::move(csv), {}};
  for (size_t i = 0; i < result.problem.placements.size(); ++i) {
    result.answer.rows.push_back({result.problem.places[i],
                                  FieldRange(result.problem, i, PlanColumn::kPool),
                                  FieldRange(result.problem, i, PlanColumn::kOffset)});
  }
  MakePlan(result.problem.problem, result.problem.placements, result.answer.plan);
  return result;
}

std::optional<planner::PreviousPlacements> ReadPreviousPlan(SourceManager& sources,
                                                            const PlanText& text,
                                                            const PlanFile& problem,
                                                            Diagnostics& diagnostics) {
  PlanRows rows(problem, true, diagnostics);
  if (IsPlanJson(text.name, text.text)) {
    const SourceFile* file = AddSource(sources, text.name, text.text, text.owner, diagnostics);
    if (file == nullptr || !ReadPreviousJson(*file, rows, diagnostics)) return std::nullopt;
  } else {
    const std::optional<PlanCsv> csv = ParsePlanCsv(sources, text.name, text.text, text.owner,
                                                    diagnostics, {.pools = {}, .is_plan = true});
    if (!csv) return std::nullopt;
    for (size_t i = 0; i < csv->placements.size(); ++i) rows.Add(RowOf(*csv, i));
  }
  return std::move(rows.placements());
}

}  // namespace tenon
