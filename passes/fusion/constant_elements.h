#ifndef TENON_PASSES_FUSION_CONSTANT_ELEMENTS_H_
#define TENON_PASSES_FUSION_CONSTANT_ELEMENTS_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "arith/interval.h"
#include "ir/context.h"

namespace tenon {

/// The integer of `dtype`, a scalar type, that begins at byte `at`, low bytes first.
int64_t IntegerAt(std::span<const uint8_t> bytes, size_t at, DataType dtype);

/// An interval with all elements of a constant of integers; the range of its type if its bytes
/// cannot be read.
Interval ElementsOf(const Constant& constant);

/// True for a constant of float32 without infinities and NaNs; false if its bytes cannot be read.
bool AreFinite(const Constant& constant);

/// The same constant with elements of the integer type `element`, which holds all of them.
const Constant* WithElementType(Context& context, const Constant& constant, DataType element);

}  // namespace tenon

#endif  // TENON_PASSES_FUSION_CONSTANT_ELEMENTS_H_
