// Loops are divided among the three axes of a product, and what fits none stays a loop around the
// call. Factors that are not matrices are copied or packed only where that makes larger products.

#include "byoc/generators/blas_operator.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "byoc/generators/can_make_loops.h"
#include "byoc/generators/matrix_product.h"
#include "fmt/format.h"
#include "ir/builtins.h"

namespace tenon {

namespace {

// Values of the enumerations of cblas.h.
constexpr int kRowMajor = 101;
constexpr int kNoTrans = 111;
constexpr int kTrans = 112;

const Step& StepAt(const OpInfo& op, int step) {
  return op.computation.steps[static_cast<size_t>(step)];
}

int64_t ExtentOf(const OpInfo& op, int loop) {
  return op.computation.loops[static_cast<size_t>(loop)].extent;
}

bool IsZero(const Step& step) { return step.kind == StepKind::kReal && step.real == 0; }

/// The two factors of the products that an operator adds up.
std::optional<std::array<int, 2>> FactorsOf(const OpInfo& op) {
  if (op.contraction < 0) return std::nullopt;
  const Step& sum = StepAt(op, op.contraction);
  if (sum.kind != StepKind::kReduce || sum.node != NodeKind::kAdd) return std::nullopt;
  const Step& product = StepAt(op, sum.args[1]);
  if (product.kind != StepKind::kNode || product.node != NodeKind::kMul) return std::nullopt;
  return std::array{product.args[0], product.args[1]};
}

bool HasSum(const OpInfo& op, int root) {
  std::vector<int> work = {root};
  std::vector<bool> seen(op.computation.steps.size());
  while (!work.empty()) {
    const int at = work.back();
    work.pop_back();
    if (seen[static_cast<size_t>(at)]) continue;
    seen[static_cast<size_t>(at)] = true;
    if (IsReduction(StepAt(op, at).kind)) return true;
    work.insert(work.end(), StepAt(op, at).args.begin(), StepAt(op, at).args.end());
  }
  return false;
}

bool HasOnePlaceKernel(const WindowInfo& window) {
  return std::all_of(window.kernel.begin(), window.kernel.end(),
                     [](int64_t extent) { return extent == 1; });
}

/// The loops of a set in the order in which the operator stores its result, then by number.
std::vector<int> InOrder(const OpInfo& op, LoopSet set) {
  std::vector<int> order;
  const auto add = [&](int loop) {
    if ((set >> loop & 1) == 0) return;
    order.push_back(loop);
    set &= ~(LoopSet{1} << loop);
  };
  for (const ComputationStore& store : op.computation.stores) {
    for (const int loop : store.loops) add(loop);
  }
  for (int loop = 0; loop < static_cast<int>(op.computation.loops.size()); ++loop) add(loop);
  return order;
}

/// The extents of the largest matrices that the loops of a claim can make.
struct Shape {
  int64_t m = 1, n = 1, k = 1;
};
Shape ShapeOf(const OpInfo& op, const std::array<int, 2>& factors) {
  const std::vector<LoopSet> free = FreeLoops(op.computation);
  const LoopSet a = free[static_cast<size_t>(factors[0])];
  const LoopSet b = free[static_cast<size_t>(factors[1])];
  const LoopSet c = free[static_cast<size_t>(op.contraction)];
  Shape shape;
  const auto multiply = [&](int64_t& all, LoopSet set) {
    for (const int loop : InOrder(op, set)) {
      if (__builtin_mul_overflow(all, ExtentOf(op, loop), &all)) all = INT64_MAX;
    }
  };
  multiply(shape.m, a & c & ~b);
  multiply(shape.n, b & c & ~a);
  multiply(shape.k, a & b & ~c);
  return shape;
}

/// A factor of the products, as elements of memory.
struct Factor {
  int step = -1;
  const Buffer* buffer = nullptr;
  LinearIndex element;
  /// Its data, if it is constant.
  const Constant* constant = nullptr;
};

/// New memory around the statements of an operator.
struct NewMemory {
  const Buffer* buffer = nullptr;
  /// Null for memory that the statements fill.
  const Constant* constant = nullptr;
};

/// The sizes from which on calls of BLAS are faster than the host's loops.
/// The benchmark blas_offload measures them, and docs/guide/byoc.md has the figures.
struct BlasLimits {
  /// The least number of rows and of columns, of summands, and of multiplications.
  int64_t side = 16;
  int64_t summed = 64;
  int64_t macs = 2'000'000;
  bool is_ever_faster = true;
};

BlasLimits LimitsFor(const HostFacts& host) {
  constexpr int64_t kWideVector = 64;
  BlasLimits limits;
  if (host.back_end.empty()) {
    limits.macs = 4'000'000;
  } else if (host.back_end == "c") {
    // With full optimisation by a C compiler, short sums are faster in loops.
    limits.side = 1;
    limits.macs = 1'000'000;
  } else if (!host.optimises || host.vector_width < kWideVector / 2) {
    limits.summed = 32;
    limits.macs = 500'000;
  } else if (host.vector_width >= kWideVector) {
    limits.is_ever_faster = false;
  }
  return limits;
}

class BlasMaker {
 public:
  BlasMaker(NodeBuilder& builder, const OperatorToMake& op)
      : builder_(builder),
        op_(op),
        info_(op.info),
        loops_(builder, info_.computation, op.operands, {}),
        free_(FreeLoops(info_.computation)),
        dtype_(StepAt(info_, info_.contraction).dtype) {}

