#ifndef TENON_IR_ANALYSIS_LIVENESS_INTERNAL_H_
#define TENON_IR_ANALYSIS_LIVENESS_INTERNAL_H_

#include "ir/analysis/liveness.h"

// Internal to ir/analysis/liveness*.cc.

namespace tenon::liveness_internal {

/// The largest number of statements, with calls expanded, that the analysis visits.
inline constexpr int64_t kMostTicks = 20'000'000;

/// Finds or creates the entries of Allocate and AllocateConst statements.
class AllocationTable {
 public:
  explicit AllocationTable(std::vector<Allocation>& allocations) : allocations_(allocations) {}

  int32_t Enter(const Stmt* stmt, Symbol function);
  /// The entry of a variable, or -1.
  int32_t Find(const Var* var) const {
    const auto found = index_.find(var);
    return found == index_.end() ? -1 : found->second;
  }
  Allocation& at(int32_t index) { return allocations_[static_cast<size_t>(index)]; }

 private:
  std::string UniqueName(std::string_view base);

  std::vector<Allocation>& allocations_;
  absl::flat_hash_map<const Var*, int32_t> index_;
  absl::flat_hash_map<std::string, int64_t> names_;
};

/// Fills `tvm_intervals`, given the allocations.
void ComputeTvmIntervals(const IRModule& module, const Function& entry,
                         const AllocationTable& table, Liveness& liveness);

}  // namespace tenon::liveness_internal

#endif  // TENON_IR_ANALYSIS_LIVENESS_INTERNAL_H_
