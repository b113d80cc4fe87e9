#ifndef TENON_SUPPORT_JSON_READER_H_
#define TENON_SUPPORT_JSON_READER_H_

// JSON that somebody else wrote: read with limits into a plain tree in which every value knows
// where it stood, so that errors about its meaning can point at it as precisely as errors of
// syntax.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace tenon {

struct JsonMember;

/// One JSON value. Numbers are int64_t or uint64_t (from 2^63) if they are written as integers that
/// fit, else double. Objects keep the order of the text.
class JsonValue {
 public:
  using Array = std::vector<JsonValue>;
  using Object = std::vector<JsonMember>;

  bool is_null() const { return std::holds_alternative<std::monostate>(data_); }
  const bool* as_bool() const { return std::get_if<bool>(&data_); }
  const std::string* as_string() const { return std::get_if<std::string>(&data_); }
  const Array* as_array() const { return std::get_if<Array>(&data_); }
  const Object* as_object() const { return std::get_if<Object>(&data_); }
  /// An integer that an int64_t holds; nothing for other numbers (2.0 included) and kinds.
  std::optional<int64_t> as_int64() const;
  /// Any number.
  std::optional<double> as_double() const;
  /// The member `key` of an object; null if there is none, or this is no object. Linear.
  const JsonValue* Find(std::string_view key) const;

  /// Where the value starts in the text, in bytes.
  size_t offset() const { return offset_; }
  /// `null`, `boolean`, `integer`, `number`, `string`, `array` or `object`, for messages.
  std::string_view kind_name() const;

 private:
  friend class JsonTreeBuilder;
  std::variant<std::monostate, bool, int64_t, uint64_t, double, std::string, Array, Object> data_;
  size_t offset_ = 0;
};

struct JsonMember {
  std::string key;
  size_t key_offset = 0;
  JsonValue value;
};

enum class JsonDuplicates { kError, kKeepAll };

struct JsonLimits {
  size_t max_bytes = size_t{1} << 30;
  /// Held at a time; each takes about 50 bytes of memory, however short its text.
  size_t max_values = 10'000'000;
  int max_depth = 64;  // of nested arrays and objects
  JsonDuplicates duplicates = JsonDuplicates::kError;
};

/// What is wrong with a text, and where.
struct JsonError {
  size_t offset = 0;
  std::string message;
};

/// Parses a text that holds one JSON value. On failure the Status reads `at byte N: what`, and
/// `error`, if given, receives the parts.
absl::StatusOr<JsonValue> ParseJson(std::string_view text, const JsonLimits& limits = {},
                                    JsonError* error = nullptr);

/// Receives the elements of lists that are members of the root object, one after the other, each
/// once it is complete; the list itself stays empty. `list` is the member. False ends the parsing,
/// without an error.
using JsonElementSink = std::function<bool(const JsonMember& list, JsonValue& element)>;

/// The same for texts with lists that are too long to be held: their elements go to `sink`.
absl::StatusOr<JsonValue> ParseJsonLists(std::string_view text, const JsonElementSink& sink,
                                         const JsonLimits& limits = {}, JsonError* error = nullptr);

/// Where the token that starts at `offset` ends: a string with its quotes, a number or a word; a
/// bracket is a token of its own.
size_t EndOfJsonToken(std::string_view text, size_t offset);

/// Line and column, from 1, of a byte of `text`. Columns count bytes.
struct TextPosition {
  size_t line = 1;
  size_t column = 1;
};
TextPosition PositionOf(std::string_view text, size_t offset);

}  // namespace tenon

#endif  // TENON_SUPPORT_JSON_READER_H_
