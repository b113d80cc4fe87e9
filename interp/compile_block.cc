#include "interp/compiler.h"
#include "interp/kernels.h"

namespace tenon::interp {

void Compiler::BlockOf(const BlockRealize* stmt) {
  const Block* block = stmt->block;
  for (size_t i = 0; i < block->iter_vars.size() && i < stmt->iter_values.size(); ++i) {
    const int32_t reg = NewRegs(1);
    Expression(stmt->iter_values[i], reg);
    Define(block->iter_vars[i]->var, reg);
  }
  int64_t skip = -1;
  if (!IsConstInt(stmt->predicate, 1)) {
    const int32_t condition = Expression(stmt->predicate);
    skip = Here();
    Emit(Opcode::kJumpIfZero, 0, condition);
  }
  std::vector<int32_t> allocated;
  for (const Buffer* buffer : block->alloc_buffers) {
    const int32_t reg = AllocateBuffer(buffer);
    Define(buffer->data, reg);
    allocated.push_back(reg);
  }
  for (const MatchBufferRegion* match : block->match_buffers) MatchBuffer(match);
  if (block->init != nullptr) InitOf(block);
  Statement(block->body);
  for (size_t i = allocated.size(); i > 0; --i) Emit(Opcode::kFree, 0, allocated[i - 1]);
  if (skip >= 0) Patch(skip, Here());
  for (const MatchBufferRegion* match : block->match_buffers) views_.erase(match->buffer);
}

/// Allocates storage up to the last element that the buffer's indices reach.
int32_t Compiler::AllocateBuffer(const Buffer* buffer) {
  const std::string_view name = buffer->name.view();
  if (buffer->strides.empty() && IsConstInt(buffer->elem_offset, 0))
    return EmitAllocate(buffer->data, name, buffer->dtype, buffer->shape);
  return EmitAllocate(buffer->data, name, buffer->dtype, {ReachedElements(buffer)},
                      /*static_bytes=*/0);
}

int32_t Compiler::ReachedElements(const Buffer* buffer) {
  const DataType wide = DataType::Int(64);
  const auto number = [&](NodeKind kind, int32_t a, int32_t b) {
    const int32_t result = NewRegs(1);
    EmitKernel(BinaryKernel(kind, wide), wide, result, a, b);
    return result;
  };
  const int32_t one = Constant(1);
  int32_t last = Expression(buffer->elem_offset);
  int32_t any = one;  // 0 if an extent is 0
  int32_t compact = one;
  for (size_t i = buffer->shape.size(); i-- > 0;) {
    const int32_t extent = Expression(buffer->shape[i]);
    const int32_t stride = buffer->strides.empty() ? compact : Expression(buffer->strides[i]);
    const int32_t steps = number(NodeKind::kSub, extent, one);
    last = number(NodeKind::kAdd, last, number(NodeKind::kMul, steps, stride));
    any = number(NodeKind::kMin, any, extent);
    compact = number(NodeKind::kMul, compact, extent);
  }
  return number(NodeKind::kMul, number(NodeKind::kAdd, last, one), any);
}

// The init runs in the first iteration of all reductions together.
void Compiler::InitOf(const Block* block) {
  std::vector<int64_t> skips;
  for (const IterVar* iter : block->iter_vars) {
    if (iter->iter_kind != IterVarKind::kCommReduce) continue;
    const int32_t min = Expression(iter->dom->min);
    const int32_t first = NewRegs(1);
    EmitKernel(BinaryKernel(NodeKind::kEQ, DataType::Int(64)), DataType::Int(64), first,
               VarOf(iter->var), min);
    skips.push_back(Here());
    Emit(Opcode::kJumpIfZero, 0, first);
  }
  Statement(block->init);
  for (const int64_t skip : skips) Patch(skip, Here());
}

// The view shares the source's pointer; its element offset is that of the region's first element,
// and its strides are the source's.
void Compiler::MatchBuffer(const MatchBufferRegion* match) {
  const Buffer* source = match->source->buffer;
  const Buffer* target = match->buffer;
  std::vector<const Expr*> mins;
  for (const Range* range : match->source->region) mins.push_back(range->min);
  const auto found = views_.find(source);
  const View* source_view = found == views_.end() ? nullptr : &found->second;
  View view;
  // Row-major strides of the source, as registers.
  const DataType wide = DataType::Int(64);
  std::vector<int32_t> strides(source->shape.size());
  int32_t product = Constant(1);
  for (size_t i = source->shape.size(); i > 0; --i) {
    const size_t dim = i - 1;
    if (source_view != nullptr && !source_view->strides.empty()) {
      strides[dim] = source_view->strides[dim];
    } else if (!source->strides.empty()) {
      strides[dim] = Expression(source->strides[dim]);
    } else {
      strides[dim] = product;
      const int32_t next = NewRegs(1);
      EmitKernel(BinaryKernel(NodeKind::kMul, wide), wide, next, product,
                 Expression(source->shape[dim]));
      product = next;
    }
  }
  const Index first = LinearIndex(source, mins, source_view);
  // The pointer includes the offset here, so that the target's own offset is 0 relative to it.
  Access* access = NewAccess(source);
  const int32_t pointer = NewRegs(1);
  Emit(Opcode::kAddress, pointer, PointerOf(source), first.reg).access = access;
  const size_t rank = target->shape.size();
  for (size_t i = 0; i < rank; ++i) {
    const size_t dim = strides.size() - rank + i;
    view.strides.push_back(strides.size() >= rank ? strides[dim] : Constant(0));
    const auto bind = [&](const Expr* expr, int32_t reg) {
      const auto* var = dyn_cast_or_null<Var>(expr);
      if (var != nullptr && !vars_.contains(var)) Define(var, reg);
    };
    if (i < target->strides.size()) bind(target->strides[i], view.strides.back());
    if (strides.size() < rank) continue;
    if (const auto* var = dyn_cast<Var>(target->shape[i]); var != nullptr && !vars_.contains(var)) {
      Define(var, MoveInto(Expression(match->source->region[dim]->extent), NewRegs(1), 1));
    }
  }
  if (const auto* var = dyn_cast_or_null<Var>(target->elem_offset);
      var != nullptr && !vars_.contains(var)) {
    Define(var, Constant(0));
  }
  Define(target->data, pointer);
  views_[target] = view;
}

}  // namespace tenon::interp
