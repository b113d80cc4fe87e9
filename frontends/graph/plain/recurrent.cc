// RNN, GRU and LSTM. Gates are rows of W and R in the order of ONNX: update, reset and hidden for
// GRU; input, output, forget and cell for LSTM.

#include <utility>

#include "frontends/graph/operators.h"
#include "frontends/graph/plain/plain.h"
#include "frontends/graph/plain/rnn_code.h"
#include "support/status_macros.h"

namespace tenon::graph::plain {

namespace {

constexpr int64_t kRnnGates = 1;
constexpr int64_t kGruGates = 3;
constexpr int64_t kLstmGates = 4;
constexpr size_t kInitialState = 5;
constexpr size_t kInitialCell = 6;
constexpr size_t kPeepholes = 7;

int64_t GatesOf(const OperatorView& op) {
  if (op.op().kind == "lstm") return kLstmGates;
  return op.op().kind == "gru" ? kGruGates : kRnnGates;
}

absl::Status CheckTypes(const OperatorView& op) {
  const DataType dtype = op.input(0).dtype;
  bool fits = IsOneOf(dtype, kFloats);
  for (size_t i = 0; i < op.inputs(); ++i) {
    constexpr size_t kLengths = 4;
    if (op.HasInput(i)) fits = fits && op.input(i).dtype == (i == kLengths ? kInt32 : dtype);
  }
  for (size_t i = 0; i < op.outputs(); ++i)
    fits = fits && (!op.HasOutput(i) || op.output(i).dtype == dtype);
  return fits ? absl::OkStatus() : UnsupportedTypes(op);
}

/// The parts of an LSTM's step that do not change with the step.
struct LstmCell {
  OperatorCode& code;
  RnnCode& rnn;
  int64_t direction;
  const RnnFunction& gate;
  const RnnFunction& input;
  const RnnFunction& output;
  Array hidden, cell, sums;
};

/// One step of one batch: first the sums of all gates, then each unit's new cell and state.
void WriteLstmStep(const LstmCell& lstm, Value at, Value batch) {
  OperatorCode& code = lstm.code;
  RnnCode& rnn = lstm.rnn;
  const int64_t units = rnn.sizes().hidden;
  code.For("row", kLstmGates * units, [&](Value row) {
    const Value of_input = rnn.InputSum(lstm.direction, row, at, batch);
    const Value of_state = rnn.StateSum(lstm.direction, row, [&](Value k) {
      return lstm.hidden({batch, k});
    });
    code.Store(lstm.sums, {row}, of_input + of_state);
  });
  code.For("unit", units, [&](Value unit) {
    const auto gated = [&](int64_t gate, int64_t peephole, Value cell) {
      Value sum = lstm.sums({unit + gate * units});
      if (code.HasInput(kPeepholes))
        sum = sum + rnn.Parameter(kPeepholes, lstm.direction, unit + peephole * units) * cell;
      return code.Once(lstm.gate(code.Once(rnn.Clipped(sum))));
    };
    const Value before = lstm.cell({batch, unit});
    const Value in = gated(0, 0, before);
    const bool is_coupled = code.attributes().Int("input_forget") != 0;
    const Value forget = is_coupled ? code.Number(rnn.dtype(), 1) - in : gated(2, 2, before);
    const Value fresh = lstm.input(code.Once(rnn.Clipped(lstm.sums({unit + 3 * units}))));
    code.Store(lstm.cell, {batch, unit}, forget * before + in * fresh);
    const Value out = gated(1, 1, lstm.cell({batch, unit}));
    code.Store(lstm.hidden, {batch, unit}, out * lstm.output(lstm.cell({batch, unit})));
  });
}

/// The parts of a GRU's step that do not change with the step.
struct GruCell {
  OperatorCode& code;
  RnnCode& rnn;
  int64_t direction;
  const RnnFunction& gate;
  const RnnFunction& fresh;
  Array hidden, gates, next;
};

void WriteGruStep(const GruCell& gru, Value at, Value batch) {
  OperatorCode& code = gru.code;
  RnnCode& rnn = gru.rnn;
  const int64_t units = rnn.sizes().hidden;
  const bool is_linear = code.attributes().Int("linear_before_reset") != 0;
  const auto before = [&](Value k) { return gru.hidden({batch, k}); };
  code.For("row", 2 * units, [&](Value row) {
    const Value sum =
        rnn.InputSum(gru.direction, row, at, batch) + rnn.StateSum(gru.direction, row, before);
    code.Store(gru.gates, {row}, gru.gate(code.Once(rnn.Clipped(sum))));
  });
  code.For("unit", units, [&](Value unit) {
    const Value row = unit + 2 * units;
    const auto reset = [&](Value k) { return gru.gates({k + units}); };
    const Value of_input = rnn.InputSum(gru.direction, row, at, batch);
    const Value of_state =
        is_linear ? reset(unit) * rnn.StateSum(gru.direction, row, before)
                  : rnn.StateSum(gru.direction, row, [&](Value k) { return reset(k) * before(k); });
    const Value fresh = code.Once(gru.fresh(code.Once(rnn.Clipped(of_input + of_state))));
    const Value update = gru.gates({unit});
    code.Store(gru.next, {unit},
               (code.Number(rnn.dtype(), 1) - update) * fresh + update * before(unit));
  });
  code.For("unit", units, [&](Value unit) {
    code.Store(gru.hidden, {batch, unit}, gru.next({unit}));
  });
}

}  // namespace

absl::StatusOr<Shapes> ShapeOfRecurrent(const OperatorView& op) {
  TENON_ASSIGN_OR(const RnnSizes sizes, RnnSizesOf(op, GatesOf(op)));
  TensorShape state = {sizes.directions, sizes.batches, sizes.hidden};
  TensorShape all = {sizes.steps, sizes.directions, sizes.batches, sizes.hidden};
  if (sizes.batches_first) {
    std::swap(state[0], state[1]);
    all = {sizes.batches, sizes.steps, sizes.directions, sizes.hidden};
  }
  Shapes shapes(op.outputs(), state);
  if (!shapes.empty()) shapes[0] = all;
  return shapes;
}

absl::Status BuildRnn(OperatorCode& code) {
  TENON_TRY(CheckTypes(code));
  TENON_ASSIGN_OR(const RnnSizes sizes, RnnSizesOf(code, kRnnGates));
  TENON_ASSIGN_OR(const std::vector<RnnFunction> functions,
                  RnnFunctionsOf(code, sizes.directions, {"tanh"}));
  RnnCode rnn(code, sizes, kRnnGates);
  for (int64_t direction = 0; direction < sizes.directions; ++direction) {
    const RnnFunction& function = functions[static_cast<size_t>(direction)];
    const Array hidden = rnn.State("hidden", direction, kInitialState);
    const int64_t units[] = {sizes.hidden};
    const Array next = code.Allocate("next", rnn.dtype(), units);
    rnn.ForEachStep(direction, hidden, [&](Value at, Value batch) {
      code.For("unit", sizes.hidden, [&](Value unit) {
        const Value sum =
            rnn.InputSum(direction, unit, at, batch) + rnn.StateSum(direction, unit, [&](Value k) {
              return hidden({batch, k});
            });
        code.Store(next, {unit}, function(code.Once(rnn.Clipped(sum))));
      });
      code.For("unit", sizes.hidden, [&](Value unit) {
        code.Store(hidden, {batch, unit}, next({unit}));
      });
    });
    rnn.StoreState(hidden, direction, 1);
  }
  return absl::OkStatus();
}

absl::Status BuildGru(OperatorCode& code) {
  TENON_TRY(CheckTypes(code));
  TENON_ASSIGN_OR(const RnnSizes sizes, RnnSizesOf(code, kGruGates));
  TENON_ASSIGN_OR(const std::vector<RnnFunction> functions,
                  RnnFunctionsOf(code, sizes.directions, {"sigmoid", "tanh"}));
  RnnCode rnn(code, sizes, kGruGates);
  for (int64_t direction = 0; direction < sizes.directions; ++direction) {
    const auto first = static_cast<size_t>(2 * direction);
    const int64_t units[] = {sizes.hidden};
    const int64_t rows[] = {2 * sizes.hidden};
    const GruCell gru{code,
                      rnn,
                      direction,
                      functions[first],
                      functions[first + 1],
                      rnn.State("hidden", direction, kInitialState),
                      code.Allocate("gates", rnn.dtype(), rows),
                      code.Allocate("next", rnn.dtype(), units)};
    rnn.ForEachStep(direction, gru.hidden,
                    [&](Value at, Value batch) { WriteGruStep(gru, at, batch); });
    rnn.StoreState(gru.hidden, direction, 1);
  }
  return absl::OkStatus();
}

absl::Status BuildLstm(OperatorCode& code) {
  TENON_TRY(CheckTypes(code));
  TENON_ASSIGN_OR(const RnnSizes sizes, RnnSizesOf(code, kLstmGates));
  TENON_ASSIGN_OR(const std::vector<RnnFunction> functions,
                  RnnFunctionsOf(code, sizes.directions, {"sigmoid", "tanh", "tanh"}));
  RnnCode rnn(code, sizes, kLstmGates);
  for (int64_t direction = 0; direction < sizes.directions; ++direction) {
    const auto first = static_cast<size_t>(3 * direction);
    const int64_t rows[] = {kLstmGates * sizes.hidden};
    const LstmCell lstm{code,
                        rnn,
                        direction,
                        functions[first],
                        functions[first + 1],
                        functions[first + 2],
                        rnn.State("hidden", direction, kInitialState),
                        rnn.State("cell", direction, kInitialCell),
                        code.Allocate("sums", rnn.dtype(), rows)};
    rnn.ForEachStep(direction, lstm.hidden,
                    [&](Value at, Value batch) { WriteLstmStep(lstm, at, batch); });
    rnn.StoreState(lstm.hidden, direction, 1);
    rnn.StoreState(lstm.cell, direction, 2);
  }
  return absl::OkStatus();
}

}  // namespace tenon::graph::plain
