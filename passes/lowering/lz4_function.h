#ifndef TENON_PASSES_LOWERING_LZ4_FUNCTION_H_
#define TENON_PASSES_LOWERING_LZ4_FUNCTION_H_

#include <cstdint>

#include "ir/builder.h"

namespace tenon {

/// A decoder of LZ4 blocks (https://github.com/lz4/lz4/blob/dev/doc/lz4_Block_format.md) with
/// sizes of type `size_type`: `int32 f(from, stored, to, size)` fills the `size` bytes at `to` from
/// the `stored` bytes at `from`. It returns 0, or -1 if the stored bytes are damaged or have
/// another size when decoded. Accesses no byte outside the two for any input; they must not
/// overlap.
const PrimFunc* MakeLz4Function(NodeBuilder& builder, DataType size_type, const MapAttr* attrs);

/// The smallest type for blocks whose stored and decoded bytes are at most `most_bytes`.
DataType Lz4SizeType(int64_t most_bytes);

}  // namespace tenon

#endif  // TENON_PASSES_LOWERING_LZ4_FUNCTION_H_
