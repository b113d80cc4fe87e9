#include "absl/container/inlined_vector.h"
#include "ir/builtins.h"
#include "ir/const_fold.h"
#include "ir/opaque_calls.h"
#include "printer/literal.h"
#include "printer/script_printer.h"
#include "support/stack.h"

namespace tenon {

namespace {

/// The spelling of a binary node.
struct BinaryForm {
  Precedence precedence;       ///< kAtom: always a call
  std::string_view operator_;  ///< with its spaces
  std::string_view call;
};

BinaryForm FormOf(NodeKind kind) {
  switch (kind) {
    case NodeKind::kAdd:
      return {Precedence::kSum, " + ", "Add("};
    case NodeKind::kSub:
      return {Precedence::kSum, " - ", "Sub("};
    case NodeKind::kMul:
      return {Precedence::kProduct, " * ", "Mul("};
    case NodeKind::kDiv:
      return {Precedence::kProduct, " / ", "Div("};
    case NodeKind::kMod:
      return {Precedence::kAtom, "", "truncmod("};
    case NodeKind::kFloorDiv:
      return {Precedence::kProduct, " // ", "FloorDiv("};
    case NodeKind::kFloorMod:
      return {Precedence::kProduct, " % ", "FloorMod("};
    case NodeKind::kMin:
      return {Precedence::kAtom, "", "min("};
    case NodeKind::kMax:
      return {Precedence::kAtom, "", "max("};
    case NodeKind::kEQ:
      return {Precedence::kComparison, " == ", "EQ("};
    case NodeKind::kNE:
      return {Precedence::kComparison, " != ", "NE("};
    case NodeKind::kLT:
      return {Precedence::kComparison, " < ", "LT("};
    case NodeKind::kLE:
      return {Precedence::kComparison, " <= ", "LE("};
    case NodeKind::kGT:
      return {Precedence::kComparison, " > ", "GT("};
    case NodeKind::kGE:
      return {Precedence::kComparison, " >= ", "GE("};
    case NodeKind::kAnd:
      return {Precedence::kAnd, " and ", "And("};
    case NodeKind::kOr:
      return {Precedence::kOr, " or ", "Or("};
    default:
      TENON_UNREACHABLE();
  }
}

bool IsLiteral(const Expr* expr) {
  return expr->kind == NodeKind::kStringImm ||
         (expr->kind == NodeKind::kIntImm && expr->dtype == DataType::Int(32));
}

}  // namespace

Precedence ScriptPrinter::PrecedenceOf(const Expr* expr) const {
  if (!printing_) return Precedence::kAtom;
  if (expr->kind == NodeKind::kNot) {
    return IsLiteral(cast<Not>(expr)->a) ? Precedence::kAtom : Precedence::kNot;
  }
  if (rules_.has_bit_operators && expr->kind == NodeKind::kCall) {
    return BitPrecedenceOf(cast<Call>(expr));
  }
  if (!BinaryExpr::ClassOf(expr)) return Precedence::kAtom;
  const auto* node = static_cast<const BinaryExpr*>(expr);
  const Precedence precedence = FormOf(node->kind).precedence;
  if (precedence == Precedence::kAtom) return precedence;
  // An operator is written only where reading it gives the same node.
  const bool integers = node->a->dtype.is_integer();
  if (node->kind == NodeKind::kDiv && integers) return Precedence::kAtom;
  const bool floors = node->kind == NodeKind::kFloorDiv || node->kind == NodeKind::kFloorMod;
  if (floors && !integers) return Precedence::kAtom;
  return WouldConstFold(node->kind, node->a, node->b) ? Precedence::kAtom : precedence;
}

void ScriptPrinter::PrintExpr(const Expr* expr) { PrintWith(expr, PrecedenceOf(expr)); }

void ScriptPrinter::PrintWith(const Expr* expr, Precedence precedence) {
  switch (expr->kind) {
    case NodeKind::kVar:
      return UseVar(cast<Var>(expr));
    case NodeKind::kIntImm:
      return PrintInt(expr->dtype, cast<IntImm>(expr)->value);
    default:
      return WithStack([&] { PrintNode(expr, precedence); });
  }
}

void ScriptPrinter::PrintNode(const Expr* expr, Precedence precedence) {
  if (BinaryExpr::ClassOf(expr)) {
    return PrintBinary(static_cast<const BinaryExpr*>(expr), precedence);
  }
  switch (expr->kind) {
    case NodeKind::kFloatImm:
      return PrintFloat(cast<FloatImm>(expr));
    case NodeKind::kStringImm:
      if (metadata_.takes_texts() && HasLines(cast<StringImm>(expr)->value))
        return Put(metadata_.Reference(cast<StringImm>(expr)));
      return PutQuoted(cast<StringImm>(expr)->value);
    case NodeKind::kCast:
      PutT("Cast(");
      PutQuotedDType(expr->dtype);
      Put(", ");
      PrintExpr(cast<Cast>(expr)->value);
      return Put(')');
    case NodeKind::kNot:
      return PrintNot(cast<Not>(expr));
    case NodeKind::kSelect: {
      const auto* node = cast<Select>(expr);
      PutT("Select(");
      PrintExpr(node->condition);
      Put(", ");
      PrintExpr(node->true_value);
      Put(", ");
      PrintExpr(node->false_value);
      return Put(')');
    }
    case NodeKind::kBufferLoad:
      return PrintLoad(cast<BufferLoad>(expr));
    case NodeKind::kProducerLoad:
      PrintProducer(cast<ProducerLoad>(expr)->producer);
      return PrintIndices(cast<ProducerLoad>(expr)->indices, Access::kLoad);
    case NodeKind::kRamp:
      PutT("Ramp(");
      PrintExpr(cast<Ramp>(expr)->base);
      Put(", ");
      PrintExpr(cast<Ramp>(expr)->stride);
      return PrintLanes(expr->dtype.lanes());
    case NodeKind::kBroadcast:
      PutT("Broadcast(");
      PrintExpr(cast<Broadcast>(expr)->value);
      return PrintLanes(expr->dtype.lanes());
    case NodeKind::kShuffle:
      return PrintShuffle(cast<Shuffle>(expr));
    case NodeKind::kLet:
      return PrintLet(cast<Let>(expr));
    case NodeKind::kCall:
      if (precedence != Precedence::kAtom) return PrintBitOperator(cast<Call>(expr), precedence);
      return PrintCall(cast<Call>(expr));
    case NodeKind::kReduce:
      return PrintReduce(cast<Reduce>(expr));
    case NodeKind::kAny:
      return PutT("Any()");
    default:
      TENON_UNREACHABLE();
  }
}

void ScriptPrinter::PrintOperand(const Expr* expr, Precedence parent, bool tight) {
  const Precedence precedence = PrecedenceOf(expr);
  const bool parentheses = tight ? precedence <= parent : precedence < parent;
  if (parentheses) Put('(');
  PrintWith(expr, precedence);
  if (parentheses) Put(')');
}

void ScriptPrinter::PrintBinary(const BinaryExpr* node, Precedence precedence) {
  const BinaryForm form = FormOf(node->kind);
  if (precedence != Precedence::kAtom) {
    PrintOperand(node->a, precedence, /*tight=*/false);
    Put(form.operator_);
    PrintOperand(node->b, precedence, /*tight=*/true);
    return;
  }
  PutT(form.call);
  PrintExpr(node->a);
  Put(", ");
  PrintExpr(node->b);
  Put(')');
}

void ScriptPrinter::PrintNot(const Not* node) {
  if (IsLiteral(node->a)) {
    PutT("Not(");
    PrintExpr(node->a);
    return Put(')');
  }
  Put("not ");
  PrintOperand(node->a, Precedence::kNot, /*tight=*/false);
}

void ScriptPrinter::PrintInt(DataType dtype, int64_t value) {
  if (dtype == DataType::Int(32)) return PutInt(value);
  if (dtype == DataType::Bool()) return PutT(value != 0 ? "bool(True)" : "bool(False)");
  PutT("");
  PutDType(dtype);
  Put('(');
  if (!printing_) return;
  if (dtype.is_uint()) {
    sink_.AppendUInt(static_cast<uint64_t>(value));
  } else {
    sink_.AppendInt(value);
  }
  Put(')');
}

void ScriptPrinter::PrintFloat(const FloatImm* node) {
  PutT("");
  PutDType(node->dtype);
  Put('(');
  if (printing_) AppendFloat(sink_, node->value, dialect_);
  Put(')');
}

void ScriptPrinter::PrintSum(const Expr* a, const Expr* b) {
  const int64_t* left = AsIntImm(a);
  const int64_t* right = AsIntImm(b);
  if (left != nullptr && right != nullptr) {
    const uint64_t sum = static_cast<uint64_t>(*left) + static_cast<uint64_t>(*right);
    return PrintInt(a->dtype, WrapToDType(static_cast<int64_t>(sum), a->dtype));
  }
  if (left != nullptr && *left == 0) return PrintExpr(b);
  if (right != nullptr && *right == 0) return PrintExpr(a);
  PrintOperand(a, Precedence::kSum, /*tight=*/false);
  Put(" + ");
  PrintOperand(b, Precedence::kSum, /*tight=*/true);
}

/// True if the parser, like TVM, reads the builtin's name as another expression.
static bool IsReadAsAnother(const Call* node) {
  const bool is_float = !node->args.empty() && node->args[0]->dtype.is_floating();
  switch (node->op->kind) {
    case OpKind::kIsinf:
    case OpKind::kIsfinite:
      return true;
    case OpKind::kIsnan:
      return !is_float || node->args[0]->dtype.bits() == 16;
    case OpKind::kFabs:
    case OpKind::kFloor:
    case OpKind::kCeil:
    case OpKind::kTrunc:
    case OpKind::kRound:
    case OpKind::kNearbyint:
    case OpKind::kRoundeven:
      return !is_float;
    default:
      return false;
  }
}

/// True if `T.NAME(...)` would be read back as another expression, or with another dtype.
static bool NeedsCallForm(const Call* node) {
  if (IsReadAsAnother(node)) return true;
  if (node->op->kind == OpKind::kUnknown && !IsOpaqueCall(*node->op)) {
    // The text of an unknown builtin may begin with its dtype, which is then an argument.
    const auto* text = node->args.empty() ? nullptr : dyn_cast<StringImm>(node->args[0]);
    if (text == nullptr) return !node->dtype.is_void();
    return DataType::Parse(text->value).value_or(DataType::Void()) != node->dtype;
  }
  if (node->op->dtype_place != DTypePlace::kNone) return false;
  if (node->op->dtype_rule == DTypeRule::kArg0 && !node->args.empty())
    return node->args[0]->dtype != node->dtype;
  if (!IsOpaqueCall(*node->op)) return false;
  return ImpliedDType(*node->op, node->args) != node->dtype;
}

void ScriptPrinter::PrintCallForm(const Call* node) {
  PutT("Call(");
  PutQuotedDType(node->dtype);
  Put(node->op->text.starts_with("tir.") ? ", \"" : ", \"tir.");
  Put(WordOf(*node->op, dialect_));
  Put("\", ");
  PrintList(node->args);
  Put(')');
}

/// Prints rounding of halves away from zero for a dialect whose `T.round` rounds them to even.
void ScriptPrinter::PrintRound(const Call* node) {
  if (!node->dtype.is_floating()) return PrintExpr(node->args[0]);
  const std::string_view function = RoundFunctionOf(node->dtype);
  PutT(function.starts_with("llvm.") ? "call_llvm_pure_intrin(" : "call_pure_extern(");
  PutQuotedDType(node->dtype);
  Put(", ");
  PutQuoted(function);
  Put(", ");
  PrintExpr(node->args[0]);
  Put(')');
}

Precedence ScriptPrinter::BitPrecedenceOf(const Call* node) const {
  const bool is_not = node->op->kind == OpKind::kBitwiseNot && node->args.size() == 1;
  if (!is_not && node->args.size() != 2) return Precedence::kAtom;
  // Reading folds operators on two numbers, and shifts by zero.
  const bool folds = is_not ? isa<IntImm>(node->args[0])
                            : isa<IntImm>(node->args[1]) &&
                                  (isa<IntImm>(node->args[0]) || IsConstInt(node->args[1], 0));
  if (folds) return Precedence::kAtom;
  switch (node->op->kind) {
    case OpKind::kBitwiseNot:
      return Precedence::kUnary;
    case OpKind::kShiftLeft:
    case OpKind::kShiftRight:
      return Precedence::kShift;
    case OpKind::kBitwiseAnd:
      return Precedence::kBitAnd;
    case OpKind::kBitwiseXor:
      return Precedence::kBitXor;
    case OpKind::kBitwiseOr:
      return Precedence::kBitOr;
    default:
      return Precedence::kAtom;
  }
}

void ScriptPrinter::PrintBitOperator(const Call* node, Precedence precedence) {
  if (precedence == Precedence::kUnary) {
    Put('~');
    return PrintOperand(node->args[0], precedence, /*tight=*/false);
  }
  PrintOperand(node->args[0], precedence, /*tight=*/false);
  switch (node->op->kind) {
    case OpKind::kShiftLeft:
      Put(" << ");
      break;
    case OpKind::kShiftRight:
      Put(" >> ");
      break;
    case OpKind::kBitwiseAnd:
      Put(" & ");
      break;
    case OpKind::kBitwiseXor:
      Put(" ^ ");
      break;
    default:
      Put(" | ");
      break;
  }
  PrintOperand(node->args[1], precedence, /*tight=*/true);
}

void ScriptPrinter::PrintCall(const Call* node) {
  const std::string_view word = WordOf(*node->op, dialect_);
  if (word.empty() && node->op->kind != OpKind::kGlobalCall) return PrintRound(node);
  if (NeedsCallForm(node)) return PrintCallForm(node);
  if (node->op->kind == OpKind::kGlobalCall) {
    PrintGlobalVar(node->callee);
  } else {
    PutT(word);
  }
  Put('(');
  bool first = true;
  if (node->op->dtype_place == DTypePlace::kFirst) {
    PrintCallType(node->dtype);
    first = false;
  }
  for (const Expr* arg : node->args) {
    if (!first) Put(", ");
    first = false;
    PrintExpr(arg);
  }
  if (node->op->dtype_place == DTypePlace::kLast) {
    if (!first) Put(", ");
    PrintCallType(node->dtype);
  }
  Put(')');
}

void ScriptPrinter::PrintCallType(DataType dtype) {
  if (rules_.has_pointer_types && dtype.is_handle()) return PutT("handle().ty");
  PutQuotedDType(dtype);
}

void ScriptPrinter::PrintLoad(const BufferLoad* node) {
  if (node->predicate == nullptr) {
    UseAccessed(node->buffer);
    const bool by_name = IsScalar(node->buffer) && IsConstInt(node->indices[0], 0);
    return by_name ? void() : PrintIndices(node->indices, Access::kLoad);
  }
  UseBuffer(node->buffer);
  Put(".vload(");
  PrintList(node->indices);
  Put(", predicate=");
  PrintExpr(node->predicate);
  Put(')');
}

void ScriptPrinter::PrintLet(const Let* node) {
  const auto print_where = [&] {
    Put(", where={");
    PrintExpr(node->var);
    Put(": ");
    PrintExpr(node->value);
    Put("})");
  };
  PutT("Let(");
  // TVM visits the variable before the body, which determines the order of definition lines.
  if (!printing_) return print_where(), PrintExpr(node->body);
  PrintExpr(node->body);
  print_where();
}

void ScriptPrinter::PrintShuffle(const Shuffle* node) {
  PutT("Shuffle(");
  PrintList(node->vectors);
  Put(", ");
  PrintList(node->indices);
  Put(')');
}

void ScriptPrinter::PrintReduce(const Reduce* node) {
  PutT("reduce(");
  PrintCommReducer(node->combiner);
  Put(", source=");
  PrintList(node->source);
  Put(", init=");
  PrintList(node->init);
  Put(", axis=[");
  for (size_t i = 0; i < node->axis.size(); ++i) {
    if (i > 0) Put(", ");
    PrintIterVar(node->axis[i]);
  }
  Put("], condition=");
  PrintExpr(node->condition);
  Put(", value_index=");
  PutInt(node->value_index);
  Put(')');
}

void ScriptPrinter::PrintLanes(int lanes) {
  Put(", ");
  PrintLaneCount(lanes);
  Put(')');
}

void ScriptPrinter::PrintLaneCount(int lanes) {
  if (lanes < 0) PutT("vscale() * ");
  PutInt(lanes < 0 ? -lanes : lanes);
}

void ScriptPrinter::PrintList(Span<const Expr*> items) {
  Put('[');
  for (size_t i = 0; i < items.size(); ++i) {
    if (i > 0) Put(", ");
    PrintExpr(items[i]);
  }
  Put(']');
}

void ScriptPrinter::PrintTuple(Span<const Expr*> items) {
  Put('(');
  for (size_t i = 0; i < items.size(); ++i) {
    if (i > 0) Put(", ");
    PrintExpr(items[i]);
  }
  Put(items.size() == 1 ? ",)" : ")");
}

void ScriptPrinter::PrintIndices(Span<const Expr*> indices, Access access) {
  if (indices.empty()) return Put("[()]");
  const bool may_slice = access == Access::kStore || rules_.loads_slices;
  Put('[');
  for (size_t i = 0; i < indices.size(); ++i) {
    if (i > 0) Put(", ");
    const auto* ramp = dyn_cast<Ramp>(indices[i]);
    const int64_t* stride = ramp == nullptr ? nullptr : AsIntImm(ramp->stride);
    // A slice without a step would have no number of elements.
    const bool fits =
        stride != nullptr && *stride != 0 && (!ramp->dtype.is_scalable() || *stride == 1);
    if (may_slice && fits) {
      PrintSlice(ramp, *stride);
    } else {
      PrintExpr(indices[i]);
    }
  }
  Put(']');
}

void ScriptPrinter::PrintSlice(const Ramp* ramp, int64_t stride) {
  PrintExpr(ramp->base);
  if (!printing_) return;
  Put(':');
  if (ramp->dtype.is_scalable()) {
    if (!IsConstInt(ramp->base, 0)) {
      PrintOperand(ramp->base, Precedence::kSum, /*tight=*/false);
      Put(" + ");
    }
    return PrintLaneCount(ramp->dtype.lanes());
  }
  const DataType dtype = ramp->stride->dtype;
  const auto length = static_cast<uint64_t>(stride) * static_cast<uint64_t>(ramp->dtype.lanes());
  const IntImm span(dtype, WrapToDType(static_cast<int64_t>(length), dtype));
  PrintSum(ramp->base, &span);
  if (stride == 1) return;
  Put(':');
  PrintExpr(ramp->stride);
}

void ScriptPrinter::PrintRegion(Span<const Range*> region, bool always_slices) {
  if (region.empty()) return Put("[()]");
  Put('[');
  for (size_t i = 0; i < region.size(); ++i) {
    if (i > 0) Put(", ");
    PrintExpr(region[i]->min);
    if (!always_slices && IsConstInt(region[i]->extent, 1)) continue;
    Put(':');
    PrintSum(region[i]->min, region[i]->extent);
  }
  Put(']');
}

/// Writes the end of the range, as TVM reads it. (TVM 0.15 prints the extent there, so it misreads
/// its own text unless the range starts at 0.)
void ScriptPrinter::PrintRange(const Range* range) {
  if (range == nullptr) return Put("None");
  PutT("Range(");
  PrintExpr(range->min);
  Put(", ");
  PrintSum(range->min, range->extent);
  Put(')');
}

void ScriptPrinter::PrintIterVar(const IterVar* iter_var) {
  constexpr std::string_view kKinds[] = {"DataPar",    "ThreadIndex",  "CommReduce",
                                         "Ordered",    "Opaque",       "Unrolled",
                                         "Vectorized", "Parallelized", "Tensorized"};
  PutT("iter_var(");
  PrintExpr(iter_var->var);
  Put(", ");
  PrintRange(iter_var->dom);
  Put(", \"");
  Put(kKinds[static_cast<size_t>(iter_var->iter_kind)]);
  Put("\", ");
  PutQuoted(iter_var->thread_tag);
  Put(')');
}

/// A producer's tensor is not yet a buffer: nothing in the text declares it.
void ScriptPrinter::PrintProducer(const Buffer* producer) { Put(producer->name.view()); }

void ScriptPrinter::PrintCommReducer(const CommReducer* reducer) {
  PutT("comm_reducer(lambda ");
  {
    const FrameGuard frame(*this, nullptr);
    bool first = true;
    for (Span<const Var*> side : {reducer->lhs, reducer->rhs}) {
      for (const Var* var : side) {
        if (!first) Put(", ");
        first = false;
        PutName(scope_.Define(var, var->name));
      }
    }
    Put(": ");
    if (reducer->result.size() == 1) {
      PrintOperand(reducer->result[0], Precedence::kLambda, /*tight=*/false);
    } else {
      PrintTuple(reducer->result);
    }
  }
  Put(", ");
  PrintList(reducer->identity);
  Put(')');
}

}  // namespace tenon
