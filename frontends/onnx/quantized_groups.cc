#include "frontends/onnx/quantized_groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "frontends/graph/axis_order.h"
#include "frontends/graph/plain/quantized_result.h"
#include "frontends/graph/quantized.h"
#include "frontends/onnx/float_functions.h"
#include "frontends/onnx/quantization.h"
#include "support/little_endian.h"

namespace tenon::onnx {

namespace {

using graph::DataOf;
using graph::kAbsent;
using graph::Operator;
using graph::Quantization;
using graph::Tensor;

/// Operators that move elements of input 0, or choose one of several. They give the same integers
/// for integers, since scales are greater than 0.
constexpr std::string_view kIntegerMovements[] = {
    "depth_to_space",   "expand",     "flatten",        "gather",
    "gather_elements",  "gather_nd",  "identity",       "global_max_pool",
    "max_pool",         "reduce_max", "reduce_min",     "reshape",
    "reverse_sequence", "slice",      "space_to_depth", "split",
    "squeeze",          "tile",       "transpose",      "unsqueeze"};

bool IsMovement(const Operator& op) {
  if (op.inputs.empty() || op.inputs[0] == kAbsent) return false;
  // The second output of a pool has places.
  if (op.kind == "max_pool" && op.outputs.size() != 1) return false;
  if (op.kind == "resize") {
    return op.attributes.Text("mode") == "nearest" &&
           op.attributes.Text("coordinate_transformation_mode") != "tf_crop_and_resize";
  }
  return std::find(std::begin(kIntegerMovements), std::end(kIntegerMovements), op.kind) !=
         std::end(kIntegerMovements);
}

bool IsShort(DataType dtype) {
  return dtype.is_integer() && !dtype.is_bool() && (dtype.bits() == 8 || dtype.bits() == 16);
}
bool IsByte(DataType dtype) { return IsShort(dtype) && dtype.bits() == 8; }

class Joiner {
 public:
  explicit Joiner(graph::Graph& graph) : graph_(graph) {}

  void Run() {
    all_ = std::move(graph_.operators);
    for (const int output : graph_.outputs) ++uses_[output];
    for (size_t i = 0; i < all_.size(); ++i) {
      for (const int input : all_[i].inputs) ++uses_[input];
      for (const int output : all_[i].outputs)
        if (output != kAbsent && !producers_.emplace(output, i).second) shared_.insert(output);
    }
    for (Operator& op : all_) Visit(op);
    graph_.operators = std::move(joined_);
  }

 private:
  const Tensor& tensor(int number) const { return graph_.tensor(number); }

  /// The tensor of integers whose numbers a tensor of floats has, or kAbsent.
  int ImageOf(int number) const {
    const auto found = images_.find(number);
    return found == images_.end() ? kAbsent : found->second;
  }
  /// The same, if the integers have one scale, and 8 or 16 bits.
  int PlainImageOf(int number) const {
    const int image = ImageOf(number);
    if (image == kAbsent || tensor(image).quantization.is_per_axis()) return kAbsent;
    return IsShort(tensor(image).dtype) ? image : kAbsent;
  }
  int ByteImageOf(int number) const {
    const int image = PlainImageOf(number);
    return image != kAbsent && IsByte(tensor(image).dtype) ? image : kAbsent;
  }
  const Operator* ProducerOf(int number) const {
    const auto found = producers_.find(number);
    return found == producers_.end() || shared_.contains(number) ? nullptr : &all_[found->second];
  }

  int Add(Tensor tensor) {
    graph_.tensors.push_back(std::move(tensor));
    return static_cast<int>(graph_.tensors.size()) - 1;
  }

  /// Whether an operator moves elements of a constant of integers, as an embedding does.
  bool MovesConstant(const Operator& op) const {
    if (!IsMovement(op) || op.kind == "transpose") return false;
    const int image = PlainImageOf(op.inputs[0]);
    return image != kAbsent && tensor(image).data.has_value();
  }

