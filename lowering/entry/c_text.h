#ifndef TENON_LOWERING_ENTRY_C_TEXT_H_
#define TENON_LOWERING_ENTRY_C_TEXT_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ir/dtype.h"

// Types, literals and signatures of C.

namespace tenon {

/// The C type of a scalar: `int32_t`, `float`, `uint8_t` for bool and for floats of 8 bits. Empty
/// for vectors and other types that C lacks.
std::string_view CType(DataType dtype);
/// The runtime header's name for elements of that type in memory.
std::string_view ElementType(DataType dtype);
/// The suffix of the runtime's functions: `i32`, `u8`, `f32`.
std::string_view TypeSuffix(DataType dtype);

/// An integer literal of a dtype, or a floating-point literal that reads back exactly.
std::string IntLiteral(int64_t value, DataType dtype);
std::string FloatLiteral(double value, DataType dtype);

/// Text for a comment: one line of printable ASCII that does not end the comment. Longer text than
/// `most` bytes is cut.
std::string CommentText(std::string_view text, size_t most = 120);

/// `head(params)`, with one parameter per line if it is long.
std::string CSignature(std::string_view head, const std::vector<std::string>& params);

}  // namespace tenon

#endif  // TENON_LOWERING_ENTRY_C_TEXT_H_
