#include "frontends/graph/lstm.h"

namespace tenon::graph::lstm {

namespace {

bool Has(const OperatorCode& code, size_t input, const std::vector<int64_t>& shape) {
  return code.HasInput(input) && code.input(input).shape == shape;
}

/// Whether an optional input is absent or has this shape.
bool MayHave(const OperatorCode& code, size_t input, const std::vector<int64_t>& shape) {
  return !code.HasInput(input) || code.input(input).shape == shape;
}

bool GateFits(const OperatorCode& code, const Shape& shape, size_t gate) {
  const std::vector<int64_t> row = {shape.cells};
  return Has(code, kWeights + gate, {shape.cells, shape.depth}) &&
         Has(code, kRecurrent + gate, {shape.cells, shape.outputs}) &&
         code.HasInput(kGateBias + gate) &&
         code.input(kGateBias + gate).elements() == shape.cells &&
         MayHave(code, kNorm + gate, row) &&
         (SeenInput(gate) == 0 || MayHave(code, SeenInput(gate), row));
}

/// Whether the gates are alike: either all or none see the cells, and either all or none have layer
/// norms.
bool GatesAgree(const OperatorCode& code, bool coupled) {
  bool agree = true;
  for (size_t gate = coupled ? kForgetGate : kInputGate; gate < kGates; ++gate) {
    agree = agree && code.HasInput(kNorm + gate) == code.HasInput(kNorm + kForgetGate);
    if (gate == kCellGate) continue;
    agree = agree && code.HasInput(SeenInput(gate)) == code.HasInput(SeenInput(kForgetGate));
  }
  return agree;
}

absl::Status CheckShape(const OperatorCode& code, const Shape& shape) {
  bool fits = shape.cells > 0 && shape.outputs > 0 &&
              code.output().elements() == shape.batch * shape.steps * shape.outputs;
  for (size_t gate = shape.coupled ? kForgetGate : kInputGate; gate < kGates; ++gate)
    fits = fits && GateFits(code, shape, gate);
  for (const size_t state : {kLastOutput, kCells}) {
    const int64_t each = state == kCells ? shape.cells : shape.outputs;
    fits = fits && code.input(state).elements() == shape.batch * each;
    if (!code.input(state).is_state) return code.Wrong("expected states that are variables");
  }
  fits = fits && MayHave(code, kProjection, {shape.outputs, shape.cells}) &&
         MayHave(code, kProjectionBias, {shape.outputs}) &&
         (code.HasInput(kProjection) || shape.outputs == shape.cells);
  if (!fits) return code.Wrong("expected matching shapes");
  if (!GatesAgree(code, shape.coupled)) return code.Wrong("expected gates that are alike");
  return absl::OkStatus();
}

}  // namespace

size_t SeenInput(size_t gate) {
  constexpr size_t kInputOf[kGates] = {kSeen, kSeen + 1, 0, kSeen + 2};
  return kInputOf[gate];
}

absl::StatusOr<Shape> ShapeOf(const OperatorCode& code) {
  if (code.inputs() < 20 || code.inputs() > kInputs || code.op().outputs.size() != 1)
    return code.Wrong("expected 20 to 24 inputs and one output");
  if (!code.HasInput(0) || code.input(0).rank() < 2 || code.input(0).rank() > 3 ||
      !code.HasInput(kLastOutput) || !code.HasInput(kCells) ||
      !code.HasInput(kRecurrent + kOutputGate) || code.input(kRecurrent + kOutputGate).rank() != 2)
    return code.Wrong("expected an input of 2 or 3 dimensions, weights of 2, and two states");
  std::vector<int64_t> x = code.input(0).shape;
  // An operator of one step.
  if (x.size() == 2) x.insert(x.begin() + 1, 1);
  const std::vector<int64_t>& recurrent = code.input(kRecurrent + kOutputGate).shape;
  const bool steps_first = code.attributes().Int("time_major") != 0;
  const Shape shape = {.batch = x[steps_first ? 1 : 0],
                       .steps = x[steps_first ? 0 : 1],
                       .depth = x[2],
                       .cells = recurrent[0],
                       .outputs = recurrent[1],
                       .steps_first = steps_first,
                       .coupled = !code.HasInput(kWeights)};
  if (absl::Status status = CheckShape(code, shape); !status.ok()) return status;
  return shape;
}

bool HasTypes(const OperatorCode& code, const Types& types) {
  bool has = code.input(0).dtype == types.x && code.output().dtype == types.x &&
             code.input(kLastOutput).dtype == types.x && code.input(kCells).dtype == types.cells;
  const auto may_be = [&](size_t input, DataType dtype) {
    has = has && (!code.HasInput(input) || code.input(input).dtype == dtype);
  };
  for (size_t gate = 0; gate < kGates; ++gate) {
    may_be(kWeights + gate, types.weights);
    may_be(kRecurrent + gate, types.weights);
    may_be(kGateBias + gate, types.bias);
    may_be(kNorm + gate, types.norm);
  }
  for (size_t input = kSeen; input < kGateBias; ++input) may_be(input, types.seen);
  may_be(kProjection, types.weights);
  may_be(kProjectionBias, types.bias);
  return has;
}

Lstm::Lstm(OperatorCode& code, const Shape& shape) : code_(code), shape_(shape) {
  const auto by_steps = [&](int64_t depth) {
    return shape.steps_first ? std::vector<int64_t>{shape.steps, shape.batch, depth}
                             : std::vector<int64_t>{shape.batch, shape.steps, depth};
  };
  x_ = code.Flat(code.In(0), by_steps(shape.depth));
  for (size_t gate = shape.coupled ? kForgetGate : kInputGate; gate < kGates; ++gate) {
    weights_[gate] = code.In(kWeights + gate);
    recurrent_[gate] = code.In(kRecurrent + gate);
    bias_[gate] = code.Flat(code.In(kGateBias + gate), {shape.cells});
    norm_[gate] = Optional(kNorm + gate);
    if (SeenInput(gate) != 0) seen_[gate] = Optional(SeenInput(gate));
  }
  projection_ = Optional(kProjection);
  projection_bias_ = Optional(kProjectionBias);
  last_ = code.Flat(code.In(kLastOutput), {shape.batch, shape.outputs});
  cells_ = code.Flat(code.In(kCells), {shape.batch, shape.cells});
  to_ = code.Flat(code.Out(), by_steps(shape.outputs));
}

void Lstm::Write() {
  code_.For("b", shape_.batch, [&](Value b) {
    const int64_t cells[] = {shape_.cells};
    const Array next = code_.Allocate("next", to_.dtype(), cells);
    code_.For("t", shape_.steps, [&](Value t) {
      WriteCells(b, t, next);
      if (projection_.exists()) BeginProjection(next);
      code_.For("c", shape_.outputs, [&](Value c) {
        const Value output = projection_.exists() ? code_.Once(Projected(next, c)) : next({c});
        code_.Store(last_, {b, c}, Kept(output));
        code_.Store(to_, {At(b, t)[0], At(b, t)[1], c}, output);
      });
    });
  });
}

void Lstm::WriteCells(Value b, Value t, const Array& next) {
  if (!norm_[kForgetGate].exists()) {
    return code_.For("c", shape_.cells, [&](Value c) {
      WriteCell(b, t, c);
      code_.Store(next, {c}, Hidden(b, t, c));
    });
  }
  // Layer norms need the sums of all cells first.
  for (const Gate gate : {kInputGate, kForgetGate, kCellGate})
    if (norm_[gate].exists()) WriteNorm(gate, b, t);
  code_.For("c", shape_.cells, [&](Value c) { WriteCell(b, t, c); });
  WriteNorm(kOutputGate, b, t);
  code_.For("c", shape_.cells, [&](Value c) { code_.Store(next, {c}, Hidden(b, t, c)); });
}

Value Lstm::Argument(Gate gate, Value b, Value t, Value c) {
  if (!norm_[gate].exists()) return Sum(gate, b, t, c);
  const Value normal = normal_[gate]({c});
  return normal.dtype().is_int() ? code_.Once(Cast(kInt32, normal)) : normal;
}

}  // namespace tenon::graph::lstm
