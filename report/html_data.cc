#include "report/html_data.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "absl/container/flat_hash_map.h"
#include "report/json_tree.h"

namespace tenon {

namespace {

using Json = nlohmann::ordered_json;

/// Longest lists that the page shows of an explanation.
constexpr size_t kMostChanges = 40;
constexpr size_t kMostSteps = 40;

/// Different values, by the order in which they first came.
class Pooled {
 public:
  size_t IndexOf(const std::string& key, const Json& value) {
    const auto [found, is_new] = indexes_.try_emplace(key, indexes_.size());
    if (is_new) values_.push_back(value);
    return found->second;
  }
  Json Take() { return std::move(values_); }

 private:
  absl::flat_hash_map<std::string, size_t> indexes_;
  Json values_ = Json::array();
};

class Columns {
 public:
  explicit Columns(const std::vector<ReportBuffer>& buffers) : buffers_(buffers) {}

  Json Make() {
    Pooled texts;
    Pooled shapes;
    const auto text = [&](const std::string& value) { return texts.IndexOf(value, value); };
    Json more = Json::object();
    for (size_t i = 0; i < buffers_.size(); ++i) {
      // The first stretch has columns of its own: most buffers have no other.
      Json rest = Json::array();
      for (size_t k = 1; k < buffers_[i].ranges.size(); ++k) {
        const ReportRange& range = buffers_[i].ranges[k];
        rest.push_back({range.lower, range.upper});
      }
      if (!rest.empty()) more[std::to_string(i)] = std::move(rest);
    }
    const auto first = [](const ReportBuffer& b) {
      return b.ranges.empty() ? ReportRange{-1, 0} : b.ranges[0];
    };
    Json out{{"count", buffers_.size()}};
    Add(out, "name", [](const ReportBuffer& b) -> Json { return b.name; });
    Add(out, "constant", [](const ReportBuffer& b) -> Json { return b.is_constant ? 1 : 0; });
    Add(out, "function", [&](const ReportBuffer& b) -> Json { return text(b.function); });
    Add(out, "dtype", [&](const ReportBuffer& b) -> Json { return text(b.dtype); });
    Add(out, "shape", [&](const ReportBuffer& b) -> Json {
      return shapes.IndexOf(fmt::format("{}", fmt::join(b.shape, ",")), b.shape);
    });
    Add(out, "size", [](const ReportBuffer& b) -> Json { return b.size_bytes; });
    Add(out, "pool", [&](const ReportBuffer& b) -> Json { return text(b.pool); });
    Add(out, "unplaced", [&](const ReportBuffer& b) -> Json { return text(b.unplaced); });
    Add(out, "offset", [](const ReportBuffer& b) -> Json { return b.offset; });
    Add(out, "first", [&](const ReportBuffer& b) -> Json { return first(b).lower; });
    Add(out, "ticks",
        [&](const ReportBuffer& b) -> Json { return first(b).upper - first(b).lower; });
    out["more"] = std::move(more);
    Add(out, "line", [](const ReportBuffer& b) -> Json { return b.line; });
    Add(out, "data", [](const ReportBuffer& b) -> Json { return b.constant; });
    out["texts"] = texts.Take();
    out["shapes"] = shapes.Take();
    return out;
  }

 private:
  template <class F>
  void Add(Json& out, const char* name, F&& value) const {
    Json column = Json::array();
    bool same = !buffers_.empty();
    for (const ReportBuffer& buffer : buffers_) {
      column.push_back(value(buffer));
      same = same && column.back() == column.front();
    }
    out[name] = same ? Json(column.front()) : std::move(column);
  }

  const std::vector<ReportBuffer>& buffers_;
};

}  // namespace

std::string HtmlData(const MemoryReport& report, const ReportExtras& extras) {
  ReportExtras shown;
  shown.diff = extras.diff;
  for (const ReportPool& pool : report.pools) {
    if (!pool.peak) continue;
    PeakWhy why = ExplainPeak(report, pool);
    why.live.clear();  // the peak has it
    why.changes.resize(std::min(why.changes.size(), kMostChanges));
    why.steps.resize(std::min(why.steps.size(), kMostSteps));
    shown.why.push_back(std::move(why));
  }
  Json tree = ReportTree(report, shown);
  tree["columns"] = Columns(report.buffers).Make();
  return tree.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace tenon
