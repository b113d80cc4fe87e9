#include "support/npy_header.h"

#include <optional>

#include "absl/status/status.h"
#include "fmt/format.h"
#include "support/checked.h"
#include "support/status_macros.h"

namespace tenon {
namespace {

constexpr size_t kMaxDimensions = 64;  // NumPy 2's limit

class HeaderParser {
 public:
  explicit HeaderParser(std::string_view text) : text_(text) {}

  absl::StatusOr<NpyHeader> Parse() {
    TENON_TRY(Expect('{'));
    while (!Accept('}')) {
      TENON_TRY(ParseMember());
      if (Accept(',')) continue;
      TENON_TRY(Expect('}'));
      break;
    }
    if (Peek() != '\0' || at_ < text_.size()) return Error("expected the end of the header");
    for (const auto& [seen, name] :
         {std::pair(has_descr_, "descr"), std::pair(has_order_, "fortran_order"),
          std::pair(has_shape_, "shape")}) {
      if (!seen) return absl::InvalidArgumentError(fmt::format("npy header has no `{}`", name));
    }
    return std::move(header_);
  }

 private:
  absl::Status ParseMember() {
    TENON_ASSIGN_OR(const std::string key, ParseString("a key"));
    TENON_TRY(Expect(':'));
    if (key == "descr") {
      TENON_TRY(Once(&has_descr_, key));
      if (Peek() == '[' || Peek() == '(' || Peek() == '{') {
        return absl::InvalidArgumentError("npy files of structured types are not supported");
      }
      TENON_ASSIGN_OR(header_.descr, ParseString("the type as a string"));
      return absl::OkStatus();
    }
    if (key == "fortran_order") {
      TENON_TRY(Once(&has_order_, key));
      return ParseBool();
    }
    if (key == "shape") {
      TENON_TRY(Once(&has_shape_, key));
      return ParseShape();
    }
    return absl::InvalidArgumentError(fmt::format("npy header has the unknown key `{}`", key));
  }

  absl::Status Once(bool* seen, std::string_view key) {
    if (*seen) return absl::InvalidArgumentError(fmt::format("npy header has `{}` twice", key));
    *seen = true;
    return absl::OkStatus();
  }

  absl::StatusOr<std::string> ParseString(std::string_view what) {
    const char quote = Peek();
    if (quote != '\'' && quote != '"') return Error(fmt::format("expected {}", what));
    const size_t end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos) return Error("unclosed string");
    const std::string_view value = text_.substr(at_ + 1, end - at_ - 1);
    // All known keys and types are shorter, and messages stay printable.
    if (value.size() > 64) return Error("string of more than 64 characters");
    for (const char c : value) {
      if (c < 0x20 || c > 0x7e || c == '\\') return Error("string with an unexpected character");
    }
    at_ = end + 1;
    return std::string(value);
  }

  absl::Status ParseBool() {
    Peek();
    for (const bool value : {false, true}) {
      const std::string_view word = value ? "True" : "False";
      if (text_.substr(at_, word.size()) != word) continue;
      at_ += word.size();
      header_.fortran_order = value;
      return absl::OkStatus();
    }
    return Error("expected `True` or `False`");
  }

  absl::Status ParseShape() {
    TENON_TRY(Expect('('));
    bool comma = true;
    while (!Accept(')')) {
      if (!comma) return Error("expected `,` or `)`");
      TENON_ASSIGN_OR(const int64_t extent, ParseInteger());
      header_.shape.push_back(extent);
      if (header_.shape.size() > kMaxDimensions) {
        return Error(fmt::format("more than {} dimensions", kMaxDimensions));
      }
      comma = Accept(',');
    }
    if (header_.shape.size() == 1 && !comma) return Error("`(n)` is not a tuple, expected `(n,)`");
    return absl::OkStatus();
  }

  absl::StatusOr<int64_t> ParseInteger() {
    if (Peek() == '-') return Error("negative extent");
    const size_t start = at_;
    int64_t value = 0;
    for (; at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9'; ++at_) {
      const std::optional<int64_t> shifted = CheckedMul(value, 10);
      const std::optional<int64_t> next =
          shifted ? CheckedAdd(*shifted, text_[at_] - '0') : std::nullopt;
      if (!next || *next >= kSizeLimit) return Error("extent of 2^62 or more");
      value = *next;
    }
    if (at_ == start) return Error("expected an extent");
    // Python 2 wrote long integers with this suffix.
    if (at_ < text_.size() && text_[at_] == 'L') ++at_;
    return value;
  }

  /// The next character that is not white space, without consuming it; NUL at the end.
  char Peek() {
    while (at_ < text_.size() &&
           (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t' || text_[at_] == '\r')) {
      ++at_;
    }
    return at_ < text_.size() ? text_[at_] : '\0';
  }

  bool Accept(char c) {
    if (Peek() != c || at_ >= text_.size()) return false;
    ++at_;
    return true;
  }

  absl::Status Expect(char c) {
    if (Accept(c)) return absl::OkStatus();
    return Error(fmt::format("expected `{}`", c));
  }

  absl::Status Error(std::string_view what) const {
    return absl::InvalidArgumentError(fmt::format("npy header, character {}: {}", at_, what));
  }

  std::string_view text_;
  size_t at_ = 0;
  NpyHeader header_;
  bool has_descr_ = false;
  bool has_order_ = false;
  bool has_shape_ = false;
};

}  // namespace

absl::StatusOr<NpyHeader> ParseNpyHeader(std::string_view text) {
  return HeaderParser(text).Parse();
}

}  // namespace tenon
