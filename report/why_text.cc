#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>

#include "report/text_table.h"
#include "report/why.h"

namespace tenon {

namespace {

/// The longest lists shown on a terminal.
constexpr size_t kMostLive = 12;
constexpr size_t kMostChanges = 10;
constexpr size_t kMostSteps = 5;
constexpr size_t kMostNames = 6;
constexpr size_t kMostOverlaps = 40;

class WhyPrinter {
 public:
  WhyPrinter(const MemoryReport& report, const ReportPool& pool, const PeakWhy& why)
      : report_(report), pool_(pool), why_(why), labels_(report) {}

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
      out_ += ", the lower bound: no plan of these buffers is smaller";
    } else if (bound > 0) {
      out_ += fmt::format(", {} ({:.2f} %) above the lower bound {}", GroupedDigits(size - bound),
                          Percent(size - bound, bound), GroupedDigits(bound));
    }
    out_ += fmt::format("\npeak: {} bytes at {}: {}\n", GroupedDigits(why_.live_bytes),
                        MomentText(report_, labels_, why_.at), LiveNames());
    if (!pool_.peak->statement.empty()) out_ += fmt::format("  {}\n", pool_.peak->statement);
    if (bound > why_.live_bytes) {
      out_ += fmt::format(
          "  {} more bytes of the bound come from alignment, or from what fits together over "
          "time\n",
          GroupedDigits(bound - why_.live_bytes));
    }
  }

  /// The names of the buffers live at the peak, the largest first.
  std::string LiveNames() const {
    std::vector<std::string_view> names;
    for (size_t i = 0; i < std::min(why_.live.size(), kMostNames); ++i)
      names.push_back(NameOf(why_.live[i].buffer));
    std::string text = fmt::format("{}", fmt::join(names, ", "));
    if (why_.live.size() > kMostNames)
      text += fmt::format(" and {} more", why_.live.size() - kMostNames);
    return text;
  }

  /// Adds a row for each pair of buffers that share bytes at the peak.
  void AddShared(TextTable& table) const {
    for (const ReportOverlap* overlap : OverlapsAt(report_, pool_.name, why_.at.tick)) {
      table.Add({fmt::format("shared by {} and {}", NameOf(overlap->dying), NameOf(overlap->begun)),
                 GroupedDigits(-overlap->shared_bytes),
                 fmt::format("{:.1f}", -Percent(overlap->shared_bytes, why_.live_bytes))});
    }
  }