  void Visit(Operator& op) {
    if (op.kind == "quantize_linear") return VisitQuantize(op);
    joined_.push_back(op);
    bool follows = std::any_of(op.inputs.begin(), op.inputs.end(),
                               [&](int input) { return from_integers_.contains(input); });
    follows = follows || MovesConstant(op);
    if (op.kind == "dequantize_linear") {
      VisitDequantize(op);
    } else if (follows) {
      if (IsMovement(op) || op.kind == "pad") AddMovement(op, {op.inputs[0]});
      if (op.kind == "concat") AddMovement(op, op.inputs);
    } else if (op.kind == "transpose") {
      TransposeWeights(op);
    }
    if (!follows && !(op.kind == "dequantize_linear" && !tensor(op.inputs[0]).data)) return;
    for (const int output : op.outputs)
      if (output != kAbsent && tensor(output).dtype.is_floating()) from_integers_.insert(output);
  }

  void VisitDequantize(const Operator& op) {
    const int x = op.inputs[0];
    const DataType dtype = tensor(x).dtype;
    if (op.attributes.Int("block_size") != 0 || !dtype.is_integer() ||
        !tensor(x).unsupported.empty())
      return;
    int64_t axis = op.attributes.Int("axis", 1);
    if (axis < 0) axis += tensor(x).rank();
    const auto quantization = QuantizationOf(graph_, op, axis);
    if (!quantization) return;
    const size_t operators = joined_.size();
    images_[op.outputs[0]] = Quantized(graph_, x, *quantization, op.place, joined_);
    if (joined_.size() > operators) joined_.back().guards = op.guards;
    FoldNumber(op.outputs[0], x, *quantization);
  }

  /// Gives a dequantised constant of one element its value.
  void FoldNumber(int output, int x, const Quantization& quantization) {
    if (!tensor(x).HasIntegers() || tensor(x).elements() != 1 ||
        tensor(output).dtype != DataType::Float(32))
      return;
    std::string bytes;
    AppendLittleEndian(std::bit_cast<uint32_t>(RealOf(tensor(x).IntegerAt(0), quantization)),
                       &bytes);
    graph_.tensors[static_cast<size_t>(output)].data = DataOf(std::move(bytes));
    joined_.pop_back();
  }

  /// Adds the operator on integers to a movement, if `moved` have the same quantisation.
  void AddMovement(const Operator& op, const std::vector<int>& moved) {
    std::vector<int> images;
    for (const int input : moved) {
      const int image = input == kAbsent ? kAbsent : PlainImageOf(input);
      if (image == kAbsent) return;
      const Tensor& first = tensor(images.empty() ? image : images[0]);
      if (tensor(image).dtype != first.dtype ||
          !AreEqual(tensor(image).quantization, first.quantization))
        return;
      images.push_back(image);
    }
    Operator twin = op;
    std::copy(images.begin(), images.end(), twin.inputs.begin());
    if (op.kind == "pad" && !SetPad(op, twin)) return;
    for (int& output : twin.outputs) {
      if (output == kAbsent) continue;
      Tensor integers;
      integers.dtype = tensor(images[0]).dtype;
      integers.shape = tensor(output).shape;
      integers.quantization = tensor(images[0]).quantization;
      const int number = Add(std::move(integers));
      images_[output] = number;
      output = number;
    }
    joined_.push_back(std::move(twin));
  }

  /// Sets the integer of the elements around a tensor, which are 0 without an input for them.
  bool SetPad(const Operator& op, Operator& twin) {
    if (op.attributes.Text("mode", "constant") != "constant") return true;
    std::vector<float> value = {0};
    if (op.inputs.size() > 1 && op.inputs[1] != kAbsent) {
      const auto given = FloatsIn(tensor(op.inputs[1]));
      if (!given || given->size() != 1) return false;
      value = *given;
    }
    const Tensor& x = tensor(twin.inputs[0]);
    Tensor around;
    around.dtype = x.dtype;
    const int64_t integers[] = {QuantizedInteger(value[0], x.quantization, x.dtype)};
    around.data = DataOf(integers, x.dtype);
    twin.inputs = {twin.inputs[0], Add(std::move(around))};
    return true;
  }

