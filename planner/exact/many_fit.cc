#include "planner/exact/many_fit.h"

#include <utility>

#include "planner/heuristics/hole_fit.h"
#include "planner/heuristics/track_fit.h"
#include "planner/methods.h"

namespace tenon::planner {
namespace {

// The limits on overlapping pairs that all orders of holes together may visit: about ten seconds,
// and a similar time per box if there are fewer boxes.
constexpr int64_t kMaxMeetings = 500'000'000;
constexpr int64_t kMaxMeetingsEach = 20'000;
// With at most this many pairs per box, holes are tried first.
constexpr int64_t kFewMeetings = 1000;

class Many {
 public:
  Many(const CoreProblem& core, int64_t goal, bool is_quick, SearchBudget* budget,
       const std::function<void(int64_t)>& progress)
      : core_(core),
        boxes_(core.boxes),
        goal_(goal),
        budget_(budget),
        progress_(progress),
        meetings_(boxes_.Meetings()),
        has_many_meetings_(meetings_ > kFewMeetings * static_cast<int64_t>(boxes_.size())),
        is_quick_(is_quick && has_many_meetings_) {}

  ManyFitResult Run() {
    if (!has_many_meetings_) {
      FitCore(goal_);
      FitHoles();
      FitCore(goal_ + (least_ - goal_) / 4);
    }
    if (!Enough()) Keep(boxes_.Drop(boxes_.ByOffset(TrackFit(boxes_))), kTracks);
    StackUp();
    if (has_many_meetings_ && !is_quick_) FitHoles();
    while (!Enough() && Keep(boxes_.Drop(boxes_.OrderAtCeiling(best_)), kFalling)) {
    }
    if (has_many_meetings_) FitCore(goal_);
    return {std::move(best_), found_by_};
  }

 private:
  static double Area(const Box& box) {
    return static_cast<double>(box.size) * static_cast<double>(box.duration);
  }

  static bool LongFirst(const Box& a, const Box& b) { return a.duration > b.duration; }
  static bool LargeFirst(const Box& a, const Box& b) { return a.size > b.size; }
  static bool AreaFirst(const Box& a, const Box& b) { return Area(a) > Area(b); }
  static bool ByBirth(const Box& a, const Box& b) { return a.first < b.first; }
  static bool ByDeath(const Box& a, const Box& b) { return a.end > b.end; }

  // Puts each box on top of the earlier ones, without using holes.
  void StackUp() {
    for (const auto less : {LongFirst, ByBirth, ByDeath}) {
      if (!Enough()) Keep(boxes_.Drop(boxes_.Sorted(less)), kStacks);
    }
  }

  void FitHoles() {
    int64_t left = MostMeetings();
    for (const auto less : {LargeFirst, AreaFirst, LongFirst}) {
      if (Enough() || (meetings_ > left && !budget_->Affords(meetings_))) return;
      left -= meetings_;
      Keep(HoleFit(boxes_, boxes_.Sorted(less)), kHoles);
    }
  }

  void FitCore(int64_t goal) {
    if (meetings_ > MostMeetings() || Enough()) return;
    CoreFit(core_, goal, least_, budget_, [&](std::vector<int64_t> offsets) {
      Keep(std::move(offsets), kCore);
      return least_;
    });
  }

  int64_t MostMeetings() const {
    return std::min(kMaxMeetings, kMaxMeetingsEach * static_cast<int64_t>(boxes_.size()));
  }

  bool Enough() {
    if (best_.empty()) return false;
    budget_->Look();
    return least_ <= goal_ || budget_->Spent();
  }

  bool Keep(std::vector<int64_t> offsets, std::string_view found_by) {
    const int64_t peak = boxes_.Peak(offsets);
    if (peak >= least_) return false;
    least_ = peak;
    best_ = std::move(offsets);
    found_by_ = found_by;
    if (progress_) progress_(least_);
    return true;
  }

  const CoreProblem& core_;
  const Boxes& boxes_;
  const int64_t goal_;
  SearchBudget* budget_;
  const std::function<void(int64_t)>& progress_;
  std::vector<int64_t> best_;
  std::string_view found_by_;
  int64_t least_ = INT64_MAX;
  const int64_t meetings_;
  const bool has_many_meetings_;
  const bool is_quick_;
};

}  // namespace

ManyFitResult ManyFit(const CoreProblem& core, int64_t goal, bool is_quick, SearchBudget* budget,
                      const std::function<void(int64_t)>& progress) {
  return Many(core, goal, is_quick, budget, progress).Run();
}

}  // namespace tenon::planner
