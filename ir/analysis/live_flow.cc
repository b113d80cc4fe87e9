#include "ir/analysis/live_flow.h"

#include <algorithm>

#include "support/check.h"

namespace tenon::liveness_internal {

namespace {

/// One bit per byte range.
using Mask = uint64_t;
constexpr Mask kAll = ~Mask{0};

/// The backward transfer function of statements: in = gen | (pass & out).
struct Transfer {
  Mask gen = 0;
  Mask pass = kAll;

  Mask operator()(Mask out) const { return gen | (pass & out); }
  /// Composes the functions of these statements and of `next`, which run after them.
  void Append(const Transfer& next) {
    gen |= pass & next.gen;
    pass &= next.pass;
  }
};

/// Divides the bytes into ranges at the ends of overwrites. If that gives too many ranges, all
/// bytes are one range, and only overwrites of the whole allocation count.
class Stretches {
 public:
  Stretches(const std::vector<Access>& accesses, int64_t size) : size_(size) {
    for (const Access& access : accesses) {
      if (access.overwritten.empty()) continue;
      for (const int64_t at : {access.overwritten.first, access.overwritten.end}) {
        if (0 < at && at < size) cuts_.push_back(at);
      }
    }
    std::sort(cuts_.begin(), cuts_.end());
    cuts_.erase(std::unique(cuts_.begin(), cuts_.end()), cuts_.end());
    if (cuts_.size() >= static_cast<size_t>(kMostStretches)) cuts_.clear();
  }

  Mask Touching(const ByteRange& bytes) const {
    if (bytes.empty()) return 0;
    return Bits(CutsUpTo(bytes.first), CutsUpTo(bytes.end - 1) + 1);
  }
  /// The ranges that `bytes` contains completely.
  Mask Within(const ByteRange& bytes) const {
    if (bytes.empty()) return 0;
    const size_t begin = bytes.first <= 0 ? 0 : CutsUpTo(bytes.first - 1) + 1;
    const size_t end = bytes.end >= size_ ? cuts_.size() + 1 : CutsUpTo(bytes.end);
    return begin < end ? Bits(begin, end) : 0;
  }

 private:
  size_t CutsUpTo(int64_t byte) const {
    return static_cast<size_t>(std::upper_bound(cuts_.begin(), cuts_.end(), byte) - cuts_.begin());
  }
  /// Range i ends at cut i; the last range ends at the end of the allocation.
  static Mask Bits(size_t begin, size_t end) {
    TENON_DCHECK(begin < end && end <= static_cast<size_t>(kMostStretches));
    const size_t count = end - begin;
    return (count >= static_cast<size_t>(kMostStretches) ? kAll : (Mask{1} << count) - 1) << begin;
  }

  int64_t size_;
  std::vector<int64_t> cuts_;
};

class Flow {
 public:
  Flow(const std::vector<Region>& regions, int32_t root_depth, const std::vector<Access>& accesses,
       int64_t size)
      : regions_(regions),
        root_depth_(root_depth),
        accesses_(accesses),
        stretches_(accesses, size) {}

  std::vector<LiveRange> Run() {
    Summarise();
    GoBackward();
    GoForward();
    return Merged();
  }

 private:
  /// An access, or a region that contains accesses. Regions come after their contents.
  struct Node {
    int32_t region = -1;  ///< -1: an access
    int32_t access = -1;
    /// Index of the first node in it; an access's own index.
    int32_t first = 0;
    Transfer transfer;
    /// The transfer functions of the body, and of a while loop's condition.
    Transfer inner;
    Transfer condition;
    /// The ranges that are touched in it.
    Mask touched = 0;
    /// Live at its end and its start.
    Mask out = 0;
    Mask in = 0;
  };
  /// An open region, or the root.
  struct Open {
    int32_t region = -1;
    int32_t first = 0;
    Transfer inner;
    Transfer condition;
    Mask touched = 0;
    int arms = 0;
  };
  /// A node whose children are being visited.
  struct Place {
    int32_t node = -1;
    /// Backward: live before the nodes visited so far. Forward: touched before this point.
    Mask state = 0;
    int64_t cursor = 0;
  };

  RegionKind KindOf(int32_t region) const {
    return region < 0 ? RegionKind::kBody : regions_[static_cast<size_t>(region)].kind;
  }
  Node& At(int32_t index) {
    TENON_DCHECK(index >= 0 && static_cast<size_t>(index) < nodes_.size());
    return nodes_[static_cast<size_t>(index)];
  }
  const Region& RegionOf(const Node& node) const {
    return regions_[static_cast<size_t>(node.region)];
  }

