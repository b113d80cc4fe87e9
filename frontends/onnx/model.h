#ifndef TENON_FRONTENDS_ONNX_MODEL_H_
#define TENON_FRONTENDS_ONNX_MODEL_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "frontends/onnx/wire.h"

// The messages of onnx.proto that Tenon reads:
// https://github.com/onnx/onnx/blob/main/onnx/onnx.proto. Texts point into the file.

namespace tenon::onnx {

/// The most nodes of a graph, with those of its functions.
inline constexpr size_t kMostNodes = size_t{1} << 17;

/// The types of tensors' elements, by their numbers in onnx.proto.
enum class ElementType : int32_t {
  kUndefined = 0,
  kFloat = 1,
  kUInt8 = 2,
  kInt8 = 3,
  kUInt16 = 4,
  kInt16 = 5,
  kInt32 = 6,
  kInt64 = 7,
  kString = 8,
  kBool = 9,
  kFloat16 = 10,
  kDouble = 11,
  kUInt32 = 12,
  kUInt64 = 13,
  kBFloat16 = 16,
};

struct TensorProto {
  std::string place;  ///< `Model.graph.initializer[3]`
  std::string_view name;
  std::vector<int64_t> dims;
  int32_t data_type = 0;
  /// The elements: they point into the file, or into `typed`.
  std::string_view bytes;
  std::shared_ptr<const std::string> typed;
  bool has_raw = false;
  /// The elements are in a file of their own.
  bool is_external = false;
  std::string_view location;
  std::string_view offset;
  std::string_view length;
};

struct GraphProto;

struct AttributeProto {
  std::string_view name;
  int32_t type = 0;
  float real = 0;
  int64_t integer = 0;
  std::string_view text;
  std::shared_ptr<const TensorProto> tensor;
  std::shared_ptr<const GraphProto> graph;
  std::vector<float> reals;
  std::vector<int64_t> integers;
  std::vector<std::string_view> texts;
  /// The attribute of the function's caller that gives the value; empty for others.
  std::string_view reference;
};

struct NodeProto {
  int64_t index = 0;  ///< among the nodes of its graph
  std::string_view name;
  std::string_view op_type;
  std::string_view domain;
  std::string_view overload;
  std::vector<std::string_view> inputs;  ///< empty: absent
  std::vector<std::string_view> outputs;
  std::vector<AttributeProto> attributes;

  /// The attribute, or null.
  const AttributeProto* Find(std::string_view name) const;
};

/// An extent: a number, a name, or nothing.
struct Dimension {
  std::optional<int64_t> value;
  std::string_view name;
};

/// The type of a value. `shape` is absent if the file does not say it.
struct ValueInfo {
  std::string place;
  std::string_view name;
  /// A tensor, as opposed to a sequence, map or optional.
  bool is_tensor = false;
  int32_t element_type = 0;
  std::optional<std::vector<Dimension>> shape;
};

struct GraphProto {
  std::string place;
  std::string_view name;
  std::vector<NodeProto> nodes;
  std::vector<TensorProto> initializers;
  std::vector<ValueInfo> inputs;
  std::vector<ValueInfo> outputs;
  std::vector<ValueInfo> values;
};

/// The version of the operators of a domain.
struct OperatorSet {
  std::string_view domain;
  int64_t version = 0;
};

struct FunctionProto {
  std::string place;
  std::string_view name;
  std::string_view domain;
  std::string_view overload;
  std::vector<std::string_view> inputs;
  std::vector<std::string_view> outputs;
  std::vector<AttributeProto> defaults;
  std::vector<NodeProto> nodes;
  std::vector<OperatorSet> operator_sets;
};

struct ModelProto {
  int64_t ir_version = 0;
  std::vector<OperatorSet> operator_sets;
  std::optional<GraphProto> graph;
  std::vector<FunctionProto> functions;
};

/// Reads a model. The first fault is in `file`.
ModelProto ReadModelProto(WireFile& file);

}  // namespace tenon::onnx

#endif  // TENON_FRONTENDS_ONNX_MODEL_H_
