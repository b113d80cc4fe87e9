#include "compile/run/run_times.h"

#include <algorithm>

#include "support/json_writer.h"

namespace tenon {

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
    json.Member("median_ms", (sorted[(count - 1) / 2] + sorted[count / 2]) / 2);
    json.Member("min_ms", sorted.front());
    json.Member("max_ms", sorted.back());
  }
  json.EndObject();
  return out + "\n";
}

}  // namespace tenon
