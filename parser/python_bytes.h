#ifndef TENON_PARSER_PYTHON_BYTES_H_
#define TENON_PARSER_PYTHON_BYTES_H_

// Internal to parser/metadata.cc.

#include <cstddef>
#include <string>
#include <string_view>

namespace tenon {

/// The bytes that the contents of a Python string literal denote. `\xHH` is a byte, as in TVM's
/// printer, not a code point.
std::string DecodePythonBytes(std::string_view body);

/// The offset in `body` of the byte that became byte `decoded_offset` of DecodePythonBytes.
size_t PythonSourceOffset(std::string_view body, size_t decoded_offset);

}  // namespace tenon

#endif  // TENON_PARSER_PYTHON_BYTES_H_