  /// Whether a constant may have a copy: files can name one constant many times.
  bool MayCopy(int constant) {
    const auto bytes = static_cast<int64_t>(tensor(constant).data->bytes.size());
    if (bytes > bytes_left_) return false;
    bytes_left_ -= bytes;
    return true;
  }

  /// Gives transposed constants of integers their own elements, since weights may have the axes of
  /// the framework.
  void TransposeWeights(const Operator& op) {
    const int image = op.inputs[0] == kAbsent ? kAbsent : ImageOf(op.inputs[0]);
    if (image == kAbsent || !tensor(image).data || !MayCopy(image)) return;
    const Tensor& weights = tensor(image);
    graph::AxisOrder order;
    for (const int64_t axis : op.attributes.Ints("perm"))
      order.push_back(static_cast<size_t>(axis < 0 ? axis + weights.rank() : axis));
    if (order.empty()) {
      order = graph::InOrder(weights.shape.size());
      std::reverse(order.begin(), order.end());
    }
    Tensor made = weights;
    made.shape = tensor(op.outputs[0]).shape;
    const std::vector<uint8_t> bytes = graph::OrderedBytes(weights, order);
    made.data = DataOf(std::string(bytes.begin(), bytes.end()));
    if (made.quantization.is_per_axis()) {
      const auto axis = static_cast<size_t>(made.quantization.axis);
      made.quantization.axis = static_cast<int64_t>(graph::PlacesOf(order)[axis]);
    }
    images_[op.outputs[0]] = Add(std::move(made));
  }

  /// Adds an operator in the branch of the QuantizeLinear that ends its group.
  void Push(Operator op) {
    op.guards = guards_;
    joined_.push_back(std::move(op));
  }

  void VisitQuantize(Operator& op) {
    guards_ = op.guards;
    const std::string reason = from_integers_.contains(op.inputs[0]) ? Join(op) : std::string();
    if (reason.empty() && from_integers_.contains(op.inputs[0])) return;
    if (!reason.empty()) op.attributes.Set("in_floats", reason);
    joined_.push_back(op);
  }

  /// Adds the operators on integers of a group that `op` ends. The reason if there are none.
  std::string Join(const Operator& op) {
    const int output = op.outputs[0];
    const auto quantization = QuantizationOf(graph_, op, 0);
    if (!quantization || quantization->is_per_axis() || op.attributes.Int("block_size") != 0)
      return "the scale of the result is not one constant number";
    if (!IsShort(tensor(output).dtype)) return "the result does not have 8 or 16 bits";
    if (shared_.contains(output)) return "the branches of If share the result";
    graph_.tensors[static_cast<size_t>(output)].quantization = *quantization;
    return JoinTo(op.inputs[0], output, op.place, 0);
  }

  /// Adds the operators that compute the integers of a real tensor, in the quantisation of
  /// `output`. The reason if there are none.
  std::string JoinTo(int real, int output, const std::string& place, int depth) {
    constexpr int kMostDepth = 64;
    if (depth > kMostDepth || steps_left_ == 0) return "too many operators move its elements";
    --steps_left_;
    const int image = PlainImageOf(real);
    if (image != kAbsent && tensor(image).dtype == tensor(output).dtype &&
        AreEqual(tensor(image).quantization, tensor(output).quantization)) {
      Operator same;
      same.kind = "identity";
      same.place = place;
      same.inputs = {image};
      same.outputs = {output};
      Push(std::move(same));
      return {};
    }
    if (depth > 0 && JoinConstant(real, output)) return {};
    if (JoinFunction(real, output, place)) return {};
    const Operator* producer = ProducerOf(real);
    const bool is_moved = producer != nullptr && producer->outputs.size() == 1 &&
                          (IsMovement(*producer) || producer->kind == "pad") &&
                          from_integers_.contains(producer->inputs[0]);
    if (!is_moved) return JoinOperator(real, output, depth);
    Operator twin = *producer;
    twin.outputs = {output};
    twin.inputs[0] = AddLike(producer->inputs[0], output);
    std::string reason = JoinTo(producer->inputs[0], twin.inputs[0], producer->place, depth + 1);
    if (!reason.empty()) return reason;
    if (twin.kind == "pad" && !SetPad(*producer, twin)) return "its pads are not known";
    Push(std::move(twin));
    return {};
  }

