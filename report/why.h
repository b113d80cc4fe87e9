#ifndef TENON_REPORT_WHY_H_
#define TENON_REPORT_WHY_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "report/labels.h"
#include "report/report.h"

// Explains a pool's peak and finds changes that would lower it. Every figure is the peak of the
// live bytes, recomputed with the change.

namespace tenon {

/// A point of the clock, in terms of the source.
struct ReportMoment {
  static constexpr size_t kNoStep = static_cast<size_t>(-1);
  int64_t tick = 0;
  /// The line of the source, 0 if unknown.
  int64_t line = 0;
  /// The index of the step that runs then.
  size_t step = kNoStep;

  static void Members(const auto& list) {
    list.Derived("tick", &ReportMoment::tick);
    list.DerivedIfSet("line", &ReportMoment::line);
    list.DerivedIfSet("step", &ReportMoment::step);
  }
};

/// A buffer that is live at the peak.
struct LiveThen {
  size_t buffer = 0;
  /// The part of the peak that it takes.
  double percent = 0;
  /// The first and last use in the live interval that contains the peak. The first use is the
  /// write: reading a buffer before any write is an error.
  ReportMoment written;
  ReportMoment last_used;

  static void Members(const auto& list) {
    list.Derived("buffer", &LiveThen::buffer);
    list.Derived("percent", &LiveThen::percent);
    list.Derived("written", &LiveThen::written);
    list.Derived("last_used", &LiveThen::last_used);
  }
};

/// The kinds of changes; smaller changes come first.
enum class ChangeKind : uint8_t {
  kNotKept,  ///< the buffer dies after its last use before the peak's step, and is recomputed later
  kEarly,    ///< the buffer dies before the last step that uses it
  kInPlace,  ///< an output of the peak's step reuses the memory of an input that the step reads
             ///< last
  kHalf,     ///< the buffer has half the bytes
  kGone,     ///< the buffer does not exist
  kNoScratch,  ///< steps as high as the peak, starting with the peak's step, need no workspace of
               ///< their own
};

/// The name in JSON.
std::string_view ChangeName(ChangeKind kind);

struct PeakChange {
  ChangeKind kind = ChangeKind::kGone;
  /// The buffers to change: one; for kInPlace the written and the read one; for kNoScratch all
  /// buffers of the steps.
  std::vector<size_t> buffers = {};
  /// For kNoScratch: the number of steps.
  int64_t steps = 1;
  /// For kNotKept: the uses between which the buffer is dropped. For kEarly: the use after which it
  /// dies, and the first use of the step that must do without it.
  ReportMoment from = {};
  ReportMoment to = {};
  /// The largest number of live bytes after the change: no plan is smaller.
  int64_t bound_bytes = 0;
  /// The decrease of that number; positive.
  int64_t saved_bytes = 0;
  /// The place of the new peak.
  ReportMoment peak = {};

  static void Members(const auto& list) {
    list.Derived("change", [](const auto& change) { return ChangeName(change.kind); });
    list.Derived("buffers", &PeakChange::buffers);
    const auto scratch = list.When([](const auto& c) { return c.kind == ChangeKind::kNoScratch; });
    scratch.Derived("steps", &PeakChange::steps);
    const auto gap = list.When([](const auto& c) {
      return c.kind == ChangeKind::kNotKept || c.kind == ChangeKind::kEarly;
    });
    gap.Derived("from", &PeakChange::from);
    gap.Derived("to", &PeakChange::to);
    list.Derived("bound_bytes", &PeakChange::bound_bytes);
    list.Derived("saved_bytes", &PeakChange::saved_bytes);
    list.Derived("peak", &PeakChange::peak);
  }
};

/// The largest number of bytes live while a step runs.
struct StepPeak {
  ReportMoment at;
  int64_t live_bytes = 0;

  static void Members(const auto& list) {
    list.Derived("at", &StepPeak::at);
    list.Derived("live_bytes", &StepPeak::live_bytes);
  }
};

struct PeakWhy {
  std::string pool;
  ReportMoment at;
  int64_t live_bytes = 0;
  /// The buffers live at the peak, the largest first.
  std::vector<LiveThen> live;
  /// Helpful changes, the largest saving first; ties go to the smaller change.
  std::vector<PeakChange> changes;
  /// The peak of every step, the highest first. The first is the pool's peak; without its step the
  /// pool would need the second.
  std::vector<StepPeak> steps;

  static void Members(const auto& list) {
    list.Derived("at", &PeakWhy::at);
    list.Derived("live", &PeakWhy::live);
    list.Derived("changes", &PeakWhy::changes);
    list.Derived("steps", &PeakWhy::steps);
  }
};

/// The effect of a planning option on the workspace. Each figure comes from a plan.
struct OptionEffect {
  /// The option as on the command line, such as `--overlap=on`.
  std::string option;
  /// True if the report's plan used the option; otherwise it was tried.
  bool in_use = false;
  /// False if nothing fits the declared pools with these options, or the module does not compile.
  /// The bytes of that plan are then 0.
  bool fits = true;
  /// The workspace with and without the option.
  int64_t with_bytes = 0;
  int64_t without_bytes = 0;

  int64_t saved_bytes() const { return fits ? without_bytes - with_bytes : 0; }

  static void Members(const auto& list) {
    list.Derived("option", &OptionEffect::option);
    list.Derived("in_use", &OptionEffect::in_use);
    list.Derived("fits", &OptionEffect::fits);
    list.Derived("with_bytes", &OptionEffect::with_bytes);
    list.Derived("without_bytes", &OptionEffect::without_bytes);
    list.Derived("saved_bytes", &OptionEffect::saved_bytes);
  }
};

/// Explains the peak of a pool that has one.
PeakWhy ExplainPeak(const MemoryReport& report, const ReportPool& pool);

/// The explanation for a terminal.
std::string WhyText(const MemoryReport& report, const ReportPool& pool, const PeakWhy& why);

/// One line for each option that is in use or would help, and one for all others. Empty if no
/// option was tried.
std::string OptionsText(const MemoryReport& report, const std::vector<OptionEffect>& effects);

/// The overlapping pairs of buffers, and the accesses that limit their distances. Empty without
/// overlaps.
std::string OverlapsText(const MemoryReport& report);

/// `line 12, conv2d`, or `tick 12` if nothing else is known. The label of the step `known` is
/// omitted.
std::string MomentText(const MemoryReport& report, const ShortLabels& labels,
                       const ReportMoment& moment, size_t known = ReportMoment::kNoStep);

}  // namespace tenon

#endif  // TENON_REPORT_WHY_H_
