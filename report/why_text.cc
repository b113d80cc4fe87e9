#include <fmt/format.h>

#include <algorithm>

#include "report/text_table.h"
#include "report/why.h"

namespace tenon {

namespace {

/// Longest lists that a terminal wants to see.
constexpr size_t kMostLive = 12;
constexpr size_t kMostChanges = 10;
constexpr size_t kMostSteps = 5;
constexpr size_t kLongestLabel = 46;
constexpr size_t kLabelStart = 28;
constexpr size_t kLabelEnd = 15;

/// What all labels begin with, up to an underscore, says nothing about any of them.
size_t CommonPrefix(const std::vector<ReportStep>& steps) {
  if (steps.size() < 2) return 0;
  std::string_view common = steps[0].label;
  for (const ReportStep& step : steps) {
    const auto [end, other] =
        std::mismatch(common.begin(), common.end(), step.label.begin(), step.label.end());
    common = common.substr(0, static_cast<size_t>(end - common.begin()));
  }
  const size_t underscore = common.rfind('_');
  return underscore == std::string_view::npos ? 0 : underscore + 1;
}

class WhyPrinter {
 public:
  WhyPrinter(const MemoryReport& report, const ReportPool& pool, const PeakWhy& why)
      : report_(report), pool_(pool), why_(why) {}

  std::string Print() {
    AddHead();
    AddLive();
    AddChanges();
    AddSteps();
    return std::move(out_);
  }

 private:
  const std::string& NameOf(size_t index) const { return report_.buffers[index].name; }

  void AddHead() {
    const int64_t size = pool_.size_bytes;
    const int64_t bound = pool_.lower_bound_bytes;
    out_ = fmt::format("{}: {} bytes", pool_.name, GroupedDigits(size));
    if (bound == size) {
      out_ += ", the lower bound: no plan is smaller";
    } else if (bound > 0) {
      out_ += fmt::format(", {} ({:.2f} %) above the lower bound {}", GroupedDigits(size - bound),
                          Percent(size - bound, bound), GroupedDigits(bound));
    }
    out_ += fmt::format("\npeak: {} bytes in {} buffer{} live at {}\n",
                        GroupedDigits(why_.live_bytes), why_.live.size(),
                        why_.live.size() == 1 ? "" : "s", MomentText(report_, why_.at));
    if (!pool_.peak->statement.empty()) out_ += fmt::format("  {}\n", pool_.peak->statement);
    if (bound > why_.live_bytes) {
      out_ += fmt::format(
          "  {} more bytes of the bound come from alignment, or from what fits together over "
          "time\n",
          GroupedDigits(bound - why_.live_bytes));
    }
  }

  void AddLive() {
    TextTable table("<>><<");
    table.Add({"live then", "bytes", "%", "written at", "last used at"});
    auto left = static_cast<uint64_t>(why_.live_bytes);  // sums of nonsense may be huge
    for (size_t i = 0; i < std::min(why_.live.size(), kMostLive); ++i) {
      const LiveThen& live = why_.live[i];
      const int64_t bytes = report_.buffers[live.buffer].size_bytes;
      left -= static_cast<uint64_t>(bytes);
      table.Add({NameOf(live.buffer), GroupedDigits(bytes),
                 fmt::format("{:.1f}", Percent(bytes, why_.live_bytes)),
                 MomentText(report_, live.written, why_.at.step),
                 MomentText(report_, live.last_used, why_.at.step)});
    }
    if (why_.live.size() > kMostLive) {
      const auto rest = static_cast<int64_t>(left);
      table.Add({fmt::format("and {} more", why_.live.size() - kMostLive), GroupedDigits(rest),
                 fmt::format("{:.1f}", Percent(rest, why_.live_bytes))});
    }
    out_ += '\n';
    table.Write(out_);
  }

