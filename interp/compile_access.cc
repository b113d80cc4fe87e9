#include "interp/compiler.h"
#include "interp/kernels.h"

namespace tenon::interp {
namespace {

Element ElementOf(DataType dtype) {
  if (dtype.is_bool()) return Element::kBool;
  const bool whole = dtype.bits() % 8 == 0 && dtype.bits() != 24;
  if (!whole) return Element::kOdd;
  if (dtype.is_int()) {
    switch (dtype.bits()) {
      case 8:
        return Element::kI8;
      case 16:
        return Element::kI16;
      case 32:
        return Element::kI32;
      case 64:
        return Element::kI64;
      default:
        return Element::kOdd;
    }
  }
  switch (dtype.bits()) {
    case 8:
      return Element::kU8;
    case 16:
      return Element::kU16;
    case 32:
      return Element::kU32;
    case 64:
      return Element::kI64;
    default:
      return Element::kOdd;
  }
}

const Ramp* UnitRamp(const Expr* index) {
  const auto* ramp = dyn_cast<Ramp>(index);
  return ramp != nullptr && IsConstInt(ramp->stride, 1) && !ramp->dtype.is_scalable() ? ramp
                                                                                      : nullptr;
}

bool IsZero(const Expr* expr) { return expr == nullptr || IsConstInt(expr, 0); }

}  // namespace

Access* Compiler::NewAccess(const Buffer* buffer) {
  auto access = std::make_unique<Access>();
  access->buffer = buffer->name.view();
  access->data = buffer->data;
  access->element = ElementOf(buffer->dtype);
  access->element_bytes = static_cast<uint8_t>(buffer->dtype.element_bytes());
  access->buffer_lanes = buffer->dtype.lanes() > 0 ? buffer->dtype.lanes() : 1;
  access->shift = static_cast<uint8_t>(64 - buffer->dtype.bits());
  access->is_signed = buffer->dtype.is_int();
  code_->accesses.push_back(std::move(access));
  return code_->accesses.back().get();
}

int32_t Compiler::PointerOf(const Buffer* buffer) { return VarOf(buffer->data); }

Compiler::Index Compiler::IndexOf(const Buffer* buffer, Span<const Expr*> indices) {
  const auto view = views_.find(buffer);
  const bool plain = view == views_.end() && IsZero(buffer->elem_offset) &&
                     buffer->buffer_kind == BufferKind::kDefault && buffer->shape.size() == 1 &&
                     indices.size() == 1 &&
                     (buffer->strides.empty() || IsConstInt(buffer->strides[0], 1));
  if (!plain) return LinearIndex(buffer, indices, view == views_.end() ? nullptr : &view->second);
  Index index;
  if (const Ramp* ramp = UnitRamp(indices[0])) {
    index.reg = Expression(ramp->base);
    index.span = ramp->dtype.lanes();
  } else {
    index.reg = Expression(indices[0]);
    index.lanes = indices[0]->dtype.lanes();
  }
  index.extent = Expression(buffer->shape[0]);
  return index;
}

Compiler::Index Compiler::LinearIndex(const Buffer* buffer, Span<const Expr*> indices,
                                      const View* found) {
  // Compiling expressions may invalidate `found`.
  const View view = found == nullptr ? View{} : *found;
  Index index;
  Access* access = NewAccess(buffer);
  std::vector<Access::Dim> dims;
  for (size_t i = 0; i < indices.size() && i < buffer->shape.size(); ++i) {
    Access::Dim dim{0, indices[i]->dtype.lanes(), 0, -1};
    const Ramp* ramp = i + 1 == indices.size() ? UnitRamp(indices[i]) : nullptr;
    const bool row_major = buffer->strides.empty() && view.strides.empty();
    if (ramp != nullptr &&
        (row_major || (view.strides.empty() && IsConstInt(buffer->strides[i], 1)))) {
      dim.index = Expression(ramp->base);
      dim.index_lanes = 1;
      index.span = ramp->dtype.lanes();
    } else {
      dim.index = Expression(indices[i]);
    }
    if (buffer->buffer_kind == BufferKind::kAutoBroadcast && IsConstInt(buffer->shape[i], 1) &&
        dim.index_lanes == 1) {
      dim.index = Constant(0);
    }
    if (i < view.mins.size()) {
      const int32_t shifted = NewRegs(dim.index_lanes);
      int32_t min = view.mins[i];
      if (dim.index_lanes > 1) {
        const int32_t splat = NewRegs(dim.index_lanes);
        Emit(Opcode::kSplat, splat, min).lanes = dim.index_lanes;
        min = splat;
      }
      const DataType wide = DataType::Int(64, dim.index_lanes);
      EmitKernel(BinaryKernel(NodeKind::kSub, wide), wide, shifted, dim.index, min);
      dim.index = shifted;
    }
    dim.extent = Expression(buffer->shape[i]);
    if (!view.strides.empty()) {
      dim.stride = view.strides[i];
    } else if (!buffer->strides.empty()) {
      dim.stride = Expression(buffer->strides[i]);
    }
    if (dim.index_lanes > index.lanes) index.lanes = dim.index_lanes;
    dims.push_back(dim);
  }
  access->dims = std::move(dims);
  access->index_lanes = index.span;
  if (!IsZero(buffer->elem_offset)) access->offset = Expression(buffer->elem_offset);
  index.reg = NewRegs(index.lanes);
  Instr& instr = Emit(Opcode::kLinear, index.reg);
  instr.lanes = index.lanes;
  instr.access = access;
  return index;
}

int32_t Compiler::LoadOf(const BufferLoad* load, int32_t into) {
  const SourceRange outer = range_;
  if (load->range.valid()) range_ = load->range;
  const Index index = IndexOf(load->buffer, load->indices);
  const int32_t mask = load->predicate == nullptr ? -1 : Expression(load->predicate);
  const int32_t pointer = PointerOf(load->buffer);
  Access* access = NewAccess(load->buffer);
  access->index_lanes = index.span;
  access->index_vector = index.lanes > 1;
  const int32_t d = Target(into, load->dtype);
  const bool gather = index.lanes > 1 || mask >= 0;
  Instr& instr =
      Emit(gather ? Opcode::kLoadGather : Opcode::kLoad, d, pointer, index.reg, index.extent);
  instr.lanes = access->buffer_lanes * (index.lanes > 1 ? index.lanes : index.span);
  instr.e = mask;
  instr.access = access;
  range_ = outer;
  return d;
}

void Compiler::StoreOf(const BufferStore* store) {
  const int32_t value = Expression(store->value);
  const Index index = IndexOf(store->buffer, store->indices);
  const int32_t mask = store->predicate == nullptr ? -1 : Expression(store->predicate);
  const int32_t pointer = PointerOf(store->buffer);
  Access* access = NewAccess(store->buffer);
  access->index_lanes = index.span;
  access->index_vector = index.lanes > 1;
  const bool gather = index.lanes > 1 || mask >= 0;
  Instr& instr =
      Emit(gather ? Opcode::kStoreGather : Opcode::kStore, 0, pointer, index.reg, index.extent);
  instr.f = value;
  instr.lanes = access->buffer_lanes * (index.lanes > 1 ? index.lanes : index.span);
  instr.e = mask;
  instr.access = access;
}

int32_t Compiler::AddressOf(const Call* call, int32_t into) {
  const auto* load = call->args.empty() ? nullptr : dyn_cast<BufferLoad>(call->args[0]);
  if (load == nullptr) {
    return Error(DiagnosticKind::kArguments, "address_of takes an element of a buffer");
  }
  // For a vector, the address of its first element.
  Index index = IndexOf(load->buffer, load->indices);
  Access* access = NewAccess(load->buffer);
  const int32_t pointer = PointerOf(load->buffer);
  const int32_t d = Target(into, call->dtype);
  Emit(Opcode::kAddress, d, pointer, index.reg, index.extent).access = access;
  return d;
}

}  // namespace tenon::interp
