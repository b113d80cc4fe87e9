#ifndef TENON_PLANNER_FORMATS_PLAN_JSON_BASE_H_
#define TENON_PLANNER_FORMATS_PLAN_JSON_BASE_H_

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "planner/formats/plan_file.h"
#include "planner/formats/plan_json.h"
#include "support/json_checks.h"

namespace tenon {

/// In the order of planner::RelationKind.
inline constexpr std::array<std::string_view, 3> kRelationKinds = {"disjoint", "may-share",
                                                                   "offset-difference"};

/// A reference to a buffer that the file may define later.
struct BufferRef {
  std::string id;
  int64_t number = -1;  // set if the reference is a number
  size_t offset = 0;
};

/// Code that the readers of problems and of plans share.
class PlanJsonBase {
 protected:
  explicit PlanJsonBase(const JsonChecks& checks) : checks_(checks) {}

  void Error(DiagnosticKind kind, size_t offset, std::string message) const {
    checks_.Error(kind, offset, std::move(message));
  }
  template <typename Names>
  void Unknown(const JsonMember& member, std::string_view what, const Names& names) const {
    Error(DiagnosticKind::kArguments, member.key_offset,
          fmt::format("unknown member `{}` of {}, expected one of {}", ShownText(member.key), what,
                      fmt::join(names, ", ")));
  }
  /// The key in backquotes; valid until the next call.
  std::string_view Quoted(std::string_view key);

  /// Reports an error if `version` is not kPlanJsonVersion.
  void ReadVersion(const JsonValue& version) const;
  void ReadInt(const JsonMember& member, int64_t least, int64_t most, int64_t& out);
  void ReadAlignment(const JsonMember& member, int64_t& out);
  /// Reads a list of `least` or `most` integers; returns false after an error.
  bool ReadInts(std::string_view what, const JsonValue& value, size_t least, size_t most,
                int64_t* out);
  std::optional<BufferRef> ReadRef(std::string_view what, const JsonValue& value) const;

  /// The buffer's number, or an error.
  std::optional<int32_t> FindBuffer(const BufferNames& names, const BufferRef& ref) const;

  const JsonChecks& checks_;

 private:
  std::string quoted_;
};

}  // namespace tenon

#endif  // TENON_PLANNER_FORMATS_PLAN_JSON_BASE_H_
