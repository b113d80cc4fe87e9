#include <gtest/gtest.h>

#include <cstdlib>

#include "random_nests.h"

namespace tenon {
namespace {

uint64_t Number(const char* name, uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

/// The number of exact ends of the closed form.
struct Share {
  int equal = 0;
  int all = 0;
  double value() const { return all == 0 ? 1 : static_cast<double>(equal) / all; }
};

/// The end of the safe range that begins at the least distance, and the beginning of the safe range
/// that ends at the greatest.
struct Ends {
  int64_t natural = 0;
  int64_t reversed = 0;
  bool operator==(const Ends&) const = default;
};

template <class F>
Ends EndsOf(int64_t low, int64_t high, F&& is_safe) {
  Ends ends{low, high};
  while (ends.natural < high && is_safe(ends.natural + 1)) ++ends.natural;
  while (ends.reversed > low && is_safe(ends.reversed - 1)) --ends.reversed;
  return ends;
}

class Tally {
 public:
  void Check(uint64_t seed) {
    const NestText nest = RandomNest(seed);
    DistanceJudge judge(nest);
    const std::string again =
        "again with TENON_RANDOM_FIRST=" + std::to_string(seed) + " TENON_RANDOM_COUNT=1\n";
    ASSERT_TRUE(judge.ok()) << again << judge.Messages();
    const SafeDistances closed = judge.ClosedForm();
    const auto trace = judge.Trace();
    ASSERT_TRUE(trace.ok()) << again << trace.status() << judge.Messages();
    const int64_t low = -judge.BegunBytes();
    const int64_t high = judge.DyingBytes();
    // If there are many distances, runs only check those near the ends of the trace and every
    // kStep-th one.
    const Ends form = EndsOf(low, high, [&](int64_t d) { return closed.Contains(d); });
    const Ends traced = EndsOf(low, high, [&](int64_t d) { return trace->IsSafe(0, 1, d); });
    for (int64_t d = low - 1; d <= high + 1; ++d) {
      ASSERT_TRUE(!closed.Contains(d) || trace->IsSafe(0, 1, d))
          << again << "the closed form allows " << d << "\n"
          << judge.Messages();
      const bool is_near = std::abs(d - traced.natural) < 2 || std::abs(d - traced.reversed) < 2;
      if (high - low > kAll && !is_near && d % kStep != 0) continue;
      ASSERT_EQ(trace->IsSafe(0, 1, d), judge.RunsAt(d)) << again << d << "\n" << judge.Messages();
    }
    ++natural.all;
    ++reversed.all;
    natural.equal += form.natural == traced.natural ? 1 : 0;
    reversed.equal += form.reversed == traced.reversed ? 1 : 0;
  }

  Share natural;
  Share reversed;

 private:
  static constexpr int64_t kAll = 48;
  static constexpr int64_t kStep = 7;
};

// TENON_RANDOM_FIRST and TENON_RANDOM_COUNT select the seeds.
TEST(RandomDistances, ClosedFormTraceAndRunsAgree) {
  const uint64_t first = Number("TENON_RANDOM_FIRST", 1);
  const uint64_t count = Number("TENON_RANDOM_COUNT", 300);
  Tally tally;
  for (uint64_t seed = first; seed < first + count; ++seed) {
    tally.Check(seed);
    if (HasFatalFailure()) return;
  }
  RecordProperty("natural", fmt::format("{:.3f}", tally.natural.value()));
  fmt::print("natural ends equal: {} of {}, reversed: {}\n", tally.natural.equal, tally.natural.all,
             tally.reversed.equal);
  if (count < 100) return;
  EXPECT_GE(tally.natural.value(), 0.9);
  EXPECT_GE(tally.reversed.value(), 0.9);
}

}  // namespace
}  // namespace tenon
