#ifndef TENON_FRONTENDS_ONNX_READ_MODULE_H_
#define TENON_FRONTENDS_ONNX_READ_MODULE_H_

#include <memory>
#include <optional>

#include "frontends/onnx/read_options.h"
#include "ir/module.h"
#include "support/diagnostics.h"
#include "support/file.h"

// Models of ONNX: a protocol buffer of tensors and nodes.

namespace tenon::onnx {

/// Makes a module of a model with static shapes: loops and constants that compute what the ONNX
/// standard says. Nodes without support are one error that lists them all. Returns nullopt exactly
/// if there was an error.
std::optional<IRModule> ReadModule(Context& context, const std::shared_ptr<const FileBytes>& file,
                                   const ReadOptions& options, Diagnostics& diagnostics);

}  // namespace tenon::onnx

#endif  // TENON_FRONTENDS_ONNX_READ_MODULE_H_
