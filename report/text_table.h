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
  /// Writes the lines, indented by two blanks. With `most_columns`, cells of the widest columns of
  /// text are shortened until the lines fit.
  void Write(std::string& out, size_t most_columns = SIZE_MAX) const;

 private:
  std::string_view sides_;
  std::vector<std::vector<std::string>> rows_;
};

/// At most `most` bytes of the text: its start, `...`, and its end.
std::string CutMiddle(std::string_view text, size_t most);

/// `part` as a percentage of `whole`; 0 if `whole` is 0.
double Percent(int64_t part, int64_t whole);

}  // namespace tenon

#endif  // TENON_REPORT_TEXT_TABLE_H_
