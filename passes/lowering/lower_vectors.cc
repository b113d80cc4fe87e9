// A vector store reads all lanes before it writes one. So each store is first written lane by lane,
// and its loads are noted. If a lane might read what another one writes, a version with temporaries
// replaces it.

#include "passes/lowering/lower_vectors.h"

#include <fmt/format.h>

#include <functional>

#include "absl/container/flat_hash_set.h"
#include "ir/analysis/gnu_vectors.h"
#include "ir/analysis/node_queries.h"
#include "ir/analysis/pointers.h"
#include "ir/overlaps.h"
#include "passes/lowering/lane_expr.h"
#include "passes/memory/limit_stack.h"

namespace tenon {

namespace {

/// Statements with more lanes are not unrolled.
constexpr int kMostUnrolledLanes = 1024;

class VectorLowering : public LaneRewriter<VectorLowering> {
 public:
  VectorLowering(Context& context, std::shared_ptr<Storage> storage, const PrimFunc& function,
                 Diagnostics& diagnostics, const LowerVectorsOptions& options)
      : LaneRewriter(context, std::move(storage), diagnostics),
        roots_(function),
        function_(function),
        keep_gnu_(options.keep == "gnu") {
    keep_dots_ = options.dots;
    for (size_t i = 0; i < function.params.size(); ++i) {
      const Var* param = function.params[i];
      params_.emplace(param, i);
      Retype(param);
      if (!param->type->is_pointer() && param->dtype.lanes() > 1) {
        ReportNoScalarForm(diagnostics, param->range, "a vector parameter");
      }
      if (function.buffers[i] == nullptr) continue;
      params_.emplace(function.buffers[i]->data, i);
      Retype(function.buffers[i]->data);
    }
  }

  const Buffer* RewriteBuffer(const Buffer* buffer) {
    if (const auto found = buffer_map.find(buffer); found != buffer_map.end()) return found->second;
    // The shape always has scalars, wherever the buffer is first used.
    const Expr* lane = std::exchange(lane_, nullptr);
    const bool whole = std::exchange(whole_, false);
    const bool may_hoist = std::exchange(may_hoist_, false);
    const Buffer* now = ScalarBuffer(RewriteChildren(buffer));
    lane_ = lane;
    whole_ = whole;
    may_hoist_ = may_hoist;
    buffer_map.emplace(buffer, now);
    return now;
  }

  const Stmt* RewriteFor(const For* loop) {
    const For* now = RewriteChildren(loop);
    if (now->for_kind != ForKind::kVectorized) return now;
    For copy = *now;
    copy.for_kind = ForKind::kSerial;
    return arena().New<For>(copy);
  }

  const Stmt* RewriteAllocate(const Allocate* allocate) {
    Retype(allocate->buffer_var);
    const Allocate* now = RewriteChildren(allocate);
    const int lanes = allocate->dtype.lanes();
    if (lanes == 1) return now;
    Allocate copy = *now;
    copy.buffer_var = MapVar(now->buffer_var);
    copy.dtype = now->dtype.element();
    const IndexMath math(builder(), allocate->range);
    std::vector<const Expr*> extents(now->extents.begin(), now->extents.end());
    extents.push_back(builder().Int(lanes));
    copy.extents = builder().List<Expr>({math.Product({extents.data(), extents.size()})});
    return arena().New<Allocate>(copy);
  }

  const Stmt* RewriteLetStmt(const LetStmt* let) {
    if (let->var->dtype.is_scalar()) {
      Retype(let->var);
      const LetStmt* now = RewriteChildren(let);
      if (MapVar(let->var) == let->var) return now;
      LetStmt copy = *now;
      copy.var = MapVar(let->var);
      return arena().New<LetStmt>(copy);
    }
    if (RefuseScalable(let->var->dtype, let)) return let;
    const DataType element = let->var->dtype.element();
    const int lanes = let->var->dtype.lanes();
    const Buffer* array = NewArray(let->var->name.view(), element, lanes, let->range);
    const Span<const Expr*> row = builder().List<Expr>({Row(builder().Int(0), lanes, let->range)});
    const Stmt* fill = Kept(builder().New<BufferStore>(let->range, array, let->value, row));
    if (fill == nullptr) {
      fill = ForEachLane(let, let->value, lanes,
                         [&] { return Store(array, lane_, RewriteExpr(let->value), let->range); });
    }
    arrays_[let->var] = array;
    const Stmt* body = RewriteAny(let->body);
    return AllocateArray(array, builder().Seq({fill, body}, let->range), let->range);
  }

