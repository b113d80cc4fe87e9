#include <algorithm>
#include <array>
#include <span>

#include "report/constants.h"
#include "report/extras.h"
#include "report/merge.h"

namespace tenon {

namespace {

/// Writes the parts of a report, in the layout of `json`.
class ReportWriter {
 public:
  ReportWriter(const MemoryReport& report, JsonWriter& json) : report_(report), json_(json) {}

  void Report(const ReportExtras& extras) {
    why_ = extras.why;
    json_.Member("version", kReportVersion);
    ForEachMember<MemoryReport>([&](const auto& member) {
      if (member.key != kBuffers) WriteMember(member, report_);
      if (member.key == "stack" && !extras.options.empty()) WriteValue("options", extras.options);
    });
    if (extras.search) WriteValue("search", *extras.search);
    if (extras.diff == nullptr) return;
    json_.Key("diff");
    Diff(*extras.diff);
  }

  void Buffers() { WriteValue(kBuffers, report_.buffers); }

 private:
  static constexpr std::string_view kBuffers = "buffers";

  template <class T>
  void WriteValue(std::string_view key, const T& value) {
    json_.Key(key);
    Value(value);
  }
  template <class Member, class Struct>
  void WriteMember(const Member& member, const Struct& object) {
    if (!member.IsIn(object)) return;
    const auto& value = member.Get(object);
    json_.Key(member.key);
    if constexpr (requires { value.empty(); }) {
      if (member.presence == Presence::kOrNull && value.empty()) return json_.Null();
    }
    Value(value);
  }
  /// Leaves out the member `except`.
  template <class Struct>
  void Members(const Struct& object, std::string_view except = {}) {
    ForEachMember<Struct>([&](const auto& member) {
      if (member.key != except) WriteMember(member, object);
    });
  }

  template <class T>
  void Value(const T& value) {
    if constexpr (HasMembers<T>) {
      json_.BeginObject();
      Members(value);
      More(value);
      json_.EndObject();
    } else {
      json_.Value(value);
    }
  }
  void Value(const ReportRange& range) { json_.Value(std::vector{range.lower, range.upper}); }
  void Value(const ReportOverlap::Distances& range) {
    json_.Value(std::vector{range.first, range.last});
  }
  template <class T>
  void Value(const std::optional<T>& value) {
    value ? Value(*value) : json_.Null();
  }
  template <class T>
  void Value(const std::vector<T>& items) {
    if constexpr (IsNamed<T>) {
      json_.BeginObject();
      for (const T& item : items) WriteValue(item.name, item);
      json_.EndObject();
    } else {
      json_.List(items, [this](const T& item) { Value(item); });
    }
  }

  /// Writes members that need more than the object.
  template <class T>
  void More(const T&) {}
  void More(const ReportPool& pool) {
    if (pool.is_constant) Members(ConstantBytesOf(report_, pool.name));
    const auto why = std::find_if(why_.rbegin(), why_.rend(), [&](const PeakWhy& explanation) {
      return explanation.pool == pool.name;
    });
    if (why != why_.rend()) WriteValue("why", *why);
  }

  /// Writes the members of a diff, each as a list of both values. An object may be null.
  template <class Struct>
  void Both(const Struct* before, const Struct* after) {
    ForEachMember<Struct>([&](const auto& member) {
      if (!member.rules.in_diff && member.rules.diff.empty()) return;
      json_.Key(member.key);
      json_.List(std::array{before, after}, [&](const Struct* object) {
        object == nullptr ? json_.Null() : Value(member.Get(*object));
      });
    });
  }

  void Diff(const ReportDiff& diff) {
    const MemoryReport& before = diff.before;
    json_.BeginObject();
    json_.Member("before", diff.before_name);
    Both(&before, &report_);
    json_.Key("pools");
    json_.BeginObject();
    for (const PoolChange& change : diff.pools) {
      json_.Key(change.name);
      json_.BeginObject();
      PoolDiff(change.before ? &before.pools[*change.before] : nullptr,
               change.after ? &report_.pools[*change.after] : nullptr);
      json_.EndObject();
    }
    json_.EndObject();
    json_.Member("same", diff.same);
    json_.Key("buffers");
    json_.List(diff.buffers, [&](const BufferChange& change) { BufferDiff(before, change); });
    json_.EndObject();
  }

  void PoolDiff(const ReportPool* before, const ReportPool* after) {
    Both(before, after);
    json_.Key("peak");
    json_.List(std::array{before, after}, [&](const ReportPool* pool) {
      if (pool == nullptr || !pool->peak) return json_.Null();
      json_.BeginObject();
      // The live buffers are indexes into a report, and this text does not contain the old one.
      Members(*pool->peak, pool == after ? "" : "live");
      json_.EndObject();
    });
  }

  void BufferDiff(const MemoryReport& before, const BufferChange& change) {
    json_.BeginObject();
    json_.Member("changes", change.what);
    if (change.before && change.after) json_.Member("matched_by", MatchName(change.matched_by));
    json_.Key("before");
    change.before ? Value(before.buffers[*change.before]) : json_.Null();
    json_.Member("after", change.after);
    json_.EndObject();
  }

  const MemoryReport& report_;
  JsonWriter& json_;
  std::span<const PeakWhy> why_;
};

}  // namespace

void WriteReportMembers(const MemoryReport& report, const ReportExtras& extras, JsonWriter& json) {
  ReportWriter(report, json).Report(extras);
}

std::string ReportJson(const MemoryReport& report) { return ReportJson(report, {}); }

std::string ReportJson(const MemoryReport& report, const ReportExtras& extras) {
  std::string out;
  JsonWriter json(out, JsonLayout::kLines);
  json.BeginObject();
  ReportWriter writer(report, json);
  writer.Report(extras);
  writer.Buffers();
  json.EndObject();
  return out + "\n";
}

}  // namespace tenon
