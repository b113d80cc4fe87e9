#include "absl/container/inlined_vector.h"
#include "ir/attributes.h"
#include "ir/builtins.h"
#include "ir/visitor.h"
#include "printer/script_printer.h"
#include "support/stack.h"

namespace tenon {

namespace {

bool HasAnnotations(const For* loop) {
  return loop->annotations != nullptr && !loop->annotations->items.empty();
}

/// The value of `pragma_unroll` or `disable_unroll`, if it is the only annotation.
const Attr* UnrollOf(const For* loop) {
  if (loop->annotations->items.size() != 1) return nullptr;
  const Attr* off = loop->annotations->Find(attr_key::kDisableUnroll);
  return off != nullptr ? off : loop->annotations->Find(attr_key::kPragmaUnroll);
}

/// True if `expr` mentions the counter of one of `loops`.
bool MentionsCounter(const Expr* expr, Span<const For*> loops) {
  if (isa<IntImm>(expr)) return false;
  bool found = false;
  Walk(expr, [&](const Node* node) {
    for (const For* loop : loops) found = found || loop->loop_var == node;
    return !found;
  });
  return found;
}

/// The loops that a single `T.grid` can express, from `node` inwards.
absl::InlinedVector<const For*, 8> GridOf(const For* node) {
  absl::InlinedVector<const For*, 8> loops;
  for (const For* loop = node; loop != nullptr; loop = dyn_cast<For>(loop->body)) {
    const bool plain =
        loop->for_kind == ForKind::kSerial && IsConstInt(loop->min, 0) && !HasAnnotations(loop);
    if (!plain || MentionsCounter(loop->extent, Span<const For*>(loops.data(), loops.size()))) {
      break;
    }
    loops.push_back(loop);
  }
  return loops;
}

}  // namespace

void ScriptPrinter::PrintIndented(const Stmt* body) {
  indent_ += kIndent;
  PrintBody(body);
  indent_ -= kIndent;
}

void ScriptPrinter::PrintScopedBody(const Stmt* body, bool flat) {
  if (flat) return PrintBody(body);
  Put(':');
  PrintIndented(body);
}

ScriptPrinter::Place ScriptPrinter::PlaceIn(Span<const Stmt*> seq, size_t i, Place place) {
  if (seq.size() == 1) return place;
  return place != Place::kInside && i + 1 == seq.size() ? Place::kLast : Place::kInside;
}

/// In `tirx`, where other statements of the block stand before the scope, TVM writes `with`.
bool ScriptPrinter::IsFlat(Place place) const {
  return place == Place::kAlone || (place == Place::kLast && !rules_.has_flat_scopes);
}

void ScriptPrinter::PrintBody(const Stmt* body, Place place) {
  if (const auto* seq = dyn_cast<SeqStmt>(body)) {
    for (size_t i = 0; i < seq->seq.size(); ++i) {
      PrintStatement(seq->seq[i], PlaceIn(seq->seq, i, place));
    }
    return;
  }
  PrintStatement(body, place);
}

void ScriptPrinter::PrintRest(const Stmt* body, Place place) {
  // An absent rest of a block is `T.evaluate(0)` in the IR. The text wrote it if it has a place.
  const auto* nothing = dyn_cast<Evaluate>(body);
  if (nothing != nullptr && IsConstInt(nothing->value, 0) && !nothing->range.valid()) return;
  PrintBody(body, place == Place::kAlone ? Place::kLast : place);
}

void ScriptPrinter::PrintStatement(const Stmt* stmt, Place place) {
  if (at_once_) {
    if (sink_.size() > hold_limit_) GiveUp();
    if (given_up_) return;
  }
  NextStatement();
  if (stmt->kind == NodeKind::kBufferStore) {
    StartLine();
    return PrintStore(cast<BufferStore>(stmt));
  }
  WithStack([&] { PrintStmt(stmt, place); });
}

void ScriptPrinter::PrintStmt(const Stmt* stmt, Place place) {
  switch (stmt->kind) {
    case NodeKind::kLetStmt:
      return PrintLetStmt(cast<LetStmt>(stmt), place);
    case NodeKind::kAttrStmt:
      return PrintAttrStmt(cast<AttrStmt>(stmt), IsFlat(place));
    case NodeKind::kAssertStmt:
      return PrintAssert(cast<AssertStmt>(stmt), place);
    case NodeKind::kBufferRealize:
      return PrintBufferRealize(cast<BufferRealize>(stmt), nullptr, place != Place::kInside);
    case NodeKind::kProducerStore:
      return PrintProducerStore(cast<ProducerStore>(stmt));
    case NodeKind::kProducerRealize:
      return PrintProducerRealize(cast<ProducerRealize>(stmt));
    case NodeKind::kAllocate:
      return PrintAllocate(cast<Allocate>(stmt), place);
    case NodeKind::kAllocateConst:
      return PrintAllocateConst(cast<AllocateConst>(stmt), place != Place::kInside);
    case NodeKind::kDeclBuffer:
      return PrintDeclBuffer(cast<DeclBuffer>(stmt), place, nullptr);
    case NodeKind::kSeqStmt:
      return PrintSeq(cast<SeqStmt>(stmt), place);
    case NodeKind::kIfThenElse:
      return PrintIf(cast<IfThenElse>(stmt));
    case NodeKind::kEvaluate:
      return PrintEvaluate(cast<Evaluate>(stmt));
    case NodeKind::kFor:
      return PrintFor(cast<For>(stmt));
    case NodeKind::kWhile:
      return PrintWhile(cast<While>(stmt));
    case NodeKind::kPrefetch:
      return PrintPrefetch(cast<Prefetch>(stmt));
    case NodeKind::kBlock:
      return PrintBlock(cast<Block>(stmt), nullptr);
    case NodeKind::kBlockRealize: {
      const auto* realize = cast<BlockRealize>(stmt);
      return PrintBlock(realize->block, realize);
    }
    default:
      TENON_UNREACHABLE();
  }
}

/// Prints a sequence within a sequence, which well-formed trees do not contain.
void ScriptPrinter::PrintSeq(const SeqStmt* node, Place place) {
  const FrameGuard frame(*this, node);
  for (size_t i = 0; i < node->seq.size(); ++i) {
    PrintStatement(node->seq[i], PlaceIn(node->seq, i, place));
  }
}

void ScriptPrinter::PrintStore(const BufferStore* node) {
  if (node->predicate == nullptr) {
    UseAccessed(node->buffer);
  } else {
    UseBuffer(node->buffer);
    Put(".vstore(");
    PrintList(node->indices);
    Put(", ");
    PrintExpr(node->value);
    Put(", predicate=");
    PrintExpr(node->predicate);
    return Put(')');
  }
  // TVM visits the value before the indices, which determines the order of definition lines.
  if (!printing_) PrintExpr(node->value);
  const bool by_name = IsScalar(node->buffer) && IsConstInt(node->indices[0], 0);
  if (!by_name) PrintIndices(node->indices, Access::kStore);
  Put(" = ");
  if (printing_) PrintExpr(node->value);
}

void ScriptPrinter::PrintProducerStore(const ProducerStore* node) {
  StartLine();
  PrintProducer(node->producer);
  PrintIndices(node->indices, Access::kStore);
  Put(" = ");
  PrintExpr(node->value);
}

void ScriptPrinter::PrintEvaluate(const Evaluate* node) {
  StartLine();
  const auto* call = dyn_cast<Call>(node->value);
  if (call == nullptr) {
    PutT("evaluate(");
    PrintExpr(node->value);
    return Put(')');
  }
  if (dialect_ >= Dialect::kV016 && call->op->kind == OpKind::kRet && call->args.size() == 1) {
    Put("return ");
    return PrintExpr(call->args[0]);
  }
  PrintExpr(call);
}

void ScriptPrinter::PrintIf(const IfThenElse* node) {
  StartLine();
  Put("if ");
  PrintExpr(node->condition);
  Put(':');
  PrintBranch(node->then_case);
  if (node->else_case == nullptr) return;
  StartLine();
  Put("else:");
  PrintBranch(node->else_case);
}

void ScriptPrinter::PrintBranch(const Stmt* branch) {
  const FrameGuard frame(*this, branch);
  PrintIndented(branch);
}

void ScriptPrinter::PrintWhile(const While* node) {
  StartLine();
  Put("while ");
  PrintExpr(node->condition);
  Put(':');
  const FrameGuard frame(*this, node);
  PrintIndented(node->body);
}

void ScriptPrinter::PrintPrefetch(const Prefetch* node) {
  StartLine();
  PutT("prefetch(");
  UseBuffer(node->buffer);
  Put(", [");
  for (size_t i = 0; i < node->bounds.size(); ++i) {
    if (i > 0) Put(", ");
    PrintRange(node->bounds[i]);
  }
  Put("])");
}

void ScriptPrinter::PrintFor(const For* node) {
  StartLine();
  Put("for ");
  const FrameGuard frame(*this, node);
  const absl::InlinedVector<const For*, 8> grid = GridOf(node);
  loops_.push_back(node);
  if (grid.size() > 1) {
    PrintGrid(Span<const For*>(grid.data(), grid.size()));
    PrintIndented(grid.back()->body);
  } else {
    PutName(scope_.Define(node->loop_var, node->loop_var->name));
    Put(" in ");
    InParentFrame([&] { PrintForArguments(node); });
    Put("):");
    PrintIndented(node->body);
  }
  loops_.pop_back();
}

void ScriptPrinter::PrintGrid(Span<const For*> loops) {
  for (size_t i = 0; i < loops.size(); ++i) {
    if (i > 0) Put(", ");
    PutName(scope_.Define(loops[i]->loop_var, loops[i]->loop_var->name));
  }
  Put(" in ");
  PutT("grid(");
  InParentFrame([&] {
    for (size_t i = 0; i < loops.size(); ++i) {
      if (i > 0) Put(", ");
      PrintExpr(loops[i]->extent);
    }
  });
  Put("):");
}

void ScriptPrinter::PrintForArguments(const For* node) {
  switch (node->for_kind) {
    case ForKind::kSerial:
      HasAnnotations(node) ? PutT("serial(") : Put("range(");
      break;
    case ForKind::kParallel:
      PutT("parallel(");
      break;
    case ForKind::kVectorized:
      PutT("vectorized(");
      break;
    case ForKind::kUnrolled:
      PutT("unroll(");
      break;
    case ForKind::kThreadBinding:
      PutT("thread_binding(");
      break;
  }
  if (IsConstInt(node->min, 0)) {
    PrintExpr(node->extent);
  } else {
    PrintExpr(node->min);
    Put(", ");
    PrintSum(node->min, node->extent);
  }
  if (node->for_kind == ForKind::kThreadBinding) {
    Put(", thread=");
    PutQuoted(node->thread_binding == nullptr ? "" : node->thread_binding->thread_tag);
  }
  if (!HasAnnotations(node)) return;
  const Attr* unroll = UnrollOf(node);
  if (!rules_.has_flat_scopes || unroll == nullptr) return PrintAnnotations(node->annotations);
  Put(", unroll=");
  if (node->annotations->Find(attr_key::kDisableUnroll) != nullptr) return Put("False");
  const int64_t* value = AsInt(unroll);
  const bool is_yes = isa<ExprAttr>(unroll) && value != nullptr && *value == 1 &&
                      cast<ExprAttr>(unroll)->value->dtype == DataType::Bool();
  is_yes ? Put("True") : PrintAttr(unroll);
}

}  // namespace tenon
