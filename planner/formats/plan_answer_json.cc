#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "planner/formats/plan_answer.h"
#include "planner/formats/plan_json.h"
#include "planner/formats/plan_json_base.h"
#include "planner/methods.h"
#include "planner/planner.h"
#include "support/hash.h"

namespace tenon {

namespace {

constexpr std::array<std::string_view, 13> kAnswerRoot = {
    "version",           "algorithm",      "peak_bytes",
    "lower_bound_bytes", "proven_optimal", "gap_percent",
    "bound_by_search",   "seconds",        "pools",
    "buffers",           "cost",           "previous",
    "provenance"};
constexpr std::array<std::string_view, 8> kAnswerPool = {
    "name",           "capacity",    "peak_bytes", "lower_bound_bytes",
    "proven_optimal", "gap_percent", "witness",    "found_by"};
constexpr std::array<std::string_view, 5> kWitness = {"kind", "time", "searched", "of_choice",
                                                      "live"};
constexpr std::array<std::string_view, 5> kAnswerCost = {
    "picoseconds", "spilled_bytes", "is_least", "bound_picoseconds", "bound_spilled_bytes"};
constexpr std::array<std::string_view, 5> kKept = {"kept", "moved", "new", "kept_bytes",
                                                   "moved_bytes"};
constexpr std::array<std::string_view, 6> kProvenance = {
    "program", "requested", "node_limit", "time_limit_seconds", "nodes", "problem_hash"};
constexpr std::array<std::string_view, 4> kAnswerBuffer = {"id", "size", "pool", "offset"};

class AnswerReader : PlanJsonBase {
 public:
  AnswerReader(const JsonChecks& checks, PlanRows& rows, Diagnostics& diagnostics)
      : PlanJsonBase(checks), rows_(rows), diagnostics_(diagnostics) {}

  std::optional<PlanCertificate> Read(const PlanFile& problem, planner::Plan& plan) {
    const size_t errors = diagnostics_.error_count();
    problem_ = &problem.problem;
    plan_ = &plan;
    plan.pools.resize(problem_->pools.size());
    certificate_.pools.resize(problem_->pools.size());
    certificate_.witnesses.resize(problem_->pools.size());
    pool_seen_.resize(problem_->pools.size());
    names_.emplace(*problem_);
    const std::optional<JsonValue> root = Parse();
    if (!root) return std::nullopt;
    ReadRoot(*root);
    rows_.Finish();
    for (size_t p = 0; p < pool_seen_.size(); ++p) {
      if (pool_seen_[p]) continue;
      Error(DiagnosticKind::kCompare, root->offset(),
            fmt::format("the plan lacks the pool `{}`", ShownText(problem_->pools[p].name)));
    }
    if (diagnostics_.error_count() != errors) return std::nullopt;
    return std::move(certificate_);
  }

  bool ReadPrevious() {
    const size_t errors = diagnostics_.error_count();
    const std::optional<JsonValue> root = Parse();
    if (!root) return false;
    if (root->Find("buffers") == nullptr) {
      Error(DiagnosticKind::kArguments, root->offset(), "the plan has no list `buffers`");
    }
    return diagnostics_.error_count() == errors;
  }

 private:
  std::optional<JsonValue> Parse() {
    return checks_.Parse(PlanJsonLimits(), [&](const JsonMember& list, JsonValue& value) {
      if (list.key == "buffers") ReadBuffer(value);
      if (list.key == "pools" && problem_ != nullptr) ReadPool(value);
      return true;
    });
  }

