// The claim's loops become the axes of matrices, and the steps after the sum become operations of
// cuBLASLt, if both round at the same steps. Otherwise the sums are stored in separate memory.

#include "byoc/generators/cuda/product.h"

#include <algorithm>
#include <cmath>

#include "byoc/generators/matrix_product.h"
#include "schedule/step_facts.h"

namespace tenon {

namespace {

/// The most calls for one claim.
constexpr int64_t kMostCalls = 64;
/// cuBLASLt requires that sizes and strides of 8-bit matrices are multiples of this number.
constexpr int64_t kInt8Unit = 4;

std::optional<ProductType> TypeOf(DataType dtype) {
  if (dtype == DataType::Float(32)) return ProductType::kF32;
  if (dtype == DataType::Float(16)) return ProductType::kF16;
  if (dtype.is_bfloat16() && dtype.is_scalar()) return ProductType::kBF16;
  if (dtype == DataType::Int(8)) return ProductType::kI8;
  if (dtype == DataType::Int(32)) return ProductType::kI32;
  return std::nullopt;
}

/// Loops around a product that move through all three matrices in even steps.
struct OuterAxis {
  int64_t extent = 1;
  int64_t a = 0, b = 0, d = 0;
};

class ProductFinder {
 public:
  explicit ProductFinder(const OpInfo& op) : op_(op), all_(op.computation) {}

  std::optional<ProductForm> Find() {
    if (!FindFactors() || !FindMatrices()) return std::nullopt;
    ProductCall call;
    call.m = product_.m;
    call.n = product_.n;
    call.k = product_.k;
    call.a = MatrixOf(product_.is_swapped ? factors_[1] : factors_[0], product_.a);
    call.b = MatrixOf(product_.is_swapped ? factors_[0] : factors_[1], product_.b);
    ProductForm form;
    if (fits_) {
      call.d = MatrixOf(all_.stores[0].access, product_.c);
      Finish(call);
    } else {
      call.d = MatrixOf(-1, product_.c);
      form.sums = StepAt(op_.contraction).dtype;
      form.rest = Rest(form);
    }
    if (!IsTypePossible(call) || !MakeCalls(call, form)) return std::nullopt;
    return form;
  }

 private:
  const Step& StepAt(int step) const { return all_.steps[static_cast<size_t>(step)]; }
  const ComputationAccess& AccessAt(int access) const {
    return all_.accesses[static_cast<size_t>(access)];
  }
  DataType TypeOfAccess(int access) const {
    return all_.operands[static_cast<size_t>(AccessAt(access).operand)].dtype;
  }

  /// A factor is an element, perhaps cast to the type of the sum.
  int FactorOf(int at) const {
    const Step& step = StepAt(at);
    if (step.kind == StepKind::kNode && step.node == NodeKind::kCast) {
      const Step& inner = StepAt(step.args[0]);
      // int8 to int16 to int32, for example.
      const bool widens = inner.dtype.is_integer() == step.dtype.is_integer() &&
                          inner.dtype.bits() <= step.dtype.bits();
      return widens ? FactorOf(step.args[0]) : -1;
    }
    return step.kind == StepKind::kRead ? step.access : -1;
  }

  bool FindFactors() {
    if (op_.contraction < 0 || all_.stores.size() != 1) return false;
    const Step& sum = StepAt(op_.contraction);
    if (sum.kind != StepKind::kReduce || sum.node != NodeKind::kAdd ||
        !IsPositiveZero(StepAt(sum.args[0])))
      return false;
    const Step* product = &StepAt(sum.args[1]);
    // The product of 8-bit integers may be cast.
    while (product->kind == StepKind::kNode && product->node == NodeKind::kCast &&
           product->dtype.is_integer() && StepAt(product->args[0]).dtype.bits() >= 16)
      product = &StepAt(product->args[0]);
    if (product->kind != StepKind::kNode || product->node != NodeKind::kMul) return false;
    for (size_t i = 0; i < 2; ++i) factors_[i] = FactorOf(product->args[i]);
    if (factors_[0] < 0 || factors_[1] < 0) return false;
    for (const int factor : factors_) {
      if (AccessAt(factor).element.divisor != 1) return false;
    }
    const std::optional<ProductType> a = TypeOf(TypeOfAccess(factors_[0]));
    return a && a == TypeOf(TypeOfAccess(factors_[1])) &&
           sum.dtype == (*a == ProductType::kI8 ? DataType::Int(32) : DataType::Float(32)) &&
           *a != ProductType::kI32;
  }

