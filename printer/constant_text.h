#ifndef TENON_PRINTER_CONSTANT_TEXT_H_
#define TENON_PRINTER_CONSTANT_TEXT_H_

#include <cstdint>
#include <span>

#include "ir/dtype.h"
#include "printer/sink.h"

namespace tenon {

/// Appends the elements of `bytes` as the inside of a list, `1, -2, 3`, without brackets. Elements
/// are little endian, in whole bytes; vector types are written by lane. Parsing gives the same
/// bytes. Integers are decimal, bools True and False. Floats are the shortest decimal that reads
/// back to the same element, as Python writes it (`3.0`, `1e-05`). Infinities are "inf" and "-inf"
/// and the usual NaN "nan", in quotes; other NaNs are "nan(0x7fc00001)". Pieces that end between
/// elements may be appended one by one with ", " between them.
void AppendConstantElements(std::span<const uint8_t> bytes, DataType dtype, Sink& sink);

}  // namespace tenon

#endif  // TENON_PRINTER_CONSTANT_TEXT_H_
