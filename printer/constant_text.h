#ifndef TENON_PRINTER_CONSTANT_TEXT_H_
#define TENON_PRINTER_CONSTANT_TEXT_H_

#include <cstdint>
#include <span>

#include "ir/dtype.h"
#include "printer/sink.h"

namespace tenon {

/// Appends the elements of `bytes` (little endian, each in whole bytes; of a vector type, its
/// lanes) as the inside of a list, `1, -2, 3`, without brackets. Parsing gives the same bytes:
/// integers are decimal, bools True and False, floats the shortest decimal that reads back to the
/// same element as Python spells it (`3.0`, `1e-05`), infinities "inf" and "-inf" and the usual NaN
/// "nan" in quotes, other NaNs "nan(0x7fc00001)". Pieces that end between elements may be appended
/// one by one with ", " between them.
void AppendConstantElements(std::span<const uint8_t> bytes, DataType dtype, Sink& sink);

/// Appends `value` as Python's repr writes a float64: shortest digits, a point or an exponent.
void AppendPythonFloat(double value, Sink& sink);

}  // namespace tenon

#endif  // TENON_PRINTER_CONSTANT_TEXT_H_
