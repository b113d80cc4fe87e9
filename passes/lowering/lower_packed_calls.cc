// A packed call of a function of the module needs no convention that others know, so its arguments
// go straight to the parameters. A check around the call keeps the meaning of its status.

#include "passes/lowering/lower_packed_calls.h"

#include <fmt/format.h>

#include "arith/index_math.h"
#include "ir/analysis/effects.h"
#include "ir/builtins.h"
#include "ir/const_fold.h"
#include "ir/rewriter.h"

namespace tenon {

namespace {

bool IsPackedCall(const Expr* expr) {
  const auto* call = dyn_cast_or_null<Call>(expr);
  return call != nullptr &&
         (call->op->kind == OpKind::kCallPacked || call->op->kind == OpKind::kCallCPacked);
}

/// The data pointer of T.tvm_stack_make_array, or the expression itself.
const Expr* Unpacked(const Expr* arg) {
  const auto* call = dyn_cast<Call>(arg);
  const bool array = call != nullptr && call->op->kind == OpKind::kTvmStackMakeArray;
  return array ? call->args[0] : arg;
}

class ToExtern : public Rewriter<ToExtern> {
 public:
  ToExtern(Context& context, std::shared_ptr<Storage> storage, const IRModule& module)
      : Rewriter(context, std::move(storage)), module_(module) {}

  const Stmt* RewriteEvaluate(const Evaluate* evaluate) {
    const Expr* now = RewriteExpr(evaluate->value);
    if (now == evaluate->value) return evaluate;
    if (!IsPackedCall(evaluate->value) || IsPackedCall(now)) {
      return builder().New<Evaluate>(evaluate->range, now);
    }
    const Expr* checked = builder().NewCall(
        DataType::Int(32), OpKind::kTvmCheckReturn,
        {builder().Int(0, now->range), builder().Int(-1, now->range), now}, now->range);
    return builder().New<Evaluate>(evaluate->range, checked);
  }

  const Expr* RewriteCall(const Call* call) {
    const Call* now = RewriteChildren(call);
    if (!IsPackedCall(call)) return now;
    const CallSite site = AsCallSite(module_, now);
    if (site.call == nullptr || site.callee == nullptr) return now;
    size_t count = site.args.size();
    const size_t wanted = site.callee->func->params.size();
    if (call->op->kind == OpKind::kCallCPacked && count == wanted + 1) --count;
    if (count != wanted) return now;
    std::vector<const Expr*> args = {builder().String(site.name, now->args[0]->range)};
    for (const Expr* arg : site.args.first(count)) args.push_back(Unpacked(arg));
    return builder().New<Call>(call->range, DataType::Int(32), Op::Get(OpKind::kCallExtern),
                               arena().Copy(Span<const Expr*>(args.data(), args.size())));
  }

 private:
  const IRModule& module_;
};

/// Type codes and fields of TVM's packed calls (c_runtime_api.h, builtin.h).
enum TypeCodeOfArgument {
  kIntCode = 0,
  kFloatCode = 2,
  kHandleCode = 3,
  kTensorCode = 7,
  kStringCode = 11,
  kBoolCode = 15
};
enum StructField {
  kAddress = 0,
  kData = 1,
  kShape = 2,
  kStrides = 3,
  kNDim = 4,
  kTypeCode = 5,
  kBits = 6,
  kLanes = 7,
  kByteOffset = 8,
  kDeviceId = 9,
  kDeviceType = 10,
  kValue = 12
};
constexpr int kCpu = 1;

/// The stack arrays that the calls of a function share, sized for the largest need.
struct StackNeeds {
  int64_t values = 0;
  int64_t tensors = 0;
  int64_t extents = 0;
};

class ToStack : public Rewriter<ToStack> {
 public:
  /// `sizes` is the need that a previous run has found.
  ToStack(Context& context, std::shared_ptr<Storage> storage, const IRModule& module,
          const StackNeeds& sizes)
      : Rewriter(context, std::move(storage)), module_(module) {
    values_ = builder().NewVar("stack_value", DataType::Handle());
    tensors_ = builder().NewVar("stack_array", DataType::Handle());
    codes_ = NewFlatBuffer(builder(), "stack_tcode", DataType::Int(32), sizes.values);
    shapes_ = NewFlatBuffer(builder(), "stack_shape", DataType::Int(64), sizes.extents);
  }

