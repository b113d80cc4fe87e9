#include "frontends/onnx/model.h"

#include <fmt/format.h>

#include <utility>

namespace tenon::onnx {

namespace {

// Costs of the parts of a model, in elements of lists (WireFile::Charge).
constexpr uint64_t kTensorCost = 8;
constexpr uint64_t kNodeCost = 4;
constexpr uint64_t kValueCost = 8;
constexpr uint64_t kAttributeCost = 8;

GraphProto ReadGraphProto(WireFile& file, std::string_view bytes, const WirePlace& place);

/// Reads elements of typed fields, as bytes. Elements of 4 and 8 bytes in one packed field stay in
/// the file.
void ReadTypedData(const WireMessage& message, const WireField& field, std::string_view name,
                   int element_bytes, bool is_fixed, TensorProto& tensor, std::string& typed) {
  const auto size = static_cast<uint64_t>(element_bytes);
  if (!is_fixed) return message.IntBytes(field, name, element_bytes, typed);
  if (field.type == WireType::kBytes) {
    const std::string_view packed = message.FixedBytes(field, name, size);
    if (tensor.bytes.empty() && typed.empty()) {
      tensor.bytes = packed;
      return;
    }
    typed += tensor.bytes;
    tensor.bytes = {};
    typed += packed;
    return;
  }
  typed += tensor.bytes;
  tensor.bytes = {};
  const WireType wanted = element_bytes == 4 ? WireType::kFixed32 : WireType::kFixed64;
  if (field.type != wanted) return message.Fail(name, "expected numbers of a fixed size");
  for (int i = 0; i < element_bytes; ++i)
    typed.push_back(static_cast<char>(static_cast<uint8_t>(field.scalar >> 8 * i)));
}

/// Bytes that an element has in memory when int32_data holds it.
int Int32DataBytes(int32_t type) {
  switch (static_cast<ElementType>(type)) {
    case ElementType::kUInt8:
    case ElementType::kInt8:
    case ElementType::kBool:
      return 1;
    case ElementType::kUInt16:
    case ElementType::kInt16:
    case ElementType::kFloat16:
    case ElementType::kBFloat16:
      return 2;
    default:
      return 4;
  }
}

void ReadExternal(WireFile& file, std::string_view bytes, const WirePlace& place,
                  TensorProto& tensor) {
  WireMessage message(file, bytes, place);
  WireField field;
  std::string_view key, value;
  while (message.Next(field)) {
    if (field.number == 1) key = message.Bytes(field, "key");
    if (field.number == 2) value = message.Bytes(field, "value");
  }
  if (key == "location") tensor.location = value;
  if (key == "offset") tensor.offset = value;
  if (key == "length") tensor.length = value;
}

void ReadTensorData(WireFile& file, std::string_view bytes, const WirePlace& place,
                    TensorProto& tensor) {
  WireMessage message(file, bytes, place);
  WireField field;
  std::string typed;
  while (message.Next(field)) {
    switch (field.number) {
      case 4:
        ReadTypedData(message, field, "float_data", 4, true, tensor, typed);
        break;
      case 5:
        ReadTypedData(message, field, "int32_data", Int32DataBytes(tensor.data_type), false, tensor,
                      typed);
        break;
      case 7:
        ReadTypedData(message, field, "int64_data", 8, false, tensor, typed);
        break;
      case 9:
        tensor.bytes = message.Bytes(field, "raw_data");
        tensor.has_raw = true;
        break;
      case 10:
        ReadTypedData(message, field, "double_data", 8, true, tensor, typed);
        break;
      case 11:
        ReadTypedData(message, field, "uint64_data",
                      tensor.data_type == static_cast<int32_t>(ElementType::kUInt32) ? 4 : 8, false,
                      tensor, typed);
        break;
      case 13:
        ReadExternal(file, message.Bytes(field, "external_data"), {&place, "external_data"},
                     tensor);
        break;
      case 14:
        tensor.is_external = message.Int(field, "data_location") == 1;
        break;
      default:
        break;
    }
  }
  if (typed.empty()) return;
  if (tensor.has_raw)
    return message.Fail("raw_data", "expected elements in one field, found them in two");
  tensor.typed = std::make_shared<std::string>(std::move(typed));
  tensor.bytes = *tensor.typed;
}

TensorProto ReadTensorProto(WireFile& file, std::string_view bytes, const WirePlace& place) {
  TensorProto tensor;
  if (!file.Charge(kTensorCost, place)) return tensor;
  WireMessage message(file, bytes, place);
  WireField field;
  while (message.Next(field)) {
    if (field.number == 1) message.Ints(field, "dims", tensor.dims);
    if (field.number == 2) tensor.data_type = static_cast<int32_t>(message.Int(field, "data_type"));
    if (field.number == 8) tensor.name = message.Bytes(field, "name");
    if (field.number == 3) message.Fail("segment", "segments are not supported");
  }
  tensor.place = place.Text();
  // The width of the elements depends on the type, which may follow them.
  ReadTensorData(file, bytes, place, tensor);
  return tensor;
}

AttributeProto ReadAttribute(WireFile& file, std::string_view bytes, const WirePlace& place) {
  AttributeProto attribute;
  if (!file.Charge(kAttributeCost, place)) return attribute;
  WireMessage message(file, bytes, place);
  WireField field;
  while (message.Next(field)) {
    switch (field.number) {
      case 1:
        attribute.name = message.Bytes(field, "name");
        break;
      case 2:
        attribute.real = message.Float(field, "f");
        break;
      case 3:
        attribute.integer = message.Int(field, "i");
        break;
      case 4:
        attribute.text = message.Bytes(field, "s");
        break;
      case 5:
        attribute.tensor = std::make_shared<TensorProto>(
            ReadTensorProto(file, message.Bytes(field, "t"), {&place, "t"}));
        break;
      case 6:
        attribute.graph = std::make_shared<GraphProto>(
            ReadGraphProto(file, message.Bytes(field, "g"), {&place, "g"}));
        break;
      case 7:
        message.Floats(field, "floats", attribute.reals);
        break;
      case 8:
        message.Ints(field, "ints", attribute.integers);
        break;
      case 9:
        attribute.texts.push_back(message.Bytes(field, "strings"));
        break;
      case 20:
        attribute.type = static_cast<int32_t>(message.Int(field, "type"));
        break;
      case 21:
        attribute.reference = message.Bytes(field, "ref_attr_name");
        break;
      default:
        break;
    }
  }
  return attribute;
}

NodeProto ReadNode(WireFile& file, std::string_view bytes, const WirePlace& place) {
  NodeProto node;
  node.index = place.index;
  if (!file.Charge(kNodeCost, place)) return node;
  WireMessage message(file, bytes, place);
  WireField field;
  while (message.Next(field)) {
    switch (field.number) {
      case 1:
        node.inputs.push_back(message.Bytes(field, "input"));
        file.Charge(1, place);
        break;
      case 2:
        node.outputs.push_back(message.Bytes(field, "output"));
        file.Charge(1, place);
        break;
      case 3:
        node.name = message.Bytes(field, "name");
        break;
      case 4:
        node.op_type = message.Bytes(field, "op_type");
        break;
      case 5: {
        const WirePlace at{&place, "attribute", static_cast<int64_t>(node.attributes.size())};
        node.attributes.push_back(ReadAttribute(file, message.Bytes(field, "attribute"), at));
        break;
      }
      case 7:
        node.domain = message.Bytes(field, "domain");
        break;
      case 8:
        node.overload = message.Bytes(field, "overload");
        break;
      default:
        break;
    }
  }
  return node;
}

std::vector<Dimension> ReadShape(WireFile& file, std::string_view bytes, const WirePlace& place) {
  std::vector<Dimension> shape;
  WireMessage message(file, bytes, place);
  WireField field;
  while (message.Next(field)) {
    if (field.number != 1) continue;
    const WirePlace at{&place, "dim", static_cast<int64_t>(shape.size())};
    WireMessage dim(file, message.Bytes(field, "dim"), at);
    Dimension& dimension = shape.emplace_back();
    WireField part;
    while (dim.Next(part)) {
      if (part.number == 1) dimension.value = dim.Int(part, "dim_value");
      if (part.number == 2) dimension.name = dim.Bytes(part, "dim_param");
    }
  }
  return shape;
}

void ReadType(WireFile& file, std::string_view bytes, const WirePlace& place, ValueInfo& value) {
  WireMessage message(file, bytes, place);
  WireField field;
  while (message.Next(field)) {
    if (field.number != 1) continue;
    value.is_tensor = true;
    const WirePlace at{&place, "tensor_type"};
    WireMessage tensor(file, message.Bytes(field, "tensor_type"), at);
    WireField part;
    while (tensor.Next(part)) {
      if (part.number == 1)
        value.element_type = static_cast<int32_t>(tensor.Int(part, "elem_type"));
      if (part.number == 2)
        value.shape = ReadShape(file, tensor.Bytes(part, "shape"), {&at, "shape"});
    }
  }
}

ValueInfo ReadValueInfo(WireFile& file, std::string_view bytes, const WirePlace& place) {
  ValueInfo value;
  if (!file.Charge(kValueCost, place)) return value;
  value.place = place.Text();
  WireMessage message(file, bytes, place);
  WireField field;
  while (message.Next(field)) {
    if (field.number == 1) value.name = message.Bytes(field, "name");
    if (field.number == 2) ReadType(file, message.Bytes(field, "type"), {&place, "type"}, value);
  }
  return value;
}

GraphProto ReadGraphProto(WireFile& file, std::string_view bytes, const WirePlace& place) {
  GraphProto graph;
  graph.place = place.Text();
  WireMessage message(file, bytes, place);
  WireField field;
  // Reads an element of a repeated message, and appends it.
  const auto append = [&](std::string_view name, auto& list, auto read) {
    const WirePlace at{&place, name, static_cast<int64_t>(list.size())};
    list.push_back(read(file, message.Bytes(field, name), at));
  };
  while (message.Next(field)) {
    switch (field.number) {
      case 1:
        append("node", graph.nodes, ReadNode);
        if (graph.nodes.size() > kMostNodes)
          message.Fail("node", fmt::format("expected at most {} nodes, found more", kMostNodes));
        break;
      case 2:
        graph.name = message.Bytes(field, "name");
        break;
      case 5:
        append("initializer", graph.initializers, ReadTensorProto);
        break;
      case 11:
        append("input", graph.inputs, ReadValueInfo);
        break;
      case 12:
        append("output", graph.outputs, ReadValueInfo);
        break;
      case 13:
        append("value_info", graph.values, ReadValueInfo);
        break;
      case 15:
        message.Fail("sparse_initializer", "sparse tensors are not supported");
        break;
      default:
        break;
    }
  }
  return graph;
}

OperatorSet ReadOperatorSet(WireFile& file, std::string_view bytes, const WirePlace& place) {
  OperatorSet set;
  WireMessage message(file, bytes, place);
  WireField field;
  while (message.Next(field)) {
    if (field.number == 1) set.domain = message.Bytes(field, "domain");
    if (field.number == 2) set.version = message.Int(field, "version");
  }
  return set;
}

/// Appends what a field of a function holds.
void ReadFunctionField(WireFile& file, const WireMessage& message, const WireField& field,
                       const WirePlace& place, FunctionProto& function) {
  const auto at = [&](std::string_view name, size_t index) {
    return WirePlace{&place, name, static_cast<int64_t>(index)};
  };
  switch (field.number) {
    case 1:
      function.name = message.Bytes(field, "name");
      break;
    case 4:
      function.inputs.push_back(message.Bytes(field, "input"));
      break;
    case 5:
      function.outputs.push_back(message.Bytes(field, "output"));
      break;
    case 7:
      function.nodes.push_back(
          ReadNode(file, message.Bytes(field, "node"), at("node", function.nodes.size())));
      break;
    case 9:
      function.operator_sets.push_back(
          ReadOperatorSet(file, message.Bytes(field, "opset_import"),
                          at("opset_import", function.operator_sets.size())));
      break;
    case 10:
      function.domain = message.Bytes(field, "domain");
      break;
    case 11:
      function.defaults.push_back(ReadAttribute(file, message.Bytes(field, "attribute_proto"),
                                                at("attribute_proto", function.defaults.size())));
      break;
    case 13:
      function.overload = message.Bytes(field, "overload");
      break;
    default:
      break;
  }
}

FunctionProto ReadFunction(WireFile& file, std::string_view bytes, const WirePlace& place) {
  FunctionProto function;
  function.place = place.Text();
  if (!file.Charge(kNodeCost, place)) return function;
  WireMessage message(file, bytes, place);
  WireField field;
  while (message.Next(field)) {
    file.Charge(1, place);
    ReadFunctionField(file, message, field, place, function);
  }
  return function;
}

}  // namespace

const AttributeProto* NodeProto::Find(std::string_view wanted) const {
  for (const AttributeProto& attribute : attributes)
    if (attribute.name == wanted) return &attribute;
  return nullptr;
}

ModelProto ReadModelProto(WireFile& file) {
  ModelProto model;
  const WirePlace place{nullptr, "Model"};
  WireMessage message(file, file.bytes(), place);
  WireField field;
  while (message.Next(field)) {
    switch (field.number) {
      case 1:
        model.ir_version = message.Int(field, "ir_version");
        break;
      case 7:
        model.graph =
            ReadGraphProto(file, message.Bytes(field, "graph"), WirePlace{&place, "graph"});
        break;
      case 8:
        model.operator_sets.push_back(ReadOperatorSet(file, message.Bytes(field, "opset_import"),
                                                      WirePlace{&place, "opset_import"}));
        break;
      case 25: {
        const WirePlace at{&place, "functions", static_cast<int64_t>(model.functions.size())};
        model.functions.push_back(ReadFunction(file, message.Bytes(field, "functions"), at));
        break;
      }
      default:
        break;
    }
  }
  if (file.ok() && !model.graph) message.Fail("graph", "expected a graph, found none");
  return model;
}

}  // namespace tenon::onnx
