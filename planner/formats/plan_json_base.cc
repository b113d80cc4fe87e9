#include "planner/formats/plan_json_base.h"

namespace tenon {

std::string_view PlanJsonBase::Quoted(std::string_view key) {
  quoted_.assign(1, '`');
  quoted_ += key;
  return quoted_ += '`';
}

void PlanJsonBase::ReadVersion(const JsonValue& version) const {
  const std::optional<int64_t> number = checks_.Integer("`version`", version, 1, INT64_MAX);
  if (!number || *number == kPlanJsonVersion) return;
  Error(DiagnosticKind::kUnsupported, version.offset(),
        fmt::format("version {} of the format, expected {}", *number, kPlanJsonVersion));
}

void PlanJsonBase::ReadInt(const JsonMember& member, int64_t least, int64_t most, int64_t& out) {
  if (const std::optional<int64_t> value =
          checks_.Integer(Quoted(member.key), member.value, least, most)) {
    out = *value;
  }
}

void PlanJsonBase::ReadAlignment(const JsonMember& member, int64_t& out) {
  ReadInt(member, 1, planner::kMaxAlignment, out);
  if ((out & (out - 1)) == 0) return;
  Error(DiagnosticKind::kLiteral, member.value.offset(),
        fmt::format("`alignment` is {}, expected a power of two", out));
  out = 1;
}

bool PlanJsonBase::ReadInts(std::string_view what, const JsonValue& value, size_t least,
                            size_t most, int64_t* out) {
  const JsonValue::Array* list = checks_.List(what, value);
  if (list == nullptr) return false;
  if (list->size() != least && list->size() != most) {
    Error(DiagnosticKind::kLiteral, value.offset(),
          least == most ? fmt::format("{} has {} numbers, expected {}", what, list->size(), least)
                        : fmt::format("{} has {} numbers, expected {} or {}", what, list->size(),
                                      least, most));
    return false;
  }
  bool ok = true;
  for (size_t i = 0; i < list->size(); ++i) {
    const std::optional<int64_t> number = checks_.Integer(what, (*list)[i], INT64_MIN, INT64_MAX);
    ok &= number.has_value();
    out[i] = number.value_or(0);
  }
  return ok;
}

std::optional<BufferRef> PlanJsonBase::ReadRef(std::string_view what,
                                               const JsonValue& value) const {
  BufferRef ref;
  ref.offset = value.offset();
  if (const std::string* id = value.as_string()) {
    ref.id = *id;
    return ref;
  }
  if (!value.as_double()) {
    checks_.WrongType(what, value, "the id or the number of a buffer");
    return std::nullopt;
  }
  const std::optional<int64_t> number = checks_.Integer(what, value, 0, INT32_MAX);
  if (!number) return std::nullopt;
  ref.number = *number;
  return ref;
}

std::optional<int32_t> PlanJsonBase::FindBuffer(const BufferNames& names,
                                                const BufferRef& ref) const {
  if (ref.number >= 0) {
    const size_t count = names.count();
    if (static_cast<size_t>(ref.number) < count) return static_cast<int32_t>(ref.number);
    Error(DiagnosticKind::kUndefinedName, ref.offset,
          fmt::format("buffer number {}, but there are {}, from 0", ref.number, count));
    return std::nullopt;
  }
  int32_t number = -1;
  switch (names.Find(ref.id, &number)) {
    case BufferNames::Found::kOne:
      return number;
    case BufferNames::Found::kNone:
      Error(DiagnosticKind::kUndefinedName, ref.offset,
            fmt::format("no buffer has the id `{}`", ShownText(ref.id)));
      break;
    case BufferNames::Found::kSeveral:
      Error(DiagnosticKind::kDuplicateName, ref.offset,
            fmt::format("several buffers have the id `{}`; name it by its number",
                        ShownText(ref.id)));
      break;
  }
  return std::nullopt;
}

}  // namespace tenon
