#ifndef TENON_PRINTER_FFI_METADATA_TEXT_H_
#define TENON_PRINTER_FFI_METADATA_TEXT_H_

#include <span>

#include "ir/dialect.h"
#include "printer/metadata_text.h"

namespace tenon {

/// Whether AppendFfiMetadata can write all objects: strings, strings in expressions, and constants.
bool FitsFfiMetadata(std::span<const MetadataObjects> keys);

/// Appends the metadata line of TVM 0.25 and later, like AppendMetadata (printer/metadata_text.h).
/// Nodes stand after the nodes that they refer to, and equal strings are one node. Constants with
/// elided bytes are written without data.
void AppendFfiMetadata(std::span<const MetadataObjects> keys, const DialectRules& rules,
                       Sink& sink);

}  // namespace tenon

#endif  // TENON_PRINTER_FFI_METADATA_TEXT_H_
