#include "support/json_checks.h"

#include <algorithm>

#include "fmt/format.h"

namespace tenon {

std::optional<JsonValue> JsonChecks::Parse(const JsonLimits& limits,
                                           const JsonElementSink& sink) const {
  JsonError error;
  absl::StatusOr<JsonValue> root = sink ? ParseJsonLists(file_.text(), sink, limits, &error)
                                        : ParseJson(file_.text(), limits, &error);
  if (root.ok()) return *std::move(root);
  Error(DiagnosticKind::kSyntax, error.offset, error.message);
  return std::nullopt;
}

SourceRange JsonChecks::RangeAt(size_t offset) const {
  const auto at = static_cast<uint32_t>(offset);
  const auto end = static_cast<uint32_t>(EndOfJsonToken(file_.text(), offset));
  return {file_.base() + at, file_.base() + std::max(end, at + 1)};
}

Diagnostic& JsonChecks::Error(DiagnosticKind kind, size_t offset, std::string message) const {
  return diagnostics_.Error(kind, RangeAt(offset), std::move(message));
}

void JsonChecks::WrongType(std::string_view what, const JsonValue& value,
                           std::string_view expected) const {
  const std::string_view kind = value.kind_name();
  const bool vowel = kind == "array" || kind == "object" || kind == "integer";
  Error(DiagnosticKind::kType, value.offset(),
        kind == "null"
            ? fmt::format("{} is null, expected {}", what, expected)
            : fmt::format("{} is {} {}, expected {}", what, vowel ? "an" : "a", kind, expected));
}

std::optional<int64_t> JsonChecks::Integer(std::string_view what, const JsonValue& value,
                                           int64_t least, int64_t most) const {
  const std::optional<int64_t> number = value.as_int64();
  if (number && *number >= least && *number <= most) return number;
  if (!value.as_double()) {
    WrongType(what, value, "an integer");
    return std::nullopt;
  }
  const size_t at = value.offset();
  const std::string_view token = file_.text().substr(at, EndOfJsonToken(file_.text(), at) - at);
  Error(DiagnosticKind::kLiteral, at,
        fmt::format("{} is {}, expected an integer from {} to {}", what, ShownText(token), least,
                    most));
  return std::nullopt;
}

const std::string* JsonChecks::Text(std::string_view what, const JsonValue& value) const {
  const std::string* text = value.as_string();
  if (text == nullptr) {
    WrongType(what, value, "a string");
  } else if (text->empty()) {
    Error(DiagnosticKind::kLiteral, value.offset(), fmt::format("{} is empty", what));
    return nullptr;
  }
  return text;
}

std::optional<bool> JsonChecks::Bool(std::string_view what, const JsonValue& value) const {
  if (value.as_bool() != nullptr) return *value.as_bool();
  WrongType(what, value, "true or false");
  return std::nullopt;
}

const JsonValue::Array* JsonChecks::List(std::string_view what, const JsonValue& value) const {
  if (value.as_array() == nullptr) WrongType(what, value, "an array");
  return value.as_array();
}

const JsonValue::Object* JsonChecks::Object(std::string_view what, const JsonValue& value) const {
  const JsonValue::Object* members = value.as_object();
  if (members == nullptr) {
    WrongType(what, value, "an object");
  } else if (members->size() > kMostMembers) {
    Error(DiagnosticKind::kLimit, (*members)[kMostMembers].key_offset,
          fmt::format("{} has {} members, more than the limit of {}", what, members->size(),
                      kMostMembers));
    return nullptr;
  }
  return members;
}

bool JsonChecks::IsDuplicate(const JsonValue::Object& members, size_t index) const {
  const std::string& key = members[index].key;
  for (size_t i = 0; i < index; ++i) {
    if (members[i].key != key) continue;
    Diagnostic& error = Error(DiagnosticKind::kDuplicateName, members[index].key_offset,
                              fmt::format("`{}` is given already", ShownText(key)));
    Diagnostics::AddNote(error, RangeAt(members[i].key_offset), "given here");
    return true;
  }
  return false;
}

}  // namespace tenon
