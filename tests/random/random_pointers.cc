// Pointers by let, address_of and T.Select, and calls that get two buffers in both orders. A
// pointer that is chosen at run time counts as all the storage that it may point into.

#include "ir/builtins.h"
#include "random/generator.h"

namespace tenon::random_ir {

namespace {

constexpr DataType kDTypes[] = {DataType::Int(32), DataType::Float(32), DataType::UInt(8)};

}  // namespace

/// A pointer to `elements` contiguous elements of a compact tensor: its start, or a part from some
/// row on.
const Expr* Generator::PointerInto(const Tensor& tensor, int64_t elements) {
  const Buffer* buffer = tensor.buffer;
  if (tensor.shape.empty() || dice_.Percent(50)) return buffer->data;
  const int64_t row = tensor.Elements() / tensor.shape[0];
  const int64_t rows = (elements + row - 1) / row;
  const Expr* first = Index(tensor.shape[0] - rows + 1, 0);
  if (buffer->dtype.is_scalar() && dice_.Percent(20)) {
    const Expr* type =
        b_.New<Call>({}, buffer->dtype, Op::Get(OpKind::kTypeAnnotation), Span<const Expr*>());
    const Expr* offset = row == 1 ? first : b_.New<Mul>({}, first, Int(row));
    return NewCall(DataType::Handle(), OpKind::kTvmAccessPtr,
                   {type, buffer->data, offset, Int(elements), Int(3)});
  }
  std::vector<const Expr*> indices(tensor.shape.size(), Int(0));
  indices[0] = first;
  const auto* load = b_.New<BufferLoad>({}, buffer->dtype, buffer, Copy(indices));
  return b_.NewCall(DataType::Handle(), OpKind::kAddressOf, {load});
}

const Expr* Generator::Either(const Expr* condition, const Expr* yes, const Expr* no) {
  if (dice_.Percent(70)) return b_.New<Select>({}, condition, yes, no);
  return NewCall(yes->dtype, OpKind::kIfThenElse, {condition, yes, no});
}

/// A condition that changes with the iterations of a loop or with a parameter, if there is one. It
/// may occur twice.
const Expr* Generator::Alternating() {
  const Expr* number = Index(8, 0);
  for (const Known& known : vars_) {
    if (known.var->dtype == DataType::Int(32) && dice_.Percent(70)) number = known.var;
  }
  return b_.New<EQ>({}, b_.New<FloorMod>({}, number, Int(2)), Int(0));
}

const Expr* Generator::PointerArgument(const Callee& callee, const Callee::Param& param,
                                       Storages& taken) {
  int64_t elements = 1;
  for (const int64_t extent : param.shape) elements *= extent;
  const auto find = [&] {
    return FindTensor(param.written, [&](const Tensor& t) {
      return (callee.may_overlap || !taken.Meets(t.storage)) && t.compact &&
             t.buffer->dtype == param.dtype && t.Elements() >= elements;
    });
  };
  const Tensor* tensor = find();
  if (tensor == nullptr) return nullptr;
  const Expr* pointer = PointerInto(*tensor, elements);
  if (dice_.Percent(30)) {
    const Tensor* other = find();
    pointer = Either(Alternating(), pointer, PointerInto(*other, elements));
    taken.Add(other->storage);
  }
  taken.Add(tensor->storage);
  return pointer;
}

/// Gives two parameters two tensors, in one order or in the other one. False if none fit.
bool Generator::SwappedArguments(const Callee& callee, Storages& taken,
                                 std::vector<const Expr*>& args) {
  if (callee.params.size() < 2 || !callee.params[0].tensor) return false;
  const size_t second =
      static_cast<size_t>(dice_.Between(1, static_cast<int64_t>(callee.params.size()) - 1));
  const Callee::Param& a = callee.params[0];
  const Callee::Param& b = callee.params[second];
  if (!b.tensor || a.dtype != b.dtype) return false;
  int64_t elements = 1;
  for (const Callee::Param* param : {&a, &b}) {
    int64_t own = 1;
    for (const int64_t extent : param->shape) own *= extent;
    elements = std::max(elements, own);
  }
  const auto find = [&] {
    return FindTensor(a.written || b.written, [&](const Tensor& t) {
      return !taken.Meets(t.storage) && t.compact && t.buffer->dtype == a.dtype &&
             t.Elements() >= elements;
    });
  };
  const Tensor* x = find();
  if (x == nullptr) return false;
  taken.Add(x->storage);
  const Tensor* y = callee.may_overlap && dice_.Percent(30) ? x : find();
  if (y == nullptr) {
    taken = {};
    return false;
  }
  taken.Add(y->storage);
  const Expr* condition = Alternating();
  const Expr* to_x = PointerInto(*x, elements);
  const Expr* to_y = PointerInto(*y, elements);
  args[0] = Either(condition, to_x, to_y);
  args[second] = Either(condition, to_y, to_x);
  return true;
}

/// The first elements at a pointer into `tensor`.
Tensor Generator::ViewOf(const Tensor& tensor, int64_t elements, const Var* pointer) {
  std::vector<int64_t> shape = {elements};
  if (elements % 2 == 0 && dice_.Percent(30)) shape = {2, elements / 2};
  Tensor view = NewTensor(pointer->name.view(), tensor.buffer->dtype, shape, pointer);
  view.storage = tensor.storage;
  view.writable = tensor.writable;
  return view;
}

const Stmt* Generator::WithPointer(const Tensor& view, const Expr* value, const Stmt* body) {
  if (dice_.Percent(30)) body = b_.New<DeclBuffer>({}, view.buffer, body);
  return b_.New<LetStmt>({}, view.buffer->data, value, body);
}

/// A pointer by let into one tensor, or into one of two.
const Stmt* Generator::LetPointer(int budget) {
  const Tensor* found = FindTensor(false, [](const Tensor& t) { return t.compact; });
  if (found == nullptr) return nullptr;
  const Scope scope(*this);
  const Tensor one = *found;
  const DataType dtype = one.buffer->dtype;
  const Tensor other =
      *FindTensor(false, [&](const Tensor& t) { return t.compact && t.buffer->dtype == dtype; });
  const bool is_choice = dice_.Percent(60);
  const int64_t most = is_choice ? std::min(one.Elements(), other.Elements()) : one.Elements();
  const int64_t elements = dice_.Percent(50) ? most : dice_.Between(1, most);
  const Expr* value = PointerInto(one, elements);
  if (is_choice) value = Either(Alternating(), value, PointerInto(other, elements));
  const Var* pointer =
      b_.NewVar("p", context_.PointerType(one.buffer->data->type->dtype, "global"));
  Tensor view = ViewOf(one, elements, pointer);
  if (is_choice) {
    view.storage.Add(other.storage);
    view.writable &= other.writable;
  }
  tensors_.push_back(view);
  return WithPointer(view, value, Sequence(budget));
}

const Expr* Generator::SumOf(const Expr* a, const Expr* b) {
  if (dice_.Percent(70)) return b_.New<Add>({}, a, b);
  return b_.New<Max>({}, a, b);
}

/// A loop over all elements that adds those of one view to another one. If `direct` is not null,
/// all views begin at the same element of their storage: the loop may also use that tensor, and its
/// iterations may run in any order.
const Stmt* Generator::SwapInto(const Tensor& from, const Tensor& to, const Tensor* direct) {
  const Var* var = b_.NewVar("i", DataType::Int(32));
  const auto at = [&](const Tensor& tensor) {
    std::vector<const Expr*> indices(tensor.shape.size(), Int(0));
    indices.back() = var;
    return indices;
  };
  const auto load = [&](const Tensor& tensor) -> const Expr* {
    return b_.New<BufferLoad>({}, tensor.buffer->dtype, tensor.buffer, Copy(at(tensor)));
  };
  std::vector<const Stmt*> body;
  for (int64_t count = dice_.Between(1, 3); count > 0; --count) {
    const Tensor& target = dice_.Percent(50) ? to : from;
    const Tensor& source = dice_.Percent(50) ? from : to;
    const Expr* value = SumOf(load(source), load(target));
    if (direct != nullptr && dice_.Percent(70)) value = SumOf(load(*direct), value);
    body.push_back(StoreTo(target, at(target), value));
    if (direct != nullptr && dice_.Percent(20))
      body.push_back(StoreTo(*direct, at(*direct), SumOf(load(*direct), load(source))));
  }
  const int64_t extent = std::min(from.shape.back(), to.shape.back());
  const Stmt* all = b_.Seq(Span<const Stmt*>(body.data(), body.size()));
  if (direct == nullptr || dice_.Percent(40)) return LoopOf(var, extent, all, direct != nullptr);
  return b_.New<For>({}, var, Int(0), Int(extent), ForKind::kParallel, all);
}

/// A store of lanes whose value reads lanes that it may change. All have at least four elements.
const Stmt* Generator::SwapLanes(const Tensor& from, const Tensor& to) {
  constexpr int kLanes = 4;
  const auto at = [&](const Tensor& tensor) {
    std::vector<const Expr*> indices(tensor.shape.size(), Int(0));
    const Expr* first = Int(dice_.Below(tensor.shape.back() - kLanes + 1));
    indices.back() = b_.New<Ramp>({}, first, Int(1), kLanes);
    return Copy(indices);
  };
  const DataType dtype = to.buffer->dtype.with_lanes(kLanes);
  const Expr* a = b_.New<BufferLoad>({}, dtype, from.buffer, at(from));
  const Expr* b = b_.New<BufferLoad>({}, dtype, to.buffer, at(to));
  return b_.New<BufferStore>({}, to.buffer, SumOf(a, b), at(to));
}

/// Statements in which two pointers are to `x` and `y`, or the other way round, which have the same
/// shape of one dimension.
const Stmt* Generator::Turn(const Tensor& x, const Tensor& y, int budget) {
  const Scope scope(*this);
  const DataType dtype = x.buffer->dtype;
  const bool is_aligned = !x.storage.Meets(y.storage) && dice_.Percent(50);
  const int64_t elements = dice_.Between(1, x.shape[0]);
  const Expr* condition = Alternating();
  const Expr* to_x = is_aligned ? x.buffer->data : PointerInto(x, elements);
  const Expr* to_y = is_aligned ? y.buffer->data : PointerInto(y, elements);
  Tensor from = ViewOf(x, elements, Pointer("p", dtype));
  Tensor to = ViewOf(y, elements, Pointer("q", dtype));
  from.storage.Add(y.storage);
  to.storage.Add(x.storage);
  tensors_.insert(tensors_.end(), {from, to});
  const Tensor* direct = dice_.Percent(50) ? &x : &y;
  std::vector<const Stmt*> body;
  for (int64_t count = dice_.Between(1, 2); count > 0; --count)
    body.push_back(SwapInto(from, to, is_aligned ? direct : nullptr));
  if (std::min(from.shape.back(), to.shape.back()) >= 4 && dice_.Percent(50)) {
    const bool is_store = dice_.Percent(50);
    body.push_back(is_store ? SwapLanes(*direct, to) : SwapLanes(from, *direct));
  }
  if (budget > 1) body.insert(dice_.Percent(50) ? body.begin() : body.end(), Sequence(budget / 2));
  const Stmt* inner = b_.Seq(Span<const Stmt*>(body.data(), body.size()));
  inner = WithPointer(to, Either(condition, to_y, to_x), inner);
  return WithPointer(from, Either(condition, to_x, to_y), inner);
}

/// The body of a function that gets two tensors, and mostly writes them through other pointers.
const Stmt* Generator::PairBody() {
  const Tensor x = tensors_[0];
  const Tensor y = tensors_[1];
  std::vector<const Stmt*> list;
  for (int64_t count = dice_.Between(1, 3); count > 0; --count) list.push_back(Turn(x, y, 0));
  return b_.Seq(Span<const Stmt*>(list.data(), list.size()));
}

/// A loop in which two pointers change places: each tensor gets sums of both in turns.
const Stmt* Generator::SwapLoop(int budget) {
  if (loops_ >= 2) return nullptr;
  const Scope scope(*this);
  const DataType dtype = dice_.Pick(kDTypes);
  const std::vector<int64_t> shape = {dice_.Between(2, 9)};
  const Tensor x = NewTensor("x", dtype, shape, Pointer("x", dtype));
  const Tensor y = NewTensor("y", dtype, shape, Pointer("y", dtype));
  std::vector<const Stmt*> list = {Fill(x), Fill(y)};
  tensors_.insert(tensors_.end(), {x, y});
  const Var* turn = b_.NewVar("t", DataType::Int(32));
  const int64_t turns = dice_.Between(1, 5);
  vars_.push_back({turn, true, 0, turns - 1});
  ++loops_;
  const Stmt* body = Turn(x, y, budget);
  --loops_;
  vars_.pop_back();
  list.push_back(LoopOf(turn, turns, body, false));
  list.push_back(Sequence(budget));
  const Stmt* all = b_.Seq(Span<const Stmt*>(list.data(), list.size()));
  for (const Tensor* tensor : {&x, &y}) {
    all = b_.New<Allocate>({}, tensor->buffer->data, dtype, tensor->buffer->shape, b_.Bool(true),
                           nullptr, all);
  }
  return all;
}

std::vector<Callee::Param> Generator::PairSignature() {
  Callee::Param tensor;
  tensor.dtype = dice_.Pick(kDTypes);
  tensor.shape = {dice_.Between(2, 9)};
  tensor.written = true;
  Callee::Param number;
  number.dtype = DataType::Int(32);
  number.tensor = false;
  if (dice_.Percent(50)) return {tensor, tensor};
  return {tensor, tensor, number};
}

}  // namespace tenon::random_ir
