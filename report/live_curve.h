#ifndef TENON_REPORT_LIVE_CURVE_H_
#define TENON_REPORT_LIVE_CURVE_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "report/report.h"

namespace tenon {

/// Bytes that are removed for an interval of time in a "what if".
struct ByteCut {
  ReportRange range;
  int64_t bytes = 0;
};

/// The change of a pool's live bytes at a point of time, modulo 2^64: sums from invalid reports may
/// overflow.
struct LiveChange {
  int64_t tick = 0;
  uint64_t bytes = 0;
};

/// All changes of a pool's live bytes, by time. Bytes that two buffers share count once. An empty
/// name selects the workspace that is in no pool.
std::vector<LiveChange> LiveChanges(const MemoryReport& report, std::string_view pool);

/// The live bytes of a pool over time, for many queries. A query with c cuts takes O(c log n) steps
/// for n changes of the curve and does not look at the buffers.
class LiveCurve {
 public:
  /// The highest point of an interval; the first one if several are equal.
  struct Top {
    int64_t tick = 0;
    int64_t bytes = 0;
  };

  LiveCurve(const MemoryReport& report, std::string_view pool);

  /// The highest point in `range`; 0 bytes if nothing is live.
  Top Highest(ReportRange range) const;
  /// The highest point of the whole curve minus `cuts`. At any time, the cuts together remove at
  /// most the live bytes. Cuts may overlap, and a cut with negative bytes adds bytes.
  Top HighestWithout(const std::vector<ByteCut>& cuts) const;

 private:
  /// The index of the higher of two points.
  size_t Higher(size_t a, size_t b) const;
  /// The index of the last point at or before `tick`; -1 before all points.
  int64_t PointAt(int64_t tick) const;

  /// The ticks at which the curve changes, and its new values, modulo 2^64: sums may overflow.
  std::vector<int64_t> ticks_;
  std::vector<uint64_t> bytes_;
  /// A segment tree of indexes of highest points, the leaves from `ticks_.size()` on.
  std::vector<size_t> tree_;
};

}  // namespace tenon

#endif  // TENON_REPORT_LIVE_CURVE_H_
