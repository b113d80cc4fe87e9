#ifndef TENON_IR_OVERLAPS_H_
#define TENON_IR_OVERLAPS_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "ir/builder.h"
#include "ir/function.h"

namespace tenon {

/// Two parameters of a function, by index; the smaller index first.
using ParamPair = std::pair<int64_t, int64_t>;

/// The pairs of parameters that a plan lets overlap: the attribute `tenon.overlaps`, in ascending
/// order. Entries that are not pairs of different parameters are left out.
std::vector<ParamPair> ReadOverlaps(const PrimFunc& function);
/// The index of a parameter, and the name of a memory pool.
using ParamAndPool = std::pair<int64_t, std::string>;

/// The pools whose contents a plan lets a parameter overlap, before the pools become parameters:
/// entries `[index, "pool"]` of the attribute, in ascending order.
std::vector<ParamAndPool> ReadPoolOverlaps(const PrimFunc& function);
/// The attribute's value.
const Attr* OverlapsAttr(NodeBuilder& builder, const std::vector<ParamPair>& pairs,
                         const std::vector<ParamAndPool>& pools = {});

/// Whether the function promises that the storage of this parameter does not overlap other
/// parameters' storage.
bool IsNoAliasParam(const PrimFunc& function, size_t param);
/// Whether the function promises that the storage of these two parameters does not overlap.
bool AreNoAliasParams(const PrimFunc& function, size_t a, size_t b);

}  // namespace tenon

#endif  // TENON_IR_OVERLAPS_H_