  std::string ChangeText(const PeakChange& change) const {
    const std::string& name = NameOf(change.buffers[0]);
    switch (change.kind) {
      case ChangeKind::kGone:
        return fmt::format("no {}", name);
      case ChangeKind::kHalf:
        return fmt::format("{} half as large", name);
      case ChangeKind::kNotKept:
        return fmt::format("{} not kept from {} to {}", name, PlaceText(change.from),
                           PlaceText(change.to));
      case ChangeKind::kEarly:
        return fmt::format("{} dead before {}", name, PlaceText(change.to));
      case ChangeKind::kInPlace:
        return fmt::format("{} in the place of {}", name, NameOf(change.buffers[1]));
      case ChangeKind::kNoScratch:
        return change.steps == 1
                   ? fmt::format("no workspace of the operator's own ({} buffers)",
                                 change.buffers.size())
                   : fmt::format("no workspace of their own in the {} highest operators",
                                 change.steps);
    }
    return {};
  }

  static std::string PlaceText(const ReportMoment& moment) {
    return moment.line > 0 ? fmt::format("line {}", moment.line)
                           : fmt::format("tick {}", moment.tick);
  }

  /// A change that does no more than one that asks for a part of it is not worth a line.
  static bool IsNoBetter(const PeakChange& change, const std::vector<const PeakChange*>& shown) {
    return std::any_of(shown.begin(), shown.end(), [&](const PeakChange* other) {
      return other->bound_bytes == change.bound_bytes && other->buffers.size() == 1 &&
             std::find(change.buffers.begin(), change.buffers.end(), other->buffers[0]) !=
                 change.buffers.end();
    });
  }

  void AddChanges() {
    if (why_.changes.empty()) {
      out_ += "\n  nothing lowers it alone: it is as high elsewhere\n";
      return;
    }
    TextTable table("<>>><");
    table.Add({"what would lower it", "to", "saves", "%", "then the peak is at"});
    std::vector<const PeakChange*> shown;
    for (const PeakChange& change : why_.changes) {
      if (shown.size() == kMostChanges) break;
      if (IsNoBetter(change, shown)) continue;
      shown.push_back(&change);
      table.Add({ChangeText(change), GroupedDigits(change.bound_bytes),
                 GroupedDigits(change.saved_bytes),
                 fmt::format("{:.1f}", Percent(change.saved_bytes, why_.live_bytes)),
                 change.bound_bytes == 0 ? "" : MomentText(report_, change.peak, why_.at.step)});
    }
    out_ += '\n';
    table.Write(out_);
  }

  void AddSteps() {
    if (why_.steps.size() < 2) return;
    TextTable table("<>>");
    table.Add({"highest operators", "live", "without those above, saves"});
    for (size_t i = 0; i < std::min(why_.steps.size(), kMostSteps); ++i) {
      const StepPeak& step = why_.steps[i];
      table.Add({MomentText(report_, step.at), GroupedDigits(step.live_bytes),
                 i == 0 ? "" : GroupedDigits(why_.live_bytes - step.live_bytes)});
    }
    out_ += '\n';
    table.Write(out_);
  }

  const MemoryReport& report_;
  const ReportPool& pool_;
  const PeakWhy& why_;
  std::string out_;
};

}  // namespace

std::string MomentText(const MemoryReport& report, const ReportMoment& moment, size_t known) {
  std::string text =
      moment.line > 0 ? fmt::format("line {}", moment.line) : fmt::format("tick {}", moment.tick);
  if (moment.step == ReportMoment::kNoStep || moment.step == known) return text;
  std::string_view label = report.steps[moment.step].label;
  label.remove_prefix(std::min(CommonPrefix(report.steps), label.size()));
  if (label.size() <= kLongestLabel) return fmt::format("{}, {}", text, label);
  // What tells labels apart is often their end.
  return fmt::format("{}, {}...{}", text, label.substr(0, kLabelStart),
                     label.substr(label.size() - kLabelEnd));
}

std::string WhyText(const MemoryReport& report, const ReportPool& pool, const PeakWhy& why) {
  return WhyPrinter(report, pool, why).Print();
}

}  // namespace tenon
