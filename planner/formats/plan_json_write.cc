#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <initializer_list>

#include "planner/formats/plan_json.h"
#include "planner/formats/plan_json_base.h"
#include "support/hash.h"
#include "support/json_writer.h"

namespace tenon {

namespace {

/// Names buffers so that a reader finds them.
class Refs {
 public:
  explicit Refs(const planner::Problem& problem) : problem_(problem), names_(problem) {}

  void Write(JsonWriter& json, int32_t buffer) const {
    if (names_.IsUnique(buffer)) {
      json.Value(problem_.buffers[planner::Index(buffer)].name);
    } else {
      json.Value(buffer);
    }
  }

 private:
  const planner::Problem& problem_;
  const BufferNames names_;
};

class JsonProblemWriter {
 public:
  explicit JsonProblemWriter(const PlanFile& file)
      : file_(file), problem_(file.problem), json_(out_) {
    has_default_pools_ = std::all_of(
        problem_.pools.begin(), problem_.pools.end(),
        [](const planner::Pool& pool) { return pool.kind == planner::PoolKind::kReadWrite; });
  }

  std::string Write() {
    out_.reserve(100 * problem_.buffers.size() + 1000);
    json_.BeginObject(JsonLayout::kLines);
    json_.Member("version", kPlanJsonVersion);
    json_.Key("pools");
    json_.List(problem_.pools, JsonLayout::kLines,
               [&](const planner::Pool& pool) { AddPool(pool); });
    if (!file_.groups.empty()) {
      json_.Key("groups");
      json_.List(file_.groups, [&](const std::string& name) { json_.Value(name); });
    }
    json_.Key("buffers");
    json_.List(problem_.buffers, JsonLayout::kLines,
               [&](const planner::Buffer& buffer) { AddBuffer(buffer); });
    if (!problem_.relations.empty() || problem_.conflicts) AddRelations();
    if (problem_.memory_pressure) json_.Member("memory_pressure", *problem_.memory_pressure);
    json_.EndObject();
    out_ += '\n';
    return std::move(out_);
  }

 private:
  void AddPool(const planner::Pool& pool) {
    json_.BeginObject();
    json_.Member("name", pool.name);
    if (pool.capacity != planner::kUnlimited) json_.Member("capacity", pool.capacity);
    if (pool.alignment != 1) json_.Member("alignment", pool.alignment);
    if (pool.base_offset != 0) json_.Member("base_offset", pool.base_offset);
    if (pool.kind == planner::PoolKind::kReadOnly) json_.Member("kind", "read-only");
    const planner::PoolCost& cost = pool.cost;
    const std::pair<std::string_view, int64_t> figures[] = {
        {"clock_hz", cost.clock_hz},
        {"read_bytes_per_cycle", cost.read_bytes_per_cycle},
        {"write_bytes_per_cycle", cost.write_bytes_per_cycle},
        {"read_latency_cycles", cost.read_latency_cycles},
        {"write_latency_cycles", cost.write_latency_cycles}};
    bool has_cost = false;
    for (const auto& [key, value] : figures) {
      if (value == 0) continue;
      if (!has_cost) {
        json_.Key("cost");
        json_.BeginObject();
      }
      has_cost = true;
      json_.Member(key, value);
    }
    if (has_cost) json_.EndObject();
    json_.EndObject();
  }

  void AddBuffer(const planner::Buffer& buffer) {
    json_.BeginObject();
    json_.Member("id", buffer.name);
    json_.Member("size", buffer.size);
    if (buffer.alignment != 1) json_.Member("alignment", buffer.alignment);
    if (buffer.kind != planner::BufferKind::kIntermediate)
      json_.Member("kind", BufferKindText(buffer.kind));
    if (!buffer.lifetimes.empty()) {
      json_.Key("lifetimes");
      json_.List(buffer.lifetimes, [&](const planner::Lifetime& life) {
        AddNumbers({life.lower, life.upper});
      });
    }
    if (!buffer.gaps.empty()) AddGaps(buffer);
    if (buffer.fixed_offset) json_.Member("offset", *buffer.fixed_offset);
    if (problem_.pools.size() > 1 || !has_default_pools_) {
      json_.Key("pools");
      json_.List(buffer.pools,
                 [&](int32_t pool) { json_.Value(problem_.pools[planner::Index(pool)].name); });
    }
    if (!buffer.groups.empty()) {
      json_.Key("groups");
      json_.List(buffer.groups,
                 [&](int32_t group) { json_.Value(file_.groups[planner::Index(group)]); });
    }
    if (buffer.bytes_read != 0) json_.Member("bytes_read", buffer.bytes_read);
    if (buffer.bytes_written != 0) json_.Member("bytes_written", buffer.bytes_written);
    json_.EndObject();
  }

