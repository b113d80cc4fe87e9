#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "planner/formats/plan_csv.h"
#include "support/json_checks.h"

namespace tenon {

namespace {

void Add(std::string& out, int64_t number) {
  const fmt::format_int text(number);
  out.append(text.data(), text.size());
}

/// Whether reading `text` as a field, or as a part of a list, gives `text` again.
bool FitsField(std::string_view text, bool in_list) {
  if (text.empty() || text.find_first_of(",\r\n") != std::string_view::npos) return false;
  if (in_list) return text.find_first_of(" \t") == std::string_view::npos;
  const auto is_blank = [](char c) { return c == ' ' || c == '\t'; };
  return !is_blank(text.front()) && !is_blank(text.back());
}

absl::Status CheckNames(const PlanFile& file, bool with_pools, bool with_groups) {
  const auto wrong = [](std::string_view what, std::string_view name) {
    return absl::FailedPreconditionError(
        fmt::format("the {} `{}` cannot stand in a CSV table", what, ShownText(name)));
  };
  for (const planner::Buffer& buffer : file.problem.buffers) {
    if (!FitsField(buffer.name, false)) return wrong("id", buffer.name);
  }
  for (size_t i = 0; with_pools && i < file.problem.pools.size(); ++i) {
    if (!FitsField(file.problem.pools[i].name, true))
      return wrong("pool name", file.problem.pools[i].name);
  }
  for (size_t i = 0; with_groups && i < file.groups.size(); ++i) {
    if (!FitsField(file.groups[i], true)) return wrong("group name", file.groups[i]);
  }
  return absl::OkStatus();
}

/// `line` without its placement.
void AddLine(const PlanFile& file, std::string_view line, std::string& out) {
  while (!line.empty() && (line.back() == ' ' || line.back() == '\t')) line.remove_suffix(1);
  if (file.placement_columns.empty()) {
    out += line;
    return;
  }
  bool first = true;
  for (size_t place = 0;; ++place) {
    const size_t comma = line.find(',');
    if (std::find(file.placement_columns.begin(), file.placement_columns.end(), place) ==
        file.placement_columns.end()) {
      if (!first) out += ',';
      out += line.substr(0, comma);
      first = false;
    }
    if (comma == std::string_view::npos) return;
    line.remove_prefix(comma + 1);
  }
}

/// The parts of the problem that CSV cannot express.
std::vector<std::string> BeyondCsv(const planner::Problem& problem) {
  std::vector<std::string> parts;
  if (!problem.relations.empty()) parts.emplace_back("relations");
  if (problem.conflicts) parts.emplace_back("conflict lists");
  if (problem.memory_pressure) parts.emplace_back("a memory pressure");
  for (const planner::Pool& pool : problem.pools) {
    planner::Pool plain;
    plain.name = pool.name;
    const planner::PoolCost& cost = pool.cost;
    const bool has_cost = cost.clock_hz != 0 || cost.read_bytes_per_cycle != 0 ||
                          cost.write_bytes_per_cycle != 0 || cost.read_latency_cycles != 0 ||
                          cost.write_latency_cycles != 0;
    if (pool.capacity == plain.capacity && pool.alignment == plain.alignment &&
        pool.base_offset == plain.base_offset && pool.kind == plain.kind && !has_cost) {
      continue;
    }
    parts.push_back(fmt::format("properties of the pool `{}`", ShownText(pool.name)));
  }
  return parts;
}

class CsvProblemWriter {
 public:
  explicit CsvProblemWriter(const PlanFile& file) : file_(file), problem_(file.problem) {
    for (const planner::Buffer& buffer : problem_.buffers) {
      alignment_ |= buffer.alignment != 1;
      gaps_ |= !buffer.gaps.empty();
      lifetimes_ |= buffer.lifetimes.size() > 1;
      groups_ |= !buffer.groups.empty();
      kind_ |= buffer.kind != planner::BufferKind::kIntermediate;
      accesses_ |= buffer.bytes_read != 0 || buffer.bytes_written != 0;
      offset_ |= buffer.fixed_offset.has_value();
    }
    pools_ =
        problem_.pools.size() > 1 || (!problem_.pools.empty() && problem_.pools[0].name != "pool");
  }

  absl::StatusOr<std::string> Write() {
    const std::vector<std::string> beyond = BeyondCsv(problem_);
    if (!beyond.empty()) {
      return absl::FailedPreconditionError(
          fmt::format("CSV cannot hold {}", fmt::join(beyond, ", ")));
    }
    if (absl::Status names = CheckNames(file_, pools_, groups_); !names.ok()) return names;
    out_ = "id,lower,upper,size";
    const std::pair<bool, std::string_view> columns[] = {
        {alignment_, "alignment"}, {gaps_, "gaps"},     {lifetimes_, "lifetimes"},
        {kind_, "kind"},           {groups_, "groups"}, {accesses_, "bytes_read,bytes_written"},
        {pools_, "pools"},         {offset_, "offset"}};
    for (const auto& [has, name] : columns) {
      if (has) (out_ += ',') += name;
    }
    out_ += '\n';
    for (const planner::Buffer& buffer : problem_.buffers) AddBuffer(buffer);
    return std::move(out_);
  }

