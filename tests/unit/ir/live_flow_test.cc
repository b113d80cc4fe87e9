#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "ir/analysis/live_slots.h"

namespace tenon::liveness_internal {
namespace {

constexpr int64_t kSize = 16;
constexpr ByteRange kWhole{0, kSize};

/// A random program on one allocation, as regions and accesses, and as a graph of its ticks.
class Program {
 public:
  explicit Program(uint64_t seed) : random_(seed) {
    ends_ = {NewTick(-1, {})};
    slot_ = slots_.Open(0, kSize, true);
    Sequence(-1, 0, 3);
    recorded = slots_.Close(Now());
    exit_ = NewTick(-1, ends_);
  }

  std::vector<Region> regions;
  std::vector<Access> accesses;
  /// The result of Slots for the same program.
  std::vector<LiveRange> recorded;

  std::string Text() const {
    std::string text;
    for (const Region& region : regions) {
      text += fmt::format("\nregion {} in {} [{}, {})", static_cast<int>(region.kind),
                          region.parent, region.start, region.end);
    }
    for (const Access& access : accesses) {
      text += fmt::format("\naccess in {} [{}, {}) reads [{}, {}) overwrites [{}, {})",
                          access.region, access.start, access.end, access.read.first,
                          access.read.end, access.overwritten.first, access.overwritten.end);
    }
    return text;
  }

  /// The reference result: a tick is live if, for some byte range, a path from an access reaches it
  /// and a path leads from it to a read without an overwrite in between.
  std::set<int64_t> LiveTicks() const {
    std::set<int64_t> cuts = {0, kSize};
    for (const Access& access : accesses) {
      if (access.overwritten.empty()) continue;
      cuts.insert({access.overwritten.first, access.overwritten.end});
    }
    std::set<int64_t> live;
    for (const Tick& tick : ticks_) {
      if (tick.access >= 0 && tick.time >= 0) live.insert(tick.time);
    }
    for (auto cut = cuts.begin(); std::next(cut) != cuts.end(); ++cut) {
      const ByteRange bytes{*cut, *std::next(cut)};
      std::vector<bool> needed = Backward(bytes);
      std::vector<bool> touched = Forward(bytes);
      for (size_t tick = 0; tick < ticks_.size(); ++tick) {
        if (needed[tick] && touched[tick] && ticks_[tick].time >= 0) live.insert(ticks_[tick].time);
      }
    }
    return live;
  }

 private:
  /// A tick, or the beginning of a loop, which takes no time.
  struct Tick {
    int access = -1;
    int64_t time = -1;
    std::vector<int> before;
  };

  int Below(int bound) { return static_cast<int>(random_() % static_cast<unsigned>(bound)); }

  int NewTick(int access, std::vector<int> before) {
    ticks_.push_back({access, now_++, std::move(before)});
    return static_cast<int>(ticks_.size()) - 1;
  }
  int NewHead() {
    ticks_.push_back({-1, -1, ends_});
    ends_ = {static_cast<int>(ticks_.size()) - 1};
    return ends_[0];
  }
  int64_t Now() const { return now_; }

  int32_t Enter(RegionKind kind, int32_t parent, int32_t depth) {
    slots_.EnterRegion(kind, Now());
    regions.push_back({kind, parent, depth, Now(), 0});
    return static_cast<int32_t>(regions.size()) - 1;
  }
  void Leave(int32_t region) {
    regions[static_cast<size_t>(region)].end = Now();
    slots_.LeaveRegion(Now());
  }

  void Sequence(int32_t region, int32_t depth, int budget) {
    for (int count = Below(budget + 1) + (depth == 0 ? 2 : 0); count > 0; --count) {
      switch (depth < 4 ? Below(8) : Below(4)) {
        case 0:
          ends_ = {NewTick(-1, ends_)};
          break;
        case 4:
          Loop(region, depth, false);
          break;
        case 5:
          Loop(region, depth, true);
          break;
        case 6:
          While(region, depth);
          break;
        case 7:
          Branch(region, depth);
          break;
        default:
          UseSome(region);
      }
    }
  }

