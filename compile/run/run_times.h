#ifndef TENON_COMPILE_RUN_RUN_TIMES_H_
#define TENON_COMPILE_RUN_RUN_TIMES_H_

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tenon {

/// The limit on runs with recorded times.
inline constexpr int64_t kMostTimedRuns = 10'000'000;

/// The number of runs of a model, and the time of each.
struct Runs {
  int64_t count = 1;
  /// True to record times; only up to kMostTimedRuns.
  bool timed = false;
  /// The time of each run of the model alone, without compiling, reading and filling inputs.
  std::vector<double> milliseconds;

  /// Calls `run` once, and records its time.
  template <class F>
  auto Time(F&& run) {
    const auto start = std::chrono::steady_clock::now();
    auto result = run();
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
    if (timed) milliseconds.push_back(took.count());
    return result;
  }
};

/// `{"engine": "c", "threads": 1, "count": 10, "median_ms": 0.5, "min_ms": 0.4, "max_ms": 0.9}` and
/// a line end. The median of an even number of runs is the mean of the middle two.
std::string RunsJson(const Runs& runs, std::string_view engine, int threads);

}  // namespace tenon

#endif  // TENON_COMPILE_RUN_RUN_TIMES_H_