  const Stmt* Make() {
    const std::array<int, 2> factors = *FactorsOf(info_);
    a_ = FactorAt(factors[0]);
    b_ = FactorAt(factors[1]);
    product_.kept = InOrder(info_, FreeOf(info_.contraction));
    product_.summed = StepAt(info_, info_.contraction).loops;
    ChooseDestination();
    const std::optional<MatrixProduct> product = Matrices();
    if (!product) return nullptr;
    statements_.push_back(Calls(*product));
    if (!is_stored_) {
      loops_.Replace(info_.contraction, c_, product_.c);
      statements_.push_back(loops_.Stores());
    }
    const Stmt* body = builder_.Seq(Span<const Stmt*>(statements_));
    for (size_t i = memory_.size(); i-- > 0;) body = Around(memory_[i], body);
    return body;
  }

  /// The factors that Make brought into a new layout.
  std::vector<PackedOperand> TakePacked() { return std::move(packed_); }

 private:
  LoopSet FreeOf(int step) const { return free_[static_cast<size_t>(step)]; }

  Factor FactorAt(int step) {
    const Step& value = StepAt(info_, step);
    if (value.kind != StepKind::kRead) return Computed(step);
    const ComputationAccess& access = info_.computation.accesses[static_cast<size_t>(value.access)];
    if (access.element.divisor != 1) return Computed(step);
    const auto operand = static_cast<size_t>(access.operand);
    const Constant* constant = op_.constants[operand];
    if (constant != nullptr && !constant->has_bytes()) constant = nullptr;
    return {step, op_.operands[operand], access.element, constant};
  }

  /// A factor whose values are computed into new memory before the call.
  Factor Computed(int step) {
    const std::vector<int> loops = InOrder(info_, FreeOf(step));
    Factor factor{step, nullptr, CompactIndex(info_.computation, loops), nullptr};
    factor.buffer = NewMemoryFor("factor", loops);
    statements_.push_back(loops_.Store(factor.buffer, factor.element, step, loops));
    return factor;
  }

  const Buffer* NewMemoryFor(std::string_view name, const std::vector<int>& loops) {
    int64_t elements = 1;
    for (const int loop : loops) elements *= ExtentOf(info_, loop);
    const Buffer* buffer = loops_.NewBuffer(name, dtype_, elements);
    memory_.push_back({buffer, nullptr});
    return buffer;
  }

  const Stmt* Around(const NewMemory& memory, const Stmt* body) {
    const Buffer& buffer = *memory.buffer;
    if (memory.constant == nullptr) {
      return builder_.New<Allocate>({}, buffer.data, buffer.dtype, buffer.shape,
                                    builder_.Bool(true), nullptr, body);
    }
    return builder_.New<AllocateConst>({}, buffer.data, buffer.dtype, buffer.shape, memory.constant,
                                       nullptr, body);
  }

