#include "report/why.h"

#include <algorithm>
#include <tuple>

#include "report/live_curve.h"

namespace tenon {

namespace {

/// The limits on last-read inputs and on first-written outputs that are paired per step.
constexpr size_t kMostInPlace = 16;
/// The limit on steps as high as the peak that are changed together.
constexpr int64_t kMostEqual = 64;

class Explainer {
 public:
  Explainer(const MemoryReport& report, const ReportPool& pool)
      : report_(report), pool_(pool), curve_(report, pool.name) {}

  PeakWhy Explain() {
    const ReportPeak& peak = *pool_.peak;
    why_.pool = pool_.name;
    why_.at = MomentAt(peak.tick);
    if (peak.line > 0) why_.at.line = peak.line;
    why_.live_bytes = peak.live_bytes;
    for (const size_t index : peak.live) AddLive(index);
    AddSteps();
    for (const LiveThen& live : why_.live) TryBuffer(live);
    if (why_.at.step != ReportMoment::kNoStep) {
      TryInPlace();
      TryNoScratch();
    }
    Rank();
    return std::move(why_);
  }

 private:
  ReportMoment MomentAt(int64_t tick) const {
    ReportMoment moment;
    moment.tick = tick;
    if (tick >= 0 && static_cast<size_t>(tick) < report_.tick_lines.size())
      moment.line = report_.tick_lines[static_cast<size_t>(tick)];
    const auto behind =
        std::upper_bound(report_.steps.begin(), report_.steps.end(), tick,
                         [](int64_t at, const ReportStep& step) { return at < step.range.lower; });
    if (behind != report_.steps.begin() && tick < (behind - 1)->range.upper)
      moment.step = static_cast<size_t>(behind - report_.steps.begin()) - 1;
    return moment;
  }

  const ReportBuffer& BufferAt(size_t index) const { return report_.buffers[index]; }
  const ReportRange& PeakStep() const { return report_.steps[why_.at.step].range; }

  /// The live interval that contains the peak.
  ReportRange StretchOf(size_t index) const {
    for (const ReportRange& range : BufferAt(index).ranges) {
      if (range.lower <= why_.at.tick && why_.at.tick < range.upper) return range;
    }
    return {};
  }

  void AddLive(size_t index) {
    const ReportRange stretch = StretchOf(index);
    LiveThen& live = why_.live.emplace_back();
    live.buffer = index;
    live.percent = 100 * static_cast<double>(BufferAt(index).size_bytes) /
                   static_cast<double>(why_.live_bytes);
    live.written = MomentAt(stretch.lower);
    live.last_used = MomentAt(stretch.upper - 1);
    // Loops extend a life beyond its uses.
    const std::vector<int64_t>& uses = BufferAt(index).uses;
    const auto first = std::lower_bound(uses.begin(), uses.end(), stretch.lower);
    const auto behind = std::lower_bound(uses.begin(), uses.end(), stretch.upper);
    if (first == behind) return;
    live.written = MomentAt(*first);
    live.last_used = MomentAt(*(behind - 1));
  }

  void AddSteps() {
    for (const ReportStep& step : report_.steps) {
      const LiveCurve::Top top = curve_.Highest(step.range);
      if (top.bytes > 0) why_.steps.push_back({MomentAt(top.tick), top.bytes});
    }
    std::stable_sort(
        why_.steps.begin(), why_.steps.end(),
        [](const StepPeak& a, const StepPeak& b) { return a.live_bytes > b.live_bytes; });
  }

  /// Takes `bytes` off a buffer for some time. Shared bytes stay, since the other buffer has them.
  void CutRange(size_t index, ReportRange range, int64_t bytes, std::vector<ByteCut>& cuts) const {
    const int64_t left = BufferAt(index).size_bytes - bytes;
    cuts.push_back({range, bytes});
    for (const ReportOverlap& overlap : report_.overlaps) {
      if (overlap.dying != index && overlap.begun != index) continue;
      const int64_t kept = std::max<int64_t>(overlap.shared_bytes - left, 0);
      for (const ReportRange& both : overlap.ranges) {
        cuts.push_back(
            {{std::max(range.lower, both.lower), std::min(range.upper, both.upper)}, -kept});
      }
    }
  }

  void Cut(size_t index, int64_t bytes, std::vector<ByteCut>& cuts) const {
    for (const ReportRange& range : BufferAt(index).ranges) CutRange(index, range, bytes, cuts);
  }

  void TryBuffer(const LiveThen& live) {
    const ReportBuffer& buffer = BufferAt(live.buffer);
    std::vector<ByteCut> cuts;
    Cut(live.buffer, buffer.size_bytes, cuts);
    Try({.kind = ChangeKind::kGone, .buffers = {live.buffer}}, cuts);
    cuts.clear();
    Cut(live.buffer, buffer.size_bytes / 2, cuts);
    Try({.kind = ChangeKind::kHalf, .buffers = {live.buffer}}, cuts);
    if (why_.at.step == ReportMoment::kNoStep) return;
    TryNotKept(live.buffer);
    TryEarly(live);
  }

  /// Buffers that the peak's step does not access need not be kept while it runs.
  void TryNotKept(size_t index) {
    const ReportBuffer& buffer = BufferAt(index);
    const ReportRange& step = PeakStep();
    const ReportRange stretch = StretchOf(index);
    const auto next = std::lower_bound(buffer.uses.begin(), buffer.uses.end(), step.lower);
    if (next == buffer.uses.begin() || next == buffer.uses.end()) return;
    if (*next < step.upper || *(next - 1) < stretch.lower || *next >= stretch.upper) return;
    std::vector<ByteCut> cuts;
    CutRange(index, {*(next - 1) + 1, *next}, buffer.size_bytes, cuts);
    Try({.kind = ChangeKind::kNotKept,
         .buffers = {index},
         .from = MomentAt(*(next - 1)),
         .to = MomentAt(*next)},
        cuts);
  }

