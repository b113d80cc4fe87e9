// MatMul, MatMulInteger, QLinearMatMul and Gemm.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "frontends/graph/broadcast.h"
#include "frontends/graph/elementwise.h"
#include "frontends/graph/operators.h"
#include "frontends/graph/plain/plain.h"
#include "frontends/graph/plain/products.h"
#include "frontends/graph/plain/quantized_products.h"
#include "frontends/graph/plain/scaled_result.h"
#include "frontends/graph/refusals.h"
#include "support/status_macros.h"

namespace tenon::graph::plain {

namespace {

/// Matrices [batches..., rows, depth] and [batches..., depth, columns]. Inputs of one dimension are
/// one row or one column.
struct Matrices {
  TensorShape a, b;
  TensorShape batches;

  int64_t rows() const { return a[a.size() - 2]; }
  int64_t columns() const { return b.back(); }
  int64_t depth() const { return a.back(); }
};

/// The place of the second matrix among the inputs.
size_t RightInput(const OperatorView& op) {
  return op.op().kind == "qlinear_matmul" ? kQuantizedInputs.right : 1;
}

absl::StatusOr<Matrices> MatricesOf(const OperatorView& op) {
  Matrices made{op.input(0).shape, op.input(RightInput(op)).shape, {}};
  if (made.a.empty() || made.b.empty()) return op.Wrong("expected inputs with dimensions");
  if (made.a.size() == 1) made.a.insert(made.a.begin(), 1);
  if (made.b.size() == 1) made.b.push_back(1);
  const int64_t depth = made.b[made.b.size() - 2];
  if (made.depth() != depth)
    return op.Wrong(fmt::format("expected rows and columns of one length, found {} and {}",
                                made.depth(), depth));
  const TensorShape batches_a(made.a.begin(), made.a.end() - 2);
  const TensorShape batches_b(made.b.begin(), made.b.end() - 2);
  TENON_ASSIGN_OR(made.batches, BroadcastShape(op, {batches_a, batches_b}));
  return made;
}

/// The place of a matrix in its batches, and then an element of it.
std::vector<Value> PlaceIn(Code& code, const TensorShape& shape, std::span<const Value> batch,
                           Value row, Value column) {
  const size_t axes = shape.size() - 2;
  std::vector<Value> place;
  for (size_t axis = 0; axis < axes; ++axis)
    place.push_back(shape[axis] == 1 ? code.Int(0) : batch[batch.size() - axes + axis]);
  place.push_back(row);
  place.push_back(column);
  return place;
}

/// A sum of products for each element of the output.
struct MatrixSums {
  std::function<Array()> new_sum;
  std::function<void(const Array& sum, Value a, Value b, Value row, Value column)> add;
  std::function<Value(const Array& sum, Value row, Value column)> result;
};

MatrixSums SumsOf(const Products& products,
                  const std::function<Value(Value sum, Value row, Value column)>& result) {
  return {[&] { return products.NewSum(); },
          [&](const Array& sum, Value a, Value b, Value row, Value column) {
            products.Add(sum, a, b, row, column);
          },
          [result](const Array& sum, Value row, Value column) {
            return result(row.code->Get(sum), row, column);
          }};
}

int64_t DepthOfGemm(const OperatorView& op) {
  return op.input(0).shape[op.attributes().Int("transA") != 0 ? 0 : 1];
}

void WriteMatrices(OperatorCode& code, const Matrices& matrices, const MatrixSums& sums) {
  TensorShape shape = matrices.batches;
  shape.push_back(matrices.rows());
  shape.push_back(matrices.columns());
  const Array a = code.Flat(code.In(0), matrices.a);
  const Array b = code.Flat(code.In(RightInput(code)), matrices.b);
  const Array to = code.Flat(code.Out(), shape);
  code.Grid("i", shape, [&](const std::vector<Value>& at) {
    const std::span<const Value> batch(at.data(), at.size() - 2);
    const Value row = at[at.size() - 2];
    const Value column = at.back();
    const Array sum = sums.new_sum();
    code.For("k", matrices.depth(), [&](Value k) {
      sums.add(sum, a.Load(PlaceIn(code, matrices.a, batch, row, k)),
               b.Load(PlaceIn(code, matrices.b, batch, k, column)), row, column);
    });
    code.Store(to, at, sums.result(sum, row, column));
  });
}

/// The same for Gemm, whose matrices may be transposed.
void WriteGemm(OperatorCode& code, const MatrixSums& sums) {
  const bool is_a = code.attributes().Int("transA") != 0;
  const bool is_b = code.attributes().Int("transB") != 0;
  const Array a = code.In(0);
  const Array b = code.In(1);
  WriteElements(code, 0, [&](const std::vector<Value>& at) {
    const Array sum = sums.new_sum();
    code.For("k", DepthOfGemm(code), [&](Value k) {
      sums.add(sum, is_a ? a({k, at[0]}) : a({at[0], k}), is_b ? b({at[1], k}) : b({k, at[1]}),
               at[0], at[1]);
    });
    return sums.result(sum, at[0], at[1]);
  });
}

/// The sums of quantised products. `products` must outlive them.
MatrixSums SumsOf(const QuantizedProducts& products) {
  return {[&] { return products.NewSum(); },
          [&](const Array& sum, Value a, Value b, Value, Value column) {
            products.Add(sum, a, b, column);
          },
          [&](const Array& sum, Value, Value column) { return products.Result(sum, column); }};
}

absl::Status BuildQuantizedMatmul(OperatorCode& code) {
  TENON_ASSIGN_OR(const Matrices matrices, MatricesOf(code));
  // A second input of one dimension is one column.
  const auto axis = static_cast<size_t>(std::max<int64_t>(code.input(1).rank() - 1, 1));
  TENON_ASSIGN_OR(const QuantizedProducts products,
                  QuantizedProducts::Make(code, axis, matrices.columns(), matrices.depth()));
  WriteMatrices(code, matrices, SumsOf(products));
  return absl::OkStatus();
}

// The factors of the product and of the bias are 1.
absl::Status BuildQuantizedGemm(OperatorCode& code) {
  if (code.attributes().Real("alpha", 1) != 1 || code.attributes().Real("beta", 1) != 1)
    return code.Unsupported("factors other than 1 of integers with scales");
  const size_t channel_axis = code.attributes().Int("transB") != 0 ? 0 : 1;
  TENON_ASSIGN_OR(
      const QuantizedProducts products,
      QuantizedProducts::Make(code, channel_axis, code.output().shape[1], DepthOfGemm(code)));
  WriteGemm(code, SumsOf(products));
  return absl::OkStatus();
}

/// `factor * x`, for a factor that the type has.
absl::StatusOr<double> FactorOf(const OperatorView& op, std::string_view name) {
  const double factor = op.attributes().Real(name, 1);
  if (op.output().dtype.is_floating() || (factor == std::trunc(factor) && std::abs(factor) < 1e9))
    return factor;
  return op.Unsupported(fmt::format("`{}` = {} for integers", name, factor));
}

Value Times(Value x, double factor) {
  if (factor == 1) return x;
  if (x.dtype().is_floating()) return x.code->Number(x.dtype(), factor) * x;
  return x * static_cast<int64_t>(factor);
}

}  // namespace

absl::StatusOr<Shapes> ShapeOfMatmul(const OperatorView& op) {
  TENON_ASSIGN_OR(const Matrices matrices, MatricesOf(op));
  TensorShape shape = matrices.batches;
  if (op.input(0).rank() > 1) shape.push_back(matrices.rows());
  if (op.input(RightInput(op)).rank() > 1) shape.push_back(matrices.columns());
  return Shapes{std::move(shape)};
}

absl::Status BuildMatmul(OperatorCode& code) {
  if (IsQuantized(code)) return BuildQuantizedMatmul(code);
  if (code.HasInput(2)) return UnsupportedTypes(code);
  TENON_TRY(CheckOneType(code, kNumbers));
  TENON_ASSIGN_OR(const Matrices matrices, MatricesOf(code));
  const Products products = Products::OfNumbers(code);
  WriteMatrices(code, matrices, SumsOf(products, [&](Value sum, Value, Value) {
                  return Cast(code.output().dtype, sum);
                }));
  return absl::OkStatus();
}

absl::Status BuildMatmulInteger(OperatorCode& code) {
  TENON_TRY(CheckOutput(code, kInt32));
  TENON_ASSIGN_OR(const Matrices matrices, MatricesOf(code));
  TENON_ASSIGN_OR(const Products products,
                  Products::OfIntegers(code, {}, matrices.rows(), matrices.columns()));
  WriteMatrices(code, matrices, SumsOf(products, [](Value sum, Value, Value) { return sum; }));
  return absl::OkStatus();
}

absl::Status BuildQlinearMatmul(OperatorCode& code) {
  TENON_ASSIGN_OR(const Matrices matrices, MatricesOf(code));
  TENON_ASSIGN_OR(
      const Products products,
      Products::OfIntegers(code, kQuantizedInputs, matrices.rows(), matrices.columns()));
  TENON_ASSIGN_OR(const ScaledResult scaled,
                  ScaledResult::Make(code, matrices.rows(), matrices.columns()));
  WriteMatrices(code, matrices, SumsOf(products, scaled));
  return absl::OkStatus();
}

absl::StatusOr<Shapes> ShapeOfGemm(const OperatorView& op) {
  const Tensor& a = op.input(0);
  const Tensor& b = op.input(1);
  if (a.rank() != 2 || b.rank() != 2)
    return op.Wrong(fmt::format("expected matrices, found {} and {}", a.TypeText(), b.TypeText()));
  const size_t is_a = op.attributes().Int("transA") != 0 ? 1 : 0;
  const size_t is_b = op.attributes().Int("transB") != 0 ? 1 : 0;
  if (a.shape[1 - is_a] != b.shape[is_b])
    return op.Wrong(fmt::format("expected rows and columns of one length, found {} and {}",
                                a.shape[1 - is_a], b.shape[is_b]));
  const TensorShape shape = {a.shape[is_a], b.shape[1 - is_b]};
  if (!op.HasInput(2)) return Shapes{shape};
  TENON_ASSIGN_OR(const TensorShape all, BroadcastShape(op, {shape, op.input(2).shape}));
  if (all == shape) return Shapes{shape};
  return op.Wrong("expected an addend that can be repeated to the product, found " +
                  op.input(2).TypeText());
}

absl::Status BuildGemm(OperatorCode& code) {
  if (IsQuantized(code)) return BuildQuantizedGemm(code);
  TENON_TRY(CheckOneType(code, kNumbers));
  TENON_ASSIGN_OR(const double alpha, FactorOf(code, "alpha"));
  TENON_ASSIGN_OR(const double beta, FactorOf(code, "beta"));
  const Products products = Products::OfNumbers(code);
  WriteGemm(code, SumsOf(products, [&](Value sum, Value row, Value column) {
              Value total = Times(sum, alpha);
              if (code.HasInput(2))
                total = total + Times(Widened(BroadcastElement(code, 2, {row, column})), beta);
              return Cast(code.output().dtype, total);
            }));
  return absl::OkStatus();
}

}  // namespace tenon::graph::plain
