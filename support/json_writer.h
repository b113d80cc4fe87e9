#ifndef TENON_SUPPORT_JSON_WRITER_H_
#define TENON_SUPPORT_JSON_WRITER_H_

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tenon {

/// Whether a JSON string can contain the text unchanged.
bool IsUtf8(std::string_view text);

/// The layout of the members of an object, or the elements of a list.
enum class JsonLayout : uint8_t {
  /// On one line: `{"a": 1, "b": [2, 3]}`.
  kInline,
  /// On one line without spaces: `{"a":1,"b":[2,3]}`.
  kCompact,
  /// Each on a separate line, indented by one space for each open object or list.
  kLines,
};

/// Appends JSON to a string in the order of the calls. Only the open objects and lists are kept.
/// The caller gives each member of an object a key, and closes every object and list that it opens.
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
  /// `layout` is the default for objects and lists.
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

  /// Writes the key of the next member, as a string.
  void Key(std::string_view key);
  /// Makes the next member or element of an inline object or list begin a new line.
  void BreakLine() { break_line_ = true; }

  /// Writes a string. Bytes that are not UTF-8 are replaced.
  void Value(std::string_view text);
  void Value(const char* text) { Value(std::string_view(text)); }
  void Value(bool value) { Raw(value ? "true" : "false"); }
  void Value(std::integral auto number) { Integer(static_cast<int64_t>(number)); }
  /// Writes the shortest text that reads back as the same number, with a point or an exponent.
  void Value(double number);
  void Null() { Raw("null"); }
  /// Writes the value, or null.
  template <typename T>
  void Value(const std::optional<T>& value) {
    value ? Value(*value) : Null();
  }
  /// Writes a list of values.
  template <typename T>
  void Value(const std::vector<T>& items) {
    List(items, [this](const T& item) { Value(item); });
  }
  /// Writes `json`, which must be one value, unchanged.
  void Raw(std::string_view json);

  template <typename T>
  void Member(std::string_view key, const T& value) {
    Key(key);
    Value(value);
  }

  /// Writes a list of `items`; `write` must write one value for each item.
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
  /// Writes the separator before a member or element, unless a key has just been written.
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
