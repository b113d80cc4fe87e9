#include "report/spill.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "report/report.h"
#include "support/checked.h"
#include "support/shown_text.h"

namespace tenon {

namespace {

/// More pools would make the line unreadable.
constexpr size_t kMostMoves = 3;

int64_t Sum(int64_t a, int64_t b) { return CheckedAdd(a, b).value_or(INT64_MAX); }

/// How far the spilled bytes are above their bound, in percent of the bound.
double GapOf(int64_t bytes, int64_t bound) {
  if (bound == 0) return 100;
  return 100.0 * static_cast<double>(bytes - bound) / static_cast<double>(bound);
}

}  // namespace

int64_t ReportSpill::buffers() const {
  int64_t sum = 0;
  for (const ReportMove& move : moves) sum = Sum(sum, move.buffers);
  return sum;
}

int64_t ReportSpill::bytes() const {
  int64_t sum = 0;
  for (const ReportMove& move : moves) sum = Sum(sum, move.bytes);
  return sum;
}

ReportSpill SpillOf(const PlannedSpill& planned) {
  ReportSpill spill;
  for (const PlannedSpill::Move& move : planned.moves)
    spill.moves.push_back({move.from, move.to, move.buffers, move.bytes});
  spill.bound_bytes = planned.bound_bytes;
  spill.is_least = planned.is_least;
  spill.cost_gap_millionths = planned.cost_gap_millionths;
  return spill;
}

void AddSpill(const ReportSpill& from, ReportSpill& to) {
  if (from.empty()) return;
  const bool is_known = (from.is_least || from.cost_gap_millionths >= 0) &&
                        (to.empty() || to.is_least || to.cost_gap_millionths >= 0);
  to.cost_gap_millionths =
      is_known ? std::max(from.cost_gap_millionths, to.cost_gap_millionths) : -1;
  to.is_least = from.is_least && (to.empty() || to.is_least);
  to.bound_bytes = Sum(to.bound_bytes, from.bound_bytes);
  for (const ReportMove& move : from.moves) {
    const auto known = std::find_if(to.moves.begin(), to.moves.end(), [&](const ReportMove& other) {
      return other.from == move.from && other.to == move.to;
    });
    if (known == to.moves.end()) {
      to.moves.push_back(move);
      continue;
    }
    known->buffers = Sum(known->buffers, move.buffers);
    known->bytes = Sum(known->bytes, move.bytes);
  }
}

std::string SpillText(const ReportSpill& spill) {
  std::vector<std::string> ways;
  for (size_t i = 0; i < spill.moves.size() && i < kMostMoves; ++i)
    ways.push_back(fmt::format("from {} to {}", spill.moves[i].from, spill.moves[i].to));
  if (spill.moves.size() > kMostMoves)
    ways.push_back(fmt::format("in {} more ways", spill.moves.size() - kMostMoves));
  const int64_t bytes = spill.bytes();
  const int64_t buffers = spill.buffers();
  std::string text =
      fmt::format("spilled {} B of {} buffer{} {}", GroupedDigits(bytes), GroupedDigits(buffers),
                  buffers == 1 ? "" : "s", ShownText(fmt::format("{}", fmt::join(ways, " and "))));
  if (bytes == spill.bound_bytes) return text + ", proven least";
  text += fmt::format(", bound {} (gap {:.1f} %)", GroupedDigits(spill.bound_bytes),
                      GapOf(bytes, spill.bound_bytes));
  if (spill.is_least) return text + ", proven cheapest";
  if (spill.cost_gap_millionths < 0) return text;
  return text + fmt::format(", cost within {:.2f} % of the least",
                            static_cast<double>(spill.cost_gap_millionths) / 1e4);
}

}  // namespace tenon
