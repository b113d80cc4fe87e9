#include "compile/run/run_times.h"

#include <fmt/format.h>

#include <algorithm>

namespace tenon {

std::string RunsJson(const Runs& runs, std::string_view engine, int threads) {
  std::vector<double> sorted = runs.milliseconds;
  std::sort(sorted.begin(), sorted.end());
  const size_t count = sorted.size();
  std::string times;
  if (count > 0) {
    times = fmt::format(R"(, "median_ms": {}, "min_ms": {}, "max_ms": {})",
                        (sorted[(count - 1) / 2] + sorted[count / 2]) / 2, sorted.front(),
                        sorted.back());
  }
  return fmt::format("{{\"engine\": \"{}\", \"threads\": {}, \"count\": {}{}}}\n", engine, threads,
                     count, times);
}

}  // namespace tenon
