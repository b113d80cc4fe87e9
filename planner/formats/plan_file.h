#ifndef TENON_PLANNER_FORMATS_PLAN_FILE_H_
#define TENON_PLANNER_FORMATS_PLAN_FILE_H_

// Code that the CSV and the JSON format of planning problems share (plan_csv.h, plan_json.h).

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "planner/problem/problem.h"
#include "support/diagnostics.h"
#include "support/source.h"

namespace tenon {

/// The limits on buffers, candidate pools in all, and pools; larger files are refused.
inline constexpr size_t kMostPlanBuffers = size_t{1} << 24;
inline constexpr size_t kMostPlanCandidates = size_t{1} << 28;
inline constexpr size_t kMostPlanPools = 1024;

/// A problem that was read. Its views and ranges are valid as long as the SourceManager.
struct PlanFile {
  planner::Problem problem;
  /// The names of the groups, by number.
  std::vector<std::string> groups;
  /// The place of each buffer in the file.
  std::vector<SourceRange> places;
  /// For CSV: the header and the buffers' lines as written, and the columns that state a placement.
  /// These columns are replaced when the plan is written.
  std::vector<std::string_view> lines;
  std::vector<size_t> placement_columns;
};

/// Parses a pool of the command line: `name[:bytes][:align=N][:base=N][:read-only]`.
/// InvalidArgument describes the error.
absl::StatusOr<planner::Pool> ParsePoolOption(std::string_view text);

/// Applies the command line's pools: changes those of the file, or adds them if the file declares
/// none.
absl::Status OverridePools(const std::vector<planner::Pool>& options, planner::Problem& problem);

/// Numbers names in order of appearance.
class NameNumbers {
 public:
  int32_t Number(std::string_view name);
  const std::vector<std::string>& names() const { return names_; }
  std::vector<std::string> TakeNames() { return std::move(names_); }

 private:
  absl::flat_hash_map<std::string, int32_t> numbers_;
  std::vector<std::string> names_;
};

/// The pools that buffers name, which may be declared later or not at all.
class PoolNames {
 public:
  /// A number for Buffer::pools until Resolve.
  int32_t Number(std::string_view name, SourceRange where);

  /// Sets the problem's pools, and every buffer's candidates to the pool numbers: the pools that
  /// the buffer names, or all that can hold it. If no pools are declared, the named ones have no
  /// limits. False after errors.
  bool Resolve(std::vector<planner::Pool> declared, PlanFile& file, DiagnosticKind kind,
               Diagnostics& diagnostics);
  /// Valid after Resolve: the pool for a number that Number() returned.
  int32_t PoolOf(int32_t number) const { return mapped_[planner::Index(number)]; }

 private:
  bool MapNames(const planner::Problem& problem, DiagnosticKind kind, Diagnostics& diagnostics);

  NameNumbers numbers_;
  std::vector<SourceRange> first_;
  std::vector<int32_t> mapped_;
};

/// Finds buffers by their id if it is unique, otherwise by their number.
class BufferNames {
 public:
  explicit BufferNames(const planner::Problem& problem);

  enum class Found : uint8_t { kOne, kNone, kSeveral };
  Found Find(std::string_view id, int32_t* number) const;
  size_t count() const { return unique_.size(); }
  bool IsUnique(int32_t number) const { return unique_[planner::Index(number)]; }

 private:
  absl::flat_hash_map<std::string, int32_t> numbers_;
  std::vector<bool> unique_;
};

/// Convert between BufferKind and `intermediate`, `input`, `output` and `constant`.
std::string_view BufferKindText(planner::BufferKind kind);
std::optional<planner::BufferKind> BufferKindOf(std::string_view text);

/// Why `gap` is invalid for `buffer`, whose size and lifetimes are known; empty if it is valid.
std::string RefuseGap(const planner::GapWindow& gap, const planner::Buffer& buffer);

}  // namespace tenon

#endif  // TENON_PLANNER_FORMATS_PLAN_FILE_H_
