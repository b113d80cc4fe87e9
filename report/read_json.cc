#include "report/read_json.h"

#include <fmt/format.h>

#include <string>
#include <type_traits>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "support/json_checks.h"

namespace tenon {

namespace {

constexpr size_t kMostValues = 3'000'000;
constexpr size_t kMostNamed = 1000;
constexpr int kMostDepth = 16;
/// Larger than any memory or clock; sums of a few such values do not overflow.
constexpr int64_t kMost = (int64_t{1} << 60) - 1;

class ReportReader {
 public:
  ReportReader(const SourceFile& file, Diagnostics& diagnostics)
      : diagnostics_(diagnostics), checks_(file, diagnostics) {}

  std::optional<MemoryReport> Read() {
    const size_t errors = diagnostics_.error_count();
    JsonLimits limits;
    limits.max_bytes = kMostReportBytes;
    limits.max_values = kMostValues;
    limits.max_depth = kMostDepth;
    const std::optional<JsonValue> root = checks_.Parse(limits);
    if (!root) return std::nullopt;
    if (CheckVersion(*root) && Read(*root, {"the text"}, report_)) {
      CheckSteps(*root);
      CheckOverlaps(*root);
    }
    if (diagnostics_.error_count() != errors) return std::nullopt;
    for (ReportPool& pool : report_.pools) {
      std::optional<ReportPeak> written = std::exchange(pool.peak, std::nullopt);
      if (!pool.is_constant) FindPeak(report_, pool);
      if (!pool.peak || !written || written->tick != pool.peak->tick) continue;
      pool.peak->statement = std::move(written->statement);
      pool.peak->line = written->line;
    }
    return std::move(report_);
  }

 private:
  /// The name of a value in messages, and the limits of a number.
  struct Expected {
    std::string name;
    int64_t least = 0;
    int64_t most = kMost;
  };

  bool CheckVersion(const JsonValue& root) {
    if (root.as_object() == nullptr) return WrongType(root, {"the text"}, "an object");
    const JsonValue* version = root.Find("version");
    if (version == nullptr) {
      checks_.Error(DiagnosticKind::kArguments, root.offset(),
                    "the object has no `version`, so it is not what `tenon report --json` writes");
      return false;
    }
    if (version->as_int64() != kReportVersion) {
      checks_.Error(DiagnosticKind::kUnsupported, version->offset(),
                    fmt::format("a report of another version, expected {}", kReportVersion));
      return false;
    }
    if (root.Find("source") == nullptr && root.Find("entry") == nullptr) {
      checks_.Error(DiagnosticKind::kArguments, root.offset(),
                    "expected what `tenon report --json` writes, found an object without `source` "
                    "and `entry`; `tenon plan` reads planning problems and plans");
      return false;
    }
    return true;
  }

  /// Returns false.
  bool WrongType(const JsonValue& value, const Expected& expected, std::string_view type) const {
    checks_.WrongType(expected.name, value, type);
    return false;
  }

  /// Returns false after an error.
  bool Read(const JsonValue& value, const Expected& expected, int64_t& to) {
    const std::optional<int64_t> number =
        checks_.Integer(expected.name, value, expected.least, expected.most);
    to = number.value_or(0);
    return number.has_value();
  }
  /// An index; CheckIndex looks whether the element exists.
  bool Read(const JsonValue& value, const Expected& expected, size_t& to) {
    int64_t index = 0;
    const bool ok = Read(value, expected, index);
    to = static_cast<size_t>(index);
    return ok;
  }
  bool Read(const JsonValue& value, const Expected& expected, std::string& to) {
    if (value.as_string() == nullptr) return WrongType(value, expected, "a string");
    to = *value.as_string();
    return true;
  }
  bool Read(const JsonValue& value, const Expected& expected, bool& to) {
    const std::optional<bool> flag = checks_.Bool(expected.name, value);
    to = flag.value_or(false);
    return flag.has_value();
  }
  bool Read(const JsonValue& value, const Expected&, ReportRange& to) {
    const JsonValue::Array* ends = value.as_array();
    if (ends == nullptr || ends->size() != 2) {
      checks_.Error(DiagnosticKind::kType, value.offset(),
                    "a stretch of time is not `[first, end]`");
      return false;
    }
    if (!Read((*ends)[0], {"a tick"}, to.lower) || !Read((*ends)[1], {"a tick"}, to.upper))
      return false;
    if (to.lower < to.upper) return true;
    checks_.Error(DiagnosticKind::kArguments, value.offset(),
                  "a stretch of time ends before it begins");
    return false;
  }
  /// Null means unbounded.
  bool Read(const JsonValue& value, const Expected&, ReportOverlap::Distances& to) {
    const JsonValue::Array* ends = value.as_array();
    if (ends == nullptr || ends->size() != 2) return WrongType(value, {"a range"}, "an array of 2");
    const Expected distance{"a distance", -kMost};
    return ((*ends)[0].is_null() || Read((*ends)[0], distance, to.first.emplace())) &&
           ((*ends)[1].is_null() || Read((*ends)[1], distance, to.last.emplace()));
  }
  template <class T>
  bool Read(const JsonValue& value, const Expected& expected, std::optional<T>& to) {
    return Read(value, expected, to.emplace());
  }
  template <HasMembers T>
  bool Read(const JsonValue& value, const Expected& expected, T& to) {
    if (value.as_object() == nullptr) return WrongType(value, expected, "an object");
    const size_t errors = diagnostics_.error_count();
    ForEachMember<T>([&](const auto& member) { ReadMember(value, member, to); });
    if (diagnostics_.error_count() != errors) return false;
    Check(value, to);
    return diagnostics_.error_count() == errors;
  }
  template <class T>
  bool Read(const JsonValue& value, const Expected& expected, std::vector<T>& to) {
    const JsonValue::Array* items = checks_.List(expected.name, value);
    if (items == nullptr) return false;
    const Expected item = ItemOf<T>(expected.name);
    bool ok = true;
    for (const JsonValue& element : *items) ok &= Read(element, item, to.emplace_back());
    return ok;
  }
  template <IsNamed T>
  bool Read(const JsonValue& value, const Expected& expected, std::vector<T>& to) {
    const JsonValue::Object* members = value.as_object();
    if (members == nullptr) return WrongType(value, expected, "an object");
    if (members->size() > kMostNamed) {
      checks_.Error(DiagnosticKind::kLimit, (*members)[kMostNamed].key_offset,
                    fmt::format("more than {} members of {}", kMostNamed, expected.name));
      return false;
    }
    const Expected item = ItemOf<T>(expected.name);
    bool ok = true;
    for (const JsonMember& member : *members) {
      to.emplace_back().name = member.key;
      ok &= Read(member.value, item, to.back());
    }
    return ok;
  }

