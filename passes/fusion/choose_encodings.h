#ifndef TENON_PASSES_FUSION_CHOOSE_ENCODINGS_H_
#define TENON_PASSES_FUSION_CHOOSE_ENCODINGS_H_

#include <optional>
#include <vector>

#include "passes/fusion/encoding.h"
#include "passes/fusion/narrow_storage.h"
#include "passes/fusion/storage_groups.h"

namespace tenon {

/// Returns an encoding for each group that needs fewer bytes, and nullopt for other groups.
/// StoredValues computes `values`.
///
/// A plain narrower type is preferred: readers then only cast. If a difference from a constant
/// takes fewer bytes, or a value from which all stores compute theirs, readers compute the value
/// again. They compute operations other than casts, sums and differences only if the storage is
/// read no more often than it is written. Allocations of one function of fewer than
/// `options.min_bytes` bytes stay. With `options.only_signed`, the types are int8 and int16.
std::vector<std::optional<Encoding>> ChooseEncodings(const IRModule& module,
                                                     const StorageGroups& groups,
                                                     const std::vector<Interval>& values,
                                                     const NarrowStorageOptions& options);

/// Finds a load of signed one-byte integers from which a constant is subtracted, as in `Cast(int16,
/// x[i]) - (-128)`. Sets `*centre` to the constant. Null for other expressions, and if the result
/// might wrap.
const BufferLoad* AsCentred(const Expr* expr, const NumberOf& number_of, int64_t* centre);

/// The number that an expression is known to equal: an integer, or a load of a group with the same
/// number in all elements.
std::optional<int64_t> KnownNumber(const Expr* expr, const StorageGroups& groups,
                                   const std::vector<Interval>& values);

/// True if all loads of the group give the same number.
inline bool IsOneNumber(const StorageGroup& group, const Interval& values) {
  return !group.fixed && group.dtype.is_integer() && !group.dtype.is_bool() && values.is_point();
}

}  // namespace tenon

#endif  // TENON_PASSES_FUSION_CHOOSE_ENCODINGS_H_
