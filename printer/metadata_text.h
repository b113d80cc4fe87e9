#ifndef TENON_PRINTER_METADATA_TEXT_H_
#define TENON_PRINTER_METADATA_TEXT_H_

#include <span>
#include <string_view>
#include <vector>

#include "ir/attrs.h"
#include "printer/sink.h"

namespace tenon {

/// The objects that a text refers to as `metadata["type_key"][0]`, `[1]`, ...
struct MetadataObjects {
  std::string_view type_key;
  std::vector<const Attr*> objects;
};

/// Appends `metadata = tvm.ir.load_json("""...""")`, without a line end, in the layout of TVM's
/// SaveJSON. Reading it gives the same objects under the same keys and indices. TVM's own text is
/// reproduced byte for byte, except the order of keys, which TVM takes from a hash map. Shared
/// objects are written once. `version` is TVM's, such as "0.15.0".
///
/// Constants with elided bytes are written without data, and expressions other than immediates as
/// null.
void AppendMetadata(std::span<const MetadataObjects> keys, std::string_view version, Sink& sink);

}  // namespace tenon

#endif  // TENON_PRINTER_METADATA_TEXT_H_
