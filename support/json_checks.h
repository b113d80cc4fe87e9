#ifndef TENON_SUPPORT_JSON_CHECKS_H_
#define TENON_SUPPORT_JSON_CHECKS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "support/diagnostics.h"
#include "support/json_reader.h"
#include "support/shown_text.h"
#include "support/source.h"

namespace tenon {

/// Checks the values of a JSON file for its reader, with a diagnostic at each wrong value.
class JsonChecks {
 public:
  static constexpr size_t kMostMembers = 64;

  JsonChecks(const SourceFile& file, Diagnostics& diagnostics)
      : file_(file), diagnostics_(diagnostics) {}

  /// The file's value; else nullopt, with an error. `sink`, unless empty, gets the elements of long
  /// lists (ParseJsonLists).
  std::optional<JsonValue> Parse(const JsonLimits& limits, const JsonElementSink& sink = {}) const;
  /// The range of the token at a byte of the file.
  SourceRange RangeAt(size_t offset) const;
  Diagnostic& Error(DiagnosticKind kind, size_t offset, std::string message) const;
  /// `{what} is a string, expected {expected}`.
  void WrongType(std::string_view what, const JsonValue& value, std::string_view expected) const;

  /// An integer from `least` to `most`; else nullopt, with an error.
  std::optional<int64_t> Integer(std::string_view what, const JsonValue& value, int64_t least,
                                 int64_t most) const;
  /// The string; else null, with an error. An empty string is also an error.
  const std::string* Text(std::string_view what, const JsonValue& value) const;
  std::optional<bool> Bool(std::string_view what, const JsonValue& value) const;
  const JsonValue::Array* List(std::string_view what, const JsonValue& value) const;
  /// The object; else null, with an error. At most kMostMembers members are allowed, so that a
  /// search of all pairs is cheap.
  const JsonValue::Object* Object(std::string_view what, const JsonValue& value) const;
  /// Whether an earlier member has the same key. Reports an error if so.
  bool IsDuplicate(const JsonValue::Object& members, size_t index) const;

 private:
  const SourceFile& file_;
  Diagnostics& diagnostics_;
};

}  // namespace tenon

#endif  // TENON_SUPPORT_JSON_CHECKS_H_
