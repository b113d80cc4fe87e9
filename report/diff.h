#ifndef TENON_REPORT_DIFF_H_
#define TENON_REPORT_DIFF_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/report.h"

// The differences between two reports of a model.

namespace tenon {

/// The evidence that a buffer of one report is a buffer of the other.
enum class MatchedBy : uint8_t {
  kName,   ///< same function and name
  kShape,  ///< same function, dtype and shape; the n-th such buffer without a match
  kOrder,  ///< same dtype and shape; the n-th such buffer without a match
};

/// A buffer that differs between the reports.
struct BufferChange {
  /// Indexes into the reports' buffers; one may be absent.
  std::optional<size_t> before;
  std::optional<size_t> after;
  MatchedBy matched_by = MatchedBy::kName;
  /// The kinds of change: `appeared`, `vanished`, `renamed`, `grew`, `shrank`, `retyped` (same
  /// number of bytes), `rewritten` (a constant with new contents), `moved` (within a pool), and
  /// the `diff` names of members of ReportBuffer.
  std::vector<std::string_view> what;
};

/// A pool before and after; the pools of both reports are listed.
struct PoolChange {
  std::string name;
  /// Indexes into the reports' pools; one may be absent.
  std::optional<size_t> before;
  std::optional<size_t> after;
};

struct ReportDiff {
  MemoryReport before;
  /// The source of the earlier report.
  std::string before_name;
  /// Pools of the new report in its order, then the removed pools.
  std::vector<PoolChange> pools;
  /// Buffers in the order of the new report, then the removed buffers.
  std::vector<BufferChange> buffers;
  /// The number of unchanged buffers.
  int64_t same = 0;
};

/// Compares two reports. Buffers match by function and name, the rest by shape, then by order.
ReportDiff DiffReports(std::string before_name, MemoryReport before, const MemoryReport& after);

/// The name in JSON.
std::string_view MatchName(MatchedBy matched_by);

/// Tables for a terminal.
std::string DiffText(const ReportDiff& diff, const MemoryReport& after);

}  // namespace tenon

#endif  // TENON_REPORT_DIFF_H_
