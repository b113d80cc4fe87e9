#include <fmt/format.h>

#include <utility>

#include "parser/parser_internal.h"
#include "support/check.h"

namespace tenon {

PyValue Parser::CallBlock(const TirName& name, const Args& args) {
  const PyValue error(PyKind::kError, args.range);
  Bound<2> bound;
  if (name.form == TirForm::kInit) {
    if (!Bind(args, {}, 0, {})) return error;
    if (open_blocks_.size() < 2) {
      Error(DiagnosticKind::kType, args.range, "`T.init` outside of a block");
      return error;
    }
    if (std::exchange(open_blocks_.back()->has_init, true)) {
      Error(DiagnosticKind::kDuplicateName, args.range, "`T.init` is given already");
      return error;
    }
    return ScopeValue(NewScope(ScopeForm::kInit, args.range));
  }
  if (!Bind(args, {"name", "no_realize"}, 0, bound)) return error;
  std::string_view hint;
  if (bound[0] != nullptr) {
    const std::optional<std::string_view> text = ToText(*bound[0], "the name of the block");
    if (!text) return error;
    hint = *text;
  }
  PendingScope* scope = NewScope(ScopeForm::kBlock, args.range);
  scope->block = blocks_.emplace_back(std::make_unique<BlockInfo>()).get();
  scope->block->name = hint;
  scope->block->no_realize =
      bound[1] != nullptr && bound[1]->is(PyKind::kBool) && bound[1]->integer != 0;
  has_block_ = true;
  return ScopeValue(scope);
}

BlockInfo* Parser::CurrentBlock(const Args& args) {
  if (open_blocks_.size() >= 2) return open_blocks_.back();
  Error(DiagnosticKind::kType, args.range, fmt::format("`T.{}` outside of a block", args.name));
  return nullptr;
}

PyValue Parser::BlockAxis(BlockInfo* block, IterVarKind kind, const Range* dom, const Expr* binding,
                          SourceRange range) {
  TENON_CHECK(block != nullptr && dom != nullptr);
  const DataType extent = dom->extent->dtype;
  const DataType dtype = extent.with_bits(std::max(
      {extent.bits(), dom->min->dtype.bits(), isa<IntImm>(dom->extent) ? 32 : extent.bits()}));
  if (isa<IntImm>(dom->min) || isa<IntImm>(dom->extent)) {
    const Expr* min = isa<IntImm>(dom->min) ? SmartCast(builder_, dtype, dom->min) : dom->min;
    const Expr* size =
        isa<IntImm>(dom->extent) ? SmartCast(builder_, dtype, dom->extent) : dom->extent;
    dom = builder_.New<Range>(dom->range, min, size);
  }
  Var* var = arena_.New<Var>(Symbol(), PrimTypeOf(dtype));
  var->range = range;
  const IterVar* iter = builder_.New<IterVar>(range, dom, var, kind);
  block->iter_vars.push_back(iter);
  if (binding != nullptr) {
    if (isa<IntImm>(binding)) binding = SmartCast(builder_, dtype, binding);
    block->iter_values.push_back(binding);
  }
  PyValue value(PyKind::kIterVar, range);
  value.iter_var = iter;
  return value;
}

PyValue Parser::CallAxis(std::string_view axis, const Args& args) {
  const PyValue error(PyKind::kError, args.range);
  BlockInfo* block = CurrentBlock(args);
  if (block == nullptr) return error;
  if (axis == "remap") return RemapAxes(block, args);
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
    Error(DiagnosticKind::kUnsupported, args.range, fmt::format("unknown axis `T.axis.{}`", axis));
    return error;
  }
  Bound<3> bound;
  if (!Bind(args, {"dom", "binding", "dtype"}, 1, bound)) return error;
  const Range* dom = ToRange(*bound[0]);
  if (dom == nullptr) return error;
  const Expr* binding = nullptr;
  if (bound[1] != nullptr && !bound[1]->is(PyKind::kNone)) {
    binding = IndexOf(*bound[1], "binding");
    if (binding == nullptr) return error;
  }
  if (block->no_realize == (binding != nullptr)) {
    Error(DiagnosticKind::kArguments, args.range,
          binding != nullptr ? "binding of an axis in a block with `no_realize`"
                             : "axis without a binding");
    return error;
  }
  return BlockAxis(block, kind, dom, binding, args.range);
}

