#ifndef TENON_FRONTENDS_ONNX_READ_OPTIONS_H_
#define TENON_FRONTENDS_ONNX_READ_OPTIONS_H_

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "frontends/graph/lower_graph.h"
#include "ir/module.h"
#include "support/npy.h"

namespace tenon::onnx {

/// The order of axes in the memory of tensors: that of the file, channels as the last axis
/// (SetLayout of graph/channels_last.h), or the one with the smaller workspace.
enum class TensorLayout : uint8_t { kAuto, kKeep, kChannelsLast };
inline constexpr std::array<std::string_view, 3> kTensorLayoutNames = {"auto", "keep",
                                                                       "channels-last"};

/// Options for the inputs and the layout of an ONNX file.
struct ReadOptions : graph::LowerGraphOptions {
  /// The value of an input that becomes a constant: an array, or the text of a number.
  using ConstantValue = std::variant<NpyArray, std::string>;

  /// Shapes of inputs, by their names.
  std::map<std::string, std::vector<int64_t>, std::less<>> shapes = {};
  /// Extents of dimensions, by the names that the file gives to them.
  std::map<std::string, int64_t, std::less<>> dims = {};
  std::map<std::string, ConstantValue, std::less<>> constants = {};
  /// Outputs by the names of inputs. In the next run the input has the value of the output; both
  /// become a state, which begins as zeros.
  std::map<std::string, std::string, std::less<>> states = {};
  /// Inputs and outputs that are quantised to this type become integers (interface_types.h).
  std::optional<DataType> interface_type = std::nullopt;
  /// For options of several files: names that this file lacks are not errors. Receives the others,
  /// as `--dim batch`. Null: each name must be in the file.
  std::set<std::string>* used = nullptr;
  TensorLayout layout = TensorLayout::kKeep;
  /// For TensorLayout::kAuto: the bytes of workspace that a module needs, or nullopt if it has no
  /// plan. The module may belong to another Context than the one that is read.
  std::function<std::optional<int64_t>(const IRModule& module)> workspace_of = {};
  /// The names of inputs and outputs whose callers have channels as the last axis.
  std::set<std::string, std::less<>> inputs_with_channels_last = {};
  std::set<std::string, std::less<>> outputs_with_channels_last = {};
};

}  // namespace tenon::onnx

#endif  // TENON_FRONTENDS_ONNX_READ_OPTIONS_H_
