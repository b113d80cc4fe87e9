// Statements and functions. Facts that the IR proves become attributes: sizes, aliasing, and
// counters that cannot wrap. Long functions are marked for cuts here, since places between
// statements are safe.

#include <algorithm>

#include "fmt/format.h"
#include "ir/analysis/param_names.h"
#include "ir/attributes.h"
#include "ir/builtins.h"
#include "ir/extents.h"
#include "ir/overlaps.h"
#include "ir/storage_defaults.h"
#include "ir/thread_binding.h"
#include "lowering/llvm/llvm_internal.h"
#include "schedule/machine.h"
#include "support/stack.h"

namespace tenon::llvm_lowering {

namespace {

/// Bytes of a parameter's tensor; 0 if they are not constant or do not begin at the pointer.
uint64_t BytesOf(const Buffer* buffer) {
  if (buffer == nullptr || !IsConstInt(buffer->elem_offset, 0) || !buffer->strides.empty())
    return 0;
  return static_cast<uint64_t>(StaticBytes(buffer->dtype, buffer->shape).value_or(0));
}

/// Functions with more statements are cut into pieces. LLVM's time grows with the square of a
/// function's length: for 2,000 loops in a row it is minutes (docs/guide/targets.md).
constexpr int kLongFunction = 512;
constexpr int kPieceOfFunction = 128;

/// LLVM is asked to unroll a nest if the result has at most this many statements. LLVM's time is
/// quadratic in that number.
constexpr int64_t kMostUnrolled = 1024;

/// Finds the loops that LLVM is asked to unroll. Returns the number of statements after unrolling.
int64_t ChooseUnrolled(const Stmt* stmt, absl::flat_hash_set<const For*>& chosen) {
  return WithStack([&]() -> int64_t {
    int64_t size = 0;
    ForEachChild(stmt, [&](const Node* child, FieldRole) {
      if (Stmt::ClassOf(child)) size += ChooseUnrolled(static_cast<const Stmt*>(child), chosen);
    });
    size = std::max<int64_t>(size, 1);
    const auto* loop = dyn_cast<For>(stmt);
    if (loop == nullptr || loop->for_kind != ForKind::kUnrolled) return size;
    const int64_t* extent = AsIntImm(loop->extent);
    const int64_t count = extent == nullptr ? 1 : std::max<int64_t>(*extent, 1);
    if (count > kMostUnrolled / size) return size;
    chosen.insert(loop);
    return size * count;
  });
}

int CountStatements(const Stmt* body) {
  int count = 0;
  Walk(body, [&](const Node* node) {
    count += Stmt::ClassOf(node) ? 1 : 0;
    return Stmt::ClassOf(node);
  });
  return count;
}

bool IsVoid(const Function& function) { return function.func->ret_type->kind == Type::Kind::kVoid; }

/// Functions without a result return an error code.
DataType ResultOf(const Function& function) {
  return IsVoid(function) ? DataType::Int(32) : function.func->ret_type->value_dtype();
}

/// Adds the known facts about a pointer parameter as attributes.
void AddPointerFacts(llvm::Function& out, unsigned index, const PrimFunc& func,
                     const ArgumentEffect& effect) {
  const Buffer* buffer = func.buffers[index];
  llvm::LLVMContext& context = out.getContext();
  if (IsNoAliasParam(func, index)) out.addParamAttr(index, llvm::Attribute::NoAlias);
  if (!effect.writes) out.addParamAttr(index, llvm::Attribute::ReadOnly);
  if (buffer == nullptr) return;
  out.addParamAttr(index, llvm::Attribute::NoUndef);
  if (const uint64_t bytes = BytesOf(buffer); bytes > 0) {
    out.addParamAttr(index, llvm::Attribute::NonNull);
    out.addParamAttr(index, llvm::Attribute::getWithDereferenceableBytes(context, bytes));
  }
  const auto align = static_cast<uint64_t>(buffer->dtype.element_bytes());
  out.addParamAttr(index, llvm::Attribute::getWithAlignment(context, llvm::Align(align)));
}

}  // namespace

llvm::Function* FunctionEmitter::Declare(ModuleState& state, const Function& function,
                                         bool is_internal, const std::string& name) {
  if (ReturnsStruct(state, function)) return DeclareMap(state, function, name);
  const bool is_entry = !EntryFunctionOf(function).empty();
  const PrimFunc& func = *function.func;
  llvm::LLVMContext& context = state.context();
  std::vector<llvm::Type*> params;
  for (const Var* param : func.params) {
    llvm::Type* type = MemoryType(context, param->dtype);
    if (type == nullptr || type->isVoidTy()) {
      state.Error(func.range, fmt::format("cannot generate LLVM code for a parameter of dtype `{}`",
                                          param->dtype.ToString()));
      type = llvm::Type::getInt32Ty(context);
    }
    params.push_back(type);
  }
  const DataType result = ResultOf(function);
  llvm::Type* result_type = MemoryType(context, result);
  if (result_type == nullptr) result_type = llvm::Type::getInt32Ty(context);
  llvm::Function* out = llvm::Function::Create(
      llvm::FunctionType::get(result_type, params, /*isVarArg=*/false),
      is_internal ? llvm::GlobalValue::InternalLinkage : llvm::GlobalValue::ExternalLinkage, name,
      state.out);
  out->addFnAttr(llvm::Attribute::NoUnwind);
  if (!is_entry) out->addRetAttr(llvm::Attribute::NoUndef);
  if (Extension(result) != llvm::Attribute::None) out->addRetAttr(Extension(result));
  for (unsigned i = 0; i < params.size(); ++i) {
    const DataType dtype = func.params[i]->dtype;
    if (!is_entry) out->getArg(i)->setName(llvm::StringRef(ParamName(func, i)));
    if (Extension(dtype) != llvm::Attribute::None) out->addParamAttr(i, Extension(dtype));
    if (dtype.is_handle() && !is_entry)
      AddPointerFacts(*out, i, func, state.effects.Of(function).params[i]);
  }
  return out;
}

FunctionEmitter::FunctionEmitter(ModuleState& state, const Function& function)
    : state_(state),
      function_(function),
      out_(state.functions.at(function.name)),
      build_(state.context()),
      analyzer_(state.module.context(), arena_) {
  if (state.options.fast_math) build_.setFastMathFlags(llvm::FastMathFlags::getFast());
}

llvm::BasicBlock* FunctionEmitter::Block(std::string_view name) {
  return llvm::BasicBlock::Create(state_.context(), llvm::StringRef(name), out_);
}

void FunctionEmitter::Emit() {
  if (ReturnsStruct(state_, function_)) return EmitMap();
  const PrimFunc& func = *function_.func;
  state_.debug.Begin(*out_, func.range);
  build_.SetInsertPoint(Block("entry"));
  state_.debug.At(build_, func.range);
  for (unsigned i = 0; i < func.params.size(); ++i) {
    const Var* param = func.params[i];
    llvm::Value* value = out_->getArg(i);
    // A handle and the data of its buffer are one pointer.
    if (func.buffers[i] != nullptr) values_[func.buffers[i]->data] = value;
    values_[param] = FromMemory(value, param->dtype);
  }
  // Assembly takes all registers. With a larger alignment than the stack's, a function would need
  // one for its frame.
  if (state_.byte_sums != ByteSumsForm::kNone) out_->addFnAttr("no-realign-stack");
  ChooseUnrolled(func.body, unrolled_);
  is_long_ = state_.options.opt_level > 0 && CountStatements(func.body) > kLongFunction;
  if (is_long_) Cut();
  Statement(func.body);
  if (is_long_) Cut();
  build_.CreateRet(llvm::Constant::getNullValue(out_->getReturnType()));
  if (is_long_) SplitFunction(*out_, state_.effects.Of(function_), cuts_);
}

void FunctionEmitter::CutIfLong() {
  if (is_long_ && nesting_ == 0 && statements_ >= statements_before_cut_ + kPieceOfFunction) Cut();
}

void FunctionEmitter::Cut() {
  llvm::BasicBlock* next = Block("piece");
  build_.CreateBr(next);
  build_.SetInsertPoint(next);
  cuts_.push_back(next);
  statements_before_cut_ = statements_;
}

void FunctionEmitter::Unsupported(const Stmt* stmt, std::string_view what) {
  state_.Error(stmt->range, fmt::format("cannot generate LLVM code for {}", what));
}

void FunctionEmitter::Statement(const Stmt* stmt) {
  WithStack([&] {
    ++statements_;
    state_.debug.At(build_, stmt->range);
    const bool nests = isa<For>(stmt) || isa<While>(stmt) || isa<IfThenElse>(stmt) ||
                       (isa<AttrStmt>(stmt) && ThreadVar(cast<AttrStmt>(stmt)) != nullptr);
    if (nests) ++nesting_;
    StatementOf(stmt);
    if (nests) --nesting_;
  });
}

void FunctionEmitter::StatementOf(const Stmt* stmt) {
  switch (stmt->kind) {
    case NodeKind::kSeqStmt:
      return SeqStatement(cast<SeqStmt>(stmt));
    case NodeKind::kBufferStore:
      return Store(cast<BufferStore>(stmt));
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
    case NodeKind::kAllocateConst: {
      const auto* allocate = cast<AllocateConst>(stmt);
      if (allocate->data == nullptr || !allocate->data->has_bytes())
        return Unsupported(stmt, fmt::format("the constant `{}`, whose data was left out",
                                             allocate->buffer_var->name.view()));
      values_[allocate->buffer_var] = PlaceConstant(state_, *allocate);
      return Statement(allocate->body);
    }
    case NodeKind::kEvaluate:
      return EvaluateStatement(cast<Evaluate>(stmt));
    case NodeKind::kDeclBuffer:
      return Statement(cast<DeclBuffer>(stmt)->body);
    case NodeKind::kAttrStmt:
      return AttrStatement(cast<AttrStmt>(stmt));
    case NodeKind::kPrefetch:
      return PrefetchStatement(cast<Prefetch>(stmt));
    case NodeKind::kAssertStmt: {
      const auto* assertion = cast<AssertStmt>(stmt);
      FailIf(build_.CreateNot(Value(assertion->condition)),
             llvm::ConstantInt::getSigned(build_.getInt32Ty(), -1));
      return Statement(assertion->body);
    }
    default:
      return Unsupported(stmt, fmt::format("a {} (run lower-blocks)", NodeKindName(stmt->kind)));
  }
}

void FunctionEmitter::SeqStatement(const SeqStmt* all) {
  for (size_t i = 0; i < all->seq.size();) {
    CutIfLong();
    if (state_.byte_sums != ByteSumsForm::kNone) {
      size_t count = 0;
      const std::optional<ByteBlock> block = FindByteBlock(analyzer_, all->seq.subspan(i), count);
      if (block && ByteSums(*block, nullptr)) {
        i += count;
        continue;
      }
      for (; count > 1; --count) Statement(all->seq[i++]);
    }
    Statement(all->seq[i++]);
  }
}

void FunctionEmitter::Return(llvm::Value* value) {
  llvm::Type* type = out_->getReturnType();
  llvm::Type* from = value->getType();
  if (from != type) {
    const bool is_bool = from->isIntegerTy(1);
    if (from->isIntegerTy() && type->isIntegerTy()) {
      value = build_.CreateIntCast(value, type, /*isSigned=*/!is_bool);
    } else {
      value = llvm::Constant::getNullValue(type);
    }
  }
  build_.CreateRet(value);
  // The following statements are unreachable.
  build_.SetInsertPoint(Block("unreachable"));
}

void FunctionEmitter::FailIf(llvm::Value* condition, llvm::Value* code) {
  llvm::BasicBlock* fail = Block("fail");
  llvm::BasicBlock* next = Block("passed");
  build_.CreateCondBr(condition, fail, next);
  build_.SetInsertPoint(fail);
  llvm::Type* type = out_->getReturnType();
  if (type->isIntegerTy() && code->getType()->isIntegerTy()) {
    build_.CreateRet(build_.CreateIntCast(code, type, /*isSigned=*/true));
  } else {
    build_.CreateRet(llvm::Constant::getNullValue(type));
  }
  build_.SetInsertPoint(next);
}

/// Threads run one after the other.
void FunctionEmitter::AttrStatement(const AttrStmt* attr) {
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

void FunctionEmitter::LoopStatement(const For* loop) {
  const Analyzer::Scope scope(analyzer_);
  if (state_.byte_sums != ByteSumsForm::kNone) {
    const std::optional<ByteBlock> block = FindByteBlock(analyzer_, loop);
    if (block && ByteSums(*block, loop->loop_var)) return;
  }
  const int64_t* count = AsIntImm(loop->extent);
  if (count != nullptr && *count <= 0 && !loop->extent->dtype.is_uint()) return;
  llvm::Type* type = TypeOf(loop->loop_var->dtype);
  const auto number = [&](const Expr* expr) {
    return build_.CreateIntCast(Value(expr), type, expr->dtype.is_int());
  };
  llvm::Value* min = number(loop->min);
  llvm::Value* extent = number(loop->extent);
  analyzer_.BindLoop(loop);
  if (ParallelLoop(loop, min, extent)) return;
  if (count != nullptr && *count == 1) {
    values_[loop->loop_var] = min;
    return Statement(loop->body);
  }
  LoopBody(loop, min, extent);
}

/// A counter goes from 0 to the extent, which it can always reach. If the loop begins at 0, the
/// counter is the loop variable.
void FunctionEmitter::LoopBody(const For* loop, llvm::Value* min, llvm::Value* extent) {
  const bool is_signed = loop->loop_var->dtype.is_int();
  const bool end_fits = analyzer_.ProvenNoWrap(arena_.New<Add>(loop->min, loop->extent));
  const std::string name(loop->loop_var->name.view());
  llvm::BasicBlock* before = build_.GetInsertBlock();
  llvm::BasicBlock* head = Block(name + ".head");
  llvm::BasicBlock* body = Block(name + ".body");
  llvm::BasicBlock* end = Block(name + ".end");
  build_.CreateBr(head);
  build_.SetInsertPoint(head);
  llvm::PHINode* counter = build_.CreatePHI(extent->getType(), 2, name);
  counter->addIncoming(Int(extent->getType(), 0), before);
  build_.CreateCondBr(
      is_signed ? build_.CreateICmpSLT(counter, extent) : build_.CreateICmpULT(counter, extent),
      body, end);
  build_.SetInsertPoint(body);
  values_[loop->loop_var] =
      IsConstInt(loop->min, 0)
          ? static_cast<llvm::Value*>(counter)
          : build_.CreateAdd(min, counter, name + ".at", /*HasNUW=*/!is_signed && end_fits,
                             /*HasNSW=*/is_signed && end_fits);
  Statement(loop->body);
  state_.debug.At(build_, loop->range);
  // Cannot wrap: the counter is below the extent, so nuw (and nsw, if signed) hold.
  llvm::Value* next = build_.CreateAdd(counter, Int(extent->getType(), 1), name + ".next",
                                       /*HasNUW=*/true, is_signed);
  counter->addIncoming(next, build_.GetInsertBlock());
  llvm::BranchInst* back = build_.CreateBr(head);
  if (llvm::MDNode* metadata = LoopMetadata(loop))
    back->setMetadata(llvm::LLVMContext::MD_loop, metadata);
  build_.SetInsertPoint(end);
}

llvm::MDNode* FunctionEmitter::LoopMetadata(const For* loop) {
  llvm::LLVMContext& context = state_.context();
  // The ID of a loop is a metadata node whose first operand is the node itself.
  std::vector<llvm::Metadata*> hints = {nullptr};
  const auto add = [&](const char* hint, llvm::ArrayRef<llvm::Metadata*> value = {}) {
    std::vector<llvm::Metadata*> words = {llvm::MDString::get(context, hint)};
    words.insert(words.end(), value.begin(), value.end());
    hints.push_back(llvm::MDNode::get(context, words));
  };
  const auto is_set = [&](std::string_view annotation) {
    return loop->annotations != nullptr && IsTrue(loop->annotations->Find(annotation));
  };
  if (unrolled_.contains(loop)) add("llvm.loop.unroll.full");
  if (loop->for_kind == ForKind::kVectorized)
    add("llvm.loop.vectorize.enable", llvm::ConstantAsMetadata::get(build_.getTrue()));
  // TVM's texts write these as `unroll=False` and `unroll=True`.
  if (is_set(attr_key::kDisableUnroll)) {
    add("llvm.loop.unroll.disable");
  } else if (is_set(attr_key::kPragmaUnroll) && loop->for_kind != ForKind::kUnrolled) {
    add("llvm.loop.unroll.enable");
  }
  if (hints.size() == 1) return nullptr;
  llvm::MDNode* node = llvm::MDNode::getDistinct(context, hints);
  node->replaceOperandWith(0, node);
  return node;
}

void FunctionEmitter::WhileStatement(const While* loop) {
  llvm::BasicBlock* head = Block("while.head");
  llvm::BasicBlock* body = Block("while.body");
  llvm::BasicBlock* end = Block("while.end");
  build_.CreateBr(head);
  build_.SetInsertPoint(head);
  build_.CreateCondBr(
      Convert(Value(loop->condition), loop->condition->dtype, DataType::Bool(), loop->condition),
      body, end);
  build_.SetInsertPoint(body);
  Statement(loop->body);
  build_.CreateBr(head);
  build_.SetInsertPoint(end);
}

void FunctionEmitter::IfStatement(const IfThenElse* branch) {
  llvm::BasicBlock* then_block = Block("then");
  llvm::BasicBlock* end = nullptr;
  llvm::BasicBlock* else_block = Block(branch->else_case == nullptr ? "endif" : "else");
  build_.CreateCondBr(Convert(Value(branch->condition), branch->condition->dtype, DataType::Bool(),
                              branch->condition),
                      then_block, else_block);
  build_.SetInsertPoint(then_block);
  {
    const Analyzer::Scope scope(analyzer_);
    analyzer_.Assume(branch->condition);
    Statement(branch->then_case);
  }
  end = branch->else_case == nullptr ? else_block : Block("endif");
  build_.CreateBr(end);
  if (branch->else_case != nullptr) {
    build_.SetInsertPoint(else_block);
    Statement(branch->else_case);
    build_.CreateBr(end);
  }
  build_.SetInsertPoint(end);
}

void FunctionEmitter::LetStatement(const LetStmt* let) {
  analyzer_.BindValue(let->var, let->value);
  values_[let->var] = Value(let->value);
  Statement(let->body);
}

void FunctionEmitter::AllocateStatement(const Allocate* allocate) {
  const std::optional<int64_t> bytes = StaticBytes(allocate->dtype, allocate->extents);
  if (!bytes) {
    return Unsupported(allocate, fmt::format("the allocation `{}`, whose size is not constant",
                                             allocate->buffer_var->name.view()));
  }
  if (*bytes >= kStackLimit) {
    return Unsupported(
        allocate, fmt::format("the unplanned allocation `{}` of {} bytes: the stack takes less "
                              "than {}",
                              allocate->buffer_var->name.view(), *bytes, kStackLimit));
  }
  llvm::Type* element = MemoryType(state_.context(), allocate->dtype.element());
  if (element == nullptr)
    return Unsupported(allocate, fmt::format("dtype `{}`", allocate->dtype.ToString()));
  // See Emit.
  constexpr int64_t kArmStackAlignment = 8;
  int64_t alignment = state_.options.workspace_alignment;
  if (state_.byte_sums != ByteSumsForm::kNone) alignment = std::min(alignment, kArmStackAlignment);
  values_[allocate->buffer_var] = StackArray(element, *bytes / allocate->dtype.element_bytes(),
                                             alignment, allocate->buffer_var->name.view());
  Statement(allocate->body);
}

/// Loads the first lines of a region of one dimension into the second-level cache. Microcontrollers
/// have none.
void FunctionEmitter::PrefetchStatement(const Prefetch* prefetch) {
  constexpr int64_t kLineBytes = 64;
  constexpr int64_t kMostLines = 4;
  const llvm::Triple triple(state_.out.getTargetTriple());
  if (prefetch->bounds.size() != 1 || (!triple.isX86() && !triple.isAArch64())) return;
  const Range& range = *prefetch->bounds[0];
  const int64_t* extent = AsIntImm(range.extent);
  const int64_t bytes = extent == nullptr ? 1 : *extent * prefetch->buffer->dtype.bytes();
  const Expr* indices[] = {range.min};
  llvm::Value* first =
      ElementAddress(prefetch->buffer, Span<const Expr*>(indices, 1), prefetch->range);
  for (int64_t line = 0; line * kLineBytes < bytes && line < kMostLines; ++line) {
    llvm::Value* address = build_.CreateConstGEP1_64(build_.getInt8Ty(), first,
                                                     static_cast<uint64_t>(line * kLineBytes));
    build_.CreateIntrinsic(llvm::Intrinsic::prefetch, {address->getType()},
                           {address, build_.getInt32(0), build_.getInt32(2), build_.getInt32(1)});
  }
}

void FunctionEmitter::EvaluateStatement(const Evaluate* evaluate) {
  const auto* call = dyn_cast<Call>(evaluate->value);
  if (call == nullptr) {
    if (!isa<IntImm>(evaluate->value)) Value(evaluate->value);
    return;
  }
  llvm::Value* minus_one = llvm::ConstantInt::getSigned(build_.getInt32Ty(), -1);
  switch (call->op->kind) {
    case OpKind::kRet:
      return Return(ToMemory(Value(call->args[0]), call->args[0]->dtype));
    case OpKind::kTvmCheckReturn: {
      llvm::Value* result = Value(call->args[2]);
      llvm::Value* expected = Value(call->args[0]);
      llvm::Value* wrong = build_.CreateICmpNE(
          result, build_.CreateIntCast(expected, result->getType(), /*isSigned=*/true));
      return FailIf(wrong, Value(call->args[1]));
    }
    case OpKind::kTvmThrowLastError:
      FailIf(build_.getTrue(), minus_one);
      return;
    case OpKind::kAssume:
    case OpKind::kStartProfile:
    case OpKind::kEndProfile:
      return;
    default:
      break;
  }
  const CallSite site = AsCallSite(state_.module, call);
  // Functions of the module return an error code, even if the text does not check it.
  if (site.callee != nullptr && IsVoid(*site.callee))
    return FailIf(build_.CreateICmpNE(ModuleCall(call, site), build_.getInt32(0)), minus_one);
  Value(call);
}

}  // namespace tenon::llvm_lowering
