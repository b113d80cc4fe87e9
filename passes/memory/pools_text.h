#ifndef TENON_PASSES_MEMORY_POOLS_TEXT_H_
#define TENON_PASSES_MEMORY_POOLS_TEXT_H_

#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/memory_pools.h"

namespace tenon {

/// Reads the pools of `--workspace-pools` or `--constant-pools`, in order of preference:
/// `name[:size][:align=N][:base=N]`, separated by `;`. Sizes, alignments and base addresses are in
/// bytes, in the syntax of ParseByteSize. InvalidArgument names the pool and its error.
absl::StatusOr<std::vector<PoolInfo>> ParsePoolList(std::string_view text, bool is_constant);

}  // namespace tenon

#endif  // TENON_PASSES_MEMORY_POOLS_TEXT_H_
