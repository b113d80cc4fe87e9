#ifndef TENON_FRONTENDS_TFLITE_READ_MODULE_H_
#define TENON_FRONTENDS_TFLITE_READ_MODULE_H_

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "frontends/graph/lower_graph.h"
#include "ir/module.h"
#include "support/diagnostics.h"
#include "support/file.h"

// Models of TensorFlow Lite (LiteRT): a flatbuffer of tensors and operators.

namespace tenon::tflite {

struct ReadOptions : graph::LowerGraphOptions {
  /// The name of the model's signature; empty for the first subgraph.
  std::string signature;
};

/// Makes a module of a model: loops and constants that compute what the reference kernels of
/// TensorFlow Lite compute, bit for bit for integers. Returns nullopt exactly if there was an
/// error.
std::optional<IRModule> ReadModule(Context& context, const std::shared_ptr<const FileBytes>& file,
                                   const ReadOptions& options, Diagnostics& diagnostics);

}  // namespace tenon::tflite

#endif  // TENON_FRONTENDS_TFLITE_READ_MODULE_H_
