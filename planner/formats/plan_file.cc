#include "planner/formats/plan_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "support/byte_size.h"
#include "support/json_checks.h"

namespace tenon {

namespace {

constexpr std::array<std::string_view, 4> kKinds = {"intermediate", "input", "output", "constant"};

/// Reads one part after the name. Returns the error, or an empty string.
std::string ReadPoolPart(std::string_view part, planner::Pool& pool) {
  if (part == "read-only") {
    pool.kind = planner::PoolKind::kReadOnly;
    return "";
  }
  const auto value = [&](std::string_view key) { return ParseByteSize(part.substr(key.size())); };
  if (part.starts_with("align=")) {
    const std::optional<int64_t> align = value("align=");
    if (!align || *align < 1 || *align > planner::kMaxAlignment || (*align & (*align - 1)) != 0)
      return "expected an alignment that is a power of two up to 2^40";
    pool.alignment = *align;
    return "";
  }
  if (part.starts_with("base=")) {
    const std::optional<int64_t> base = value("base=");
    if (!base || *base < 0 || *base > planner::kMaxAlignment)
      return "expected a base from 0 to 2^40";
    pool.base_offset = *base;
    return "";
  }
  const std::optional<int64_t> bytes = value("");
  if (!bytes || *bytes < 0 || *bytes > planner::kMaxBytes) {
    return "expected a size such as 65536 or 64K, align=N, base=N or read-only";
  }
  pool.capacity = *bytes;
  return "";
}

/// The kind of a part, to find repeated kinds.
std::string_view KindOfPart(std::string_view part) {
  if (part == "read-only") return part;
  return part.find('=') == std::string_view::npos ? "bytes" : part.substr(0, part.find('='));
}

}  // namespace

absl::StatusOr<planner::Pool> ParsePoolOption(std::string_view text) {
  planner::Pool pool;
  size_t at = text.find(':');
  pool.name = text.substr(0, at);
  if (pool.name.empty()) return absl::InvalidArgumentError(fmt::format("`{}` has no name", text));
  std::vector<std::string_view> seen;
  while (at != std::string_view::npos) {
    const size_t next = text.find(':', at + 1);
    const std::string_view part = text.substr(
        at + 1, next == std::string_view::npos ? std::string_view::npos : next - at - 1);
    std::string wrong = ReadPoolPart(part, pool);
    const std::string_view what = KindOfPart(part);
    if (wrong.empty() && std::find(seen.begin(), seen.end(), what) != seen.end())
      wrong = fmt::format("duplicate {}", what);
    seen.push_back(what);
    if (!wrong.empty()) {
      return absl::InvalidArgumentError(
          fmt::format("`{}` in the pool `{}`: {}", ShownText(part), ShownText(pool.name), wrong));
    }
    at = next;
  }
  return pool;
}

absl::Status OverridePools(const std::vector<planner::Pool>& options, planner::Problem& problem) {
  for (const planner::Pool& option : options) {
    const auto pool = std::find_if(problem.pools.begin(), problem.pools.end(),
                                   [&](const planner::Pool& p) { return p.name == option.name; });
    if (pool == problem.pools.end()) {
      std::vector<std::string_view> names;
      for (const planner::Pool& p : problem.pools) names.push_back(p.name);
      return absl::InvalidArgumentError(
          fmt::format("the problem has no pool `{}`, but {}", ShownText(option.name),
                      ShownText(fmt::format("{}", fmt::join(names, ", ")))));
    }
    if (option.capacity != planner::kUnlimited) pool->capacity = option.capacity;
    if (option.alignment != 1) pool->alignment = option.alignment;
    if (option.base_offset != 0) pool->base_offset = option.base_offset;
    if (option.kind == planner::PoolKind::kReadOnly) pool->kind = option.kind;
  }
  return absl::OkStatus();
}

int32_t NameNumbers::Number(std::string_view name) {
  const auto [it, is_new] =
      numbers_.try_emplace(std::string(name), static_cast<int32_t>(names_.size()));
  if (is_new) names_.emplace_back(name);
  return it->second;
}

int32_t PoolNames::Number(std::string_view name, SourceRange where) {
  const int32_t number = numbers_.Number(name);
  if (first_.size() < numbers_.names().size()) first_.push_back(where);
  return number;
}

bool PoolNames::MapNames(const planner::Problem& problem, DiagnosticKind kind,
                         Diagnostics& diagnostics) {
  bool ok = true;
  absl::flat_hash_map<std::string, int32_t> known;
  for (size_t p = 0; p < problem.pools.size(); ++p) {
    known.try_emplace(problem.pools[p].name, static_cast<int32_t>(p));
  }
  for (size_t i = 0; i < numbers_.names().size(); ++i) {
    const auto it = known.find(numbers_.names()[i]);
    mapped_.push_back(it == known.end() ? -1 : it->second);
    if (it != known.end()) continue;
    ok = false;
    diagnostics.Error(kind, first_[i],
                      fmt::format("unknown pool `{}`", ShownText(numbers_.names()[i])));
  }
  return ok;
}

bool PoolNames::Resolve(std::vector<planner::Pool> declared, PlanFile& file, DiagnosticKind kind,
                        Diagnostics& diagnostics) {
  planner::Problem& problem = file.problem;
  problem.pools = std::move(declared);
  const std::vector<std::string>& names = numbers_.names();
  if (problem.pools.empty()) {
    if (names.size() > kMostPlanPools) {
      diagnostics.Error(
          DiagnosticKind::kLimit, first_[kMostPlanPools],
          fmt::format("{} pools, more than the limit of {}", names.size(), kMostPlanPools));
      return false;
    }
    for (const std::string& name : names) problem.pools.emplace_back().name = name;
    if (names.empty()) problem.pools.emplace_back().name = "pool";
  }
  bool ok = MapNames(problem, kind, diagnostics);
  if (!ok) return false;
  absl::InlinedVector<int32_t, 1> all[2];
  for (size_t p = 0; p < problem.pools.size(); ++p) {
    all[1].push_back(static_cast<int32_t>(p));
    if (problem.pools[p].kind == planner::PoolKind::kReadWrite) {
      all[0].push_back(static_cast<int32_t>(p));
    }
  }
  size_t candidates = 0;
  for (size_t i = 0; i < problem.buffers.size(); ++i) {
    planner::Buffer& buffer = problem.buffers[i];
    const bool is_constant = buffer.kind == planner::BufferKind::kConstant;
    for (int32_t& pool : buffer.pools) {
      pool = mapped_[planner::Index(pool)];
      const planner::Pool& found = problem.pools[planner::Index(pool)];
      if (is_constant || found.kind == planner::PoolKind::kReadWrite) continue;
      diagnostics.Error(kind, file.places[i],
                        fmt::format("the pool `{}` is read-only, and takes only constants",
                                    ShownText(found.name)));
      ok = false;
    }
    if (buffer.pools.empty()) buffer.pools = all[is_constant ? 1 : 0];
    if (buffer.pools.empty()) {
      diagnostics.Error(kind, file.places[i],
                        "all pools are read-only, but this is not a constant");
      ok = false;
    }
    candidates += buffer.pools.size();
    if (candidates <= kMostPlanCandidates) continue;
    diagnostics.Error(DiagnosticKind::kLimit, file.places[i],
                      fmt::format("more than {} candidate pools", kMostPlanCandidates));
    return false;
  }
  return ok;
}

BufferNames::BufferNames(const planner::Problem& problem) {
  numbers_.reserve(problem.buffers.size());
  unique_.assign(problem.buffers.size(), true);
  for (size_t i = 0; i < problem.buffers.size(); ++i) {
    const auto [it, is_new] =
        numbers_.try_emplace(problem.buffers[i].name, static_cast<int32_t>(i));
    if (is_new) continue;
    unique_[i] = false;
    unique_[planner::Index(it->second)] = false;
  }
}

BufferNames::Found BufferNames::Find(std::string_view id, int32_t* number) const {
  const auto it = numbers_.find(std::string(id));
  if (it == numbers_.end()) return Found::kNone;
  *number = it->second;
  return IsUnique(it->second) ? Found::kOne : Found::kSeveral;
}

std::string_view BufferKindText(planner::BufferKind kind) {
  return kKinds[static_cast<size_t>(kind)];
}

std::optional<planner::BufferKind> BufferKindOf(std::string_view text) {
  const auto it = std::find(kKinds.begin(), kKinds.end(), text);
  if (it == kKinds.end()) return std::nullopt;
  return static_cast<planner::BufferKind>(it - kKinds.begin());
}

std::string RefuseGap(const planner::GapWindow& gap, const planner::Buffer& buffer) {
  if (gap.first_byte < 0 || gap.first_byte > gap.end_byte || gap.end_byte > buffer.size) {
    return fmt::format("bytes {} to {} of a buffer of {}", gap.first_byte, gap.end_byte,
                       buffer.size);
  }
  for (const planner::Lifetime& life : buffer.lifetimes) {
    if (gap.lower <= gap.upper && life.lower <= gap.lower && gap.upper <= life.upper) return "";
  }
  if (buffer.lifetimes.size() == 1) {
    return fmt::format("a gap from {} to {} in a lifetime from {} to {}", gap.lower, gap.upper,
                       buffer.lifetimes[0].lower, buffer.lifetimes[0].upper);
  }
  return fmt::format("expected a gap inside one of the {2} lifetimes, found one from {0} to {1}",
                     gap.lower, gap.upper, buffer.lifetimes.size());
}

}  // namespace tenon
