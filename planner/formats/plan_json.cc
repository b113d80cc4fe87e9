#include "planner/formats/plan_json.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "planner/formats/plan_json_base.h"
#include "planner/formats/plan_json_relations.h"

namespace tenon {

namespace {

constexpr std::array<std::string_view, 7> kRoot = {
    "version", "pools", "groups", "buffers", "relations", "conflicts", "memory_pressure"};
constexpr std::array<std::string_view, 6> kPool = {"name",        "capacity", "alignment",
                                                   "base_offset", "kind",     "cost"};
constexpr std::array<std::string_view, 5> kCost = {"clock_hz", "read_bytes_per_cycle",
                                                   "write_bytes_per_cycle", "read_latency_cycles",
                                                   "write_latency_cycles"};
constexpr std::array<std::string_view, 11> kBuffer = {
    "id",     "size",  "alignment", "kind",       "lifetimes",    "gaps",
    "offset", "pools", "groups",    "bytes_read", "bytes_written"};
class ProblemReader : PlanJsonBase {
 public:
  ProblemReader(const JsonChecks& checks, const std::vector<planner::Pool>& pools,
                Diagnostics& diagnostics)
      : PlanJsonBase(checks), pools_given_(pools), diagnostics_(diagnostics), relations_(checks) {}

  std::optional<PlanFile> Read() {
    const size_t errors = diagnostics_.error_count();
    const std::optional<JsonValue> root = checks_.Parse(
        PlanJsonLimits(),
        [&](const JsonMember& list, JsonValue& value) { return ReadElement(list.key, value); });
    if (!root || too_many_) return std::nullopt;
    ReadRoot(*root);
    file_.groups = groups_.TakeNames();
    const bool resolved = pool_names_.Resolve(declared_.empty() ? pools_given_ : declared_, file_,
                                              DiagnosticKind::kUndefinedName, diagnostics_);
    if (!resolved || diagnostics_.error_count() != errors) return std::nullopt;
    relations_.Resolve(file_.problem);
    if (diagnostics_.error_count() != errors) return std::nullopt;
    return std::move(file_);
  }

 private:
  bool ReadElement(std::string_view list, const JsonValue& value) {
    if (list == "buffers") return ReadBuffer(value);
    if (list == "pools") return ReadPool(value);
    if (list == "relations") {
      relations_.ReadRelation(value);
    } else if (list == "conflicts") {
      relations_.ReadConflicts(value);
    } else if (list == "groups") {
      if (const std::string* name = checks_.Text("a group", value)) groups_.Number(*name);
    }
    return true;
  }

  void ReadRoot(const JsonValue& root) {
    const JsonValue::Object* members = checks_.Object("the root", root);
    if (members == nullptr) return;
    bool has_buffers = false;
    for (size_t i = 0; i < members->size(); ++i) {
      const JsonMember& member = (*members)[i];
      if (checks_.IsDuplicate(*members, i)) continue;
      has_buffers |= member.key == "buffers";
      if (member.key == "version") {
        ReadVersion(member.value);
      } else if (member.key == "memory_pressure") {
        file_.problem.memory_pressure =
            checks_.Integer("`memory_pressure`", member.value, 0, INT64_MAX);
      } else if (std::find(kRoot.begin(), kRoot.end(), member.key) == kRoot.end()) {
        Unknown(member, "a problem", kRoot);
      } else if (checks_.List(fmt::format("`{}`", member.key), member.value) != nullptr &&
                 member.key == "conflicts") {
        relations_.SetConflicts(member.key_offset);
      }
    }
    if (!has_buffers) {
      Error(DiagnosticKind::kArguments, root.offset(), "the problem has no list `buffers`");
    }
  }

  bool ReadPool(const JsonValue& value) {
    if (declared_.size() == kMostPlanPools) {
      Error(DiagnosticKind::kLimit, value.offset(),
            fmt::format("more than {} pools", kMostPlanPools));
      too_many_ = true;
      return false;
    }
    planner::Pool pool;
    bool has_name = false;
    if (const JsonValue::Object* members = checks_.Object("a pool", value)) {
      for (size_t i = 0; i < members->size(); ++i) {
        if (checks_.IsDuplicate(*members, i)) continue;
        has_name |= (*members)[i].key == "name";
        ReadPoolMember((*members)[i], pool);
      }
      if (!has_name) Error(DiagnosticKind::kArguments, value.offset(), "a pool without `name`");
    }
    declared_.push_back(std::move(pool));
    return true;
  }