  void UseSome(int32_t region) {
    Access access;
    access.region = region;
    access.start = Now();
    access.end = access.start + 1 + Below(2);
    const auto bytes = [&] {
      if (Below(2) == 0) return kWhole;
      const int64_t first = Below(4) * 4;
      return ByteRange{first, std::min(first + 4 * (1 + Below(3)), kSize)};
    };
    const int kind = Below(7);
    if (kind < 3 || kind == 6) access.read = bytes();
    if (kind == 3 || kind == 4 || kind == 6) access.overwritten = bytes();
    if (kind == 4 && Below(2) == 0) {
      access.end = access.start;
      ticks_[static_cast<size_t>(NewHead())].access = static_cast<int>(accesses.size());
    }
    for (int64_t tick = access.start; tick < access.end; ++tick) {
      ends_ = {NewTick(static_cast<int>(accesses.size()), ends_)};
    }
    accesses.push_back(access);
    slots_.Add(slot_, access);
  }

  void Loop(int32_t parent, int32_t depth, bool maybe) {
    const std::vector<int> before = ends_;
    const int32_t region = Enter(maybe ? RegionKind::kMaybeLoop : RegionKind::kLoop, parent, depth);
    const int head = NewHead();
    Sequence(region, depth + 1, 2);
    const int back = NewTick(-1, ends_);
    ticks_[static_cast<size_t>(head)].before.push_back(back);
    ends_ = {back};
    if (maybe) ends_.insert(ends_.end(), before.begin(), before.end());
    Leave(region);
  }

  void While(int32_t parent, int32_t depth) {
    const int32_t region = Enter(RegionKind::kWhile, parent, depth);
    const int32_t condition = Enter(RegionKind::kCondition, region, depth + 1);
    const int head = NewHead();
    ends_ = {NewTick(-1, ends_)};
    Sequence(condition, depth + 2, 1);
    Leave(condition);
    const std::vector<int> decided = ends_;
    const int32_t body = Enter(RegionKind::kBody, region, depth + 1);
    Sequence(body, depth + 2, 2);
    const int back = NewTick(-1, ends_);
    ticks_[static_cast<size_t>(head)].before.push_back(back);
    Leave(body);
    Leave(region);
    ends_ = decided;
  }

  void Branch(int32_t parent, int32_t depth) {
    const std::vector<int> before = ends_;
    std::vector<int> after;
    const int32_t region = Enter(RegionKind::kBranch, parent, depth);
    for (int i = 0; i < 2; ++i) {
      ends_ = before;
      const int32_t arm = Enter(RegionKind::kArm, region, depth + 1);
      if (Below(3) > 0) Sequence(arm, depth + 2, 2);
      Leave(arm);
      after.insert(after.end(), ends_.begin(), ends_.end());
    }
    Leave(region);
    ends_ = after;
  }

  const Access* Starting(size_t tick) const {
    if (ticks_[tick].access < 0) return nullptr;
    const Access& access = accesses[static_cast<size_t>(ticks_[tick].access)];
    const int64_t time = ticks_[tick].time;
    return time < 0 || access.start == time ? &access : nullptr;
  }

  /// Whether `bytes` are needed at the start of each tick.
  std::vector<bool> Backward(const ByteRange& bytes) const {
    std::vector<bool> needed(ticks_.size());
    std::vector<bool> behind(ticks_.size());
    for (bool changed = true; changed;) {
      changed = false;
      for (size_t tick = ticks_.size(); tick-- > 0;) {
        const Access* access = Starting(tick);
        bool now = behind[tick];
        if (access != nullptr) {
          if (access->overwritten.Covers(bytes)) now = false;
          const ByteRange& read = access->read;
          if (read.first < bytes.end && bytes.first < read.end) now = true;
        }
        changed |= now != needed[tick];
        needed[tick] = now;
        if (!now) continue;
        for (const int before : ticks_[tick].before) {
          changed |= !behind[static_cast<size_t>(before)];
          behind[static_cast<size_t>(before)] = true;
        }
      }
    }
    return needed;
  }

