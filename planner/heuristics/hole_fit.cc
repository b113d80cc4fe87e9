#include "planner/heuristics/hole_fit.h"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <utility>

#include "planner/heuristics/placed_boxes.h"
#include "support/check.h"

namespace tenon::planner {
namespace {

// The boxes that overlap a hole's time, binned by height so that only few of them are sorted.
class Stacked {
 public:
  /// The lowest place for `box` among the boxes that overlap its time; `peak` is the highest end.
  int64_t LowestHole(const std::vector<PlacedBox>& all, const Boxes& boxes, const Box& box,
                     int64_t peak) {
    Deal(all, peak);
    int64_t offset = boxes.OffsetFrom(0, box);
    for (size_t bin = 0; bin < kBins; ++bin) {
      const auto first = dealt_.begin() + begins_[bin];
      const auto end = dealt_.begin() + begins_[bin + 1];
      std::sort(first, end);
      for (auto it = first; it < end; ++it) {
        if (it->first >= offset + box.size) return offset;
        if (it->second > offset) offset = boxes.OffsetFrom(it->second, box);
      }
    }
    return offset;
  }

 private:
  static constexpr size_t kBins = 64;

  void Deal(const std::vector<PlacedBox>& all, int64_t peak) {
    const auto bits = static_cast<int>(std::bit_width(static_cast<uint64_t>(peak)));
    const int shift = std::max(0, bits - 6);
    begins_.fill(0);
    for (const PlacedBox& one : all) ++begins_[static_cast<size_t>(one.bottom >> shift) + 1];
    std::partial_sum(begins_.begin(), begins_.end(), begins_.begin());
    std::array<int32_t, kBins + 1> next = begins_;
    dealt_.resize(all.size());
    for (const PlacedBox& one : all) {
      dealt_[Index(next[static_cast<size_t>(one.bottom >> shift)]++)] = {one.bottom, one.top};
    }
  }

  std::vector<std::pair<int64_t, int64_t>> dealt_;
  std::array<int32_t, kBins + 1> begins_{};
};

class Holes {
 public:
  explicit Holes(const Boxes& boxes) : boxes_(boxes), placed_(boxes) {}

  std::vector<int64_t> Run(const std::vector<int32_t>& order, const std::vector<int64_t>& fixed) {
    std::vector<int64_t> offsets = boxes_.OnTheGround();
    TENON_CHECK(fixed.empty() || fixed.size() == offsets.size());
    for (int32_t i : boxes_.fixed()) Add(i, offsets[Index(i)]);
    const auto is_fixed = [&](int32_t i) { return !fixed.empty() && fixed[Index(i)] >= 0; };
    for (int32_t i : order) {
      if (!is_fixed(i)) continue;
      offsets[Index(i)] = fixed[Index(i)];
      Add(i, fixed[Index(i)]);
    }
    for (int32_t i : order) {
      if (is_fixed(i)) continue;
      near_.clear();
      placed_.Gather(i, &near_);
      offsets[Index(i)] = stacked_.LowestHole(near_, boxes_, boxes_.At(i), peak_);
      Add(i, offsets[Index(i)]);
    }
    return offsets;
  }

 private:
  void Add(int32_t i, int64_t offset) {
    peak_ = std::max(peak_, offset + boxes_.At(i).size);
    placed_.Add(i, offset);
  }

  const Boxes& boxes_;
  PlacedBoxes placed_;
  std::vector<PlacedBox> near_;
  Stacked stacked_;
  int64_t peak_ = 0;
};

}  // namespace

std::vector<int64_t> HoleFit(const Boxes& boxes, const std::vector<int32_t>& order,
                             const std::vector<int64_t>& fixed) {
  return Holes(boxes).Run(order, fixed);
}

}  // namespace tenon::planner