  /// A tensor of the integers of `real`, in the quantisation of `output`.
  int AddLike(int real, int output) {
    Tensor made;
    made.dtype = tensor(output).dtype;
    made.shape = tensor(real).shape;
    made.quantization = tensor(output).quantization;
    return Add(std::move(made));
  }

  /// A table, for functions of one tensor of 8 bits.
  bool JoinFunction(int real, int output, const std::string& place) {
    constexpr size_t kMostFunctions = 256;
    std::vector<FloatFunction> functions;
    int at = real;
    while (ByteImageOf(at) == kAbsent) {
      const Operator* producer = ProducerOf(at);
      if (producer == nullptr || functions.size() == kMostFunctions) return false;
      const auto function = FunctionOf(graph_, *producer);
      if (!function) return false;
      functions.push_back(*function);
      at = function->input;
    }
    if (!IsByte(tensor(output).dtype)) return false;
    std::reverse(functions.begin(), functions.end());
    AddTable(ByteImageOf(at), output, functions, place);
    return true;
  }

  void AddTable(int x, int output, const std::vector<FloatFunction>& functions,
                const std::string& place) {
    const graph::Interval range = graph::RangeOf(tensor(x).dtype);
    const DataType dtype = tensor(output).dtype;
    std::string bytes;
    for (int64_t integer = range.low; integer <= range.high; ++integer) {
      float real = RealOf(integer, tensor(x).quantization);
      for (const FloatFunction& function : functions) real = ResultOf(graph_, function, real);
      bytes.push_back(
          static_cast<char>(QuantizedInteger(real, tensor(output).quantization, dtype)));
    }
    Tensor table;
    table.dtype = dtype;
    table.shape = {std::ssize(bytes)};
    table.data = DataOf(std::move(bytes));
    Operator op;
    op.kind = "look_up";
    op.place = functions.empty() ? place : functions.back().op->place;
    op.inputs = {x, Add(std::move(table))};
    op.outputs = {output};
    Push(std::move(op));
  }

  /// The interval of an activation between an operator and QuantizeLinear.
  struct Activation {
    std::optional<int64_t> low, high;
  };

  /// Finds the operator that computes a tensor, through activations.
  const Operator* ThroughActivations(int number, int output, Activation& activation) const {
    const Operator* producer = ProducerOf(number);
    const auto integer = [&](float real) {
      return QuantizedInteger(real, tensor(output).quantization, tensor(output).dtype);
    };
    constexpr int kMostActivations = 64;
    for (int i = 0; producer != nullptr && i < kMostActivations; ++i) {
      if (producer->kind != "relu" && producer->kind != "clip") break;
      const bool is_relu = producer->kind == "relu";
      for (const size_t bound : {size_t{1}, size_t{2}}) {
        const bool has_bound = bound < producer->inputs.size() && producer->inputs[bound] >= 0;
        if (!has_bound && !(is_relu && bound == 1)) continue;
        const auto values =
            is_relu ? std::vector<float>{0} : FloatsIn(tensor(producer->inputs[bound]));
        if (!values || values->size() != 1) return nullptr;
        const int64_t number_of_bound = integer((*values)[0]);
        std::optional<int64_t>& own = bound == 1 ? activation.low : activation.high;
        if (!own) own = number_of_bound;
        own = bound == 1 ? std::max(*own, number_of_bound) : std::min(*own, number_of_bound);
      }
      producer = ProducerOf(producer->inputs[0]);
    }
    return producer;
  }

