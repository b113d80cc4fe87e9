// DynamicQuantizeLSTM of com.microsoft: an LSTM whose products are those of integers. X becomes
// integers once, and the hidden state in each step. The steps are written one after another; they
// share their functions.

#include <fmt/format.h>

#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "frontends/graph/code.h"
#include "frontends/onnx/convert.h"
#include "frontends/onnx/integer_products.h"
#include "support/status_macros.h"

namespace tenon::onnx {

namespace {

using graph::kFloat32;
constexpr size_t kX = 0, kW = 1, kR = 2, kBias = 3, kLengths = 4, kHidden = 5, kCell = 6,
                 kPeepholes = 7, kWScale = 8, kWZero = 9, kRScale = 10, kRZero = 11;
constexpr int64_t kGates = 4;
constexpr int64_t kMostSteps = 1 << 10;
constexpr int64_t kMostStates = 1 << 20;

/// Weights of one direction, with their scale and zero point.
struct QuantizedWeights {
  int integers = graph::kAbsent;
  int scale = graph::kAbsent;
  int zero_point = graph::kAbsent;
};

/// The tensors of one direction.
struct Direction {
  QuantizedWeights w, r;
  int bias = graph::kAbsent;
  int hidden = graph::kAbsent;
  int cell = graph::kAbsent;
  bool is_reverse = false;
};

class LstmConverter {
 public:
  explicit LstmConverter(Node& node) : node_(node) {}

  absl::Status Run() {
    TENON_TRY(Check());
    std::vector<int> sequences, hidden, cells;
    for (int64_t d = 0; d < directions_; ++d) {
      TENON_ASSIGN_OR(const Direction direction, DirectionAt(d));
      TENON_TRY(RunDirection(direction, sequences, hidden, cells));
    }
    if (node_.HasOutput(0)) {
      TENON_TRY(Bind(0, sequences, 1, {steps_, directions_, batch_, size_}));
    }
    if (node_.HasOutput(1)) TENON_TRY(Bind(1, hidden, 0, {directions_, batch_, size_}));
    if (node_.HasOutput(2)) TENON_TRY(Bind(2, cells, 0, {directions_, batch_, size_}));
    return absl::OkStatus();
  }

 private:
  absl::Status Check() {
    for (const size_t input : {kX, kW, kR, kWScale, kRScale})
      if (!node_.HasInput(input)) return node_.Wrong(fmt::format("input {} is missing", input));
    const graph::Tensor& x = node_.in(kX);
    const graph::Tensor& r = node_.in(kR);
    if (x.rank() != 3 || r.rank() != 3 || node_.in(kW).rank() != 3)
      return node_.Wrong("expected tensors of 3 dimensions, found " + x.TypeText() + " and " +
                         r.TypeText());
    steps_ = x.shape[0];
    batch_ = x.shape[1];
    inputs_ = x.shape[2];
    directions_ = r.shape[0];
    size_ = r.shape[1];
    const bool is_bidirectional = node_.Text("direction") == "bidirectional";
    if (directions_ != (is_bidirectional ? 2 : 1) || r.shape[2] != kGates * size_ ||
        node_.in(kW).shape != std::vector<int64_t>{directions_, inputs_, kGates * size_})
      return node_.Wrong("expected weights of [directions, inputs, 4 * hidden], found " +
                         node_.in(kW).TypeText() + " and " + r.TypeText());
    if (node_.HasInput(kLengths)) return node_.Unsupported("lengths of sequences");
    if (node_.HasInput(kPeepholes)) return node_.Unsupported("peepholes");
    for (const char* name : {"activation_alpha", "activation_beta", "clip"})
      if (node_.Has(name)) return node_.Unsupported(fmt::format("the attribute `{}`", name));
    constexpr std::string_view kActivations = "Sigmoid,Tanh,Tanh";
    const std::string_view given = node_.Text("activations");
    if (!given.empty() && given != kActivations && given != fmt::format("{0},{0}", kActivations))
      return node_.Unsupported(fmt::format("the activations `{}`", given));
    if (node_.Int("input_forget") != 0) return node_.Unsupported("`input_forget`");
    if (batch_ * size_ > kMostStates)
      return node_.Unsupported(fmt::format("more than {} elements of a state", kMostStates));
    if (steps_ <= kMostSteps) return absl::OkStatus();
    return node_.Unsupported(fmt::format("more than {} steps", kMostSteps));
  }

