#ifndef TENON_FRONTENDS_ONNX_CONVERT_H_
#define TENON_FRONTENDS_ONNX_CONVERT_H_

#include "absl/status/status.h"
#include "frontends/onnx/node.h"

// The conversions that rows.def names.

namespace tenon::onnx {

// One operator of the row's kind, with the node's attributes. They differ in the types of outputs.

/// All outputs have the type of input 0.
absl::Status ConvertSame(Node& node);
/// The type of input 1.
absl::Status ConvertSecond(Node& node);
absl::Status ConvertBool(Node& node);
absl::Status ConvertInt64(Node& node);
/// The type of input 0, and int64 for output 1.
absl::Status ConvertWithIndices(Node& node);
/// The types of input 0 and, for the others, of input 1; as LayerNormalization's statistics are
/// float32, see stash_type.
absl::Status ConvertNormalization(Node& node);
/// The type of input 7, the zero point of the result.
absl::Status ConvertQLinear(Node& node);

#define TENON_ONNX_OPERATOR(domain, op_type, since, until, kind, convert, attributes) \
  absl::Status convert(Node& node);
#include "frontends/onnx/rows.def"

}  // namespace tenon::onnx

#endif  // TENON_FRONTENDS_ONNX_CONVERT_H_
