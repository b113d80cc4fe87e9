#ifndef TENON_PRINTER_LITERAL_H_
#define TENON_PRINTER_LITERAL_H_

#include <string_view>

#include "ir/module.h"
#include "printer/sink.h"

// Words of the script: numbers, strings, dtypes, names.

namespace tenon {

/// `int8`, `float32x4`, ...; as DataType::ToString.
void AppendDType(Sink& sink, DataType dtype);

/// A double as a Python literal: 17 significant digits, and from 0.18 on integral values with `.0`;
/// infinities and NaN as `"inf"`, `"-inf"`, `"nan"`.
void AppendFloat(Sink& sink, double value, Dialect dialect);

/// `"text"` with `\\ \" \n \t \r`; bytes outside printable ASCII as `\xHH`.
void AppendQuoted(Sink& sink, std::string_view text);

/// A name that the text could use: only ASCII letters, digits and `_`, no leading digit, not empty.
bool IsPlainName(std::string_view name);
/// Python's keywords, the prefixes `T` and `I`, and other words with a meaning of their own in the
/// text.
bool IsReservedName(std::string_view name, Dialect dialect);

}  // namespace tenon

#endif  // TENON_PRINTER_LITERAL_H_