  void AddNumbers(std::initializer_list<int64_t> numbers) {
    json_.List(numbers, [&](int64_t number) { json_.Value(number); });
  }

  void AddGaps(const planner::Buffer& buffer) {
    json_.Key("gaps");
    json_.List(buffer.gaps, [&](const planner::GapWindow& gap) {
      if (gap.first_byte == 0 && gap.end_byte == 0) {
        AddNumbers({gap.lower, gap.upper});
      } else {
        AddNumbers({gap.lower, gap.upper, gap.first_byte, gap.end_byte});
      }
    });
  }

  void AddRelations() {
    const Refs refs(problem_);
    if (!problem_.relations.empty()) {
      json_.Key("relations");
      json_.List(problem_.relations, JsonLayout::kLines,
                 [&](const planner::Relation& relation) { AddRelation(refs, relation); });
    }
    if (!problem_.conflicts) return;
    json_.Key("conflicts");
    json_.List(*problem_.conflicts, JsonLayout::kLines, [&](const std::vector<int32_t>& list) {
      json_.List(list, [&](int32_t buffer) { refs.Write(json_, buffer); });
    });
  }

  void AddRelation(const Refs& refs, const planner::Relation& relation) {
    json_.BeginObject();
    json_.Member("kind", kRelationKinds[static_cast<size_t>(relation.kind)]);
    json_.Key("a");
    refs.Write(json_, relation.a);
    json_.Key("b");
    refs.Write(json_, relation.b);
    if (relation.kind == planner::RelationKind::kOffsetDifference) {
      json_.Key("allowed");
      json_.List(relation.allowed, [&](const planner::DifferenceRange& range) {
        json_.BeginList();
        AddEnd(range.first, INT64_MIN);
        AddEnd(range.last, INT64_MAX);
        json_.EndList();
      });
    }
    if (relation.same_pool) json_.Member("same_pool", true);
    json_.EndObject();
  }

  void AddEnd(int64_t value, int64_t open) {
    if (value == open) {
      json_.Null();
    } else {
      json_.Value(value);
    }
  }

