// The expressions of FunctionReader, lane by lane. A lane is a number, or a digit; with a digit,
// one term represents all lanes.

#include <algorithm>

#include "fmt/format.h"
#include "ir/builtins.h"
#include "ir/visitor.h"
#include "schedule/check/reader.h"

namespace tenon::check {

TermId FunctionReader::Evaluate(const Expr* expr, FormId lane) {
  if (!Step()) return -1;
  const DataType dtype = expr->dtype.element();
  const auto arg = [&](const Expr* of) { return Evaluate(of, of->dtype.is_scalar() ? -1 : lane); };
  if (BinaryExpr::ClassOf(expr)) return EvaluateBinary(static_cast<const BinaryExpr*>(expr), lane);
  switch (expr->kind) {
    case NodeKind::kIntImm:
      return terms_.Number(dtype, static_cast<const IntImm*>(expr)->value);
    case NodeKind::kFloatImm:
      return terms_.Real(dtype, static_cast<const FloatImm*>(expr)->value);
    case NodeKind::kVar: {
      const auto found = vars_.find(static_cast<const Var*>(expr));
      if (found != vars_.end()) return found->second;
      return FailedTerm("it uses a variable that no loop counts");
    }
    case NodeKind::kCast: {
      const TermId value = arg(static_cast<const Cast*>(expr)->value);
      return value < 0 ? -1 : terms_.Cast(dtype, value);
    }
    case NodeKind::kNot: {
      const TermId value = arg(static_cast<const tenon::Not*>(expr)->a);
      return value < 0 ? -1 : terms_.Not(value);
    }
    case NodeKind::kSelect: {
      const auto* select = static_cast<const Select*>(expr);
      const TermId condition = arg(select->condition);
      const TermId yes = condition < 0 ? -1 : arg(select->true_value);
      const TermId no = yes < 0 ? -1 : arg(select->false_value);
      return no < 0 ? -1 : terms_.Choice(condition, yes, no);
    }
    case NodeKind::kBufferLoad:
      return EvaluateLoad(static_cast<const BufferLoad*>(expr), lane);
    case NodeKind::kBroadcast:
      return Evaluate(static_cast<const Broadcast*>(expr)->value, -1);
    case NodeKind::kRamp: {
      const auto* ramp = static_cast<const Ramp*>(expr);
      const TermId base = Evaluate(ramp->base, -1);
      const int64_t* stride = AsIntImm(ramp->stride);
      if (base < 0 || stride == nullptr) return FailedTerm("it has lanes of unknown distance");
      const TermId offset = terms_.Index(dtype, forms_.Scale(lane, *stride));
      return offset < 0 ? FailedTerm("an index is too large for its type")
                        : terms_.Node(NodeKind::kAdd, dtype, base, offset);
    }
    case NodeKind::kShuffle:
      return EvaluateShuffle(static_cast<const Shuffle*>(expr), lane);
    case NodeKind::kCall:
      return EvaluateCall(static_cast<const Call*>(expr), lane);
    default:
      return FailedTerm(
          fmt::format("it has an expression of the kind {}", NodeKindName(expr->kind)));
  }
}

TermId FunctionReader::EvaluateBinary(const BinaryExpr* expr, FormId lane) {
  const TermId a = Evaluate(expr->a, lane);
  const TermId b = a < 0 ? -1 : Evaluate(expr->b, lane);
  return b < 0 ? -1 : terms_.Node(expr->kind, expr->dtype.element(), a, b);
}

TermId FunctionReader::EvaluateLoad(const BufferLoad* load, FormId lane) {
  const int memory = MemoryOf(load->buffer->data);
  if (memory < 0) return FailedTerm(fmt::format("it reads `{}`", load->buffer->name.view()));
  const Memory& from = reading_.memories[static_cast<size_t>(memory)];
  if (load->predicate != nullptr || load->indices.size() != 1 ||
      load->buffer->dtype != from.dtype || !IsConstInt(load->buffer->elem_offset, 0) ||
      load->indices[0]->dtype.lanes() != load->dtype.lanes())
    return FailedTerm(fmt::format("it reads `{}`, which is not flat", from.name));
  const TermId index = Evaluate(load->indices[0], lane);
  if (index < 0) return -1;
  if (from.kind == Memory::Kind::kCells) return LoadCell(memory, index);
  if (const FormId form = terms_.FormOf(index); form >= 0 && lazy_ == 0) {
    const auto [low, high] = forms_.BoundsOf(form);
    if (low < 0 || high >= from.elements)
      return FailedTerm(fmt::format("it reads element {} of `{}`, which has {}",
                                    low < 0 ? low : high, from.name, from.elements));
  }
  NoteAccess(memory);
  const bool is_parts = from.kind == Memory::Kind::kParts;
  const auto parts = static_cast<int64_t>(reading_.pieces[static_cast<size_t>(memory)].size());
  const TermId value = terms_.ReadAt(memory, from.dtype, index, is_parts ? parts : 0);
  return value >= 0 ? value
                    : FailedTerm(fmt::format("it reads an unknown element of `{}`", from.name));
}

TermId FunctionReader::LoadCell(int memory, TermId index) {
  const std::vector<TermId>& cells = cells_[static_cast<size_t>(memory)];
  const std::string& name = reading_.memories[static_cast<size_t>(memory)].name;
  const FormId form = terms_.FormOf(index);
  if (form < 0 || !forms_.IsConstant(form))
    return FailedTerm(fmt::format("it reads an unknown element of `{}`", name));
  const int64_t cell = forms_.At(form).constant;
  if (cell < 0 || cell >= static_cast<int64_t>(cells.size()))
    return FailedTerm(
        fmt::format("it reads element {} of `{}`, which has {}", cell, name, cells.size()));
  const TermId value = cells[static_cast<size_t>(cell)];
  return value >= 0 ? value
                    : FailedTerm(fmt::format("it reads element {} of `{}` before it is stored",
                                             cell, name));
}

TermId FunctionReader::EvaluateShuffle(const Shuffle* shuffle, FormId lane) {
  if (lane < 0 || !forms_.IsConstant(lane)) return FailedTerm("it shuffles unknown lanes");
  const auto at = static_cast<size_t>(forms_.At(lane).constant);
  const int64_t* from = at < shuffle->indices.size() ? AsIntImm(shuffle->indices[at]) : nullptr;
  if (from == nullptr) return FailedTerm("it shuffles unknown lanes");
  int64_t first = 0;
  for (const Expr* vector : shuffle->vectors) {
    const int lanes = vector->dtype.lanes();
    if (*from < first + lanes)
      return Evaluate(vector, lanes == 1 ? -1 : forms_.Constant(*from - first));
    first += lanes;
  }
  return FailedTerm("it shuffles unknown lanes");
}

/// The value of a select that evaluates only one arm.
TermId FunctionReader::EvaluateChoice(const Call* call, FormId lane) {
  const auto arg = [&](size_t i) {
    return Evaluate(call->args[i], call->args[i]->dtype.is_scalar() ? -1 : lane);
  };
  const TermId condition = arg(0);
  if (condition < 0) return -1;
  if (terms_.IsNumber(condition, 1)) return arg(1);
  if (terms_.IsNumber(condition, 0)) return arg(2);
  ++lazy_;
  const TermId yes = arg(1);
  const TermId no = yes < 0 ? -1 : arg(2);
  --lazy_;
  return no < 0 ? -1 : terms_.Choice(condition, yes, no);
}

TermId FunctionReader::EvaluateCall(const Call* call, FormId lane) {
  const OpKind op = call->op->kind;
  if (op == OpKind::kIfThenElse) return EvaluateChoice(call, lane);
  if (op == OpKind::kDp4a) return EvaluateDot(call);
  // Bits in other lanes would be other elements.
  const bool is_other_type = op == OpKind::kReinterpret &&
                             call->dtype.bits() == call->args[0]->dtype.bits() &&
                             call->dtype.lanes() == call->args[0]->dtype.lanes();
  const bool is_known =
      call->op->effect == OpEffect::kPure &&
      (is_other_type || IsMathematics(op) || IsBitOperation(op) || op == OpKind::kQMultiplyShift ||
       op == OpKind::kQMultiplyShiftPerAxis || op == OpKind::kLikely);
  if (!is_known) return FailedTerm(fmt::format("it calls `T.{}`", call->op->text));
  std::vector<TermId> args;
  for (const Expr* of : call->args) {
    args.push_back(Evaluate(of, of->dtype.is_scalar() ? -1 : lane));
    if (args.back() < 0) return -1;
  }
  return terms_.Call(op, call->dtype.element(), args);
}

/// A number plus the products of all lanes.
TermId FunctionReader::EvaluateDot(const Call* call) {
  const DataType dtype = call->dtype;
  TermId sum = Evaluate(call->args[2], -1);
  for (int lane = 0; lane < call->args[0]->dtype.lanes(); ++lane) {
    const TermId a = sum < 0 ? -1 : Evaluate(call->args[0], forms_.Constant(lane));
    const TermId b = a < 0 ? -1 : Evaluate(call->args[1], forms_.Constant(lane));
    if (b < 0) return -1;
    const TermId product =
        terms_.Node(NodeKind::kMul, dtype, terms_.Cast(dtype, a), terms_.Cast(dtype, b));
    sum = terms_.Node(NodeKind::kAdd, dtype, sum, product);
  }
  return sum;
}

/// True if lanes of the value cannot be one term: they come from cells, or are shuffled.
bool FunctionReader::NeedsLaneNumbers(const Expr* expr) const {
  bool found = false;
  Walk(expr, [&](const Node* node) {
    found |= isa<Shuffle>(node);
    if (const auto* load = dyn_cast<BufferLoad>(node)) {
      const int memory = MemoryOf(load->buffer->data);
      found |= memory >= 0 &&
               reading_.memories[static_cast<size_t>(memory)].kind == Memory::Kind::kCells;
    }
    return !found && !isa<Buffer>(node);
  });
  return found;
}

}  // namespace tenon::check