  bool FindMatrices() {
    const Step& sum = StepAt(op_.contraction);
    const std::vector<LoopSet> free = FreeLoops(all_);
    for (const int loop : all_.stores[0].loops) {
      if ((free[static_cast<size_t>(op_.contraction)] & Bit(loop)) != 0) kept_.push_back(loop);
    }
    // First into the result itself.
    const LinearIndex& to = AccessAt(all_.stores[0].access).element;
    if (kept_.size() == all_.stores[0].loops.size() && to.divisor == 1 && Describe(to, sum.loops) &&
        ReadEpilogue()) {
      fits_ = true;
      return true;
    }
    return Describe(CompactIndex(all_, kept_), sum.loops);
  }

  bool Describe(const LinearIndex& to, const std::vector<int>& summed) {
    const std::optional<MatrixProduct> found = AsMatrixProduct(
        all_, {AccessAt(factors_[0]).element, AccessAt(factors_[1]).element, to, kept_, summed});
    if (!found || !found->outer_sums.empty()) return false;
    product_ = *found;
    to_ = to;
    return true;
  }

  /// Reads the steps after the sum, beginning with the stored value.
  bool ReadEpilogue() {
    MarkDependent();
    alpha_ = 1;
    operations_ = 0;
    bias_ = other_ = -1;
    int at = all_.stores[0].step;
    result_ = StepAt(at).dtype;
    const std::optional<ProductType> type = TypeOf(result_);
    if (!type) return false;
    if (result_ == DataType::Int(32)) return at == op_.contraction;
    if (!result_.is_floating()) return false;
    // A result is of the type of the factors, or float32.
    if (result_ != DataType::Float(32) && result_ != TypeOfAccess(factors_[0])) return false;
    if (result_ != DataType::Float(32)) {
      if (StepAt(at).kind != StepKind::kNode || StepAt(at).node != NodeKind::kCast) return false;
      at = StepAt(at).args[0];
    }
    if (IsNode(at, NodeKind::kMax) && IsPositiveZero(StepAt(StepAt(at).args[1]))) {
      operations_ |= kProductRelu;
      at = StepAt(at).args[0];
    }
    while (IsNode(at, NodeKind::kAdd)) {
      const Step& sum = StepAt(at);
      const bool is_left = DependsOnSum(sum.args[0]);
      if (!ReadAdded(sum.args[is_left ? 1 : 0])) return false;
      at = sum.args[is_left ? 0 : 1];
    }
    if (IsNode(at, NodeKind::kMul)) {
      const Step& scaled = StepAt(at);
      const Step& factor = StepAt(scaled.args[1]);
      if (factor.kind != StepKind::kReal) return false;
      alpha_ = static_cast<float>(factor.real);
      at = scaled.args[0];
    }
    return at == op_.contraction;
  }

  bool IsNode(int at, NodeKind node) const {
    return StepAt(at).kind == StepKind::kNode && StepAt(at).node == node &&
           StepAt(at).dtype == DataType::Float(32);
  }

  bool DependsOnSum(int at) const { return depends_[static_cast<size_t>(at)]; }

  void MarkDependent() {
    depends_.resize(all_.steps.size());
    for (size_t at = 0; at < all_.steps.size(); ++at) {
      for (const int arg : all_.steps[at].args) {
        if (depends_[static_cast<size_t>(arg)]) depends_[at] = true;
      }
      if (static_cast<int>(at) == op_.contraction) depends_[at] = true;
    }
  }

  /// A bias for the columns, or a tensor of the form of the result.
  bool ReadAdded(int at) {
    const Step* step = &StepAt(at);
    if (step->kind == StepKind::kNode && step->node == NodeKind::kCast)
      step = &StepAt(step->args[0]);
    if (step->kind != StepKind::kRead || step->dtype != result_) return false;
    const LinearIndex& element = AccessAt(step->access).element;
    if (element.divisor != 1) return false;
    if (other_ < 0 && element.terms == to_.terms) {
      other_ = step->access;
      return true;
    }
    if (bias_ >= 0) return false;
    for (const int loop : kept_) {
      const int64_t expected = IsColumn(loop) ? to_.stride(loop) : 0;
      if (LoopExtent(all_, loop) > 1 && element.stride(loop) != expected) return false;
    }
    bias_ = step->access;
    operations_ |= kProductBias;
    return true;
  }

  /// The loops of the axis n: they move through the second matrix, and are not outside.
  bool IsColumn(int loop) const {
    const int second = factors_[product_.is_swapped ? 0 : 1];
    return AccessAt(second).element.stride(loop) != 0 && !Includes(product_.outer, loop);
  }

