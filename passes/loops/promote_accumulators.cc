// Scalar replacement (Callahan, Carr and Kennedy, 1990; LLVM: LICM). C compilers and LLVM do the
// same, but they cannot prove that two pointers into pools differ.

#include "passes/loops/promote_accumulators.h"

#include <algorithm>

#include "analysis/loop_independence.h"
#include "arith/analyzer.h"
#include "arith/index_math.h"
#include "ir/analysis/stack_arrays.h"
#include "ir/builtins.h"
#include "ir/memory_pools.h"
#include "ir/rewriter.h"
#include "passes/loops/store_nest.h"

namespace tenon {

namespace {

/// Loops around one store.
struct Nest {
  std::vector<const For*> loops;
  const BufferStore* store = nullptr;
};

Nest NestOf(const For* loop) {
  Nest nest;
  const Stmt* stmt = loop;
  while (const auto* inner = dyn_cast<For>(stmt)) {
    const int64_t* extent = AsIntImm(inner->extent);
    const bool runs = extent != nullptr && *extent > 0 && isa<IntImm>(inner->min);
    if (!runs || (inner->for_kind != ForKind::kSerial && inner->for_kind != ForKind::kUnrolled))
      return {};
    nest.loops.push_back(inner);
    stmt = inner->body;
  }
  nest.store = dyn_cast<BufferStore>(stmt);
  return nest;
}

/// Replaces one element, or a row of elements, by another buffer.
class AccessReplacer : public Rewriter<AccessReplacer> {
 public:
  AccessReplacer(Context& context, std::shared_ptr<Storage> storage, const Var* data,
                 const Expr* local)
      : Rewriter(context, std::move(storage)), data_(data), local_(local) {}
  const Expr* RewriteBufferLoad(const BufferLoad* load) {
    return load->buffer->data == data_ ? local_ : RewriteChildren(load);
  }

 private:
  const Var* data_;
  const Expr* local_;
};

class Promoter : public Rewriter<Promoter> {
 public:
  Promoter(Context& context, std::shared_ptr<Storage> storage, const PrimFunc& func)
      : Rewriter(context, storage), pointers_(func), analyzer_(context, storage->arena()) {}

  const Stmt* RewriteAllocate(const Allocate* allocate) {
    if (IsLocalAllocation(*allocate)) local_.insert(allocate->buffer_var);
    return RewriteChildren(allocate);
  }

  const Stmt* RewriteFor(const For* loop) {
    const Nest nest = NestOf(loop);
    if (nest.store == nullptr || !IsSum(nest)) return RewriteChildren(loop);
    return Promote(nest);
  }

 private:
  bool IsSum(const Nest& nest) {
    const BufferStore& store = *nest.store;
    const DataType dtype = store.value->dtype;
    if (store.predicate != nullptr || store.indices.size() != 1 || dtype.is_bool() ||
        dtype.is_handle() || local_.contains(store.buffer->data) ||
        !pointers_.IsKnown(store.buffer->data) || !IsPlainValue(store.value) ||
        !IsPlainValue(store.indices[0]))
      return false;
    return IsInvariant(nest) && ReadsWhatItWrites(store, store.value);
  }

  static bool IsInvariant(const Nest& nest) {
    bool invariant = true;
    const auto look = [&](const Node* node) {
      invariant &= !isa<BufferLoad>(node) &&
                   std::none_of(nest.loops.begin(), nest.loops.end(),
                                [&](const For* loop) { return loop->loop_var == node; });
      return invariant;
    };
    Walk(nest.store->indices[0], look);
    Walk(nest.store->buffer, look);  // the layout may also vary
    return invariant;
  }

  /// Nothing is known about the variables, so equal means equal for all their values.
  bool IsSame(const Expr* a, const Expr* b) {
    if (a == b) return true;
    if (a->dtype != b->dtype) return false;
    const auto* ramp_a = dyn_cast<Ramp>(a);
    const auto* ramp_b = dyn_cast<Ramp>(b);
    if (ramp_a != nullptr && ramp_b != nullptr)
      return IsSame(ramp_a->base, ramp_b->base) && IsSame(ramp_a->stride, ramp_b->stride);
    return a->dtype.is_scalar() && a->dtype.is_integer() && analyzer_.CanProveEqual(a, b);
  }

  /// True if every evaluation of the value reads the element that the store writes, and no other
  /// memory that may overlap it.
  bool ReadsWhatItWrites(const BufferStore& store, const Expr* value) {
    bool only = true;
    Walk(value, [&](const Node* node) {
      const auto* load = dyn_cast<BufferLoad>(node);
      if (load == nullptr) return !isa<Buffer>(node);
      if (load->buffer->data != store.buffer->data) {
        only &= !pointers_.MayAlias(load->buffer->data, store.buffer->data);
      } else {
        only &= load->buffer == store.buffer && load->indices.size() == 1 &&
                IsSame(load->indices[0], store.indices[0]);
      }
      return true;
    });
    if (!only) return false;
    bool always = false;
    Walk(value, [&](const Node* node) {
      if (const auto* call = dyn_cast<Call>(node))
        if (call->op->kind == OpKind::kIfThenElse) return false;
      const auto* load = dyn_cast<BufferLoad>(node);
      always |= load != nullptr && load->buffer == store.buffer;
      return !isa<Buffer>(node) && !isa<Select>(node) && !isa<And>(node) && !isa<Or>(node);
    });
    return always;
  }

  const Stmt* Promote(const Nest& nest) {
    const BufferStore& store = *nest.store;
    const DataType dtype = store.value->dtype;
    const Buffer* local = NewFlatBuffer(builder(), store.buffer->name.view(), dtype, 1);
    const Expr* element = builder().Load(local, {builder().Int(0)}, store.range);
    AccessReplacer replacer(builder().context(), storage(), store.buffer->data, element);
    const auto keep = [&](const Expr* value) {
      return builder().New<BufferStore>(store.range, local, value,
                                        builder().List<Expr>({builder().Int(0)}));
    };
    const Stmt* sum = LoopsAround(arena(), nest.loops, keep(replacer.RewriteExpr(store.value)));
    const Expr* before = builder().New<BufferLoad>(store.range, dtype, store.buffer, store.indices);
    const Stmt* after =
        builder().New<BufferStore>(store.range, store.buffer, element, store.indices);
    return AllocateLocal(builder(), local, builder().Seq({keep(before), sum, after}, store.range));
  }

  FunctionStorage pointers_;
  Analyzer analyzer_;
  absl::flat_hash_set<const Var*> local_;
};

}  // namespace

absl::StatusOr<IRModule> PromoteAccumulators(const IRModule& module, const NoOptions&,
                                             PassContext& context) {
  return ForEachFunction(module, context, [&](const Function& function, Diagnostics&) {
    return RewriteFunction<Promoter>(module.context(), function, *function.func);
  });
}

}  // namespace tenon
