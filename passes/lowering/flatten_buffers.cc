// Each buffer gets one flat alias, made at its first access, and each access one index in row-major
// order. Signatures stay, since callers see them. (TVM: tir.FlattenBuffer.)

#include "passes/lowering/flatten_buffers.h"

#include <fmt/format.h>

#include <deque>
#include <limits>
#include <optional>
#include <vector>

#include "arith/index_math.h"
#include "ir/analysis/free_vars.h"
#include "ir/builtins.h"
#include "ir/rewriter.h"
#include "ir/scope_rows.h"

namespace tenon {

namespace {

/// A buffer and the new form of its accesses.
struct FlatBuffer {
  const Buffer* buffer = nullptr;  ///< one-dimensional, without strides or offset
  Span<const Expr*> shape;         ///< of the old buffer
  Span<const Expr*> strides;       ///< of the old buffer; empty if compact
  const Expr* elem_offset = nullptr;
  bool same = false;  ///< true if already flat
  bool wide = false;  ///< indices are computed in int64
  bool is_bool = false;
};

class Flattener : public Rewriter<Flattener> {
 public:
  Flattener(Context& context, std::shared_ptr<Storage> storage, bool keep_prefetches,
            Diagnostics& diagnostics)
      : Rewriter(context, std::move(storage)),
        keep_prefetches_(keep_prefetches),
        diagnostics_(diagnostics) {}

  /// The signature stays unchanged.
  const PrimFunc* RewriteFunc(const PrimFunc* function) {
    function_ = function;
    PrimFunc copy = *function;
    copy.body = RewriteAny(function->body);
    return copy.body == function->body ? function : arena().New<PrimFunc>(copy);
  }

  const Buffer* RewriteBuffer(const Buffer* buffer) { return FlatOf(buffer).buffer; }

  const Expr* RewriteBufferLoad(const BufferLoad* load) {
    const Expr* now = Load(load);
    if (!FlatOf(load->buffer).is_bool) return now;
    return builder().New<Cast>(load->range, load->dtype, now);
  }

  const Expr* RewriteCall(const Call* call) {
    // The address belongs to the element, not to a cast of it.
    const auto* load =
        call->args.size() == 1 ? dyn_cast_or_null<BufferLoad>(call->args[0]) : nullptr;
    if (call->op->kind != OpKind::kAddressOf || load == nullptr) return RewriteChildren(call);
    const Expr* element = Load(load);
    if (element == load) return call;
    return builder().NewCall(call->dtype, OpKind::kAddressOf, {element}, call->range);
  }

  const Stmt* RewriteBufferStore(const BufferStore* store) {
    const FlatBuffer& flat = FlatOf(store->buffer);
    if (flat.same) return RewriteChildren(store);
    const Expr* index = Index(flat, store->indices, store->range);
    const Expr* value = RewriteExpr(store->value);
    if (flat.is_bool) {
      value = builder().New<Cast>(store->range, DataType::Int(8, value->dtype.lanes()), value);
    }
    return builder().New<BufferStore>(store->range, flat.buffer, value,
                                      builder().List<Expr>({index}), RewriteExpr(store->predicate));
  }

  const Stmt* RewriteAllocate(const Allocate* allocate) {
    const bool is_bool = allocate->dtype.is_bool();
    if (is_bool) RetypeData(allocate->buffer_var);
    const Allocate* now = RewriteChildren(allocate);
    if (now->extents.size() == 1 && !is_bool) return now;
    Allocate copy = *now;
    if (is_bool) {
      copy.dtype = DataType::Int(8, copy.dtype.lanes());
      copy.buffer_var = MapVar(copy.buffer_var);
    }
    if (copy.extents.size() != 1) {
      const IndexMath math(builder(), allocate->range);
      copy.extents = builder().List<Expr>({math.Product(copy.extents)});
    }
    return arena().New<Allocate>(copy);
  }

  const Stmt* RewriteAllocateConst(const AllocateConst* allocate) {
    const AllocateConst* now = RewriteChildren(allocate);
    if (now->extents.size() == 1) return now;
    AllocateConst copy = *now;
    const IndexMath math(builder(), allocate->range);
    copy.extents = builder().List<Expr>({math.Product(copy.extents)});
    return arena().New<AllocateConst>(copy);
  }