 private:
  void AddLifetimes(const planner::Buffer& buffer) {
    lives_.clear();
    for (const planner::Lifetime& life : buffer.lifetimes) {
      if (life.lower < life.upper) lives_.push_back(life);
    }
    Add(out_ += ',', lives_.empty() ? 0 : lives_.front().lower);
    Add(out_ += ',', lives_.empty() ? 0 : lives_.back().upper);
  }

  void AddGaps(const planner::Buffer& buffer) {
    out_ += ',';
    bool first = true;
    for (const planner::GapWindow& gap : buffer.gaps) {
      if (gap.lower == gap.upper) continue;
      if (!first) out_ += ' ';
      first = false;
      Add(out_, gap.lower);
      Add(out_ += '-', gap.upper);
      if (gap.first_byte == gap.end_byte) continue;
      Add(out_ += '@', gap.first_byte);
      Add(out_ += ':', gap.end_byte);
    }
  }

  template <typename Numbers, typename NameOf>
  void AddNames(const Numbers& numbers, const NameOf& name_of) {
    out_ += ',';
    for (size_t i = 0; i < numbers.size(); ++i) {
      if (i > 0) out_ += ' ';
      out_ += name_of(planner::Index(numbers[i]));
    }
  }

  void AddBuffer(const planner::Buffer& buffer) {
    out_ += buffer.name;
    AddLifetimes(buffer);
    Add(out_ += ',', buffer.size);
    if (alignment_) Add(out_ += ',', buffer.alignment);
    if (gaps_) AddGaps(buffer);
    if (lifetimes_) {
      out_ += ',';
      for (size_t i = 0; lives_.size() > 1 && i < lives_.size(); ++i) {
        if (i > 0) out_ += ' ';
        Add(out_, lives_[i].lower);
        Add(out_ += '-', lives_[i].upper);
      }
    }
    if (kind_) (out_ += ',') += BufferKindText(buffer.kind);
    if (groups_) AddNames(buffer.groups, [&](size_t i) { return file_.groups[i]; });
    if (accesses_) {
      Add(out_ += ',', buffer.bytes_read);
      Add(out_ += ',', buffer.bytes_written);
    }
    if (pools_) AddNames(buffer.pools, [&](size_t i) { return problem_.pools[i].name; });
    if (offset_) {
      out_ += ',';
      if (buffer.fixed_offset) Add(out_, *buffer.fixed_offset);
    }
    out_ += '\n';
  }

  const PlanFile& file_;
  const planner::Problem& problem_;
  std::string out_;
  std::vector<planner::Lifetime> lives_;
  bool alignment_ = false;
  bool gaps_ = false;
  bool lifetimes_ = false;
  bool groups_ = false;
  bool kind_ = false;
  bool accesses_ = false;
  bool pools_ = false;
  bool offset_ = false;
};

}  // namespace

absl::StatusOr<std::string> WritePlanCsv(const PlanFile& file, const planner::Plan& plan) {
  const planner::Problem& problem = file.problem;
  const bool with_pools = problem.pools.size() > 1 || file.placement_columns.size() > 1;
  const bool is_csv = !file.lines.empty();
  if (!is_csv || with_pools) {
    if (absl::Status names = CheckNames(file, with_pools, false); !names.ok()) return names;
  }
  std::string out;
  size_t bytes = 0;
  for (const std::string_view line : file.lines) bytes += line.size();
  out.reserve(bytes + 24 * plan.placements.size() + 100);
  if (is_csv) {
    AddLine(file, file.lines[0], out);
  } else {
    out += "id,size";
  }
  out += with_pools ? ",pool,offset\n" : ",offset\n";
  for (size_t i = 0; i < plan.placements.size(); ++i) {
    if (is_csv) {
      AddLine(file, file.lines[i + 1], out);
    } else {
      Add((out += problem.buffers[i].name) += ',', problem.buffers[i].size);
    }
    const planner::Placement& placed = plan.placements[i];
    if (with_pools) (out += ',') += problem.pools[planner::Index(placed.pool)].name;
    Add(out += ',', placed.offset);
    out += '\n';
  }
  return out;
}

absl::StatusOr<std::string> WriteProblemCsv(const PlanFile& file) {
  return CsvProblemWriter(file).Write();
}

}  // namespace tenon
