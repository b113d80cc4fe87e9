// Programs that reuse buffers: they overwrite whole buffers in loops, branches, whiles and calls,
// in ways that an analysis may or may not recognize. A tensor is only read where every path has
// written it, so that a wrong overlap is detected.

#include <algorithm>
#include <numeric>
#include <utility>

#include "ir/builtins.h"
#include "random/generator.h"

namespace tenon::random_ir {

namespace {

constexpr DataType kDTypes[] = {DataType::Int(8), DataType::Int(32), DataType::Float(32),
                                DataType::UInt(8), DataType::Int(16)};

}  // namespace

/// A loop from 0 around a body. With `any_order`, the kind may allow iterations in any order.
const Stmt* Generator::LoopOf(const Var* var, int64_t extent, const Stmt* body, bool any_order) {
  static constexpr ForKind kKinds[] = {ForKind::kSerial, ForKind::kUnrolled, ForKind::kParallel};
  const ForKind kind = kKinds[dice_.Below(any_order ? 3 : 2)];
  return b_.New<For>({}, var, Int(0), Int(extent), kind, body);
}

/// A value for an element, which is not computed from `tensor`.
const Expr* Generator::ValueFor(const Tensor& tensor) {
  forbidden_.push_back(tensor.storage);
  const Expr* value = Expression(tensor.buffer->dtype, 1);
  forbidden_.pop_back();
  return value;
}

/// Loops over all dimensions in some order.
const Stmt* Generator::RefillPermuted(const Tensor& tensor) {
  std::vector<const Expr*> indices;
  std::vector<const Var*> loops;
  for (const int64_t extent : tensor.shape) {
    loops.push_back(b_.NewVar("p", DataType::Int(32)));
    const Expr* index = loops.back();
    if (dice_.Percent(25)) index = b_.New<Sub>({}, Int(extent - 1), index);
    indices.push_back(index);
  }
  std::vector<size_t> order(loops.size());
  std::iota(order.begin(), order.end(), size_t{0});
  for (size_t i = order.size(); i > 1; --i) {
    std::swap(order[i - 1], order[static_cast<size_t>(dice_.Below(static_cast<int64_t>(i)))]);
  }
  const Stmt* body = StoreTo(tensor, indices, ValueFor(tensor));
  for (const size_t i : order) body = LoopOf(loops[i], tensor.shape[i], body, true);
  return body;
}

/// One loop over all elements, divided into indices in some order of the dimensions.
const Stmt* Generator::RefillFused(const Tensor& tensor) {
  const Var* fused = b_.NewVar("f", DataType::Int(32));
  std::vector<size_t> order(tensor.shape.size());
  std::iota(order.begin(), order.end(), size_t{0});
  if (dice_.Percent(50)) std::reverse(order.begin(), order.end());
  std::vector<const Expr*> indices(tensor.shape.size());
  int64_t divisor = 1;
  for (const size_t i : order) {
    const Expr* index =
        divisor == 1 ? static_cast<const Expr*>(fused) : b_.New<FloorDiv>({}, fused, Int(divisor));
    indices[i] = b_.New<FloorMod>({}, index, Int(tensor.shape[i]));
    divisor *= tensor.shape[i];
  }
  return LoopOf(fused, tensor.Elements(), StoreTo(tensor, indices, ValueFor(tensor)), true);
}

/// A loop over a flat view of elements [first, end).
const Stmt* Generator::RefillPart(const Tensor& tensor, int64_t first, int64_t end) {
  Tensor view = NewTensor("v", tensor.buffer->dtype, {end - first}, tensor.buffer->data);
  view.storage = tensor.storage;
  Buffer moved = *view.buffer;
  moved.elem_offset = Int(first);
  view.buffer = b_.New<Buffer>({}, moved);
  const Var* var = b_.NewVar("q", DataType::Int(32));
  const Stmt* body = nullptr;
  if ((end - first) % 4 == 0 && dice_.Percent(40)) {
    const Expr* index = b_.New<Ramp>({}, b_.New<Mul>({}, var, Int(4)), Int(1), 4);
    const Expr* value = b_.New<Broadcast>({}, ValueFor(tensor), 4);
    body = LoopOf(var, (end - first) / 4, StoreTo(view, {index}, value), true);
  } else {
    body = LoopOf(var, end - first, StoreTo(view, {var}, ValueFor(tensor)), true);
  }
  return b_.New<DeclBuffer>({}, view.buffer, body);
}

/// Initializes rows and then adds to them.
const Stmt* Generator::RefillSums(const Tensor& tensor) {
  std::vector<const Expr*> indices;
  std::vector<const Var*> outer;
  for (size_t i = 0; i + 1 < tensor.shape.size(); ++i) {
    outer.push_back(b_.NewVar("o", DataType::Int(32)));
    indices.push_back(outer.back());
  }
  const auto row = [&](bool sum) {
    const Var* var = b_.NewVar("j", DataType::Int(32));
    std::vector<const Expr*> at = indices;
    at.push_back(var);
    const Expr* value = ValueFor(tensor);
    if (sum) {
      value = b_.New<Max>({}, value,
                          b_.New<BufferLoad>({}, tensor.buffer->dtype, tensor.buffer, Copy(at)));
    }
    return LoopOf(var, tensor.shape.back(), StoreTo(tensor, at, value), !sum);
  };
  const Stmt* set = row(false);
  const Stmt* sums = LoopOf(b_.NewVar("k", DataType::Int(32)), 2, row(true), false);
  const Stmt* body = b_.Seq({set, sums});
  for (size_t i = outer.size(); i-- > 0;) body = LoopOf(outer[i], tensor.shape[i], body, false);
  return body;
}

/// Writes every element of a tensor in a random way.
const Stmt* Generator::Refill(const Tensor& tensor) {
  const int64_t elements = tensor.Elements();
  if (tensor.shape.empty()) return StoreTo(tensor, {}, ValueFor(tensor));
  switch (dice_.Below(9)) {
    case 0:
      return RefillPermuted(tensor);
    case 1:
      return RefillFused(tensor);
    case 2:
      return RefillPart(tensor, 0, elements);
    case 3: {
      const int64_t middle = dice_.Between(1, elements - 1);
      return b_.Seq({RefillPart(tensor, 0, middle), RefillPart(tensor, middle, elements)});
    }
    case 4:
    case 5:
      return RefillSums(tensor);
    case 6: {
      const Expr* condition = Condition(tensor);
      const Stmt* yes = Refill(tensor);
      return b_.New<IfThenElse>({}, condition, yes, Refill(tensor));
    }
    default:
      return Fill(tensor);
  }
}

const Expr* Generator::Condition(const Tensor& tensor) {
  forbidden_.push_back(tensor.storage);
  const Expr* condition = Expression(DataType::Bool(), 2);
  forbidden_.pop_back();
  return condition;
}

/// Writes some elements of a tensor that is already written: not all, or possibly none.
const Stmt* Generator::RefillSome(const Tensor& tensor) {
  const int64_t elements = tensor.Elements();
  switch (elements < 2 ? 5 : dice_.Below(6)) {
    case 0:
      return RefillPart(tensor, 0, elements - 1);
    case 1:
      return RefillPart(tensor, 1, elements);
    case 2:
      return RefillPart(tensor, elements / 2, elements);
    case 3: {
      // Every second element, from about the first to the last.
      Tensor flat = NewTensor("e", tensor.buffer->dtype, {elements}, tensor.buffer->data);
      flat.storage = tensor.storage;
      const Var* var = b_.NewVar("s", DataType::Int(32));
      const Expr* index = b_.New<Mul>({}, var, Int(2));
      return LoopOf(var, (elements + 1) / 2, StoreTo(flat, {index}, ValueFor(tensor)), true);
    }
    case 4: {
      // Runs once, or not at all.
      const Expr* times = b_.New<Select>({}, Condition(tensor), Int(1), Int(0));
      const Var* var = b_.NewVar("z", DataType::Int(32));
      return b_.New<For>({}, var, Int(0), times, ForKind::kSerial, Refill(tensor));
    }
    default: {
      const Expr* condition = Condition(tensor);
      return b_.New<IfThenElse>({}, condition, Refill(tensor), nullptr);
    }
  }
}

/// Values of some elements decide what is written elsewhere.
const Stmt* Generator::UseOf(const Tensor& tensor) {
  const Tensor* found =
      FindTensor(true, [&](const Tensor& t) { return !t.storage.Meets(tensor.storage); });
  const auto element = [&] {
    std::vector<const Expr*> indices;
    for (const int64_t extent : tensor.shape) indices.push_back(Index(extent, 0));
    return b_.New<BufferLoad>({}, tensor.buffer->dtype, tensor.buffer, Copy(indices));
  };
  const Expr* one = element();
  const Expr* equal = b_.New<EQ>({}, one, element());
  if (found == nullptr) return b_.New<Evaluate>({}, equal);
  const Tensor to = *found;
  const DataType dtype = to.buffer->dtype;
  if (!dtype.is_scalar()) equal = b_.New<Broadcast>({}, equal, dtype.lanes());
  const Expr* yes = Expression(dtype, 1);
  const Expr* no = Expression(dtype, 1);
  const std::vector<const Expr*> indices = Indices(to, 1, 0, true);
  return StoreTo(to, indices, b_.New<Select>({}, equal, yes, no));
}

/// Statements that may use `tensor`, and certainly read it.
const Stmt* Generator::UsesOf(const Tensor& tensor, int budget) {
  const Scope scope(*this);
  tensors_.push_back(tensor);
  std::vector<const Stmt*> list;
  if (budget > 1) list.push_back(Sequence(budget / 2));
  if (dice_.Percent(40)) {
    list.push_back(RefillSome(tensor));
    list.push_back(UseOf(tensor));
  }
  list.push_back(UseOf(tensor));
  return b_.Seq(Span<const Stmt*>(list.data(), list.size()));
}

/// Tensors that stay live until the end, or not, around statements that reuse them.
const Stmt* Generator::ReuseBody(const std::vector<Tensor>& tensors, int budget) {
  std::vector<const Stmt*> list;
  for (const Tensor& tensor : tensors) {
    list.push_back(Refill(tensor));
    list.push_back(UsesOf(tensor, budget / 2));
  }
  if (dice_.Percent(30)) list.push_back(UsesOf(tensors.front(), 1));
  return b_.Seq(Span<const Stmt*>(list.data(), list.size()));
}

const Stmt* Generator::ReuseInBranch(const std::vector<Tensor>& tensors, int budget) {
  const Tensor& first = tensors.front();
  const Tensor& last = tensors.back();
  const Expr* condition = Condition(first);
  if (dice_.Percent(40)) {
    // Each tensor in its own arm.
    const Stmt* yes = b_.Seq({Refill(first), UsesOf(first, budget / 2)});
    const Stmt* no = b_.Seq({Refill(last), UsesOf(last, budget / 2)});
    return b_.New<IfThenElse>({}, condition, yes, no);
  }
  // Across arms: kept in one arm, overwritten or changed in the other.
  const Stmt* before = Refill(first);
  const Stmt* other = b_.Seq({Refill(last), UsesOf(last, budget / 2)});
  const Stmt* arm = dice_.Percent(50) ? Refill(first) : RefillSome(first);
  if (dice_.Percent(50)) arm = b_.Seq({UsesOf(first, 1), arm});
  const Stmt* yes = b_.Seq({other, arm});
  const Stmt* no = dice_.Percent(50) ? UsesOf(first, 1) : nullptr;
  const Stmt* branch = b_.New<IfThenElse>({}, condition, yes, no);
  return b_.Seq({before, branch, UsesOf(first, 1)});
}

const Stmt* Generator::ReuseInWhile(const std::vector<Tensor>& tensors, int budget) {
  std::vector<const Stmt*> list;
  const bool across = dice_.Percent(50);
  if (across) {
    // The body may run zero times, and may write a tensor that is read after the loop.
    list.push_back(Refill(tensors.front()));
    list.push_back(Refill(tensors.back()));
    list.push_back(UsesOf(tensors.back(), 1));
  }
  const Tensor counter = NewTensor("n", DataType::Int(32), {1});
  const auto* load =
      b_.New<BufferLoad>({}, DataType::Int(32), counter.buffer, b_.List<Expr>({Int(0)}));
  const Stmt* start = StoreTo(counter, {Int(0)}, Int(dice_.Between(0, 2)));
  const Stmt* inner = ReuseBody(tensors, budget);
  const Stmt* step = StoreTo(counter, {Int(0)}, b_.New<Add>({}, load, Int(1)));
  const Stmt* loop =
      b_.New<While>({}, b_.New<LT>({}, load, Int(dice_.Between(1, 4))), b_.Seq({inner, step}));
  list.push_back(start);
  list.push_back(loop);
  if (across) list.push_back(UsesOf(tensors.front(), 1));
  return b_.New<Allocate>({}, counter.buffer->data, DataType::Int(32), b_.List<Expr>({Int(1)}),
                          b_.Bool(true), nullptr,
                          b_.Seq(Span<const Stmt*>(list.data(), list.size())));
}

const Stmt* Generator::MakeReuse(int budget) {
  if (loops_ >= 2) return nullptr;
  const Scope scope(*this);
  std::vector<Tensor> made;
  for (int64_t count = dice_.Between(2, 3); count > 0; --count) {
    const DataType dtype = dice_.Pick(kDTypes);
    made.push_back(NewTensor("r", dtype, AnyShape(), Pointer("r", dtype)));
  }
  ++loops_;
  const Stmt* body = nullptr;
  const int64_t kind = dice_.Below(4);
  if (kind == 0) {
    body = ReuseInBranch(made, budget);
  } else if (kind == 1) {
    body = ReuseInWhile(made, budget);
  } else {
    body = ReuseBody(made, budget);
  }
  if (kind == 2 || dice_.Percent(50)) {
    const Var* var = b_.NewVar("i", DataType::Int(32));
    const Expr* extent = Int(dice_.Between(1, 3));
    if (dice_.Percent(20)) extent = Index(4, 1);
    body = b_.New<For>({}, var, Int(0), extent, ForKind::kSerial, body);
  } else if (dice_.Percent(30)) {
    body = b_.Seq({body, ReuseBody(made, 1)});
  }
  --loops_;
  for (const Tensor& tensor : made) {
    Span<const Expr*> extents = tensor.buffer->shape;
    if (tensor.shape.empty()) extents = b_.List<Expr>({Int(1)});
    body = b_.New<Allocate>({}, tensor.buffer->data, tensor.buffer->dtype, extents, b_.Bool(true),
                            nullptr, body);
  }
  return body;
}

/// A callee may overwrite an argument before it reads it, or return before that. Returns whether it
/// may return early.
bool Generator::RefillArguments(std::vector<const Stmt*>& body) {
  const std::vector<Tensor> arguments = tensors_;
  const bool leaves = dice_.Percent(40);
  if (leaves) {
    const Expr* condition = Expression(DataType::Bool(), 2);
    const Expr* value = Expression(DataType::Int(32), 1);
    const Expr* leave = b_.NewCall(DataType::Int(32), OpKind::kRet, {value});
    body.push_back(b_.New<IfThenElse>({}, condition, b_.New<Evaluate>({}, leave), nullptr));
  }
  for (const Tensor& tensor : arguments) {
    if (tensor.writable && dice_.Percent(50)) body.push_back(Refill(tensor));
  }
  return leaves;
}

}  // namespace tenon::random_ir
