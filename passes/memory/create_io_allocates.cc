// Whether an output has a value before the run decides about its lifetime. So the pass moves all
// tensors, asks the liveness analysis which outputs are overwritten first, and moves them again
// with the answer.

#include "passes/memory/create_io_allocates.h"

#include <fmt/format.h>

#include <optional>

#include "absl/container/flat_hash_set.h"
#include "ir/analysis/effects.h"
#include "ir/analysis/entry_signature.h"
#include "ir/analysis/liveness.h"
#include "ir/analysis/param_names.h"
#include "ir/attributes.h"
#include "ir/builtins.h"
#include "ir/extents.h"
#include "ir/mapped_tensors.h"
#include "ir/rewriter.h"

namespace tenon {

namespace {

/// A parameter that becomes an allocation.
struct Moved {
  size_t param = 0;
  bool is_output = false;
  /// Whether it has a value before the function runs, and whether its value is needed afterwards.
  bool comes_in = false;
  bool goes_out = false;
};

std::optional<std::vector<Moved>> FindMoved(const IRModule& module, const Function& entry,
                                            const CreateIoAllocatesOptions& options,
                                            Diagnostics& diagnostics) {
  const PrimFunc& func = *entry.func;
  const ModuleEffects module_effects(module);
  const std::vector<bool> outputs = OutputParams(func, module_effects.Of(entry));
  std::vector<Moved> all;
  bool good = true;
  for (size_t i = 0; i < func.params.size(); ++i) {
    const Buffer* buffer = func.buffers[i];
    const bool is_output = outputs[i];
    if (buffer == nullptr || !(is_output ? options.outputs : options.inputs)) continue;
    if (!CompactShape(*buffer)) {
      diagnostics.Error(DiagnosticKind::kPass, func.params[i]->range,
                        fmt::format("`{}` cannot be in the workspace: it has no constant shape, or "
                                    "strides or an offset",
                                    ParamName(func, i)));
      good = false;
    }
    // ForgetOverwritten clears `comes_in` for outputs without an initial value.
    all.push_back({i, is_output, true, is_output || options.keep_inputs});
  }
  if (!good) return std::nullopt;
  return all;
}

/// Removes parameters and allocates them around the body.
class Mover : public Rewriter<Mover> {
 public:
  using Rewriter::Rewriter;

  /// With `pause`, a statement without effect precedes all others.
  const PrimFunc* Move(const PrimFunc* func, const std::vector<Moved>& moved, bool pause) {
    absl::flat_hash_set<size_t> gone;
    for (const Moved& tensor : moved) {
      gone.insert(tensor.param);
      // The handle itself may be passed on.
      var_map[func->params[tensor.param]] = func->buffers[tensor.param]->data;
    }
    std::vector<const Var*> params;
    std::vector<const Buffer*> buffers;
    for (size_t i = 0; i < func->params.size(); ++i) {
      if (gone.contains(i)) continue;
      params.push_back(func->params[i]);
      buffers.push_back(func->buffers[i]);
    }
    const Stmt* body = RewriteAny(func->body);
    if (pause) body = builder().Seq({builder().NoOp(), body});
    // Allocations of tensors that come in are around the others, so that no time passes between
    // them.
    for (const bool comes_in : {false, true}) {
      for (const Moved& tensor : moved) {
        if (tensor.comes_in == comes_in) body = Allocated(*func, tensor, body);
      }
    }
    PrimFunc copy = *func;
    copy.params = arena().Copy(params);
    copy.buffers = arena().Copy(buffers);
    copy.body = body;
    return arena().New<PrimFunc>(copy);
  }

