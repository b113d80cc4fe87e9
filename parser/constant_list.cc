#include "parser/constant_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>

#include "parser/constant_element.h"

namespace tenon {
namespace {

constexpr int kMostReported = 3;
constexpr int kMostNested = 200;

bool IsSpace(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f'; }

// The end of a token; strings end after their quote.
size_t TokenEnd(std::string_view text, size_t at) {
  if (text[at] == '"' || text[at] == '\'') {
    const size_t close = text.find(text[at], at + 1);
    return close == std::string_view::npos ? text.size() : close + 1;
  }
  while (at < text.size() && !IsSpace(text[at]) &&
         std::string_view(",[]#\"'").find(text[at]) == std::string_view::npos) {
    ++at;
  }
  return at;
}

class ListReader {
 public:
  ListReader(std::string_view text, size_t open, size_t end, DataType dtype, uint32_t source_base,
             Diagnostics& diagnostics, ConstantListResult* result)
      : text_(text.substr(0, end)),
        at_(open),
        dtype_(dtype.element()),
        width_(static_cast<size_t>(dtype.element_bytes())),
        source_base_(source_base),
        diagnostics_(diagnostics),
        result_(result) {
    ReserveFor(open, end);
  }

  void ReserveFor(size_t open, size_t end) {
    const auto commas = std::count(text_.begin() + static_cast<ptrdiff_t>(open),
                                   text_.begin() + static_cast<ptrdiff_t>(end), ',');
    room_ = commas + 1;
  }

  bool Read(int64_t expected_count) {
    if (expected_count >= 0) room_ = std::min(room_, expected_count);
    result_->bytes.resize(static_cast<size_t>(room_) * width_);
    out_ = result_->bytes.data();
    Open();
    while (!levels_.empty()) {
      if (may_be_leaf_) ReadUsual();
      SkipSpace();
      const char c = text_[at_];
      if (c == ']') {
        Close();
      } else if (c == '[') {
        Open();
      } else if (c == ',') {
        Complain(DiagnosticKind::kSyntax, at_, at_ + 1, "`,` where an element was expected");
        ++at_;
      } else {
        ReadOther();
        AfterElement();
      }
    }
    Finish();
    return errors_ == 0;
  }

 private:
  struct Level {
    int64_t count = 0;
  };

  void Complain(DiagnosticKind kind, size_t begin, size_t end, std::string message) {
    if (++errors_ > kMostReported) return;
    diagnostics_.Error(
        kind,
        {source_base_ + static_cast<uint32_t>(begin), source_base_ + static_cast<uint32_t>(end)},
        std::move(message));
  }

  void SkipSpace() {
    while (IsSpace(text_[at_]) || text_[at_] == '#') {
      if (text_[at_] == '#') {
        at_ = std::min(text_.find('\n', at_), text_.size() - 1);
        if (text_[at_] != '\n') return;
      }
      ++at_;
    }
  }

  void Open() {
    if (levels_.size() == kMostNested) {
      Complain(DiagnosticKind::kLimit, at_, at_ + 1,
               fmt::format("more than {} nested lists", kMostNested));
      levels_.clear();
      return;
    }
    if (!levels_.empty()) {
      if (leaf_depth_ == levels_.size()) {
        Complain(DiagnosticKind::kSyntax, at_, at_ + 1, "a list among the elements of a list");
      }
      ++levels_.back().count;
    }
    levels_.push_back({});
    may_be_leaf_ = leaf_depth_ == 0 || leaf_depth_ == levels_.size();
    ++at_;
  }

  void Close() {
    const size_t depth = levels_.size();
    const int64_t count = levels_.back().count;
    if (extents_.size() < depth) extents_.resize(depth, -1);
    if (extents_[depth - 1] == -1) {
      extents_[depth - 1] = count;
    } else if (extents_[depth - 1] != count) {
      Complain(DiagnosticKind::kSyntax, at_, at_ + 1,
               fmt::format("a list of {} elements after lists of {}", count, extents_[depth - 1]));
    }
    levels_.pop_back();
    may_be_leaf_ = leaf_depth_ == 0 || leaf_depth_ == levels_.size();
    ++at_;
    if (!levels_.empty()) AfterElement();
  }

  // Reads the comma after an element or inner list. A bracket that closes the list is left unread.
  void AfterElement() {
    SkipSpace();
    if (text_[at_] == ',') {
      ++at_;
    } else if (text_[at_] != ']') {
      const size_t end = text_[at_] == '[' ? at_ + 1 : TokenEnd(text_, at_);
      Complain(DiagnosticKind::kSyntax, at_, end, "expected `,` or `]` after an element");
    }
  }

  void CountElements(int64_t count) {
    const size_t depth = levels_.size();
    if (count == 0) return;
    if (leaf_depth_ == 0) leaf_depth_ = depth;
    if (leaf_depth_ != depth) {
      Complain(DiagnosticKind::kSyntax, at_, at_ + 1, "an element among lists");
    }
    levels_.back().count += count;
  }

  // Reads elements in their usual spelling, each with the comma after it; stops before other
  // spellings.
  void ReadUsual() {
    const int64_t before = stored_;
    if (dtype_.is_bool()) {
      ReadBools();
    } else if (dtype_.is_integer()) {
      ReadIntegersByWidth();
    } else if (dtype_ == DataType::Float(32)) {
      ReadFloats<float>();
    } else if (dtype_ == DataType::Float(64)) {
      ReadFloats<double>();
    }
    CountElements(stored_ - before);
  }

  void ReadIntegersByWidth() {
    switch (width_) {
      case 1:
        return ReadIntegers<uint8_t>();
      case 2:
        return ReadIntegers<uint16_t>();
      case 4:
        return ReadIntegers<uint32_t>();
      case 8:
        return ReadIntegers<uint64_t>();
      default:
        return;
    }
  }

  // The closing bracket ends every run of digits, so no comparison with the text's end is needed.
  template <typename Word>
  void ReadIntegers() {
    const IntegerRange range = RangeOf(dtype_);
    const char* p = text_.data() + at_;
    uint8_t* out = out_ + static_cast<size_t>(stored_) * sizeof(Word);
    int64_t stored = stored_;
    for (; stored < room_; ++stored) {
      const bool negative = *p == '-';
      const char* q = p + (negative ? 1 : 0);
      const char* digits = q;
      uint64_t value = static_cast<unsigned char>(*q - '0');
      if (value > 9) break;
      const bool zero = value == 0;
      for (uint64_t digit = 0; (digit = static_cast<unsigned char>(*++q - '0')) <= 9;) {
        value = value * 10 + digit;
      }
      constexpr ptrdiff_t kSafeDigits = 19;  // below 10^19, which an uint64_t holds
      if (*q != ',' || q - digits > (zero ? 1 : kSafeDigits)) break;
      if (value > (negative ? range.least_magnitude : range.most)) break;
      const auto word = static_cast<Word>(negative ? 0 - value : value);
      std::memcpy(out, &word, sizeof(Word));
      out += sizeof(Word);
      p = q + (q[1] == ' ' ? 2 : 1);
    }
    stored_ = stored;
    at_ = static_cast<size_t>(p - text_.data());
  }

  template <typename Float>
  void ReadFloats() {
    const char* p = text_.data() + at_;
    const char* last = text_.data() + text_.size();
    for (; stored_ < room_; ++stored_) {
      const char first = p[*p == '-' ? 1 : 0];
      if (first < '0' || first > '9') break;
      Float value;
      const auto [end, error] = std::from_chars(p, last, value);
      if (error != std::errc() || *end != ',' || !std::isfinite(value)) break;
      std::memcpy(out_ + static_cast<size_t>(stored_) * sizeof(Float), &value, sizeof(Float));
      p = end + (end[1] == ' ' ? 2 : 1);
    }
    at_ = static_cast<size_t>(p - text_.data());
  }

  void ReadBools() {
    for (; stored_ < room_; ++stored_) {
      const std::string_view rest = text_.substr(at_, 6);
      const bool value = rest.starts_with("True,");
      if (!value && rest != "False,") return;
      out_[stored_] = value ? 1 : 0;
      at_ += value ? 5 : 6;
      if (text_[at_] == ' ') ++at_;
    }
  }

  // Reads one element in any spelling.
  void ReadOther() {
    const size_t end = TokenEnd(text_, at_);
    const ElementResult element = ReadElement(text_.substr(at_, end - at_), dtype_);
    if (!element.ok) {
      Complain(element.malformed ? DiagnosticKind::kSyntax : DiagnosticKind::kLiteral, at_, end,
               element.message);
    }
    CountElements(1);
    if (stored_ < room_) {
      std::memcpy(out_ + static_cast<size_t>(stored_) * width_, &element.bits, width_);
      ++stored_;
    } else {
      ++not_stored_;
    }
    at_ = end;
  }

  void Finish() {
    result_->count = stored_ + not_stored_;
    result_->bytes.resize(static_cast<size_t>(stored_) * width_);
    result_->extents = std::move(extents_);
    if (errors_ > kMostReported) {
      const std::vector<Diagnostic>& all = diagnostics_.all();
      if (!all.empty()) {
        diagnostics_.Error(DiagnosticKind::kLiteral, all.back().range,
                           fmt::format("{} more mistakes in this list", errors_ - kMostReported));
      }
    }
  }

  std::string_view text_;  // ends after the closing bracket
  size_t at_;
  DataType dtype_;
  size_t width_;
  uint32_t source_base_;
  Diagnostics& diagnostics_;
  ConstantListResult* result_;
  std::vector<Level> levels_;
  std::vector<int64_t> extents_;
  size_t leaf_depth_ = 0;  // the depth at which elements stand; 0 before the first
  bool may_be_leaf_ = true;
  uint8_t* out_ = nullptr;
  int64_t room_ = 0;
  int64_t stored_ = 0;
  int64_t not_stored_ = 0;
  int errors_ = 0;
};

bool IsMark(char c) { return c == '[' || c == ']' || c == '#' || c == '"' || c == '\''; }

// Sixteen bytes that are compared at once, on every target that gcc and clang know.
using Bytes = uint8_t __attribute__((vector_size(16)));

bool HasMark(const char* block) {
  Bytes bytes;
  std::memcpy(&bytes, block, sizeof(bytes));
  const auto marks =
      (bytes == '[') | (bytes == ']') | (bytes == '#') | (bytes == '"') | (bytes == '\'');
  uint64_t halves[2];
  std::memcpy(halves, &marks, sizeof(halves));
  return (halves[0] | halves[1]) != 0;
}

// The next bracket, quote or start of a comment, or the text's end.
size_t NextMark(std::string_view text, size_t at) {
  while (text.size() - at >= sizeof(Bytes) && !HasMark(text.data() + at)) at += sizeof(Bytes);
  while (at < text.size() && !IsMark(text[at])) ++at;
  return at;
}

SourceRange RangeAt(uint32_t source_base, size_t begin, size_t end) {
  return {source_base + static_cast<uint32_t>(begin), source_base + static_cast<uint32_t>(end)};
}

}  // namespace

size_t FindListEnd(std::string_view text, size_t open_bracket) {
  size_t depth = 0;
  for (size_t at = NextMark(text, open_bracket); at < text.size(); at = NextMark(text, at + 1)) {
    if (text[at] == '[') {
      ++depth;
    } else if (text[at] == ']') {
      if (--depth == 0) return at;
    } else {
      at = text.find(text[at] == '#' ? '\n' : text[at], at + 1);
      if (at == std::string_view::npos) return at;
    }
  }
  return std::string_view::npos;
}

bool ParseConstantList(std::string_view text, size_t open_bracket, DataType dtype,
                       uint32_t source_base, int64_t expected_count, Diagnostics& diagnostics,
                       ConstantListResult* result) {
  *result = {};
  const size_t close = FindListEnd(text, open_bracket);
  if (close == std::string_view::npos) {
    result->end = text.size();
    diagnostics.Error(DiagnosticKind::kSyntax, RangeAt(source_base, open_bracket, open_bracket + 1),
                      "this `[` is never closed");
    return false;
  }
  result->end = close + 1;
  if (!IsListElementType(dtype)) {
    diagnostics.Error(DiagnosticKind::kLiteral, RangeAt(source_base, open_bracket, close + 1),
                      fmt::format("constants of {} cannot be written as a list", dtype.ToString()));
    return false;
  }
  ListReader reader(text, open_bracket, close + 1, dtype, source_base, diagnostics, result);
  return reader.Read(expected_count);
}

bool ParseConstantElement(std::string_view text, DataType dtype, SourceRange range,
                          Diagnostics& diagnostics, std::vector<uint8_t>* bytes) {
  ElementResult element;
  if (IsListElementType(dtype)) {
    element = ReadElement(text, dtype.element());
  } else {
    element.message =
        fmt::format("expected a dtype that constants can have, found {}", dtype.ToString());
  }
  if (!element.ok) {
    diagnostics.Error(element.malformed ? DiagnosticKind::kSyntax : DiagnosticKind::kLiteral, range,
                      element.message);
    return false;
  }
  bytes->resize(static_cast<size_t>(dtype.element_bytes()));
  std::memcpy(bytes->data(), &element.bits, bytes->size());
  return true;
}

}  // namespace tenon
