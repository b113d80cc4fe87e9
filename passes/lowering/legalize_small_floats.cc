// Two rewriters in a row. Computing moves arithmetic to float32, so that small floats are only
// moved or converted. Storing then replaces these by their bits, and meets no arithmetic.

#include "passes/lowering/legalize_small_floats.h"

#include <fmt/format.h>

#include <algorithm>

#include "ir/builtins.h"
#include "ir/rewriter.h"
#include "passes/lowering/small_float_bits.h"

namespace tenon {

namespace {

/// Arithmetic in float32.
class Computing : public Rewriter<Computing> {
 public:
  using Rewriter::Rewriter;

#define TENON_WIDENED(Name) \
  const Expr* Rewrite##Name(const Name* node) { return Binary(node); }
  TENON_WIDENED(Add)
  TENON_WIDENED(Sub)
  TENON_WIDENED(Mul)
  TENON_WIDENED(Div)
  TENON_WIDENED(Mod)
  TENON_WIDENED(FloorDiv)
  TENON_WIDENED(FloorMod)
  TENON_WIDENED(Min)
  TENON_WIDENED(Max)
  TENON_WIDENED(EQ)
  TENON_WIDENED(NE)
  TENON_WIDENED(LT)
  TENON_WIDENED(LE)
  TENON_WIDENED(GT)
  TENON_WIDENED(GE)
#undef TENON_WIDENED

  const Expr* RewriteCall(const Call* call) {
    const Call* now = RewriteChildren(call);
    const bool math = IsMathematics(call->op->kind);
    const bool small = !call->args.empty() && IsSmallFloat(call->args[0]->dtype);
    if (!math || !small) return now;
    std::vector<const Expr*> args;
    for (const Expr* arg : now->args) args.push_back(Widened(arg));
    const bool rounds = IsSmallFloat(call->dtype);
    const Expr* wide = builder().New<Call>(
        call->range, rounds ? DataType::Float(32, call->dtype.lanes()) : call->dtype, call->op,
        arena().Copy(Span<const Expr*>(args.data(), args.size())));
    return rounds ? builder().New<Cast>(call->range, call->dtype, wide) : wide;
  }

  /// Conversions between a small float and anything but float32 go through float32, which
  /// represents every small value. Conversions from a wider number to a small float stay, so that
  /// they round once.
  const Expr* RewriteCast(const Cast* cast) {
    const Cast* now = RewriteChildren(cast);
    const DataType from = cast->value->dtype;
    if (!IsSmallFloat(from) || cast->dtype == from) return now;
    if (cast->dtype.element() == DataType::Float(32)) return now;
    return builder().New<Cast>(cast->range, cast->dtype, Widened(now->value));
  }

 private:
  const Expr* Widened(const Expr* expr) {
    if (!IsSmallFloat(expr->dtype)) return expr;
    const DataType wide = DataType::Float(32, expr->dtype.lanes());
    if (const auto* imm = dyn_cast<FloatImm>(expr)) {
      const IntrinBuilder make(builder(), expr->range);
      return make.Float(wide, RoundedTo(expr->dtype, imm->value));
    }
    return builder().New<Cast>(expr->range, wide, expr);
  }

  static double RoundedTo(DataType dtype, double value);

  template <class T>
  const Expr* Binary(const T* node) {
    if (!IsSmallFloat(node->a->dtype)) return RewriteChildren(node);
    const IntrinBuilder make(builder(), node->range);
    const Expr* wide =
        make.Binary(node->kind, Widened(RewriteExpr(node->a)), Widened(RewriteExpr(node->b)));
    if (!IsSmallFloat(node->dtype)) return wide;
    return builder().New<Cast>(node->range, node->dtype, wide);
  }
};

double Computing::RoundedTo(DataType dtype, double value) {
  return SmallFloatValue(dtype, SmallFloatPattern(dtype, value));
}

/// Stores small floats as bits.
class Storing : public Rewriter<Storing> {
 public:
  Storing(Context& context, std::shared_ptr<Storage> storage, bool all)
      : Rewriter(context, std::move(storage)), all_(all) {}

  /// The signature stays unchanged.
  const PrimFunc* RewriteFunc(const PrimFunc* function) {
    for (const Var* param : function->params) {
      if (Held(param->dtype)) params_.emplace(param, true);
    }
    PrimFunc copy = *function;
    copy.body = RewriteAny(function->body);
    return copy.body == function->body ? function : arena().New<PrimFunc>(copy);
  }

  void FixDType(Expr& expr) {
    Rewriter::FixDType(expr);
    if (expr.kind == NodeKind::kBroadcast || expr.kind == NodeKind::kShuffle) {
      expr.dtype = Stored(expr.dtype);
    }
  }

  const Buffer* RewriteBuffer(const Buffer* buffer) {
    if (const auto found = buffer_map.find(buffer); found != buffer_map.end()) return found->second;
    const Buffer* now = RewriteChildren(buffer);
    if (Held(now->dtype)) {
      Buffer copy = *now;
      copy.dtype = BitsOf(now->dtype);
      now = arena().New<Buffer>(copy);
    }
    buffer_map.emplace(buffer, now);
    return now;
  }

  const Expr* RewriteBufferLoad(const BufferLoad* load) {
    const BufferLoad* now = RewriteChildren(load);
    if (!Held(load->dtype)) return now;
    BufferLoad copy = *now;
    copy.dtype = BitsOf(load->dtype);
    return arena().New<BufferLoad>(copy);
  }

  const Expr* RewriteVar(const Var* var) {
    if (!params_.contains(var)) return MapVar(var);
    return builder().NewCall(BitsOf(var->dtype), OpKind::kReinterpret, {var}, var->range);
  }

