#include "support/source.h"

#include <algorithm>
#include <cstring>
#include <limits>

namespace tenon {

absl::StatusOr<const SourceFile*> SourceManager::Add(std::string_view name, std::string_view text,
                                                     std::shared_ptr<const void> owner) {
  if (text.size() >= std::numeric_limits<uint32_t>::max() - next_base_) {
    return absl::ResourceExhaustedError("more than 4 GiB of source text");
  }
  if (owner == nullptr) {
    auto copy = std::make_shared<const std::string>(text);
    text = *copy;
    owner = std::move(copy);
  }
  SourceFile& file = files_.emplace_back();
  file.name_ = name;
  file.text_ = text;
  file.owner_ = std::move(owner);
  file.base_ = static_cast<uint32_t>(next_base_);
  next_base_ += text.size() + 1;  // a range may point just past the end
  return &file;
}

const SourceFile* SourceManager::FileAt(uint32_t offset) const {
  auto after = std::upper_bound(files_.begin(), files_.end(), offset,
                                [](uint32_t o, const SourceFile& f) { return o < f.base(); });
  return offset == 0 || after == files_.begin() ? nullptr : &*(after - 1);
}

const std::vector<uint32_t>& SourceManager::LineStarts(const SourceFile& file) const {
  std::call_once(file.lines_once_, [&] {
    file.line_starts_.push_back(0);
    const char* begin = file.text_.data();
    const char* end = begin + file.text_.size();
    for (const char* cursor = begin; cursor != end;) {
      const void* newline = std::memchr(cursor, '\n', static_cast<size_t>(end - cursor));
      if (newline == nullptr) break;
      cursor = static_cast<const char*>(newline) + 1;
      file.line_starts_.push_back(static_cast<uint32_t>(cursor - begin));
    }
  });
  return file.line_starts_;
}

SourcePlace SourceManager::Locate(uint32_t offset) const {
  const SourceFile* file = FileAt(offset);
  if (file == nullptr) return {};
  const std::vector<uint32_t>& starts = LineStarts(*file);
  const uint32_t local = offset - file->base();
  const auto line = std::upper_bound(starts.begin(), starts.end(), local) - starts.begin();
  return {file, static_cast<uint32_t>(line), local - starts[static_cast<size_t>(line - 1)] + 1};
}

std::string_view SourceManager::Line(const SourceFile& file, uint32_t line) const {
  const std::vector<uint32_t>& starts = LineStarts(file);
  if (line == 0 || line > starts.size()) return {};
  const size_t begin = starts[line - 1];
  const size_t end = line < starts.size() ? starts[line] - 1 : file.text_.size();
  std::string_view text = file.text_.substr(begin, end - begin);
  if (!text.empty() && text.back() == '\r') text.remove_suffix(1);
  return text;
}

std::string_view SourceManager::Text(SourceRange range) const {
  const SourceFile* file = FileAt(range.begin);
  if (file == nullptr || range.end < range.begin) return {};
  const size_t begin = range.begin - file->base();
  if (begin > file->text_.size()) return {};
  return file->text_.substr(begin, range.end - range.begin);
}

}  // namespace tenon