 private:
  const Stmt* Allocated(const PrimFunc& func, const Moved& tensor, const Stmt* body) {
    const Buffer& buffer = *func.buffers[tensor.param];
    const Attr* name = builder().StringValue(ParamName(func, tensor.param));
    const Attr* note[] = {
        builder().StringValue(tensor.is_output ? "output" : "input"),
        builder().New<IntAttr>(SourceRange(), static_cast<int64_t>(tensor.param))};
    const MapAttr* notes =
        builder().With(builder().Map({}), attr_key::kEntryTensor, builder().Array(note));
    if (tensor.comes_in) notes = builder().With(notes, attr_key::kInputTensor, name);
    if (tensor.goes_out) notes = builder().With(notes, attr_key::kOutputTensor, name);
    Span<const Expr*> extents = buffer.shape;
    if (extents.empty()) extents = builder().List<Expr>({builder().Int(1)});
    return builder().New<Allocate>(func.params[tensor.param]->range, buffer.data, buffer.dtype,
                                   extents, builder().Bool(true), notes, body);
  }
};

/// Removes all failures from functions: a failing run need not produce outputs.
class Succeeding : public Rewriter<Succeeding> {
 public:
  using Rewriter::Rewriter;

  const Expr* RewriteCall(const Call* call) {
    const Call* now = RewriteChildren(call);
    const bool checks = call->op->kind == OpKind::kTvmCheckReturn && now->args.size() == 3;
    return checks ? now->args[2] : now;
  }
  const Stmt* RewriteAssertStmt(const AssertStmt* assertion) {
    const SourceRange range = assertion->range;
    const Stmt* condition = builder().New<Evaluate>(range, RewriteExpr(assertion->condition));
    return builder().Seq({condition, RewriteAny(assertion->body)}, range);
  }
};

IRModule WithMoved(const IRModule& module, const Function& entry, const std::vector<Moved>& moved,
                   bool pause = false) {
  auto storage = std::make_shared<Storage>(entry.storage);
  Mover mover(module.context(), storage);
  const PrimFunc* func = mover.Move(entry.func, moved, pause);
  IRModule result = module;
  result.Update({entry.name, func, std::move(storage)});
  return result;
}

/// Clears `comes_in` for outputs that are overwritten before any of their bytes is read. This uses
/// the liveness of a module in which all tensors come in and the first statement does nothing. Such
/// an output is live at the very beginning, and then not before it is written. False after an
/// error.
bool ForgetOverwritten(IRModule module, const PrimFunc& func, std::vector<Moved>& moved,
                       Diagnostics& diagnostics) {
  const std::vector<Function> functions(module.functions().begin(), module.functions().end());
  for (const Function& function : functions)
    module.Update(RewriteFunction<Succeeding>(module.context(), function));
  const std::optional<Liveness> liveness = ComputeLiveness(module, *module.Main(), diagnostics);
  if (!liveness) return false;
  for (Moved& tensor : moved) {
    if (!tensor.is_output) continue;
    for (size_t i = 0; i < liveness->allocations.size(); ++i) {
      if (liveness->allocations[i].var != func.buffers[tensor.param]->data) continue;
      const std::vector<LiveRange>& ranges = liveness->ranges[i];
      tensor.comes_in = ranges.empty() || ranges[0].upper > 1;
    }
  }
  return true;
}

}  // namespace

absl::StatusOr<IRModule> CreateIoAllocates(const IRModule& module,
                                           const CreateIoAllocatesOptions& options,
                                           PassContext& context) {
  const Function* entry = module.Main();
  if (entry == nullptr) return module;
  if (IsPlanned(*entry)) {
    context.diagnostics.Error(
        DiagnosticKind::kPass, entry->func->range,
        "the module is already planned: its inputs and outputs stay outside of its pools");
    return module;
  }
  std::optional<std::vector<Moved>> moved = FindMoved(module, *entry, options, context.diagnostics);
  if (!moved || moved->empty()) return module;
  const IRModule all_come_in = WithMoved(module, *entry, *moved, /*pause=*/true);
  if (!ForgetOverwritten(all_come_in, *entry->func, *moved, context.diagnostics)) return module;
  return WithMoved(module, *entry, *moved);
}

}  // namespace tenon
