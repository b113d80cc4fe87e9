#ifndef TENON_PLANNER_FORMATS_PLAN_JSON_RELATIONS_H_
#define TENON_PLANNER_FORMATS_PLAN_JSON_RELATIONS_H_

#include <vector>

#include "planner/formats/plan_file.h"
#include "planner/formats/plan_json_base.h"

namespace tenon {

/// Reads what a problem says of its buffers beyond themselves: the lists `relations` and
/// `conflicts`, in which buffers are named that may follow later.
class PlanJsonRelations : PlanJsonBase {
 public:
  explicit PlanJsonRelations(const JsonChecks& checks) : PlanJsonBase(checks) {}

  /// One element of the list.
  void ReadRelation(const JsonValue& value);
  void ReadConflicts(const JsonValue& value);
  /// There is a list of conflicts, at `offset`, perhaps an empty one.
  void SetConflicts(size_t offset) { conflicts_offset_ = offset; }

  /// Finds the buffers that were named and moves all to the problem; reports those not found.
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