  /// Sums go directly to the operator's result, unless another store or read prevents this.
  void ChooseDestination() {
    const Computation& all = info_.computation;
    if (all.stores.size() != 1) return;
    const ComputationStore& store = all.stores[0];
    const ComputationAccess& access = all.accesses[static_cast<size_t>(store.access)];
    const ComputationOperand& operand = all.operands[static_cast<size_t>(access.operand)];
    if (operand.dtype != dtype_ || access.element.divisor != 1) return;
    LoopSet loops = 0;
    for (const int loop : store.loops) loops |= ExtentOf(info_, loop) > 1 ? LoopSet{1} << loop : 0;
    LoopSet kept = 0;
    for (const int loop : product_.kept) kept |= ExtentOf(info_, loop) > 1 ? LoopSet{1} << loop : 0;
    if (loops != kept || (kept & ~LoopsOf(access.element)) != 0) return;
    for (const Step& step : all.steps) {
      if (!IsRead(step.kind)) continue;
      const ComputationOperand& from =
          all.operands[static_cast<size_t>(all.accesses[static_cast<size_t>(step.access)].operand)];
      if (!from.constant && from.index == operand.index) return;
    }
    c_ = op_.operands[static_cast<size_t>(access.operand)];
    product_.c = access.element;
    is_stored_ = store.step == info_.contraction;
  }

  void MakeDestination() {
    c_ = NewMemoryFor("sums", product_.kept);
    product_.c = CompactIndex(info_.computation, product_.kept);
    is_stored_ = false;
  }

  std::optional<MatrixProduct> Found() const {
    ProductOfLoops product = product_;
    product.a = a_.element;
    product.b = b_.element;
    return AsMatrixProduct(info_.computation, product);
  }

  /// The largest matrices. Constants may get a new layout for this, and other factors only if
  /// nothing else helps.
  std::optional<MatrixProduct> Matrices() {
    if (c_ == nullptr) MakeDestination();
    for (const bool is_last : {false, true}) {
      std::optional<MatrixProduct> product = Found();
      product = Better(a_, b_, std::move(product));
      product = Better(b_, a_, std::move(product));
      if (product || is_last) return product;
      statements_.clear();
      memory_.clear();
      packed_.clear();
      a_ = Computed(a_.step);
      b_ = Computed(b_.step);
      MakeDestination();
    }
    return std::nullopt;
  }

  /// Writes a constant factor as a matrix if that makes larger matrices.
  std::optional<MatrixProduct> Better(Factor& factor, const Factor& other,
                                      std::optional<MatrixProduct> known) {
    if (factor.constant == nullptr) return known;
    const Factor before = factor;
    const std::vector<int> order = MatrixOrder(factor, other);
    factor.element = CompactIndex(info_.computation, order);
    std::optional<MatrixProduct> packed = Found();
    if (!packed || (known && packed->size() <= known->size())) {
      factor = before;
      return known;
    }
    factor.constant = Packed(before, order);
    NotePacked(factor);
    factor.buffer = loops_.NewBuffer("matrix", dtype_, factor.constant->element_count());
    memory_.push_back({factor.buffer, factor.constant});
    return packed;
  }

  /// Records a constant factor in its new order.
  void NotePacked(const Factor& factor) {
    const int access = StepAt(info_, factor.step).access;
    const int operand = info_.computation.accesses[static_cast<size_t>(access)].operand;
    int uses = 0;
    for (const ComputationAccess& other : info_.computation.accesses)
      uses += other.operand == operand ? 1 : 0;
    const Constant* from = op_.constants[static_cast<size_t>(operand)];
    const std::span<const uint8_t> bytes = *factor.constant->Bytes();
    const size_t size = from->Bytes()->size();
    if (uses != 1 || bytes.size() > size) return;
    PackedOperand& packed = packed_.emplace_back();
    packed.operand = operand;
    packed.element = factor.element;
    packed.elements = factor.constant->element_count();
    packed.bytes.assign(bytes.begin(), bytes.end());
    packed.bytes.resize(size);
  }

  /// First the loops of batches, then the loops of the sum in the order of the other factor, then
  /// the factor's own loops in the order of the result.
  std::vector<int> MatrixOrder(const Factor& factor, const Factor& other) const {
    const LoopSet of_factor = LoopsOf(factor.element);
    const LoopSet of_other = LoopsOf(other.element);
    const auto rank = [&](int loop) {
      const LoopSet bit = LoopSet{1} << loop;
      if ((FreeOf(info_.contraction) & bit) == 0) return 1;
      return (of_other & bit) != 0 ? 0 : 2;
    };
    std::vector<int> order = InOrder(info_, of_factor);
    const auto stride = [&](int loop) {
      return rank(loop) == 1 ? other.element.stride(loop) : product_.c.stride(loop);
    };
    std::stable_sort(order.begin(), order.end(), [&](int x, int y) {
      if (rank(x) != rank(y)) return rank(x) < rank(y);
      return stride(x) > stride(y);
    });
    return order;
  }

