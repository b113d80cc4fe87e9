#include "analysis/stream_cuts.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "support/checked.h"

namespace tenon {

namespace {

bool IsSame(const StreamSegment& a, const StreamSegment& b) {
  return a.first == b.first && a.last == b.last && a.bytes == b.bytes;
}

/// The candidates by their first call. Those outside of the entry are left out.
std::vector<std::vector<StreamSegment>> ByFirst(const StreamRecord& record) {
  std::vector<std::vector<StreamSegment>> result(static_cast<size_t>(record.calls));
  for (const StreamSegment& candidate : record.candidates) {
    if (candidate.first <= candidate.last && candidate.last < record.calls)
      result[static_cast<size_t>(candidate.first)].push_back(candidate);
  }
  return result;
}

/// For each number of calls, whether a cut of so many calls exists with candidates that `accepts`
/// takes.
template <class Accepts>
bool ReachesEnd(const StreamRecord& record, Accepts accepts) {
  const std::vector<std::vector<StreamSegment>> by_first = ByFirst(record);
  std::vector<bool> reached(by_first.size() + 1, false);
  reached[0] = true;
  for (size_t i = 0; i < by_first.size(); ++i) {
    if (!reached[i]) continue;
    for (const StreamSegment& candidate : by_first[i]) {
      if (accepts(candidate)) reached[static_cast<size_t>(candidate.last) + 1] = true;
    }
  }
  return reached.back();
}

/// Records that are read from text may claim any number of calls.
bool HasCalls(const StreamRecord& record) {
  return record.calls > 0 && record.calls <= static_cast<int64_t>(record.candidates.size());
}

}  // namespace

int64_t PeakOf(const StreamRecord& record) {
  int64_t peak = 0;
  for (const StreamSegment& segment : record.cut) peak = std::max(peak, segment.bytes);
  return peak;
}

std::string WhyNotLeastCut(const StreamRecord& record) {
  int64_t next = 0;
  for (const StreamSegment& segment : record.cut) {
    const bool is_candidate =
        std::any_of(record.candidates.begin(), record.candidates.end(),
                    [&](const StreamSegment& other) { return IsSame(segment, other); });
    if (segment.first != next || !is_candidate)
      return fmt::format("calls {} to {} are not a possible group after {} calls", segment.first,
                         segment.last, next);
    next = segment.last + 1;
  }
  if (next != record.calls)
    return fmt::format("the groups have {} of {} calls", next, record.calls);
  const int64_t peak = PeakOf(record);
  if (peak <= record.enough_bytes || !HasCalls(record)) return {};
  const bool is_lower =
      ReachesEnd(record, [&](const StreamSegment& segment) { return segment.bytes < peak; });
  if (!is_lower) return {};
  return fmt::format("the estimate is {} bytes, but other groups have less", peak);
}

int64_t CountCuts(const StreamRecord& record) {
  if (!HasCalls(record)) return 0;
  const std::vector<std::vector<StreamSegment>> by_first = ByFirst(record);
  std::vector<int64_t> ways(by_first.size() + 1, 0);
  ways[0] = 1;
  for (size_t i = 0; i < by_first.size(); ++i) {
    for (const StreamSegment& candidate : by_first[i]) {
      int64_t& to = ways[static_cast<size_t>(candidate.last) + 1];
      to = CheckedAdd(to, ways[i]).value_or(INT64_MAX);
    }
  }
  return ways.back();
}

std::optional<int64_t> LeastPeakWithout(const StreamRecord& record, const StreamSegment& segment) {
  if (!HasCalls(record)) return std::nullopt;
  std::vector<int64_t> sizes;
  for (const StreamSegment& candidate : record.candidates) sizes.push_back(candidate.bytes);
  std::sort(sizes.begin(), sizes.end());
  const auto suffices = [&](int64_t bytes) {
    return ReachesEnd(record, [&](const StreamSegment& candidate) {
      return candidate.bytes <= bytes && !IsSame(candidate, segment);
    });
  };
  const auto least = std::partition_point(sizes.begin(), sizes.end(),
                                          [&](int64_t bytes) { return !suffices(bytes); });
  return least == sizes.end() ? std::nullopt : std::optional(*least);
}

}  // namespace tenon
