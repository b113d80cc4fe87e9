#include "ir/builtins.h"
#include "ir/thread_binding.h"
#include "printer/constant_text.h"
#include "printer/deep_equal.h"
#include "printer/literal.h"
#include "printer/script_printer.h"

// Statements that own the rest of their block: flat if nothing follows them there, otherwise
// `with`.

namespace tenon {

namespace {

/// True for an Allocate and DeclBuffer that `b = T.decl_buffer(shape, ...)` without data can
/// express.
bool IsAllocatedBuffer(const Allocate* node) {
  const auto* decl = dyn_cast<DeclBuffer>(node->body);
  if (decl == nullptr || decl->buffer->data != node->buffer_var) return false;
  const Type* type = node->buffer_var->type;
  // A buffer of bools with its own data points to int8.
  const DataType element = node->dtype == DataType::Bool() ? DataType::Int(8) : node->dtype;
  const bool plain = (node->annotations == nullptr || node->annotations->items.empty()) &&
                     IsConstInt(node->condition, 1) && type->is_pointer() &&
                     type->dtype == element && !type->scope.empty();
  return plain && decl->buffer->dtype == node->dtype &&
         SameExprs(decl->buffer->shape, node->extents);
}

}  // namespace

void ScriptPrinter::PrintAnnotations(const MapAttr* annotations) {
  if (annotations == nullptr || annotations->items.empty()) return;
  Put(", annotations=");
  in_annotations_ = true;
  PrintMap(annotations);
  in_annotations_ = false;
}

void ScriptPrinter::PrintLetStmt(const LetStmt* node, Place place) {
  const Definition& known = scope_.Get(node->var);
  const bool defined = known.live;
  if (rules_.has_flat_scopes && !defined) return PrintFlatLet(node, place);
  const bool flat = place != Place::kInside && !defined;
  StartLine();
  if (!flat) {
    Put("with ");
    PutT("LetStmt(");
  }
  const auto print_value = [&] { InParentFrame([&] { PrintExpr(node->value); }); };
  const FrameGuard frame(*this, node);
  if (defined) {
    print_value();
    Put(", var=");
    InParentFrame([&] { UseVar(node->var); });
    Put(')');
    return PrintScopedBody(node->body, /*flat=*/false);
  }
  const Definition& definition = scope_.Define(node->var, node->var->name);
  if (flat) {
    PutName(definition);
    Put(": ");
    PrintType(node->var->type);
    Put(" = ");
    print_value();
    return PrintBody(node->body);
  }
  print_value();
  if (node->var->type->is_pointer()) {
    Put(", ");
    PrintType(node->var->type);
  }
  Put(") as ");
  PutName(definition);
  PrintScopedBody(node->body, flat);
}

void ScriptPrinter::PrintAssert(const AssertStmt* node, Place place) {
  if (rules_.has_flat_scopes) return PrintFlatAssert(node, place);
  const bool flat = place != Place::kInside;
  StartLine();
  if (flat) {
    Put("assert ");
  } else {
    Put("with ");
    PutT("Assert(");
  }
  PrintExpr(node->condition);
  Put(", ");
  PrintMessage(node->message);
  if (!flat) Put(')');
  const FrameGuard frame(*this, node);
  PrintScopedBody(node->body, flat);
}

/// Prints a message in parts as a plain text: `tir` has no kinds of errors.
void ScriptPrinter::PrintMessage(const Expr* message) {
  const auto* parts = dyn_cast<Call>(message);
  if (parts == nullptr || parts->op->kind != OpKind::kTvmTuple) return PrintExpr(message);
  std::string text;
  for (const Expr* part : parts->args.subspan(1)) {
    if (const auto* string = dyn_cast<StringImm>(part)) text += string->value;
  }
  PutQuoted(text);
}

void ScriptPrinter::PrintAllocate(const Allocate* node, Place place) {
  if (rules_.has_flat_scopes && IsConstInt(node->condition, 1)) {
    return PrintFlatAllocate(node, place);
  }
  if (IsAllocatedBuffer(node)) {
    return PrintDeclBuffer(cast<DeclBuffer>(node->body), place, node->buffer_var);
  }
  const bool flat = place != Place::kInside;
  StartLine();
  const FrameGuard frame(*this, node);
  const Definition& definition = scope_.Define(node->buffer_var, node->buffer_var->name);
  if (flat) {
    PutName(definition);
    Put(" = ");
  } else {
    Put("with ");
  }
  InParentFrame([&] {
    PutT("allocate(");
    PrintList(node->extents);
    Put(", ");
    PutQuotedDType(node->dtype);
    Put(", ");
    PutQuoted(node->buffer_var->type->scope.view());
    if (!IsConstInt(node->condition, 1)) {
      Put(", ");
      PrintExpr(node->condition);
    }
    PrintAnnotations(node->annotations);
    Put(')');
  });
  if (!flat) {
    Put(" as ");
    PutName(definition);
  }
  PrintScopedBody(node->body, flat);
}

void ScriptPrinter::PrintAllocateConst(const AllocateConst* node, bool flat) {
  if (at_once_) return GiveUp();  // instead of holding back a long text
  StartLine();
  const FrameGuard frame(*this, node);
  const Definition& definition = scope_.Define(node->buffer_var, node->buffer_var->name);
  if (flat) {
    PutName(definition);
    Put(" = ");
  } else {
    Put("with ");
  }
  InParentFrame([&] {
    PutT("allocate_const(");
    PrintConstant(*node->data);
    Put(", ");
    PutQuotedDType(node->dtype);
    Put(", ");
    PrintList(node->extents);
    PrintAnnotations(node->annotations);
    Put(')');
  });
  if (!flat) {
    Put(" as ");
    PutName(definition);
  }
  PrintScopedBody(node->body, flat);
}

void ScriptPrinter::PrintDeclBuffer(const DeclBuffer* node, Place place, const Var* brought) {
  if (rules_.has_flat_scopes && brought == nullptr) return PrintFlatDecl(node, place);
  const bool flat = place != Place::kInside;
  const Buffer* buffer = node->buffer;
  PrepareBuffer(buffer, brought == nullptr ? Brings::kNoData : Brings::kData, /*implicit=*/false);
  StartLine();
  const FrameGuard frame(*this, node);
  const Definition& definition = scope_.Define(buffer, buffer->name);
  if (flat) {
    PutName(definition);
    Put(" = ");
  } else {
    Put("with ");
  }
  InParentFrame([&] { PrintBufferCall(buffer, "decl_buffer(", nullptr, nullptr); });
  if (!flat) {
    Put(" as ");
    PutName(definition);
  }
  PrintScopedBody(node->body, flat);
}

/// True if `T.launch_thread` with the attribute's value gives this attribute: it takes an integer,
/// from which the variable has its dtype and its domain, and the tag says which key there is. All
/// others print as `T.attr`.
static bool IsLaunch(const AttrStmt* node) {
  const auto* about = dyn_cast_or_null<IterVarAttr>(node->node);
  if (about == nullptr || !BindsThread(node) || !node->value->dtype.is_integer()) return false;
  const IterVar* thread = about->value;
  return thread->iter_kind == IterVarKind::kThreadIndex &&
         thread->var->dtype == node->value->dtype && node->key == LaunchKey(thread->thread_tag) &&
         thread->dom != nullptr && IsConstInt(thread->dom->min, 0) &&
         thread->dom->min->dtype == node->value->dtype &&
         SameExpr(thread->dom->extent, node->value);
}

void ScriptPrinter::PrintAttrStmt(const AttrStmt* node, bool flat) {
  if (node->key == "realize_scope") {
    const auto* realize = dyn_cast<BufferRealize>(node->body);
    const auto* about = dyn_cast<BufferAttr>(node->node);
    if (realize != nullptr && about != nullptr && about->value == realize->buffer) {
      return PrintBufferRealize(realize, node->value, flat);
    }
  }
  if (IsLaunch(node)) {
    return PrintThreadAttr(node, dyn_cast<IterVarAttr>(node->node)->value, flat);
  }
  StartLine();
  if (!flat) Put("with ");
  PutT("attr(");
  const Stmt* body = node->body;
  if (rules_.merges_attrs && IsOfZero(node)) {
    body = PrintAttrDict(node);
  } else {
    PrintAttr(node->node);
    Put(", ");
    PutQuoted(node->key);
    Put(", ");
    PrintExpr(node->value);
  }
  Put(')');
  const FrameGuard frame(*this, node);
  PrintScopedBody(body, flat);
}

void ScriptPrinter::PrintThreadAttr(const AttrStmt* node, const IterVar* iter_var, bool flat) {
  if (at_once_) return GiveUp();
  StartLine();
  const FrameGuard frame(*this, node);
  const Var* var = iter_var->var;
  if (!printing_) {
    Definition& planned = scope_.Get(var);
    if (!planned.live) {
      planned.thread = node;
      scope_.TouchImplicit(planned);
    } else {
      InParentFrame([&] { UseVar(var); });
    }
  }
  const Definition& known = scope_.Get(var);
  const bool defines = scope_.fragment || (known.defined_by_thread && known.thread == node);
  if (defines) scope_.Define(var, var->name);
  if (!flat) Put("with ");
  if (flat && defines) {
    PutNameOf(var, var->name);
    Put(" = ");
  }
  PutT("launch_thread(");
  if (defines) {
    PutQuoted(iter_var->thread_tag);
  } else {
    PutNameOf(var, var->name);
  }
  Put(", ");
  InParentFrame([&] { PrintExpr(node->value); });
  Put(')');
  if (!flat && defines) {
    Put(" as ");
    PutNameOf(var, var->name);
  }
  PrintScopedBody(node->body, flat);
}

void ScriptPrinter::PrintBufferRealize(const BufferRealize* node, const Expr* scope, bool flat) {
  StartLine();
  if (!flat) Put("with ");
  PutT("realize(");
  UseBuffer(node->buffer);
  PrintRegion(node->bounds, /*always_slices=*/true);
  if (scope != nullptr) {
    Put(", ");
    PrintExpr(scope);
  } else if (!node->scope.empty()) {
    Put(", ");
    PutQuoted(node->scope);
  }
  if (!IsConstInt(node->condition, 1)) {
    Put(", condition=");
    PrintExpr(node->condition);
  }
  Put(')');
  const FrameGuard frame(*this, node);
  PrintScopedBody(node->body, flat);
}

void ScriptPrinter::PrintProducerRealize(const ProducerRealize* node) {
  StartLine();
  Put("with ");
  PutT("ProducerRealize(");
  PrintProducer(node->producer);
  PrintRegion(node->bounds, /*always_slices=*/false);
  Put(", ");
  PrintExpr(node->condition);
  Put(')');
  const FrameGuard frame(*this, node);
  PrintScopedBody(node->body, /*flat=*/false);
}

}  // namespace tenon
