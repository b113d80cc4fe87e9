// RNN and UNIDIRECTIONAL_SEQUENCE_RNN: input [n, depth], or [n, steps, depth], or steps first;
// weights [units, depth]; weights [units, units] of the last output; bias [units]; the last output
// [n, units], which is a state. Weights of int8 make the operator hybrid.

#include <array>
#include <functional>
#include <vector>

#include "frontends/graph/elementwise.h"
#include "frontends/graph/hybrid.h"
#include "frontends/graph/operators.h"
#include "frontends/graph/quantized.h"
#include "ir/builtins.h"

namespace tenon::graph {

namespace {

enum RnnInput : uint8_t { kX, kOfX, kOfLast, kRnnBias, kLast };

struct RnnShape {
  int64_t batch = 0, steps = 0, depth = 0, units = 0;
  bool steps_first = false;
};

absl::StatusOr<RnnShape> RnnShapeOf(const OperatorCode& code) {
  if (absl::Status status = code.CheckCounts(5, 5); !status.ok()) return status;
  std::vector<int64_t> x = code.input(kX).shape;
  if (x.size() == 2) x.insert(x.begin() + 1, 1);
  if (x.size() != 3 || code.input(kOfX).rank() != 2)
    return code.Wrong("expected an input of 2 or 3 dimensions, and weights of 2");
  const bool steps_first = code.attributes().Int("time_major") != 0 && code.input(kX).rank() == 3;
  const RnnShape shape = {.batch = x[steps_first ? 1 : 0],
                          .steps = x[steps_first ? 0 : 1],
                          .depth = x[2],
                          .units = code.input(kOfX).shape[0],
                          .steps_first = steps_first};
  using Extents = std::vector<int64_t>;
  const bool fits = code.input(kOfX).shape == Extents{shape.units, shape.depth} &&
                    code.input(kOfLast).shape == Extents{shape.units, shape.units} &&
                    code.input(kRnnBias).elements() == shape.units &&
                    code.input(kLast).elements() == shape.batch * shape.units &&
                    code.output().elements() == shape.batch * shape.steps * shape.units;
  if (!fits) return code.Wrong("expected matching shapes");
  if (!code.input(kLast).is_state) return code.Wrong("expected a state that is a variable");
  return shape;
}

/// Whether the operator is hybrid; an error for other types than those of an RNN.
absl::StatusOr<bool> IsHybrid(const OperatorCode& code) {
  const DataType weights = code.input(kOfX).dtype;
  for (const RnnInput input : {kX, kRnnBias, kLast})
    if (code.input(input).dtype != kFloat32) return UnsupportedTypes(code);
  if (code.output().dtype != kFloat32 || code.input(kOfLast).dtype != weights)
    return UnsupportedTypes(code);
  if (weights == kFloat32) return false;
  if (weights != kInt8 && weights != kUInt8) return UnsupportedTypes(code);
  for (const RnnInput input : {kOfX, kOfLast})
    if (!IsHybridWeight(code.input(input))) return code.Wrong(kHybridWeights);
  return true;
}

class Rnn {
 public:
  Rnn(OperatorCode& code, const RnnShape& shape, bool is_hybrid)
      : code_(code), shape_(shape), is_hybrid_(is_hybrid) {
    const auto by_steps = [&](int64_t depth) {
      return shape.steps_first ? std::vector<int64_t>{shape.steps, shape.batch, depth}
                               : std::vector<int64_t>{shape.batch, shape.steps, depth};
    };
    x_ = code.Flat(code.In(kX), by_steps(shape.depth));
    of_x_ = code.In(kOfX);
    of_last_ = code.In(kOfLast);
    bias_ = code.Flat(code.In(kRnnBias), {shape.units});
    last_ = code.Flat(code.In(kLast), {shape.batch, shape.units});
    to_ = code.Flat(code.Out(), by_steps(shape.units));
  }

  void Write() {
    code_.For("b", shape_.batch, [&](Value b) {
      code_.For("t", shape_.steps, [&](Value t) {
        WriteStep(b, t);
        code_.For("u", shape_.units, [&](Value u) {
          code_.Store(last_, {b, u}, Element(to_, b, t, u));
        });
      });
    });
  }

 private:
  std::array<Value, 2> At(Value b, Value t) const {
    return shape_.steps_first ? std::array{t, b} : std::array{b, t};
  }
  Value Element(const Array& array, Value b, Value t, Value k) const {
    return array({At(b, t)[0], At(b, t)[1], k});
  }

  void WriteStep(Value b, Value t) {
    const auto x = [&](Value k) { return Element(x_, b, t, k); };
    const auto last = [&](Value k) { return last_({b, k}); };
    if (is_hybrid_) {
      const RowRange range = RowRangeOf(code_.attributes());
      row_of_x_ = QuantizeRow(code_, shape_.depth, x, range);
      row_of_last_ = QuantizeRow(code_, shape_.units, last, range);
    }
    code_.For("u", shape_.units, [&](Value u) {
      const Array sum = code_.Scalar("sum", kFloat32);
      code_.Set(sum, bias_({u}));
      AddProducts(sum, x, kOfX, of_x_, row_of_x_, u);
      AddProducts(sum, last, kOfLast, of_last_, row_of_last_, u);
      code_.Store(to_, {At(b, t)[0], At(b, t)[1], u}, *ActivateOrTanh(code_, code_.Get(sum)));
    });
  }

  void AddProducts(const Array& sum, const std::function<Value(Value k)>& factor, RnnInput input,
                   const Array& weights, const QuantizedRows& row, Value u) {
    const Tensor& of = code_.input(input);
    const auto weight = [&](Value k) { return weights({u, k}); };
    if (is_hybrid_) {
      const Value product = RowProduct(code_, row, of.shape[1], weight, of.quantization.scale());
      return code_.Set(sum, code_.Get(sum) + product);
    }
    code_.For("k", of.shape[1],
              [&](Value k) { code_.Set(sum, code_.Get(sum) + factor(k) * weight(k)); });
  }

  OperatorCode& code_;
  RnnShape shape_;
  bool is_hybrid_;
  Array x_, of_x_, of_last_, bias_, last_, to_;
  QuantizedRows row_of_x_, row_of_last_;
};

}  // namespace

absl::Status BuildRnn(OperatorCode& code) {
  const absl::StatusOr<RnnShape> shape = RnnShapeOf(code);
  if (!shape.ok()) return shape.status();
  const absl::StatusOr<bool> is_hybrid = IsHybrid(code);
  if (!is_hybrid.ok()) return is_hybrid.status();
  if (const auto probe = ActivateOrTanh(code, code.Number(kFloat32, 0)); !probe.ok())
    return probe.status();
  Rnn(code, *shape, *is_hybrid).Write();
  return absl::OkStatus();
}

}  // namespace tenon::graph
