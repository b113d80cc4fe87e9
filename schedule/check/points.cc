// Exhaustive walks, for facts that forms cannot prove: the elements of constants, copies of inputs,
// and padding.

#include "schedule/check/points.h"

#include <algorithm>

namespace tenon::check {

bool PointWalks::Take(int64_t points) {
  if (points > left_) {
    ran_out_ = true;
    return false;
  }
  left_ -= points;
  return true;
}

PointWalks::Result PointWalks::ForEach(std::vector<int> digits, const Guards& guards,
                                       const std::function<bool(Point&)>& visit) {
  std::vector<bool> is_used(guards.size());
  for (bool grows = true; grows;) {
    grows = false;
    for (size_t i = 0; i < guards.size(); ++i) {
      std::vector<int> own;
      terms_.AddDigits(guards[i].condition, own);
      const auto is_shared = [&](int digit) {
        return std::find(digits.begin(), digits.end(), digit) != digits.end();
      };
      if (is_used[i] || std::none_of(own.begin(), own.end(), is_shared)) continue;
      is_used[i] = grows = true;
      for (const int digit : own) {
        if (!is_shared(digit)) digits.insert(digits.begin(), digit);
      }
    }
  }
  int64_t points = 1;
  for (const int digit : digits) {
    const int64_t extent = terms_.forms().extent(digit);
    if (extent > left_ / points) {
      ran_out_ = true;
      return Result::kTooMany;
    }
    points *= extent;
  }
  left_ -= points;
  // A walk may begin inside of another one.
  if (depth_ == points_.size()) points_.emplace_back();
  Point& at = points_[depth_];
  ++depth_;
  at.resize(static_cast<size_t>(terms_.forms().digit_count()));
  for (const int digit : digits) at[static_cast<size_t>(digit)] = 0;
  const Result result = Visit(digits, guards, is_used, at, visit);
  --depth_;
  return result;
}

PointWalks::Result PointWalks::Visit(const std::vector<int>& digits, const Guards& guards,
                                     const std::vector<bool>& is_used, Point& at,
                                     const std::function<bool(Point&)>& visit) const {
  while (true) {
    bool is_inside = true;
    for (size_t i = 0; i < guards.size() && is_inside; ++i) {
      if (is_used[i])
        is_inside = HoldsAt(guards[i].condition, at).value_or(guards[i].holds) == guards[i].holds;
    }
    if (is_inside && !visit(at)) return Result::kStopped;
    size_t place = digits.size();
    while (place > 0) {
      int64_t& now = at[static_cast<size_t>(digits[place - 1])];
      if (++now < terms_.forms().extent(digits[place - 1])) break;
      now = 0;
      --place;
    }
    if (place == 0) return Result::kAll;
  }
}

std::optional<bool> PointWalks::HoldsAt(TermId condition, const Point& at) const {
  const Term& term = terms_.At(condition);
  const auto arg = [&](size_t i) { return HoldsAt(term.args[i], at); };
  if (term.kind == TermKind::kNonneg) return terms_.forms().ValueAt(term.form, at) >= 0;
  if (term.kind == TermKind::kZero) return terms_.forms().ValueAt(term.form, at) == 0;
  if (term.kind == TermKind::kIndex) return terms_.forms().ValueAt(term.form, at) != 0;
  if (term.IsNode(NodeKind::kNot)) {
    const std::optional<bool> holds = arg(0);
    return holds ? std::optional(!*holds) : std::nullopt;
  }
  if (!term.IsNode(NodeKind::kAnd) && !term.IsNode(NodeKind::kOr)) return std::nullopt;
  const bool decides = term.IsNode(NodeKind::kOr);
  const std::optional<bool> first = arg(0);
  const std::optional<bool> second = arg(1);
  if (first == decides || second == decides) return decides;
  return first && second ? std::optional(!decides) : std::nullopt;
}

}  // namespace tenon::check
