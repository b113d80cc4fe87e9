#include "random/generator.h"

namespace tenon::random_ir {

const BufferRegion* Generator::WholeRegion(const Tensor& tensor) {
  std::vector<const Range*> ranges;
  for (const int64_t extent : tensor.shape) {
    ranges.push_back(b_.New<Range>({}, Int(0), Int(extent)));
  }
  return b_.New<BufferRegion>({}, tensor.buffer, Copy(ranges));
}

const Block* Generator::NewBlock(std::string_view name, std::vector<const IterVar*> iters,
                                 std::vector<const Tensor*> writes, const Stmt* init,
                                 const Stmt* body) {
  has_blocks_ = true;
  Block block;
  block.iter_vars = Copy(iters);
  block.name_hint = name;
  std::vector<const BufferRegion*> regions;
  for (const Tensor* tensor : writes) regions.push_back(WholeRegion(*tensor));
  block.writes = Copy(regions);
  regions.clear();
  for (const Tensor& tensor : tensors_) {
    if (!Forbidden(tensor)) regions.push_back(WholeRegion(tensor));
  }
  block.reads = Copy(regions);
  if (dice_.Percent(20)) block.annotations = Annotations(1);
  block.init = init;
  block.body = body;
  return b_.New<Block>({}, block);
}

/// A block by itself is not a statement: it occurs in its BlockRealize.
const Stmt* Generator::MakeBlock(int) { return nullptr; }

const Stmt* Generator::MakeBlockRealize(int budget) {
  switch (dice_.Below(3)) {
    case 0:
      return ZeroIterBlock(budget);
    case 1:
      return MatchedBlock();
    default:
      return ComputeBlock();
  }
}

/// A block that only allocates buffers for its body.
const Stmt* Generator::ZeroIterBlock(int budget) {
  const Scope scope(*this);
  std::vector<const Buffer*> buffers;
  std::vector<const Stmt*> list;
  std::vector<Tensor> made;
  for (int64_t i = dice_.Between(1, 2); i > 0; --i) {
    made.push_back(NewTensor("s", AnyScalar(), AnyShape()));
    buffers.push_back(made.back().buffer);
    list.push_back(Fill(made.back()));
    tensors_.push_back(made.back());
  }
  list.push_back(Sequence(budget));
  Block block =
      *NewBlock("stage", {}, {}, nullptr, b_.Seq(Span<const Stmt*>(list.data(), list.size())));
  // Its own buffers are not visible outside.
  block.reads = {};
  block.alloc_buffers = Copy(buffers);
  return b_.New<BlockRealize>({}, Span<const Expr*>(), b_.Bool(true), b_.New<Block>({}, block));
}

/// Loops around a block with an axis for each dimension of its output, and possibly a reduction
/// axis.
const Stmt* Generator::ComputeBlock() {
  const Tensor* found = FindTensor(
      true, [](const Tensor& t) { return !t.shape.empty() && t.buffer->dtype.is_scalar(); });
  if (found == nullptr || loops_ > 1) return nullptr;
  const Scope scope(*this);
  const Tensor out = *found;
  const DataType dtype = out.buffer->dtype;
  const bool reduces = dice_.Percent(50);
  std::vector<int64_t> extents = out.shape;
  if (reduces) extents.push_back(dice_.Between(1, 4));
  std::vector<const Var*> loops;
  std::vector<const Expr*> values;
  std::vector<const IterVar*> iters;
  std::vector<const Expr*> indices;
  for (size_t i = 0; i < extents.size(); ++i) {
    const bool reduced = i == out.shape.size();
    const Var* loop = b_.NewVar("i", DataType::Int(32));
    const Var* axis = b_.NewVar(reduced ? "vk" : "vi", DataType::Int(32));
    // Axes need not begin at 0.
    const int64_t min = reduced ? dice_.Below(3) : 0;
    const auto* dom = b_.New<Range>({}, Int(min), Int(extents[i]));
    iters.push_back(
        b_.New<IterVar>({}, dom, axis, reduced ? IterVarKind::kCommReduce : IterVarKind::kDataPar));
    values.push_back(min == 0 ? static_cast<const Expr*>(loop) : b_.New<Add>({}, loop, Int(min)));
    loops.push_back(loop);
    vars_.push_back({axis, true, min, min + extents[i] - 1});
    if (!reduced) indices.push_back(axis);
  }
  forbidden_.push_back(out.storage);
  const Expr* value = Expression(dtype, options_.depth);
  const Stmt* init = nullptr;
  if (reduces) {
    if (dice_.Percent(70)) init = StoreTo(out, indices, Leaf(dtype));
    const auto* before = b_.New<BufferLoad>({}, dtype, out.buffer, Copy(indices));
    value = b_.New<Add>({}, before, value);
  }
  const Block* block = NewBlock("compute", iters, {&out}, init, StoreTo(out, indices, value));
  forbidden_.pop_back();
  const Expr* predicate = b_.Bool(true);
  if (dice_.Percent(30)) {
    const Expr* sum = loops[0];
    for (size_t i = 1; i < loops.size(); ++i) sum = b_.New<Add>({}, sum, loops[i]);
    predicate = b_.New<LT>({}, sum, Int(dice_.Between(1, 5)));
  }
  const Stmt* body = b_.New<BlockRealize>({}, Copy(values), predicate, block);
  for (size_t i = loops.size(); i-- > 0;) {
    body = b_.New<For>({}, loops[i], Int(0), Int(extents[i]), ForKind::kSerial, body);
  }
  return body;
}

/// A block that matches a part of a buffer as a new buffer.
const Stmt* Generator::MatchedBlock() {
  const Tensor* found = FindTensor(
      true, [](const Tensor& t) { return t.shape.size() >= 2 && t.buffer->dtype.is_scalar(); });
  if (found == nullptr) return nullptr;
  const Scope scope(*this);
  const Tensor whole = *found;
  const size_t rank = whole.shape.size();
  std::vector<const Range*> ranges;
  std::vector<int64_t> shape;
  std::vector<const Expr*> strides;
  for (size_t i = 0; i < rank; ++i) {
    const int64_t extent = dice_.Between(1, whole.shape[i]);
    ranges.push_back(b_.New<Range>({}, Index(whole.shape[i] - extent + 1, 1), Int(extent)));
    shape.push_back(extent);
    strides.push_back(b_.NewVar("s", DataType::Int(32)));
  }
  Tensor view = NewTensor("m", whole.buffer->dtype, shape);
  Buffer buffer = *view.buffer;
  buffer.strides = Copy(strides);
  buffer.elem_offset = b_.NewVar("m_elem_offset", DataType::Int(32));
  view.buffer = b_.New<Buffer>({}, buffer);
  view.storage = whole.storage;
  view.compact = false;
  const auto* match = b_.New<MatchBufferRegion>(
      {}, view.buffer, b_.New<BufferRegion>({}, whole.buffer, Copy(ranges)));
  Block block = *NewBlock("part", {}, {&whole}, nullptr, b_.NoOp());
  tensors_.push_back(view);
  block.match_buffers = b_.List<MatchBufferRegion>({match});
  block.body = dice_.Percent(50) ? Fill(view) : MakeBufferStore(0);
  return b_.New<BlockRealize>({}, Span<const Expr*>(), b_.Bool(true), b_.New<Block>({}, block));
}

/// A block that matches a row of `whole` as a buffer.
const Stmt* Generator::MatchedRow(const Tensor& whole, const Var* row) {
  const int64_t width = whole.shape[1];
  const std::vector<const Range*> ranges = {b_.New<Range>({}, row, Int(1)),
                                            b_.New<Range>({}, Int(0), Int(width))};
  Tensor view = NewTensor("m", whole.buffer->dtype, {width});
  Buffer buffer = *view.buffer;
  buffer.elem_offset = b_.NewVar("m_elem_offset", DataType::Int(32));
  if (dice_.Percent(50)) buffer.strides = b_.List<Expr>({b_.NewVar("s", DataType::Int(32))});
  if (width == 1 && dice_.Percent(50)) buffer.shape = buffer.strides = {};
  view.buffer = b_.New<Buffer>({}, buffer);
  const auto* match = b_.New<MatchBufferRegion>(
      {}, view.buffer, b_.New<BufferRegion>({}, whole.buffer, Copy(ranges)));
  std::vector<const Expr*> indices;
  if (!buffer.shape.empty()) indices.push_back(Int(dice_.Below(width)));
  Block block =
      *NewBlock("row", {}, {&whole}, nullptr, StoreTo(view, indices, Expression(buffer.dtype, 1)));
  block.match_buffers = b_.List<MatchBufferRegion>({match});
  return b_.New<BlockRealize>({}, Span<const Expr*>(), b_.Bool(true), b_.New<Block>({}, block));
}

}  // namespace tenon::random_ir