  std::string JoinOperator(int real, int output, int depth) {
    Activation activation;
    const Operator* producer = ThroughActivations(real, output, activation);
    if (producer == nullptr) return "an activation has bounds that are not known";
    Operator made = *producer;
    made.outputs = {output};
    SetRounding(made.attributes);
    if (activation.low) made.attributes.Set("low", *activation.low);
    if (activation.high) made.attributes.Set("high", *activation.high);
    if (producer->kind == "average_pool") SetAddedZeroPoint(*producer, made);
    if (SetInputs(*producer, made)) {
      Push(std::move(made));
      return {};
    }
    if (IsChoice(*producer) && !activation.low && !activation.high)
      return JoinChoice(*producer, output, depth);
    return fmt::format("there is no integer arithmetic for {} of these tensors", producer->name);
  }

  /// Sets how onnxruntime adds the zero point of a mean. It makes unsigned integers of the int8
  /// between QuantizeLinear and DequantizeLinear. Its mean of integers has one dtype for both
  /// sides; otherwise it computes in floats.
  void SetAddedZeroPoint(const Operator& mean, Operator& made) const {
    if (tensor(made.outputs[0]).dtype != DataType::Int(8)) return;
    const Operator* source = ProducerOf(mean.inputs[0]);
    while (source != nullptr && IsMovement(*source)) source = ProducerOf(source->inputs[0]);
    const bool is_from_pair =
        source != nullptr && source->kind == "dequantize_linear" && IsPair(source->inputs[0]);
    const bool is_to_pair = IsPair(made.outputs[0]);
    if (is_from_pair != is_to_pair)
      made.attributes.Set(graph::plain::kZeroPointAttribute,
                          std::string(graph::plain::kAfterRounding));
    if (is_from_pair && is_to_pair)
      made.attributes.Set(graph::plain::kZeroPointAttribute,
                          std::string(graph::plain::kAsUnsigned));
  }

  /// Whether integers go from QuantizeLinear to one DequantizeLinear, whose result one operator
  /// or one output of the model uses.
  bool IsPair(int integers) const {
    const Operator* from = ProducerOf(integers);
    if (from == nullptr || from->kind != "quantize_linear" || UsesOf(integers) != 1) return false;
    const auto to = std::find_if(all_.begin(), all_.end(), [&](const Operator& op) {
      return op.kind == "dequantize_linear" && op.inputs[0] == integers;
    });
    return to != all_.end() && UsesOf(to->outputs[0]) == 1;
  }
  int64_t UsesOf(int number) const {
    const auto found = uses_.find(number);
    return found == uses_.end() ? 0 : found->second;
  }

  /// Whether weights have one scale. The layout of channels as the last axis moves the axis of
  /// transposed weights, but not that of their scales.
  bool HasOneScale(int weights) const {
    const int image = ImageOf(weights);
    return image != kAbsent && !tensor(image).quantization.is_per_axis();
  }

