#ifndef TENON_PARSER_FFI_METADATA_H_
#define TENON_PARSER_FFI_METADATA_H_

#include <cstdint>
#include <string_view>

#include "ir/context.h"
#include "parser/metadata.h"
#include "support/arena.h"
#include "support/diagnostics.h"
#include "support/json_reader.h"

namespace tenon {

/// True for the JSON graph of TVM 0.24 and later: `root_index`, and nodes with `type` and `data`.
bool IsFfiGraph(const JsonValue& json);

/// Reads this graph, whose root is a map of lists of objects, into `table`. Tensors and constants
/// become ConstantAttr, and strings become StringAttr. All other objects become NoneAttr, since
/// nothing reads them. `body` is the contents of the literal as in the text, with its first byte at
/// `source_base` of the source manager's space. False after errors [metadata].
bool ReadFfiGraph(Context& context, Arena& arena, const JsonValue& json, std::string_view body,
                  uint32_t source_base, Diagnostics& diagnostics, MetadataTable* table);

}  // namespace tenon

#endif  // TENON_PARSER_FFI_METADATA_H_
