#ifndef TENON_REPORT_LABELS_H_
#define TENON_REPORT_LABELS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "report/report.h"

namespace tenon {

struct LabelForm {
  /// The most columns of a label, as far as labels then differ. SIZE_MAX: names stay whole.
  size_t most = 40;
  /// The text in the place of an omitted part.
  std::string_view gap = "...";
};

/// Short forms of operators' names. Different names have different forms, and a name has one form
/// in all tables and pictures of a report.
///
/// - A prefix that all names share, up to an underscore, is omitted.
/// - A name of at most `most` columns stays as it is.
/// - A longer one keeps its first words, its last words, and its number. So the 14th of TVM's
///   functions with one name, `conv2d_add_fixed_point_multiply_add_clip_cast_subtract_13`, becomes
///   `conv2d_add...cast_subtract #13`. Of a hash, four digits remain.
/// - Where these agree, the part that differs replaces the last words.
class ShortLabels {
 public:
  ShortLabels(const std::vector<ReportStep>& steps, const LabelForm& form);
  explicit ShortLabels(const MemoryReport& report) : ShortLabels(report.steps, {}) {}

  /// The form of a step's label, or of another function's name.
  std::string Of(std::string_view label) const;

  /// The labels whose forms differ from them, with their forms, in the order of the steps.
  const std::vector<std::pair<std::string, std::string>>& changed() const { return changed_; }

 private:
  std::string_view WithoutPrefix(std::string_view label) const;

  LabelForm form_;
  std::string prefix_;
  absl::flat_hash_map<std::string, std::string> forms_;
  std::vector<std::pair<std::string, std::string>> changed_;
};

}  // namespace tenon

#endif  // TENON_REPORT_LABELS_H_
