#include "printer/deep_equal.h"
#include "printer/script_printer.h"

namespace tenon {

namespace {

std::string_view AxisName(IterVarKind kind) {
  switch (kind) {
    case IterVarKind::kCommReduce:
      return "axis.reduce(";
    case IterVarKind::kOrdered:
      return "axis.scan(";
    case IterVarKind::kOpaque:
      return "axis.opaque(";
    default:
      return "axis.spatial(";
  }
}

}  // namespace

void ScriptPrinter::PrintBlock(const Block* block, const BlockRealize* realize) {
  StartLine();
  Put("with ");
  PutT(rules_.block);
  PutQuoted(block->name_hint);
  Put(realize == nullptr ? ", no_realize=True):" : "):");
  const FrameGuard frame(*this, block);
  indent_ += 4;
  PrintBlockVars(block, realize);
  PrintBlockSignature(block, realize);
  PrintBlockBuffers(block);
  if (block->init != nullptr) {
    NextStatement();
    StartLine();
    Put("with ");
    PutT("init():");
    PrintBranch(block->init);
  }
  PrintBody(block->body);
  indent_ -= 4;
}

/// True if the axis covers the whole range of an enclosing loop, so that `T.axis.remap` can express
/// it.
bool ScriptPrinter::IsRemapped(const IterVar* iter_var, const Expr* binding) const {
  if (iter_var->iter_kind != IterVarKind::kDataPar &&
      iter_var->iter_kind != IterVarKind::kCommReduce) {
    return false;
  }
  if (!isa<Var>(binding)) return false;
  for (const For* outer : loops_) {
    for (const For* loop = outer; loop != nullptr; loop = dyn_cast<For>(loop->body)) {
      if (loop->loop_var != binding) continue;
      return SameExpr(loop->min, iter_var->dom->min) &&
             SameExpr(loop->extent, iter_var->dom->extent);
    }
  }
  return false;
}

void ScriptPrinter::PrintBlockVars(const Block* block, const BlockRealize* realize) {
  size_t i = 0;
  while (i < block->iter_vars.size()) {
    size_t end = i;
    while (realize != nullptr && end < block->iter_vars.size() &&
           IsRemapped(block->iter_vars[end], realize->iter_values[end])) {
      ++end;
    }
    NextStatement();
    if (end - i > 1) {
      PrintRemap(block, realize, i, end);
      i = end;
      continue;
    }
    PrintAxis(block->iter_vars[i], realize == nullptr ? nullptr : realize->iter_values[i]);
    ++i;
  }
}

void ScriptPrinter::PrintAxis(const IterVar* iter_var, const Expr* binding) {
  StartLine();
  PutName(scope_.Define(iter_var->var, iter_var->var->name));
  Put(" = ");
  PutT(AxisName(iter_var->iter_kind));
  if (IsConstInt(iter_var->dom->min, 0)) {
    PrintExpr(iter_var->dom->extent);
  } else {
    Put('(');
    PrintExpr(iter_var->dom->min);
    Put(", ");
    PrintSum(iter_var->dom->min, iter_var->dom->extent);
    Put(')');
  }
  if (binding != nullptr) {
    Put(", ");
    InParentFrame([&] { PrintExpr(binding); });
  }
  Put(')');
}

void ScriptPrinter::PrintRemap(const Block* block, const BlockRealize* realize, size_t begin,
                               size_t end) {
  StartLine();
  for (size_t i = begin; i < end; ++i) {
    if (i > begin) Put(", ");
    const Var* var = block->iter_vars[i]->var;
    PutName(scope_.Define(var, var->name));
  }
  Put(" = ");
  PutT("axis.remap(\"");
  for (size_t i = begin; i < end; ++i) {
    Put(block->iter_vars[i]->iter_kind == IterVarKind::kDataPar ? 'S' : 'R');
  }
  Put("\", ");
  InParentFrame([&] { PrintList(realize->iter_values.subspan(begin, end - begin)); });
  Put(')');
}

void ScriptPrinter::PrintBlockSignature(const Block* block, const BlockRealize* realize) {
  if (realize != nullptr && !IsConstInt(realize->predicate, 1)) {
    NextStatement();
    StartLine();
    PutT("where(");
    InParentFrame([&] { PrintExpr(realize->predicate); });
    Put(')');
  }
  PrintRegions("reads(", block->reads);
  PrintRegions("writes(", block->writes);
  if (block->annotations != nullptr && !block->annotations->items.empty()) {
    NextStatement();
    StartLine();
    PutT(rules_.block_attr);
    in_annotations_ = true;
    PrintMap(block->annotations);
    in_annotations_ = false;
    Put(')');
  }
}

void ScriptPrinter::PrintRegions(std::string_view name, Span<const BufferRegion*> regions) {
  NextStatement();
  StartLine();
  PutT(name);
  for (size_t i = 0; i < regions.size(); ++i) {
    if (i > 0) Put(", ");
    UseBuffer(regions[i]->buffer);
    PrintRegion(regions[i]->region, /*always_slices=*/false);
  }
  Put(')');
}

void ScriptPrinter::PrintBlockBuffers(const Block* block) {
  for (const Buffer* buffer : block->alloc_buffers) PrintAllocBuffer(buffer);
  for (const MatchBufferRegion* match : block->match_buffers) {
    NextStatement();
    const Definition& definition = scope_.Define(match->buffer, match->buffer->name);
    PrepareBuffer(match->buffer, Brings::kData, /*implicit=*/false);
    StartLine();
    PutName(definition);
    Put(" = ");
    PrintBufferCall(match->buffer, "match_buffer(", nullptr, match->source);
  }
}

void ScriptPrinter::PrintAllocBuffer(const Buffer* buffer) {
  NextStatement();
  const Definition& definition = scope_.Define(buffer, buffer->name);
  PrepareBuffer(buffer, Brings::kData, /*implicit=*/false);
  StartLine();
  PutName(definition);
  Put(" = ");
  PrintBufferCall(buffer, rules_.block_alloc, nullptr, nullptr);
}

}  // namespace tenon
