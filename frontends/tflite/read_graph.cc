#include "frontends/tflite/read_graph.h"

#include <fmt/format.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "frontends/graph/expand.h"
#include "frontends/tflite/flatbuffer.h"
#include "frontends/tflite/options.h"

namespace tenon::tflite {

namespace {

/// Indices of elements are int32.
constexpr int64_t kMostElements = (int64_t{1} << 31) - 1;

constexpr size_t kMostDimensions = 16;

/// The only version of the schema.
constexpr uint32_t kVersion = 3;
/// Details of a quantisation: scales of blocks.
constexpr uint8_t kBlocks = 2;
/// A code that stands for codes that do not fit a byte.
constexpr int8_t kLargerCode = 127;
constexpr int32_t kCustom = 32;

std::optional<DataType> TypeOf(int8_t code) {
  switch (code) {
    case 0:
      return DataType::Float(32);
    case 1:
      return DataType::Float(16);
    case 2:
      return DataType::Int(32);
    case 3:
      return DataType::UInt(8);
    case 4:
      return DataType::Int(64);
    case 6:
      return DataType::Bool();
    case 7:
      return DataType::Int(16);
    case 9:
      return DataType::Int(8);
    case 10:
      return DataType::Float(64);
    case 12:
      return DataType::UInt(64);
    case 15:
      return DataType::UInt(32);
    case 16:
      return DataType::UInt(16);
    case 17:
      return DataType::Int(4);
    case 18:
      return DataType(TypeCode::kBFloat, 16);
    case 19:
      return DataType::Int(2);
    default:
      return std::nullopt;
  }
}

/// Whether a byte has several elements.
bool IsPacked(DataType dtype) { return dtype.is_int() && dtype.bits() < 8; }

/// Integers of 2 or 4 bits as bytes; the first is in the lowest bits. Loops over bytes are as fast
/// as those of int8, and become lanes. Loops over packed integers would need two shifts for each
/// product.
graph::TensorData Unpacked(std::string_view packed, int bits, int64_t elements) {
  auto bytes = std::make_shared<std::string>(static_cast<size_t>(elements), '\0');
  const int in_byte = 8 / bits;
  for (size_t i = 0; i < bytes->size(); ++i) {
    const auto byte = static_cast<uint8_t>(packed[i / static_cast<size_t>(in_byte)]);
    const int above = 8 - bits * (static_cast<int>(i) % in_byte + 1);
    const auto top = static_cast<int8_t>(static_cast<uint8_t>(byte << above));
    (*bytes)[i] = static_cast<char>(top >> (8 - bits));
  }
  return {{reinterpret_cast<const uint8_t*>(bytes->data()), bytes->size()}, bytes, false};
}

class Reader {
 public:
  explicit Reader(const std::shared_ptr<const FileBytes>& file)
      : bytes_(file), file_(file->view()) {}

  absl::StatusOr<graph::Graph> Run(std::string_view signature) {
    const FlatTable model = file_.Root("Model");
    const uint32_t version = model.Scalar<uint32_t>(0, "version", 0);
    if (model.exists() && version != kVersion)
      Fail(model.PlaceOf("version"), fmt::format("expected {}, found {}", kVersion, version));
    codes_ = model.Tables(1, "operator_codes");
    buffers_ = model.Tables(4, "buffers");
    const FlatTables subgraphs = model.Tables(2, "subgraphs");
    if (subgraphs.size() == 0) Fail("Model.subgraphs", "expected a subgraph, found none");
    if (!signature.empty()) FindSignature(model, signature);
    const auto number =
        signature_.exists() ? signature_.Scalar<uint32_t>(4, "subgraph_index", 0) : 0;
    if (ok() && number >= subgraphs.size()) {
      Fail(signature_.PlaceOf("subgraph_index"),
           fmt::format("expected one of the {} subgraphs, found {}", subgraphs.size(), number));
    }
    if (ok()) ReadSubgraphs(subgraphs, number);
    if (!file_.status().ok()) return file_.status();
    return graph::ExpandGraphs(graphs_, number);
  }

