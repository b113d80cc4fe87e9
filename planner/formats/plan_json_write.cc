#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "planner/formats/plan_json.h"

namespace tenon {

namespace {

constexpr std::string_view kRelationKinds[] = {"disjoint", "may-share", "offset-difference"};

void Add(std::string& out, int64_t number) {
  const fmt::format_int text(number);
  out.append(text.data(), text.size());
}

void AddMember(std::string& out, std::string_view key, int64_t number) {
  ((out += ", \"") += key) += "\": ";
  Add(out, number);
}

/// `[[1, 2], [3, 4]]`, each made by `add`.
template <typename List, typename AddItem>
void AddList(std::string& out, const List& list, const AddItem& add) {
  out += '[';
  bool first = true;
  for (const auto& item : list) {
    if (!first) out += ", ";
    first = false;
    add(item);
  }
  out += ']';
}

/// The members of a list of the root, a line each.
template <typename List, typename AddItem>
void AddLines(std::string& out, std::string_view key, const List& list, const AddItem& add) {
  ((out += ",\n \"") += key) += "\": [";
  bool first = true;
  for (const auto& item : list) {
    out += first ? "\n  " : ",\n  ";
    first = false;
    add(item);
  }
  out += first ? "]" : "\n ]";
}

/// Names buffers as a reader finds them.
class Refs {
 public:
  explicit Refs(const planner::Problem& problem) : problem_(problem), names_(problem) {}
  void Add(std::string& out, int32_t buffer) const {
    if (names_.IsUnique(buffer)) {
      AppendJsonText(problem_.buffers[planner::Index(buffer)].name, out);
    } else {
      tenon::Add(out, buffer);
    }
  }

 private:
  const planner::Problem& problem_;
  const BufferNames names_;
};

class ProblemWriter {
 public:
  explicit ProblemWriter(const PlanFile& file) : file_(file), problem_(file.problem) {
    has_default_pools_ = std::all_of(
        problem_.pools.begin(), problem_.pools.end(),
        [](const planner::Pool& pool) { return pool.kind == planner::PoolKind::kReadWrite; });
  }

  std::string Write() {
    out_.reserve(100 * problem_.buffers.size() + 1000);
    out_ = "{\n \"version\": ";
    Add(out_, kPlanJsonVersion);
    AddLines(out_, "pools", problem_.pools, [&](const planner::Pool& pool) { AddPool(pool); });
    if (!file_.groups.empty()) {
      out_ += ",\n \"groups\": ";
      AddList(out_, file_.groups, [&](const std::string& name) { AppendJsonText(name, out_); });
    }
    AddLines(out_, "buffers", problem_.buffers,
             [&](const planner::Buffer& buffer) { AddBuffer(buffer); });
    if (!problem_.relations.empty() || problem_.conflicts) AddRelations();
    if (problem_.memory_pressure) {
      out_ += ",\n \"memory_pressure\": ";
      Add(out_, *problem_.memory_pressure);
    }
    out_ += "\n}\n";
    return std::move(out_);
  }

 private:
  void AddPool(const planner::Pool& pool) {
    out_ += "{\"name\": ";
    AppendJsonText(pool.name, out_);
    if (pool.capacity != planner::kUnlimited) AddMember(out_, "capacity", pool.capacity);
    if (pool.alignment != 1) AddMember(out_, "alignment", pool.alignment);
    if (pool.base_offset != 0) AddMember(out_, "base_offset", pool.base_offset);
    if (pool.kind == planner::PoolKind::kReadOnly) out_ += ", \"kind\": \"read-only\"";
    const planner::PoolCost& cost = pool.cost;
    const std::pair<std::string_view, int64_t> figures[] = {
        {"clock_hz", cost.clock_hz},
        {"read_bytes_per_cycle", cost.read_bytes_per_cycle},
        {"write_bytes_per_cycle", cost.write_bytes_per_cycle},
        {"read_latency_cycles", cost.read_latency_cycles},
        {"write_latency_cycles", cost.write_latency_cycles}};
    bool first = true;
    for (const auto& [key, value] : figures) {
      if (value == 0) continue;
      out_ += first ? ", \"cost\": {" : ", ";
      first = false;
      ((out_ += '"') += key) += "\": ";
      Add(out_, value);
    }
    out_ += first ? "}" : "}}";
  }

