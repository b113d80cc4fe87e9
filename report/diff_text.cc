#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <type_traits>

#include "report/constants.h"
#include "report/diff.h"
#include "report/merge.h"
#include "report/text_table.h"
#include "report/why.h"

namespace tenon {

namespace {

/// The longest list shown on a terminal.
constexpr size_t kMostDiffRows = 40;

std::string Signed(int64_t value) { return (value > 0 ? "+" : "") + GroupedDigits(value); }

class DiffPrinter {
 public:
  DiffPrinter(const ReportDiff& diff, const MemoryReport& after)
      : diff_(diff), before_(diff.before), after_(after) {}

  std::string Print() {
    out_ =
        fmt::format("{}, entry {}, against {}\n", after_.source, after_.entry, diff_.before_name);
    if (before_.algorithm != after_.algorithm)
      out_ += fmt::format("planned by {}, before by {}\n", Name(after_.algorithm),
                          Name(before_.algorithm));
    AddSizes();
    for (const PoolChange& pool : diff_.pools) AddPeak(pool);
    AddSummary();
    AddBuffers();
    return std::move(out_);
  }

 private:
  static std::string_view Name(const std::string& algorithm) {
    return algorithm.empty() ? "others" : std::string_view(algorithm);
  }

  static void AddRow(std::string_view what, std::optional<int64_t> before,
                     std::optional<int64_t> after, TextTable& table) {
    const int64_t change = after.value_or(0) - before.value_or(0);
    table.Add({std::string(what), before ? GroupedDigits(*before) : "-",
               after ? GroupedDigits(*after) : "-", change == 0 ? "" : Signed(change),
               change == 0 || !before || *before == 0
                   ? ""
                   : fmt::format("{:+.1f} %", Percent(change, *before))});
  }

  /// Adds the numbers that have a name in diffs. An object may be null.
  template <class Struct>
  static void AddRows(const std::string& name, const Struct* before, const Struct* after,
                      TextTable& table) {
    ForEachMember<Struct>([&](const auto& member) {
      using Value = std::decay_t<decltype(member.Get(*after))>;
      if constexpr (std::is_same_v<Value, int64_t>) {
        if (member.rules.diff.empty()) return;
        std::optional<int64_t> from;
        std::optional<int64_t> to;
        if (before != nullptr) from = member.Get(*before);
        if (after != nullptr) to = member.Get(*after);
        AddRow(fmt::format(fmt::runtime(member.rules.diff), name), from, to, table);
      }
    });
  }

  void AddSizes() {
    TextTable table("<>>>>");
    table.Add({"bytes", "before", "after", "change"});
    for (const PoolChange& pool : diff_.pools) {
      AddRows(pool.name, pool.before ? &before_.pools[*pool.before] : nullptr,
              pool.after ? &after_.pools[*pool.after] : nullptr, table);
    }
    AddRows("", &before_, &after_, table);
    out_ += '\n';
    table.Write(out_);
  }

  static void AddPeakRow(std::string_view when, const MemoryReport& report, const ReportPool& pool,
                         TextTable& table) {
    if (!pool.peak) return;
    const PeakWhy why = ExplainPeak(report, pool);
    table.Add({std::string(when), GroupedDigits(pool.peak->live_bytes),
               fmt::format("live at {}", MomentText(report, ShortLabels(report), why.at))});
  }

  void AddPeak(const PoolChange& pool) {
    TextTable table("<><");
    if (pool.before) AddPeakRow("before", before_, before_.pools[*pool.before], table);
    if (pool.after) AddPeakRow("after", after_, after_.pools[*pool.after], table);
    std::string lines;
    table.Write(lines);
    if (!lines.empty()) out_ += fmt::format("\npeak of {}\n{}", pool.name, lines);
  }