  /// Removes the declaration. Variables that only it defines become free variables.
  const Stmt* RewriteDeclBuffer(const DeclBuffer* decl) {
    Undeclare(decl);
    return RewriteStmt(decl->body);
  }
  const Stmt* RewriteSeqStmt(const SeqStmt* seq) {
    if (!isa<DeclBuffer>(seq->seq.back())) return RewriteDefault(seq);
    std::vector<const Stmt*> list;
    const auto inside = [&](const Stmt* stmt) -> const Stmt* {
      const auto* decl = dyn_cast<DeclBuffer>(stmt);
      if (decl == nullptr) return nullptr;
      Undeclare(decl);
      return decl->body;
    };
    ForEachInRow(seq, inside, [&](const Stmt* stmt) {
      if (const Stmt* now = RewriteStmt(stmt)) list.push_back(now);
    });
    return list.empty() ? nullptr : builder().Seq(list, seq->range);
  }

  const Stmt* RewritePrefetch(const Prefetch* prefetch) {
    const bool stays =
        keep_prefetches_ && prefetch->bounds.size() == 1 && FlatOf(prefetch->buffer).same;
    return stays ? RewriteChildren(prefetch) : nullptr;
  }

  const Stmt* RewriteBlock(const Block* block) { return Refuse(block, "a block"); }
  const Stmt* RewriteBlockRealize(const BlockRealize* realize) {
    return Refuse(realize, "a block");
  }
  const Stmt* RewriteBufferRealize(const BufferRealize* realize) {
    return Refuse(realize, "a realize");
  }
  const Stmt* RewriteProducerStore(const ProducerStore* store) {
    return Refuse(store, "a store to a producer");
  }
  const Stmt* RewriteProducerRealize(const ProducerRealize* realize) {
    return Refuse(realize, "a realize of a producer");
  }

 private:
  const Stmt* Refuse(const Stmt* stmt, std::string_view what) {
    diagnostics_.Error(
        DiagnosticKind::kPass, stmt->range,
        fmt::format("flatten-buffers cannot flatten {}: run lower-blocks first", what));
    return stmt;
  }

  void Undeclare(const DeclBuffer* decl) {
    const Buffer& buffer = *decl->buffer;
    for (const Expr* extent : buffer.shape) FreeUnlessDefined(extent);
    for (const Expr* stride : buffer.strides) FreeUnlessDefined(stride);
    FreeUnlessDefined(buffer.elem_offset);
  }

  void FreeUnlessDefined(const Expr* field) {
    const auto* var = dyn_cast<Var>(field);
    if (var == nullptr || IsFreeVar(var) || var_map.contains(var)) return;
    if (!defined_) defined_ = DefinedVars(*function_, Declarations::kLeftOut);
    if (defined_->contains(var)) return;
    Var* free = arena().New<Var>(*var);
    free->flags |= kFreeVar;
    var_map[var] = free;
  }

  /// A pointer to bool becomes a pointer to int8.
  void RetypeData(const Var* var) {
    if (!var->type->is_pointer() || !var->type->dtype.is_bool()) return;
    Context& context = builder().context();
    const DataType bytes = DataType::Int(8, var->type->dtype.lanes());
    const Type* type = context.PointerType(bytes, var->type->scope);
    var_map[var] = builder().NewVar(var->name.view(), type, var->range);
  }

  const FlatBuffer& FlatOf(const Buffer* buffer) {
    const auto found = flat_.find(buffer);
    if (found != flat_.end()) return *found->second;
    flats_.push_back(Flatten(buffer));
    flat_.emplace(buffer, &flats_.back());
    return flats_.back();
  }