  const PrimFunc* RewriteFunc(const PrimFunc* function) {
    PrimFunc copy = *function;
    copy.body = RewriteAny(function->body);
    if (copy.body == function->body) return function;
    const auto bind = [&](const Var* var, std::string_view kind, int64_t count) {
      if (count == 0) return;
      const Expr* memory =
          builder().NewCall(DataType::Handle(), OpKind::kTvmStackAlloca,
                            {builder().String(kind), builder().Int(count)}, function->range);
      copy.body = builder().New<LetStmt>(function->range, var, memory, copy.body);
    };
    bind(shapes_->data, "shape", most_.extents);
    bind(tensors_, "array", most_.tensors);
    bind(values_, "arg_value", most_.values);
    bind(codes_->data, "arg_tcode", most_.values);
    return arena().New<PrimFunc>(copy);
  }

  const StackNeeds& needs() const { return most_; }

  /// Statements with arguments on the stack are preceded by the stores of these.
  const Stmt* RewriteEvaluate(const Evaluate* evaluate) {
    setup_.clear();
    may_lower_ = true;
    const Evaluate* now = RewriteChildren(evaluate);
    may_lower_ = false;
    if (setup_.empty()) return now;
    setup_.push_back(now);
    return builder().Seq({setup_.data(), setup_.size()}, evaluate->range);
  }

  const Expr* RewriteCall(const Call* call) {
    const bool lower = may_lower_ && IsPackedCall(call) && isa<StringImm>(call->args[0]);
    // A call within the arguments of another would overwrite its arguments.
    may_lower_ = may_lower_ && !lower;
    const Call* now = RewriteChildren(call);
    if (!lower) return now;
    const CallSite site = AsCallSite(module_, now);
    const bool direct = call->op->kind == OpKind::kCallCPacked;
    Span<const Expr*> args = site.args;
    if (direct && !args.empty()) args = args.first(args.size() - 1);
    used_ = {};
    for (size_t i = 0; i < args.size(); ++i) PushArgument(ParamBuffer(site, i), args[i]);
    // The arrays are passed even if there are no arguments.
    most_.values = std::max<int64_t>({most_.values, used_.values, 1});
    most_.tensors = std::max(most_.tensors, used_.tensors);
    most_.extents = std::max(most_.extents, used_.extents);
    std::vector<const Expr*> list = {now->args[0], values_, codes_->data, builder().Int(0),
                                     builder().Int(used_.values)};
    if (direct && !site.args.empty()) list.push_back(site.args.back());
    const OpKind op = direct ? OpKind::kCallCPackedLowered : OpKind::kCallPackedLowered;
    return builder().New<Call>(call->range, call->dtype, Op::Get(op),
                               arena().Copy(Span<const Expr*>(list.data(), list.size())));
  }

 private:
  static const Buffer* ParamBuffer(const CallSite& site, size_t index) {
    if (site.callee == nullptr || index >= site.callee->func->buffers.size()) return nullptr;
    return site.callee->func->buffers[index];
  }

  void Run(const Expr* effect) { setup_.push_back(builder().New<Evaluate>(effect->range, effect)); }

  void Set(const Var* array, int64_t index, int field, const Expr* value) {
    Run(builder().NewCall(DataType::Int(32), OpKind::kTvmStructSet,
                          {array, builder().Int(index), builder().Int(field), value},
                          value->range));
  }

  void PutInto(const Buffer* array, int64_t index, const Expr* value) {
    setup_.push_back(builder().New<BufferStore>(value->range, array, value,
                                                builder().List<Expr>({builder().Int(index)})));
  }

  /// Writes one argument: integers as int64, floats as float64, tensors by address.
  void PushArgument(const Buffer* buffer, const Expr* arg) {
    const int64_t at = used_.values++;
    int code = kHandleCode;
    const auto* call = dyn_cast<Call>(arg);
    const bool packed = call != nullptr && call->op->kind == OpKind::kTvmStackMakeArray;
    if (arg->dtype.is_integer()) {
      code = arg->dtype.is_bool() ? kBoolCode : kIntCode;
      arg = SmartCast(builder(), DataType::Int(64), arg, arg->range);
    } else if (arg->dtype.is_floating()) {
      code = kFloatCode;
      arg = SmartCast(builder(), DataType::Float(64), arg, arg->range);
    } else if (isa<StringImm>(arg)) {
      code = kStringCode;
    } else if (packed) {
      code = kTensorCode;
      arg = PushPacked(call);
    } else if (buffer != nullptr) {
      code = kTensorCode;
      arg = PushTensor(arg, buffer->shape, buffer->dtype, builder().Int(0));
    }
    Set(values_, at, kValue, arg);
    PutInto(codes_, at, builder().Int(code, arg->range));
  }

