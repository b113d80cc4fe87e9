#ifndef TENON_SUPPORT_JSON_WRITER_H_
#define TENON_SUPPORT_JSON_WRITER_H_

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tenon {

/// True for text that a JSON string can hold as it is.
bool IsUtf8(std::string_view text);

/// How the members of an object, or the elements of a list, stand.
enum class JsonLayout : uint8_t {
  /// One after the other: `{"a": 1, "b": [2, 3]}`.
  kInline,
  /// The same without spaces: `{"a":1,"b":[2,3]}`.
  kCompact,
  /// Each on a line of its own, indented by one space for each open object or list.
  kLines,
};

/// Appends JSON to a string as it is told: members come in the order of the calls, and nothing is
/// held but the open objects and lists. The caller gives each member of an object a key, and closes
/// what it opens.
///
///   JsonWriter json(out);
///   json.BeginObject(JsonLayout::kLines);
///   json.Member("version", 1);
///   json.Key("sizes");
///   json.BeginList();
///   json.Value(16);
///   json.EndList();
///   json.EndObject();
class JsonWriter {
 public:
  /// Objects and lists that do not name a layout have `layout`.
  explicit JsonWriter(std::string& out, JsonLayout layout = JsonLayout::kInline)
      : out_(out), layout_(layout) {}
  JsonWriter(const JsonWriter&) = delete;
  JsonWriter& operator=(const JsonWriter&) = delete;

  void BeginObject() { Open('{', layout_); }
  void BeginObject(JsonLayout layout) { Open('{', layout); }
  void EndObject() { Close('}'); }
  void BeginList() { Open('[', layout_); }
  void BeginList(JsonLayout layout) { Open('[', layout); }
  void EndList() { Close(']'); }

  /// The next value is the member `key`, written as a string is.
  void Key(std::string_view key);
  /// The next member or element of an inline object or list begins a new line.
  void BreakLine() { break_line_ = true; }

  /// A string; bytes that are not UTF-8 are replaced.
  void Value(std::string_view text);
  void Value(const char* text) { Value(std::string_view(text)); }
  void Value(bool value) { Raw(value ? "true" : "false"); }
  void Value(std::integral auto number) { Integer(static_cast<int64_t>(number)); }
  /// The shortest text that reads back as the same number, with a point or an exponent.
  void Value(double number);
  void Null() { Raw("null"); }
  /// The value, or null.
  template <typename T>
  void Value(const std::optional<T>& value) {
    value ? Value(*value) : Null();
  }
  /// A list of values.
  template <typename T>
  void Value(const std::vector<T>& items) {
    List(items, [this](const T& item) { Value(item); });
  }
  /// `json` as it is, one value.
  void Raw(std::string_view json);

  template <typename T>
  void Member(std::string_view key, const T& value) {
    Key(key);
    Value(value);
  }

  /// A list with what `write` writes for each of `items`, one value each.
  template <typename Items, typename Write>
  void List(const Items& items, JsonLayout layout, const Write& write) {
    BeginList(layout);
    for (const auto& item : items) write(item);
    EndList();
  }
  template <typename Items, typename Write>
  void List(const Items& items, const Write& write) {
    List(items, layout_, write);
  }

 private:
  struct Nest {
    JsonLayout layout;
    bool is_empty = true;
  };

  void Open(char bracket, JsonLayout layout);
  void Close(char bracket);
  void Integer(int64_t number);
  /// Appends a string in quotes.
  void Quote(std::string_view text);
  /// What stands before a member or element, unless a key has just been written.
  void Separate();
  void NewLine();

  std::string& out_;
  JsonLayout layout_;
  std::vector<Nest> nests_;
  bool after_key_ = false;
  bool break_line_ = false;
};

}  // namespace tenon

#endif  // TENON_SUPPORT_JSON_WRITER_H_