  /// The elements of the list `name`: `a pool` of "`pools`".
  template <class T>
  static Expected ItemOf(std::string_view name) {
    // -1 is an extent that is not constant.
    if (std::is_same_v<T, int64_t>) return {"an extent", -1};
    if (!name.ends_with("s`")) return {fmt::format("an element of {}", name)};
    const std::string_view one = name.substr(1, name.size() - 3);
    return {fmt::format("{} {}", std::string_view("aeio").find(one[0]) < 4 ? "an" : "a", one)};
  }

  template <class Struct, class Field, bool is_read>
  void ReadMember(const JsonValue& object, const ReportMember<Struct, Field, is_read>& member,
                  Struct& to) {
    if constexpr (is_read) {
      if (member.when != nullptr && !member.when(to)) return;
      const bool is_nullable = member.presence == Presence::kOrNull;
      const bool is_required = member.presence == Presence::kRequired || is_nullable;
      const JsonValue* value = object.Find(member.key);
      if (value == nullptr && is_required)
        checks_.Error(DiagnosticKind::kArguments, object.offset(),
                      fmt::format("no member `{}`", member.key));
      if (value == nullptr || (is_nullable && value->is_null())) return;
      // Only required numbers are parts of sums that may overflow.
      ReadField(*value, {fmt::format("`{}`", member.key), 0, is_required ? kMost : INT64_MAX},
                member.field, to);
    }
  }
  template <class Struct, class Value>
  void ReadField(const JsonValue& value, const Expected& expected, Value Struct::*field,
                 Struct& to) {
    Read(value, expected, to.*field);
  }
  template <class Struct>
  void ReadField(const JsonValue& value, const Expected& expected, const KindField<Struct>& kind,
                 Struct& to) {
    std::string text;
    if (!Read(value, expected, text)) return;
    to.*kind.flag = text == kind.yes;
    if (text == kind.yes || text == kind.no) return;
    checks_.Error(DiagnosticKind::kArguments, value.offset(),
                  fmt::format("{} is `{}`, expected `{}` or `{}`", expected.name, ShownText(text),
                              kind.no, kind.yes));
  }

  /// Checks the relations of a struct to others. They precede it in the list of members.
  template <class T>
  void Check(const JsonValue&, T&) {}

  void Check(const JsonValue& value, ReportPool& pool) { Count(value, pool.size_bytes); }

  void Check(const JsonValue& value, ReportTensor& tensor) { Count(value, tensor.size_bytes); }

  void Check(const JsonValue& value, ReportStep& step) {
    const size_t count = report_.steps.size();
    if (count < 2 || step.range.lower >= report_.steps[count - 2].range.upper) return;
    checks_.Error(DiagnosticKind::kArguments, value.Find("live")->offset(),
                  "a step begins before the last one ends");
  }

