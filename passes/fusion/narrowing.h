#ifndef TENON_PASSES_FUSION_NARROWING_H_
#define TENON_PASSES_FUSION_NARROWING_H_

#include <vector>

#include "passes/fusion/encoding.h"
#include "passes/fusion/narrow_storage.h"
#include "passes/fusion/storage_groups.h"

namespace tenon {

/// A pointer of a function before and after its storage got a narrower type. The stores through
/// both are the same, in the same order.
struct NarrowedPointer {
  const Var* before = nullptr;
  const Var* after = nullptr;
  Encoding encoding;
};

/// A module with narrower storage, and the facts for its claim: where a value was stored through
/// `before`, a number that encodes it is stored through `after`.
struct Narrowing {
  IRModule module;
  std::vector<NarrowedPointer> pointers;
};

/// Narrows once. Narrow storage bounds other values, which another round may then narrow. Returns
/// the same functions if there is nothing to do.
Narrowing NarrowOnce(const IRModule& module, const NarrowStorageOptions& options);

/// The same, if the values of the groups of `module` are known to lie in `values`.
Narrowing NarrowBy(const IRModule& module, const StorageGroups& groups,
                   const std::vector<Interval>& values, const NarrowStorageOptions& options);

}  // namespace tenon

#endif  // TENON_PASSES_FUSION_NARROWING_H_
