#ifndef TENON_FRONTENDS_ONNX_INPUTS_H_
#define TENON_FRONTENDS_ONNX_INPUTS_H_

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "frontends/onnx/model.h"
#include "frontends/onnx/node.h"
#include "frontends/onnx/read_options.h"

namespace tenon::onnx {

/// Applies ReadOptions to the inputs of a graph.
class InputShapes {
 public:
  explicit InputShapes(const ReadOptions& options) : options_(options) {}

  /// The extents of a value, where they are known.
  std::optional<std::vector<int64_t>> Known(const ValueInfo& value) const;
  /// The tensor of an input: a constant if the options say so. Dimensions that nothing gives are
  /// collected, and extents that contradict the file are an error.
  absl::StatusOr<graph::Tensor> Read(const ValueInfo& input);
  /// An error that lists all open dimensions, and names of the options that the file lacks.
  absl::Status Finish(const GraphProto& graph) const;

 private:
  absl::StatusOr<graph::Tensor> ReadConstant(const ValueInfo& input, DataType dtype,
                                             const ReadOptions::ConstantValue& value);
  absl::Status CheckExtents(const ValueInfo& input, const std::vector<int64_t>& shape,
                            std::string_view option) const;
  void AddOpen(const ValueInfo& input);

  const ReadOptions& options_;
  /// One line for each input with open dimensions.
  std::vector<std::string> open_;
  /// The options that would give them.
  std::vector<std::string> flags_;
  std::set<std::string, std::less<>> named_;
};

}  // namespace tenon::onnx

#endif  // TENON_FRONTENDS_ONNX_INPUTS_H_
