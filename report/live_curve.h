#ifndef TENON_REPORT_LIVE_CURVE_H_
#define TENON_REPORT_LIVE_CURVE_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "report/report.h"

namespace tenon {

/// Bytes that are not needed any more for a while, in a "what if".
struct ByteCut {
  ReportRange range;
  int64_t bytes = 0;
};

/// A point of time, and by how much the live bytes of a pool change there, modulo 2^64: sums of
/// nonsense may be huge.
struct LiveChange {
  int64_t tick = 0;
  uint64_t bytes = 0;
};

/// All changes of a pool's live bytes, by time. Bytes that two buffers share count once.
/// The empty name stands for workspace that is in no pool.
std::vector<LiveChange> LiveChanges(const MemoryReport& report, std::string_view pool);

/// How many bytes of a pool hold something, over time, made for many questions: a question with c
/// cuts costs O(c log n) for n changes of the curve, not another look at all buffers.
class LiveCurve {
 public:
  /// The highest point of a stretch, the first of equals.
  struct Top {
    int64_t tick = 0;
    int64_t bytes = 0;
  };

  LiveCurve(const MemoryReport& report, std::string_view pool);

  /// The highest point in `range`; no bytes where nothing is live.
  Top Highest(ReportRange range) const;
  /// The highest point of all with `cuts` taken off. All cuts together take off no more than is
  /// there. They may overlap, and a cut of negative bytes gives some back.
  Top HighestWithout(const std::vector<ByteCut>& cuts) const;

 private:
  /// The index of the higher of two points.
  size_t Higher(size_t a, size_t b) const;
  /// The point that holds at `tick`: the last one not behind it. -1 in front of all.
  int64_t PointAt(int64_t tick) const;

  /// Where the curve changes, and what it then is, modulo 2^64: sums of nonsense may be huge.
  std::vector<int64_t> ticks_;
  std::vector<uint64_t> bytes_;
  /// A segment tree of indexes of highest points, the leaves from `ticks_.size()` on.
  std::vector<size_t> tree_;
};

}  // namespace tenon

#endif  // TENON_REPORT_LIVE_CURVE_H_
