// A parallel loop becomes a function that runs a range of iterations, and tenon_parallel_for of
// runtime/tenon_parallel.h calls it. Known facts about pointers go along, or the loop would be
// slower.

#include <algorithm>
#include <utility>

#include "analysis/loop_independence.h"
#include "ir/analysis/parallel_loops.h"
#include "lowering/llvm/llvm_internal.h"

namespace tenon::llvm_lowering {

namespace {

/// A weak `int32_t tenon_parallel_for(body, context, count)`, which runs all iterations serially
/// unless the program defines its own.
llvm::Function* ParallelFor(ModuleState& state) {
  constexpr const char* kName = "tenon_parallel_for";
  if (llvm::Function* known = state.out.getFunction(kName)) return known;
  llvm::IRBuilder<> build(state.context());
  llvm::Type* code = build.getInt32Ty();
  llvm::Type* number = build.getInt64Ty();
  llvm::Type* pointer = build.getPtrTy();
  llvm::Function* out = llvm::Function::Create(
      llvm::FunctionType::get(code, {pointer, pointer, number}, /*isVarArg=*/false),
      llvm::GlobalValue::WeakAnyLinkage, kName, state.out);
  out->addFnAttr(llvm::Attribute::NoUnwind);
  llvm::Argument* count = out->getArg(2);
  llvm::BasicBlock* entry = llvm::BasicBlock::Create(state.context(), "entry", out);
  llvm::BasicBlock* some = llvm::BasicBlock::Create(state.context(), "some", out);
  llvm::BasicBlock* none = llvm::BasicBlock::Create(state.context(), "none", out);
  build.SetInsertPoint(entry);
  build.CreateCondBr(build.CreateICmpSGT(count, build.getInt64(0)), some, none);
  build.SetInsertPoint(some);
  llvm::FunctionType* body =
      llvm::FunctionType::get(code, {pointer, number, number}, /*isVarArg=*/false);
  build.CreateRet(
      build.CreateCall(body, out->getArg(0), {out->getArg(1), build.getInt64(0), count}));
  build.SetInsertPoint(none);
  build.CreateRet(build.getInt32(0));
  return out;
}

/// The index of a value in a list without duplicates; appends a new value. (A parameter's handle
/// and the data of its buffer are one pointer.)
unsigned IndexIn(std::vector<llvm::Value*>& list, llvm::Value* value) {
  const auto found = std::find(list.begin(), list.end(), value);
  const auto index = static_cast<unsigned>(found - list.begin());
  if (found == list.end()) list.push_back(value);
  return index;
}

/// The loop's function, whose parameters are the captured values of the enclosing function, and the
/// range. `alone` tells for each parameter of the enclosing function whether no other capture may
/// point to its memory.
llvm::Function* MakeLoop(ModuleState& state, const llvm::Function& outer,
                         const std::vector<llvm::Value*>& captures,
                         const std::vector<bool>& alone) {
  llvm::LLVMContext& context = state.context();
  llvm::Type* number = llvm::Type::getInt64Ty(context);
  std::vector<llvm::Type*> params;
  for (const llvm::Value* value : captures) params.push_back(value->getType());
  params.insert(params.end(), {number, number});
  llvm::Function* loop = llvm::Function::Create(
      llvm::FunctionType::get(llvm::Type::getInt32Ty(context), params, /*isVarArg=*/false),
      llvm::GlobalValue::InternalLinkage, outer.getName() + "_loop", state.out);
  loop->addFnAttr(llvm::Attribute::NoUnwind);
  for (unsigned i = 0; i < captures.size(); ++i) {
    loop->getArg(i)->setName(captures[i]->getName());
    const auto* param = llvm::dyn_cast<llvm::Argument>(captures[i]);
    if (param == nullptr) continue;
    // The facts about a parameter also hold in the loop.
    const llvm::AttributeSet known = outer.getAttributes().getParamAttrs(param->getArgNo());
    loop->addParamAttrs(i, llvm::AttrBuilder(context, known));
    if (!alone[param->getArgNo()]) loop->removeParamAttr(i, llvm::Attribute::NoAlias);
  }
  return loop;
}

/// The function that tenon_parallel_for calls: loads the captures and calls the loop's function.
llvm::Function* MakeBody(ModuleState& state, llvm::Function* loop, llvm::StructType* vars) {
  llvm::IRBuilder<> build(state.context());
  llvm::Type* number = build.getInt64Ty();
  llvm::Function* body = llvm::Function::Create(
      llvm::FunctionType::get(build.getInt32Ty(), {build.getPtrTy(), number, number},
                              /*isVarArg=*/false),
      llvm::GlobalValue::InternalLinkage, loop->getName() + "_body", state.out);
  body->addFnAttr(llvm::Attribute::NoUnwind);
  build.SetInsertPoint(llvm::BasicBlock::Create(state.context(), "entry", body));
  std::vector<llvm::Value*> args;
  for (unsigned i = 0; i < vars->getNumElements(); ++i) {
    llvm::Value* field = build.CreateStructGEP(vars, body->getArg(0), i);
    args.push_back(build.CreateLoad(vars->getElementType(i), field));
  }
  args.insert(args.end(), {body->getArg(1), body->getArg(2)});
  build.CreateRet(build.CreateCall(loop, args));
  return body;
}

}  // namespace

/// Emits the body of the loop into its own function, then returns to the enclosing function.
void FunctionEmitter::LoopFunction(const For* loop, llvm::Function* out, llvm::Value* min,
                                   const std::vector<const Var*>& vars) {
  const llvm::IRBuilderBase::InsertPoint before = build_.saveIP();
  llvm::Function* outer = std::exchange(out_, out);
  const absl::flat_hash_map<const Var*, llvm::Value*> values = values_;
  state_.debug.Begin(*out, loop->range);
  llvm::BasicBlock* entry = Block("entry");
  build_.SetInsertPoint(entry);
  state_.debug.At(build_, loop->range);
  std::vector<llvm::Value*> captures;
  for (const Var* var : vars) values_[var] = out->getArg(IndexIn(captures, values.at(var)));
  const auto count = static_cast<unsigned>(out->arg_size());
  // The first value of the loop variable is the last capture, unless it is a constant.
  if (!llvm::isa<llvm::Constant>(min)) min = out->getArg(count - 3);
  llvm::BasicBlock* head = Block("head");
  llvm::BasicBlock* body = Block("body");
  llvm::BasicBlock* end = Block("end");
  build_.CreateBr(head);
  build_.SetInsertPoint(head);
  llvm::PHINode* counter = build_.CreatePHI(build_.getInt64Ty(), 2, "n");
  counter->addIncoming(out->getArg(count - 2), entry);
  build_.CreateCondBr(build_.CreateICmpSLT(counter, out->getArg(count - 1)), body, end);
  build_.SetInsertPoint(body);
  llvm::Value* n = build_.CreateIntCast(counter, min->getType(), /*isSigned=*/true);
  values_[loop->loop_var] = build_.CreateAdd(min, n, llvm::StringRef(loop->loop_var->name.view()));
  is_in_threads_ = true;
  Statement(loop->body);
  is_in_threads_ = false;
  state_.debug.At(build_, loop->range);
  counter->addIncoming(build_.CreateAdd(counter, build_.getInt64(1), "next", /*HasNUW=*/true,
                                        /*HasNSW=*/true),
                       build_.GetInsertBlock());
  build_.CreateBr(head);
  build_.SetInsertPoint(end);
  build_.CreateRet(build_.getInt32(0));
  values_ = values;
  out_ = outer;
  state_.debug.Resume(*outer);
  build_.restoreIP(before);
  state_.debug.At(build_, loop->range);
}

bool FunctionEmitter::ParallelLoop(const For* loop, llvm::Value* min, llvm::Value* extent) {
  if (is_in_threads_ || !RunsOnThreads(loop) || !CountFitsInt64(analyzer_, loop->extent))
    return false;
  std::vector<const Var*> vars;
  std::vector<llvm::Value*> captures;
  for (const Var* var : CapturedVars(loop)) {
    const auto found = values_.find(var);
    // Constants are visible everywhere.
    if (found == values_.end() || llvm::isa<llvm::Constant>(found->second)) continue;
    vars.push_back(var);
    IndexIn(captures, found->second);
  }
  if (!llvm::isa<llvm::Constant>(min)) captures.push_back(min);
  std::vector<llvm::Type*> types;
  for (const llvm::Value* value : captures) types.push_back(value->getType());
  llvm::StructType* type = llvm::StructType::get(state_.context(), types);
  const PrimFunc& func = *function_.func;
  const std::vector<bool> alone =
      ReachedByParamAlone(func, state_.effects.Of(function_), PointerRoots(func), vars);
  llvm::Function* function = MakeLoop(state_, *out_, captures, alone);
  LoopFunction(loop, function, min, vars);
  llvm::IRBuilder<> first(&out_->getEntryBlock(), out_->getEntryBlock().begin());
  llvm::AllocaInst* stored = first.CreateAlloca(type, nullptr, "vars");
  for (unsigned i = 0; i < captures.size(); ++i)
    build_.CreateStore(captures[i], build_.CreateStructGEP(type, stored, i));
  llvm::Value* count =
      build_.CreateIntCast(extent, build_.getInt64Ty(), loop->extent->dtype.is_int());
  llvm::Value* code =
      build_.CreateCall(ParallelFor(state_), {MakeBody(state_, function, type), stored, count});
  llvm::Value* failed = build_.CreateICmpNE(code, build_.getInt32(0));
  const bool gives_code = out_->getReturnType()->isIntegerTy(32);
  FailIf(failed, gives_code ? code : llvm::ConstantInt::getSigned(build_.getInt32Ty(), -1));
  return true;
}

}  // namespace tenon::llvm_lowering
