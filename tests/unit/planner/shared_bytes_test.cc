// What pairs of buffers can share, and the lower bounds that follow.

#include "planner/problem/shared_bytes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "planner/check/checker.h"
#include "planner/problem/bound.h"
#include "tests/unit/planner/problems.h"

namespace tenon::planner {
namespace {

Relation Difference(int32_t a, int32_t b, std::vector<DifferenceRange> allowed) {
  return {.kind = RelationKind::kOffsetDifference, .a = a, .b = b, .allowed = std::move(allowed)};
}

class RandomRelations {
 public:
  explicit RandomRelations(uint32_t seed) : random_(seed) {}

  int64_t Between(int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random_);
  }
  // Some differences, and those that keep the two apart.
  std::vector<DifferenceRange> Ranges(int64_t a, int64_t b) {
    std::vector<DifferenceRange> ranges = {{INT64_MIN, -b}, {a, INT64_MAX}};
    for (int64_t count = Between(0, 2); count > 0; --count) {
      const int64_t first = Between(-b - 4, a + 4);
      ranges.push_back({first, first + Between(0, 6)});
    }
    return ranges;
  }

 private:
  std::mt19937 random_;
};

bool Allows(const Relation& relation, int64_t difference) {
  return std::any_of(relation.allowed.begin(), relation.allowed.end(), [&](const auto& range) {
    return range.first <= difference && difference <= range.last;
  });
}

TEST(SharedBytes, AreThoseOfTheBestDifference) {
  RandomRelations random(1);
  for (int round = 0; round < 2000; ++round) {
    const int64_t alignment = int64_t{1} << random.Between(0, 3);
    const int64_t a = random.Between(1, 30);
    const int64_t b = random.Between(1, 30);
    Problem problem = IntervalProblem({{0, 9, a}, {0, 9, b}});
    const Relation relation = Difference(0, 1, random.Ranges(a, b));
    const int64_t up_a = (a + alignment - 1) / alignment * alignment;
    const int64_t up_b = (b + alignment - 1) / alignment * alignment;
    int64_t most = 0;
    for (int64_t d = -80 / alignment * alignment; d <= 80; d += alignment) {
      if (!Allows(relation, d)) continue;
      most = std::max(most, std::min(up_a, d + up_b) - std::max<int64_t>(0, d));
    }
    EXPECT_EQ(MostSharedBytes(problem, relation, alignment), most) << a << ' ' << b;
  }
}

TEST(SharedBytes, AreSubtractedAtOneTime) {
  // A convolution that writes over the end of its input, with scratch that both meet.
  Problem problem =
      IntervalProblem({{24, 61, 49152}, {34, 74, 123008}, {36, 60, 496}, {38, 54, 16}});
  for (Buffer& buffer : problem.buffers) buffer.alignment = 16;
  problem.relations = {Difference(0, 1, {{INT64_MIN, -123008}, {33008, INT64_MAX}})};
  const LowerBound bound = ComputeLowerBounds(problem)[0];
  EXPECT_EQ(bound.bytes, 33008 + 123008 + 496 + 16);
  EXPECT_EQ(bound.live.size(), 4u);
  EXPECT_EQ(bound.kind, BoundKind::kLive);
  auto plan = PlanMemory(problem, "optimal");
  ASSERT_TRUE(plan.ok());
  EXPECT_TRUE(plan->proven_optimal);
  EXPECT_TRUE(CheckPlan(problem, *plan).ok()) << CheckPlan(problem, *plan).message;
  // A bound of one byte more is refused.
  ++plan->pools[0].lower_bound.bytes;
  EXPECT_EQ(CheckPlan(problem, *plan).fault, PlanFault::kWitness);
}

// The least size of a pool, by all offsets.
class LeastSize {
 public:
  explicit LeastSize(const Problem& problem) : problem_(problem) {
    for (const Buffer& buffer : problem.buffers) best_ += buffer.size + buffer.alignment;
  }
  int64_t Find() {
    Place(0, 0);
    return best_;
  }

 private:
  void Place(size_t next, int64_t end) {
    if (end >= best_) return;
    if (next == problem_.buffers.size()) {
      best_ = end;
      return;
    }
    const Buffer& buffer = problem_.buffers[next];
    for (int64_t offset = 0; offset + buffer.size < best_; offset += buffer.alignment) {
      offsets_.push_back(offset);
      if (Fits()) Place(next + 1, std::max(end, offset + buffer.size));
      offsets_.pop_back();
    }
  }
  // Whether the last one placed may be there. All buffers are live together.
  bool Fits() const {
    const size_t b = offsets_.size() - 1;
    for (size_t a = 0; a < b; ++a) {
      const int64_t difference = offsets_[b] - offsets_[a];
      const bool apart =
          difference >= problem_.buffers[a].size || -difference >= problem_.buffers[b].size;
      const auto related = std::find_if(problem_.relations.begin(), problem_.relations.end(),
                                        [&](const Relation& relation) {
                                          return Index(relation.a) == a && Index(relation.b) == b;
                                        });
      if (related == problem_.relations.end() ? !apart : !Allows(*related, difference))
        return false;
    }
    return true;
  }

  const Problem& problem_;
  std::vector<int64_t> offsets_;
  int64_t best_ = 0;
};

TEST(SharedBytes, BoundsAreNeverAboveTheLeastSize) {
  RandomRelations random(2);
  int met = 0;
  constexpr int kRounds = 200;
  for (int round = 0; round < kRounds; ++round) {
    const int64_t count = random.Between(2, 4);
    Problem problem = IntervalProblem({});
    for (int64_t i = 0; i < count; ++i) {
      problem.buffers.push_back(LiveBuffer(std::string(1, static_cast<char>('a' + i)),
                                           random.Between(1, 12), 0, 9,
                                           int64_t{1} << random.Between(0, 2)));
    }
    for (int32_t a = 0; a < count; ++a) {
      for (int32_t b = a + 1; b < count; ++b) {
        if (random.Between(0, 2) != 0) continue;
        problem.relations.push_back(Difference(
            a, b, random.Ranges(problem.buffers[Index(a)].size, problem.buffers[Index(b)].size)));
      }
    }
    const int64_t least = LeastSize(problem).Find();
    const int64_t bound = ComputeLowerBounds(problem)[0].bytes;
    ASSERT_LE(bound, least) << "round " << round;
    met += bound == least ? 1 : 0;
    const auto plan = PlanMemory(problem, "optimal");
    ASSERT_TRUE(plan.ok());
    ASSERT_TRUE(CheckPlan(problem, *plan).ok()) << CheckPlan(problem, *plan).message;
    EXPECT_EQ(plan->pools[0].size, least) << "round " << round;
  }
  EXPECT_GT(met, kRounds / 2);
}

}  // namespace
}  // namespace tenon::planner