  absl::StatusOr<int> Reshaped(int tensor, std::vector<int64_t> shape) {
    graph::Attributes attributes;
    attributes.Set("shape", std::move(shape));
    attributes.Set("allowzero", int64_t{1});
    return node_.Emit("reshape", {tensor}, node_.tensor(tensor).dtype, std::move(attributes));
  }

  absl::StatusOr<int> Sliced(int tensor, int64_t axis, int64_t begin, int64_t end) {
    graph::Attributes attributes;
    attributes.Set("starts", std::vector<int64_t>{begin});
    attributes.Set("ends", std::vector<int64_t>{end});
    attributes.Set("axes", std::vector<int64_t>{axis});
    return node_.Emit("slice", {tensor}, node_.tensor(tensor).dtype, std::move(attributes));
  }

  /// The part of a tensor that belongs to a direction, in another shape.
  absl::StatusOr<int> PartOf(size_t input, int64_t direction, std::vector<int64_t> shape) {
    int part = node_.input(input);
    if (directions_ > 1) {
      TENON_ASSIGN_OR(part, Sliced(part, 0, direction, direction + 1));
    }
    return Reshaped(part, std::move(shape));
  }

  absl::StatusOr<QuantizedWeights> WeightsAt(int64_t direction, size_t input, size_t scale,
                                             size_t zero, int64_t rows) {
    QuantizedWeights made;
    TENON_ASSIGN_OR(made.integers, PartOf(input, direction, {rows, kGates * size_}));
    const int64_t scales = node_.in(scale).elements() / directions_;
    TENON_ASSIGN_OR(made.scale, PartOf(scale, direction, {scales}));
    if (node_.HasInput(zero)) {
      const int64_t zeros = node_.in(zero).elements() / directions_;
      TENON_ASSIGN_OR(made.zero_point, PartOf(zero, direction, {zeros}));
    }
    return made;
  }

  absl::StatusOr<int> StateAt(size_t input, int64_t direction) {
    if (node_.HasInput(input)) return PartOf(input, direction, {batch_, size_});
    return node_.Constant(kFloat32, {batch_, size_},
                          std::vector<double>(static_cast<size_t>(batch_ * size_), 0.0));
  }

  absl::StatusOr<Direction> DirectionAt(int64_t number) {
    Direction made;
    TENON_ASSIGN_OR(made.w, WeightsAt(number, kW, kWScale, kWZero, inputs_));
    TENON_ASSIGN_OR(made.r, WeightsAt(number, kR, kRScale, kRZero, size_));
    TENON_ASSIGN_OR(made.hidden, StateAt(kHidden, number));
    TENON_ASSIGN_OR(made.cell, StateAt(kCell, number));
    made.is_reverse = number == 1 || node_.Text("direction") == "reverse";
    if (!node_.HasInput(kBias)) return made;
    TENON_ASSIGN_OR(const int both, PartOf(kBias, number, {2, kGates * size_}));
    TENON_ASSIGN_OR(const int of_w, Sliced(both, 0, 0, 1));
    TENON_ASSIGN_OR(const int of_r, Sliced(both, 0, 1, 2));
    TENON_ASSIGN_OR(made.bias, node_.Emit("add", {of_w, of_r}, kFloat32));
    return made;
  }

  absl::StatusOr<int> Product(int x, const QuantizedWeights& weights) {
    return DynamicProduct(node_, x, weights.integers, weights.zero_point, weights.scale);
  }