  ProductMatrix MatrixOf(int access, const Matrix& matrix) const {
    ProductMatrix made;
    made.operand = access < 0 ? -1 : AccessAt(access).operand;
    made.start = matrix.start.offset;
    made.leading = matrix.leading;
    made.is_transposed = matrix.transposed;
    made.type = *TypeOf(access < 0 ? StepAt(op_.contraction).dtype : TypeOfAccess(access));
    return made;
  }

  void Finish(ProductCall& call) const {
    call.alpha = alpha_;
    call.operations = operations_;
    if (bias_ >= 0) {
      call.bias = AccessAt(bias_).operand;
      call.bias_start = AccessAt(bias_).element.offset;
    }
    if (other_ >= 0) {
      call.other = AccessAt(other_).operand;
      call.other_start = AccessAt(other_).element.offset;
    }
  }

  /// The claim with the sum read from new memory.
  Computation Rest(ProductForm& form) const {
    Computation rest = all_;
    const LinearIndex element = CompactIndex(all_, kept_);
    form.sum_elements = 1;
    for (const int loop : kept_) form.sum_elements *= LoopExtent(all_, loop);
    const Step& sum = StepAt(op_.contraction);
    rest.operands.push_back({false, -1, sum.dtype, form.sum_elements});
    rest.accesses.push_back({static_cast<int>(rest.operands.size()) - 1, element});
    Step read;
    read.kind = StepKind::kRead;
    read.dtype = sum.dtype;
    read.access = static_cast<int>(rest.accesses.size()) - 1;
    rest.steps[static_cast<size_t>(op_.contraction)] = read;
    return rest;
  }

  bool IsTypePossible(const ProductCall& call) const {
    if (call.a.type != ProductType::kI8) return true;
    const auto fits = [](int64_t number) { return number % kInt8Unit == 0; };
    return !call.a.is_transposed && call.b.is_transposed && fits(call.m) && fits(call.n) &&
           fits(call.k) && fits(call.a.leading) && fits(call.b.leading) && fits(call.d.leading) &&
           fits(call.a.start) && fits(call.b.start);
  }

  /// Joins outer loops, uses the longest axis as the batch, and adds a call for each iteration of
  /// the others.
  bool MakeCalls(const ProductCall& call, ProductForm& form) const {
    std::vector<OuterAxis> axes;
    for (size_t i = product_.outer.size(); i-- > 0;) {
      const int loop = product_.outer[i];
      OuterAxis axis{LoopExtent(all_, loop), product_.a.start.stride(loop),
                     product_.b.start.stride(loop), product_.c.start.stride(loop)};
      const bool joins = !axes.empty() && axis.a == axes.back().a * axes.back().extent &&
                         axis.b == axes.back().b * axes.back().extent &&
                         axis.d == axes.back().d * axes.back().extent;
      if (joins) {
        axes.back().extent *= axis.extent;
      } else {
        axes.push_back(axis);
      }
    }
    // The bias of a batch is one for all products, and what is added has the form of the result.
    const auto longest = std::max_element(
        axes.begin(), axes.end(),
        [](const OuterAxis& a, const OuterAxis& b) { return a.extent < b.extent; });
    ProductCall first = call;
    if (longest != axes.end()) {
      first.batches = longest->extent;
      first.a.batch_step = longest->a;
      first.b.batch_step = longest->b;
      first.d.batch_step = longest->d;
      axes.erase(longest);
    }
    form.calls = {first};
    for (const OuterAxis& axis : axes) {
      if (static_cast<int64_t>(form.calls.size()) * axis.extent > kMostCalls) return false;
      std::vector<ProductCall> all;
      for (const ProductCall& made : form.calls) {
        for (int64_t i = 0; i < axis.extent; ++i) {
          ProductCall now = made;
          now.a.start += i * axis.a;
          now.b.start += i * axis.b;
          now.d.start += i * axis.d;
          now.other_start += i * axis.d;
          all.push_back(now);
        }
      }
      form.calls = std::move(all);
    }
    return std::all_of(form.calls.begin(), form.calls.end(),
                       [&](const ProductCall& made) { return IsTypePossible(made); });
  }

  const OpInfo& op_;
  const Computation& all_;
  int factors_[2] = {-1, -1};
  /// The steps that depend on the sum.
  std::vector<bool> depends_;
  std::vector<int> kept_;
  MatrixProduct product_;
  LinearIndex to_;
  bool fits_ = false;
  DataType result_;
  float alpha_ = 1;
  int operations_ = 0;
  int bias_ = -1, other_ = -1;
};

}  // namespace

std::optional<ProductForm> AsProduct(const OpInfo& op) { return ProductFinder(op).Find(); }

}  // namespace tenon
