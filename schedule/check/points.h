#ifndef TENON_SCHEDULE_CHECK_POINTS_H_
#define TENON_SCHEDULE_CHECK_POINTS_H_

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <vector>

#include "schedule/check/memory.h"
#include "schedule/check/terms.h"

namespace tenon::check {

/// The value of each counting digit, by its number.
using Point = std::vector<int64_t>;

/// Walks over all values of some digits, without sampling. One limit applies to all walks of a
/// comparison together.
class PointWalks {
 public:
  PointWalks(const TermTable& terms, int64_t most_points) : terms_(terms), left_(most_points) {}

  enum class Result : uint8_t { kAll, kStopped, kTooMany };
  /// Calls `visit` for all values of `digits` for which the guards hold, until it returns false.
  /// The first digit is the outermost. A guard that depends on data is assumed to hold. Guards may
  /// add digits.
  Result ForEach(std::vector<int> digits, const Guards& guards,
                 const std::function<bool(Point&)>& visit);

  /// Counts points of another walk. False if these are too many.
  bool Take(int64_t points);
  /// Whether a condition holds; nullopt if it depends on data.
  std::optional<bool> HoldsAt(TermId condition, const Point& at) const;
  /// True after a walk that was too long.
  bool ran_out() const { return ran_out_; }

 private:
  Result Visit(const std::vector<int>& digits, const Guards& guards,
               const std::vector<bool>& is_used, Point& at,
               const std::function<bool(Point&)>& visit) const;

  const TermTable& terms_;
  int64_t left_;
  bool ran_out_ = false;
  /// A point for each walk that has begun.
  std::deque<Point> points_;
  size_t depth_ = 0;
};

}  // namespace tenon::check

#endif  // TENON_SCHEDULE_CHECK_POINTS_H_
