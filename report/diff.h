#ifndef TENON_REPORT_DIFF_H_
#define TENON_REPORT_DIFF_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/report.h"

// What two reports of a model have in common, and what not.

namespace tenon {

/// How it is known that two buffers are one.
enum class MatchedBy : uint8_t {
  kName,   ///< function and name are the same
  kShape,  ///< function, dtype and shape are, and they are the n-th of those without a match
  kOrder,  ///< dtype and shape are, and they are the n-th of those without a match
};

/// A buffer that is not as it was.
struct BufferChange {
  /// Indexes into the reports' buffers; one may be absent.
  std::optional<size_t> before;
  std::optional<size_t> after;
  MatchedBy matched_by = MatchedBy::kName;
  /// What changed, of `appeared`, `vanished`, `renamed`, `grew`, `shrank`, `retyped` (as many
  /// bytes), `rewritten` (a constant of other bytes), `pool`, `moved` (in one pool).
  std::vector<std::string_view> what;
};

/// A pool before and after; all pools of both are there.
struct PoolChange {
  std::string name;
  /// Indexes into the reports' pools; one may be absent.
  std::optional<size_t> before;
  std::optional<size_t> after;
};

struct ReportDiff {
  MemoryReport before;
  /// Where `before` comes from.
  std::string before_name;
  /// Pools of the new report in its order, then those that are gone.
  std::vector<PoolChange> pools;
  /// In the order of the new report, then those that are gone.
  std::vector<BufferChange> buffers;
  /// How many are as they were.
  int64_t same = 0;
};

/// Compares; buffers match by function and name, those left over by shape, then by order.
ReportDiff DiffReports(std::string before_name, MemoryReport before, const MemoryReport& after);

/// The name that JSON has for it.
std::string_view MatchName(MatchedBy matched_by);

/// Tables for a terminal.
std::string DiffText(const ReportDiff& diff, const MemoryReport& after);

}  // namespace tenon

#endif  // TENON_REPORT_DIFF_H_
