#include "report/text_table.h"

#include <fmt/format.h>

#include <algorithm>

namespace tenon {

namespace {

/// Columns of text keep this width.
constexpr size_t kLeastWidth = 8;

/// Narrows the widest columns of text until lines have at most `most` columns.
void Narrow(std::string_view sides, size_t most, std::vector<size_t>& widths) {
  size_t sum = 0;
  for (const size_t width : widths) sum += width + 2;
  while (sum > most) {
    size_t widest = widths.size();
    for (size_t i = 0; i < widths.size(); ++i) {
      if (sides[i] == '<' && (widest == widths.size() || widths[i] > widths[widest])) widest = i;
    }
    if (widest == widths.size() || widths[widest] <= kLeastWidth) return;
    --widths[widest];
    --sum;
  }
}

}  // namespace

std::string CutMiddle(std::string_view text, size_t most) {
  constexpr std::string_view kGap = "...";
  if (text.size() <= most) return std::string(text);
  const auto is_inner = [&](size_t i) {
    return (static_cast<unsigned char>(text[i]) & 0xC0) == 0x80;
  };
  const size_t room = most > kGap.size() ? most - kGap.size() : 0;
  size_t start = (room + 1) / 2;
  size_t end = text.size() - room / 2;
  while (start > 0 && is_inner(start)) --start;
  while (end < text.size() && is_inner(end)) ++end;
  return fmt::format("{}{}{}", text.substr(0, start), kGap, text.substr(end));
}

void TextTable::Write(std::string& out, size_t most_columns) const {
  std::vector<size_t> widths(sides_.size());
  for (const std::vector<std::string>& row : rows_) {
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  Narrow(sides_, most_columns, widths);
  for (const std::vector<std::string>& row : rows_) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i) {
      const std::string cell = CutMiddle(row[i], std::max(widths[i], kLeastWidth));
      line += sides_[i] == '>' ? fmt::format("  {:>{}}", cell, widths[i])
                               : fmt::format("  {:<{}}", cell, widths[i]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + '\n';
  }
}

double Percent(int64_t part, int64_t whole) {
  return whole == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace tenon
