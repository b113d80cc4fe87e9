#ifndef TENON_PASSES_FUSION_FOLD_COST_H_
#define TENON_PASSES_FUSION_FOLD_COST_H_

#include <cstdint>
#include <optional>

#include "arith/analyzer.h"
#include "ir/stmt.h"

namespace tenon {

/// At least the operations of one run of `stmt` in an interpreter: its nodes times their lanes, for
/// each iteration. Both branches of a condition count. INT64_MAX means that many or more; nullopt
/// means that a loop has no known greatest extent.
std::optional<int64_t> FoldOperations(const Stmt* stmt, Analyzer& analyzer);

}  // namespace tenon

#endif  // TENON_PASSES_FUSION_FOLD_COST_H_