  /// Builds the nodes and their transfer functions.
  void Summarise() {
    open_.push_back({});
    for (size_t i = 0; i < accesses_.size(); ++i) {
      const Access& access = accesses_[i];
      EnterRegionsOf(access.region);
      Node node;
      node.access = static_cast<int32_t>(i);
      node.first = static_cast<int32_t>(nodes_.size());
      node.transfer.gen = stretches_.Touching(access.read);
      const Mask overwritten = stretches_.Within(access.overwritten);
      node.transfer.pass = ~overwritten;
      // A write to an unknown part may touch any range.
      const bool known = !access.read.empty() || !access.overwritten.empty();
      if (!known) {
        node.touched = kAll;
      } else if (access.start < access.end) {
        node.touched = node.transfer.gen | stretches_.Touching(access.overwritten);
      }
      Add(node);
    }
    while (open_.size() > 1) CloseRegion();
    TENON_CHECK(open_.size() == 1);
  }

  void EnterRegionsOf(int32_t region) {
    entering_.clear();
    const auto depth = [&](int32_t r) {
      return static_cast<size_t>(regions_[static_cast<size_t>(r)].depth - root_depth_);
    };
    // Stops at an open region, which is in `open_` at the index of its depth.
    while (region >= 0 && regions_[static_cast<size_t>(region)].depth >= root_depth_) {
      const size_t place = depth(region) + 1;
      if (place < open_.size() && open_[place].region == region) break;
      entering_.push_back(region);
      region = regions_[static_cast<size_t>(region)].parent;
    }
    const bool below = region >= 0 && regions_[static_cast<size_t>(region)].depth >= root_depth_;
    const size_t keep = below ? depth(region) + 2 : 1;
    while (open_.size() > keep) CloseRegion();
    for (size_t i = entering_.size(); i-- > 0;) {
      Open open;
      open.region = entering_[i];
      open.first = static_cast<int32_t>(nodes_.size());
      if (KindOf(open.region) == RegionKind::kBranch) open.inner = {0, 0};
      open_.push_back(open);
    }
  }

  void CloseRegion() {
    TENON_CHECK(open_.size() > 1);
    const Open open = open_.back();
    open_.pop_back();
    Node node;
    node.region = open.region;
    node.first = open.first;
    node.touched = open.touched;
    node.inner = open.inner;
    node.condition = open.condition;
    node.transfer = open.inner;
    switch (KindOf(open.region)) {
      case RegionKind::kMaybeLoop:
        node.transfer.pass = kAll;
        break;
      case RegionKind::kBranch:
        if (open.arms < 2) node.transfer.pass = kAll;
        break;
      case RegionKind::kWhile:
        // After the condition comes the end, or the body and the condition again.
        node.transfer = {open.condition.gen | (open.condition.pass & open.inner.gen),
                         open.condition.pass};
        break;
      default:
        break;
    }
    Add(node);
  }

  void Add(const Node& node) {
    Open& parent = open_.back();
    parent.touched |= node.touched;
    switch (KindOf(parent.region)) {
      case RegionKind::kBranch:
        parent.inner.gen |= node.transfer.gen;
        parent.inner.pass |= node.transfer.pass;
        ++parent.arms;
        break;
      case RegionKind::kWhile:
        (KindOf(node.region) == RegionKind::kCondition ? parent.condition : parent.inner) =
            node.transfer;
        break;
      default:
        parent.inner.Append(node.transfer);
        break;
    }
    nodes_.push_back(node);
  }

  /// The ranges that are live at the end of a region's last statement.
  Mask TailOf(const Node& node) const {
    switch (KindOf(node.region)) {
      case RegionKind::kLoop:
      case RegionKind::kMaybeLoop:
        return node.out | node.inner.gen;
      case RegionKind::kWhile:
        return node.in;
      default:
        return node.out;
    }
  }

