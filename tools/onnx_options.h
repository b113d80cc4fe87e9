#ifndef TENON_TOOLS_ONNX_OPTIONS_H_
#define TENON_TOOLS_ONNX_OPTIONS_H_

#include "absl/status/statusor.h"
#include "frontends/onnx/read_options.h"
#include "tools/options.h"

namespace tenon {

/// The values of --shape, --dim and --constant; reads the .npy files of constants. Errors: a value
/// that is not `NAME=...`, a name that is given twice, a file that cannot be read.
absl::StatusOr<onnx::ReadOptions> OnnxReadOptions(const OnnxInputs& inputs);

}  // namespace tenon

#endif  // TENON_TOOLS_ONNX_OPTIONS_H_
