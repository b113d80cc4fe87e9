#include "planner/heuristics/track_fit.h"

#include <algorithm>
#include <set>
#include <utility>

#include "planner/heuristics/free_rectangles.h"

namespace tenon::planner {
namespace {

// A class ends at sizes that are smaller than its largest by this part.
constexpr int64_t kClassPart = 64;

class Tracks {
 public:
  explicit Tracks(const Boxes& boxes)
      : boxes_(boxes), top_(boxes.OffsetFrom(0, {.alignment = boxes.unit()})) {}

  std::vector<int64_t> Run() {
    offsets_ = boxes_.OnTheGround();
    const std::vector<int32_t> order = boxes_.Sorted([&](const Box& a, const Box& b) {
      return Stride(a) != Stride(b) ? Stride(a) > Stride(b) : a.duration > b.duration;
    });
    for (auto begin = order.begin(); begin < order.end();) {
      const int64_t most = Stride(boxes_.At(*begin));
      auto end = begin;
      while (end < order.end() && Stride(boxes_.At(*end)) >= most - most / kClassPart) ++end;
      PlaceClass({begin, end});
      begin = end;
    }
    return std::move(offsets_);
  }

 private:
  // With these strides, all offsets are multiples of the largest alignment.
  int64_t Stride(const Box& box) const { return RoundUp(box.size, boxes_.unit()); }

  void PlaceClass(std::vector<int32_t> members) {
    std::stable_sort(members.begin(), members.end(), [&](int32_t a, int32_t b) {
      return boxes_.At(a).duration > boxes_.At(b).duration;
    });
    std::vector<int32_t> rest;
    int64_t height = 0;
    for (int32_t i : members) {
      const Box& box = boxes_.At(i);
      const auto free = free_.Take(box.first, box.end, Stride(box));
      if (!free) {
        rest.push_back(i);
        height = std::max(height, Stride(box));
        continue;
      }
      offsets_[Index(i)] = free->offset;
      free_.Add({free->first, box.first, free->offset, free->height});
      free_.Add({box.end, free->end, free->offset, free->height});
      AddAbove(box, free->offset, free->height);
    }
    AddTracks(std::move(rest), height);
  }

  void AddAbove(const Box& box, int64_t offset, int64_t height) {
    free_.Add({box.first, box.end, offset + Stride(box), height - Stride(box)});
  }

  // Puts each box on the track whose last box ended latest before it, or on a new track.
  void AddTracks(std::vector<int32_t> members, int64_t height) {
    std::stable_sort(members.begin(), members.end(),
                     [&](int32_t a, int32_t b) { return boxes_.At(a).first < boxes_.At(b).first; });
    std::set<std::pair<int32_t, int64_t>> tracks;
    for (int32_t i : members) {
      const Box& box = boxes_.At(i);
      auto track = tracks.upper_bound({box.first, INT64_MAX});
      std::pair<int32_t, int64_t> last = {0, top_};
      if (track == tracks.begin()) {
        top_ += height;
      } else {
        last = *--track;
        tracks.erase(track);
      }
      offsets_[Index(i)] = last.second;
      free_.Add({last.first, box.first, last.second, height});
      AddAbove(box, last.second, height);
      tracks.emplace(box.end, last.second);
    }
    for (const auto& [end, offset] : tracks) free_.Add({end, boxes_.times(), offset, height});
  }

  const Boxes& boxes_;
  FreeRectangles free_;
  // The beginning of the next track.
  int64_t top_;
  std::vector<int64_t> offsets_;
};

}  // namespace

std::vector<int64_t> TrackFit(const Boxes& boxes) { return Tracks(boxes).Run(); }

}  // namespace tenon::planner
