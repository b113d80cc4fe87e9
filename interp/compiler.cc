#include "interp/compiler.h"

#include "fmt/format.h"
#include "ir/linked_params.h"
#include "support/check.h"

namespace tenon::interp {

int32_t Compiler::NewRegs(int32_t lanes) {
  const int64_t reg = top_;
  top_ += lanes > 0 ? lanes : 1;
  if (top_ > most_) most_ = top_;
  if (top_ > kMostRegisters) {
    Error(DiagnosticKind::kLimit, "too many values at once for the interpreter");
    top_ = 1;
    return 0;
  }
  return static_cast<int32_t>(reg);
}

int32_t Compiler::Constant(Slot bits, int32_t lanes) {
  const auto [it, is_new] = constants_.try_emplace(
      {bits, lanes}, kConstantBase + static_cast<int32_t>(code_->constants.size()));
  if (!is_new) return it->second;
  if (static_cast<int64_t>(code_->constants.size()) + lanes > kMostRegisters) {
    return Error(DiagnosticKind::kLimit, "too many constants for the interpreter");
  }
  code_->constants.insert(code_->constants.end(), static_cast<size_t>(lanes), bits);
  return it->second;
}

int32_t Compiler::DatumOf(const tenon::Constant* constant) {
  const auto [it, is_new] =
      module_.constant_index.try_emplace(constant, static_cast<int32_t>(module_.data.size()));
  TENON_CHECK(constant != nullptr);
  if (is_new) module_.data.push_back({constant, {}});
  return it->second;
}

int32_t Compiler::StringPointer(std::string_view text) {
  const int32_t reg = NewRegs(1);
  Emit(Opcode::kConstant, reg).imm = static_cast<int64_t>(module_.data.size());
  module_.data.push_back({nullptr, std::string(text)});
  return reg;
}

Instr& Compiler::Emit(Opcode op, int32_t d, int32_t a, int32_t b, int32_t c) {
  Instr instr;
  instr.op = op;
  instr.d = d;
  instr.a = a;
  instr.b = b;
  instr.c = c;
  code_->code.push_back(instr);
  code_->ranges.push_back(range_);
  return code_->code.back();
}

Instr& Compiler::EmitKernel(Kernel kernel, DataType dtype, int32_t d, int32_t a, int32_t b,
                            int32_t c) {
  Instr& instr = Emit(Opcode::kKernel, d, a, b, c);
  TENON_CHECK(kernel != nullptr);
  instr.lanes = dtype.lanes();
  instr.shift = static_cast<uint8_t>(64 - dtype.bits());
  instr.is_signed = dtype.is_int();
  instr.kernel = kernel;
  return instr;
}

int32_t Compiler::Error(DiagnosticKind kind, std::string message) {
  diagnostics_.Error(kind, range_, std::move(message));
  ok_ = false;
  return 0;
}

void Compiler::Fail(DiagnosticKind kind, std::string message) {
  code_->messages.push_back(
      std::make_unique<Message>(Message{static_cast<uint8_t>(kind), std::move(message)}));
  Emit(Opcode::kFail).message = code_->messages.back().get();
}

void Compiler::BindShape(size_t param, const Buffer* buffer) {
  const auto bind = [&](const Expr* expr, ShapeBinding::What what, size_t dim) {
    const auto* var = dyn_cast_or_null<Var>(expr);
    if (var == nullptr || vars_.contains(var)) return;
    const int32_t reg = NewRegs(1);
    Define(var, reg);
    code_->bindings.push_back({what, static_cast<int32_t>(param), static_cast<int32_t>(dim), reg});
  };
  for (size_t i = 0; i < buffer->shape.size(); ++i) {
    bind(buffer->shape[i], ShapeBinding::What::kExtent, i);
  }
  for (size_t i = 0; i < buffer->strides.size(); ++i) {
    bind(buffer->strides[i], ShapeBinding::What::kStride, i);
  }
  bind(buffer->elem_offset, ShapeBinding::What::kOffset, 0);
}

void Compiler::Signature() {
  const PrimFunc* func = function_.func;
  for (const Var* param : func->params) {
    const int32_t reg = NewRegs(param->dtype.lanes());
    Define(param, reg);
    code_->params.push_back(reg);
    code_->linked.push_back(-1);
  }
  for (size_t i = 0; i < func->params.size(); ++i) {
    const Buffer* buffer = i < func->buffers.size() ? func->buffers[i] : nullptr;
    if (buffer == nullptr) {
      code_->data.push_back(-1);
      continue;
    }
    // The function receives the data pointer as its handle: the caller unpacks tensors in records.
    int32_t reg = code_->params[i];
    if (!vars_.contains(buffer->data)) {
      reg = NewRegs(1);
      Define(buffer->data, reg);
    } else {
      reg = vars_[buffer->data];
    }
    code_->data.push_back(reg);
    BindShape(i, buffer);
  }
}

void Compiler::BindLinkedParams() {
  const std::vector<const tenon::Constant*> linked = LinkedParams(*function_.func);
  for (size_t i = 0; i < linked.size(); ++i) {
    if (linked[i] != nullptr) code_->linked[i] = DatumOf(linked[i]);
  }
}

void Compiler::Finish() {
  TENON_CHECK(code_->code.size() == code_->ranges.size());
  code_->first_constant = static_cast<int32_t>(most_);
  code_->frame_size = most_ + static_cast<int64_t>(code_->constants.size());
  const int32_t move = code_->first_constant - kConstantBase;
  const auto fix = [move](int32_t& reg) {
    if (reg >= kConstantBase) reg += move;
  };
  for (Instr& instr : code_->code) {
    fix(instr.a);
    fix(instr.b);
    fix(instr.c);
    fix(instr.e);
    fix(instr.f);
  }
  for (auto& access : code_->accesses) {
    for (Access::Dim& dim : access->dims) {
      fix(dim.index);
      fix(dim.extent);
      fix(dim.stride);
    }
    fix(access->offset);
  }
  for (auto& site : code_->allocations) {
    for (int32_t& reg : site->extents) fix(reg);
  }
  for (auto& call : code_->calls) {
    for (int32_t& reg : call->args) fix(reg);
  }
}

bool Compiler::Run(FunctionCode* code) {
  TENON_CHECK(code != nullptr && function_.func != nullptr);
  code_ = code;
  code_->function = &function_;
  code_->name = function_.name.view();
  range_ = function_.func->range;
  Signature();
  BindLinkedParams();
  Statement(function_.func->body);
  Emit(Opcode::kReturn, 0, Constant(0));
  Finish();
  return ok_;
}

}  // namespace tenon::interp