  /// The constant's elements in the order in which the loops count through them.
  const Constant* Packed(const Factor& factor, const std::vector<int>& order) const {
    const std::span<const uint8_t> from = *factor.constant->Bytes();
    const auto width = static_cast<size_t>(dtype_.bytes());
    std::vector<uint8_t> bytes;
    std::vector<int64_t> places(order.size());
    for (bool more = true; more;) {
      int64_t element = factor.element.offset;
      for (size_t i = 0; i < order.size(); ++i)
        element += places[i] * factor.element.stride(order[i]);
      const size_t at = static_cast<size_t>(element) * width;
      TENON_CHECK(element >= 0 && at + width <= from.size());
      bytes.insert(bytes.end(), from.begin() + static_cast<ptrdiff_t>(at),
                   from.begin() + static_cast<ptrdiff_t>(at + width));
      more = false;
      for (size_t i = order.size(); i-- > 0 && !more;) {
        more = ++places[i] < ExtentOf(info_, order[i]);
        if (!more) places[i] = 0;
      }
    }
    const auto elements = static_cast<int64_t>(bytes.size() / width);
    return builder_.context().AddConstant({}, dtype_, {elements}, std::move(bytes),
                                          factor.constant->placement());
  }

  const Stmt* Calls(const MatrixProduct& product) {
    std::vector<int> loops = product.outer;
    loops.insert(loops.end(), product.outer_sums.begin(), product.outer_sums.end());
    return loops_.Around(loops, [&] {
      return builder_.New<Evaluate>(
          {}, product.n == 1 || product.m == 1 ? VectorCall(product) : MatrixCall(product));
    });
  }

  const Expr* Number(int64_t value) { return builder_.Int(value); }
  const Expr* Real(double value) { return builder_.New<FloatImm>({}, dtype_, value); }
  const Expr* Transposed(bool is) { return Number(is ? kTrans : kNoTrans); }
  const Expr* Pointer(const Buffer* buffer, const Matrix& matrix) {
    return builder_.NewCall(DataType::Handle(), OpKind::kAddressOf,
                            {builder_.Load(buffer, {loops_.Index(matrix.start)})});
  }
  const Expr* PointerA(const MatrixProduct& product) {
    return Pointer((product.is_swapped ? b_ : a_).buffer, product.a);
  }
  const Expr* PointerB(const MatrixProduct& product) {
    return Pointer((product.is_swapped ? a_ : b_).buffer, product.b);
  }

  /// 0 for the first product of a sum of products, 1 for the products that are added to it.
  const Expr* Beta(const MatrixProduct& product) {
    if (product.outer_sums.empty()) return Real(0);
    LinearIndex places;
    for (const int loop : product.outer_sums) places.terms.emplace_back(loop, 1);
    const Expr* place = loops_.Index(places);
    const Expr* is_first = builder_.New<EQ>({}, place, builder_.Int(place->dtype, 0));
    return builder_.New<Select>({}, is_first, Real(0), Real(1));
  }

  const Expr* CallOf(std::string_view routine, std::initializer_list<const Expr*> args) {
    std::vector<const Expr*> all = {
        builder_.String(fmt::format("cblas_{}{}", dtype_.bits() == 32 ? "s" : "d", routine)),
        Number(kRowMajor)};
    all.insert(all.end(), args.begin(), args.end());
    return builder_.New<Call>({}, DataType::Void(), Op::Get(OpKind::kCallExtern),
                              builder_.arena().Copy(Span<const Expr*>(all)));
  }

  const Expr* MatrixCall(const MatrixProduct& product) {
    return CallOf("gemm", {Transposed(product.a.transposed), Transposed(product.b.transposed),
                           Number(product.m), Number(product.n), Number(product.k), Real(1),
                           PointerA(product), Number(product.a.leading), PointerB(product),
                           Number(product.b.leading), Beta(product), Pointer(c_, product.c),
                           Number(product.c.leading)});
  }