  /// Calls `read` for every member; the first `needed` names are required.
  template <typename Names, typename Read>
  bool ReadMembers(std::string_view what, const JsonValue& value, const Names& names, size_t needed,
                   const Read& read) {
    const JsonValue::Object* members = checks_.Object(what, value);
    if (members == nullptr) return false;
    std::array<bool, std::tuple_size_v<Names>> seen = {};
    for (size_t i = 0; i < members->size(); ++i) {
      const JsonMember& member = (*members)[i];
      if (checks_.IsDuplicate(*members, i)) continue;
      const auto index =
          static_cast<size_t>(std::find(names.begin(), names.end(), member.key) - names.begin());
      if (index == names.size()) {
        Unknown(member, what, names);
      } else {
        seen[index] = true;
        read(member);
      }
    }
    bool complete = true;
    for (size_t i = 0; i < needed; ++i) {
      if (seen[i]) continue;
      complete = false;
      Error(DiagnosticKind::kArguments, value.offset(),
            fmt::format("{} without `{}`", what, names[i]));
    }
    return complete;
  }

  void ReadRoot(const JsonValue& root) {
    ReadMembers("a plan", root, kAnswerRoot, 11, [&](const JsonMember& member) {
      const JsonValue& value = member.value;
      const std::string& key = member.key;
      if (ReadFigure(member, certificate_.total)) return;
      if (key == "version") {
        ReadVersion(value);
      } else if (key == "algorithm") {
        const std::string* name = checks_.Text("`algorithm`", value);
        if (name != nullptr) certificate_.algorithm = *name;
        certificate_.algorithm_at = checks_.RangeAt(value.offset());
      } else if (key == "bound_by_search") {
        certificate_.by_search = checks_.Bool("`bound_by_search`", value).value_or(false);
        certificate_.by_search_at = checks_.RangeAt(value.offset());
      } else if (key == "seconds") {
        if (!value.as_double()) return checks_.WrongType("`seconds`", value, "a number");
        if (*value.as_double() < 0) {
          Error(DiagnosticKind::kLiteral, value.offset(), "`seconds` is negative");
        }
      } else if (key == "previous") {
        ReadKept(value);
      } else if (key == "cost") {
        ReadCost(value);
      } else if (key == "provenance") {
        ReadProvenance(value);
      } else {
        checks_.List(Quoted(key), value);
      }
    });
  }

  bool ReadFigure(const JsonMember& member, PlanFigures& figures) {
    const JsonValue& value = member.value;
    const SourceRange at = checks_.RangeAt(value.offset());
    if (member.key == "peak_bytes") {
      ReadInt(member, 0, INT64_MAX, figures.peak);
      figures.peak_at = at;
    } else if (member.key == "lower_bound_bytes") {
      ReadInt(member, 0, INT64_MAX, figures.bound);
      figures.bound_at = at;
    } else if (member.key == "proven_optimal") {
      figures.proven = checks_.Bool("`proven_optimal`", value).value_or(false);
      figures.proven_at = at;
    } else if (member.key == "gap_percent") {
      if (!value.as_double()) checks_.WrongType("`gap_percent`", value, "a number");
      figures.gap = value.as_double().value_or(0);
      figures.gap_at = at;
    } else {
      return false;
    }
    return true;
  }

  void ReadKept(const JsonValue& value) {
    planner::KeptOffsets kept;
    int64_t* const fields[] = {&kept.kept, &kept.moved, &kept.added, &kept.kept_bytes,
                               &kept.moved_bytes};
    ReadMembers("`previous`", value, kKept, 5, [&](const JsonMember& member) {
      ReadInt(member, 0, INT64_MAX,
              *fields[std::find(kKept.begin(), kKept.end(), member.key) - kKept.begin()]);
    });
    certificate_.kept = kept;
    certificate_.kept_at = checks_.RangeAt(value.offset());
  }

