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

/// What a reader of a JSON file asks of its values, with a diagnostic at the value when it is
/// something else.
class JsonChecks {
 public:
  static constexpr size_t kMostMembers = 64;

  JsonChecks(const SourceFile& file, Diagnostics& diagnostics)
      : file_(file), diagnostics_(diagnostics) {}

  /// The token at a byte of the file.
  SourceRange RangeAt(size_t offset) const;
  Diagnostic& Error(DiagnosticKind kind, size_t offset, std::string message) const;
  /// `{what} is a string, expected {expected}`.
  void WrongType(std::string_view what, const JsonValue& value, std::string_view expected) const;

  /// An integer from `least` to `most`, or an error and nothing.
  std::optional<int64_t> Integer(std::string_view what, const JsonValue& value, int64_t least,
                                 int64_t most) const;
  /// The string, or an error and null. An empty one is an error, too.
  const std::string* Text(std::string_view what, const JsonValue& value) const;
  std::optional<bool> Bool(std::string_view what, const JsonValue& value) const;
  const JsonValue::Array* List(std::string_view what, const JsonValue& value) const;
  /// With at most kMostMembers, so that looking at all pairs is cheap.
  const JsonValue::Object* Object(std::string_view what, const JsonValue& value) const;
  /// The key of this member came before, which is an error.
  bool IsDuplicate(const JsonValue::Object& members, size_t index) const;

 private:
  const SourceFile& file_;
  Diagnostics& diagnostics_;
};

}  // namespace tenon

#endif  // TENON_SUPPORT_JSON_CHECKS_H_
