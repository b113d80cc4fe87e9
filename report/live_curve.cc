#include "report/live_curve.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "support/check.h"

namespace tenon {

std::vector<LiveChange> LiveChanges(const MemoryReport& report, std::string_view pool) {
  std::vector<LiveChange> changes;
  const auto add = [&](const ReportRange& range, int64_t bytes) {
    changes.push_back({range.lower, static_cast<uint64_t>(bytes)});
    changes.push_back({range.upper, -static_cast<uint64_t>(bytes)});
  };
  for (const ReportBuffer& buffer : report.buffers) {
    if (buffer.pool != pool || (pool.empty() && buffer.is_constant)) continue;
    for (const ReportRange& range : buffer.ranges) add(range, buffer.size_bytes);
  }
  for (const ReportOverlap& overlap : report.overlaps) {
    if (report.buffers[overlap.begun].pool != pool) continue;
    for (const ReportRange& range : overlap.ranges) add(range, -overlap.shared_bytes);
  }
  std::sort(changes.begin(), changes.end(), [](const LiveChange& a, const LiveChange& b) {
    return std::tie(a.tick, a.bytes) < std::tie(b.tick, b.bytes);
  });
  return changes;
}

LiveCurve::LiveCurve(const MemoryReport& report, std::string_view pool) {
  uint64_t sum = 0;
  for (const auto& [tick, change] : LiveChanges(report, pool)) {
    sum += change;
    if (ticks_.empty() || ticks_.back() != tick) {
      ticks_.push_back(tick);
      bytes_.push_back(sum);
    }
    bytes_.back() = sum;
  }
  const size_t count = ticks_.size();
  tree_.resize(2 * count);
  for (size_t i = 0; i < count; ++i) tree_[count + i] = i;
  for (size_t i = count; i-- > 1;) tree_[i] = Higher(tree_[2 * i], tree_[2 * i + 1]);
}

size_t LiveCurve::Higher(size_t a, size_t b) const {
  TENON_DCHECK(a < bytes_.size() && b < bytes_.size());
  if (bytes_[a] != bytes_[b]) return bytes_[a] > bytes_[b] ? a : b;
  return std::min(a, b);
}

int64_t LiveCurve::PointAt(int64_t tick) const {
  return std::upper_bound(ticks_.begin(), ticks_.end(), tick) - ticks_.begin() - 1;
}

LiveCurve::Top LiveCurve::Highest(ReportRange range) const {
  if (range.lower >= range.upper || ticks_.empty()) return {range.lower, 0};
  const auto first = static_cast<size_t>(std::max<int64_t>(PointAt(range.lower), 0));
  const int64_t last = PointAt(range.upper - 1);
  if (last < 0) return {range.lower, 0};
  TENON_CHECK(first <= static_cast<size_t>(last) && static_cast<size_t>(last) < ticks_.size());
  size_t best = first;
  size_t left = first + ticks_.size();
  size_t right = static_cast<size_t>(last) + 1 + ticks_.size();
  for (; left < right; left /= 2, right /= 2) {
    if (left % 2 == 1) best = Higher(best, tree_[left++]);
    if (right % 2 == 1) best = Higher(best, tree_[--right]);
  }
  return {std::max(range.lower, ticks_[best]), static_cast<int64_t>(bytes_[best])};
}

LiveCurve::Top LiveCurve::HighestWithout(const std::vector<ByteCut>& cuts) const {
  if (ticks_.empty()) return {};
  std::vector<std::pair<int64_t, uint64_t>> changes;
  for (const ByteCut& cut : cuts) {
    if (cut.range.lower >= cut.range.upper) continue;
    changes.emplace_back(cut.range.lower, static_cast<uint64_t>(cut.bytes));
    changes.emplace_back(cut.range.upper, -static_cast<uint64_t>(cut.bytes));
  }
  std::sort(changes.begin(), changes.end());
  // Between two changes, the cuts remove the same number of bytes at all points.
  Top best;
  int64_t from = ticks_.front();
  uint64_t off = 0;
  const auto look = [&](int64_t to) {
    if (from >= to) return;
    Top top = Highest({from, to});
    top.bytes = static_cast<int64_t>(static_cast<uint64_t>(top.bytes) - off);
    if (top.bytes > best.bytes) best = top;
    from = to;
  };
  for (const auto& [tick, change] : changes) {
    look(std::min(tick, ticks_.back()));
    off += change;
  }
  look(ticks_.back());
  return best;
}

}  // namespace tenon
