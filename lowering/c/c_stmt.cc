// Statements and declarations. Everything that a function declares is counted before it is written,
// since compilers warn about unused variables. A block opens only where names would otherwise
// clash.

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "analysis/store_order.h"
#include "ir/analysis/gnu_vectors.h"
#include "ir/analysis/node_queries.h"
#include "ir/analysis/param_names.h"
#include "ir/attributes.h"
#include "ir/builtins.h"
#include "ir/extents.h"
#include "ir/overlaps.h"
#include "ir/storage_defaults.h"
#include "ir/thread_binding.h"
#include "lowering/c/c_internal.h"
#include "lowering/entry/library_calls.h"

namespace tenon::c_lowering {

namespace {

bool HasReturn(const Stmt* body) {
  bool found = false;
  Walk(body, [&](const Node* node) {
    const auto* call = dyn_cast<Call>(node);
    found |= call != nullptr && call->op->kind == OpKind::kRet;
    return !found;
  });
  return found;
}

/// The iterations of a short loop without inner loops, which faster code writes out: the taps of a
/// depthwise convolution, for example. 0 for other loops. With a function for each operator, this
/// took gcc's code for kws_int8 from 7.57 to 5.71 million instructions on a Cortex-M4.
int64_t IterationsToWriteOut(const For* loop) {
  constexpr int64_t kMostIterations = 4;
  constexpr int64_t kMostStores = 16;
  const int64_t* extent = AsIntImm(loop->extent);
  if (extent == nullptr || *extent < 2 || *extent > kMostIterations || HasLoop(loop->body))
    return 0;
  int64_t stores = 0;
  bool has_calls = false;
  Walk(loop->body, [&](const Node* node) {
    stores += isa<BufferStore>(node) ? 1 : 0;
    has_calls |= isa<Call>(node) && cast<Call>(node)->op->kind != OpKind::kIfThenElse;
    return true;
  });
  return !has_calls && *extent * stores <= kMostStores ? *extent : 0;
}

/// A negative literal without the parentheses that it has in an expression.
std::string Bare(std::string text) {
  const bool literal = text.starts_with("(-") && text.find_first_of(" (", 1) == std::string::npos;
  return literal ? text.substr(1, text.size() - 2) : text;
}

}  // namespace

FunctionEmitter::FunctionEmitter(ModuleState& state, const Function& function)
    : state_(state),
      function_(function),
      roots_(*function.func),
      analyzer_(state.module.context(), arena_),
      in_order_(LoopsThatStoreInOrder(*function.func)) {
  CountOccurrences();
  Walk(function.func->body, [&](const Node* node) {
    if (std::string called = LibraryCall(node); !called.empty()) names_.Reserve(std::move(called));
    return true;
  });
  // A local with the name of a function would hide the function.
  for (const CallSite& call : state.effects.Of(function).calls) {
    if (call.callee == nullptr) names_.Reserve(SanitizeName(call.name));
  }
}

void FunctionEmitter::CountOccurrences() {
  std::vector<const LetStmt*> addresses;
  const auto count = [&](const Node* root, int by) {
    Walk(root, [&](const Node* node) {
      if (const auto* var = dyn_cast<Var>(node)) occurrences_[var] += by;
      return true;
    });
  };
  Walk(function_.func->body, [&](const Node* node) {
    const auto* let = dyn_cast<LetStmt>(node);
    if (let != nullptr && let->var->dtype.is_handle()) addresses.push_back(let);
    // C declares no views of storage.
    if (const auto* view = dyn_cast<DeclBuffer>(node)) count(view->buffer, -1);
    if (const auto* var = dyn_cast<Var>(node)) ++occurrences_[var];
    return !isa<Prefetch>(node);
  });
  // C leaves out unused addresses, the innermost first: they may be all that uses outer ones.
  for (size_t i = addresses.size(); i-- > 0;) {
    if (!IsUsed(addresses[i]->var, 1)) count(addresses[i]->value, -1);
  }
}

void FunctionEmitter::NoteIfUnread(const std::string& name, size_t at) {
  if (!read_.contains(name))
    out_.insert(at, fmt::format("{:{}}(void){};\n", "", indent_ * 2, name));
}

bool FunctionEmitter::IsUsed(const Var* var, int definitions) const {
  const auto found = occurrences_.find(var);
  return found != occurrences_.end() && found->second > definitions;
}

const std::string& FunctionEmitter::NameOf(const Var* var) {
  const auto found = name_of_.find(var);
  return found != name_of_.end() ? found->second : Declare(var);
}

const std::string& FunctionEmitter::Declare(const Var* var) {
  std::string name = LocalName(var->name.view());
  read_.erase(name);
  return name_of_[var] = std::move(name);
}

std::string FunctionEmitter::LocalName(std::string_view name) {
  // A name that begins with the prefix may be a function, a constant or a macro of the module.
  const std::string identifier = SanitizeName(name);
  const bool is_global = identifier.starts_with(state_.prefix) ||
                         identifier.starts_with("tvmgen_") || IsMacroOf(state_.prefix, identifier);
  return names_.Unique(is_global ? "local_" + identifier : identifier);
}

bool FunctionEmitter::IsConst(const Var* pointer) const {
  return const_roots_.contains(roots_.RootOf(pointer));
}

std::string FunctionEmitter::PointerDeclarator(const Var* var, const Type& type, bool is_const,
                                               bool restricted) {
  const std::string_view element = type.is_pointer() ? ElementType(type.dtype) : "void";
  return fmt::format("{}{}*{} {}", is_const ? "const " : "", element,
                     restricted ? " TENON_RESTRICT" : "", NameOf(var));
}

void FunctionEmitter::Line(std::string_view text) {
  out_.append(static_cast<size_t>(indent_) * 2, ' ');
  out_ += text;
  out_ += '\n';
}

void FunctionEmitter::Guarded(std::string_view condition, std::string_view statement) {
  Line(fmt::format("if ({}) {{", condition));
  ++indent_;
  Line(statement);
  --indent_;
  Line("}");
}

void FunctionEmitter::Unsupported(const Stmt* stmt, std::string_view what) {
  state_.Error(stmt->range, fmt::format("cannot generate C for {}", what));
}

void FunctionEmitter::Declarators(std::vector<std::string>& params) {
  const PrimFunc& func = *function_.func;
  const std::vector<ArgumentEffect>& effects = state_.effects.Of(function_).params;
  for (size_t i = 0; i < func.params.size(); ++i) {
    const Var* param = func.params[i];
    const Buffer* buffer = func.buffers[i];
    std::string& declarator = params.emplace_back();
    if (!param->dtype.is_handle()) {
      declarator = fmt::format("{} {}", CType(param->dtype), Declare(param));
      continue;
    }
    // A handle and the data of its buffer are one pointer.
    const Var* data = buffer != nullptr ? buffer->data : param;
    // Two statements: the second entry may move the first one.
    const std::string name = LocalName(ParamName(func, i));
    name_of_[param] = name;
    name_of_[data] = name;
    const bool is_const = !effects[i].writes;
    if (is_const) {
      const_roots_[param] = true;
      const_roots_[data] = true;
    }
    const bool noalias = IsNoAliasParam(func, i);
    declarator = PointerDeclarator(data, *data->type, is_const, noalias);
    if (noalias) restricted_names_.insert(name_of_[data]);
  }
}

std::string FunctionEmitter::Emit(bool is_static) {
  const PrimFunc& func = *function_.func;
  const std::string& name = state_.function_names.at(function_.name);
  names_.Reserve(name);
  const bool is_void = func.ret_type->kind == Type::Kind::kVoid;
  const std::string mapped = MapResult();
  if (IsEntryFunction() && !is_static) {
    // The structs of the header have these names.
    for (const Var* param : func.params) {
      name_of_[param] = param->name.view();
      names_.Reserve(name_of_[param]);
    }
    declaration_ = EntryDeclaration(*state_.entry.abi, EntryFunctionOf(function_));
    if (!mapped.empty()) Line(fmt::format("{} {};", mapped, NameOf(func.params[0])));
  } else {
    std::vector<std::string> params;
    Declarators(params);
    const std::string_view result = is_void ? "int32_t" : CType(func.ret_type->value_dtype());
    const bool is_apart =
        is_static && HasLoop(func.body) &&
        (state_.options.is_small_machine || state_.called_in_loops.contains(function_.name));
    declaration_ = CSignature(fmt::format("{}{}{} {}", is_static ? "static " : "",
                                          is_apart ? "TENON_APART " : "", result, name),
                              params);
  }
  const size_t begin = out_.size();
  if (state_.constant_pools != nullptr && !IsEntryFunction()) {
    constant_uses_ =
        std::make_unique<const ConstantUses>(state_, *state_.constant_pools, function_);
    CheckConstants(constant_uses_->Loaded());
  }
  Statement(func.body);
  OperatorsEnd();
  // A function that returns its first parameter has it as a variable.
  for (size_t i = func.params.size(); i-- > (mapped.empty() ? 0 : 1);)
    NoteIfUnread(name_of_.at(func.params[i]), begin);
  if (!mapped.empty()) {
    Line(fmt::format("return {};", NameOf(func.params[0])));
  } else if (is_void || !HasReturn(func.body)) {
    Line("return 0;");
  }
  return fmt::format("{}{} {{\n{}}}\n", loop_functions_, declaration_, out_);
}

void FunctionEmitter::Body(const Stmt* stmt) {
  const size_t names = names_.Mark();
  const bool ends_block = std::exchange(ends_block_, true);
  ++indent_;
  Statement(stmt);
  --indent_;
  ends_block_ = ends_block;
  names_.Rewind(names);
}

void FunctionEmitter::OperatorHead(size_t index) {
  constexpr size_t kMostText = 400;
  const OperatorNote& note = state_.operators[index];
  Line(fmt::format("/* {}. {}{}{} */", index + 1, note.name, note.text.empty() ? "" : ": ",
                   CommentText(note.text, kMostText)));
  Line(fmt::format("TENON_HOOK(\"{}\", {});", note.name, index + 1));
}

void FunctionEmitter::OperatorsEnd() {
  if (state_.operators.empty() || &function_ != state_.module.Main()) return;
  Line(fmt::format("TENON_HOOK(\"end\", {});", state_.operators.size() + 1));
}

void FunctionEmitter::Statement(const Stmt* stmt) {
  // Hooks are called by one thread.
  const auto found = state_.operator_of.find(stmt);
  if (found != state_.operator_of.end() && !is_in_threads_) OperatorHead(found->second);
  if (constant_uses_ == nullptr || checks_are_done_) return StatementOf(stmt);
  CheckBefore(stmt);
  checks_are_done_ = isa<For>(stmt) || isa<While>(stmt) ||
                     (isa<AttrStmt>(stmt) && BindsThread(cast<AttrStmt>(stmt)));
  StatementOf(stmt);
  checks_are_done_ = false;
}

void FunctionEmitter::StatementOf(const Stmt* stmt) {
  WithStack([&] {
    switch (stmt->kind) {
      case NodeKind::kSeqStmt:
        return Sequence(cast<SeqStmt>(stmt));
      case NodeKind::kBufferStore:
        return StoreStatement(cast<BufferStore>(stmt));
      case NodeKind::kFor:
        return LoopStatement(cast<For>(stmt));
      case NodeKind::kWhile:
        return WhileStatement(cast<While>(stmt));
      case NodeKind::kIfThenElse:
        return IfStatement(cast<IfThenElse>(stmt));
      case NodeKind::kLetStmt:
        return LetStatement(cast<LetStmt>(stmt));
      case NodeKind::kAllocate:
        return AllocateStatement(cast<Allocate>(stmt));
      case NodeKind::kAllocateConst:
        return ConstantStatement(cast<AllocateConst>(stmt));
      case NodeKind::kEvaluate:
        return EvaluateStatement(cast<Evaluate>(stmt));
      case NodeKind::kDeclBuffer:
        return Statement(cast<DeclBuffer>(stmt)->body);
      case NodeKind::kAttrStmt:
        return AttrStatement(cast<AttrStmt>(stmt));
      case NodeKind::kPrefetch:
        return;
      case NodeKind::kAssertStmt: {
        const auto* assertion = cast<AssertStmt>(stmt);
        const auto* message = dyn_cast<StringImm>(assertion->message);
        const std::string why = message == nullptr ? "" : CommentText(message->value);
        Guarded(fmt::format("!({})", Argument(assertion->condition)),
                why.empty() ? "return -1;" : fmt::format("return -1; /* {} */", why));
        return Statement(assertion->body);
      }
      default:
        return Unsupported(stmt, fmt::format("a {} (run lower-blocks)", NodeKindName(stmt->kind)));
    }
  });
}

/// A statement that declares names gets its own block, unless it is the last one of its block. So
/// scopes that begin one after the other and end together do not nest.
void FunctionEmitter::Sequence(const SeqStmt* seq) {
  const bool ends_block = ends_block_;
  for (size_t i = 0; i < seq->seq.size(); ++i) {
    const Stmt* child = seq->seq[i];
    ends_block_ = ends_block && i + 1 == seq->seq.size();
    const bool declares = isa<LetStmt>(child) || isa<Allocate>(child) || isa<AllocateConst>(child);
    if (declares && !ends_block_) {
      Line("{");
      Body(child);
      Line("}");
    } else {
      Statement(child);
    }
  }
  ends_block_ = ends_block;
}

void FunctionEmitter::StoreStatement(const BufferStore* store) {
  if (store->predicate != nullptr && !IsConstInt(store->predicate, 1)) {
    return Unsupported(store, "a store with a predicate (run lower-vectors)");
  }
  if (IsGnuVectorStore(store)) return VectorStatement(store, store->value);
  Text value = Expression(store->value);
  if (store->value->dtype.is_bool()) {
    value = {fmt::format("(uint8_t){}", In(std::move(value), Binding::kUnary)), Binding::kUnary, 1};
  }
  // GCC treats the type of an element as different from C's own.
  const std::string own = fmt::format("({})", CType(store->value->dtype));
  if (WidensSigned(store->value) && value.text.starts_with(own))
    value.text.replace(1, own.size() - 2, ElementType(store->value->dtype));
  const std::string element =
      Element(store->buffer, store->indices, store->range, /*is_stored=*/true);
  Line(fmt::format("{} = {};", element, value.text));
}

const Expr* FunctionEmitter::Once(const Expr* expr, std::string_view name) {
  bool varies = false;
  Walk(expr, [&](const Node* node) {
    varies |= isa<BufferLoad>(node) || isa<Call>(node);
    return !varies;
  });
  if (!varies) return expr;
  const std::string text = Expression(expr).text;
  Context& context = state_.module.context();
  const Var* var = arena_.New<Var>(context.Intern(name), context.PrimType(expr->dtype));
  name_of_[var] = names_.Unique(name);
  analyzer_.BindValue(var, expr);
  Line(fmt::format("const {} {} = {};", CType(expr->dtype), name_of_[var], text));
  return var;
}

/// Threads run one after the other.
void FunctionEmitter::AttrStatement(const AttrStmt* attr) {
  if (attr->key == attr_key::kEntryLoad && IsEntryFunction()) return LoadStatement(attr);
  const Var* var = ThreadVar(attr);
  if (var == nullptr || std::find(threads_.begin(), threads_.end(), var) != threads_.end())
    return Statement(attr->body);
  // The analyzer keeps what it has seen.
  For loop(var, arena_.New<IntImm>(var->dtype, 0), attr->value, ForKind::kSerial, attr->body);
  loop.range = attr->range;
  threads_.push_back(var);
  LoopStatement(&loop);
  threads_.pop_back();
}

bool FunctionEmitter::EndFits(const For* loop) {
  return IsConstInt(loop->min, 0) ||
         analyzer_.ProvenNoWrap(arena_.New<Add>(loop->min, loop->extent));
}

void FunctionEmitter::LoopStatement(const For* loop) {
  if (IsParallel(loop)) return ParallelLoop(loop);
  const Analyzer::Scope scope(analyzer_);
  if (!EndFits(loop)) return CountedLoop(loop);
  const size_t names = names_.Mark();
  const std::string_view base = loop->loop_var->name.view();
  const DataType dtype = loop->loop_var->dtype;
  std::string min = "0";
  std::string end;
  if (IsConstInt(loop->min, 0)) {
    end = In(Expression(Once(loop->extent, fmt::format("{}_end", base))), Binding::kShift);
  } else {
    const int64_t* first = AsIntImm(loop->min);
    const int64_t* count = AsIntImm(loop->extent);
    Text from = Expression(Once(loop->min, fmt::format("{}_begin", base)));
    min = from.text;
    if (first != nullptr && count != nullptr) {
      end = IntLiteral(*first + std::max<int64_t>(*count, 0), dtype);
    } else {
      const Text to = Expression(Once(loop->extent, fmt::format("{}_extent", base)));
      end = fmt::format("{} + {}", In(std::move(from), Binding::kAdd), In(to, Binding::kMul));
    }
  }
  analyzer_.BindLoop(loop);
  // The name of the loop variable is free again after the loop. Names of the bounds are not, if the
  // following statements are in the same block.
  const bool declares = names_.Mark() != names;
  const size_t variable = names_.Mark();
  const std::string var = Declare(loop->loop_var);
  if (const int64_t times = state_.options.is_small_machine ? IterationsToWriteOut(loop) : 0;
      times > 0)
    Line(fmt::format("TENON_UNROLL({})", times));
  Line(fmt::format("for ({0} {1} = {2}; {1} < {3}; ++{1}) {{", CType(dtype), var, min, end));
  if (in_order_.contains(loop->loop_var)) Line("  TENON_KEEP_ORDER();");
  Body(loop->body);
  Line("}");
  names_.Rewind(declares ? variable : names);
}

/// Emits a loop that counts from 0, whose variable can reach the end. `min + n` wraps as in the IR.
void FunctionEmitter::CountedLoop(const For* loop) {
  const std::string_view base = loop->loop_var->name.view();
  const Expr* min = Once(loop->min, fmt::format("{}_begin", base));
  const Expr* extent = Once(loop->extent, fmt::format("{}_extent", base));
  const Expr* zero = arena_.New<IntImm>(loop->loop_var->dtype, 0);
  const Var* counter = arena_.New<Var>(state_.module.context().Intern("n"), loop->loop_var->type);
  const Expr* value = arena_.New<Add>(min, counter);
  const Stmt* body = arena_.New<LetStmt>(loop->loop_var, value, loop->body);
  For* counted = arena_.New<For>(counter, zero, extent, ForKind::kSerial, body);
  counted->range = loop->range;
  if (in_order_.contains(loop->loop_var)) in_order_.insert(counter);
  LoopStatement(counted);
}

void FunctionEmitter::WhileStatement(const While* loop) {
  // No part of the condition may be hoisted out of the loop.
  ++guards_;
  const std::string condition = Argument(loop->condition);
  --guards_;
  Line(fmt::format("while ({}) {{", condition));
  Body(loop->body);
  Line("}");
}

void FunctionEmitter::IfStatement(const IfThenElse* branch) {
  Line(fmt::format("if ({}) {{", Argument(branch->condition)));
  {
    const Analyzer::Scope scope(analyzer_);
    analyzer_.Assume(branch->condition);
    Branch(branch->then_case);
  }
  if (branch->else_case != nullptr) {
    Line("} else {");
    Branch(branch->else_case);
  }
  Line("}");
}

void FunctionEmitter::LetStatement(const LetStmt* let) {
  const Var* var = let->var;
  if (var->dtype.is_handle()) {
    // An unused address.
    if (!IsUsed(var, 1)) return Statement(let->body);
    if (IsConstData(let->value)) const_roots_[var] = true;
    const bool is_const = IsConst(var);
    const Text value = Expression(let->value);
    const std::string declarator =
        PointerDeclarator(var, *var->type, is_const, /*restricted=*/false);
    const std::string_view element =
        var->type->is_pointer() ? ElementType(var->type->dtype) : "void";
    Line(fmt::format("{} = ({}{}*)({});", declarator, is_const ? "const " : "", element,
                     value.text));
  } else {
    Text value = Expression(let->value);
    const std::string_view conversion = var->dtype.is_bool() ? "(uint8_t)" : "";
    analyzer_.BindValue(var, let->value);
    const std::string text =
        conversion.empty() ? std::move(value.text) : In(std::move(value), Binding::kUnary);
    Line(fmt::format("const {} {} = {}{};", CType(var->dtype), Declare(var), conversion, text));
  }
  const size_t after = out_.size();
  Statement(let->body);
  NoteIfUnread(NameOf(var), after);
}

void FunctionEmitter::AllocateStatement(const Allocate* allocate) {
  const std::optional<int64_t> bytes = StaticBytes(allocate->dtype, allocate->extents);
  if (!bytes) {
    return Unsupported(allocate, fmt::format("the allocation `{}`, whose size is not constant",
                                             allocate->buffer_var->name.view()));
  }
  if (*bytes >= kStackLimit) {
    return Unsupported(
        allocate,
        fmt::format("the unplanned allocation `{}` of {} bytes: the stack takes less than {}",
                    allocate->buffer_var->name.view(), *bytes, kStackLimit));
  }
  const std::string name = Declare(allocate->buffer_var);
  Line(fmt::format("{} {}[{}] TENON_ALIGNED({});", ElementType(allocate->dtype), name,
                   std::max<int64_t>(*bytes / allocate->dtype.element_bytes(), 1),
                   state_.options.workspace_alignment));
  arrays_.insert(allocate->buffer_var);
  const size_t after = out_.size();
  Statement(allocate->body);
  NoteIfUnread(name, after);
}

void FunctionEmitter::ConstantStatement(const AllocateConst* allocate) {
  const_roots_[allocate->buffer_var] = true;
  if (allocate->data == nullptr || !allocate->data->has_bytes()) {
    return Unsupported(allocate, fmt::format("the constant `{}`, whose data was left out",
                                             allocate->buffer_var->name.view()));
  }
  const std::string& pool = allocate->data->placement().load;
  if (!pool.empty()) {
    return Unsupported(allocate, fmt::format("the constant `{}`, which must be loaded into `{}`, "
                                             "before memory is planned",
                                             allocate->buffer_var->name.view(), pool));
  }
  const Var* var = allocate->buffer_var;
  if (!IsUsed(var, 1)) return Statement(allocate->body);
  const PlacedConstant placed = PlaceConstant(state_, *allocate);
  if (placed.offset == 0 && var->type->is_pointer() &&
      ElementType(placed.dtype) == ElementType(var->type->dtype)) {
    name_of_[var] = placed.name;
    global_vars_.insert(var);
  } else {
    const std::string element(var->type->is_pointer() ? ElementType(var->type->dtype) : "void");
    const std::string address =
        placed.offset == 0 ? placed.name
                           : fmt::format("((const uint8_t*){} + {})", placed.name, placed.offset);
    Declare(var);
    Line(fmt::format("{} = (const {}*)(const void*){};",
                     PointerDeclarator(var, *var->type, /*is_const=*/true, /*restricted=*/false),
                     element, address));
    const size_t after = out_.size();
    Statement(allocate->body);
    return NoteIfUnread(NameOf(var), after);
  }
  Statement(allocate->body);
}

void FunctionEmitter::EvaluateStatement(const Evaluate* evaluate) {
  const auto* call = dyn_cast<Call>(evaluate->value);
  if (call == nullptr) {
    if (!isa<IntImm>(evaluate->value)) Line(fmt::format("(void)({});", Argument(evaluate->value)));
    return;
  }
  switch (call->op->kind) {
    case OpKind::kRet:
      return Line(fmt::format("return {};", Bare(StatusText(call->args[0]))));
    case OpKind::kTvmCheckReturn: {
      const std::string expected = Argument(call->args[0]);
      const std::string code = Argument(call->args[1]);
      return Guarded(fmt::format("{} != {}", In(call->args[2], Binding::kShift), expected),
                     fmt::format("return {};", Bare(code)));
    }
    case OpKind::kTvmThrowLastError:
      return Line("return -1;");
    case OpKind::kAssume:
    case OpKind::kStartProfile:
    case OpKind::kEndProfile:
      return;
    default:
      break;
  }
  if (EntryStatement(call)) return;
  const CallSite site = AsCallSite(state_.module, call);
  // Functions of the module return an error code, even if the text does not check it.
  if (site.callee != nullptr && site.callee->func->ret_type->kind == Type::Kind::kVoid) {
    return Guarded(fmt::format("{} != 0", Argument(call)), "return -1;");
  }
  Line(call->dtype.is_void() ? fmt::format("{};", Argument(call))
                             : fmt::format("(void){};", In(call, Binding::kUnary)));
}

}  // namespace tenon::c_lowering
