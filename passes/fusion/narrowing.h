#ifndef TENON_PASSES_FUSION_NARROWING_H_
#define TENON_PASSES_FUSION_NARROWING_H_

#include <vector>

#include "passes/fusion/encoding.h"
#include "passes/fusion/narrow_storage.h"
#include "passes/fusion/storage_groups.h"

namespace tenon {

/// A pointer of a function before and after its storage got a narrower type. The stores through one
/// are, in the same order, those through the other.
struct NarrowedPointer {
  const Var* before = nullptr;
  const Var* after = nullptr;
  Encoding encoding;
};

/// A module with narrower storage, and what the claim is made of: each store through
/// `before` of a value is one through `after` of a number that stands for the value.
struct Narrowing {
  IRModule module;
  std::vector<NarrowedPointer> pointers;
};

/// Narrows once: storage that becomes narrow by what narrow storage lets be known takes another
/// round. The same functions come back where there is nothing to do.
Narrowing NarrowOnce(const IRModule& module, const NarrowStorageOptions& options);

/// The same where the values of the groups of `module` are known to lie in `values`.
Narrowing NarrowBy(const IRModule& module, const StorageGroups& groups,
                   const std::vector<Interval>& values, const NarrowStorageOptions& options);

}  // namespace tenon

#endif  // TENON_PASSES_FUSION_NARROWING_H_