  void AddBuffer(const planner::Buffer& buffer) {
    out_ += "{\"id\": ";
    AppendJsonText(buffer.name, out_);
    AddMember(out_, "size", buffer.size);
    if (buffer.alignment != 1) AddMember(out_, "alignment", buffer.alignment);
    if (buffer.kind != planner::BufferKind::kIntermediate)
      ((out_ += ", \"kind\": \"") += BufferKindText(buffer.kind)) += '"';
    if (!buffer.lifetimes.empty()) {
      out_ += ", \"lifetimes\": ";
      AddList(out_, buffer.lifetimes, [&](const planner::Lifetime& life) {
        Add(out_ += '[', life.lower);
        Add(out_ += ", ", life.upper);
        out_ += ']';
      });
    }
    if (!buffer.gaps.empty()) AddGaps(buffer);
    if (buffer.fixed_offset) AddMember(out_, "offset", *buffer.fixed_offset);
    if (problem_.pools.size() > 1 || !has_default_pools_) {
      out_ += ", \"pools\": ";
      AddList(out_, buffer.pools, [&](int32_t pool) {
        AppendJsonText(problem_.pools[planner::Index(pool)].name, out_);
      });
    }
    if (!buffer.groups.empty()) {
      out_ += ", \"groups\": ";
      AddList(out_, buffer.groups,
              [&](int32_t group) { AppendJsonText(file_.groups[planner::Index(group)], out_); });
    }
    if (buffer.bytes_read != 0) AddMember(out_, "bytes_read", buffer.bytes_read);
    if (buffer.bytes_written != 0) AddMember(out_, "bytes_written", buffer.bytes_written);
    out_ += '}';
  }

  void AddGaps(const planner::Buffer& buffer) {
    out_ += ", \"gaps\": ";
    AddList(out_, buffer.gaps, [&](const planner::GapWindow& gap) {
      Add(out_ += '[', gap.lower);
      Add(out_ += ", ", gap.upper);
      if (gap.first_byte != 0 || gap.end_byte != 0) {
        Add(out_ += ", ", gap.first_byte);
        Add(out_ += ", ", gap.end_byte);
      }
      out_ += ']';
    });
  }

  void AddRelations() {
    const Refs refs(problem_);
    if (!problem_.relations.empty()) {
      AddLines(out_, "relations", problem_.relations,
               [&](const planner::Relation& relation) { AddRelation(refs, relation); });
    }
    if (!problem_.conflicts) return;
    AddLines(out_, "conflicts", *problem_.conflicts, [&](const std::vector<int32_t>& list) {
      AddList(out_, list, [&](int32_t buffer) { refs.Add(out_, buffer); });
    });
  }

  void AddRelation(const Refs& refs, const planner::Relation& relation) {
    ((out_ += "{\"kind\": \"") += kRelationKinds[static_cast<size_t>(relation.kind)]) += '"';
    refs.Add(out_ += ", \"a\": ", relation.a);
    refs.Add(out_ += ", \"b\": ", relation.b);
    if (relation.kind == planner::RelationKind::kOffsetDifference) {
      out_ += ", \"allowed\": ";
      AddList(out_, relation.allowed, [&](const planner::DifferenceRange& range) {
        out_ += '[';
        AddEnd(range.first, INT64_MIN);
        out_ += ", ";
        AddEnd(range.last, INT64_MAX);
        out_ += ']';
      });
    }
    if (relation.same_pool) out_ += ", \"same_pool\": true";
    out_ += '}';
  }

  void AddEnd(int64_t value, int64_t open) {
    if (value == open) {
      out_ += "null";
    } else {
      Add(out_, value);
    }
  }

