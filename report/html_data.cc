#include "report/html_data.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>

#include "absl/container/flat_hash_map.h"
#include "report/labels.h"

namespace tenon {

namespace {

/// The longest lists that the page shows of an explanation.
constexpr size_t kMostShownChanges = 40;
constexpr size_t kMostShownSteps = 40;
constexpr size_t kPageLabel = 28;

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

/// The page's names of columns that differ from the members' names. It does not show the others.
constexpr std::pair<std::string_view, std::string_view> kColumnNames[] = {
    {"kind", "constant"}, {"size_bytes", "size"}, {"constant", "data"},
    {"bytes_read", ""},   {"bytes_written", ""},
};

std::string_view ColumnName(std::string_view key) {
  for (const auto& [member, column] : kColumnNames) {
    if (member == key) return column;
  }
  return key;
}

class Columns {
 public:
  Columns(const std::vector<ReportBuffer>& buffers, JsonWriter& json)
      : buffers_(buffers), json_(json) {}

  void Write() {
    json_.Member("count", buffers_.size());
    ForEachMember<ReportBuffer>([this](const auto& member) {
      const std::string_view name = ColumnName(member.key);
      if (!name.empty()) Add(name, member.field);
    });
    json_.Member("texts", texts_.values());
    json_.Member("shapes", shapes_.values());
  }

 private:
  void Add(std::string_view name, int64_t ReportBuffer::*field) {
    Write(name, [&](const ReportBuffer& b) { return b.*field; });
  }
  void Add(std::string_view name, const KindField<ReportBuffer>& kind) {
    Write(name, [&](const ReportBuffer& b) { return b.*kind.flag ? 1 : 0; });
  }
  void Add(std::string_view name, std::string ReportBuffer::*field) {
    // Few buffers have the same name.
    if (field == &ReportBuffer::name)
      return Write(name, [](const ReportBuffer& b) { return std::string_view(b.name); });
    Write(name, [&](const ReportBuffer& b) { return texts_.IndexOf(b.*field, b.*field); });
  }
  void Add(std::string_view name, std::vector<int64_t> ReportBuffer::*field) {
    Write(name, [&](const ReportBuffer& b) {
      return shapes_.IndexOf(fmt::format("{}", fmt::join(b.*field, ",")), b.*field);
    });
  }
  /// The first live interval has separate columns, since most buffers have no other.
  void Add(std::string_view, std::vector<ReportRange> ReportBuffer::*) {
    const auto first = [](const ReportBuffer& b) {
      return b.ranges.empty() ? ReportRange{-1, 0} : b.ranges[0];
    };
    Write("first", [&](const ReportBuffer& b) { return first(b).lower; });
    Write("ticks", [&](const ReportBuffer& b) {
      const ReportRange range = first(b);
      int64_t ticks = 0;
      return __builtin_sub_overflow(range.upper, range.lower, &ticks) ? INT64_MAX : ticks;
    });
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

  /// Writes a list with `value` of each buffer, or a single value if all are equal.
  template <class F>
  void Write(std::string_view name, const F& value) {
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

  const std::vector<ReportBuffer>& buffers_;
  JsonWriter& json_;
  Pooled<std::string> texts_;
  Pooled<std::vector<int64_t>> shapes_;
};

}  // namespace

std::string HtmlData(const MemoryReport& report, const ReportExtras& extras) {
  ReportExtras shown;
  shown.diff = extras.diff;
  shown.options = extras.options;
  shown.search = extras.search;
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
  json.Key("labels");
  json.BeginObject();
  const ShortLabels labels(report.steps, {.most = kPageLabel, .gap = "\u2026"});
  for (const auto& [label, form] : labels.changed()) json.Member(label, form);
  json.EndObject();
  json.Key("columns");
  json.BeginObject();
  Columns(report.buffers, json).Write();
  json.EndObject();
  json.EndObject();
  return out + "\n";
}

}  // namespace tenon
