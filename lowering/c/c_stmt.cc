#include <fmt/format.h>

#include <algorithm>

#include "lowering/c/c_internal.h"

namespace tenon::c_lowering {

namespace {

/// Scratch that may stand on the stack. TVM's limit.
constexpr int64_t kMostStackBytes = 1024;

bool HasReturn(const Stmt* body) {
  bool found = false;
  Walk(body, [&](const Node* node) {
    const auto* call = dyn_cast<Call>(node);
    found |= call != nullptr && call->op->kind == OpKind::kRet;
    return !found;
  });
  return found;
}

}  // namespace

FunctionEmitter::FunctionEmitter(ModuleState& state, const Function& function)
    : state_(state),
      function_(function),
      roots_(*function.func),
      analyzer_(state.module.context(), arena_) {
  Walk(function.func->body, [&](const Node* node) {
    if (const auto* var = dyn_cast<Var>(node)) ++occurrences_[var];
    return true;
  });
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
  return name_of_[var] = names_.Unique(var->name.view());
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

void FunctionEmitter::Unsupported(const Stmt* stmt, std::string_view what) {
  state_.Error(stmt->range, fmt::format("C cannot be made of {}", what));
}

std::string FunctionEmitter::Emit(bool is_static) {
  const PrimFunc& func = *function_.func;
  const std::string& name = state_.function_names.at(function_.name);
  names_.Reserve(name);
  const std::vector<ArgumentEffect>& effects = state_.effects.Of(function_).params;
  const bool noalias = IsTrue(func.FindAttr("tir.noalias"));
  std::string params;
  for (size_t i = 0; i < func.params.size(); ++i) {
    const Var* param = func.params[i];
    const Buffer* buffer = func.buffers[i];
    std::string declarator;
    if (!param->dtype.is_handle()) {
      declarator = fmt::format("{} {}", CType(param->dtype), Declare(param));
    } else {
      // The handle and the data of its buffer are one pointer.
      const Var* data = buffer != nullptr ? buffer->data : param;
      name_of_[param] = name_of_[data] = names_.Unique(ParamName(func, i));
      const bool is_const = !effects[i].writes;
      if (is_const) {
        const_roots_[param] = true;
        const_roots_[data] = true;
      }
      declarator = PointerDeclarator(data, *data->type, is_const, noalias);
    }
    params += fmt::format("{}{}", i == 0 ? "" : ", ", declarator);
  }
  const bool is_void = func.ret_type->kind == Type::Kind::kVoid;
  const std::string_view result = is_void ? "int32_t" : CType(func.ret_type->value_dtype());
  declaration_ = fmt::format("{}{} {}({})", is_static ? "static " : "", result, name,
                             params.empty() ? "void" : params);
  for (size_t i = 0; i < func.params.size(); ++i) {
    const Var* param = func.params[i];
    const Var* data = func.buffers[i] != nullptr ? func.buffers[i]->data : param;
    if (!IsUsed(param, 0) && !IsUsed(data, 0)) Line(fmt::format("(void){};", name_of_.at(param)));
  }
  Statement(func.body);
  if (is_void || !HasReturn(func.body)) Line("return 0;");
  return fmt::format("{} {{\n{}}}\n", declaration_, out_);
}

void FunctionEmitter::Body(const Stmt* stmt) {
  ++indent_;
  Statement(stmt);
  --indent_;
}

void FunctionEmitter::Statement(const Stmt* stmt) {
  WithStack([&] {
    switch (stmt->kind) {
      case NodeKind::kSeqStmt:
        for (const Stmt* child : cast<SeqStmt>(stmt)->seq) {
          // What a statement declares is its own.
          const bool scoped =
              isa<LetStmt>(child) || isa<Allocate>(child) || isa<AllocateConst>(child);
          if (scoped) Line("{");
          scoped ? Body(child) : Statement(child);
          if (scoped) Line("}");
        }
        return;
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
        return Statement(cast<AttrStmt>(stmt)->body);
      case NodeKind::kPrefetch:
        return;
      case NodeKind::kAssertStmt: {
        const auto* assertion = cast<AssertStmt>(stmt);
        Line(fmt::format("if (!({})) return -1;", Argument(assertion->condition)));
        return Statement(assertion->body);
      }
      default:
        return Unsupported(stmt, fmt::format("a {} (run lower-blocks)", NodeKindName(stmt->kind)));
    }
  });
}

void FunctionEmitter::StoreStatement(const BufferStore* store) {
  if (store->predicate != nullptr && !IsConstInt(store->predicate, 1)) {
    return Unsupported(store, "a store with a predicate (run lower-vectors)");
  }
  Text value = Expression(store->value);
  if (store->value->dtype.is_bool()) {
    value = {fmt::format("(uint8_t){}", In(std::move(value), Binding::kUnary)), Binding::kUnary, 1};
  }
  const std::string element = Element(store->buffer, store->indices, store->range);
  Line(fmt::format("{} = {};", element, value.text));
}

void FunctionEmitter::LoopStatement(const For* loop) {
  const Analyzer::Scope scope(analyzer_);
  const bool from_zero = IsConstInt(loop->min, 0);
  const std::string min = from_zero ? "0" : Argument(loop->min);
  const std::string extent = In(loop->extent, Binding::kAdd);
  analyzer_.BindRange(loop->loop_var, loop->min, loop->extent);
  std::string end = extent;
  if (!from_zero) {
    const int64_t* first = AsIntImm(loop->min);
    const int64_t* count = AsIntImm(loop->extent);
    end =
        first != nullptr && count != nullptr
            ? IntLiteral(*first + *count, loop->loop_var->dtype)
            : fmt::format("{} + {}", In(loop->min, Binding::kAdd), In(loop->extent, Binding::kMul));
  }
  const std::string& var = Declare(loop->loop_var);
  Line(fmt::format("for ({0} {1} = {2}; {1} < {3}; ++{1}) {{", CType(loop->loop_var->dtype), var,
                   min, end));
  Body(loop->body);
  Line("}");
}

void FunctionEmitter::WhileStatement(const While* loop) {
  // Nothing of the condition may be computed once only.
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
    Body(branch->then_case);
  }
  if (branch->else_case != nullptr) {
    Line("} else {");
    Body(branch->else_case);
  }
  Line("}");
}

void FunctionEmitter::LetStatement(const LetStmt* let) {
  const Var* var = let->var;
  const bool used = IsUsed(var, 1);
  if (var->dtype.is_handle()) {
    // An address that nobody needs.
    if (!used) return Statement(let->body);
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
    if (var->dtype.is_integer()) analyzer_.Bind(var, analyzer_.Bounds(let->value));
    const std::string text =
        conversion.empty() ? std::move(value.text) : In(std::move(value), Binding::kUnary);
    Line(fmt::format("const {} {} = {}{};", CType(var->dtype), Declare(var), conversion, text));
    if (!used) Line(fmt::format("(void){};", NameOf(var)));
  }
  Statement(let->body);
}

void FunctionEmitter::AllocateStatement(const Allocate* allocate) {
  int64_t count = 1;
  for (const Expr* extent : allocate->extents) {
    const int64_t* value = AsIntImm(extent);
    if (value == nullptr || __builtin_mul_overflow(count, *value, &count)) {
      return Unsupported(allocate, fmt::format("the allocation `{}` of no constant size",
                                               allocate->buffer_var->name.view()));
    }
  }
  const int64_t bytes = count * allocate->dtype.bytes();
  if (bytes >= kMostStackBytes) {
    return Unsupported(
        allocate,
        fmt::format("the unplanned allocation `{}` of {} bytes: the stack takes less than {}",
                    allocate->buffer_var->name.view(), bytes, kMostStackBytes));
  }
  const std::string& name = Declare(allocate->buffer_var);
  Line(fmt::format("{} {}[{}] TENON_ALIGNED({});", ElementType(allocate->dtype), name,
                   std::max<int64_t>(count * allocate->dtype.lanes(), 1),
                   state_.options.alignment));
  if (!IsUsed(allocate->buffer_var, 1)) Line(fmt::format("(void){};", name));
  Statement(allocate->body);
}

void FunctionEmitter::ConstantStatement(const AllocateConst* allocate) {
  const std::string base = fmt::format("{}_{}", state_.prefix, allocate->buffer_var->name.view());
  const std::string name = state_.globals.Unique(base);
  name_of_[allocate->buffer_var] = name;
  const_roots_[allocate->buffer_var] = true;
  if (allocate->data == nullptr || !allocate->data->has_bytes()) {
    return Unsupported(allocate, fmt::format("the constant `{}`, whose data was left out",
                                             allocate->buffer_var->name.view()));
  }
  state_.constants += ConstantDefinition(state_, *allocate->data, name);
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
      return Line(fmt::format("return {};", Argument(call->args[0])));
    case OpKind::kTvmCheckReturn: {
      const std::string expected = Argument(call->args[0]);
      const std::string code = Argument(call->args[1]);
      return Line(fmt::format("if ({} != {}) return {};", In(call->args[2], Binding::kShift),
                              expected, code));
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
  const CallSite site = AsCallSite(state_.module, call);
  // Functions of the module give an error code, whether the text asks for it or not.
  if (site.callee != nullptr && site.callee->func->ret_type->kind == Type::Kind::kVoid) {
    return Line(fmt::format("if ({} != 0) return -1;", Argument(call)));
  }
  Line(call->dtype.is_void() ? fmt::format("{};", Argument(call))
                             : fmt::format("(void){};", In(call, Binding::kUnary)));
}

}  // namespace tenon::c_lowering