  const Stmt* RewriteEvaluate(const Evaluate* evaluate) {
    const Expr* value = evaluate->value;
    if (value->dtype.is_scalar() || value->dtype.is_void()) return RewriteChildren(evaluate);
    bool effects = false;
    Walk(value, [&](const Node* node) {
      const auto* call = dyn_cast<Call>(node);
      effects |= call != nullptr && call->op->effect != OpEffect::kPure;
      return !effects;
    });
    if (effects) ReportNoScalarForm(diagnostics_, evaluate->range, "this call");
    return nullptr;
  }

  const Stmt* RewriteBufferStore(const BufferStore* store) {
    if (store->value->dtype.is_scalar()) return ScalarStore(store);
    if (RefuseScalable(store->value->dtype, store)) return store;
    if (const Stmt* kept = Kept(store)) return kept;
    return VectorStore(store);
  }

 private:
  /// Pointers to vectors become pointers to scalars.
  void Retype(const Var* var) {
    if (!var->type->is_pointer() || var->type->dtype.lanes() <= 1 || var_map.contains(var)) return;
    const Type* type =
        builder().context().PointerType(var->type->dtype.element(), var->type->scope);
    var_map[var] = builder().NewVar(var->name.view(), type, var->range);
  }

  const Buffer* ScalarBuffer(const Buffer* buffer) {
    const int lanes = buffer->dtype.lanes();
    if (lanes == 1) return buffer;
    if (RefuseScalable(buffer->dtype, buffer)) return buffer;
    const IndexMath math(builder(), buffer->range);
    const Expr* width = builder().Int(lanes);
    Buffer copy = *buffer;
    copy.dtype = buffer->dtype.element();
    copy.elem_offset = math.Mul(buffer->elem_offset, width);
    std::vector<const Expr*> shape(buffer->shape.begin(), buffer->shape.end());
    if (shape.empty()) {
      shape.push_back(width);
    } else {
      const Expr* both[] = {shape.back(), width};
      shape.back() = math.Product(both);
    }
    copy.shape = arena().Copy(Span<const Expr*>(shape.data(), shape.size()));
    // A zero offset has the dtype of the indices, like an omitted one.
    if (IsConstInt(copy.elem_offset, 0)) copy.elem_offset = builder().Int(shape.back()->dtype, 0);
    if (!buffer->strides.empty()) {
      if (!IsConstInt(buffer->strides.back(), 1)) {
        ReportNoScalarForm(diagnostics_, buffer->range, "a strided buffer of vectors");
      }
      std::vector<const Expr*> strides(buffer->strides.begin(), buffer->strides.end());
      for (size_t i = 0; i + 1 < strides.size(); ++i) strides[i] = math.Mul(strides[i], width);
      copy.strides = arena().Copy(Span<const Expr*>(strides.data(), strides.size()));
    }
    return arena().New<Buffer>(copy);
  }

  bool RefuseScalable(DataType dtype, const Node* node) {
    if (!dtype.is_scalable()) return false;
    ReportNoScalarForm(diagnostics_, node->range, "a vector of scalable length");
    return true;
  }

  const Stmt* ScalarStore(const BufferStore* store) {
    const BufferStore* now = RewriteChildren(store);
    if (now->predicate == nullptr) return now;
    BufferStore copy = *now;
    copy.predicate = nullptr;
    return builder().New<IfThenElse>(store->range, now->predicate, arena().New<BufferStore>(copy),
                                     nullptr);
  }

