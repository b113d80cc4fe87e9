#include "absl/container/inlined_vector.h"
#include "ir/visitor.h"
#include "printer/literal.h"
#include "printer/script_printer.h"

namespace tenon {

namespace {

template <class F>
void ForEachFieldExpr(const Buffer* buffer, F&& f) {
  for (const Expr* extent : buffer->shape) f(extent);
  f(static_cast<const Expr*>(buffer->data));
  for (const Expr* stride : buffer->strides) f(stride);
  f(buffer->elem_offset);
}

int CountInFields(const Buffer* buffer, const Var* var) {
  int count = 0;
  ForEachFieldExpr(buffer, [&](const Expr* field) {
    if (isa<IntImm>(field)) return;
    Walk(field, [&](const Node* node) {
      if (node == var) ++count;
      return !isa<Buffer>(node);
    });
  });
  return count;
}

/// The dtype that a reader assigns to a generated offset or stride, and to a zero offset.
DataType IndexDType(const Buffer* buffer) {
  return buffer->shape.empty() ? DataType::Int(32) : buffer->shape[0]->dtype;
}

}  // namespace

void ScriptPrinter::UseVar(const Var* var) {
  if (printing_) {
    if (at_once_) return PutKnown(var);
    if (!scope_.renames() && !uses_fields_) return Put(var->name.view());
    return PutNameOf(var, var->name);
  }
  Definition& definition = scope_.Get(var);
  ++definition.uses;
  if (!definition.live || definition.implicit) return scope_.TouchImplicit(definition);
  if (definition.owner == nullptr) return;
  uses_fields_ = true;
  Definition& owner = scope_.Get(definition.owner);
  if (owner.implicit) scope_.TouchImplicit(owner);
}

bool ScriptPrinter::IsScalar(const Buffer* buffer) const {
  if (buffer->buffer_kind != BufferKind::kScalar) return false;
  const Definition* definition = scope_.Find(buffer);
  return definition != nullptr && definition->live && definition->is_scalar;
}

void ScriptPrinter::UseBuffer(const Buffer* buffer) {
  UseAccessed(buffer);
  if (IsScalar(buffer)) Put(".buffer");
}

void ScriptPrinter::UseAccessed(const Buffer* buffer) {
  if (printing_) {
    if (at_once_) return PutKnown(buffer);
    if (!scope_.renames() && !scope_.fragment) return Put(buffer->name.view());
    return PutNameOf(buffer, buffer->name);
  }
  Definition& definition = scope_.Get(buffer);
  if (definition.live && !definition.implicit) return;
  if (!definition.implicit && !scope_.fragment) PrepareImplicitBuffer(buffer);
  scope_.TouchImplicit(definition);
}

/// Used without a first walk: gives up at anything that no statement defines.
void ScriptPrinter::PutKnown(const Node* node) {
  const Definition* definition = scope_.Find(node);
  if (definition == nullptr || !definition->live) return GiveUp();
  PutName(*definition);
}

void ScriptPrinter::PutName(const Definition& definition) {
  if (definition.owner == nullptr) {
    Put(definition.name.view());
    if (definition.is_storage) Put(".data");
    return;
  }
  PutNameOf(definition.owner, definition.owner->name);
  if (IsScalar(definition.owner)) Put(".buffer");
  switch (definition.part) {
    case Definition::Part::kData:
      return Put(".data");
    case Definition::Part::kElemOffset:
      return Put(".elem_offset");
    case Definition::Part::kStride:
      Put(".strides[");
      PutInt(definition.stride);
      return Put(']');
  }
}

void ScriptPrinter::PutNameOf(const Node* node, Symbol hint) {
  if (!printing_) return;
  const Definition* definition = scope_.Find(node);
  if (definition != nullptr && definition->live) return PutName(*definition);
  Put(hint.empty() ? std::string_view("v") : hint.view());
}

void ScriptPrinter::PrintType(const Type* type) {
  if (type->kind == Type::Kind::kVoid) return Put("None");
  if (!type->is_pointer()) {
    PutT("");
    return PutDType(type->dtype);
  }
  PutT("handle(");
  PrintPointee(type);
  Put(')');
}

void ScriptPrinter::PrintPointee(const Type* type) {
  const bool is_typed = !type->dtype.is_void() || !rules_.has_pointer_types;
  if (is_typed) PutQuotedDType(type->dtype);
  if (type->scope.empty()) return;
  Put(is_typed ? ", " : "storage_scope=");
  PutQuoted(type->scope.view());
}

void ScriptPrinter::PrintVarCreation(const Var* var) {
  const Type* type = var->type;
  if (type->is_pointer()) {
    PutT("handle(");
    PrintPointee(type);
    if (var->is_size_var()) Put(", ");
  } else {
    PutT("");
    PutDType(type->value_dtype());
    Put('(');
  }
  if (var->is_size_var()) Put("is_size_var=True");
  Put(')');
}

void ScriptPrinter::NextStatement() {
  for (uint32_t index : scope_.NextSlot()) PrintImplicit(scope_.At(index));
}

void ScriptPrinter::PrintImplicit(Definition& definition) {
  if (definition.defined_by_thread) return;
  if (const auto* buffer = dyn_cast<Buffer>(definition.node)) {
    scope_.Define(buffer, buffer->name);
    PrepareBuffer(buffer, Brings::kData, /*implicit=*/false);
    StartLine();
    PutName(definition);
    Put(" = ");
    if (rules_.declares_aliases) return PrintDeclaration(buffer);
    return PrintBufferCall(buffer, "Buffer(", nullptr, nullptr);
  }
  const auto* var = cast<Var>(definition.node);
  scope_.Define(var, var->name);
  StartLine();
  PutName(definition);
  Put(" = ");
  if (definition.thread == nullptr) return PrintVarCreation(var);
  PutT("env_thread(");
  PutQuoted(cast<IterVarAttr>(definition.thread->node)->value->thread_tag);
  if (var->dtype != DataType::Int(32)) {
    Put(", ");
    PutQuotedDType(var->dtype);
  }
  Put(')');
}

bool ScriptPrinter::DefineBufferField(const Buffer* buffer, const Expr* field,
                                      Definition::Part part, int stride, bool implicit) {
  const auto* var = cast<Var>(field);
  if (CountInFields(buffer, var) != 1) return false;
  if (part != Definition::Part::kData && var->dtype != DataType::Int(32) &&
      var->dtype != IndexDType(buffer)) {
    return false;
  }
  scope_.DefineField(var, buffer, part, stride, implicit);
  return true;
}

void ScriptPrinter::PrepareBuffer(const Buffer* buffer, Brings brings, bool implicit) {
  std::vector<const Var*> lines;
  const auto define = [&](const Expr* field) {
    const auto* var = cast<Var>(field);
    if (implicit) return UseVar(var);
    scope_.Define(var, var->name);
    lines.push_back(var);
  };
  const auto is_new = [&](const Expr* field) { return isa<Var>(field) && !scope_.IsLive(field); };

  for (const Expr* extent : buffer->shape) {
    if (is_new(extent)) define(extent);
  }
  if (is_new(buffer->data) &&
      (brings == Brings::kNoData ||
       !DefineBufferField(buffer, buffer->data, Definition::Part::kData, 0, implicit))) {
    define(buffer->data);
  }
  for (size_t i = 0; i < buffer->strides.size(); ++i) {
    if (is_new(buffer->strides[i]) &&
        !DefineBufferField(buffer, buffer->strides[i], Definition::Part::kStride,
                           static_cast<int>(i), implicit)) {
      define(buffer->strides[i]);
    }
  }
  if (is_new(buffer->elem_offset) &&
      !DefineBufferField(buffer, buffer->elem_offset, Definition::Part::kElemOffset, 0, implicit)) {
    define(buffer->elem_offset);
  }
  PrintVarLine(lines);
}

void ScriptPrinter::PrintVarLine(const std::vector<const Var*>& vars) {
  if (vars.empty()) return;
  StartLine();
  for (size_t i = 0; i < vars.size(); ++i) {
    if (i > 0) Put(", ");
    PutNameOf(vars[i], vars[i]->name);
  }
  Put(" = ");
  for (size_t i = 0; i < vars.size(); ++i) {
    if (i > 0) Put(", ");
    PrintVarCreation(vars[i]);
  }
}

void ScriptPrinter::PrepareImplicitBuffer(const Buffer* buffer) {
  PrepareBuffer(buffer, Brings::kData, /*implicit=*/true);
  PrintBufferCall(buffer, "Buffer(", nullptr, nullptr);
  Definition& definition = scope_.Get(buffer);
  const auto add = [&](const Node* node) {
    const Definition* used = scope_.Find(node);
    if (used != nullptr && used->owner != nullptr && used->owner != buffer) {
      used = scope_.Find(used->owner);
    }
    if (used != nullptr && used->implicit) definition.parts.push_back(used->index);
  };
  ForEachFieldExpr(buffer, [&](const Expr* field) {
    if (isa<IntImm>(field)) return;
    Walk(field, [&](const Node* node) {
      if (isa<Var>(node) || isa<Buffer>(node)) add(node);
      return !isa<Buffer>(node);
    });
  });
}

bool ScriptPrinter::IsOwnField(const Buffer* buffer, const Expr* field) {
  if (!isa<Var>(field)) return false;
  const Definition* definition = scope_.Find(field);
  return definition != nullptr && definition->live && definition->owner == buffer;
}

void ScriptPrinter::PrintBufferAnnotation(const Buffer* buffer) {
  PutT("Buffer(");
  PrintTuple(buffer->shape);
  Put(", ");
  PutQuotedDType(buffer->dtype);
  Put(')');
}

void ScriptPrinter::PrintBufferCall(const Buffer* buffer, std::string_view method,
                                    const Var* source_var, const BufferRegion* source) {
  PutT(method);
  if (source_var != nullptr) {
    PutNameOf(source_var, source_var->name);
    Put(", ");
  } else if (source != nullptr) {
    UseBuffer(source->buffer);
    PrintRegion(source->region, /*always_slices=*/false);
    Put(", ");
  }
  PrintTuple(buffer->shape);
  if (buffer->dtype != DataType::Float(32)) {
    Put(", ");
    PutQuotedDType(buffer->dtype);
  }
  PrintBufferKeywords(buffer);
  Put(')');
}

/// TVM omits zero offsets. A zero offset is written only if a reader would otherwise assume a
/// different offset.
bool ScriptPrinter::PrintsElemOffset(const Buffer* buffer) const {
  if (!IsConstInt(buffer->elem_offset, 0)) return true;
  return buffer->offset_factor != 1 || buffer->elem_offset->dtype != IndexDType(buffer);
}

void ScriptPrinter::PrintBufferKeywords(const Buffer* buffer) {
  if (!IsOwnField(buffer, buffer->data)) {
    Put(", data=");
    const Buffer* source = printing_ ? AliasedBy(buffer) : nullptr;
    if (source == nullptr) {
      UseVar(buffer->data);
    } else {
      PutNameOf(source, source->name);
      Put(IsScalar(source) ? ".buffer.data" : ".data");
    }
  }
  PrintStrides(buffer);
  PrintElemOffset(buffer);
  if (buffer->scope() != "global") {
    Put(", scope=");
    PutQuoted(buffer->scope());
  }
  PrintPlacement(buffer);
}

void ScriptPrinter::PrintStrides(const Buffer* buffer) {
  if (buffer->strides.empty()) return;
  Put(", strides=(");
  for (size_t i = 0; i < buffer->strides.size(); ++i) {
    if (i > 0) Put(", ");
    const Expr* stride = buffer->strides[i];
    if (IsOwnField(buffer, stride)) {
      PutQuoted(cast<Var>(stride)->name.view());
    } else {
      PrintExpr(stride);
    }
  }
  Put(buffer->strides.size() == 1 ? ",)" : ")");
}

void ScriptPrinter::PrintElemOffset(const Buffer* buffer) {
  if (IsOwnField(buffer, buffer->elem_offset) || !PrintsElemOffset(buffer)) return;
  Put(", elem_offset=");
  PrintExpr(buffer->elem_offset);
}

void ScriptPrinter::PrintPlacement(const Buffer* buffer) {
  if (buffer->data_alignment != 64) {
    Put(", align=");
    PutInt(buffer->data_alignment);
  }
  if (IsOwnField(buffer, buffer->elem_offset) || buffer->offset_factor != 1) {
    Put(", offset_factor=");
    PutInt(buffer->offset_factor);
  }
  if (buffer->buffer_kind == BufferKind::kAutoBroadcast) Put(", buffer_type=\"auto\"");
  if (!buffer->axis_separators.empty()) {
    Put(", axis_separators=");
    PrintList(buffer->axis_separators);
  }
}

}  // namespace tenon
