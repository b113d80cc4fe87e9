#ifndef TENON_SUPPORT_JSON_READER_H_
#define TENON_SUPPORT_JSON_READER_H_

// Reads untrusted JSON with limits into a plain tree. Every value knows its offset, so that
// semantic errors can be located as precisely as syntax errors.

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
  /// An integer that fits in int64_t; nullopt for other numbers (including 2.0) and other kinds.
  std::optional<int64_t> as_int64() const;
  /// Any number as a double; nullopt for other kinds.
  std::optional<double> as_double() const;
  /// The member `key` of an object; null if it does not exist or this is not an object. Linear.
  const JsonValue* Find(std::string_view key) const;

  /// The byte offset in the text at which the value starts.
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
  /// The maximum number of values in memory at a time. Each takes about 50 bytes, however short its
  /// text.
  size_t max_values = 10'000'000;
  int max_depth = 64;  // of nested arrays and objects
  JsonDuplicates duplicates = JsonDuplicates::kError;
};

/// An error in a text, and its place.
struct JsonError {
  size_t offset = 0;
  std::string message;
};

/// Parses a text that contains one JSON value. The message of an error is `at byte N: what`;
/// `error`, if given, receives the two parts.
absl::StatusOr<JsonValue> ParseJson(std::string_view text, const JsonLimits& limits = {},
                                    JsonError* error = nullptr);

/// Receives the elements of lists that are members of the root object, each when it is complete.
/// The list itself stays empty. `list` is the member. If the sink returns false, parsing stops
/// without an error.
using JsonElementSink = std::function<bool(const JsonMember& list, JsonValue& element)>;

/// As ParseJson, for texts with lists that are too long for memory: their elements go to `sink`.
absl::StatusOr<JsonValue> ParseJsonLists(std::string_view text, const JsonElementSink& sink,
                                         const JsonLimits& limits = {}, JsonError* error = nullptr);

/// The end of the token that starts at `offset`: a string with its quotes, a number, a word, or a
/// single bracket.
size_t EndOfJsonToken(std::string_view text, size_t offset);

}  // namespace tenon

#endif  // TENON_SUPPORT_JSON_READER_H_