  /// It claims nothing about the plan, and the limits of a problem may be given again or not: only
  /// its form is checked.
  void ReadProvenance(const JsonValue& value) {
    ReadMembers("`provenance`", value, kProvenance, 6, [&](const JsonMember& member) {
      const JsonValue& is = member.value;
      int64_t number = 0;
      if (member.key == "nodes" || (member.key == "node_limit" && !is.is_null())) {
        ReadInt(member, 0, INT64_MAX, number);
      } else if (member.key == "time_limit_seconds" && !is.is_null()) {
        if (!is.as_double()) return checks_.WrongType(Quoted(member.key), is, "a number");
        if (*is.as_double() < 0)
          Error(DiagnosticKind::kLiteral, is.offset(), "`time_limit_seconds` is negative");
      } else if (!is.is_null() ||
                 (member.key != "node_limit" && member.key != "time_limit_seconds")) {
        ReadProvenanceText(member);
      }
    });
  }

  void ReadProvenanceText(const JsonMember& member) {
    const std::string* text = checks_.Text(Quoted(member.key), member.value);
    if (text == nullptr) return;
    const bool is_wrong = member.key == "requested"
                              ? planner::Traits(*text) == nullptr
                              : member.key == "problem_hash" && !ParseHash(*text).ok();
    if (is_wrong) {
      Error(DiagnosticKind::kLiteral, member.value.offset(),
            fmt::format("wrong `{}`: `{}`", member.key, ShownText(*text)));
    }
  }

  void ReadCost(const JsonValue& value) {
    certificate_.cost_at = checks_.RangeAt(value.offset());
    ReadMembers("`cost`", value, kAnswerCost, 3, [&](const JsonMember& member) {
      if (member.key == "is_least") {
        plan_->cost.is_least = checks_.Bool("`is_least`", member.value).value_or(false);
      } else {
        planner::PlanCost& cost = plan_->cost;
        ReadInt(member, 0, INT64_MAX,
                member.key == "picoseconds"         ? cost.picoseconds
                : member.key == "spilled_bytes"     ? cost.spilled
                : member.key == "bound_picoseconds" ? cost.bound_picoseconds
                                                    : cost.bound_spilled);
      }
    });
  }

  void ReadPool(const JsonValue& value) {
    const JsonValue* name_value = value.Find("name");
    const std::string* name = name_value == nullptr ? nullptr : name_value->as_string();
    const auto pool = std::find_if(problem_->pools.begin(), problem_->pools.end(),
                                   [&](const planner::Pool& p) { return name && p.name == *name; });
    const auto index = static_cast<size_t>(pool - problem_->pools.begin());
    const bool is_known = pool != problem_->pools.end();
    if (name != nullptr && !is_known) {
      Error(DiagnosticKind::kCompare, name_value->offset(),
            fmt::format("the problem has no pool `{}`", ShownText(*name)));
    } else if (is_known && pool_seen_[index]) {
      Error(DiagnosticKind::kCompare, name_value->offset(),
            fmt::format("duplicate entry of the pool `{}`", ShownText(*name)));
    }
    if (is_known) pool_seen_[index] = true;
    PlanFigures figures;
    planner::PoolPlan plan;
    SourceRange witness;
    ReadMembers("a pool", value, kAnswerPool, 7, [&](const JsonMember& member) {
      if (ReadFigure(member, figures)) return;
      if (member.key == "name") {
        checks_.Text("`name`", member.value);
      } else if (member.key == "found_by") {
        const std::string* method = checks_.Text("`found_by`", member.value);
        if (method == nullptr) return;
        if (!planner::IsMethod(*method)) {
          Error(DiagnosticKind::kLiteral, member.value.offset(),
                fmt::format("unknown method `{}`", ShownText(*method)));
        }
        plan.found_by = *method;
      } else if (member.key == "witness") {
        witness = checks_.RangeAt(member.value.offset());
        ReadWitness(member.value, plan.lower_bound);
      } else {
        int64_t capacity = planner::kUnlimited;
        if (!member.value.is_null()) ReadInt(member, 0, planner::kMaxBytes, capacity);
        if (!is_known || capacity == pool->capacity) return;
        Error(
            DiagnosticKind::kCompare, member.value.offset(),
            fmt::format("the capacity of the pool `{}` is {} in the problem", ShownText(pool->name),
                        pool->capacity == planner::kUnlimited ? "unlimited"
                                                              : fmt::to_string(pool->capacity)));
      }
    });
    if (!is_known) return;
    plan.size = figures.peak;
    plan.lower_bound.bytes = figures.bound;
    plan_->pools[index] = std::move(plan);
    certificate_.pools[index] = figures;
    certificate_.witnesses[index] = witness;
  }

