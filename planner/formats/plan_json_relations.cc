#include "planner/formats/plan_json_relations.h"

#include <algorithm>
#include <array>
#include <utility>

#include "absl/container/flat_hash_set.h"

namespace tenon {

namespace {

constexpr std::array<std::string_view, 5> kRelation = {"kind", "a", "b", "allowed", "same_pool"};

}  // namespace

void PlanJsonRelations::ReadRelation(const JsonValue& value) {
  const JsonValue::Object* members = checks_.Object("a relation", value);
  if (members == nullptr) return;
  planner::Relation relation;
  std::optional<BufferRef> pair[2];
  bool seen[4] = {false, false, false, false};
  for (size_t i = 0; i < members->size(); ++i) {
    const JsonMember& member = (*members)[i];
    if (checks_.IsDuplicate(*members, i)) continue;
    if (member.key == "a" || member.key == "b") {
      const size_t side = member.key == "a" ? 0 : 1;
      seen[side] = true;
      pair[side] = ReadRef(Quoted(member.key), member.value);
    } else if (member.key == "kind") {
      seen[2] = true;
      ReadRelationKind(member.value, relation);
    } else if (member.key == "allowed") {
      seen[3] = true;
      ReadAllowed(member.value, relation);
    } else if (member.key == "same_pool") {
      relation.same_pool = checks_.Bool("`same_pool`", member.value).value_or(false);
    } else {
      Unknown(member, "a relation", kRelation);
    }
  }
  CheckMembers(value, seen, relation);
  if (!pair[0] || !pair[1]) return;
  offsets_.push_back(value.offset());
  pairs_.push_back(*std::move(pair[0]));
  pairs_.push_back(*std::move(pair[1]));
  relations_.push_back(std::move(relation));
}

void PlanJsonRelations::ReadRelationKind(const JsonValue& value, planner::Relation& relation) {
  const std::string* text = checks_.Text("`kind`", value);
  if (text == nullptr) return;
  const auto it = std::find(kRelationKinds.begin(), kRelationKinds.end(), *text);
  if (it == kRelationKinds.end()) {
    Error(DiagnosticKind::kLiteral, value.offset(),
          fmt::format("unknown kind `{}`, expected {}", ShownText(*text),
                      fmt::join(kRelationKinds, ", ")));
    return;
  }
  relation.kind = static_cast<planner::RelationKind>(it - kRelationKinds.begin());
}

/// Ends of ranges may be null: unbounded.
void PlanJsonRelations::ReadAllowed(const JsonValue& value, planner::Relation& relation) {
  const JsonValue::Array* list = checks_.List("`allowed`", value);
  if (list == nullptr) return;
  if (list->empty()) {
    Error(DiagnosticKind::kLiteral, value.offset(),
          "`allowed` is empty, expected at least one range");
  }
  for (const JsonValue& item : *list) {
    const JsonValue::Array* ends = checks_.List("a range", item);
    if (ends == nullptr) continue;
    if (ends->size() != 2) {
      Error(DiagnosticKind::kLiteral, item.offset(),
            fmt::format("a range has {} numbers, expected 2", ends->size()));
      continue;
    }
    planner::DifferenceRange range = {INT64_MIN, INT64_MAX};
    if (!(*ends)[0].is_null()) {
      range.first = checks_.Integer("a difference", (*ends)[0], INT64_MIN, INT64_MAX).value_or(0);
    }
    if (!(*ends)[1].is_null()) {
      range.last =
          checks_.Integer("a difference", (*ends)[1], INT64_MIN, INT64_MAX).value_or(INT64_MAX);
    }
    if (range.first > range.last) {
      Error(DiagnosticKind::kLiteral, item.offset(),
            fmt::format("the range from {} to {} is empty", range.first, range.last));
    }
    relation.allowed.push_back(range);
  }
}

void PlanJsonRelations::ReadConflicts(const JsonValue& value) {
  std::vector<BufferRef>& refs = conflicts_.emplace_back();
  const JsonValue::Array* list = checks_.List("a conflict list", value);
  if (list == nullptr) return;
  for (const JsonValue& item : *list) {
    if (std::optional<BufferRef> ref = ReadRef("a conflict", item)) refs.push_back(*std::move(ref));
  }
}

void PlanJsonRelations::CheckMembers(const JsonValue& value, const bool (&seen)[4],
                                     const planner::Relation& relation) const {
  constexpr std::string_view kNeeded[] = {"a", "b", "kind"};
  for (size_t i = 0; i < 3; ++i) {
    if (seen[i]) continue;
    Error(DiagnosticKind::kArguments, value.offset(),
          fmt::format("a relation without `{}`", kNeeded[i]));
  }
  const bool is_difference = relation.kind == planner::RelationKind::kOffsetDifference;
  if (!seen[2] || is_difference == seen[3]) return;
  Error(DiagnosticKind::kArguments, value.offset(),
        is_difference ? "an offset-difference without `allowed`"
                      : "only an offset-difference has `allowed`");
}

void PlanJsonRelations::Resolve(planner::Problem& problem) {
  const size_t count = problem.buffers.size();
  if (conflicts_offset_) {
    problem.conflicts.emplace();
    if (conflicts_.size() != count) {
      Error(DiagnosticKind::kArguments, *conflicts_offset_,
            fmt::format("{} conflict lists for {} buffers", conflicts_.size(), count));
      return;
    }
  }
  if (relations_.empty() && conflicts_.empty()) return;
  const BufferNames names(problem);
  absl::flat_hash_set<std::pair<int32_t, int32_t>> seen;
  for (size_t i = 0; i < relations_.size(); ++i) {
    planner::Relation& relation = relations_[i];
    const std::optional<int32_t> a = FindBuffer(names, pairs_[2 * i]);
    const std::optional<int32_t> b = FindBuffer(names, pairs_[2 * i + 1]);
    if (!a || !b) continue;
    relation.a = *a;
    relation.b = *b;
    if (*a == *b) {
      Error(DiagnosticKind::kArguments, offsets_[i], "a relation of a buffer to itself");
    } else if (!seen.insert(std::minmax(*a, *b)).second) {
      Error(DiagnosticKind::kDuplicateName, offsets_[i],
            fmt::format("duplicate relation of `{}` and `{}`",
                        ShownText(problem.buffers[planner::Index(*a)].name),
                        ShownText(problem.buffers[planner::Index(*b)].name)));
    }
  }
  problem.relations = std::move(relations_);
  for (const std::vector<BufferRef>& refs : conflicts_) {
    std::vector<int32_t>& list = problem.conflicts->emplace_back();
    for (const BufferRef& ref : refs) {
      if (const std::optional<int32_t> found = FindBuffer(names, ref)) list.push_back(*found);
    }
  }
}

}  // namespace tenon
