#include "support/json_reader.h"

#include <algorithm>
#include <iterator>

#include "fmt/format.h"
#include "nlohmann/json.hpp"
#include "support/shown_text.h"

namespace tenon {
namespace {

/// Reads a text for nlohmann's lexer and exposes the current position, because SAX events have no
/// position.
class CountingIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  CountingIterator(const char* at, const char** progress) : at_(at), progress_(progress) {}
  reference operator*() const { return *at_; }
  CountingIterator& operator++() {
    *progress_ = ++at_;
    return *this;
  }
  CountingIterator operator++(int) {
    CountingIterator old = *this;
    ++*this;
    return old;
  }
  bool operator==(const CountingIterator& other) const { return at_ == other.at_; }
  bool operator!=(const CountingIterator& other) const { return at_ != other.at_; }

 private:
  const char* at_;
  const char** progress_;
};

/// The text that the library expected, according to its message.
std::string_view Expected(std::string_view message) {
  const auto has = [&](std::string_view part) { return message.find(part) != message.npos; };
  if (has("object key")) return "a key in double quotes";
  if (has("object separator")) return "`:` after the key";
  if (has("parsing object")) return "`,` or `}`";
  if (has("parsing array")) return "`,` or `]`";
  if (has("; expected end of input")) return "the end of the JSON";
  return "a value";
}

/// An error in a string or a number; nullopt for other errors. `found` is the wrong character.
std::optional<std::string> WrongPart(std::string_view message, std::string_view found) {
  const auto has = [&](std::string_view part) { return message.find(part) != message.npos; };
  if (has("missing closing quote"))
    return "expected `\"` at the end of the string, found the end of the JSON";
  if (has("UTF-8")) {
    const int byte = found.empty() ? 0 : static_cast<unsigned char>(found[0]);
    return fmt::format("expected UTF-8 in the string, found the byte {:#04x}", byte);
  }
  if (has("control character"))
    return "expected an escape such as `\\n` in the string, found a control character";
  if (has("after backslash"))
    return fmt::format("expected one of `\"\\/bfnrtu` after the backslash, found `{}`",
                       ShownText(found));
  if (has("4 hex digits")) return "expected four hexadecimal digits after `\\u`";
  if (has("surrogate"))
    return "expected a pair of surrogates, `\\ud800` to `\\udbff` and `\\udc00` to `\\udfff`";
  if (has("invalid number"))
    return found.empty()
               ? "expected a digit in the number, found the end of the JSON"
               : fmt::format("expected a digit in the number, found `{}`", ShownText(found));
  if (has("number overflow")) return "expected a number of at most 1.8e308";
  if (has("BOM")) return "expected the bytes EF BB BF of a byte order mark, or none of them";
  return std::nullopt;
}

}  // namespace

/// Receives the SAX events of one text. Every handler returns false to stop the parser.
class JsonTreeBuilder {
 public:
  JsonTreeBuilder(std::string_view text, const JsonLimits& limits, const JsonElementSink* sink)
      : text_(text), limits_(limits), sink_(sink), progress_(text.data()) {}

  const char** progress() { return &progress_; }
  const JsonError& error() const { return error_; }
  bool stopped() const { return stopped_; }
  JsonValue TakeRoot() { return std::move(root_); }

  bool null() { return Add(std::monostate()) != nullptr && HandOut(); }
  bool boolean(bool value) { return Add(value) != nullptr && HandOut(); }
  bool number_integer(int64_t value) { return Add(value) != nullptr && HandOut(); }
  bool number_unsigned(uint64_t value) {
    if (value <= static_cast<uint64_t>(INT64_MAX))
      return number_integer(static_cast<int64_t>(value));
    return Add(value) != nullptr && HandOut();
  }
  bool number_float(double value, const std::string&) { return Add(value) != nullptr && HandOut(); }
  bool string(std::string& value) { return Add(std::move(value)) != nullptr && HandOut(); }
  bool binary(std::vector<uint8_t>&) { return Fail(Offset(), "binary values are not JSON"); }
  bool start_object(size_t) {
    if (!Open(JsonValue::Object())) return false;
    // Elements for the sink are small and numerous: one reservation saves reallocations.
    if (sink_ != nullptr && open_.size() == 3)
      std::get<JsonValue::Object>(open_.back()->data_).reserve(8);
    return true;
  }
  bool start_array(size_t) { return Open(JsonValue::Array()); }
  bool key(std::string& text) {
    auto& members = std::get<JsonValue::Object>(open_.back()->data_);
    members.push_back({.key = std::move(text), .key_offset = Start(), .value = {}});
    return true;
  }
  bool end_object() {
    return CheckDuplicates(std::get<JsonValue::Object>(open_.back()->data_)) && Close();
  }
  bool end_array() { return Close(); }