  const PlanFile& file_;
  const planner::Problem& problem_;
  bool has_default_pools_ = true;
  std::string out_;
  JsonWriter json_;
};

bool BySearch(const planner::LowerBound& bound) {
  return bound.kind == planner::BoundKind::kSearch;
}

int64_t SaturatingSum(int64_t a, int64_t b) {
  int64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

class PlanWriter {
 public:
  PlanWriter(const planner::Problem& problem, const planner::Plan& plan)
      : problem_(problem), plan_(plan), refs_(problem), json_(out_) {}

  std::string Write(const PlanJsonExtras& extras) {
    out_.reserve(64 * problem_.buffers.size() + 1000);
    json_.BeginObject(JsonLayout::kLines);
    json_.Member("version", kPlanJsonVersion);
    json_.Member("algorithm", plan_.algorithm);
    AddFigures(PlanPeak(plan_), PlanBound(plan_), plan_.proven_optimal);
    AddExtras(extras);
    json_.Key("pools");
    json_.BeginList(JsonLayout::kLines);
    for (size_t p = 0; p < plan_.pools.size(); ++p) AddPool(problem_.pools[p], plan_.pools[p]);
    json_.EndList();
    json_.Key("buffers");
    json_.BeginList(JsonLayout::kLines);
    for (size_t i = 0; i < plan_.placements.size(); ++i) {
      AddBuffer(problem_.buffers[i], plan_.placements[i]);
    }
    json_.EndList();
    if (extras.provenance) AddProvenance(*extras.provenance);
    json_.EndObject();
    out_ += '\n';
    return std::move(out_);
  }

 private:
  void AddFigures(int64_t size, int64_t bound, bool proven) {
    json_.Member("peak_bytes", size);
    json_.Member("lower_bound_bytes", bound);
    json_.Member("proven_optimal", proven);
    json_.Member("gap_percent", GapPercent(size, bound));
  }

  void AddExtras(const PlanJsonExtras& extras) {
    json_.Member("bound_by_search",
                 std::any_of(plan_.pools.begin(), plan_.pools.end(),
                             [](const auto& pool) { return BySearch(pool.lower_bound); }));
    json_.Key("seconds");
    json_.Raw(fmt::format("{:.6f}", extras.seconds));
    json_.Key("cost");
    json_.BeginObject();
    json_.Member("picoseconds", plan_.cost.picoseconds);
    json_.Member("spilled_bytes", plan_.cost.spilled);
    json_.Member("is_least", plan_.cost.is_least);
    json_.Member("bound_picoseconds", plan_.cost.bound_picoseconds);
    json_.Member("bound_spilled_bytes", plan_.cost.bound_spilled);
    json_.EndObject();
    if (!extras.kept) return;
    json_.Key("previous");
    json_.BeginObject();
    json_.Member("kept", extras.kept->kept);
    json_.Member("moved", extras.kept->moved);
    json_.Member("new", extras.kept->added);
    json_.Member("kept_bytes", extras.kept->kept_bytes);
    json_.Member("moved_bytes", extras.kept->moved_bytes);
    json_.EndObject();
  }

  void AddProvenance(const PlanProvenance& provenance) {
    json_.Key("provenance");
    json_.BeginObject(JsonLayout::kLines);
    json_.Member("program", provenance.program);
    json_.Member("requested", provenance.requested);
    json_.Member("node_limit", provenance.node_limit);
    json_.Member("time_limit_seconds", provenance.time_limit);
    json_.Member("nodes", provenance.nodes);
    json_.Member("problem_hash", provenance.problem_hash);
    json_.EndObject();
  }

  void AddPool(const planner::Pool& pool, const planner::PoolPlan& plan) {
    const planner::LowerBound& bound = plan.lower_bound;
    json_.BeginObject();
    json_.Member("name", pool.name);
    json_.Key("capacity");
    if (pool.capacity == planner::kUnlimited) {
      json_.Null();
    } else {
      json_.Value(pool.capacity);
    }
    AddFigures(plan.size, bound.bytes, planner::IsProven(plan, plan_.cost));
    json_.BreakLine();
    json_.Member("found_by", plan.found_by);
    json_.BreakLine();
    json_.Key("witness");
    json_.BeginObject();
    json_.Member("kind", BySearch(bound) ? "search" : "live");
    json_.Key("time");
    if (bound.time) {
      json_.Value(*bound.time);
    } else {
      json_.Null();
    }
    json_.Member("searched", bound.searched);
    json_.Member("of_choice", bound.of_choice);
    json_.Key("live");
    json_.List(bound.live, [&](int32_t buffer) { refs_.Write(json_, buffer); });
    json_.EndObject();
    json_.EndObject();
  }

  void AddBuffer(const planner::Buffer& buffer, const planner::Placement& placed) {
    json_.BeginObject();
    json_.Member("id", buffer.name);
    json_.Member("size", buffer.size);
    json_.Member("pool", problem_.pools[planner::Index(placed.pool)].name);
    json_.Member("offset", placed.offset);
    json_.EndObject();
  }

  const planner::Problem& problem_;
  const planner::Plan& plan_;
  const Refs refs_;
  std::string out_;
  JsonWriter json_;
};

}  // namespace

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

std::string WriteProblemJson(const PlanFile& file) { return JsonProblemWriter(file).Write(); }

std::string HashOfProblem(const PlanFile& file) {
  return HashToString(HashBytes(WriteProblemJson(file)));
}

std::string WritePlanJson(const PlanFile& file, const planner::Plan& plan,
                          const PlanJsonExtras& extras) {
  return PlanWriter(file.problem, plan).Write(extras);
}

}  // namespace tenon