  /// Without its last reader, the buffer would die after the use before.
  void TryEarly(const LiveThen& live) {
    if (live.last_used.step == ReportMoment::kNoStep) return;
    const ReportBuffer& buffer = BufferAt(live.buffer);
    const ReportRange stretch = StretchOf(live.buffer);
    const ReportRange& reader = report_.steps[live.last_used.step].range;
    const auto next = std::lower_bound(buffer.uses.begin(), buffer.uses.end(), reader.lower);
    if (next == buffer.uses.begin() || next == buffer.uses.end()) return;
    if (*(next - 1) < stretch.lower) return;
    std::vector<ByteCut> cuts;
    CutRange(live.buffer, {*(next - 1) + 1, stretch.upper}, buffer.size_bytes, cuts);
    Try({.kind = ChangeKind::kEarly,
         .buffers = {live.buffer},
         .from = MomentAt(*(next - 1)),
         .to = MomentAt(*next)},
        cuts);
  }

  /// The number of bytes that two buffers already share.
  int64_t SharedBytes(size_t out, size_t in) const {
    for (const ReportOverlap& overlap : report_.overlaps) {
      if (overlap.begun == out && overlap.dying == in) return overlap.shared_bytes;
    }
    return 0;
  }

  void TryInPlace() {
    const ReportRange& step = PeakStep();
    std::vector<size_t> read;
    std::vector<size_t> written;
    for (const LiveThen& live : why_.live) {
      if (BufferAt(live.buffer).function != report_.entry) continue;
      const ReportRange stretch = StretchOf(live.buffer);
      const bool begins = stretch.lower >= step.lower;
      const bool ends = stretch.upper <= step.upper;
      if (begins == ends) continue;
      std::vector<size_t>& to = begins ? written : read;
      if (to.size() < kMostInPlace) to.push_back(live.buffer);
    }
    for (const size_t out : written) {
      for (const size_t in : read) {
        const ReportRange both{StretchOf(out).lower, StretchOf(in).upper};
        const int64_t bytes =
            std::min(BufferAt(out).size_bytes, BufferAt(in).size_bytes) - SharedBytes(out, in);
        Try({.kind = ChangeKind::kInPlace, .buffers = {out, in}}, {{both, bytes}});
      }
    }
  }

  /// Tries the step's own workspace; and, if other steps are equally high, the workspace of all of
  /// them together, since one alone would not help.
  void TryNoScratch() {
    PeakChange change;
    change.kind = ChangeKind::kNoScratch;
    std::vector<ByteCut> cuts;
    AddScratch(why_.at.step, change, cuts);
    // A single buffer has already been tried.
    if (change.buffers.size() > 1) Try(change, cuts);
    change.steps = 1;
    for (const StepPeak& other : why_.steps) {
      if (other.live_bytes < why_.live_bytes || change.steps == kMostEqual) break;
      if (other.at.step == why_.at.step) continue;
      AddScratch(other.at.step, change, cuts);
      ++change.steps;
    }
    if (change.steps > 1 && !change.buffers.empty()) Try(std::move(change), cuts);
  }

  void AddScratch(size_t step, PeakChange& change, std::vector<ByteCut>& cuts) const {
    const ReportRange& runs = report_.steps[step].range;
    for (size_t i = 0; i < report_.buffers.size(); ++i) {
      const ReportBuffer& buffer = BufferAt(i);
      if (buffer.pool != pool_.name || buffer.function == report_.entry) continue;
      const bool live =
          std::any_of(buffer.ranges.begin(), buffer.ranges.end(), [&](const ReportRange& range) {
            return range.lower < runs.upper && runs.lower < range.upper;
          });
      const std::vector<size_t>& known = change.buffers;
      if (!live || std::find(known.begin(), known.end(), i) != known.end()) continue;
      change.buffers.push_back(i);
      Cut(i, buffer.size_bytes, cuts);
    }
  }

  void Try(PeakChange change, const std::vector<ByteCut>& cuts) {
    const LiveCurve::Top top = curve_.HighestWithout(cuts);
    change.bound_bytes = top.bytes;
    change.saved_bytes = why_.live_bytes - top.bytes;
    change.peak = MomentAt(top.tick);
    if (change.saved_bytes > 0) why_.changes.push_back(std::move(change));
  }

  void Rank() {
    std::stable_sort(why_.changes.begin(), why_.changes.end(),
                     [&](const PeakChange& a, const PeakChange& b) {
                       return std::tie(a.bound_bytes, a.kind) < std::tie(b.bound_bytes, b.kind);
                     });
  }

  const MemoryReport& report_;
  const ReportPool& pool_;
  const LiveCurve curve_;
  PeakWhy why_;
};

}  // namespace

std::string_view ChangeName(ChangeKind kind) {
  switch (kind) {
    case ChangeKind::kGone:
      return "gone";
    case ChangeKind::kHalf:
      return "half";
    case ChangeKind::kNotKept:
      return "not_kept";
    case ChangeKind::kEarly:
      return "early";
    case ChangeKind::kInPlace:
      return "in_place";
    case ChangeKind::kNoScratch:
      return "no_scratch";
  }
  return "";
}

PeakWhy ExplainPeak(const MemoryReport& report, const ReportPool& pool) {
  return Explainer(report, pool).Explain();
}

}  // namespace tenon
