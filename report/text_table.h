#ifndef TENON_REPORT_TEXT_TABLE_H_
#define TENON_REPORT_TEXT_TABLE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tenon {

/// Rows of cells for a terminal. Columns are as wide as their cells need, and lines have no
/// trailing blanks.
class TextTable {
 public:
  /// `<` or `>` for every column: the side to which its cells are aligned.
  explicit TextTable(std::string_view sides) : sides_(sides) {}
  /// Adds a row with at most one cell per column.
  void Add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  /// Writes the lines, indented by two blanks.
  void Write(std::string& out) const;

 private:
  std::string_view sides_;
  std::vector<std::vector<std::string>> rows_;
};

/// `part` as a percentage of `whole`; 0 if `whole` is 0.
double Percent(int64_t part, int64_t whole);

}  // namespace tenon

#endif  // TENON_REPORT_TEXT_TABLE_H_
