#ifndef TENON_PARSER_CONSTANT_LIST_H_
#define TENON_PARSER_CONSTANT_LIST_H_

// The element lists of constants, `[1, -2, 3]`. They are most of a model's text, so they are read
// straight into bytes, past the tokeniser.

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "ir/dtype.h"
#include "support/diagnostics.h"

namespace tenon {

/// The part of a list that was read.
struct ConstantListResult {
  /// The elements, little endian, each in whole bytes. Where more elements stand in the text than
  /// were expected, only the expected ones.
  std::vector<uint8_t> bytes;
  /// How many elements (scalars, not vectors) stand in the text.
  int64_t count = 0;
  /// The extents of a list of lists, outermost first; one extent for a flat list.
  std::vector<int64_t> extents;
  /// The offset after the closing bracket; also set when elements were wrong, so that reading can
  /// go on there. The text's size if the bracket is never closed.
  size_t end = 0;
};

/// The offset of the bracket that closes the one at `open_bracket`, past strings, comments and
/// nested brackets; npos if there is none. A pass at memory speed: the dtype stands after the
/// list.
size_t FindListEnd(std::string_view text, size_t open_bracket);

/// Reads the list whose `[` is at `open_bracket` as elements of `dtype` (vectors: their lanes one
/// after another). Elements are Python's numbers: decimal, hexadecimal, octal and binary integers,
/// floats, True and False for bool, and the strings "inf", "-inf", "nan" and "nan(0x...)", the last
/// with the bits of the element. White space, line ends, comments, a trailing comma and nested
/// lists of equal lengths (flattened) are allowed. Decimals are rounded once, to nearest even, to
/// the element's own format. At most `expected_count` elements are stored (all are checked and
/// counted), and never more than the text has room for; -1 means unknown.
///
/// False when the list is wrong; the first few mistakes are reported as [literal] and [syntax] at
/// `source_base` plus their offset in `text`. Comparing counts with extents is the caller's.
bool ParseConstantList(std::string_view text, size_t open_bracket, DataType dtype,
                       uint32_t source_base, int64_t expected_count, Diagnostics& diagnostics,
                       ConstantListResult* result);

/// Reads one element, written as in a list: what `I.splat` takes. `bytes` gets the element.
bool ParseConstantElement(std::string_view text, DataType dtype, SourceRange range,
                          Diagnostics& diagnostics, std::vector<uint8_t>* bytes);

}  // namespace tenon

#endif  // TENON_PARSER_CONSTANT_LIST_H_
