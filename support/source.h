#ifndef TENON_SUPPORT_SOURCE_H_
#define TENON_SUPPORT_SOURCE_H_

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace tenon {

/// A half-open range of bytes in the concatenation of all files of a SourceManager. 0,0 means
/// "nowhere".
struct SourceRange {
  uint32_t begin = 0;
  uint32_t end = 0;

  bool valid() const { return begin != 0 || end != 0; }
  friend bool operator==(SourceRange, SourceRange) = default;
};

/// One input text. Line starts are computed on first use.
class SourceFile {
 public:
  const std::string& name() const { return name_; }
  std::string_view text() const { return text_; }
  /// Offset of the file's first byte in its manager's space.
  uint32_t base() const { return base_; }

 private:
  friend class SourceManager;
  std::string name_;
  std::string_view text_;
  std::shared_ptr<const void> owner_;
  uint32_t base_ = 0;
  mutable std::once_flag lines_once_;
  mutable std::vector<uint32_t> line_starts_;
};

/// A place for messages: line and column count from 1, the column in bytes.
struct SourcePlace {
  const SourceFile* file = nullptr;
  uint32_t line = 0;
  uint32_t column = 0;
};

/// Owns the texts that ranges point into. At most 4 GiB of text in all. Thread safe for readers.
class SourceManager {
 public:
  /// Adds a text that `owner` keeps alive; with no owner the text is copied.
  absl::StatusOr<const SourceFile*> Add(std::string_view name, std::string_view text,
                                        std::shared_ptr<const void> owner);

  /// Bytes of all texts.
  size_t bytes_held() const { return static_cast<size_t>(next_base_ - 1) - files_.size(); }

  /// The file that contains `offset`, or null.
  const SourceFile* FileAt(uint32_t offset) const;
  /// The place of `offset`; `file` is null for "nowhere".
  SourcePlace Locate(uint32_t offset) const;
  /// The text of line `line` (from 1) of `file`, without its line end.
  std::string_view Line(const SourceFile& file, uint32_t line) const;
  /// The bytes of a range.
  std::string_view Text(SourceRange range) const;

 private:
  const std::vector<uint32_t>& LineStarts(const SourceFile& file) const;

  std::deque<SourceFile> files_;
  uint64_t next_base_ = 1;  // 0 means "nowhere"
};

}  // namespace tenon

#endif  // TENON_SUPPORT_SOURCE_H_