  /// The store over buffers of scalars if it may stay a vector store, otherwise null.
  const Stmt* Kept(const BufferStore* store) {
    if (!keep_gnu_ || !IsGnuVector(store->value->dtype)) return nullptr;
    bool plain = true;
    // These nodes bind or move other expressions.
    Walk(store, [&](const Node* node) {
      plain &= !isa<Let>(node) && !isa<Shuffle>(node);
      return plain && !isa<Buffer>(node);
    });
    if (!plain) return nullptr;
    whole_ = true;
    whole_fails_ = false;
    const BufferStore* whole = RewriteChildren(store);
    const Buffer* buffer = RewriteBuffer(store->buffer);
    if (store->buffer->dtype.lanes() > 1) {
      BufferStore copy = *whole;
      copy.buffer = buffer;
      copy.indices = Indices(store->buffer, store->indices, store);
      whole = arena().New<BufferStore>(copy);
    }
    whole_ = false;
    return !whole_fails_ && IsGnuVectorStore(whole) ? whole : nullptr;
  }

  const Stmt* VectorStore(const BufferStore* store) {
    const int lanes = store->value->dtype.lanes();
    bool hazard = false;
    const Stmt* direct = ForEachLane(store, store, lanes, [&]() -> const Stmt* {
      loads_.clear();
      const Expr* value = RewriteExpr(store->value);
      const Span<const Expr*> indices = Indices(store->buffer, store->indices, store);
      const Expr* predicate = RewriteExpr(store->predicate);
      for (const BufferLoad* load : loads_) hazard |= Conflicts(load, store);
      const Stmt* write =
          builder().New<BufferStore>(store->range, RewriteBuffer(store->buffer), value, indices);
      return Guarded(predicate, write, store->range);
    });
    if (!hazard) return direct;
    BufferStore fixed = *store;
    std::vector<std::pair<const Var*, const Expr*>> rows = BindRows(&fixed);
    const Stmt* result = BufferedStore(&fixed, lanes);
    for (size_t i = rows.size(); i-- > 0;) {
      result = builder().New<LetStmt>(store->range, rows[i].first, rows[i].second, result);
    }
    return result;
  }

  /// Binds the scalar indices of a store that read memory to variables: the store may change that
  /// memory between lanes. Returns the variables with their values.
  std::vector<std::pair<const Var*, const Expr*>> BindRows(BufferStore* store) {
    std::vector<std::pair<const Var*, const Expr*>> rows;
    if (store->indices.empty()) return rows;
    std::vector<const Expr*> indices(store->indices.begin(), store->indices.end());
    for (const Expr*& index : std::span<const Expr*>(indices.data(), indices.size() - 1)) {
      if (!ReadsMemory(index)) continue;
      const Var* row = builder().NewVar("row", index->dtype, index->range);
      rows.emplace_back(row, RewriteExpr(index));
      index = row;
    }
    if (!rows.empty())
      store->indices = arena().Copy(Span<const Expr*>(indices.data(), indices.size()));
    return rows;
  }

  /// Stores all lanes to temporaries, then copies these to the buffer.
  const Stmt* BufferedStore(const BufferStore* store, int lanes) {
    const SourceRange range = store->range;
    const DataType element = store->value->dtype.element();
    const Buffer* values = NewArray("values", element, lanes, range);
    const bool moving_index = ReadsStorage(store, lanes);
    const Buffer* places = nullptr;
    const Buffer* mask = nullptr;
    const Stmt* fill = ForEachLane(store, store, lanes, [&] {
      std::vector<const Stmt*> stores = {Store(values, lane_, RewriteExpr(store->value), range)};
      if (moving_index) {
        const Expr* place = Indices(store->buffer, store->indices, store).back();
        if (places == nullptr) places = NewArray("places", place->dtype, lanes, range);
        stores.push_back(Store(places, lane_, place, range));
      }
      if (store->predicate != nullptr) {
        if (mask == nullptr) mask = NewArray("mask", DataType::Int(8), lanes, range);
        const Expr* bit =
            builder().New<Cast>(range, DataType::Int(8), RewriteExpr(store->predicate));
        stores.push_back(Store(mask, lane_, bit, range));
      }
      return builder().Seq({stores.data(), stores.size()}, range);
    });
    const Stmt* drain = ForEachLane(store, nullptr, lanes, [&] {
      const auto at = [&](const Buffer* array) {
        return builder().New<BufferLoad>(range, array->dtype, array, builder().List<Expr>({lane_}));
      };
      Span<const Expr*> indices = Indices(store->buffer, store->indices, store);
      if (places != nullptr) {
        std::vector<const Expr*> list(indices.begin(), indices.end());
        list.back() = at(places);
        indices = arena().Copy(Span<const Expr*>(list.data(), list.size()));
      }
      const Stmt* write =
          builder().New<BufferStore>(range, RewriteBuffer(store->buffer), at(values), indices);
      if (mask == nullptr) return write;
      return Guarded(builder().New<Cast>(range, DataType::Bool(), at(mask)), write, range);
    });
    const Stmt* both = builder().Seq({fill, drain}, range);
    for (const Buffer* array : {mask, places, values}) {
      if (array != nullptr) both = AllocateArray(array, both, range);
    }
    return both;
  }