  void ReadPoolMember(const JsonMember& member, planner::Pool& pool) {
    const std::string& key = member.key;
    const JsonValue& value = member.value;
    if (key == "name") return ReadPoolName(value, pool);
    if (key == "capacity") {
      if (!value.is_null()) ReadInt(member, 0, planner::kMaxBytes, pool.capacity);
    } else if (key == "alignment") {
      ReadAlignment(member, pool.alignment);
    } else if (key == "base_offset") {
      ReadInt(member, 0, planner::kMaxAlignment, pool.base_offset);
    } else if (key == "kind") {
      const std::string* kind = checks_.Text("`kind`", value);
      if (kind == nullptr) return;
      if (*kind == "read-only") {
        pool.kind = planner::PoolKind::kReadOnly;
      } else if (*kind != "read-write") {
        Error(DiagnosticKind::kLiteral, value.offset(),
              fmt::format("unknown kind `{}`, expected read-write or read-only", ShownText(*kind)));
      }
    } else if (key == "cost") {
      ReadCost(value, pool.cost);
    } else {
      Unknown(member, "a pool", kPool);
    }
  }

  void ReadPoolName(const JsonValue& value, planner::Pool& pool) {
    const std::string* name = checks_.Text("`name`", value);
    if (name == nullptr) return;
    pool.name = *name;
    const auto same = [&](const planner::Pool& other) { return other.name == *name; };
    if (std::any_of(declared_.begin(), declared_.end(), same)) {
      Error(DiagnosticKind::kDuplicateName, value.offset(),
            fmt::format("duplicate pool `{}`", ShownText(*name)));
    }
  }

  void ReadCost(const JsonValue& value, planner::PoolCost& cost) {
    const JsonValue::Object* members = checks_.Object("`cost`", value);
    if (members == nullptr) return;
    int64_t* const fields[] = {&cost.clock_hz, &cost.read_bytes_per_cycle,
                               &cost.write_bytes_per_cycle, &cost.read_latency_cycles,
                               &cost.write_latency_cycles};
    for (size_t i = 0; i < members->size(); ++i) {
      const JsonMember& member = (*members)[i];
      if (checks_.IsDuplicate(*members, i)) continue;
      const auto it = std::find(kCost.begin(), kCost.end(), member.key);
      if (it == kCost.end()) {
        Unknown(member, "a cost", kCost);
      } else {
        ReadInt(member, 0, planner::kMaxBytes, *fields[it - kCost.begin()]);
      }
    }
  }

  bool ReadBuffer(const JsonValue& value) {
    if (file_.problem.buffers.size() == kMostPlanBuffers) {
      Error(DiagnosticKind::kLimit, value.offset(),
            fmt::format("more than {} buffers", kMostPlanBuffers));
      too_many_ = true;
      return false;
    }
    planner::Buffer& buffer = file_.problem.buffers.emplace_back();
    file_.places.push_back(checks_.RangeAt(value.offset()));
    const JsonValue::Object* members = checks_.Object("a buffer", value);
    if (members == nullptr) return true;
    const JsonMember* gaps = nullptr;
    bool has_id = false;
    bool has_size = false;
    for (size_t i = 0; i < members->size(); ++i) {
      const JsonMember& member = (*members)[i];
      if (checks_.IsDuplicate(*members, i)) continue;
      has_id |= member.key == "id";
      has_size |= member.key == "size";
      if (member.key == "gaps") {
        gaps = &member;  // once size and lifetimes are known
      } else if (!ReadBufferMember(member, buffer)) {
        Unknown(member, "a buffer", kBuffer);
      }
    }
    if (gaps != nullptr) ReadGaps(gaps->value, buffer);
    if (!has_id) Error(DiagnosticKind::kArguments, value.offset(), "a buffer without `id`");
    if (!has_size) Error(DiagnosticKind::kArguments, value.offset(), "a buffer without `size`");
    return true;
  }

  bool ReadBufferMember(const JsonMember& member, planner::Buffer& buffer) {
    const std::string& key = member.key;
    const JsonValue& value = member.value;
    if (key == "id") {
      if (const std::string* id = checks_.Text("`id`", value)) buffer.name = *id;
    } else if (key == "size") {
      ReadInt(member, 0, planner::kMaxBytes, buffer.size);
    } else if (key == "alignment") {
      ReadAlignment(member, buffer.alignment);
    } else if (key == "kind") {
      ReadKind(value, buffer);
    } else if (key == "lifetimes") {
      ReadLifetimes(value, buffer);
    } else if (key == "offset") {
      if (!value.is_null()) {
        buffer.fixed_offset = checks_.Integer("`offset`", value, 0, planner::kMaxBytes);
      }
    } else if (key == "pools") {
      const auto number = [&](const std::string& name, size_t at) {
        return pool_names_.Number(name, checks_.RangeAt(at));
      };
      ReadNames(member, number, buffer.pools);
    } else if (key == "groups") {
      const auto number = [&](const std::string& name, size_t) { return groups_.Number(name); };
      ReadNames(member, number, buffer.groups);
    } else if (key == "bytes_read") {
      ReadInt(member, 0, INT64_MAX, buffer.bytes_read);
    } else if (key == "bytes_written") {
      ReadInt(member, 0, INT64_MAX, buffer.bytes_written);
    } else {
      return false;
    }
    return true;
  }

