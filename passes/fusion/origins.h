#ifndef TENON_PASSES_FUSION_ORIGINS_H_
#define TENON_PASSES_FUSION_ORIGINS_H_

#include <string>
#include <vector>

#include "ir/builder.h"
#include "ir/function.h"

// Internal to passes/fusion: the origins of statements. `inline-callees` notes at the outermost
// loops of a body the call that it replaced: `f` for the first call of `f`, then `f@2`, `f@3`. A
// pass that makes one nest of several joins their lists.

namespace tenon {

/// Calls of functions of the text, without duplicates.
using Origins = std::vector<std::string>;

/// The origins that the loops in `stmt` note, in order.
Origins OriginsOf(const Stmt* stmt);
/// The origins of `a`, then the ones that `b` adds.
Origins Joined(Origins a, const Origins& b);
/// True if one list has all of the other: the statements belong together.
bool AreOfOneCall(const Origins& a, const Origins& b);
/// The functions that were called, without duplicates.
Origins Plain(const Origins& calls);
/// A name for statements of these origins: the names in order, the first in full, the others
/// without the prefix that they share with it.
std::string NameOfOrigins(const Origins& calls);

const Attr* OriginsAttr(NodeBuilder& builder, const Origins& origins);
/// True unless the loop has an annotation other than its origins.
bool HasOnlyOrigins(const For* loop);
/// `loop` with these origins instead of its old ones.
const For* WithOrigins(NodeBuilder& builder, const For* loop, const Origins& origins);
/// `loop` without a note; `loop` itself if it has none.
const For* WithoutOrigins(NodeBuilder& builder, const For* loop);

}  // namespace tenon

#endif  // TENON_PASSES_FUSION_ORIGINS_H_