  void AddLive() {
    TextTable table("<>><<");
    table.Add({"live then", "bytes", "%", "written at", "last used at"});
    auto left = static_cast<uint64_t>(why_.live_bytes);  // sums from invalid reports may overflow
    for (size_t i = 0; i < std::min(why_.live.size(), kMostLive); ++i) {
      const LiveThen& live = why_.live[i];
      const int64_t bytes = report_.buffers[live.buffer].size_bytes;
      left -= static_cast<uint64_t>(bytes);
      table.Add({NameOf(live.buffer), GroupedDigits(bytes),
                 fmt::format("{:.1f}", Percent(bytes, why_.live_bytes)),
                 MomentText(report_, labels_, live.written, why_.at.step),
                 MomentText(report_, labels_, live.last_used, why_.at.step)});
    }
    if (why_.live.size() > kMostLive) {
      const auto rest = static_cast<int64_t>(left);
      table.Add({fmt::format("and {} more", why_.live.size() - kMostLive), GroupedDigits(rest),
                 fmt::format("{:.1f}", Percent(rest, why_.live_bytes))});
    }
    AddShared(table);
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

  /// A change is not listed if one of its buffers alone gives the same result.
  static bool IsNoBetter(const PeakChange& change, const std::vector<const PeakChange*>& shown) {
    return std::any_of(shown.begin(), shown.end(), [&](const PeakChange* other) {
      return other->bound_bytes == change.bound_bytes && other->buffers.size() == 1 &&
             std::find(change.buffers.begin(), change.buffers.end(), other->buffers[0]) !=
                 change.buffers.end();
    });
  }

  void AddChanges() {
    if (why_.changes.empty()) {
      const auto tied = std::count_if(why_.steps.begin(), why_.steps.end(), [&](const auto& step) {
        return step.live_bytes >= why_.live_bytes;
      });
      out_ += tied < 2 ? "\n  no single change lowers it: other moments are as high\n"
                       : fmt::format(
                             "\n  no single change lowers it: {} operators are as high, "
                             "and all of them must shrink\n",
                             tied);
      return;
    }
    TextTable table("<>>><");
    table.Add({"what would lower it", "to", "saves", "%", "then the peak is at"});
    std::vector<const PeakChange*> shown;
    for (const PeakChange& change : why_.changes) {
      if (shown.size() == kMostChanges) break;
      if (IsNoBetter(change, shown)) continue;
      shown.push_back(&change);
      table.Add(
          {ChangeText(change), GroupedDigits(change.bound_bytes), GroupedDigits(change.saved_bytes),
           fmt::format("{:.1f}", Percent(change.saved_bytes, why_.live_bytes)),
           change.bound_bytes == 0 ? "" : MomentText(report_, labels_, change.peak, why_.at.step)});
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
      table.Add({MomentText(report_, labels_, step.at), GroupedDigits(step.live_bytes),
                 i == 0 ? "" : GroupedDigits(why_.live_bytes - step.live_bytes)});
    }
    out_ += '\n';
    table.Write(out_);
  }

  const MemoryReport& report_;
  const ReportPool& pool_;
  const PeakWhy& why_;
  const ShortLabels labels_;
  std::string out_;
};

std::string OptionText(const OptionEffect& effect) {
  const std::string change = fmt::format("{}{}", effect.saved_bytes() > 0 ? "-" : "+",
                                         GroupedDigits(std::abs(effect.saved_bytes())));
  if (!effect.fits) {
    return effect.in_use ? fmt::format("without `{}` nothing fits", effect.option)
                         : fmt::format("with `{}` nothing fits", effect.option);
  }
  if (effect.saved_bytes() == 0) return fmt::format("`{}` changes nothing", effect.option);
  if (effect.in_use) {
    return fmt::format("`{}` made it {} bytes ({}); without it: {} bytes", effect.option,
                       GroupedDigits(effect.with_bytes), change,
                       GroupedDigits(effect.without_bytes));
  }
  return fmt::format("`{}` would make it {} bytes ({})", effect.option,
                     GroupedDigits(effect.with_bytes), change);
}

/// The memory of inputs and outputs, if they are outside of the workspace.
std::string TensorsText(const MemoryReport& report) {
  const std::optional<ReportAccounting>& counted = report.accountings.io_counted;
  if (report.io_bytes() == 0 || !counted || !counted->fits) return {};
  const int64_t outside = report.workspace_bytes() + report.io_bytes();
  const int64_t change = counted->workspace_bytes - outside;
  return fmt::format(
      "inputs and outputs: {} bytes outside; with `--use-workspace-io` the workspace has them, and "
      "{} bytes ({}{} in total)\n",
      GroupedDigits(report.io_bytes()), GroupedDigits(counted->workspace_bytes),
      change <= 0 ? "-" : "+", GroupedDigits(std::abs(change)));
}

/// The groups of rows, and the estimates without them.
std::string GroupsText(const ReportStreaming& streaming) {
  std::string out;
  for (const ReportStreamGroup& group : streaming.groups) {
    out += fmt::format(
        "rows: {} operators run row by row in `{}`, estimate {} bytes; the least without this "
        "group: {}\n",
        group.operators, group.name, GroupedDigits(group.estimate_bytes),
        group.without_bytes < 0 ? "none" : GroupedDigits(group.without_bytes) + " bytes");
  }
  return out;
}

std::string AllowedText(const std::vector<ReportOverlap::Distances>& allowed) {
  std::vector<std::string> parts;
  for (const ReportOverlap::Distances& range : allowed) {
    if (range.first && range.last) {
      parts.push_back(
          range.first == range.last
              ? fmt::format("{}", GroupedDigits(*range.first))
              : fmt::format("{} to {}", GroupedDigits(*range.first), GroupedDigits(*range.last)));
    } else if (range.first) {
      parts.push_back(fmt::format("{} or more", GroupedDigits(*range.first)));
    } else if (range.last) {
      parts.push_back(fmt::format("{} or less", GroupedDigits(*range.last)));
    }
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace

std::string OptionsText(const MemoryReport& report, const std::vector<OptionEffect>& effects) {
  if (effects.empty()) return {};
  std::string out = fmt::format("workspace: {} bytes\n", GroupedDigits(report.workspace_bytes()));
  std::vector<std::string> useless;
  bool some_help = false;
  for (const OptionEffect& effect : effects) {
    if (!effect.in_use && effect.saved_bytes() <= 0) {
      useless.push_back(fmt::format("`{}`", effect.option));
      continue;
    }
    some_help |= !effect.in_use;
    out += fmt::format("  {}\n", OptionText(effect));
  }
  if (!useless.empty())
    out += fmt::format("  {}: {}\n", some_help ? "not smaller" : "no option makes it smaller",
                       fmt::join(useless, ", "));
  return out + TensorsText(report) + GroupsText(report.streaming);
}

std::string OverlapsText(const MemoryReport& report) {
  if (report.overlaps.empty()) return {};
  TextTable table("<<<>><");
  table.Add({"operator", "reads last", "writes", "shared", "distance", "safe distances"});
  const ShortLabels labels(report);
  std::string bounds;
  for (size_t i = 0; i < std::min(report.overlaps.size(), kMostOverlaps); ++i) {
    const ReportOverlap& overlap = report.overlaps[i];
    table.Add({labels.Of(overlap.function), report.buffers[overlap.dying].name,
               report.buffers[overlap.begun].name, GroupedDigits(overlap.shared_bytes),
               GroupedDigits(overlap.distance), AllowedText(overlap.allowed)});
    if (!overlap.bound.empty()) {
      bounds += fmt::format("  {} on {}: {}\n", report.buffers[overlap.begun].name,
                            report.buffers[overlap.dying].name, overlap.bound);
    }
  }
  std::string out = fmt::format("{} pair{} of buffers share bytes while both hold values\n",
                                report.overlaps.size(), report.overlaps.size() == 1 ? "" : "s");
  table.Write(out);
  if (report.overlaps.size() > kMostOverlaps)
    out += fmt::format("  and {} more\n", report.overlaps.size() - kMostOverlaps);
  if (!bounds.empty()) out += "accesses that bind the distance\n" + bounds;
  return out;
}

std::string MomentText(const MemoryReport& report, const ShortLabels& labels,
                       const ReportMoment& moment, size_t known) {
  std::string text =
      moment.line > 0 ? fmt::format("line {}", moment.line) : fmt::format("tick {}", moment.tick);
  if (moment.step == ReportMoment::kNoStep || moment.step == known) return text;
  return fmt::format("{}, {}", text, labels.Of(report.steps[moment.step].label));
}

std::string WhyText(const MemoryReport& report, const ReportPool& pool, const PeakWhy& why) {
  return WhyPrinter(report, pool, why).Print();
}

}  // namespace tenon