  void ReadKind(const JsonValue& value, planner::Buffer& buffer) {
    const std::string* text = checks_.Text("`kind`", value);
    if (text == nullptr) return;
    const std::optional<planner::BufferKind> kind = BufferKindOf(*text);
    buffer.kind = kind.value_or(planner::BufferKind::kIntermediate);
    if (kind) return;
    Error(DiagnosticKind::kLiteral, value.offset(),
          fmt::format("unknown kind `{}`, expected intermediate, input, output or constant",
                      ShownText(*text)));
  }

  void ReadLifetimes(const JsonValue& value, planner::Buffer& buffer) {
    const JsonValue::Array* list = checks_.List("`lifetimes`", value);
    if (list == nullptr) return;
    for (const JsonValue& item : *list) {
      int64_t life[2];
      if (!ReadInts("a lifetime", item, 2, 2, life)) continue;
      const planner::Lifetime last = buffer.lifetimes.empty()
                                         ? planner::Lifetime{INT64_MIN, INT64_MIN}
                                         : buffer.lifetimes.back();
      if (life[0] > life[1]) {
        Error(DiagnosticKind::kLiteral, item.offset(),
              fmt::format("a lifetime that ends at {} before it begins at {}", life[1], life[0]));
      } else if (life[0] < last.upper) {
        Error(
            DiagnosticKind::kLiteral, item.offset(),
            fmt::format("expected lifetimes in order, found one from {} after one that ends at {}",
                        life[0], last.upper));
      } else {
        buffer.lifetimes.push_back({life[0], life[1]});
      }
    }
  }

  void ReadGaps(const JsonValue& value, planner::Buffer& buffer) {
    const JsonValue::Array* list = checks_.List("`gaps`", value);
    if (list == nullptr) return;
    for (const JsonValue& item : *list) {
      int64_t numbers[4] = {0, 0, 0, 0};
      if (!ReadInts("a gap", item, 2, 4, numbers)) continue;
      const planner::GapWindow gap = {numbers[0], numbers[1], numbers[2], numbers[3]};
      std::string wrong = RefuseGap(gap, buffer);
      if (wrong.empty() && !buffer.gaps.empty() && gap.lower < buffer.gaps.back().upper) {
        wrong = fmt::format("expected gaps in order, found one from {} after one that ends at {}",
                            gap.lower, buffer.gaps.back().upper);
      }
      if (wrong.empty()) {
        buffer.gaps.push_back(gap);
      } else {
        Error(DiagnosticKind::kLiteral, item.offset(), std::move(wrong));
      }
    }
  }

  template <typename Number, typename List>
  void ReadNames(const JsonMember& member, const Number& number, List& numbers) {
    const JsonValue::Array* list = checks_.List(Quoted(member.key), member.value);
    if (list == nullptr) return;
    if (list->empty()) {
      Error(DiagnosticKind::kLiteral, member.value.offset(),
            fmt::format("`{}` is empty; leave it out to mean all", member.key));
    }
    if (list->size() > kMostPlanPools) {
      Error(DiagnosticKind::kLimit, member.value.offset(),
            fmt::format("`{}` has more than {} names", member.key, kMostPlanPools));
      return;
    }
    for (const JsonValue& item : *list) {
      const std::string* name = checks_.Text("a name", item);
      if (name == nullptr) continue;
      const int32_t value = number(*name, item.offset());
      if (std::find(numbers.begin(), numbers.end(), value) == numbers.end()) {
        numbers.push_back(value);
      } else {
        Error(DiagnosticKind::kDuplicateName, item.offset(),
              fmt::format("duplicate `{}`", ShownText(*name)));
      }
    }
  }

  const std::vector<planner::Pool>& pools_given_;
  Diagnostics& diagnostics_;
  PlanFile file_;
  std::vector<planner::Pool> declared_;
  PoolNames pool_names_;
  NameNumbers groups_;
  PlanJsonRelations relations_;
  bool too_many_ = false;
};

}  // namespace

bool IsPlanJson(std::string_view name, std::string_view text) {
  if (name.ends_with(".json")) return true;
  if (name.ends_with(".csv")) return false;
  const size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && text[first] == '{';
}

JsonLimits PlanJsonLimits() {
  JsonLimits limits;
  limits.max_bytes = size_t{4} << 30;
  limits.max_values = 4'000'000;  // at a time: the values of one buffer, or of one conflict list
  limits.max_depth = 8;
  limits.duplicates = JsonDuplicates::kKeepAll;  // reported with the other errors
  return limits;
}

std::optional<PlanFile> ParsePlanJson(SourceManager& sources, std::string_view name,
                                      std::string_view text, std::shared_ptr<const void> owner,
                                      Diagnostics& diagnostics,
                                      const std::vector<planner::Pool>& pools) {
  const SourceFile* const file = AddSource(sources, name, text, std::move(owner), diagnostics);
  if (file == nullptr) return std::nullopt;
  const JsonChecks checks(*file, diagnostics);
  return ProblemReader(checks, pools, diagnostics).Read();
}

}  // namespace tenon