  /// The product of a matrix and a vector: C has one column, or one row.
  const Expr* VectorCall(const MatrixProduct& product) {
    const auto step = [&](int64_t stride) { return Number(std::max<int64_t>(stride, 1)); };
    if (product.n == 1) {
      const bool transposed = product.a.transposed;
      return CallOf("gemv",
                    {Transposed(transposed), Number(transposed ? product.k : product.m),
                     Number(transposed ? product.m : product.k), Real(1), PointerA(product),
                     Number(product.a.leading), PointerB(product), step(product.b.row_stride),
                     Beta(product), Pointer(c_, product.c), step(product.c.row_stride)});
    }
    const bool transposed = product.b.transposed;
    return CallOf("gemv",
                  {Transposed(!transposed), Number(transposed ? product.n : product.k),
                   Number(transposed ? product.k : product.n), Real(1), PointerB(product),
                   Number(product.b.leading), PointerA(product), step(product.a.column_stride),
                   Beta(product), Pointer(c_, product.c), step(product.c.column_stride)});
  }

  NodeBuilder& builder_;
  const OperatorToMake& op_;
  const OpInfo& info_;
  OpLoops loops_;
  std::vector<LoopSet> free_;
  DataType dtype_;
  Factor a_, b_;
  const Buffer* c_ = nullptr;
  /// `a` and `b` are the indices of the factors.
  ProductOfLoops product_;
  /// True if the sums are the operator's result.
  bool is_stored_ = false;
  std::vector<NewMemory> memory_;
  std::vector<PackedOperand> packed_;
  std::vector<const Stmt*> statements_;
};

}  // namespace

Support CanMakeBlasCalls(const OpInfo& op) {
  if (Support support = CanMakeLoops(op); !support.yes) return support;
  const bool is_product = op.kind == "dense" || op.kind == "matmul";
  const bool is_convolution = op.kind == "conv1d" || op.kind == "conv2d" || op.kind == "conv3d";
  if (!is_product && !is_convolution) return Support::No(fmt::format("BLAS has no {}", op.kind));
  if (is_convolution && (!op.window || !HasOnePlaceKernel(*op.window)))
    return Support::No("a kernel of more than one place");
  const std::optional<std::array<int, 2>> factors = FactorsOf(op);
  if (!factors) return Support::No("it does not add up products");
  const Step& sum = StepAt(op, op.contraction);
  if (sum.dtype != DataType::Float(32) && sum.dtype != DataType::Float(64))
    return Support::No(fmt::format("BLAS has no {}", sum.dtype.ToString()));
  if (!IsZero(StepAt(op, sum.args[0]))) return Support::No("a sum that does not begin with 0");
  if (HasSum(op, (*factors)[0]) || HasSum(op, (*factors)[1]))
    return Support::No("a sum of products of sums");
  const Shape shape = ShapeOf(op, *factors);
  const int64_t largest = std::max({shape.m, shape.n, shape.k});
  if (largest > INT32_MAX || op.macs / std::max<int64_t>(shape.k, 1) > INT32_MAX)
    return Support::No("matrices that are too large");
  return Support::Yes();
}

Support IsWorthBlas(const OpInfo& op, const HostFacts& host) {
  const std::optional<std::array<int, 2>> factors = FactorsOf(op);
  if (!factors) return Support::No("it does not add up products");
  const BlasLimits limits = LimitsFor(host);
  if (!limits.is_ever_faster)
    return Support::No(
        fmt::format("loops with vectors of {} bytes are as fast", host.vector_width));
  const Shape shape = ShapeOf(op, *factors);
  if (std::min(shape.m, shape.n) < limits.side)
    return Support::No(fmt::format("a matrix with a side below {}", limits.side));
  if (shape.k < limits.summed)
    return Support::No(fmt::format("fewer than {} numbers are summed", limits.summed));
  if (op.macs < limits.macs) return Support::No("below min-macs");
  return Support::Yes();
}

const Stmt* MakeBlasCalls(NodeBuilder& builder, const OperatorToMake& op) {
  return BlasMaker(builder, op).Make();
}

std::vector<PackedOperand> PackedOperandsOf(NodeBuilder& builder, const OperatorToMake& op) {
  BlasMaker maker(builder, op);
  return maker.Make() == nullptr ? std::vector<PackedOperand>() : maker.TakePacked();
}

std::vector<std::pair<std::string_view, std::vector<std::string_view>>> BlasExterns() {
  const std::vector<std::string_view> gemm = {"",  "", "",  "", "", "",   "",
                                              "c", "", "c", "", "", "rw", ""};
  const std::vector<std::string_view> gemv = {"", "", "", "", "", "c", "", "c", "", "", "rw", ""};
  return {
      {"cblas_sgemm", gemm}, {"cblas_dgemm", gemm}, {"cblas_sgemv", gemv}, {"cblas_dgemv", gemv}};
}

}  // namespace tenon
