#include "ir/attributes.h"
#include "ir/visitor.h"
#include "printer/literal.h"
#include "printer/script_printer.h"

namespace tenon {

namespace {

constexpr size_t kMostHeldBack = size_t{1} << 20;

bool HasVar(const Expr* expr) {
  if (isa<IntImm>(expr)) return false;
  bool found = false;
  Walk(expr, [&](const Node* node) {
    found = found || isa<Var>(node);
    return !found;
  });
  return found;
}

/// True if `X: T.Buffer(shape, "dtype")` describes the buffer completely.
bool IsSimple(const Buffer* buffer) {
  if (!buffer->strides.empty() || !buffer->axis_separators.empty()) return false;
  for (const Expr* extent : buffer->shape) {
    if (HasVar(extent)) return false;
  }
  return IsConstInt(buffer->elem_offset, 0) && buffer->scope() == "global" &&
         buffer->data_alignment == 64 && buffer->offset_factor == 1 &&
         buffer->buffer_kind != BufferKind::kAutoBroadcast;
}

/// The root block that the text omits, or null. Readers name that block `root`.
const Block* ImplicitRoot(const Stmt* body) {
  const auto* realize = dyn_cast<BlockRealize>(body);
  if (realize == nullptr || !realize->iter_values.empty() || !IsConstInt(realize->predicate, 1)) {
    return nullptr;
  }
  const Block* block = realize->block;
  const bool bare = (block->annotations == nullptr || block->annotations->items.empty()) &&
                    block->match_buffers.empty() && block->reads.empty() && block->writes.empty() &&
                    block->init == nullptr && block->iter_vars.empty() &&
                    block->name_hint == "root";
  if (!bare) return nullptr;
  if (!block->alloc_buffers.empty()) return block;
  if (const auto* child = dyn_cast<BlockRealize>(block->body)) {
    return child->block->iter_vars.empty() ? nullptr : block;
  }
  bool found = false;
  Walk(block->body, [&](const Node* node) {
    found = found || isa<BlockRealize>(node);
    return !found && !Expr::ClassOf(node);
  });
  return found ? block : nullptr;
}

}  // namespace

ScriptPrinter::ScriptPrinter(Dialect dialect, Symbol module_name, const PrintOptions& options,
                             MetadataCollector& metadata, Sink& sink)
    : dialect_(dialect),
      rules_(RulesOf(dialect)),
      module_name_(module_name),
      options_(options),
      metadata_(metadata),
      sink_(sink),
      scope_(dialect) {}

void ScriptPrinter::PutQuoted(std::string_view text) {
  if (printing_) AppendQuoted(sink_, text);
}

void ScriptPrinter::PutDType(DataType dtype) {
  if (printing_) AppendDType(sink_, dtype, dialect_);
}

void ScriptPrinter::PutQuotedDType(DataType dtype) {
  if (!printing_) return;
  sink_.Append('"');
  AppendDType(sink_, dtype, dialect_);
  sink_.Append('"');
}

void ScriptPrinter::PutT(std::string_view text) {
  if (!printing_) {
    uses_tir_ = true;
    return;
  }
  sink_.Append("T.");
  sink_.Append(text);
}

void ScriptPrinter::PutI(std::string_view text) {
  uses_ir_ = true;
  Put("I.");
  Put(text);
}

void ScriptPrinter::StartLine() {
  if (!printing_) return;
  const auto indent = static_cast<size_t>(indent_);
  char* room = sink_.Room(indent + 1);
  *room++ = '\n';
  std::memset(room, ' ', indent);
  sink_.Commit(room + indent);
}

void ScriptPrinter::Plan(const PrimFunc& func) {
  printing_ = false;
  uses_fields_ = false;
  scope_.StartPlan(NameOfModule());
  WalkFunction(func, {});
  printing_ = true;
}

bool ScriptPrinter::UsesTir(const Attr* attr) {
  printing_ = false;
  uses_tir_ = false;
  PrintAttr(attr);
  printing_ = true;
  return uses_tir_;
}

void ScriptPrinter::PrintFragment(const Node* node) {
  scope_.fragment = true;
  uses_fields_ = true;
  scope_.StartPlan(Symbol());
  scope_.StartPrint();
  const FrameGuard frame(*this, nullptr);
  if (Stmt::ClassOf(node)) {
    PrintStatement(static_cast<const Stmt*>(node), Place::kInside);
  } else if (Expr::ClassOf(node)) {
    PrintExpr(static_cast<const Expr*>(node));
  } else if (Attr::ClassOf(node)) {
    PrintAttr(static_cast<const Attr*>(node));
  } else {
    PrintPart(node);
  }
}

void ScriptPrinter::PrintPart(const Node* node) {
  switch (node->kind) {
    case NodeKind::kRange:
      return PrintRange(cast<Range>(node));
    case NodeKind::kIterVar:
      return PrintIterVar(cast<IterVar>(node));
    case NodeKind::kBuffer:
      PutNameOf(node, cast<Buffer>(node)->name);
      Put(" = ");
      return PrintBufferCall(cast<Buffer>(node), "Buffer(", nullptr, nullptr);
    case NodeKind::kBufferRegion:
      UseBuffer(cast<BufferRegion>(node)->buffer);
      return PrintRegion(cast<BufferRegion>(node)->region, /*always_slices=*/false);
    case NodeKind::kMatchBufferRegion: {
      const auto* match = cast<MatchBufferRegion>(node);
      PutNameOf(match->buffer, match->buffer->name);
      Put(" = ");
      return PrintBufferCall(match->buffer, "match_buffer(", nullptr, match->source);
    }
    case NodeKind::kCommReducer:
      return PrintCommReducer(cast<CommReducer>(node));
    case NodeKind::kMapItem:
      PrintAttr(cast<MapItem>(node)->key);
      Put(": ");
      return PrintAttr(cast<MapItem>(node)->value);
    default:
      TENON_UNREACHABLE();
  }
}

void ScriptPrinter::PrintFunction(const PrimFunc& func, std::string_view name, int indent) {
  if (PrintAtOnce(func, name, indent)) return;
  Plan(func);
  PrintWalked(func, name, indent);
}

bool ScriptPrinter::PrintAtOnce(const PrimFunc& func, std::string_view name, int indent) {
  const size_t start = sink_.size();
  sink_.Hold();
  at_once_ = true;
  given_up_ = false;
  hold_limit_ = start + kMostHeldBack;
  scope_.StartPlan(NameOfModule());
  PrintWalked(func, name, indent);
  at_once_ = false;
  if (given_up_) sink_.RollBack(start);
  sink_.Release();
  return !given_up_;
}

void ScriptPrinter::PrintWalked(const PrimFunc& func, std::string_view name, int indent) {
  annotated_.clear();
  bound_.clear();
  for (size_t i = 0; i < func.params.size(); ++i) annotated_.push_back(IsAnnotated(func, i));
  scope_.StartPrint();
  indent_ = indent;
  PrintDecorator(func);
  StartLine();
  Put("def ");
  Put(name);
  Put('(');
  indent_ = indent + kIndent;
  WalkFunction(func, name);
  indent_ = indent;
}

void ScriptPrinter::PrintDecorator(const PrimFunc& func) {
  const bool is_private = func.FindAttr(attr_key::kGlobalSymbol) == nullptr;
  const bool is_s_tir = rules_.marks_s_tir && IsTrue(func.FindAttr(attr_key::kSTir));
  StartLine();
  Put('@');
  PutT("prim_func");
  if (is_private || is_s_tir) Put('(');
  if (is_private) Put("private=True");
  if (is_private && is_s_tir) Put(", ");
  if (is_s_tir) Put("s_tir=True");
  if (is_private || is_s_tir) Put(')');
}

/// True if the parameter is only used as the handle of a simple buffer. Known after the first walk.
bool ScriptPrinter::IsAnnotated(const PrimFunc& func, size_t param) {
  const Buffer* buffer = func.buffers[param];
  if (buffer == nullptr) return false;
  const bool fits =
      rules_.annotates_all_params
          ? buffer->buffer_kind != BufferKind::kAutoBroadcast && buffer->axis_separators.empty()
          : IsSimple(buffer);
  if (!fits) return false;
  const Definition* definition = scope_.Find(func.params[param]);
  if (definition != nullptr && definition->uses > 0) return false;
  if (func.params[param]->type->is_pointer()) return false;
  for (size_t i = 0; i < func.buffers.size(); ++i) {
    if (i == param) continue;
    if (func.params[i] == func.params[param]) return false;
    if (func.buffers[i] != nullptr && func.buffers[i]->data == buffer->data) return false;
  }
  return true;
}

void ScriptPrinter::WalkFunction(const PrimFunc& func, std::string_view name) {
  const FrameGuard frame(*this, &func);
  if (rules_.annotates_all_params) DefineTypeVars(func);
  PrintParams(func);
  PrintFunctionAttrs(func, name);
  PrintMatchBuffers(func);
  PrintFunctionBody(func);
}

void ScriptPrinter::PrintParams(const PrimFunc& func) {
  for (size_t i = 0; i < func.params.size(); ++i) {
    if (i > 0) Put(", ");
    const Var* param = func.params[i];
    if (printing_ && annotated_[i]) {
      const Buffer* buffer = func.buffers[i];
      Definition& definition = scope_.Define(buffer, buffer->name);
      PutName(definition);
      if (rules_.annotates_all_params) {
        definition.is_scalar = !IsTrue(func.FindAttr(attr_key::kSTir));
        PrintFullParam(buffer);
        continue;
      }
      PrepareBuffer(buffer, Brings::kData, /*implicit=*/false);
      Put(": ");
      PrintBufferAnnotation(buffer);
      continue;
    }
    PutName(scope_.Define(param, param->name));
    Put(": ");
    PrintType(param->type);
    bound_.insert(param);
  }
  Put(')');
  if (func.ret_type != nullptr && func.ret_type->kind != Type::Kind::kVoid) {
    Put(" -> ");
    PrintType(func.ret_type);
  }
  Put(':');
}

void ScriptPrinter::PrintFunctionAttrs(const PrimFunc& func, std::string_view name) {
  const std::string_view* symbol = AsString(func.FindAttr(attr_key::kGlobalSymbol));
  const bool known = symbol != nullptr && *symbol == name;
  for (const std::vector<const Var*>& line : shape_lines_) PrintVarLine(line);
  NextStatement();
  const bool marked = func.FindAttr(attr_key::kSTir) != nullptr;  // the decorator says it
  if (func.attrs->items.size() <= (known ? 1U : 0U) + (marked ? 1U : 0U)) return;
  StartLine();
  PutT("func_attr(");
  Put('{');
  bool first = true;
  for (const MapItem* item : func.attrs->items) {
    const std::string_view* key = AsString(item->key);
    if (known && key != nullptr && *key == attr_key::kGlobalSymbol) continue;
    if (key != nullptr && *key == attr_key::kSTir) continue;
    if (!first) Put(", ");
    first = false;
    attrs_of_ = &func;
    in_annotations_ = true;
    if (key != nullptr) {
      PrintAttrKey(*key);
    } else {
      PrintAttr(item->key);
    }
    Put(": ");
    const auto* claim = dyn_cast<MapAttr>(item->value);
    if (claim != nullptr && key != nullptr && *key == attr_key::kOp) {
      PrintMap(claim, /*first_key=*/"kind");
    } else {
      PrintAttr(item->value);
    }
    attrs_of_ = nullptr;
    in_annotations_ = false;
  }
  Put("})");
}

/// TVM's own keys begin with the dialect's name.
void ScriptPrinter::PrintAttrKey(std::string_view key) {
  constexpr std::string_view kPrefix = "tir.";
  if (!key.starts_with(kPrefix)) return PutQuoted(key);
  Put('"');
  Put(rules_.attr_prefix);
  Put(key.substr(kPrefix.size()));
  Put('"');
}

void ScriptPrinter::PrintMatchBuffers(const PrimFunc& func) {
  for (size_t i = 0; i < func.params.size(); ++i) {
    const Buffer* buffer = func.buffers[i];
    if (buffer == nullptr) continue;
    NextStatement();
    if (printing_ && annotated_[i]) continue;
    const Definition& definition = scope_.Define(buffer, buffer->name);
    PrepareBuffer(buffer, Brings::kData, /*implicit=*/false);
    StartLine();
    PutName(definition);
    Put(" = ");
    PrintBufferCall(buffer, "match_buffer(", func.params[i], nullptr);
  }
}

void ScriptPrinter::PrintFunctionBody(const PrimFunc& func) {
  const Block* root = ImplicitRoot(func.body);
  if (root == nullptr) return PrintBody(func.body);
  StartLine();
  Put("# with T.");
  Put(rules_.block);
  Put("\"root\"):");
  for (const Buffer* buffer : root->alloc_buffers) PrintAllocBuffer(buffer);
  PrintBody(root->body);
}

}  // namespace tenon
