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
  /// The time of external functions so far, which a run increases; null if it is not measured.
  const double* external = nullptr;
  /// The part of each run's time that external functions took, if measured.
  std::vector<double> external_milliseconds;

  /// Calls `run` once, and records its time.
  template <class F>
  auto Time(F&& run) {
    const double external_before = external == nullptr ? 0 : *external;
    const auto start = std::chrono::steady_clock::now();
    auto result = run();
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
    if (timed) milliseconds.push_back(took.count());
    if (timed && external != nullptr) external_milliseconds.push_back(*external - external_before);
    return result;
  }
};

/// `{"engine": "c", "threads": 1, "count": 10, "median_ms": 0.5, "min_ms": 0.4, "max_ms": 0.9}` and
/// a line end. The median of an even number of runs is the mean of the middle two.
/// With times of external functions, also the medians `external_ms` and `host_ms`.
std::string RunsJson(const Runs& runs, std::string_view engine, int threads);

/// `host 0.07 ms (6.9 %), external functions 0.95 ms, medians of 100 runs`. Needs times of external
/// functions.
std::string ExternalTimesText(const Runs& runs);

}  // namespace tenon

#endif  // TENON_COMPILE_RUN_RUN_TIMES_H_