  absl::Status RunDirection(const Direction& of, std::vector<int>& sequences,
                            std::vector<int>& hidden, std::vector<int>& cells) {
    TENON_ASSIGN_OR(const int rows, Reshaped(node_.input(kX), {steps_ * batch_, inputs_}));
    TENON_ASSIGN_OR(const int all, Product(rows, of.w));
    int h = of.hidden;
    int c = of.cell;
    std::vector<int> outputs(static_cast<size_t>(steps_));
    for (int64_t i = 0; i < steps_; ++i) {
      const int64_t step = of.is_reverse ? steps_ - 1 - i : i;
      TENON_ASSIGN_OR(const int x, Sliced(all, 0, step * batch_, (step + 1) * batch_));
      TENON_TRY(Step(of, x, h, c));
      outputs[static_cast<size_t>(step)] = h;
    }
    if (node_.HasOutput(0)) {
      graph::Attributes attributes;
      attributes.Set("axis", int64_t{0});
      TENON_ASSIGN_OR(const int joined,
                      node_.Emit("concat", std::move(outputs), kFloat32, std::move(attributes)));
      TENON_ASSIGN_OR(const int sequence, Reshaped(joined, {steps_, 1, batch_, size_}));
      sequences.push_back(sequence);
    }
    for (const auto& [state, list] : {std::pair(h, &hidden), std::pair(c, &cells)}) {
      TENON_ASSIGN_OR(const int last, Reshaped(state, {1, batch_, size_}));
      list->push_back(last);
    }
    return absl::OkStatus();
  }

  /// One step: h and c get their next values. Gates are in the order input, output, forget, cell.
  absl::Status Step(const Direction& of, int x, int& h, int& c) {
    TENON_ASSIGN_OR(const int product, Product(h, of.r));
    TENON_ASSIGN_OR(int gates, node_.Emit("add", {x, product}, kFloat32));
    if (of.bias != graph::kAbsent) {
      TENON_ASSIGN_OR(gates, node_.Emit("add", {gates, of.bias}, kFloat32));
    }
    std::array<int, kGates> gate{};
    for (int64_t i = 0; i < kGates; ++i) {
      TENON_ASSIGN_OR(const int part, Sliced(gates, 1, i * size_, (i + 1) * size_));
      TENON_ASSIGN_OR(gate[static_cast<size_t>(i)],
                      node_.Emit(i + 1 < kGates ? "sigmoid" : "tanh", {part}, kFloat32));
    }
    TENON_ASSIGN_OR(const int kept, node_.Emit("mul", {gate[2], c}, kFloat32));
    TENON_ASSIGN_OR(const int added, node_.Emit("mul", {gate[0], gate[3]}, kFloat32));
    TENON_ASSIGN_OR(c, node_.Emit("add", {kept, added}, kFloat32));
    TENON_ASSIGN_OR(const int bounded, node_.Emit("tanh", {c}, kFloat32));
    TENON_ASSIGN_OR(h, node_.Emit("mul", {gate[1], bounded}, kFloat32));
    return absl::OkStatus();
  }

  absl::Status Bind(size_t output, std::vector<int> parts, int64_t axis,
                    const std::vector<int64_t>& shape) {
    int tensor = parts[0];
    if (parts.size() > 1) {
      graph::Attributes attributes;
      attributes.Set("axis", axis);
      TENON_ASSIGN_OR(tensor,
                      node_.Emit("concat", std::move(parts), kFloat32, std::move(attributes)));
    }
    TENON_ASSIGN_OR(tensor, Reshaped(tensor, shape));
    node_.Bind(output, tensor);
    return absl::OkStatus();
  }

  Node& node_;
  int64_t steps_ = 0, batch_ = 0, inputs_ = 0, directions_ = 1, size_ = 0;
};

}  // namespace

absl::Status ConvertDynamicQuantizeLstm(Node& node) { return LstmConverter(node).Run(); }

}  // namespace tenon::onnx
