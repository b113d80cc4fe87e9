#ifndef TENON_REPORT_TEXT_TABLE_H_
#define TENON_REPORT_TEXT_TABLE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tenon {

/// Rows of cells for a terminal, columns as wide as they have to be, lines without blanks at their
/// ends.
class TextTable {
 public:
  /// `<` or `>` for every column: which side its cells stand at.
  explicit TextTable(std::string_view sides) : sides_(sides) {}
  /// A row of at most as many cells as there are columns.
  void Add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  /// The lines, indented by two blanks.
  void Write(std::string& out) const;

 private:
  std::string_view sides_;
  std::vector<std::vector<std::string>> rows_;
};

/// `part` of `whole` in percent, 0 of nothing.
double Percent(int64_t part, int64_t whole);

}  // namespace tenon

#endif  // TENON_REPORT_TEXT_TABLE_H_
