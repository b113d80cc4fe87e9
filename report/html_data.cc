#include "report/html_data.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>

#include "absl/container/flat_hash_map.h"
#include "report/report_members.h"
#include "support/json_writer.h"

namespace tenon {

namespace {

/// The longest lists that the page shows of an explanation.
constexpr size_t kMostShownChanges = 40;
constexpr size_t kMostShownSteps = 40;

/// Distinct values, in order of their first use.
template <typename T>
class Pooled {
 public:
  size_t IndexOf(const std::string& key, const T& value) {
    const auto [found, is_new] = indexes_.try_emplace(key, indexes_.size());
    if (is_new) values_.push_back(value);
    return found->second;
  }
  const std::vector<T>& values() const { return values_; }

 private:
  absl::flat_hash_map<std::string, size_t> indexes_;
  std::vector<T> values_;
};

class Columns {
 public:
  Columns(const std::vector<ReportBuffer>& buffers, JsonWriter& json)
      : buffers_(buffers), json_(json) {}

  void Write() {
    Pooled<std::string> texts;
    Pooled<std::vector<int64_t>> shapes;
    const auto text = [&](const std::string& value) { return texts.IndexOf(value, value); };
    const auto first = [](const ReportBuffer& b) {
      return b.ranges.empty() ? ReportRange{-1, 0} : b.ranges[0];
    };
    json_.Member("count", buffers_.size());
    Add("name", [](const ReportBuffer& b) { return std::string_view(b.name); });
    Add("constant", [](const ReportBuffer& b) { return b.is_constant ? 1 : 0; });
    Add("function", [&](const ReportBuffer& b) { return text(b.function); });
    Add("dtype", [&](const ReportBuffer& b) { return text(b.dtype); });
    Add("shape", [&](const ReportBuffer& b) {
      return shapes.IndexOf(fmt::format("{}", fmt::join(b.shape, ",")), b.shape);
    });
    Add("size", [](const ReportBuffer& b) { return b.size_bytes; });
    Add("pool", [&](const ReportBuffer& b) { return text(b.pool); });
    Add("unplaced", [&](const ReportBuffer& b) { return text(b.unplaced); });
    Add("offset", [](const ReportBuffer& b) { return b.offset; });
    Add("first", [&](const ReportBuffer& b) { return first(b).lower; });
    Add("ticks", [&](const ReportBuffer& b) { return first(b).upper - first(b).lower; });
    AddMoreRanges();
    Add("line", [](const ReportBuffer& b) { return b.line; });
    Add("data", [](const ReportBuffer& b) { return b.constant; });
    json_.Member("texts", texts.values());
    json_.Member("shapes", shapes.values());
  }

 private:
  /// Writes a list with `value` of each buffer, or a single value if all are equal.
  template <class F>
  void Add(std::string_view name, const F& value) {
    std::vector<decltype(value(buffers_.front()))> column;
    column.reserve(buffers_.size());
    bool same = !buffers_.empty();
    for (const ReportBuffer& buffer : buffers_) {
      column.push_back(value(buffer));
      same = same && column.back() == column.front();
    }
    json_.Key(name);
    same ? json_.Value(column.front()) : json_.Value(column);
  }

  /// The first live interval has separate columns, since most buffers have no other.
  void AddMoreRanges() {
    json_.Key("more");
    json_.BeginObject();
    for (size_t i = 0; i < buffers_.size(); ++i) {
      const std::vector<ReportRange>& ranges = buffers_[i].ranges;
      if (ranges.size() < 2) continue;
      json_.Key(std::to_string(i));
      json_.List(std::span(ranges).subspan(1), [this](const ReportRange& range) {
        json_.Value(std::vector{range.lower, range.upper});
      });
    }
    json_.EndObject();
  }

  const std::vector<ReportBuffer>& buffers_;
  JsonWriter& json_;
};

}  // namespace

std::string HtmlData(const MemoryReport& report, const ReportExtras& extras) {
  ReportExtras shown;
  shown.diff = extras.diff;
  shown.options = extras.options;
  for (const ReportPool& pool : report.pools) {
    if (!pool.peak) continue;
    PeakWhy why = ExplainPeak(report, pool);
    why.live.clear();  // the peak has it
    why.changes.resize(std::min(why.changes.size(), kMostShownChanges));
    why.steps.resize(std::min(why.steps.size(), kMostShownSteps));
    shown.why.push_back(std::move(why));
  }
  std::string out;
  JsonWriter json(out, JsonLayout::kCompact);
  json.BeginObject();
  WriteReportMembers(report, shown, json);
  json.Key("columns");
  json.BeginObject();
  Columns(report.buffers, json).Write();
  json.EndObject();
  json.EndObject();
  return out + "\n";
}

}  // namespace tenon
