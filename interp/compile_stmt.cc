#include <limits>

#include "fmt/format.h"
#include "interp/compiler.h"
#include "interp/kernels.h"
#include "ir/const_fold.h"
#include "ir/extents.h"
#include "ir/thread_binding.h"
#include "support/stack.h"

namespace tenon::interp {

void Compiler::Statement(const Stmt* stmt) {
  WithStack([&] {
    const SourceRange outer = range_;
    const int64_t top = top_;
    if (stmt->range.valid()) range_ = stmt->range;
    StatementNoStack(stmt);
    range_ = outer;
    top_ = top;
  });
}

void Compiler::StatementNoStack(const Stmt* stmt) {
  switch (stmt->kind) {
    case NodeKind::kSeqStmt:
      for (const Stmt* item : cast<SeqStmt>(stmt)->seq) Statement(item);
      return;
    case NodeKind::kEvaluate:
      Expression(cast<Evaluate>(stmt)->value);
      return;
    case NodeKind::kBufferStore:
      return StoreOf(cast<BufferStore>(stmt));
    case NodeKind::kLetStmt:
      return LetOf(cast<LetStmt>(stmt));
    case NodeKind::kAttrStmt:
      return AttrOf(cast<AttrStmt>(stmt));
    case NodeKind::kAssertStmt:
      return AssertOf(cast<AssertStmt>(stmt));
    case NodeKind::kIfThenElse:
      return IfOf(cast<IfThenElse>(stmt));
    case NodeKind::kFor:
      return ForOf(cast<For>(stmt));
    case NodeKind::kWhile:
      return WhileOf(cast<While>(stmt));
    case NodeKind::kAllocate:
      return AllocateOf(cast<Allocate>(stmt));
    case NodeKind::kAllocateConst:
      return AllocateConstOf(cast<AllocateConst>(stmt));
    case NodeKind::kDeclBuffer:
      return DeclBufferOf(cast<DeclBuffer>(stmt));
    case NodeKind::kBufferRealize:
      return RealizeOf(cast<BufferRealize>(stmt));
    case NodeKind::kBlockRealize:
      return BlockOf(cast<BlockRealize>(stmt));
    case NodeKind::kPrefetch:
      return;
    default:
      Error(DiagnosticKind::kUnsupported,
            fmt::format("{} cannot be interpreted", NodeKindName(stmt->kind)));
  }
}

void Compiler::LetOf(const LetStmt* stmt) {
  const int32_t reg = NewRegs(stmt->var->dtype.lanes());
  Expression(stmt->value, reg);
  Define(stmt->var, reg);
  Statement(stmt->body);
  vars_.erase(stmt->var);
}

void Compiler::AttrOf(const AttrStmt* stmt) {
  const Var* thread = ThreadVar(stmt);
  if (thread == nullptr || vars_.contains(thread)) return Statement(stmt->body);
  // A thread is a loop, provided that threads do not wait for each other.
  const int32_t extent = Expression(stmt->value);
  Loop(thread, Constant(0), extent, [&] { Statement(stmt->body); });
}

void Compiler::AssertOf(const AssertStmt* stmt) {
  const auto* text = dyn_cast_or_null<StringImm>(stmt->message);
  code_->messages.push_back(std::make_unique<Message>(
      Message{static_cast<uint8_t>(DiagnosticKind::kAssertion),
              fmt::format("assertion failed: {}", text == nullptr ? "" : text->value)}));
  const Message* message = code_->messages.back().get();
  const int32_t condition = Expression(stmt->condition);
  Emit(Opcode::kAssert, 0, condition).message = message;
  Statement(stmt->body);
}

void Compiler::IfOf(const IfThenElse* stmt) {
  const int32_t condition = Expression(stmt->condition);
  const int64_t skip = Here();
  Emit(Opcode::kJumpIfZero, 0, condition);
  Statement(stmt->then_case);
  if (stmt->else_case == nullptr) return Patch(skip, Here());
  const int64_t end = Here();
  Emit(Opcode::kJump);
  Patch(skip, Here());
  Statement(stmt->else_case);
  Patch(end, Here());
}

namespace {

/// True if all numbers from `min` to the loop's end, `min + extent`, are values of the loop's dtype
/// and fit into int64.
bool EndFits(const For* loop) {
  const DataType dtype = loop->loop_var->dtype;
  const int64_t* min = AsIntImm(loop->min);
  const int64_t* extent = AsIntImm(loop->extent);
  const bool is_wide = dtype.is_uint() && dtype.bits() == 64;
  if (min == nullptr) return false;
  if (extent == nullptr) return *min == 0 && !is_wide;
  int64_t end = 0;
  if (*min < 0 && is_wide) return false;
  return *extent >= 0 && !__builtin_add_overflow(*min, *extent, &end) &&
         WrapToDType(end, dtype) == end;
}

}  // namespace

template <class Body>
void Compiler::Loop(const Var* var, int32_t min, int32_t extent, Body body) {
  const int32_t reg = NewRegs(1);
  const int32_t end = NewRegs(1);
  const DataType wide = DataType::Int(64);
  Emit(Opcode::kMove, reg, min);
  EmitKernel(BinaryKernel(NodeKind::kAdd, wide), wide, end, min, extent);
  const int64_t test = Here();
  Emit(Opcode::kLoopTest, 0, reg, end);
  const int64_t start = Here();
  Define(var, reg);
  body();
  vars_.erase(var);
  Emit(Opcode::kLoopNext, reg, 0, end).target = start;
  Patch(test, Here());
}

/// Counts from 0; the variable is `min` plus the count, wrapped at its dtype. An unsigned count
/// begins at the least int64 instead, since registers are compared as signed.
void Compiler::CountedLoop(const For* stmt, int32_t min, int32_t extent) {
  const DataType dtype = stmt->loop_var->dtype;
  const DataType wide = DataType::Int(64);
  const Kernel add = BinaryKernel(NodeKind::kAdd, wide);
  const bool is_wide = dtype.is_uint() && dtype.bits() == 64;
  const int32_t start = Constant(is_wide ? std::numeric_limits<int64_t>::min() : 0);
  const int32_t first = NewRegs(1);
  const int32_t count = NewRegs(1);
  const int32_t end = NewRegs(1);
  const int32_t reg = NewRegs(1);
  EmitKernel(add, wide, first, min, start);
  Emit(Opcode::kMove, count, start);
  EmitKernel(add, wide, end, extent, start);
  const int64_t test = Here();
  Emit(Opcode::kLoopTest, 0, count, end);
  const int64_t begin = Here();
  EmitKernel(BinaryKernel(NodeKind::kAdd, dtype), dtype, reg, first, count);
  Define(stmt->loop_var, reg);
  Statement(stmt->body);
  vars_.erase(stmt->loop_var);
  Emit(Opcode::kLoopNext, count, 0, end).target = begin;
  Patch(test, Here());
}

void Compiler::ForOf(const For* stmt) {
  const int32_t min = Expression(stmt->min);
  const int32_t extent = Expression(stmt->extent);
  if (!EndFits(stmt)) return CountedLoop(stmt, min, extent);
  Loop(stmt->loop_var, min, extent, [&] { Statement(stmt->body); });
}

void Compiler::WhileOf(const While* stmt) {
  const int64_t start = Here();
  Emit(Opcode::kStep);
  const int32_t condition = Expression(stmt->condition);
  const int64_t exit = Here();
  Emit(Opcode::kJumpIfZero, 0, condition);
  Statement(stmt->body);
  Emit(Opcode::kJump).target = start;
  Patch(exit, Here());
}

int32_t Compiler::EmitAllocate(const Var* var, std::string_view name, DataType dtype,
                               Span<const Expr*> extents) {
  std::vector<int32_t> regs;
  for (const Expr* extent : extents) regs.push_back(Expression(extent));
  return EmitAllocate(var, name, dtype, std::move(regs), StaticBytes(dtype, extents).value_or(0));
}

int32_t Compiler::EmitAllocate(const Var* var, std::string_view name, DataType dtype,
                               std::vector<int32_t> extents, int64_t static_bytes) {
  auto site = std::make_unique<AllocationSite>();
  site->name = name;
  site->var = var;
  site->element_bytes = dtype.bytes() > 0 ? dtype.bytes() : 1;
  site->extents = std::move(extents);
  site->static_bytes = static_bytes;
  const int32_t reg = NewRegs(1);
  Emit(Opcode::kAllocate, reg).allocation = site.get();
  code_->allocations.push_back(std::move(site));
  return reg;
}

void Compiler::AllocateOf(const Allocate* stmt) {
  int32_t reg = NewRegs(1);
  if (!IsConstInt(stmt->condition, 1)) {
    // If the condition is false, nothing is allocated and the pointer is null.
    Emit(Opcode::kMove, reg, Constant(0));
    const int32_t condition = Expression(stmt->condition);
    const int64_t skip = Here();
    Emit(Opcode::kJumpIfZero, 0, condition);
    MoveInto(
        EmitAllocate(stmt->buffer_var, stmt->buffer_var->name.view(), stmt->dtype, stmt->extents),
        reg, 1);
    Patch(skip, Here());
  } else {
    reg = EmitAllocate(stmt->buffer_var, stmt->buffer_var->name.view(), stmt->dtype, stmt->extents);
  }
  Define(stmt->buffer_var, reg);
  Statement(stmt->body);
  vars_.erase(stmt->buffer_var);
  Emit(Opcode::kFree, 0, reg);
}

void Compiler::AllocateConstOf(const AllocateConst* stmt) {
  const int32_t reg = NewRegs(1);
  Emit(Opcode::kConstant, reg).imm = DatumOf(stmt->data);
  Define(stmt->buffer_var, reg);
  Statement(stmt->body);
  vars_.erase(stmt->buffer_var);
}

void Compiler::DeclBufferOf(const DeclBuffer* stmt) { Statement(stmt->body); }

void Compiler::RealizeOf(const BufferRealize* stmt) {
  std::vector<const Expr*> extents;
  View view;
  bool zero = true;
  for (const Range* range : stmt->bounds) {
    extents.push_back(range->extent);
    zero = zero && IsConstInt(range->min, 0);
  }
  if (!zero) {
    for (const Range* range : stmt->bounds) {
      const int32_t min = NewRegs(1);
      view.mins.push_back(Expression(range->min, min));
    }
  }
  const int32_t reg =
      EmitAllocate(stmt->buffer->data, stmt->buffer->name.view(), stmt->buffer->dtype, extents);
  Define(stmt->buffer->data, reg);
  if (!zero) views_[stmt->buffer] = view;
  Statement(stmt->body);
  views_.erase(stmt->buffer);
  vars_.erase(stmt->buffer->data);
  Emit(Opcode::kFree, 0, reg);
}

}  // namespace tenon::interp
