#ifndef TENON_IR_ANALYSIS_FULL_STORE_H_
#define TENON_IR_ANALYSIS_FULL_STORE_H_

#include <cstdint>

#include "ir/stmt.h"

namespace tenon {

/// The store of a nest of loops that does nothing but write every element of the first `size_bytes`
/// bytes behind the store's buffer variable (constant extents, no predicate, an index that counts
/// in mixed radix); null when the nest is not shown to be one. What the stored value reads is for
/// the caller to judge.
const BufferStore* FullStoreOf(const For* nest, int64_t size_bytes);

}  // namespace tenon

#endif  // TENON_IR_ANALYSIS_FULL_STORE_H_
