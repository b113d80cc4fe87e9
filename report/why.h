#ifndef TENON_REPORT_WHY_H_
#define TENON_REPORT_WHY_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "report/report.h"

// Why a pool's peak is what it is, and what would lower it: every figure is the peak of the live
// bytes, computed anew without what would be gone.

namespace tenon {

/// A point of the clock as a person finds it.
struct ReportMoment {
  static constexpr size_t kNoStep = static_cast<size_t>(-1);
  int64_t tick = 0;
  /// Line of the source, 0 when not known.
  int64_t line = 0;
  /// Index of the step that runs then.
  size_t step = kNoStep;
};

/// A buffer that is live at the peak.
struct LiveThen {
  size_t buffer = 0;
  /// First and last use of the stretch of life that the peak is in. What reads first what nobody
  /// wrote is wrong, so the first is where it is written.
  ReportMoment written;
  ReportMoment last_used;
};

/// What could change; what asks for less comes first.
enum class ChangeKind : uint8_t {
  kNotKept,  ///< the buffer dies after its last use before the peak's step, and is made again later
  kEarly,    ///< the buffer dies before the last step that uses it
  kInPlace,  ///< what the peak's step writes lies where what it reads last was
  kHalf,     ///< the buffer has half as many bytes
  kGone,     ///< the buffer is not there
  kNoScratch,  ///< steps that are as high as the peak, its own first, need no workspace of their
               ///< own
};

/// The name that JSON has for it.
std::string_view ChangeName(ChangeKind kind);

struct PeakChange {
  ChangeKind kind = ChangeKind::kGone;
  /// The buffers it is about: one; for kInPlace what is written and what is read; for kNoScratch
  /// all of the steps'.
  std::vector<size_t> buffers = {};
  /// For kNoScratch: how many steps.
  int64_t steps = 1;
  /// For kNotKept: the uses between which it is not kept. For kEarly: the use after which it dies,
  /// and the first of the step that has to do without.
  ReportMoment from = {};
  ReportMoment to = {};
  /// The most bytes that are live together then: no plan is smaller.
  int64_t bound_bytes = 0;
  /// By how much that is less than now; positive.
  int64_t saved_bytes = 0;
  /// Where the peak is then.
  ReportMoment peak = {};
};

/// The most that is live while one step runs.
struct StepPeak {
  ReportMoment at;
  int64_t live_bytes = 0;
};

struct PeakWhy {
  std::string pool;
  ReportMoment at;
  int64_t live_bytes = 0;
  /// As the peak has them, the largest first.
  std::vector<LiveThen> live;
  /// What helps, the most first; equal: what asks for less.
  std::vector<PeakChange> changes;
  /// Every step's, the highest first: the first is the peak, and without its step the pool would
  /// need the second.
  std::vector<StepPeak> steps;
};

/// What options of planning do to the workspace. Each figure is that of a plan.
struct OptionEffect {
  /// As on the command line, such as `--overlap=on`.
  std::string option;
  /// The plan of the report was made with it; else it was tried.
  bool in_use = false;
  /// False: with these options nothing fits the declared pools, or the module does not compile. The
  /// bytes of that plan are 0 then.
  bool fits = true;
  /// The workspace with and without the options.
  int64_t with_bytes = 0;
  int64_t without_bytes = 0;

  int64_t saved_bytes() const { return fits ? without_bytes - with_bytes : 0; }
};

/// Explains the peak of a pool that has one.
PeakWhy ExplainPeak(const MemoryReport& report, const ReportPool& pool);

/// What a terminal shows of it.
std::string WhyText(const MemoryReport& report, const ReportPool& pool, const PeakWhy& why);

/// A line for each option that is in use or would help, and one for those that would not. Empty
/// where none was tried.
std::string OptionsText(const MemoryReport& report, const std::vector<OptionEffect>& effects);

/// Pairs of buffers that overlap, and the accesses that bind their distances. Empty without any.
std::string OverlapsText(const MemoryReport& report);

/// `line 12, conv2d`; `tick 12` where there is no more. Labels lose what all of them begin with,
/// and the label of the step `known` is left out.
std::string MomentText(const MemoryReport& report, const ReportMoment& moment,
                       size_t known = ReportMoment::kNoStep);

}  // namespace tenon

#endif  // TENON_REPORT_WHY_H_
