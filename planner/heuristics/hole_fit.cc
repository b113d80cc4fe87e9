#include "planner/heuristics/hole_fit.h"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <utility>

#include "support/check.h"

namespace tenon::planner {
namespace {

// Slots of the lowest level have 2^3 times, and each level has slots of 2^2 below it.
constexpr int kLowestShift = 3;
constexpr int kShiftStep = 2;
// A box is kept at the lowest level at which it touches no more slots than this.
constexpr size_t kMaxSlots = 10;

// What overlaps a hole's time, dealt out by height so that little of it has to be sorted.
class Stacked {
 public:
  void Clear() { all_.clear(); }
  void Add(int64_t bottom, int64_t top) { all_.emplace_back(bottom, top); }

  /// The lowest place for `box`; nothing lies higher than `peak`.
  int64_t LowestHole(const Boxes& boxes, const Box& box, int64_t peak) {
    Deal(peak);
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

  void Deal(int64_t peak) {
    const auto bits = static_cast<int>(std::bit_width(static_cast<uint64_t>(peak)));
    const int shift = std::max(0, bits - 6);
    begins_.fill(0);
    for (const auto& [bottom, top] : all_) ++begins_[static_cast<size_t>(bottom >> shift) + 1];
    std::partial_sum(begins_.begin(), begins_.end(), begins_.begin());
    std::array<int32_t, kBins + 1> next = begins_;
    dealt_.resize(all_.size());
    for (const auto& one : all_) {
      dealt_[Index(next[static_cast<size_t>(one.first >> shift)]++)] = one;
    }
  }

  std::vector<std::pair<int64_t, int64_t>> all_;
  std::vector<std::pair<int64_t, int64_t>> dealt_;
  std::array<int32_t, kBins + 1> begins_{};
};

class Holes {
 public:
  explicit Holes(const Boxes& boxes) : boxes_(boxes) {
    int shift = kLowestShift;
    do {
      levels_.push_back({shift, {}});
      levels_.back().slots.resize(Index(boxes.times() >> shift) + 1);
      shift += kShiftStep;
    } while (levels_.back().slots.size() > kMaxSlots);
  }

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
      stacked_.Clear();
      for (const LifeSpan& life : boxes_.Lives(i)) Gather(life);
      offsets[Index(i)] = stacked_.LowestHole(boxes_, boxes_.At(i), peak_);
      Add(i, offsets[Index(i)]);
    }
    return offsets;
  }

 private:
  struct Placed {
    LifeSpan life;
    int64_t bottom;
    int64_t top;
  };
  struct Level {
    int shift;
    std::vector<std::vector<Placed>> slots;

    size_t Slot(int32_t time) const { return Index(time >> shift); }
  };

  void Add(int32_t i, int64_t offset) {
    const int64_t top = offset + boxes_.At(i).size;
    peak_ = std::max(peak_, top);
    for (const LifeSpan& life : boxes_.Lives(i)) AddLife({life, offset, top});
  }

  void AddLife(const Placed& placed) {
    for (Level& level : levels_) {
      const size_t first = level.Slot(placed.life.first);
      const size_t last = level.Slot(placed.life.end - 1);
      if (last - first >= kMaxSlots) continue;
      for (size_t s = first; s <= last; ++s) level.slots[s].push_back(placed);
      return;
    }
    TENON_UNREACHABLE();  // the last level has no more slots than a life may take
  }

  void Gather(const LifeSpan& life) {
    for (const Level& level : levels_) {
      const size_t begin = level.Slot(life.first);
      const size_t last = level.Slot(life.end - 1);
      for (size_t s = begin; s <= last; ++s) {
        for (const Placed& placed : level.slots[s]) {
          // What touches several slots counts in the first that is looked at.
          if (std::max(level.Slot(placed.life.first), begin) != s) continue;
          if (placed.life.Meets(life)) stacked_.Add(placed.bottom, placed.top);
        }
      }
    }
  }

  const Boxes& boxes_;
  std::vector<Level> levels_;
  Stacked stacked_;
  int64_t peak_ = 0;
};

}  // namespace

std::vector<int64_t> HoleFit(const Boxes& boxes, const std::vector<int32_t>& order,
                             const std::vector<int64_t>& fixed) {
  return Holes(boxes).Run(order, fixed);
}

}  // namespace tenon::planner
