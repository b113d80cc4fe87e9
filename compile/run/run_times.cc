#include "compile/run/run_times.h"

#include <fmt/format.h>

#include <algorithm>

#include "support/json_writer.h"

namespace tenon {

namespace {

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return (values[(values.size() - 1) / 2] + values[values.size() / 2]) / 2;
}

/// The time of each run without that of external functions.
std::vector<double> HostMilliseconds(const Runs& runs) {
  std::vector<double> host;
  for (size_t i = 0; i < runs.external_milliseconds.size(); ++i)
    host.push_back(std::max(runs.milliseconds[i] - runs.external_milliseconds[i], 0.0));
  return host;
}

}  // namespace

std::string RunsJson(const Runs& runs, std::string_view engine, int threads) {
  std::vector<double> sorted = runs.milliseconds;
  std::sort(sorted.begin(), sorted.end());
  const size_t count = sorted.size();
  std::string out;
  JsonWriter json(out);
  json.BeginObject();
  json.Member("engine", engine);
  json.Member("threads", threads);
  json.Member("count", count);
  if (count > 0) {
    json.Member("median_ms", Median(sorted));
    json.Member("min_ms", sorted.front());
    json.Member("max_ms", sorted.back());
  }
  if (!runs.external_milliseconds.empty()) {
    json.Member("external_ms", Median(runs.external_milliseconds));
    json.Member("host_ms", Median(HostMilliseconds(runs)));
  }
  json.EndObject();
  return out + "\n";
}

std::string ExternalTimesText(const Runs& runs) {
  const double host = Median(HostMilliseconds(runs));
  const double external = Median(runs.external_milliseconds);
  const size_t count = runs.external_milliseconds.size();
  const double all = host + external;
  return fmt::format("host {:.4g} ms ({:.1f} %), external functions {:.4g} ms{}", host,
                     all > 0 ? 100 * host / all : 0, external,
                     count == 1 ? "" : fmt::format(", medians of {} runs", count));
}

}  // namespace tenon