  /// Sets the inputs of an operator on integers. False if there is no such operator.
  bool SetInputs(const Operator& op, Operator& made) {
    if (op.kind == "conv") return SetProducts(op, made, 0, 1);
    if (op.kind == "conv_transpose")
      return op.attributes.Int("group", 1) == 1 && HasOneScale(op.inputs[1]) &&
             SetProducts(op, made, 1, 1);
    if (op.kind == "gemm") {
      const int64_t axis = op.attributes.Int("transB") != 0 ? 0 : 1;
      return op.attributes.Real("alpha", 1) == 1 && op.attributes.Real("beta", 1) == 1 &&
             SetProducts(op, made, axis, tensor(op.outputs[0]).rank() - 1);
    }
    if (op.kind == "matmul") {
      const int64_t axis = std::max<int64_t>(tensor(op.inputs[1]).rank() - 1, 1);
      return SetProducts(op, made, axis, tensor(op.outputs[0]).rank() - 1);
    }
    if (op.kind == "add" || op.kind == "sub" || op.kind == "mul") return SetPair(op, made);
    const bool is_mean =
        op.kind == "average_pool" || op.kind == "global_average_pool" || op.kind == "reduce_mean";
    const int x = op.kind == "softmax" ? ByteImageOf(op.inputs[0])
                  : is_mean            ? PlainImageOf(op.inputs[0])
                                       : kAbsent;
    if (x == kAbsent) return false;
    if (op.kind == "softmax" && !IsByte(tensor(made.outputs[0]).dtype)) return false;
    made.inputs = {x};
    return true;
  }

  bool SetPair(const Operator& op, Operator& made) {
    const int a = ByteImageOf(op.inputs[0]);
    const int b = ByteImageOf(op.inputs[1]);
    if (a == kAbsent || b == kAbsent || !IsByte(tensor(made.outputs[0]).dtype))
      return op.kind == "add" && SetBiasedProducts(op, made);
    made.inputs = {a, b};
    return true;
  }

  /// Products of a tensor and weights, whose scales may be those of an axis.
  bool SetProducts(const Operator& op, Operator& made, int64_t weights_axis, int64_t output_axis) {
    const int x = PlainImageOf(op.inputs[0]);
    const int weights = ImageOf(op.inputs[1]);
    if (x == kAbsent || weights == kAbsent || !IsShort(tensor(weights).dtype)) return false;
    const Quantization& of = tensor(weights).quantization;
    if (of.is_per_axis() && of.axis != weights_axis) return false;
    const std::vector<int64_t>& shape = tensor(op.outputs[0]).shape;
    const int64_t channels = output_axis < 0 ? 1 : shape[static_cast<size_t>(output_axis)];
    if (of.is_per_axis() && std::ssize(of.scales) != channels) return false;
    made.inputs = {x, weights};
    if (op.inputs.size() < 3 || op.inputs[2] == kAbsent) return true;
    const int bias = BiasOf(op.inputs[2], tensor(x).quantization.scale(), of, channels);
    if (bias == kAbsent) return false;
    made.inputs.push_back(bias);
    return true;
  }

  /// The tensor that a bias of floats becomes: integers in steps of the products, or a constant of
  /// floats.
  int BiasOf(int bias, float scale, const Quantization& weights, int64_t channels) {
    const Tensor& of = tensor(bias);
    if (of.elements() != channels || of.shape.empty() || of.shape.back() != channels)
      return kAbsent;
    const int image = ImageOf(bias);
    if (image != kAbsent && tensor(image).dtype == DataType::Int(32) &&
        AreSteps(tensor(image).quantization, scale, weights, channels))
      return image;
    if (FloatsIn(of) && of.dtype == DataType::Float(32)) return bias;
    if (image == kAbsent || !tensor(image).HasIntegers()) return kAbsent;
    return Dequantized(image);
  }

  static float ScaleAt(const Quantization& of, int64_t index) {
    return of.scales[of.is_per_axis() ? static_cast<size_t>(index) : 0];
  }

  /// Whether a bias counts in steps of the products of both scales, within float32's precision.
  static bool AreSteps(const Quantization& bias, float scale, const Quantization& weights,
                       int64_t channels) {
    constexpr double kNear = 1e-6;
    for (int64_t i = 0; i < channels; ++i) {
      if (bias.zero_points[bias.is_per_axis() ? static_cast<size_t>(i) : 0] != 0) return false;
      const double step = double{scale} * double{ScaleAt(weights, i)};
      if (std::abs(double{ScaleAt(bias, i)} - step) > kNear * step) return false;
    }
    return true;
  }

