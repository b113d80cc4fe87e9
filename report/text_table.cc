#include "report/text_table.h"

#include <fmt/format.h>

#include <algorithm>

namespace tenon {

void TextTable::Write(std::string& out) const {
  std::vector<size_t> widths(sides_.size());
  for (const std::vector<std::string>& row : rows_) {
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  for (const std::vector<std::string>& row : rows_) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i) {
      line += sides_[i] == '>' ? fmt::format("  {:>{}}", row[i], widths[i])
                               : fmt::format("  {:<{}}", row[i], widths[i]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + '\n';
  }
}

double Percent(int64_t part, int64_t whole) {
  return whole == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace tenon
