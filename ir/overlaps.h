#ifndef TENON_IR_OVERLAPS_H_
#define TENON_IR_OVERLAPS_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "ir/builder.h"
#include "ir/function.h"

namespace tenon {

/// Two parameters of a function, by their numbers; the first is the smaller one.
using ParamPair = std::pair<int64_t, int64_t>;

/// The pairs of parameters that a plan lets overlap: the attribute `tenon.overlaps`, in ascending
/// order. Entries that are not pairs of different parameters are left out.
std::vector<ParamPair> ReadOverlaps(const PrimFunc& function);
/// The attribute's value.
const Attr* OverlapsAttr(NodeBuilder& builder, const std::vector<ParamPair>& pairs);

/// The function promises that the storage of this parameter overlaps that of no other one.
bool IsNoAliasParam(const PrimFunc& function, size_t param);
/// The function promises that the storage of these two parameters does not overlap.
bool AreNoAliasParams(const PrimFunc& function, size_t a, size_t b);

}  // namespace tenon

#endif  // TENON_IR_OVERLAPS_H_