  FlatBuffer Flatten(const Buffer* old) {
    Buffer copy = *old;
    copy.data = MapVar(old->data);
    RewriteSpan(copy.shape);
    RewriteSpan(copy.strides);
    copy.elem_offset = RewriteExpr(old->elem_offset);
    FlatBuffer flat;
    flat.shape = copy.shape;
    flat.strides = copy.strides;
    flat.elem_offset = copy.elem_offset;
    flat.is_bool = old->dtype.is_bool();
    const bool unit_strides =
        copy.strides.empty() || (copy.strides.size() == 1 && IsConstInt(copy.strides[0], 1));
    if (copy.shape.size() == 1 && unit_strides && IsConstInt(copy.elem_offset, 0) &&
        !flat.is_bool && copy.axis_separators.empty()) {
      flat.same = true;
      flat.buffer = copy.data == old->data && copy.shape.data() == old->shape.data()
                        ? old
                        : arena().New<Buffer>(copy);
      return flat;
    }
    const Expr* size = ReachedElements(builder(), copy);
    const int64_t* constant = AsIntImm(size);
    flat.wide = constant != nullptr && *constant > std::numeric_limits<int32_t>::max();
    copy.shape = builder().List<Expr>({size});
    copy.strides = {};
    copy.axis_separators = {};
    copy.elem_offset = builder().Int(size->dtype, 0);
    copy.offset_factor = 1;
    copy.buffer_kind = BufferKind::kDefault;
    if (flat.is_bool) copy.dtype = DataType::Int(8, copy.dtype.lanes());
    flat.buffer = arena().New<Buffer>(copy);
    return flat;
  }

  const Expr* Load(const BufferLoad* load) {
    const FlatBuffer& flat = FlatOf(load->buffer);
    if (flat.same) return RewriteChildren(load);
    const Expr* index = Index(flat, load->indices, load->range);
    DataType dtype = load->dtype;
    if (flat.is_bool) dtype = DataType::Int(8, dtype.lanes());
    return builder().New<BufferLoad>(load->range, dtype, flat.buffer, builder().List<Expr>({index}),
                                     RewriteExpr(load->predicate));
  }

  /// The number of the element: outer dimensions first, then the last index, which may be a vector.
  const Expr* Index(const FlatBuffer& flat, Span<const Expr*> indices, SourceRange range) {
    const IndexMath math(builder(), range);
    const auto wide = [&](const Expr* expr) {
      return flat.wide ? math.Convert(DataType::Int(64), expr) : expr;
    };
    if (indices.empty()) return wide(flat.elem_offset);
    const size_t last = indices.size() - 1;
    const Expr* outer = nullptr;
    for (size_t i = 0; i < last; ++i) {
      const Expr* index = wide(RewriteExpr(indices[i]));
      if (!flat.strides.empty()) {
        index = math.Mul(index, wide(flat.strides[i]));
        outer = outer == nullptr ? index : math.Add(outer, index);
      } else {
        outer = outer == nullptr ? index : math.Add(outer, index);
        outer = math.Mul(outer, wide(flat.shape[i + 1]));
      }
    }
    const Expr* stride = flat.strides.empty() ? nullptr : wide(flat.strides[last]);
    const Expr* inner = wide(RewriteExpr(indices[last]));
    const Expr* offset = IsConstInt(flat.elem_offset, 0) ? nullptr : wide(flat.elem_offset);
    const auto place = [&](const Expr* index) {
      if (stride != nullptr) index = math.Mul(index, stride);
      if (outer != nullptr) index = math.Add(outer, index);
      return offset == nullptr ? index : math.Add(index, offset);
    };
    if (const auto* ramp = dyn_cast<Ramp>(inner)) {
      const Expr* base = place(ramp->base);
      const Expr* step = stride == nullptr ? ramp->stride : math.Mul(ramp->stride, stride);
      return builder().New<Ramp>(range, base, math.Convert(base->dtype, step), ramp->dtype.lanes());
    }
    if (const auto* broadcast = dyn_cast<Broadcast>(inner)) {
      return builder().New<Broadcast>(range, place(broadcast->value), broadcast->dtype.lanes());
    }
    return place(inner);
  }

  const bool keep_prefetches_;
  Diagnostics& diagnostics_;
  const PrimFunc* function_ = nullptr;
  std::optional<absl::flat_hash_set<const Var*>> defined_;
  std::deque<FlatBuffer> flats_;
  absl::flat_hash_map<const Buffer*, const FlatBuffer*> flat_;
};

}  // namespace

absl::StatusOr<IRModule> FlattenBuffers(const IRModule& module,
                                        const FlattenBuffersOptions& options,
                                        PassContext& context) {
  return ForEachFunction(module, context, [&](const Function& function, Diagnostics& diagnostics) {
    return RewriteFunction<Flattener>(module.context(), function, options.keep_prefetches,
                                      diagnostics);
  });
}

}  // namespace tenon