  void ReadWitness(const JsonValue& value, planner::LowerBound& bound) {
    ReadMembers("`witness`", value, kWitness, 5, [&](const JsonMember& member) {
      if (member.key == "kind") {
        const std::string* kind = checks_.Text("`kind`", member.value);
        if (kind == nullptr) return;
        if (*kind == "search") {
          bound.kind = planner::BoundKind::kSearch;
        } else if (*kind != "live") {
          Error(DiagnosticKind::kLiteral, member.value.offset(),
                fmt::format("unknown kind `{}`, expected live or search", ShownText(*kind)));
        }
      } else if (member.key == "time") {
        if (!member.value.is_null())
          bound.time = checks_.Integer("`time`", member.value, INT64_MIN, INT64_MAX);
      } else if (member.key == "searched") {
        ReadInt(member, 0, INT64_MAX, bound.searched);
      } else if (member.key == "of_choice") {
        bound.of_choice = checks_.Bool("`of_choice`", member.value).value_or(false);
      } else if (const JsonValue::Array* live = checks_.List("`live`", member.value)) {
        for (const JsonValue& item : *live) {
          const std::optional<BufferRef> ref = ReadRef("a buffer of `live`", item);
          if (!ref) continue;
          if (const std::optional<int32_t> buffer = FindBuffer(*names_, *ref)) {
            bound.live.push_back(*buffer);
          }
        }
      }
    });
  }

  void ReadBuffer(const JsonValue& value) {
    PlanRows::Row row;
    row.at.row = checks_.RangeAt(value.offset());
    bool ok = true;
    ok &= ReadMembers("a buffer", value, kAnswerBuffer, 4, [&](const JsonMember& member) {
      const SourceRange at = checks_.RangeAt(member.value.offset());
      if (member.key == "id" || member.key == "pool") {
        const std::string* text = checks_.Text(Quoted(member.key), member.value);
        ok &= text != nullptr;
        if (text == nullptr) return;
        (member.key == "id" ? row.id : row.pool) = *text;
        (member.key == "id" ? row.id_at : row.at.pool) = at;
        return;
      }
      const std::optional<int64_t> number =
          checks_.Integer(Quoted(member.key), member.value, 0, planner::kMaxBytes);
      ok &= number.has_value();
      if (member.key == "size") {
        row.size = number;
        row.size_at = at;
      } else {
        row.offset = number.value_or(0);
        row.at.offset = at;
      }
    });
    if (ok) rows_.Add(row);
  }

  PlanRows& rows_;
  Diagnostics& diagnostics_;
  const planner::Problem* problem_ = nullptr;
  planner::Plan* plan_ = nullptr;
  PlanCertificate certificate_;
  std::vector<bool> pool_seen_;
  std::optional<BufferNames> names_;
};

}  // namespace

std::optional<PlanCertificate> ReadPlanJson(const SourceFile& file, const PlanFile& problem,
                                            PlanRows& rows, planner::Plan& plan,
                                            Diagnostics& diagnostics) {
  const JsonChecks checks(file, diagnostics);
  return AnswerReader(checks, rows, diagnostics).Read(problem, plan);
}

bool ReadPreviousJson(const SourceFile& file, PlanRows& rows, Diagnostics& diagnostics) {
  const JsonChecks checks(file, diagnostics);
  return AnswerReader(checks, rows, diagnostics).ReadPrevious();
}

}  // namespace tenon
