#ifndef TENON_PRINTER_LITERAL_H_
#define TENON_PRINTER_LITERAL_H_

#include <string_view>

#include "ir/module.h"
#include "ir/text_names.h"
#include "printer/sink.h"

// Literals of the script: numbers, strings, dtypes.

namespace tenon {

/// `int8`, `float32x4`, ...; like DataType::ToString, except where `dialect` has another spelling.
void AppendDType(Sink& sink, DataType dtype, Dialect dialect = Dialect::kV015);

/// A double as a Python literal: 17 significant digits, with `.0` for integral values in TVM 0.18
/// and newer. Infinities and NaN are `"inf"`, `"-inf"`, `"nan"`.
void AppendFloat(Sink& sink, double value, Dialect dialect);

/// `"text"` with `\\ \" \n \t \r`; bytes outside printable ASCII become `\xHH`.
void AppendQuoted(Sink& sink, std::string_view text);

}  // namespace tenon

#endif  // TENON_PRINTER_LITERAL_H_
