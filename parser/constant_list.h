#ifndef TENON_PARSER_CONSTANT_LIST_H_
#define TENON_PARSER_CONSTANT_LIST_H_

// The element lists of constants, `[1, -2, 3]`. They are most of a model's text, so they are read
// directly into bytes, without the tokeniser.

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "ir/dtype.h"
#include "support/diagnostics.h"

namespace tenon {

/// The part of a list that was read.
struct ConstantListResult {
  /// The elements, little endian, each in whole bytes. If the text has more elements than expected,
  /// only the expected ones.
  std::vector<uint8_t> bytes;
  /// The number of elements (scalars, not vectors) in the text.
  int64_t count = 0;
  /// The extents of a list of lists, outermost first; one extent for a flat list.
  std::vector<int64_t> extents;
  /// The offset after the closing bracket. It is also set after wrong elements, so that reading can
  /// continue there. The text's size if the bracket is never closed.
  size_t end = 0;
};

/// The offset of the bracket that closes the one at `open_bracket`, past strings, comments and
/// nested brackets; npos if no bracket closes it. It is as fast as memory, because the dtype comes
/// after the list and is needed first.
size_t FindListEnd(std::string_view text, size_t open_bracket);

/// Reads the list whose `[` is at `open_bracket` as elements of `dtype` (vectors: their lanes one
/// after another). Elements are Python's numbers: decimal, hexadecimal, octal and binary integers,
/// floats, and True and False for bool. The strings "inf", "-inf", "nan" and "nan(0x...)" are also
/// elements; the last has the bits of the element. White space, line ends, comments, a trailing
/// comma and nested lists of equal lengths (flattened) are allowed. Decimals are rounded once, to
/// nearest even, to the element's own format. At most `expected_count` elements are stored (all are
/// checked and counted), and never more than the text can contain; -1 means unknown.
///
/// False if the list is wrong; the first few mistakes are reported as [literal] and [syntax] at
/// `source_base` plus their offset in `text`. The caller compares counts with extents.
bool ParseConstantList(std::string_view text, size_t open_bracket, DataType dtype,
                       uint32_t source_base, int64_t expected_count, Diagnostics& diagnostics,
                       ConstantListResult* result);

/// Reads one element, written as in a list: the argument of `I.splat`. `bytes` gets the element.
bool ParseConstantElement(std::string_view text, DataType dtype, SourceRange range,
                          Diagnostics& diagnostics, std::vector<uint8_t>* bytes);

}  // namespace tenon

#endif  // TENON_PARSER_CONSTANT_LIST_H_