PyValue Parser::RemapAxes(BlockInfo* block, const Args& args) {
  const PyValue error(PyKind::kError, args.range);
  Bound<3> bound;
  Span<const Expr*> bindings;
  if (!Bind(args, {"kinds", "bindings", "dtype"}, 2, bound)) return error;
  const std::optional<std::string_view> kinds = ToText(*bound[0], "the string of kinds");
  if (!kinds || !ToExprs(*bound[1], "the list of loop variables", &bindings)) return error;
  if (kinds->size() != bindings.size()) {
    Error(DiagnosticKind::kArguments, args.range,
          fmt::format("{} kinds of axes for {} loop variables", kinds->size(), bindings.size()));
    return error;
  }
  std::vector<PyValue> axes;
  for (size_t i = 0; i < bindings.size(); ++i) {
    const char letter = (*kinds)[i];
    const auto* var = dyn_cast<Var>(bindings[i]);
    const LoopDim* dim = var == nullptr ? nullptr : LoopDimOf(var);
    if (dim == nullptr || (letter != 'S' && letter != 'R')) {
      Error(DiagnosticKind::kArguments, bound[1]->range,
            dim == nullptr ? "expected a loop variable for the axis"
                           : "unknown kind of an axis, expected `S` or `R`");
      return error;
    }
    const Range* dom = builder_.New<Range>(args.range, dim->min, dim->extent);
    axes.push_back(BlockAxis(block,
                             letter == 'S' ? IterVarKind::kDataPar : IterVarKind::kCommReduce, dom,
                             var, args.range));
  }
  if (axes.size() == 1) return axes[0];
  return Items(PyKind::kTuple, args.range, axes);
}

const LoopDim* Parser::LoopDimOf(const Var* var) const {
  for (size_t i = loop_vars_.size(); i-- > 0;) {
    if (loop_vars_[i].first == var) return &loop_vars_[i].second;
  }
  return nullptr;
}

bool Parser::BlockRegions(const Args& args,
                          std::optional<std::vector<const BufferRegion*>>* regions) {
  if (*regions) {
    Error(DiagnosticKind::kDuplicateName, args.range,
          fmt::format("`T.{}` is given already", args.name));
    return false;
  }
  std::vector<const BufferRegion*> result;
  for (const PyValue& value : args.positional) {
    const std::span<const PyValue> items =
        value.is_sequence() ? value.elements() : std::span<const PyValue>(&value, 1);
    for (const PyValue& item : items) {
      result.push_back(ToRegion(item));
      if (result.back() == nullptr) return false;
    }
  }
  *regions = std::move(result);
  return true;
}

void Parser::BlockStatement(const TirName& name, const Args& args) {
  BlockInfo* block = CurrentBlock(args);
  if (block == nullptr) return;
  Bound<1> bound;
  switch (name.form) {
    case TirForm::kReads:
      BlockRegions(args, &block->reads);
      return;
    case TirForm::kWrites:
      BlockRegions(args, &block->writes);
      return;
    case TirForm::kWhere: {
      if (!Bind(args, {"predicate"}, 1, bound)) return;
      const Expr* predicate = bound[0]->is(PyKind::kInt)
                                  ? builder_.Bool(bound[0]->integer != 0, bound[0]->range)
                                  : ToExpr(*bound[0]);
      if (block->predicate != nullptr) {
        Error(DiagnosticKind::kDuplicateName, args.range, "`T.where` is given already");
        return;
      }
      if (predicate != nullptr && CheckCondition(predicate, bound[0]->range))
        block->predicate = predicate;
      return;
    }
    default:
      break;
  }
  if (!Bind(args, {"attrs"}, 1, bound)) return;
  if (block->annotations != nullptr) {
    Error(DiagnosticKind::kDuplicateName, args.range, "`T.block_attr` is given already");
    return;
  }
  block->annotations = ToMap(*bound[0], /*normalise=*/true);
}

const Stmt* Parser::CloseBlock(BlockInfo& info, const Stmt* body, SourceRange range) {
  Block* block = arena_.New<Block>();
  block->range = range;
  block->name_hint = info.name;
  block->iter_vars =
      arena_.Copy(Span<const IterVar*>(info.iter_vars.data(), info.iter_vars.size()));
  block->annotations = info.annotations;
  block->alloc_buffers = arena_.Copy(info.alloc_buffers);
  block->match_buffers = arena_.Copy(info.match_buffers);
  block->init = info.init;
  block->body = body;
  if (info.reads) block->reads = arena_.Copy(*info.reads);
  if (info.writes) block->writes = arena_.Copy(*info.writes);
  if (!info.reads || !info.writes) DetectRegions(block, !info.reads, !info.writes);
  if (info.no_realize) return block;
  const Expr* predicate = info.predicate != nullptr ? info.predicate : builder_.Bool(true, range);
  return builder_.New<BlockRealize>(
      range, arena_.Copy(Span<const Expr*>(info.iter_values.data(), info.iter_values.size())),
      predicate, static_cast<const Block*>(block));
}

const Stmt* Parser::AddRootBlock(const Stmt* body) {
  BlockInfo& root = *open_blocks_.front();
  const auto* realize = dyn_cast<BlockRealize>(body);
  const bool needed = !root.alloc_buffers.empty() ||
                      (realize != nullptr ? !realize->block->iter_vars.empty() : has_block_);
  if (!needed) return body;
  root.name = "root";
  root.reads.emplace();
  root.writes.emplace();
  return CloseBlock(root, body, body->range);
}

}  // namespace tenon