  bool parse_error(size_t position, const std::string&, const nlohmann::detail::exception& e) {
    // The library's position is a count that includes the wrong character.
    const size_t at = position == 0 ? 0 : std::min(position - 1, text_.size());
    const std::string_view message = e.what();
    if (std::optional<std::string> part = WrongPart(message, text_.substr(at, 1)))
      return Fail(at, *std::move(part));
    if (message.find("unexpected end of input") != message.npos)
      return Fail(at, fmt::format("expected {}, found the end of the JSON", Expected(message)));
    const size_t start = std::min(StartOfWrong(at), at);
    const bool is_mark =
        start < text_.size() && std::string_view("{}[],:").find(text_[start]) != message.npos;
    const size_t end = is_mark ? start + 1 : std::max(EndOfJsonToken(text_, start), start);
    return Fail(start, fmt::format("expected {}, found `{}`", Expected(message),
                                   ShownText(text_.substr(start, end - start))));
  }

 private:
  size_t Offset() const { return static_cast<size_t>(progress_ - text_.data()); }

  /// The start of this event's token: the first character after the last event's token that is not
  /// a separator. The lexer may have read one character after a number, but that is a separator or
  /// a closing bracket.
  size_t Start() {
    size_t start = last_;
    while (start < text_.size() && IsSeparator(text_[start])) ++start;
    last_ = Offset();
    return start == text_.size() ? last_ : start;
  }

  /// The start of the token that ends at `at`, or is there: the first character after the last
  /// event's token that is not a blank, and not the separator that belongs there.
  size_t StartOfWrong(size_t at) const {
    size_t start = last_;
    while (start < at && IsSeparator(text_[start])) ++start;
    return start;
  }

  static bool IsSeparator(char c) {
    return c == ' ' || c == ',' || c == ':' || c == '\n' || c == '\r' || c == '\t';
  }

  template <typename T>
  JsonValue* Add(T&& data) {
    const size_t start = Start();
    // Values inside an element of a list of the root may go to the sink.
    if (sink_ == nullptr || open_.size() < 2) kept_ = values_ + 1;
    if (++values_ > limits_.max_values) {
      Fail(start, fmt::format("more than {} values", limits_.max_values));
      return nullptr;
    }
    JsonValue* slot = &root_;
    if (!open_.empty()) {
      JsonValue* parent = open_.back();
      if (auto* array = std::get_if<JsonValue::Array>(&parent->data_)) {
        slot = &array->emplace_back();
      } else {
        slot = &std::get<JsonValue::Object>(parent->data_).back().value;
      }
    }
    slot->data_ = std::forward<T>(data);
    slot->offset_ = start;
    return slot;
  }

  template <typename T>
  bool Open(T&& empty) {
    JsonValue* value = Add(std::forward<T>(empty));
    if (value == nullptr) return false;
    if (open_.size() >= static_cast<size_t>(limits_.max_depth)) {
      return Fail(value->offset_,
                  fmt::format("more than {} nested arrays and objects", limits_.max_depth));
    }
    // The pointer is valid until Close(): a parent's vector grows only if no child is open.
    open_.push_back(value);
    return true;
  }

  bool Close() {
    last_ = Offset();
    open_.pop_back();
    return HandOut();
  }

  /// Called after a complete value: passes it to the sink if it is an element for the sink.
  bool HandOut() {
    if (sink_ == nullptr || open_.size() != 2) return true;
    auto* list = std::get_if<JsonValue::Array>(&open_[1]->data_);
    if (list == nullptr || open_[0]->as_object() == nullptr) return true;
    if (!(*sink_)(std::get<JsonValue::Object>(open_[0]->data_).back(), list->back())) {
      stopped_ = true;
      return false;
    }
    list->clear();
    values_ = kept_;
    return true;
  }