  void AddSummary() {
    std::vector<std::string_view> kinds = {"appeared", "vanished",  "grew",
                                           "shrank",   "rewritten", "retyped"};
    ForEachMember<ReportBuffer>([&](const auto& member) {
      if (!member.rules.diff.empty()) kinds.push_back(member.rules.diff);
    });
    kinds.insert(kinds.end(), {"moved", "renamed"});
    std::vector<std::string> parts{fmt::format("{} as before", diff_.same)};
    for (const std::string_view kind : kinds) {
      const auto count = std::count_if(
          diff_.buffers.begin(), diff_.buffers.end(), [&](const BufferChange& change) {
            return std::find(change.what.begin(), change.what.end(), kind) != change.what.end();
          });
      if (count > 0)
        parts.push_back(fmt::format("{} {}", count, kind == "pool" ? "changed pool" : kind));
    }
    out_ += fmt::format("\nbuffers and constants: {}\n", fmt::join(parts, ", "));
    AddMatches();
  }

  /// The way in which buffers were matched, if not all match by name.
  void AddMatches() {
    int64_t by[3] = {diff_.same, 0, 0};
    for (const BufferChange& change : diff_.buffers) {
      if (change.before && change.after) ++by[static_cast<size_t>(change.matched_by)];
    }
    if (by[1] + by[2] == 0) return;
    out_ += fmt::format("matched by function and name {}, by function and shape {}, by shape {}\n",
                        by[0], by[1], by[2]);
  }

  const ReportBuffer* Before(const BufferChange& change) const {
    return change.before ? &before_.buffers[*change.before] : nullptr;
  }
  const ReportBuffer* After(const BufferChange& change) const {
    return change.after ? &after_.buffers[*change.after] : nullptr;
  }
  int64_t Growth(const BufferChange& change) const {
    const ReportBuffer* before = Before(change);
    const ReportBuffer* after = After(change);
    return (after == nullptr ? 0 : after->size_bytes) -
           (before == nullptr ? 0 : before->size_bytes);
  }

  static std::string Bytes(const ReportBuffer* buffer) {
    return buffer == nullptr ? "-" : GroupedDigits(buffer->size_bytes);
  }
  static std::string Place(const ReportBuffer* buffer, bool with_pool) {
    if (buffer == nullptr) return "-";
    if (buffer->pool.empty()) return "in place";
    return (with_pool ? buffer->pool + "+" : "") + GroupedDigits(buffer->offset);
  }

  void AddBuffers() {
    if (diff_.buffers.empty()) return;
    // The largest changes of size first, then in program order.
    std::vector<const BufferChange*> rows;
    for (const BufferChange& change : diff_.buffers) rows.push_back(&change);
    std::stable_sort(rows.begin(), rows.end(), [&](const BufferChange* a, const BufferChange* b) {
      return std::abs(Growth(*a)) > std::abs(Growth(*b));
    });
    TextTable table("<<>>>><");
    table.Add({"what", "changed", "bytes before", "after", "offset before", "after", "function"});
    for (size_t i = 0; i < std::min(rows.size(), kMostDiffRows); ++i) {
      const ReportBuffer* before = Before(*rows[i]);
      const ReportBuffer* after = After(*rows[i]);
      const ReportBuffer& one = after != nullptr ? *after : *before;
      std::string what = fmt::format("{}", fmt::join(rows[i]->what, ", "));
      if (before != nullptr && after != nullptr && before->name != after->name)
        what += fmt::format(" from {}", before->name);
      const bool pools = before != nullptr && after != nullptr && before->pool != after->pool;
      table.Add({one.name, std::move(what), Bytes(before), Bytes(after), Place(before, pools),
                 Place(after, pools), one.function});
    }
    out_ += '\n';
    table.Write(out_);
    if (rows.size() > kMostDiffRows)
      out_ += fmt::format("  and {} more\n", rows.size() - kMostDiffRows);
  }

  const ReportDiff& diff_;
  const MemoryReport& before_;
  const MemoryReport& after_;
  std::string out_;
};

}  // namespace

std::string DiffText(const ReportDiff& diff, const MemoryReport& after) {
  return DiffPrinter(diff, after).Print();
}

}  // namespace tenon