  /// A constant of integers of one dimension as floats.
  int Dequantized(int image) {
    const Tensor& of = tensor(image);
    std::string bytes;
    for (int64_t i = 0; i < of.elements(); ++i) {
      const size_t zero = of.quantization.is_per_axis() ? static_cast<size_t>(i) : 0;
      const auto centred = static_cast<float>(of.IntegerAt(i) - of.quantization.zero_points[zero]);
      AppendLittleEndian(std::bit_cast<uint32_t>(centred * ScaleAt(of.quantization, i)), &bytes);
    }
    Tensor floats;
    floats.dtype = DataType::Float(32);
    floats.shape = {of.elements()};
    floats.data = DataOf(std::move(bytes));
    return Add(std::move(floats));
  }

  /// A product of matrices plus a constant that is repeated for each row.
  bool SetBiasedProducts(const Operator& op, Operator& made) {
    for (const size_t at : {size_t{0}, size_t{1}}) {
      const Operator* product = ProducerOf(op.inputs[at]);
      if (product == nullptr || product->kind != "matmul") continue;
      if (tensor(op.outputs[0]).shape != tensor(product->outputs[0]).shape) continue;
      Operator biased = *product;
      biased.inputs.push_back(op.inputs[1 - at]);
      Operator joined = biased;
      joined.outputs = made.outputs;
      joined.attributes = made.attributes;
      if (!SetProducts(biased, joined, std::max<int64_t>(tensor(product->inputs[1]).rank() - 1, 1),
                       tensor(product->outputs[0]).rank() - 1))
        continue;
      made = std::move(joined);
      return true;
    }
    return false;
  }

  /// Whether each element of the output is an element of one of the inputs.
  static bool IsChoice(const Operator& op) {
    return op.kind == "concat" || op.kind == "max" || op.kind == "min" || op.kind == "where";
  }

  /// Brings all inputs to the output's scale, and then chooses integers.
  std::string JoinChoice(const Operator& op, int output, int depth) {
    Operator made = op;
    made.outputs = {output};
    for (size_t i = op.kind == "where" ? 1 : 0; i < made.inputs.size(); ++i) {
      int& input = made.inputs[i];
      if (input == kAbsent) return fmt::format("an input of {} is missing", op.name);
      const int scaled = AddLike(input, output);
      std::string reason = JoinTo(input, scaled, op.place, depth + 1);
      if (!reason.empty()) return reason;
      input = scaled;
    }
    Push(std::move(made));
    return {};
  }

  /// Gives `output` the integers of a constant of floats.
  bool JoinConstant(int real, int output) {
    if (!tensor(real).data || !MayCopy(real)) return false;
    const auto values = FloatsIn(tensor(real));
    if (!values) return false;
    Tensor& made = graph_.tensors[static_cast<size_t>(output)];
    std::vector<int64_t> integers;
    for (const float value : *values)
      integers.push_back(QuantizedInteger(value, made.quantization, made.dtype));
    made.data = DataOf(integers, made.dtype);
    return true;
  }

  graph::Graph& graph_;
  std::vector<Operator> all_;
  std::vector<Operator> joined_;
  std::map<int, size_t> producers_;
  /// How often operators and outputs of the model use each tensor.
  std::map<int, int64_t> uses_;
  std::map<int, int> images_;
  /// Tensors that operators of both branches of an If write.
  std::set<int> shared_;
  /// The branches of the group.
  std::vector<graph::Guard> guards_;
  /// Tensors of floats that follow from integers.
  std::set<int> from_integers_;
  /// The calls of JoinTo that are left: Concat can have the same inputs many times.
  int64_t steps_left_ = int64_t{1} << 18;
  /// The bytes of constants that may still be copied.
  int64_t bytes_left_ = int64_t{1} << 30;
};

}  // namespace

void JoinQuantizedGroups(graph::Graph& graph) { Joiner(graph).Run(); }

}  // namespace tenon::onnx