 private:
  void Fail(std::string_view place, std::string_view message) { file_.Fail(place, message); }
  bool ok() const { return file_.status().ok(); }

  void FindSignature(const FlatTable& model, std::string_view name) {
    const FlatTables signatures = model.Tables(7, "signature_defs");
    std::string known;
    for (size_t i = 0; ok() && i < signatures.size(); ++i) {
      const FlatTable signature = signatures[i];
      const std::string_view key = signature.Bytes(2, "signature_key");
      if (key == name) signature_ = signature;
      known += fmt::format("{}`{}`", known.empty() ? "" : ", ", key);
    }
    if (!ok() || signature_.exists()) return;
    Fail(model.PlaceOf("signature_defs"), fmt::format("expected the signature `{}`, found {}", name,
                                                      known.empty() ? "none" : known));
  }

  /// The tensors of a signature's inputs or outputs, and their names there.
  std::vector<int> SignatureTensors(int field, std::string_view name,
                                    std::vector<std::string>& names) {
    std::vector<int> numbers;
    const FlatTables maps = signature_.Tables(field, name);
    for (size_t i = 0; ok() && i < maps.size(); ++i) {
      const FlatTable map = maps[i];
      const auto number = map.Scalar<uint32_t>(1, "tensor_index", 0);
      if (number >= graph_.tensors.size()) {
        Fail(map.PlaceOf("tensor_index"), fmt::format("expected one of the {} tensors, found {}",
                                                      graph_.tensors.size(), number));
        return {};
      }
      names.emplace_back(map.Bytes(0, "name"));
      numbers.push_back(static_cast<int>(number));
    }
    return numbers;
  }

  /// Reads a subgraph, and those that its operators run.
  void ReadSubgraphs(const FlatTables& subgraphs, size_t first) {
    graphs_.resize(subgraphs.size());
    std::set<size_t> found = {first};
    std::vector<size_t> left = {first};
    while (ok() && !left.empty()) {
      const size_t number = left.back();
      left.pop_back();
      graph_ = {};
      graph_.number = static_cast<int>(number);
      known_.clear();
      runs_.clear();
      ReadSubgraph(subgraphs[number], number == first && signature_.exists());
      graphs_[number] = std::move(graph_);
      for (const size_t next : runs_)
        if (found.insert(next).second) left.push_back(next);
    }
  }

  void ReadSubgraph(const FlatTable& subgraph, bool by_signature) {
    const FlatTables tensors = subgraph.Tables(0, "tensors");
    for (size_t i = 0; ok() && i < tensors.size(); ++i)
      graph_.tensors.push_back(ReadTensor(tensors[i]));
    if (by_signature) {
      std::vector<std::string> inputs, outputs;
      graph_.inputs = SignatureTensors(0, "inputs", inputs);
      graph_.outputs = SignatureTensors(1, "outputs", outputs);
      for (size_t i = 0; i < graph_.inputs.size(); ++i)
        graph_.tensors[static_cast<size_t>(graph_.inputs[i])].name = inputs[i];
      for (size_t i = 0; i < graph_.outputs.size(); ++i) graph_.output_names[i] = outputs[i];
    } else {
      graph_.inputs = TensorNumbers(subgraph, 1, "inputs", false);
      graph_.outputs = TensorNumbers(subgraph, 2, "outputs", false);
    }
    graph_.name = std::string(subgraph.Bytes(4, "name"));
    CheckInputs(subgraph);
    const FlatTables operators = subgraph.Tables(3, "operators");
    for (size_t i = 0; ok() && i < operators.size(); ++i) ReadOperator(operators[i]);
    for (const int tensor : graph_.outputs) CheckKnown(subgraph.PlaceOf("outputs"), tensor);
  }

  /// The number of a tensor, and its name if it has one.
  std::string NameOf(int tensor) const {
    const std::string& name = graph_.tensor(tensor).name;
    return name.empty() ? std::to_string(tensor) : fmt::format("{} `{}`", tensor, name);
  }