  const Expr* PushPacked(const Call* call) {
    const auto* shape = dyn_cast<Call>(call->args[1]);
    const bool known = shape != nullptr && shape->op->kind == OpKind::kTvmStackMakeShape;
    return PushTensor(call->args[0], known ? shape->args : Span<const Expr*>(),
                      call->args[4]->dtype, call->args[5]);
  }

  /// Describes a tensor in the next DLTensor; returns its address.
  const Expr* PushTensor(const Expr* data, Span<const Expr*> shape, DataType dtype,
                         const Expr* elem_offset) {
    const int64_t at = used_.tensors++;
    const int64_t first = used_.extents;
    // A scalar has no extents, but its shape pointer must be valid.
    used_.extents += std::max<int64_t>(static_cast<int64_t>(shape.size()), 1);
    for (size_t i = 0; i < shape.size(); ++i) {
      PutInto(shapes_, first + static_cast<int64_t>(i),
              SmartCast(builder(), DataType::Int(64), shape[i], data->range));
    }
    const BufferLoad* extents = builder().Load(shapes_, {builder().Int(first)}, data->range);
    const Expr* null = builder().NewCall(DataType::Handle(), OpKind::kReinterpret,
                                         {builder().Int(DataType::UInt(64), 0)}, data->range);
    Set(tensors_, at, kData, data);
    Set(tensors_, at, kShape,
        builder().NewCall(DataType::Handle(), OpKind::kAddressOf, {extents}, data->range));
    Set(tensors_, at, kStrides, null);
    Set(tensors_, at, kNDim, builder().Int(static_cast<int64_t>(shape.size())));
    Set(tensors_, at, kTypeCode,
        builder().Int(DataType::UInt(8), static_cast<int64_t>(dtype.code())));
    Set(tensors_, at, kBits, builder().Int(DataType::UInt(8), dtype.bits()));
    Set(tensors_, at, kLanes, builder().Int(DataType::UInt(16), dtype.lanes()));
    const Expr* offset = SmartCast(builder(), DataType::UInt(64), elem_offset, data->range);
    const Expr* size = builder().Int(DataType::UInt(64), dtype.bytes());
    const Expr* bytes = TryConstFold(builder(), NodeKind::kMul, offset, size);
    Set(tensors_, at, kByteOffset,
        bytes != nullptr ? bytes
                         : MakeBinary(builder(), NodeKind::kMul, offset, size, data->range));
    Set(tensors_, at, kDeviceId, builder().Int(0));
    Set(tensors_, at, kDeviceType, builder().Int(kCpu));
    return builder().NewCall(DataType::Handle(), OpKind::kTvmStructGet,
                             {tensors_, builder().Int(at), builder().Int(kAddress)}, data->range);
  }

  const IRModule& module_;
  const Var* values_;
  const Var* tensors_;
  const Buffer* codes_;
  const Buffer* shapes_;
  std::vector<const Stmt*> setup_;
  /// True in an Evaluate, outside of the arguments of a packed call.
  bool may_lower_ = false;
  StackNeeds used_;
  StackNeeds most_;
};

}  // namespace

absl::StatusOr<IRModule> LowerPackedCalls(const IRModule& module,
                                          const LowerPackedCallsOptions& options,
                                          PassContext& context) {
  if (options.to != "extern" && options.to != "stack") {
    return absl::InvalidArgumentError(
        fmt::format("option `to` is `{}`, expected `extern` or `stack`", options.to));
  }
  const bool stack = options.to == "stack";
  return ForEachFunction(module, context, [&](const Function& function, Diagnostics&) {
    if (!stack) return RewriteFunction<ToExtern>(module.context(), function, module);
    ToStack count(module.context(), std::make_shared<Storage>(), module, {});
    if (count.RewriteFunc(function.func) == function.func) return function;
    return RewriteFunction<ToStack>(module.context(), function, module, count.needs());
  });
}

}  // namespace tenon