  /// Whether `bytes` may have been touched before the start of each tick.
  std::vector<bool> Forward(const ByteRange& bytes) const {
    std::vector<bool> touched(ticks_.size());
    for (bool changed = true; changed;) {
      changed = false;
      for (size_t tick = 0; tick < ticks_.size(); ++tick) {
        bool now = false;
        for (const int before : ticks_[tick].before) {
          now |= touched[static_cast<size_t>(before)] || Touches(before, bytes);
        }
        changed |= now != touched[tick];
        touched[tick] = now;
      }
    }
    return touched;
  }
  bool Touches(int tick, const ByteRange& bytes) const {
    const int index = ticks_[static_cast<size_t>(tick)].access;
    if (index < 0) return false;
    const Access& access = accesses[static_cast<size_t>(index)];
    if (access.start == access.end) return false;
    const auto meets = [&](const ByteRange& range) {
      return range.first < bytes.end && bytes.first < range.end;
    };
    const bool known = !access.read.empty() || !access.overwritten.empty();
    return !known || meets(access.read) || meets(access.overwritten);
  }

  std::mt19937_64 random_;
  Slots slots_;
  int32_t slot_ = 0;
  std::vector<Tick> ticks_;
  int64_t now_ = 0;
  /// The predecessors of the next tick.
  std::vector<int> ends_;
  int exit_ = 0;
};

std::vector<std::pair<int64_t, int64_t>> Pairs(const std::vector<LiveRange>& ranges) {
  std::vector<std::pair<int64_t, int64_t>> pairs;
  for (const LiveRange& range : ranges) pairs.emplace_back(range.lower, range.upper);
  return pairs;
}

TEST(LiveFlowTest, IsWhatPathsSay) {
  int holes = 0;
  for (uint64_t seed = 1; seed <= 20000; ++seed) {
    const Program program(seed);
    std::set<int64_t> got;
    const std::vector<LiveRange> ranges = FlowOf(program.regions, 0, program.accesses, kSize);
    for (size_t i = 0; i < ranges.size(); ++i) {
      ASSERT_LT(ranges[i].lower, ranges[i].upper);
      if (i > 0) {
        ASSERT_LT(ranges[i - 1].upper, ranges[i].lower);
      }
      for (int64_t tick = ranges[i].lower; tick < ranges[i].upper; ++tick) got.insert(tick);
    }
    ASSERT_EQ(got, program.LiveTicks()) << "seed " << seed << program.Text();
    ASSERT_EQ(Pairs(program.recorded), Pairs(ranges)) << "seed " << seed << program.Text();
    holes += ranges.size() > 1 ? 1 : 0;
  }
  EXPECT_GT(holes, 2000);
}

TEST(LiveFlowTest, NothingIsLiveWithoutAccesses) { EXPECT_TRUE(FlowOf({}, 0, {}, kSize).empty()); }

// More parts than are tracked separately: only overwrites of the whole allocation count.
TEST(LiveFlowTest, ManyPartsAreOne) {
  const auto make = [](int64_t parts) {
    std::vector<Access> accesses = {{0, 1, -1, kWhole, {}}};
    for (int64_t i = 0; i < parts; ++i) {
      accesses.push_back({10 + 2 * i, 11 + 2 * i, -1, {}, {i, i + 1}});
    }
    accesses.push_back({1000, 1001, -1, {0, parts}, {}});
    return FlowOf({}, 0, accesses, parts);
  };
  EXPECT_EQ(make(64).size(), 2u);
  EXPECT_EQ(make(65).size(), 1u);
}

}  // namespace
}  // namespace tenon::liveness_internal