  const Stmt* Guarded(const Expr* predicate, const Stmt* stmt, SourceRange range) {
    if (predicate == nullptr) return stmt;
    return builder().New<IfThenElse>(range, predicate, stmt, nullptr);
  }

  /// True if a vector index of the store reads memory.
  static bool ReadsStorage(const BufferStore* store, int lanes) {
    return lanes > 1 && !store->indices.empty() && ReadsMemory(store->indices.back());
  }

  /// True if another lane's store may write the memory that this load reads.
  bool Conflicts(const BufferLoad* load, const BufferStore* store) {
    const Var* a = load->buffer->data;
    const Var* b = store->buffer->data;
    if (roots_.RootOf(a) == roots_.RootOf(b)) return unrolled_ || !SameLanes(load, store);
    const PointerTargets from = roots_.TargetsOf(a);
    const PointerTargets to = roots_.TargetsOf(b);
    if (!from.is_known || !to.is_known) return true;
    return std::any_of(from.roots.begin(), from.roots.end(), [&](const Var* x) {
      return std::any_of(to.roots.begin(), to.roots.end(),
                         [&](const Var* y) { return MayOverlap(x, y); });
    });
  }

  /// True if two roots may be the same storage.
  bool MayOverlap(const Var* a, const Var* b) const {
    const auto x = params_.find(a);
    const auto y = params_.find(b);
    if (x == params_.end() || y == params_.end()) return a == b;
    return x->second == y->second || !AreNoAliasParams(function_, x->second, y->second);
  }

  /// True if each lane reads exactly the element that it writes, and no two lanes the same.
  static bool SameLanes(const BufferLoad* load, const BufferStore* store) {
    if (load->buffer != store->buffer || load->indices.size() != store->indices.size()) {
      return false;
    }
    for (size_t i = 0; i < load->indices.size(); ++i) {
      if (!SameExpr(load->indices[i], store->indices[i])) return false;
    }
    if (store->indices.empty() || store->indices.back()->dtype.is_scalar()) return true;
    const auto* ramp = dyn_cast<Ramp>(store->indices.back());
    const int64_t* stride = ramp == nullptr ? nullptr : AsIntImm(ramp->stride);
    return stride != nullptr && *stride != 0;
  }

