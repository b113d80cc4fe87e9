#ifndef TENON_PARSER_CONSTANT_ELEMENT_H_
#define TENON_PARSER_CONSTANT_ELEMENT_H_

// Internal to parser/constant_list.cc: one element of a constant, in any spelling. The list reader
// handles the usual spellings itself, and uses these functions for all others.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "ir/dtype.h"

namespace tenon {

/// The bits of an element, low byte first, or the error in its text.
struct ElementResult {
  bool ok = false;
  /// True if the text is not a number at all ([syntax]), false for a wrong value ([literal]).
  bool malformed = false;
  uint64_t bits = 0;
  std::string message;
};

/// True for element types that lists can hold: integers up to 64 bits, bool, the floats.
bool IsListElementType(DataType dtype);

/// The range of an integer type, as the largest value and the magnitude of the smallest.
struct IntegerRange {
  uint64_t most = 0;
  uint64_t least_magnitude = 0;
};
IntegerRange RangeOf(DataType dtype);

/// Reads `text`, one token without white space around it, as an element of `dtype`.
ElementResult ReadElement(std::string_view text, DataType dtype);

/// Decimal text rounded once to a float16, bfloat16 or float8; nullopt if `text` is not a decimal
/// number. Values beyond the range give the format's infinity or NaN.
std::optional<uint64_t> SmallFloatFromDecimal(std::string_view text, DataType dtype);

/// True if `bits` is an infinity or NaN of the floating type `dtype`.
bool IsNotFinite(uint64_t bits, DataType dtype);

}  // namespace tenon

#endif  // TENON_PARSER_CONSTANT_ELEMENT_H_