  /// Checks the tensors that have a value before the first operator runs.
  void CheckInputs(const FlatTable& subgraph) {
    // A variable that is an input gets its value from the caller.
    for (const int tensor : graph_.inputs)
      graph_.tensors[static_cast<size_t>(tensor)].is_state = false;
    for (size_t i = 0; ok() && i < graph_.tensors.size(); ++i) {
      const graph::Tensor& tensor = graph_.tensors[i];
      if (tensor.data || tensor.is_state) known_.insert(static_cast<int>(i));
    }
    for (const int tensor : graph_.inputs) {
      CheckWhole(subgraph.PlaceOf("inputs"), tensor);
      if (known_.insert(tensor).second) continue;
      const bool has_data = graph_.tensor(tensor).data.has_value();
      Fail(subgraph.PlaceOf("inputs"),
           fmt::format("tensor {} {}", NameOf(tensor),
                       has_data ? "is an input and a constant" : "is an input twice"));
    }
  }

  /// Checks that the elements of a computed tensor or of an input are whole bytes.
  void CheckWhole(std::string_view place, int tensor) {
    const graph::Tensor& of = graph_.tensors[static_cast<size_t>(tensor)];
    if (!IsPacked(of.dtype)) return;
    Fail(place, fmt::format("tensor {} is {}, expected a constant: other tensors have elements of "
                            "whole bytes",
                            tensor, of.TypeText()));
  }

  void CheckKnown(std::string_view place, int tensor) {
    if (tensor == graph::kAbsent || known_.contains(tensor)) return;
    graph::Tensor& read = graph_.tensors[static_cast<size_t>(tensor)];
    if (read.elements() != 0)
      return Fail(place,
                  fmt::format("tensor {} is read before an operator writes it", NameOf(tensor)));
    if (IsPacked(read.dtype)) read.dtype = DataType::Int(8);
    // A constant without elements has no buffer.
    read.data = graph::TensorData{{}, bytes_, bytes_->is_mapped()};
    known_.insert(tensor);
  }

  std::vector<int> TensorNumbers(const FlatTable& table, int field, std::string_view name,
                                 bool may_be_absent) {
    std::vector<int> numbers;
    for (const int32_t number : table.Scalars<int32_t>(field, name)) {
      const bool is_tensor = number >= 0 && static_cast<size_t>(number) < graph_.tensors.size();
      if (!is_tensor && !(may_be_absent && number == -1)) {
        Fail(table.PlaceOf(name), fmt::format("expected numbers of the {} tensors, found {}",
                                              graph_.tensors.size(), number));
        return {};
      }
      numbers.push_back(is_tensor ? number : graph::kAbsent);
    }
    return numbers;
  }

  graph::Tensor ReadTensor(const FlatTable& table) {
    graph::Tensor tensor;
    const auto type = table.Scalar<int8_t>(1, "type", 0);
    const std::optional<DataType> dtype = TypeOf(type);
    if (!dtype) tensor.unsupported = fmt::format("has the type {}", TypeName(type));
    if (table.Has(6)) tensor.unsupported = "is sparse";
    tensor.dtype = tensor.unsupported.empty() ? *dtype : DataType::Handle();
    tensor.name = std::string(table.Bytes(3, "name"));
    tensor.is_state = table.Scalar(5, "is_variable", false);
    ReadShape(table, tensor);
    ReadQuantization(table.Table(4, "quantization"), tensor);
    ReadData(table, tensor);
    return tensor;
  }

  void ReadShape(const FlatTable& table, graph::Tensor& tensor) {
    int64_t elements = 1;
    const std::vector<int32_t> shape = table.Scalars<int32_t>(0, "shape");
    if (shape.size() > kMostDimensions) {
      return Fail(table.PlaceOf("shape"), fmt::format("expected at most {} dimensions, found {}",
                                                      kMostDimensions, shape.size()));
    }
    for (const int32_t extent : shape) {
      if (extent < 0) {
        Fail(table.PlaceOf("shape"),
             fmt::format("expected extents of 0 or more, found {}", extent));
        return;
      }
      elements *= extent;
      if (elements > kMostElements) {
        Fail(table.PlaceOf("shape"),
             fmt::format("expected at most {} elements, found more", kMostElements));
        return;
      }
      tensor.shape.push_back(extent);
    }
  }

