#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ir/const_fold.h"
#include "parser/forms_internal.h"
#include "support/check.h"

namespace tenon {

PyValue CallInit(FormContext& p, const TirName&, Args& args) {
  if (!p.env.Bind(args, {}, 0, {})) return args.Error();
  if (!p.blocks.inside_block()) {
    return p.env.Fail(DiagnosticKind::kType, args.range, "`T.init` outside of a block");
  }
  if (std::exchange(p.blocks.innermost()->has_init, true)) {
    return p.env.Fail(DiagnosticKind::kDuplicateName, args.range, "`T.init` is given already");
  }
  return p.env.ScopeValue(p.env.NewScope(ScopeForm::kInit, args.range));
}

PyValue CallBlock(FormContext& p, const TirName&, Args& args) {
  Bound<2> bound;
  if (!p.env.Bind(args, {"name", "no_realize"}, 0, bound)) return args.Error();
  std::string_view hint;
  if (!p.values.TakeText(bound[0], "the name of the block", &hint)) return args.Error();
  PendingScope* scope = p.env.NewScope(ScopeForm::kBlock, args.range);
  scope->block = p.blocks.NewBlock();
  scope->block->name = hint;
  scope->block->no_realize =
      bound[1] != nullptr && bound[1]->is(PyKind::kBool) && bound[1]->integer != 0;
  return p.env.ScopeValue(scope);
}

static BlockInfo* CurrentBlock(FormContext& p, const Args& args) {
  if (p.blocks.inside_block()) return p.blocks.innermost();
  p.env.Error(DiagnosticKind::kType, args.range,
              fmt::format("`T.{}` outside of a block", args.name));
  return nullptr;
}

static PyValue BlockAxis(FormContext& p, BlockInfo* block, IterVarKind kind, const Range* dom,
                         const Expr* binding, SourceRange range) {
  TENON_CHECK(block != nullptr && dom != nullptr);
  const DataType extent = dom->extent->dtype;
  const DataType dtype = extent.with_bits(std::max(
      {extent.bits(), dom->min->dtype.bits(), isa<IntImm>(dom->extent) ? 32 : extent.bits()}));
  if (isa<IntImm>(dom->min) || isa<IntImm>(dom->extent)) {
    const Expr* min = isa<IntImm>(dom->min) ? SmartCast(p.env.builder, dtype, dom->min) : dom->min;
    const Expr* size =
        isa<IntImm>(dom->extent) ? SmartCast(p.env.builder, dtype, dom->extent) : dom->extent;
    dom = p.env.builder.New<Range>(dom->range, min, size);
  }
  Var* var = p.env.arena.New<Var>(Symbol(), p.env.PrimTypeOf(dtype));
  var->range = range;
  const IterVar* iter = p.env.builder.New<IterVar>(range, dom, var, kind);
  block->iter_vars.push_back(iter);
  if (binding != nullptr) {
    // A number of Python's takes the variable's type. `T.int64(0)` has its own.
    const bool is_plain = isa<IntImm>(binding) && binding->dtype == DataType::Int(32);
    block->iter_values.push_back(is_plain ? SmartCast(p.env.builder, dtype, binding) : binding);
  }
  return PyValue::Of(range, iter);
}

static PyValue RemapAxes(FormContext& p, BlockInfo* block, const Args& args) {
  Bound<3> bound;
  Span<const Expr*> bindings;
  if (!p.env.Bind(args, {"kinds", "bindings", "dtype"}, 2, bound)) return args.Error();
  const std::optional<std::string_view> kinds = p.values.ToText(*bound[0], "the string of kinds");
  if (!kinds || !p.values.ToExprs(*bound[1], "the list of loop variables", &bindings))
    return args.Error();
  if (kinds->size() != bindings.size()) {
    return p.env.Fail(
        DiagnosticKind::kArguments, args.range,
        fmt::format("{} kinds of axes for {} loop variables", kinds->size(), bindings.size()));
  }
  std::vector<PyValue> axes;
  for (size_t i = 0; i < bindings.size(); ++i) {
    const char letter = (*kinds)[i];
    const auto* var = dyn_cast<Var>(bindings[i]);
    const LoopDim* dim = var == nullptr ? nullptr : p.blocks.LoopDimOf(var);
    if (dim == nullptr || (letter != 'S' && letter != 'R')) {
      return p.env.Fail(DiagnosticKind::kArguments, bound[1]->range,
                        dim == nullptr ? "expected a loop variable for the axis"
                                       : "unknown kind of an axis, expected `S` or `R`",
                        args.range);
    }
    const Range* dom = p.env.builder.New<Range>(args.range, dim->min, dim->extent);
    axes.push_back(BlockAxis(p, block,
                             letter == 'S' ? IterVarKind::kDataPar : IterVarKind::kCommReduce, dom,
                             var, args.range));
  }
  if (axes.size() == 1) return axes[0];
  return p.env.Items(PyKind::kTuple, args.range, axes);
}

PyValue CallAxis(FormContext& p, std::string_view axis, const Args& args) {
  BlockInfo* block = CurrentBlock(p, args);
  if (block == nullptr) return args.Error();
  if (axis == "remap") return RemapAxes(p, block, args);
  IterVarKind kind = IterVarKind::kDataPar;
  if (axis == "spatial" || axis == "S") {
    kind = IterVarKind::kDataPar;
  } else if (axis == "reduce" || axis == "R") {
    kind = IterVarKind::kCommReduce;
  } else if (axis == "scan") {
    kind = IterVarKind::kOrdered;
  } else if (axis == "opaque") {
    kind = IterVarKind::kOpaque;
  } else {
    return p.env.Fail(DiagnosticKind::kUnsupported, args.range,
                      fmt::format("unknown axis `T.axis.{}`", axis));
  }
  Bound<3> bound;
  if (!p.env.Bind(args, {"dom", "binding", "dtype"}, 1, bound)) return args.Error();
  const Range* dom = p.values.ToRange(*bound[0]);
  if (dom == nullptr) return args.Error();
  const Expr* binding = nullptr;
  if (bound[1] != nullptr && !bound[1]->is(PyKind::kNone)) {
    binding = p.values.IndexOf(*bound[1], "binding");
    if (binding == nullptr) return args.Error();
  }
  if (block->no_realize == (binding != nullptr)) {
    return p.env.Fail(DiagnosticKind::kArguments, args.range,
                      binding != nullptr ? "binding of an axis in a block with `no_realize`"
                                         : "axis without a binding");
  }
  return BlockAxis(p, block, kind, dom, binding, args.range);
}

static bool BlockRegions(FormContext& p, const Args& args,
                         std::optional<std::vector<const BufferRegion*>>* regions) {
  if (*regions) {
    p.env.Error(DiagnosticKind::kDuplicateName, args.range,
                fmt::format("`T.{}` is given already", args.name));
    return false;
  }
  std::vector<const BufferRegion*> result;
  for (const PyValue& value : args.positional) {
    const std::span<const PyValue> items =
        value.is_sequence() ? value.elements() : std::span<const PyValue>(&value, 1);
    for (const PyValue& item : items) {
      result.push_back(p.values.ToRegion(item));
      if (result.back() == nullptr) return false;
    }
  }
  *regions = std::move(result);
  return true;
}

PyValue BlockStatement(FormContext& p, const TirName& name, Args& args) {
  const PyValue done(PyKind::kDone, args.range);
  BlockInfo* block = CurrentBlock(p, args);
  if (block == nullptr) return done;
  Bound<1> bound;
  switch (name.form) {
    case TirForm::kReads:
      BlockRegions(p, args, &block->reads);
      return done;
    case TirForm::kWrites:
      BlockRegions(p, args, &block->writes);
      return done;
    case TirForm::kWhere: {
      if (!p.env.Bind(args, {"predicate"}, 1, bound)) return done;
      const Expr* predicate = bound[0]->is(PyKind::kInt)
                                  ? p.env.builder.Bool(bound[0]->integer != 0, bound[0]->range)
                                  : p.values.ToExpr(*bound[0]);
      if (block->predicate != nullptr) {
        p.env.Error(DiagnosticKind::kDuplicateName, args.range, "`T.where` is given already");
        return done;
      }
      if (predicate != nullptr && p.values.CheckCondition(predicate, bound[0]->range))
        block->predicate = predicate;
      return done;
    }
    default:
      break;
  }
  if (!p.env.Bind(args, {"attrs"}, 1, bound)) return done;
  if (block->annotations != nullptr) {
    p.env.Error(DiagnosticKind::kDuplicateName, args.range, "`T.block_attr` is given already");
    return done;
  }
  block->annotations = p.attrs.ToMap(*bound[0], /*normalise=*/true);
  return done;
}

}  // namespace tenon
