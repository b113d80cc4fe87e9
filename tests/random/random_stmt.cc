#include "ir/builtins.h"
#include "random/generator.h"

namespace tenon::random_ir {
namespace {

constexpr NodeKind kStmtKinds[] = {
#define TENON_STMT(Name) NodeKind::k##Name,
#include "ir/nodes.def"
};

}  // namespace

const Stmt* Generator::Sequence(int budget) {
  std::vector<const Stmt*> list;
  const Scope scope(*this);
  ++nesting_;
  while (budget > 0) {
    const int part = static_cast<int>(dice_.Between(1, budget));
    const Stmt* stmt = Statement(part);
    if (stmt != nullptr) list.push_back(stmt);
    budget -= part;
  }
  --nesting_;
  return b_.Seq(Span<const Stmt*>(list.data(), list.size()));
}

const Stmt* Generator::Statement(int budget) {
  if (nesting_ > 8) return MakeBufferStore(0);
  if (options_.reuse && budget > 1 && dice_.Percent(30)) {
    if (const Stmt* made = MakeReuse(budget)) return made;
  }
  for (int attempt = 0; attempt < 10; ++attempt) {
    const Stmt* made = nullptr;
    switch (dice_.Pick(kStmtKinds)) {
#define TENON_STMT(Name)       \
  case NodeKind::k##Name:      \
    made = Make##Name(budget); \
    break;
#include "ir/nodes.def"
      default:
        break;
    }
    if (made != nullptr) return made;
  }
  return MakeBufferStore(0);
}

const Stmt* Generator::StoreTo(const Tensor& tensor, std::vector<const Expr*> indices,
                               const Expr* value, const Expr* predicate) {
  return b_.New<BufferStore>({}, tensor.buffer, value, Copy(indices), predicate);
}

const Stmt* Generator::Fill(const Tensor& tensor) {
  const Scope scope(*this);
  std::vector<const Expr*> indices;
  std::vector<const Var*> loops;
  for (const int64_t extent : tensor.shape) {
    const Var* var = b_.NewVar(loops.empty() ? "i" : "j", DataType::Int(32));
    vars_.push_back({var, true, 0, extent - 1});
    loops.push_back(var);
    indices.push_back(var);
  }
  const int64_t width = tensor.shape.empty() ? 1 : tensor.shape.back();
  const bool vector =
      tensor.buffer->dtype.is_scalar() && (width == 4 || width == 8) && dice_.Percent(30);
  // Also in parallel iterations: nothing reads unwritten storage.
  forbidden_.push_back(tensor.storage);
  if (vector) {
    loops.pop_back();
    vars_.pop_back();
    indices.back() = b_.New<Ramp>({}, Int(0), Int(1), static_cast<int>(width));
  }
  const DataType dtype = tensor.buffer->dtype;
  const Expr* value =
      Expression(vector ? dtype.with_lanes(static_cast<int>(width)) : dtype, options_.depth - 1);
  forbidden_.pop_back();
  const Stmt* body = StoreTo(tensor, indices, value);
  for (size_t i = loops.size(); i-- > 0;) {
    static constexpr ForKind kKinds[] = {ForKind::kSerial, ForKind::kSerial, ForKind::kParallel,
                                         ForKind::kVectorized, ForKind::kUnrolled};
    ForKind kind = dice_.Pick(kKinds);
    if (kind == ForKind::kVectorized && i + 1 != tensor.shape.size()) kind = ForKind::kSerial;
    body = b_.New<For>({}, loops[i], Int(0), Int(tensor.shape[i]), kind, body);
  }
  return body;
}

const Stmt* Generator::MakeBufferStore(int) {
  const Tensor* tensor = FindTensor(true, [](const Tensor&) { return true; });
  if (tensor == nullptr) return nullptr;
  const Tensor to = *tensor;
  int lanes = 1;
  if (!to.shape.empty() && dice_.Percent(30)) lanes = dice_.Percent(50) ? 4 : 2;
  std::vector<const Expr*> indices = Indices(to, lanes, 2, true);
  if (indices.size() != to.shape.size()) {
    lanes = 1;
    indices = Indices(to, 1, 2, true);
  }
  const DataType dtype = to.buffer->dtype.with_lanes(to.buffer->dtype.lanes() * lanes);
  const Expr* value = Expression(dtype, options_.depth);
  const Expr* predicate = nullptr;
  if (lanes > 1 && to.buffer->dtype.is_scalar() && dice_.Percent(20)) {
    predicate = Expression(DataType::Bool(lanes), 2);
  }
  return StoreTo(to, indices, value, predicate);
}

const Stmt* Generator::MakeLetStmt(int budget) {
  if (dice_.Percent(35)) {
    const Stmt* made = dice_.Percent(60) ? LetPointer(budget) : SwapLoop(budget);
    if (made != nullptr) return made;
  }
  const Scope scope(*this);
  const Callee* callee = callees_.empty() ? nullptr : &dice_.Pick(callees_);
  const Expr* value = nullptr;
  if (callee != nullptr && !callee->result.is_void()) value = FunctionCall(*callee);
  if (value == nullptr) value = Expression(AnyDType(), options_.depth);
  const Var* var = b_.NewVar("x", value->dtype);
  vars_.push_back({var});
  const Stmt* body = Sequence(budget);
  return b_.New<LetStmt>({}, var, value, body);
}

const Stmt* Generator::MakeAttrStmt(int budget) {
  if (dice_.Percent(30) && loops_ < 2) {
    const Scope scope(*this);
    const int64_t extent = dice_.Between(1, 4);
    const Var* var = b_.NewVar("threadIdx_x", DataType::Int(32));
    vars_.push_back({var, true, 0, extent - 1});
    const auto* iter = b_.New<IterVar>({}, b_.New<Range>({}, Int(0), Int(extent)), var,
                                       IterVarKind::kThreadIndex, "threadIdx.x");
    const Stmt* body = RaceFreeBody(var, extent);
    if (body == nullptr) return nullptr;
    return b_.New<AttrStmt>({}, b_.New<IterVarAttr>({}, iter), "thread_extent", Int(extent), body);
  }
  const Attr* node = b_.New<ExprAttr>({}, Int(0));
  if (dice_.Percent(40) && !vars_.empty()) {
    const Var* about = dice_.Pick(vars_).var;
    if (about->dtype.is_scalar()) node = b_.New<ExprAttr>({}, about);
  }
  const Expr* value =
      dice_.Percent(50) ? Int(dice_.Below(100)) : static_cast<const Expr*>(b_.String("note"));
  return b_.New<AttrStmt>({}, node, "pragma_random", value, Sequence(budget));
}

const Stmt* Generator::MakeAssertStmt(int budget) {
  // True for any number.
  const Expr* any = Expression(DataType::Int(32), options_.depth);
  const int64_t divisor = dice_.Between(1, 9);
  const Expr* rest = b_.New<FloorMod>({}, any, Int(divisor));
  const Expr* condition = b_.New<LT>({}, rest, Int(divisor));
  return b_.New<AssertStmt>({}, condition, b_.String("a remainder"), Sequence(budget));
}

const Stmt* Generator::MakeAllocate(int budget) {
  const Scope scope(*this);
  const std::vector<int64_t> shape = AnyShape();
  DataType dtype = AnyScalar();
  if (dice_.Percent(15)) dtype = dtype.with_lanes(dice_.Percent(50) ? 2 : 4);
  Tensor tensor = NewTensor("a", dtype, shape, Pointer("a", dtype));
  int64_t elements = tensor.Elements();
  std::vector<const Expr*> extents;
  if (dice_.Percent(25) && dtype.is_scalar() && !shape.empty()) {
    // Rows with gaps between them, and not from the first byte on.
    Buffer strided = *tensor.buffer;
    std::vector<const Expr*> strides(shape.size());
    const int64_t offset = dice_.Below(4);
    int64_t stride = 1;
    for (size_t i = shape.size(); i-- > 0;) {
      strides[i] = Int(stride);
      stride = stride * shape[i] + dice_.Below(3);
    }
    strided.strides = Copy(strides);
    strided.elem_offset = Int(offset);
    tensor.buffer = b_.New<Buffer>({}, strided);
    tensor.compact = false;
    elements = stride + offset;
    extents = {Int(elements)};
  } else {
    for (const int64_t extent : shape) extents.push_back(Int(extent));
    if (extents.empty() || dice_.Percent(20)) extents = {Int(elements)};
  }
  // Used from some statement up to another one.
  std::vector<const Stmt*> list;
  if (budget > 2 && dice_.Percent(40)) list.push_back(Sequence(budget / 3));
  list.push_back(Fill(tensor));
  tensors_.push_back(tensor);
  list.push_back(Sequence(budget));
  tensors_.pop_back();
  if (budget > 2 && dice_.Percent(40)) list.push_back(Sequence(budget / 3));
  return b_.New<Allocate>({}, tensor.buffer->data, dtype, Copy(extents), b_.Bool(true),
                          Annotations(0), b_.Seq(Span<const Stmt*>(list.data(), list.size())));
}

const Stmt* Generator::MakeAllocateConst(int budget) {
  const Scope scope(*this);
  std::vector<int64_t> shape = AnyShape();
  if (shape.empty()) shape = {4};
  const DataType dtype = AnyScalar();
  const tenon::Constant* data = NewConstant(dtype, shape);
  // The text does not write the storage scope of a constant's pointer.
  const Var* pointer = b_.NewVar("c", context_.PointerType(dtype, ""));
  Tensor tensor = NewTensor("c", dtype, shape, pointer);
  tensor.writable = false;
  tensors_.push_back(tensor);
  const Stmt* body = Sequence(budget);
  return b_.New<AllocateConst>({}, tensor.buffer->data, dtype, tensor.buffer->shape, data, nullptr,
                               body);
}

/// `value`, at least 1, as an expression that mentions `var`.
const Expr* Generator::Disguised(int64_t value, const Var* var) {
  return b_.New<Max>({}, Int(value), b_.New<FloorMod>({}, var, Int(value)));
}

/// A loop that declares a row of storage as a buffer whose layout depends on the iteration.
const Stmt* Generator::LayoutLoop(int budget) {
  static constexpr int64_t kRows[] = {4, 8, 16};
  const Scope scope(*this);
  const int64_t rows = dice_.Pick(kRows);
  const int64_t width = dice_.Between(1, 3);
  const DataType dtype = AnyScalar();
  const Tensor whole = NewTensor("w", dtype, {rows, width}, Pointer("w", dtype));
  const Stmt* fill = Fill(whole);
  const Var* row = b_.NewVar("row", DataType::Int(32));
  vars_.push_back({row, true, 0, rows - 1});
  forbidden_.push_back(whole.storage);
  const Stmt* body = dice_.Percent(50) ? MatchedRow(whole, row) : DeclaredRow(whole, row);
  forbidden_.pop_back();
  vars_.pop_back();
  tensors_.push_back(whole);
  const Stmt* loop = b_.New<For>({}, row, Int(0), Int(rows), ForKind::kSerial, body);
  return b_.New<Allocate>({}, whole.buffer->data, dtype, b_.List<Expr>({Int(rows * width)}),
                          b_.Bool(true), nullptr, b_.Seq({fill, loop, Sequence(budget)}));
}

const Stmt* Generator::DeclaredRow(const Tensor& whole, const Var* row) {
  const int64_t width = whole.shape[1];
  Tensor view = NewTensor("d", whole.buffer->dtype, {width}, whole.buffer->data);
  Buffer buffer = *view.buffer;
  buffer.elem_offset = b_.New<Mul>({}, row, Int(width));
  if (dice_.Percent(50)) buffer.shape = b_.List<Expr>({Disguised(width, row)});
  if (dice_.Percent(50)) buffer.strides = b_.List<Expr>({Disguised(1, row)});
  view.buffer = b_.New<Buffer>({}, buffer);
  const Stmt* store = StoreTo(view, {Int(dice_.Below(width))}, Expression(buffer.dtype, 1));
  return b_.New<DeclBuffer>({}, view.buffer, store);
}

/// Another view of existing storage: flat, or of another shape.
const Stmt* Generator::MakeDeclBuffer(int budget) {
  if (dice_.Percent(30)) return LayoutLoop(budget);
  const Tensor* of = FindTensor(false, [](const Tensor& t) { return t.compact; });
  if (of == nullptr) return nullptr;
  const Scope scope(*this);
  const int64_t elements = of->Elements();
  std::vector<int64_t> shape = {elements};
  if (elements % 2 == 0 && dice_.Percent(40)) shape = {2, elements / 2};
  Tensor view = NewTensor("d", of->buffer->dtype, shape, of->buffer->data);
  view.storage = of->storage;
  view.writable = of->writable;
  if (elements > 2 && shape.size() == 1 && dice_.Percent(30)) {
    Buffer moved = *view.buffer;
    moved.elem_offset = Int(2);
    moved.shape = b_.List<Expr>({Int(elements - 2)});
    view.buffer = b_.New<Buffer>({}, moved);
    view.shape = {elements - 2};
    view.compact = false;
  }
  tensors_.push_back(view);
  const Stmt* body = Sequence(budget);
  return b_.New<DeclBuffer>({}, view.buffer, body);
}

const Stmt* Generator::MakeBufferRealize(int) {
  if (!any_node_) return nullptr;
  const Tensor tensor = NewTensor("r", AnyScalar(), {4});
  const auto* range = b_.New<Range>({}, Int(0), Int(4));
  return b_.New<BufferRealize>({}, tensor.buffer, b_.List<Range>({range}), "global", b_.Bool(true),
                               Fill(tensor));
}

const Stmt* Generator::MakeProducerStore(int) {
  if (!any_node_ || tensors_.empty()) return nullptr;
  const Buffer* buffer = dice_.Pick(tensors_).buffer;
  return b_.New<ProducerStore>({}, buffer, Leaf(buffer->dtype), b_.List<Expr>({Int(0)}));
}

const Stmt* Generator::MakeProducerRealize(int) {
  if (!any_node_) return nullptr;
  const Tensor tensor = NewTensor("p", AnyScalar(), {4});
  const auto* range = b_.New<Range>({}, Int(0), Int(4));
  return b_.New<ProducerRealize>({}, tensor.buffer, b_.List<Range>({range}), b_.Bool(true),
                                 Fill(tensor));
}

const Stmt* Generator::MakePrefetch(int) {
  if (tensors_.empty()) return nullptr;
  const Tensor& tensor = dice_.Pick(tensors_);
  if (tensor.shape.empty() || Forbidden(tensor)) return nullptr;
  return b_.New<Prefetch>({}, tensor.buffer, WholeRegion(tensor)->region);
}

const Stmt* Generator::MakeSeqStmt(int budget) { return budget > 1 ? Sequence(budget) : nullptr; }

const Stmt* Generator::MakeIfThenElse(int budget) {
  const Expr* condition = Expression(DataType::Bool(), options_.depth);
  const Stmt* yes = Sequence(budget);
  const Stmt* no = dice_.Percent(40) ? Sequence((budget + 1) / 2) : nullptr;
  return b_.New<IfThenElse>({}, condition, yes, no);
}

const Stmt* Generator::MakeEvaluate(int) {
  const int64_t kind = dice_.Below(10);
  if (kind < 7 && !callees_.empty()) return CallStatement(dice_.Pick(callees_));
  if (kind == 7) return b_.NoOp();
  if (kind == 8) {
    const Expr* condition = b_.New<GE>({}, b_.New<FloorMod>({}, Index(8, 1), Int(3)), Int(0));
    return b_.New<Evaluate>({}, b_.NewCall(DataType::Bool(), OpKind::kAssume, {condition}));
  }
  return b_.New<Evaluate>({}, Expression(AnyDType(), 2));
}

const Stmt* Generator::MakeFor(int budget) {
  if (loops_ >= 3) return nullptr;
  const Scope scope(*this);
  static constexpr ForKind kKinds[] = {ForKind::kSerial,     ForKind::kSerial,
                                       ForKind::kUnrolled,   ForKind::kParallel,
                                       ForKind::kVectorized, ForKind::kThreadBinding};
  const ForKind kind = dice_.Pick(kKinds);
  int64_t min = dice_.Percent(20) ? dice_.Between(-2, 3) : 0;
  int64_t most = dice_.Between(0, 5);
  const Expr* extent = Int(most);
  if (kind == ForKind::kVectorized) {
    min = 0;
    most = 4;
    extent = Int(most);
  } else if (dice_.Percent(20)) {
    most = 4;
    extent = Index(most + 1, 2);
  }
  const Var* var = b_.NewVar("i", DataType::Int(32));
  ++loops_;
  if (most > 0) vars_.push_back({var, true, min, min + most - 1});
  const bool serial = kind == ForKind::kSerial || kind == ForKind::kUnrolled;
  const Stmt* body = nullptr;
  if (serial) {
    body = Sequence((budget + 1) / 2);
  } else if (min == 0 && most > 0) {
    body = RaceFreeBody(var, most);
  }
  --loops_;
  if (body == nullptr) return nullptr;
  const IterVar* thread = nullptr;
  if (kind == ForKind::kThreadBinding) {
    thread = b_.New<IterVar>({}, nullptr, b_.NewVar("threadIdx.y", DataType::Int(32)),
                             IterVarKind::kThreadIndex, "threadIdx.y");
  }
  return b_.New<For>({}, var, Int(min), extent, kind, body, thread,
                     dice_.Percent(10) ? Annotations(1) : nullptr);
}

/// A body for iterations that may run concurrently: each writes a different element.
const Stmt* Generator::RaceFreeBody(const Var* var, int64_t extent) {
  const Tensor* found = FindTensor(
      true, [&](const Tensor& t) { return !t.shape.empty() && t.shape.back() >= extent; });
  if (found == nullptr) return nullptr;
  const Tensor tensor = *found;
  forbidden_.push_back(tensor.storage);
  std::vector<const Expr*> indices;
  for (size_t i = 0; i + 1 < tensor.shape.size(); ++i) {
    indices.push_back(Int(dice_.Below(tensor.shape[i])));
  }
  indices.push_back(var);
  const Expr* value = Expression(tensor.buffer->dtype, options_.depth);
  const Stmt* body = StoreTo(tensor, indices, value);
  if (dice_.Percent(30)) {
    body = b_.New<IfThenElse>({}, Expression(DataType::Bool(), 2), body, nullptr);
  }
  forbidden_.pop_back();
  return body;
}

const Stmt* Generator::MakeWhile(int budget) {
  if (loops_ >= 2) return nullptr;
  const Scope scope(*this);
  const Tensor counter = NewTensor("n", DataType::Int(32), {1});
  const auto* load =
      b_.New<BufferLoad>({}, DataType::Int(32), counter.buffer, b_.List<Expr>({Int(0)}));
  const Stmt* start = StoreTo(counter, {Int(0)}, Int(dice_.Between(0, 2)));
  ++loops_;
  const Stmt* inner = Sequence((budget + 1) / 2);
  --loops_;
  const Stmt* step = StoreTo(counter, {Int(0)}, b_.New<Add>({}, load, Int(1)));
  const Stmt* loop =
      b_.New<While>({}, b_.New<LT>({}, load, Int(dice_.Between(1, 4))), b_.Seq({inner, step}));
  return b_.New<Allocate>({}, counter.buffer->data, DataType::Int(32), b_.List<Expr>({Int(1)}),
                          b_.Bool(true), nullptr, b_.Seq({start, loop}));
}

}  // namespace tenon::random_ir
