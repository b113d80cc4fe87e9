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
/// SaveJSON: reading it gives the same objects under the same keys and indices, and what TVM wrote
/// comes back byte for byte (up to the order of keys, which TVM takes from a hash map). Objects
/// that are shared are written once. `version` is TVM's, such as "0.15.0".
///
/// Constants whose bytes were elided, and expressions that are not immediates, cannot be written:
/// the former come without data, the latter as null.
void AppendMetadata(std::span<const MetadataObjects> keys, std::string_view version, Sink& sink);

}  // namespace tenon

#endif  // TENON_PRINTER_METADATA_TEXT_H_
