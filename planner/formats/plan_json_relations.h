#ifndef TENON_PLANNER_FORMATS_PLAN_JSON_RELATIONS_H_
#define TENON_PLANNER_FORMATS_PLAN_JSON_RELATIONS_H_

#include <vector>

#include "planner/formats/plan_file.h"
#include "planner/formats/plan_json_base.h"

namespace tenon {

/// Reads the lists `relations` and `conflicts` of a problem. They may refer to buffers that the
/// file defines later.
class PlanJsonRelations : PlanJsonBase {
 public:
  explicit PlanJsonRelations(const JsonChecks& checks) : PlanJsonBase(checks) {}

  /// Reads one element of the list.
  void ReadRelation(const JsonValue& value);
  void ReadConflicts(const JsonValue& value);
  /// Records that a list of conflicts begins at `offset`; the list may be empty.
  void SetConflicts(size_t offset) { conflicts_offset_ = offset; }

  /// Resolves the references and moves the lists to the problem; reports unknown buffers.
  void Resolve(planner::Problem& problem);

 private:
  void ReadRelationKind(const JsonValue& value, planner::Relation& relation);
  void ReadAllowed(const JsonValue& value, planner::Relation& relation);
  void CheckMembers(const JsonValue& value, const bool (&seen)[4],
                    const planner::Relation& relation) const;

  std::vector<planner::Relation> relations_;
  std::vector<size_t> offsets_;
  std::vector<BufferRef> pairs_;
  std::vector<std::vector<BufferRef>> conflicts_;
  std::optional<size_t> conflicts_offset_;
};

}  // namespace tenon

#endif  // TENON_PLANNER_FORMATS_PLAN_JSON_RELATIONS_H_