  bool CheckDuplicates(const JsonValue::Object& members) {
    if (limits_.duplicates == JsonDuplicates::kKeepAll || members.size() < 2) return true;
    std::vector<const JsonMember*> sorted;
    sorted.reserve(members.size());
    for (const JsonMember& member : members) sorted.push_back(&member);
    std::sort(sorted.begin(), sorted.end(), [](const JsonMember* a, const JsonMember* b) {
      return a->key != b->key ? a->key < b->key : a->key_offset < b->key_offset;
    });
    const JsonMember* first = nullptr;
    for (size_t i = 1; i < sorted.size(); ++i) {
      if (sorted[i]->key != sorted[i - 1]->key) continue;
      if (first == nullptr || sorted[i]->key_offset < first->key_offset) first = sorted[i];
    }
    if (first == nullptr) return true;
    return Fail(first->key_offset, fmt::format("duplicate key `{}`", first->key));
  }

  bool Fail(size_t offset, std::string message) {
    error_ = {.offset = offset, .message = std::move(message)};
    return false;
  }

  std::string_view text_;
  const JsonLimits& limits_;
  const JsonElementSink* sink_;
  const char* progress_;
  size_t last_ = 0;
  size_t values_ = 0;
  size_t kept_ = 0;
  bool stopped_ = false;
  JsonValue root_;
  std::vector<JsonValue*> open_;
  JsonError error_;
};

std::optional<int64_t> JsonValue::as_int64() const {
  const auto* value = std::get_if<int64_t>(&data_);
  return value == nullptr ? std::nullopt : std::optional<int64_t>(*value);
}

std::optional<double> JsonValue::as_double() const {
  if (const auto* value = std::get_if<int64_t>(&data_)) return static_cast<double>(*value);
  if (const auto* value = std::get_if<uint64_t>(&data_)) return static_cast<double>(*value);
  if (const auto* value = std::get_if<double>(&data_)) return *value;
  return std::nullopt;
}

const JsonValue* JsonValue::Find(std::string_view key) const {
  const Object* members = as_object();
  if (members == nullptr) return nullptr;
  for (const JsonMember& member : *members) {
    if (member.key == key) return &member.value;
  }
  return nullptr;
}

std::string_view JsonValue::kind_name() const {
  constexpr std::string_view kNames[] = {"null",   "boolean", "integer", "integer",
                                         "number", "string",  "array",   "object"};
  return kNames[data_.index()];
}

namespace {

absl::StatusOr<JsonValue> Parse(std::string_view text, const JsonElementSink* sink,
                                const JsonLimits& limits, JsonError* error) {
  JsonTreeBuilder builder(text, limits, sink);
  JsonError found;
  bool ok = false;
  if (text.size() > limits.max_bytes) {
    found = {.offset = limits.max_bytes,
             .message = fmt::format("{} bytes of JSON, more than the limit of {}", text.size(),
                                    limits.max_bytes)};
  } else if (text.empty()) {
    // The library's message for this differs between releases.
    found.message = "expected a value, found the end of the JSON";
  } else {
    ok = nlohmann::json::sax_parse(CountingIterator(text.data(), builder.progress()),
                                   CountingIterator(text.data() + text.size(), builder.progress()),
                                   &builder);
    found = builder.error();
  }
  if (ok || builder.stopped()) return builder.TakeRoot();
  if (error != nullptr) *error = found;
  return absl::InvalidArgumentError(fmt::format("at byte {}: {}", found.offset, found.message));
}

}  // namespace

absl::StatusOr<JsonValue> ParseJson(std::string_view text, const JsonLimits& limits,
                                    JsonError* error) {
  return Parse(text, nullptr, limits, error);
}

absl::StatusOr<JsonValue> ParseJsonLists(std::string_view text, const JsonElementSink& sink,
                                         const JsonLimits& limits, JsonError* error) {
  return Parse(text, &sink, limits, error);
}

size_t EndOfJsonToken(std::string_view text, size_t offset) {
  if (offset >= text.size()) return text.size();
  size_t end = offset + 1;
  if (text[offset] == '"') {
    while (end < text.size() && text[end] != '"' && text[end] != '\n') {
      end += text[end] == '\\' ? 2 : 1;
    }
    return std::min(end + 1, text.size());
  }
  if (text[offset] == '{' || text[offset] == '[') return end;
  return std::min(text.find_first_of(" \t\r\n,:]}", end), text.size());
}

}  // namespace tenon