  const PlanFile& file_;
  const planner::Problem& problem_;
  bool has_default_pools_ = true;
  std::string out_;
};

std::string_view Bool(bool value) { return value ? "true" : "false"; }

std::string Percent(int64_t size, int64_t bound) {
  // At least one digit behind the point: a number that stays a float for others.
  const std::string text = fmt::format("{}", GapPercent(size, bound));
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

void AddFigures(std::string& out, std::string_view separator, int64_t size, int64_t bound,
                bool proven) {
  fmt::format_to(std::back_inserter(out),
                 "{0}\"peak_bytes\": {1}{0}\"lower_bound_bytes\": {2}{0}\"proven_optimal\": {3}"
                 "{0}\"gap_percent\": {4}",
                 separator, size, bound, Bool(proven), Percent(size, bound));
}

bool BySearch(const planner::LowerBound& bound) {
  return bound.kind == planner::BoundKind::kSearch;
}

int64_t SaturatingSum(int64_t a, int64_t b) {
  int64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

}  // namespace

void AppendJsonText(std::string_view text, std::string& out) {
  const bool plain = std::all_of(text.begin(), text.end(), [](char c) {
    return c >= ' ' && c < 0x7f && c != '"' && c != '\\';
  });
  if (plain) {
    ((out += '"') += text) += '"';
  } else {
    out += nlohmann::json(std::string(text))
               .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  }
}

double GapPercent(int64_t size, int64_t bound) {
  if (size == bound) return 0;
  if (bound == 0) return 100;
  return 100.0 * static_cast<double>(size - bound) / static_cast<double>(bound);
}

int64_t PlanPeak(const planner::Plan& plan) {
  int64_t sum = 0;
  for (const planner::PoolPlan& pool : plan.pools) sum = SaturatingSum(sum, pool.size);
  return sum;
}

int64_t PlanBound(const planner::Plan& plan) {
  int64_t sum = 0;
  for (const planner::PoolPlan& pool : plan.pools) sum = SaturatingSum(sum, pool.lower_bound.bytes);
  return sum;
}

std::string WriteProblemJson(const PlanFile& file) { return ProblemWriter(file).Write(); }

std::string WritePlanJson(const PlanFile& file, const planner::Plan& plan,
                          const PlanJsonExtras& extras) {
  const planner::Problem& problem = file.problem;
  const Refs refs(problem);
  std::string out;
  out.reserve(64 * problem.buffers.size() + 1000);
  out += "{\n \"version\": ";
  Add(out, kPlanJsonVersion);
  AppendJsonText(plan.algorithm, out += ",\n \"algorithm\": ");
  AddFigures(out, ",\n ", PlanPeak(plan), PlanBound(plan), plan.proven_optimal);
  fmt::format_to(std::back_inserter(out), ",\n \"bound_by_search\": {},\n \"seconds\": {:.6f}",
                 Bool(std::any_of(plan.pools.begin(), plan.pools.end(),
                                  [](const auto& pool) { return BySearch(pool.lower_bound); })),
                 extras.seconds);
  fmt::format_to(std::back_inserter(out),
                 ",\n \"cost\": {{\"picoseconds\": {}, \"spilled_bytes\": {}, \"is_least\": {}}}",
                 plan.cost.picoseconds, plan.cost.spilled, Bool(plan.cost.is_least));
  if (extras.kept) {
    fmt::format_to(std::back_inserter(out),
                   ",\n \"previous\": {{\"kept\": {}, \"moved\": {}, \"new\": {}, "
                   "\"kept_bytes\": {}, \"moved_bytes\": {}}}",
                   extras.kept->kept, extras.kept->moved, extras.kept->added,
                   extras.kept->kept_bytes, extras.kept->moved_bytes);
  }
  size_t p = 0;
  AddLines(out, "pools", plan.pools, [&](const planner::PoolPlan& pool) {
    const int64_t capacity = problem.pools[p].capacity;
    AppendJsonText(problem.pools[p++].name, out += "{\"name\": ");
    out += ", \"capacity\": ";
    if (capacity == planner::kUnlimited) {
      out += "null";
    } else {
      Add(out, capacity);
    }
    const planner::LowerBound& bound = pool.lower_bound;
    AddFigures(out, ", ", pool.size, bound.bytes, pool.size == bound.bytes);
    (out += ",\n   \"witness\": {\"kind\": \"") += BySearch(bound) ? "search" : "live";
    out += "\", \"time\": ";
    if (bound.time) {
      Add(out, *bound.time);
    } else {
      out += "null";
    }
    AddMember(out, "searched", bound.searched);
    (out += ", \"of_choice\": ") += Bool(bound.of_choice);
    out += ", \"live\": ";
    AddList(out, bound.live, [&](int32_t buffer) { refs.Add(out, buffer); });
    out += "}}";
  });
  size_t i = 0;
  AddLines(out, "buffers", plan.placements, [&](const planner::Placement& placed) {
    AppendJsonText(problem.buffers[i].name, out += "{\"id\": ");
    AddMember(out, "size", problem.buffers[i++].size);
    AppendJsonText(problem.pools[planner::Index(placed.pool)].name, out += ", \"pool\": ");
    AddMember(out, "offset", placed.offset);
    out += '}';
  });
  out += "\n}\n";
  return out;
}

}  // namespace tenon
