#ifndef TENON_TOOLS_ONNX_OPTIONS_H_
#define TENON_TOOLS_ONNX_OPTIONS_H_

#include <set>
#include <string>

#include "absl/status/statusor.h"
#include "frontends/onnx/read_options.h"
#include "tools/options.h"

namespace tenon {

/// The values of --shape, --dim, --constant, --state and of the options for layouts; reads the .npy
/// files of constants. Errors: a value that is not `NAME=...` or `NAME:NHWC`, a name that is given
/// twice, a file that cannot be read.
absl::StatusOr<onnx::ReadOptions> OnnxReadOptions(const OnnxInputs& inputs);

/// One line about the first option without effect: that none of the files is an .onnx file, or that
/// no file has the name in it. `used` are the names of onnx::ReadOptions. Empty if each option has
/// an effect.
std::string UnusedOnnxOption(const OnnxInputs& inputs, bool has_onnx,
                             const std::set<std::string>& used);

}  // namespace tenon

#endif  // TENON_TOOLS_ONNX_OPTIONS_H_
