#ifndef TENON_BYOC_BYOC_REPORT_H_
#define TENON_BYOC_BYOC_REPORT_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "byoc/call_flow.h"
#include "ir/module.h"

// A report of the target of each operator, and of the reasons against other targets.

namespace tenon {

/// One call of an operator.
struct ByocOperator {
  /// The function that is called, and the one that calls it.
  std::string name;
  std::string caller;
  /// OpInfo::kind, and the operation counts of the claim.
  std::string kind;
  int64_t macs = 0;
  int64_t elements = 0;
  /// The target, or kHostTarget.
  std::string target;
  /// The targets that do not compute the operator, each with the reason.
  std::vector<std::pair<std::string, std::string>> why_not;
};

struct ByocReport {
  /// The targets that were queried, preferred first.
  std::vector<std::string> targets;
  /// In the order of the program.
  std::vector<ByocOperator> operators;

  bool empty() const { return targets.empty(); }
  /// The number of operators that the target computes.
  int64_t Count(std::string_view target) const;
};

/// Creates the report of a module whose regions are marked (`merge-regions`) or already functions.
ByocReport ReadByocReport(const IRModule& module, std::vector<std::string> targets);

/// One line: `blas: 10 of 11 operators, 99.8 % of MACs; host: softmax (10 elements, below
/// min-macs)`.
std::string ByocSummary(const ByocReport& report);
/// A line for each operator.
std::string ByocText(const ByocReport& report);
std::string ByocJson(const ByocReport& report);

}  // namespace tenon

#endif  // TENON_BYOC_BYOC_REPORT_H_
