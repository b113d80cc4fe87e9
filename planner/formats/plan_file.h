#ifndef TENON_PLANNER_FORMATS_PLAN_FILE_H_
#define TENON_PLANNER_FORMATS_PLAN_FILE_H_

// What the CSV and the JSON format of planning problems have in common (plan_csv.h, plan_json.h).

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

/// A file with more buffers, or more candidate pools in all, is refused.
inline constexpr size_t kMostPlanBuffers = size_t{1} << 24;
inline constexpr size_t kMostPlanCandidates = size_t{1} << 28;
inline constexpr size_t kMostPlanPools = 1024;

/// A problem that was read. Views and ranges are good as long as the SourceManager.
struct PlanFile {
  planner::Problem problem;
  /// The names of the groups, by number.
  std::vector<std::string> groups;
  /// Where each buffer stands.
  std::vector<SourceRange> places;
  /// Of CSV: the header and the lines of the buffers as written, and which of the columns say where
  /// a buffer goes: they are replaced when the plan is written.
  std::vector<std::string_view> lines;
  std::vector<size_t> placement_columns;
};

/// The pools of the command line: `name[:bytes][:align=N][:base=N][:read-only]`. InvalidArgument
/// says what is wrong.
absl::StatusOr<planner::Pool> ParsePoolOption(std::string_view text);

/// Lets the command line change pools of the file, or add them if the file declares none.
absl::Status OverridePools(const std::vector<planner::Pool>& options, planner::Problem& problem);

/// Names, numbered as they come.
class NameNumbers {
 public:
  int32_t Number(std::string_view name);
  const std::vector<std::string>& names() const { return names_; }
  std::vector<std::string> TakeNames() { return std::move(names_); }

 private:
  absl::flat_hash_map<std::string, int32_t> numbers_;
  std::vector<std::string> names_;
};

/// The pools that buffers name, which may be declared later, or not at all.
class PoolNames {
 public:
  /// A number for Buffer::pools until Resolve.
  int32_t Number(std::string_view name, SourceRange where);

  /// Sets the problem's pools, and every buffer's candidates to their numbers: those that it names,
  /// or all that can take it. With no pools declared, those that are named are without limits.
  /// False after errors.
  bool Resolve(std::vector<planner::Pool> declared, PlanFile& file, DiagnosticKind kind,
               Diagnostics& diagnostics);
  /// After Resolve: the pool that a number from Number() stands for.
  int32_t PoolOf(int32_t number) const { return mapped_[planner::Index(number)]; }

 private:
  bool MapNames(const planner::Problem& problem, DiagnosticKind kind, Diagnostics& diagnostics);

  NameNumbers numbers_;
  std::vector<SourceRange> first_;
  std::vector<int32_t> mapped_;
};

/// Finds buffers by what names them: their id, where it is the only one, else their number.
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

/// `intermediate`, `input`, `output` and `constant`, and back.
std::string_view BufferKindText(planner::BufferKind kind);
std::optional<planner::BufferKind> BufferKindOf(std::string_view text);

/// Why `gap` is none of `buffer`, whose size and lifetimes are known; empty if it is one.
std::string RefuseGap(const planner::GapWindow& gap, const planner::Buffer& buffer);

}  // namespace tenon

#endif  // TENON_PLANNER_FORMATS_PLAN_FILE_H_