  void ReadQuantization(const FlatTable& table, graph::Tensor& tensor) {
    graph::Quantization& quantization = tensor.quantization;
    quantization.scales = table.Scalars<float>(2, "scale");
    quantization.zero_points = table.Scalars<int64_t>(3, "zero_point");
    quantization.axis = table.Scalar<int32_t>(6, "quantized_dimension", 0);
    quantization.has_blocks = table.Scalar<uint8_t>(4, "details_type", 0) == kBlocks;
    if (!table.exists() || quantization.scales.empty()) return;
    if (quantization.zero_points.empty()) quantization.zero_points.push_back(0);
    if (quantization.zero_points.size() != quantization.scales.size()) {
      if (quantization.zero_points.size() == 1) {
        quantization.zero_points.resize(quantization.scales.size(), quantization.zero_points[0]);
      } else {
        Fail(table.PlaceOf("zero_point"),
             fmt::format("expected as many as the {} scales, found {}", quantization.scales.size(),
                         quantization.zero_points.size()));
      }
    }
    if (!tensor.dtype.is_integer()) return;
    for (const int64_t zero_point : quantization.zero_points)
      CheckZeroPoint(table, tensor, zero_point);
  }

  void CheckZeroPoint(const FlatTable& table, const graph::Tensor& tensor, int64_t zero_point) {
    const int bits = tensor.dtype.bits();
    const int64_t size = bits >= 32 ? int64_t{1} << 32 : int64_t{1} << bits;
    const int64_t low = tensor.dtype.is_uint() ? 0 : -size / 2;
    if (zero_point >= low && zero_point < low + size) return;
    Fail(table.PlaceOf("zero_point"),
         fmt::format("expected a number of {}, found {}", tensor.dtype.ToString(), zero_point));
  }

  void ReadData(const FlatTable& table, graph::Tensor& tensor) {
    const auto number = table.Scalar<uint32_t>(2, "buffer", 0);
    if (!ok() || number == 0 || tensor.is_state) return;
    if (number >= buffers_.size()) {
      Fail(table.PlaceOf("buffer"),
           fmt::format("expected one of the {} buffers, found {}", buffers_.size(), number));
      return;
    }
    const FlatTable buffer = buffers_[number];
    std::string_view bytes = buffer.Bytes(0, "data");
    // In files of more than 2 GB, buffers come after the flatbuffer.
    const auto offset = buffer.Scalar<uint64_t>(1, "offset", 0);
    const auto size = buffer.Scalar<uint64_t>(2, "size", 0);
    if (offset > 1 && size > 0) {
      if (!file_.Holds(offset, size, buffer.PlaceOf("offset"))) return;
      bytes = file_.bytes().substr(offset, size);
    }
    if (!ok() || bytes.empty()) return;
    if (!tensor.unsupported.empty()) {
      // The number of its bytes is not known.
      tensor.data = graph::TensorData{{}, bytes_, bytes_->is_mapped()};
      return;
    }
    const int64_t bits =
        IsPacked(tensor.dtype) ? tensor.dtype.bits() : 8 * tensor.dtype.element_bytes();
    const int64_t wanted = (tensor.elements() * bits + 7) / 8;
    if (static_cast<int64_t>(bytes.size()) != wanted) {
      Fail(table.place(), fmt::format("expected {} bytes of data for {}, found {}", wanted,
                                      tensor.TypeText(), bytes.size()));
      return;
    }
    if (IsPacked(tensor.dtype)) {
      tensor.data = Unpacked(bytes, tensor.dtype.bits(), tensor.elements());
      tensor.dtype = DataType::Int(8);
      return;
    }
    tensor.data = {{reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()},
                   bytes_,
                   bytes_->is_mapped()};
  }

