#include <string>

#include "ir/builtins.h"
#include "ir/visitor.h"
#include "printer/deep_equal.h"
#include "printer/script_printer.h"

// Allocations, declarations, lets and assertions of the dialect `tirx` are statements of the
// enclosing block. Their nodes own the rest of the block, as in `tir`, but the text shows no body,
// and names stay in use until the block's end.

namespace tenon {

namespace {

/// The buffer of the allocation, or null: a buffer declared directly inside, of the same type and
/// size.
const Buffer* BufferOf(const Allocate* node) {
  const auto* decl = dyn_cast<DeclBuffer>(node->body);
  if (decl == nullptr || decl->buffer->data != node->buffer_var) return nullptr;
  const bool same =
      decl->buffer->dtype == node->dtype && SameExprs(decl->buffer->shape, node->extents);
  return same ? decl->buffer : nullptr;
}

/// The store that initializes a scalar right after its allocation, or null.
const BufferStore* FirstStore(const Buffer* scalar, const Stmt* body) {
  const auto* seq = dyn_cast<SeqStmt>(body);
  const auto* store =
      dyn_cast<BufferStore>(seq != nullptr && !seq->seq.empty() ? seq->seq[0] : body);
  const bool plain = store != nullptr && store->buffer == scalar && store->predicate == nullptr &&
                     IsConstInt(store->indices[0], 0);
  if (!plain) return nullptr;
  bool reads_itself = false;
  Walk(store->value, [&](const Node* node) {
    const auto* load = dyn_cast<BufferLoad>(node);
    reads_itself |= load != nullptr && load->buffer == scalar;
    return !reads_itself;
  });
  return reads_itself ? nullptr : store;
}

}  // namespace

void ScriptPrinter::PrintFlatLet(const LetStmt* node, Place place) {
  StartLine();
  if (!printing_) PrintExpr(node->value);
  PutName(scope_.Define(node->var, node->var->name));
  Put(": ");
  PutT("let[");
  PrintType(node->var->type);
  Put("] = ");
  if (printing_) PrintExpr(node->value);
  PrintRest(node->body, place);
}

void ScriptPrinter::PrintFlatAssert(const AssertStmt* node, Place place) {
  StartLine();
  Put("assert ");
  PrintExpr(node->condition);
  Put(", (");
  const auto* parts = dyn_cast<Call>(node->message);
  if (parts != nullptr && parts->op->kind == OpKind::kTvmTuple && !parts->args.empty()) {
    PrintExpr(parts->args[0]);
    Put(", ");
    PrintList(parts->args.subspan(1));
  } else {
    Put("\"RuntimeError\", [");
    PrintExpr(node->message);
    Put(']');
  }
  Put(')');
  PrintRest(node->body, place);
}

void ScriptPrinter::PrintFlatAllocate(const Allocate* node, Place place) {
  const Buffer* buffer = BufferOf(node);
  const bool is_scalar = buffer != nullptr && buffer->buffer_kind == BufferKind::kScalar &&
                         buffer->shape.size() == 1 && IsConstInt(buffer->shape[0], 1) &&
                         buffer->strides.empty() &&
                         (node->annotations == nullptr || node->annotations->items.empty());
  if (is_scalar) return PrintScalarAllocation(node, buffer, place);
  if (buffer != nullptr) PrepareBuffer(buffer, Brings::kData, /*implicit=*/false);
  StartLine();
  const std::string_view scope =
      buffer != nullptr ? buffer->scope() : node->buffer_var->type->scope.view();
  const bool in_name = scope == "local" || scope == "shared";
  if (buffer != nullptr) {
    PutName(scope_.Define(buffer, buffer->name));
  } else {
    Definition& definition = scope_.Define(node->buffer_var, node->buffer_var->name);
    Put(definition.name.view());
    definition.is_storage = true;
    uses_fields_ = true;
  }
  Put(" = ");
  PutT(scope == "local" ? "alloc_local(" : scope == "shared" ? "alloc_shared(" : "alloc_buffer(");
  PrintTuple(node->extents);
  if (node->dtype != DataType::Float(32)) {
    Put(", ");
    PutQuotedDType(node->dtype);
  }
  if (buffer != nullptr) PrintStrides(buffer);
  if (buffer != nullptr) PrintElemOffset(buffer);
  if (!in_name && !scope.empty() && scope != "global") {
    Put(", scope=");
    PutQuoted(scope);
  }
  if (buffer != nullptr) PrintPlacement(buffer);
  PrintAnnotations(node->annotations);
  Put(')');
  PrintRest(buffer != nullptr ? cast<DeclBuffer>(node->body)->body : node->body, place);
}

void ScriptPrinter::PrintScalarAllocation(const Allocate* node, const Buffer* buffer, Place place) {
  PrepareBuffer(buffer, Brings::kData, /*implicit=*/false);
  const Stmt* body = cast<DeclBuffer>(node->body)->body;
  const BufferStore* first = buffer->scope() == "local" ? FirstStore(buffer, body) : nullptr;
  StartLine();
  if (first != nullptr && !printing_) PrintExpr(first->value);
  Definition& definition = scope_.Define(buffer, buffer->name);
  definition.is_scalar = true;
  uses_fields_ = true;
  PutName(definition);
  if (buffer->scope() != "local") {  // `x: T.int32` is always local
    Put(" = ");
    PutT("alloc_scalar(");
    PutQuotedDType(buffer->dtype);
    Put(", ");
    PutQuoted(buffer->scope());
    Put(')');
    return PrintRest(body, place);
  }
  Put(": ");
  PutT("");
  PutDType(buffer->dtype);
  if (first == nullptr) return PrintRest(body, place);
  Put(" = ");
  if (printing_) PrintExpr(first->value);
  if (first == body) return;
  const Span<const Stmt*> rest = cast<SeqStmt>(body)->seq.subspan(1);
  for (size_t i = 0; i < rest.size(); ++i) {
    const bool last = place != Place::kInside && i + 1 == rest.size();
    PrintStatement(rest[i], last ? Place::kLast : Place::kInside);
  }
}

void ScriptPrinter::PrintFlatDecl(const DeclBuffer* node, Place place) {
  const Buffer* buffer = node->buffer;
  PrepareBuffer(buffer, Brings::kNoData, /*implicit=*/false);
  StartLine();
  PutName(scope_.Define(buffer, buffer->name));
  Put(" = ");
  PrintDeclaration(buffer);
  PrintRest(node->body, place);
}

void ScriptPrinter::PrintDeclaration(const Buffer* buffer) {
  if (!PrintView(buffer)) PrintBufferCall(buffer, "decl_buffer(", nullptr, nullptr);
}

const Buffer* ScriptPrinter::AliasedBy(const Buffer* buffer) const {
  if (!rules_.has_flat_scopes || buffer->alias_of == nullptr || buffer->alias_of == buffer) {
    return nullptr;
  }
  const Definition* definition = scope_.Find(buffer->alias_of);
  if (definition == nullptr || !definition->live) return nullptr;
  const auto* source = dyn_cast<Buffer>(definition->node);
  return source != nullptr && source->data == buffer->data ? source : nullptr;
}

/// TVM's rule: the same elements with another shape, or the same bytes with another dtype, of a
/// buffer with the same alignment.
bool ScriptPrinter::PrintView(const Buffer* buffer) {
  const Buffer* parent = AliasedBy(buffer);
  if (parent == nullptr) {
    const Definition* data = scope_.Find(buffer->data);
    if (data == nullptr || !data->live || data->part != Definition::Part::kData) return false;
    parent = data->owner;
  }
  if (parent == nullptr || parent == buffer) return false;
  const bool same_place = parent->data_alignment == buffer->data_alignment &&
                          parent->offset_factor == buffer->offset_factor &&
                          SameExpr(parent->elem_offset, buffer->elem_offset) &&
                          SameExprs(parent->strides, buffer->strides);
  if (!same_place) return false;
  const bool same_shape = SameExprs(parent->shape, buffer->shape);
  if (parent->dtype == buffer->dtype && !same_shape && !buffer->shape.empty()) {
    PutNameOf(parent, parent->name);
    if (IsScalar(parent)) Put(".buffer");
    Put(".view(");
    for (size_t i = 0; i < buffer->shape.size(); ++i) {
      if (i > 0) Put(", ");
      PrintExpr(buffer->shape[i]);
    }
    Put(')');
    return true;
  }
  const size_t rank = buffer->shape.size();
  if (parent->dtype == buffer->dtype || rank == 0 || parent->shape.size() != rank) return false;
  const int64_t* from = AsIntImm(parent->shape.back());
  const int64_t* to = AsIntImm(buffer->shape.back());
  const bool same_bytes =
      from != nullptr && to != nullptr && *from < INT32_MAX && *to < INT32_MAX &&
      *from * parent->dtype.bytes() == *to * buffer->dtype.bytes() &&
      SameExprs(parent->shape.subspan(0, rank - 1), buffer->shape.subspan(0, rank - 1));
  if (!same_bytes) return false;
  PutNameOf(parent, parent->name);
  if (IsScalar(parent)) Put(".buffer");
  Put(".view(");
  PutQuotedDType(buffer->dtype);
  Put(')');
  return true;
}

const Stmt* ScriptPrinter::PrintAttrDict(const AttrStmt* node) {
  Put('{');
  const AttrStmt* attr = node;
  while (true) {
    PutQuoted(attr->key);
    Put(": ");
    PrintExpr(attr->value);
    const auto* next = dyn_cast<AttrStmt>(attr->body);
    if (next == nullptr || !IsOfZero(next)) break;
    Put(", ");
    attr = next;
  }
  Put('}');
  return attr->body;
}

}  // namespace tenon
