#ifndef TENON_PASSES_FUSION_CHOOSE_ENCODINGS_H_
#define TENON_PASSES_FUSION_CHOOSE_ENCODINGS_H_

#include <optional>
#include <vector>

#include "passes/fusion/encoding.h"
#include "passes/fusion/storage_groups.h"

namespace tenon {

/// For each group how its values fit into fewer bytes; nullopt where they do not. `values` are as
/// StoredValues gives them.
///
/// A plain narrower type is preferred. With it, readers have a cast. Where a difference from a
/// constant, or a value that all stores compute theirs from, takes fewer bytes, readers compute the
/// value again. More than casts, sums and differences they compute only where the storage is read
/// no more often than it is written. Allocations of one function of fewer than `min_bytes` bytes
/// stay.
std::vector<std::optional<Encoding>> ChooseEncodings(const IRModule& module,
                                                     const StorageGroups& groups,
                                                     const std::vector<Interval>& values,
                                                     int64_t min_bytes);

/// The load that a sum or difference centres, such as `Cast(int16, x[i]) - (-128)`: a constant is
/// subtracted from the value of signed integers of one byte. Sets `*centre` to the constant. Null
/// for other expressions, and where the result might wrap.
const BufferLoad* AsCentred(const Expr* expr, const NumberOf& number_of, int64_t* centre);

/// The number that an expression is known to be: an integer, or a load of a group that has one
/// number in all elements.
std::optional<int64_t> KnownNumber(const Expr* expr, const StorageGroups& groups,
                                   const std::vector<Interval>& values);

/// All loads of the group give one number.
inline bool IsOneNumber(const StorageGroup& group, const Interval& values) {
  return !group.fixed && group.dtype.is_integer() && !group.dtype.is_bool() && values.is_point();
}

}  // namespace tenon

#endif  // TENON_PASSES_FUSION_CHOOSE_ENCODINGS_H_