  void Check(const JsonValue& value, ReportBuffer& buffer) {
    if (buffer.constant >= 0)
      CheckIndex(value, "constant", static_cast<size_t>(buffer.constant), report_.constants.size());
    for (size_t i = 0; i < buffer.ranges.size(); ++i) {
      const JsonValue& stretch = (*value.Find("live")->as_array())[i];
      Count(stretch, buffer.size_bytes);
      if (i == 0 || buffer.ranges[i].lower >= buffer.ranges[i - 1].upper) continue;
      checks_.Error(DiagnosticKind::kArguments, stretch.offset(),
                    "a stretch of time begins before the last one ends");
    }
    if (buffer.pool.empty()) return;
    if (pool_of_.empty()) {
      for (size_t i = 0; i < report_.pools.size(); ++i) pool_of_[report_.pools[i].name] = i;
    }
    const auto found = pool_of_.find(buffer.pool);
    if (found != pool_of_.end()) {
      ++report_.pools[found->second].buffers;
    } else {
      checks_.Error(DiagnosticKind::kUndefinedName, value.Find("pool")->offset(),
                    fmt::format("no pool is called `{}`", ShownText(buffer.pool)));
    }
  }

  /// Checks the buffers and tensors of the steps, which follow in the text.
  void CheckSteps(const JsonValue& root) {
    const JsonValue* list = root.Find("steps");
    for (size_t i = 0; i < report_.steps.size(); ++i) {
      const JsonValue& value = (*list->as_array())[i];
      const ReportStep& step = report_.steps[i];
      CheckIndexes(value, "reads", step.reads, report_.buffers.size());
      CheckIndexes(value, "writes", step.writes, report_.buffers.size());
      CheckIndexes(value, "scratch", step.scratch, report_.buffers.size());
      CheckIndexes(value, "inputs", step.inputs, report_.tensors.size());
      CheckIndexes(value, "outputs", step.outputs, report_.tensors.size());
    }
  }

  void CheckIndexes(const JsonValue& object, std::string_view key,
                    const std::vector<size_t>& indexes, size_t count) {
    for (size_t i = 0; i < indexes.size(); ++i) {
      if (indexes[i] < count) continue;
      const JsonValue& element = (*object.Find(key)->as_array())[i];
      checks_.Error(DiagnosticKind::kUndefinedName, element.offset(),
                    fmt::format("an element of `{}` is {}, of {}", key, indexes[i], count));
    }
  }

  /// Checks the overlaps, whose buffers follow in the text. Leaves out those that share nothing.
  void CheckOverlaps(const JsonValue& root) {
    const JsonValue* list = root.Find("overlaps");
    if (list == nullptr) return;
    std::vector<ReportOverlap> overlaps;
    for (size_t i = 0; i < report_.overlaps.size(); ++i) {
      const JsonValue& value = (*list->as_array())[i];
      ReportOverlap& overlap = report_.overlaps[i];
      const size_t buffers = report_.buffers.size();
      const bool dying = CheckIndex(value, "dying", overlap.dying, buffers);
      const bool begun = CheckIndex(value, "begun", overlap.begun, buffers);
      if (dying && begun && FindShared(report_, overlap)) overlaps.push_back(std::move(overlap));
    }
    report_.overlaps = std::move(overlaps);
  }

  /// Whether the member `key` of `object` is less than `count`.
  bool CheckIndex(const JsonValue& object, std::string_view key, size_t index, size_t count) {
    if (index < count) return true;
    checks_.Error(DiagnosticKind::kUndefinedName, object.Find(key)->offset(),
                  fmt::format("`{}` is {}, of {} {}s", key, index, count,
                              key == "constant" ? "constant" : "buffer"));
    return false;
  }

  /// Adds to a sum and reports an overflow.
  void Count(const JsonValue& where, int64_t bytes) {
    sum_ += bytes;
    if (sum_ <= kMost) return;
    checks_.Error(DiagnosticKind::kLimit, where.offset(),
                  fmt::format("more than {} bytes in all", kMost));
    sum_ = 0;
  }

  Diagnostics& diagnostics_;
  const JsonChecks checks_;
  MemoryReport report_;
  absl::flat_hash_map<std::string, size_t> pool_of_;
  int64_t sum_ = 0;
};

}  // namespace

std::optional<MemoryReport> ReadReportJson(SourceManager& sources, std::string_view name,
                                           std::string_view text, std::shared_ptr<const void> owner,
                                           Diagnostics& diagnostics) {
  // A text over the limit is not read: its line table alone may fill the memory.
  const bool too_large = text.size() > kMostReportBytes;
  const size_t size = text.size();
  if (too_large) text = text.substr(0, 100);
  const SourceFile* const file = AddSource(sources, name, text, std::move(owner), diagnostics);
  if (file == nullptr) return std::nullopt;
  if (too_large) {
    diagnostics.Error(
        DiagnosticKind::kLimit, {file->base(), file->base() + 1},
        fmt::format("{} bytes, more than the {} that a report may have", size, kMostReportBytes));
    return std::nullopt;
  }
  return ReportReader(*file, diagnostics).Read();
}

}  // namespace tenon