  const Expr* RewriteFloatImm(const FloatImm* imm) {
    if (!Held(imm->dtype)) return imm;
    const IntrinBuilder make(builder(), imm->range);
    return make.Int(BitsOf(imm->dtype), SmallFloatPattern(imm->dtype, imm->value));
  }

  const Expr* RewriteCast(const Cast* cast) {
    const IntrinBuilder make(builder(), cast->range);
    const DataType from = cast->value->dtype;
    const DataType to = cast->dtype;
    if (!Held(from) && !Held(to)) return RewriteChildren(cast);
    const Expr* value = RewriteExpr(cast->value);
    if (from == to) return value;
    if (Held(from)) value = DecodeSmallFloat(make, from, value);
    if (!Held(to)) return make.Convert(to, value);
    const DataType have = value->dtype;
    if (!have.is_floating()) value = make.Convert(DataType::Float(64, have.lanes()), value);
    if (have.is_floating() && have.bits() < 32) {
      value = make.Convert(DataType::Float(32, have.lanes()), value);
    }
    return EncodeSmallFloat(make, to, value);
  }

  const Expr* RewriteCall(const Call* call) {
    if (call->op->kind == OpKind::kReinterpret && IsBitsOfParam(call)) return call;
    const Call* now = RewriteChildren(call);
    const bool bits = call->op->kind == OpKind::kReinterpret;
    if (bits && Held(call->args[0]->dtype) && call->dtype == BitsOf(call->args[0]->dtype)) {
      return now->args[0];
    }
    const bool moves = bits || OnlyMoves(call->op->kind);
    if (!moves) now = WithFloats(call, now);
    if (!Held(call->dtype)) return now;
    if (bits && now->args[0]->dtype == BitsOf(call->dtype)) return now->args[0];
    if (moves) {
      Call copy = *now;
      copy.dtype = BitsOf(call->dtype);
      return arena().New<Call>(copy);
    }
    return builder().NewCall(BitsOf(call->dtype), OpKind::kReinterpret, {now}, call->range);
  }

  const Expr* RewriteLet(const Let* let) {
    Retype(let->var);
    return RewriteChildren(let);
  }

  const Stmt* RewriteLetStmt(const LetStmt* let) {
    Retype(let->var);
    return RewriteChildren(let);
  }

  const Stmt* RewriteAllocate(const Allocate* allocate) {
    if (!Held(allocate->dtype)) return RewriteChildren(allocate);
    Retype(allocate->buffer_var);
    Allocate copy = *RewriteChildren(allocate);
    copy.dtype = BitsOf(allocate->dtype);
    return arena().New<Allocate>(copy);
  }

 private:
  bool IsBitsOfParam(const Call* call) const {
    const auto* var = dyn_cast<Var>(call->args[0]);
    return var != nullptr && params_.contains(var) && call->dtype == BitsOf(var->dtype);
  }

  /// True if a call only moves the bits of its arguments, whatever they mean.
  static bool OnlyMoves(OpKind op) {
    return op == OpKind::kIfThenElse || op == OpKind::kVectorLow || op == OpKind::kVectorHigh ||
           op == OpKind::kVectorCombine || op == OpKind::kTvmThreadInvariant;
  }

  /// Callees still receive the original types of values.
  const Call* WithFloats(const Call* call, const Call* now) {
    std::vector<const Expr*> args(now->args.begin(), now->args.end());
    bool changed = false;
    for (size_t i = 0; i < args.size(); ++i) {
      const DataType dtype = call->args[i]->dtype;
      if (!Held(dtype) || args[i]->dtype == dtype || call->op->kind == OpKind::kAddressOf) continue;
      changed = true;
      const auto* before = dyn_cast<Call>(call->args[i]);
      if (before != nullptr && before->op->kind == OpKind::kReinterpret &&
          before->args[0] == args[i]) {
        args[i] = before;
        continue;
      }
      args[i] = builder().NewCall(dtype, OpKind::kReinterpret, {args[i]}, call->range);
    }
    if (!changed) return now;
    if (std::equal(args.begin(), args.end(), call->args.begin())) return call;
    Call copy = *now;
    copy.args = arena().Copy(Span<const Expr*>(args.data(), args.size()));
    return arena().New<Call>(copy);
  }

  /// True if a value of this dtype is stored as bits.
  bool Held(DataType dtype) const { return IsSmallFloat(dtype) && (all_ || dtype.is_float8()); }
  DataType Stored(DataType dtype) const { return Held(dtype) ? BitsOf(dtype) : dtype; }

  void Retype(const Var* var) {
    const Type& type = *var->type;
    if (!Held(type.dtype) || var_map.contains(var)) return;
    Context& context = builder().context();
    const Type* now = type.is_pointer() ? context.PointerType(BitsOf(type.dtype), type.scope)
                                        : context.PrimType(BitsOf(type.dtype));
    var_map[var] = builder().NewVar(var->name.view(), now, var->range);
  }

  bool all_;
  absl::flat_hash_map<const Var*, bool> params_;
};

}  // namespace

absl::StatusOr<IRModule> LegalizeSmallFloats(const IRModule& module,
                                             const LegalizeSmallFloatsOptions& options,
                                             PassContext& context) {
  const bool all = options.storage == "bits";
  if (!all && options.storage != "keep" && options.storage != "bits8") {
    return absl::InvalidArgumentError(fmt::format(
        "option `storage` is `{}`, expected `keep`, `bits8` or `bits`", options.storage));
  }
  return ForEachFunction(module, context, [&](const Function& function, Diagnostics&) {
    Function now = RewriteFunction<Computing>(module.context(), function);
    if (options.storage != "keep") now = RewriteFunction<Storing>(module.context(), now, all);
    return now;
  });
}

}  // namespace tenon
