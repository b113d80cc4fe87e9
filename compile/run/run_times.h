#ifndef TENON_COMPILE_RUN_RUN_TIMES_H_
#define TENON_COMPILE_RUN_RUN_TIMES_H_

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tenon {

/// The most runs whose times are kept.
inline constexpr int64_t kMostTimedRuns = 10'000'000;

/// How often a model is to be run, and how long each run took.
struct Runs {
  int64_t count = 1;
  /// Times are wanted; for at most kMostTimedRuns.
  bool timed = false;
  /// The time of each run of the model alone, without compiling, reading and filling inputs.
  std::vector<double> milliseconds;

  /// Calls `run` once, and notes how long it took.
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
/// a line's end. Of an even number the median is the mean of the two in the middle.
std::string RunsJson(const Runs& runs, std::string_view engine, int threads);

}  // namespace tenon

#endif  // TENON_COMPILE_RUN_RUN_TIMES_H_
