#ifndef TENON_REPORT_SPILL_H_
#define TENON_REPORT_SPILL_H_

#include <cstdint>
#include <string>
#include <vector>

#include "ir/memory_plan.h"

namespace tenon {

/// Buffers that one pool had no room for and another one took.
struct ReportMove {
  std::string from;
  std::string to;
  int64_t buffers = 0;
  int64_t bytes = 0;

  static void Members(const auto& list) {
    list.Required("from", &ReportMove::from);
    list.Required("to", &ReportMove::to);
    list.Required("buffers", &ReportMove::buffers);
    list.Required("bytes", &ReportMove::bytes);
  }
};

/// The buffers that are not in their best pool.
struct ReportSpill {
  std::vector<ReportMove> moves;
  /// No plan spills fewer bytes.
  int64_t bound_bytes = 0;
  /// It is proven that no choice of pools costs less.
  bool is_least = false;
  /// How far the cost may be above the least, in millionths of its bound; -1 if unknown.
  int64_t cost_gap_millionths = -1;

  bool empty() const { return moves.empty(); }
  int64_t buffers() const;
  int64_t bytes() const;

  static void Members(const auto& list) {
    list.Derived("buffers", &ReportSpill::buffers);
    list.Derived("bytes", &ReportSpill::bytes);
    list.Required("bound_bytes", &ReportSpill::bound_bytes);
    list.Required("is_least", &ReportSpill::is_least);
    list.IfSet("cost_gap_millionths", &ReportSpill::cost_gap_millionths);
    list.Required("moves", &ReportSpill::moves);
  }
};

ReportSpill SpillOf(const PlannedSpill& planned);

/// Adds the spill of another model.
void AddSpill(const ReportSpill& from, ReportSpill& to);

/// `spilled 12,288 B of 3 buffers from dtcm to sdram, bound 8,000 (gap 53.6 %)`. Says `proven
/// least` or `proven cheapest` only if it is.
std::string SpillText(const ReportSpill& spill);

}  // namespace tenon

#endif  // TENON_REPORT_SPILL_H_