  void ReadOperator(const FlatTable& table) {
    const auto index = table.Scalar<uint32_t>(0, "opcode_index", 0);
    if (!ok()) return;
    if (index >= codes_.size()) {
      Fail(table.PlaceOf("opcode_index"),
           fmt::format("expected one of the {} operator codes, found {}", codes_.size(), index));
      return;
    }
    const FlatTable code_table = codes_[index];
    const auto byte_code = code_table.Scalar<int8_t>(0, "deprecated_builtin_code", 0);
    const auto code =
        byte_code == kLargerCode || code_table.Has(3)
            ? std::max<int32_t>(byte_code, code_table.Scalar<int32_t>(3, "builtin_code", 0))
            : byte_code;
    const std::string name = code == kCustom
                                 ? fmt::format("CUSTOM {}", code_table.Bytes(1, "custom_code"))
                                 : OperatorName(code);
    graph::Operator op;
    op.name = name;
    op.place = fmt::format("{} ({})", table.place(), name);
    op.inputs = TensorNumbers(table, 1, "inputs", true);
    op.outputs = TensorNumbers(table, 2, "outputs", false);
    op.intermediates = TensorNumbers(table, 8, "intermediates", true);
    const OperatorRow* row = FindOperator(code);
    if (row != nullptr) {
      op.kind = row->kind;
      op.attributes = ReadOperatorOptions(*row, OptionsOf(*row, table, name));
      FindRuns(*row, op, table);
    }
    for (const int tensor : op.inputs) CheckKnown(table.PlaceOf("inputs"), tensor);
    for (const int tensor : op.outputs) {
      if (tensor != graph::kAbsent) CheckWhole(table.PlaceOf("outputs"), tensor);
      if (known_.insert(tensor).second) continue;
      Fail(table.PlaceOf("outputs"),
           fmt::format("tensor {} has a value already, as an input, a constant or the output of an "
                       "operator",
                       NameOf(tensor)));
    }
    graph_.operators.push_back(std::move(op));
  }

  /// The operator's table of options, which may be absent.
  FlatTable OptionsOf(const OperatorRow& row, const FlatTable& table, std::string_view name) {
    const bool second = row.has_second_options;
    const std::string field = second ? "builtin_options_2" : "builtin_options";
    const auto type = table.Scalar<uint8_t>(second ? 11 : 3, field + "_type", 0);
    if (type == 0 || row.options_type == 0) return {};
    if (type != row.options_type) {
      Fail(table.PlaceOf(field + "_type"),
           fmt::format("expected {} for {}, found {}", row.options_type, name, type));
    }
    return table.Table(second ? 12 : 4, field);
  }

  /// Finds the subgraphs that an operator runs.
  void FindRuns(const OperatorRow& row, const graph::Operator& op, const FlatTable& table) {
    for (const OptionField& field : row.options) {
      if (field.type != OptionType::kSubgraph) continue;
      const int64_t number = op.attributes.Int(field.name);
      if (number < 0 || number >= static_cast<int64_t>(graphs_.size())) {
        Fail(table.place(), fmt::format("expected one of the {} subgraphs as `{}`, found {}",
                                        graphs_.size(), field.name, number));
        return;
      }
      runs_.push_back(static_cast<size_t>(number));
    }
  }

  std::shared_ptr<const FileBytes> bytes_;
  FlatFile file_;
  /// The requested signature.
  FlatTable signature_;
  FlatTables codes_;
  FlatTables buffers_;
  std::vector<graph::Graph> graphs_;
  /// The subgraph that is read.
  graph::Graph graph_;
  /// Its tensors that have a value.
  std::set<int> known_;
  /// The subgraphs that its operators run.
  std::vector<size_t> runs_;
};

}  // namespace

absl::StatusOr<graph::Graph> ReadGraph(const std::shared_ptr<const FileBytes>& file,
                                       std::string_view signature) {
  return Reader(file).Run(signature);
}

}  // namespace tenon::tflite