  void GoBackward() {
    std::vector<Place> places;
    places.push_back({});
    for (auto i = static_cast<int32_t>(nodes_.size()); i-- > 0;) {
      while (places.size() > 1 && At(places.back().node).first > i) places.pop_back();
      Place& place = places.back();
      Node& node = At(i);
      node.out = place.state;
      if (place.node >= 0) {
        const Node& parent = At(place.node);
        if (KindOf(parent.region) == RegionKind::kBranch) {
          node.out = parent.out;
        } else if (KindOf(parent.region) == RegionKind::kWhile) {
          node.out = KindOf(node.region) == RegionKind::kCondition
                         ? parent.out | parent.inner(parent.in)
                         : parent.in;
        }
      }
      node.in = node.transfer(node.out);
      place.state = node.in;
      if (node.region >= 0) places.push_back({i, TailOf(node), 0});
    }
  }

  void GoForward() {
    // The regions that begin with each node, outermost first.
    std::vector<int32_t> next(nodes_.size(), -1);
    std::vector<int32_t> begins(nodes_.size(), -1);
    for (size_t i = 0; i < nodes_.size(); ++i) {
      if (nodes_[i].region < 0) continue;
      const auto first = static_cast<size_t>(nodes_[i].first);
      next[i] = begins[first];
      begins[first] = static_cast<int32_t>(i);
    }
    std::vector<Place> places;
    places.push_back({});
    for (int32_t i = 0; i < static_cast<int32_t>(nodes_.size()); ++i) {
      for (int32_t region = begins[static_cast<size_t>(i)]; region >= 0;
           region = next[static_cast<size_t>(region)]) {
        EnterForward(places, region);
      }
      Node& node = At(i);
      if (node.region >= 0) {
        const Place done = places.back();
        TENON_CHECK(done.node == i);
        const Region& region = RegionOf(node);
        Live(done.cursor, region.end, TailOf(node) & done.state);
        places.pop_back();
        Advance(places.back(), node, region.end);
      } else {
        const Access& access = accesses_[static_cast<size_t>(node.access)];
        Gap(places.back(), node, access.start);
        Live(access.start, access.end, kAll);
        Advance(places.back(), node, access.end);
      }
    }
  }

  void EnterForward(std::vector<Place>& places, int32_t index) {
    const Node& node = At(index);
    const Region& region = RegionOf(node);
    Gap(places.back(), node, region.start);
    Mask touched = places.back().state;
    // Ranges that one iteration touches have been touched before the next one.
    if (region.kind == RegionKind::kLoop || region.kind == RegionKind::kMaybeLoop ||
        region.kind == RegionKind::kWhile) {
      touched |= node.touched;
    }
    places.push_back({index, touched, region.start});
  }

  /// Handles the time before a child.
  void Gap(const Place& place, const Node& child, int64_t until) {
    Mask live = child.in;
    if (place.node >= 0) {
      const Node& parent = At(place.node);
      if (KindOf(parent.region) == RegionKind::kBranch) live = parent.out;
      if (KindOf(parent.region) == RegionKind::kWhile) live = parent.in;
    }
    Live(place.cursor, until, live & place.state);
  }
  void Advance(Place& place, const Node& child, int64_t end) {
    place.cursor = std::max(place.cursor, end);
    const bool arms = place.node >= 0 && KindOf(At(place.node).region) == RegionKind::kBranch;
    if (!arms) place.state |= child.touched;
  }

  void Live(int64_t from, int64_t until, Mask bytes) {
    if (bytes == 0 || from >= until) return;
    if (!ranges_.empty() && ranges_.back().upper >= from && ranges_.back().lower <= from) {
      ranges_.back().upper = std::max(ranges_.back().upper, until);
    } else {
      ranges_.push_back({from, until});
    }
  }

  std::vector<LiveRange> Merged() {
    std::sort(ranges_.begin(), ranges_.end(),
              [](const LiveRange& a, const LiveRange& b) { return a.lower < b.lower; });
    std::vector<LiveRange> merged;
    for (const LiveRange& range : ranges_) {
      if (!merged.empty() && merged.back().upper >= range.lower) {
        merged.back().upper = std::max(merged.back().upper, range.upper);
      } else {
        merged.push_back(range);
      }
    }
    return merged;
  }

  const std::vector<Region>& regions_;
  const int32_t root_depth_;
  const std::vector<Access>& accesses_;
  const Stretches stretches_;
  std::vector<Node> nodes_;
  std::vector<Open> open_;
  std::vector<int32_t> entering_;
  std::vector<LiveRange> ranges_;
};

}  // namespace

std::vector<LiveRange> FlowOf(const std::vector<Region>& regions, int32_t root_depth,
                              const std::vector<Access>& accesses, int64_t size) {
  return Flow(regions, root_depth, accesses, size).Run();
}

}  // namespace tenon::liveness_internal