  /// `body` for every lane: a loop, or one statement per lane if `stmt` moves lanes. Hoisted values
  /// are bound around it.
  const Stmt* ForEachLane(const Stmt* stmt, const Node* moving, int lanes,
                          const std::function<const Stmt*()>& body) {
    unrolled_ = MovesLanes(moving == nullptr ? stmt : moving);
    may_hoist_ = !unrolled_;
    hoisted_.clear();
    hoisted_vars_.clear();
    const Stmt* result = nullptr;
    if (unrolled_) {
      if (lanes > kMostUnrolledLanes) {
        ReportNoScalarForm(diagnostics_, stmt->range, "so many lanes");
        lanes = 1;
      }
      std::vector<const Stmt*> statements;
      for (int i = 0; i < lanes; ++i) {
        lane_ = builder().Int(i, stmt->range);
        statements.push_back(body());
      }
      result = builder().Seq({statements.data(), statements.size()}, stmt->range);
    } else {
      const Var* lane = builder().NewVar("lane", DataType::Int(32), stmt->range);
      lane_ = lane;
      const Stmt* one = body();
      result = builder().New<For>(stmt->range, lane, builder().Int(0), builder().Int(lanes),
                                  ForKind::kSerial, one);
    }
    lane_ = nullptr;
    may_hoist_ = false;
    for (size_t i = hoisted_.size(); i-- > 0;) {
      result = builder().New<LetStmt>(stmt->range, hoisted_[i].first, hoisted_[i].second, result);
    }
    hoisted_.clear();
    return result;
  }

  const Buffer* NewArray(std::string_view name, DataType dtype, int lanes, SourceRange range) {
    Context& context = builder().context();
    const Var* data = builder().NewVar(name, context.PointerType(dtype, "global"), range);
    return builder().New<Buffer>(range, data->name, data, dtype,
                                 builder().List<Expr>({builder().Int(lanes)}), builder().Int(0));
  }

  const Stmt* AllocateArray(const Buffer* array, const Stmt* body, SourceRange range) {
    return builder().New<Allocate>(range, array->data, array->dtype, array->shape,
                                   builder().Bool(true), nullptr, body);
  }

  const Stmt* Store(const Buffer* array, const Expr* lane, const Expr* value, SourceRange range) {
    return builder().New<BufferStore>(range, array, value, builder().List<Expr>({lane}));
  }

  PointerRoots roots_;
  /// Parameters and the data of their buffers, with their numbers.
  absl::flat_hash_map<const Var*, size_t> params_;
  const PrimFunc& function_;
  bool keep_gnu_;
};

/// Functions without vectors keep their versions.
bool HasVectors(const PrimFunc& function) {
  bool found = false;
  const auto wide = [](DataType dtype) { return dtype.lanes() > 1 || dtype.is_scalable(); };
  Walk(&function, [&](const Node* node) {
    if (isa<Expr>(node)) found |= wide(static_cast<const Expr*>(node)->dtype);
    if (const auto* var = dyn_cast<Var>(node)) found |= wide(var->type->dtype);
    if (const auto* loop = dyn_cast<For>(node)) found |= loop->for_kind == ForKind::kVectorized;
    if (const auto* buffer = dyn_cast<Buffer>(node)) found |= wide(buffer->dtype);
    return !found;
  });
  return found;
}

/// Whether some vector takes `bytes` or more.
bool HasVectorsOf(const PrimFunc& function, int64_t bytes) {
  bool found = false;
  Walk(&function, [&](const Node* node) {
    if (!isa<Expr>(node)) return !found;
    const DataType dtype = static_cast<const Expr*>(node)->dtype;
    found |= dtype.lanes() > 1 && dtype.lanes() * dtype.element_bytes() >= bytes;
    return !found;
  });
  return found;
}

}  // namespace

absl::StatusOr<IRModule> LowerVectors(const IRModule& module, const LowerVectorsOptions& options,
                                      PassContext& context) {
  if (options.keep != "gnu" && options.keep != "none") {
    return absl::InvalidArgumentError(
        fmt::format("option `keep` is `{}`, expected `none` or `gnu`", options.keep));
  }
  const auto lower = [&](const Function& function, Diagnostics& diagnostics) {
    if (!HasVectors(*function.func) ||
        (options.min_bytes > 0 && !HasVectorsOf(*function.func, options.min_bytes)))
      return function;
    return RewriteFunction<VectorLowering>(module.context(), function, *function.func, diagnostics,
                                           options);
  };
  const IRModule lowered = ForEachFunction(module, context, lower);
  // Statements in lockstep cannot have the temporaries of wide vectors.
  return options.min_bytes > 0 ? LimitStack(lowered, {}, context) : lowered;
}

}  // namespace tenon
