#include "passes/loops/vectorize_loops.h"

#include <algorithm>

#include "arith/analyzer.h"
#include "ir/analysis/node_queries.h"
#include "ir/builtins.h"
#include "ir/extents.h"
#include "ir/replace_var.h"
#include "ir/rewriter.h"
#include "passes/inlining.h"
#include "passes/loops/innermost_loops.h"

namespace tenon {

namespace {

/// Bytes of an allocation with a lane for each iteration.
constexpr int64_t kMostExpandedBytes = 1024;

/// Nodes of the values of lanes that are stored in parts.
constexpr int kMostCopiedNodes = 512;

/// Makes the body of one loop compute `lanes` iterations. Null results mean that it cannot be done.
class LoopVectorizer {
 public:
  LoopVectorizer(NodeBuilder& builder, std::shared_ptr<Storage> storage, Analyzer& analyzer,
                 const For* loop, const Expr* first, int lanes)
      : builder_(builder),
        storage_(std::move(storage)),
        analyzer_(analyzer),
        loop_(loop),
        first_(first),
        lanes_(lanes) {}

  const Stmt* Statement(const Stmt* stmt) {
    return WithStack([&] { return StatementOf(stmt); });
  }
  /// True if something was computed in lanes.
  bool has_vectors() const { return has_vectors_; }

 private:
  const Stmt* StatementOf(const Stmt* stmt);
  const Stmt* Store(const BufferStore* store);
  const Stmt* Expand(const Allocate* allocate);
  const Buffer* Expanded(const Buffer* buffer);
  /// A scalar where the value is the same for all iterations, else a vector.
  const Expr* Value(const Expr* expr) {
    return WithStack([&] { return ValueOf(expr); });
  }
  const Expr* ValueOf(const Expr* expr);
  const Expr* Load(const BufferLoad* load);
  const Expr* CallOf(const Call* call);
  const Expr* Binary(const BinaryExpr* node);
  /// Stores a vector whose lanes are apart: in rows as long as possible, or at a constant step.
  const Stmt* StoreApart(const BufferStore* store, const Expr* value);
  /// The distance of each lane's element from the first lane's one; empty if it is not constant.
  std::vector<int64_t> Distances(const Expr* index);
  /// The index of the first lane, as a vector when the lanes lie in a row.
  const Expr* Index(const Buffer* buffer, Span<const Expr*> indices);
  const Expr* First(const Expr* expr) { return Substitute(expr, first_); }
  const Expr* Substitute(const Expr* expr, const Expr* value) {
    return VarReplacer(builder_.context(), storage_, loop_->loop_var, value).RewriteExpr(expr);
  }
  const Expr* InLanes(const Expr* value) {
    if (value == nullptr || value->dtype.lanes() == lanes_) return value;
    return builder_.New<Broadcast>(value->range, value, lanes_);
  }
  const Expr* InLanesOf(const Expr* expr) {
    const Expr* value = Value(expr);
    return InLanes(value);
  }

  NodeBuilder& builder_;
  std::shared_ptr<Storage> storage_;
  Analyzer& analyzer_;
  const For* loop_;
  const Expr* first_;
  int lanes_;
  /// The loops inside of the vectorized one, around the current statement, and whether there were
  /// any.
  int depth_ = 0;
  bool has_loops_ = false;
  bool has_vectors_ = false;
  absl::flat_hash_map<const Var*, const Var*> expanded_;
  absl::flat_hash_map<const Buffer*, const Buffer*> buffers_;
};

const Stmt* LoopVectorizer::StatementOf(const Stmt* stmt) {
  switch (stmt->kind) {
    case NodeKind::kSeqStmt: {
      std::vector<const Stmt*> out;
      for (const Stmt* child : cast<SeqStmt>(stmt)->seq) {
        out.push_back(Statement(child));
        if (out.back() == nullptr) return nullptr;
      }
      return builder_.Seq(out, stmt->range);
    }
    case NodeKind::kFor: {
      For copy = *cast<For>(stmt);
      has_loops_ = true;
      ++depth_;
      copy.body = Statement(copy.body);
      --depth_;
      return copy.body == nullptr ? nullptr : builder_.arena().New<For>(copy);
    }
    case NodeKind::kBufferStore:
      return Store(cast<BufferStore>(stmt));
    case NodeKind::kAllocate:
      return Expand(cast<Allocate>(stmt));
    case NodeKind::kDeclBuffer: {
      // The declaration is dropped, but it may have introduced the variables of the buffer's shape.
      const auto* decl = cast<DeclBuffer>(stmt);
      return HasConstantLayout(*decl->buffer) ? Statement(decl->body) : nullptr;
    }
    case NodeKind::kIfThenElse: {
      IfThenElse copy = *cast<IfThenElse>(stmt);
      copy.condition = Value(copy.condition);
      if (copy.condition == nullptr || !copy.condition->dtype.is_scalar()) return nullptr;
      copy.then_case = Statement(copy.then_case);
      if (copy.then_case == nullptr) return nullptr;
      if (copy.else_case != nullptr) {
        copy.else_case = Statement(copy.else_case);
        if (copy.else_case == nullptr) return nullptr;
      }
      return builder_.arena().New<IfThenElse>(copy);
    }
    case NodeKind::kEvaluate:
      return stmt;
    default:
      return nullptr;
  }
}

const Stmt* LoopVectorizer::Store(const BufferStore* store) {
  const Expr* value = InLanesOf(store->value);
  if (value == nullptr) return nullptr;
  const Expr* index = Index(store->buffer, store->indices);
  if (index == nullptr) return StoreApart(store, value);
  const bool is_private = expanded_.contains(store->buffer->data);
  // The same place for all iterations: only their own storage has one for each.
  if (!is_private && index->dtype.is_scalar()) return nullptr;
  has_vectors_ = true;
  return builder_.New<BufferStore>(store->range, Expanded(store->buffer), value,
                                   builder_.List<Expr>({index}));
}

const Stmt* LoopVectorizer::StoreApart(const BufferStore* store, const Expr* value) {
  // It pays after the loop of a sum.
  if (depth_ > 0 || !has_loops_ || store->indices.size() != 1 ||
      expanded_.contains(store->buffer->data) || !store->buffer->dtype.is_scalar() ||
      !value->dtype.element().is_scalar() || store->value->dtype.is_bool())
    return nullptr;
  const Expr* index = store->indices[0];
  const std::vector<int64_t> distances = Distances(index);
  if (distances.empty()) return nullptr;
  has_vectors_ = true;
  const auto at = [&](int64_t distance) {
    return builder_.New<Add>({}, First(index), builder_.Int(index->dtype, distance));
  };
  int row = 1;
  while (row < lanes_ && distances[static_cast<size_t>(row)] == row) ++row;
  bool is_regular = true;
  for (size_t i = 0; i < distances.size(); ++i) {
    const auto j = i % static_cast<size_t>(row);
    is_regular &= distances[i] == (row > 1 ? distances[i - j] + static_cast<int64_t>(j)
                                           : distances[1] * static_cast<int64_t>(i));
  }
  if (!is_regular || lanes_ % row != 0) return nullptr;
  // Each part of the lanes has a copy of the value.
  int nodes = 0;
  Walk(store->value, [&](const Node*) { return ++nodes < kMostCopiedNodes; });
  if (row > 1 && nodes * (lanes_ / row) > kMostCopiedNodes) return nullptr;
  if (row == 1) {
    const Expr* step = builder_.Int(index->dtype, distances[1]);
    return builder_.New<BufferStore>(
        store->range, store->buffer, value,
        builder_.List<Expr>({builder_.New<Ramp>(index->range, First(index), step, lanes_)}));
  }
  std::vector<const Stmt*> stores;
  for (int first = 0; first < lanes_; first += row) {
    std::vector<const Expr*> lanes;
    for (int i = 0; i < row; ++i) lanes.push_back(builder_.Int(first + i));
    const Expr* part =
        builder_.New<Shuffle>({}, store->value->dtype.with_lanes(row), builder_.List<Expr>({value}),
                              builder_.arena().Copy(Span<const Expr*>(lanes)));
    const Expr* to = builder_.New<Ramp>({}, at(distances[static_cast<size_t>(first)]),
                                        builder_.Int(index->dtype, 1), row);
    stores.push_back(
        builder_.New<BufferStore>(store->range, store->buffer, part, builder_.List<Expr>({to})));
  }
  return builder_.Seq(stores, store->range);
}

std::vector<int64_t> LoopVectorizer::Distances(const Expr* index) {
  std::vector<int64_t> distances = {0};
  const Expr* first = First(index);
  for (int lane = 1; lane < lanes_; ++lane) {
    const Expr* place = builder_.New<Add>({}, first_, builder_.Int(first_->dtype, lane));
    const Expr* distance =
        analyzer_.Simplify(builder_.New<Sub>({}, Substitute(index, place), first));
    const int64_t* number = AsIntImm(distance);
    if (number == nullptr) return {};
    distances.push_back(*number);
  }
  return distances;
}

const Stmt* LoopVectorizer::Expand(const Allocate* allocate) {
  if (!allocate->dtype.is_scalar() || allocate->dtype.is_handle() ||
      !IsConstInt(allocate->condition, 1))
    return nullptr;
  // Allocations with lanes should stay in registers, or close to them.
  const std::optional<int64_t> bytes =
      StaticBytes(allocate->dtype.with_lanes(lanes_), allocate->extents);
  if (!bytes || *bytes > kMostExpandedBytes) return nullptr;
  Allocate copy = *allocate;
  copy.dtype = allocate->dtype.with_lanes(lanes_);
  const Var* old = allocate->buffer_var;
  copy.buffer_var = builder_.NewVar(
      old->name.view(), builder_.context().PointerType(copy.dtype, old->type->scope), old->range);
  expanded_[old] = copy.buffer_var;
  copy.body = Statement(allocate->body);
  return copy.body == nullptr ? nullptr : builder_.arena().New<Allocate>(copy);
}

const Buffer* LoopVectorizer::Expanded(const Buffer* buffer) {
  const auto found = expanded_.find(buffer->data);
  if (found == expanded_.end()) return buffer;
  const Buffer*& now = buffers_[buffer];
  if (now == nullptr) {
    Buffer copy = *buffer;
    copy.data = found->second;
    copy.dtype = buffer->dtype.with_lanes(lanes_);
    now = builder_.arena().New<Buffer>(copy);
  }
  return now;
}

const Expr* LoopVectorizer::Index(const Buffer* buffer, Span<const Expr*> indices) {
  if (indices.size() != 1 || !indices[0]->dtype.is_scalar() || !buffer->dtype.is_scalar())
    return nullptr;
  const Expr* index = indices[0];
  // An index that is loaded may differ from one iteration to the next one.
  const Expr* uniform = Value(index);
  if (uniform == nullptr) return nullptr;
  const auto expanded = expanded_.find(buffer->data);
  if (expanded != expanded_.end()) {
    // A view of another dtype would show other elements.
    if (expanded->second->type != builder_.context().PointerType(buffer->dtype.with_lanes(lanes_),
                                                                 expanded->second->type->scope))
      return nullptr;
    return uniform->dtype.is_scalar() ? uniform : nullptr;
  }
  if (uniform->dtype.is_scalar()) return uniform;
  const Var* var = loop_->loop_var;
  const Expr* next = Substitute(index, builder_.New<Add>({}, var, builder_.Int(var->dtype, 1)));
  const Expr* step = analyzer_.Simplify(builder_.New<Sub>({}, next, index));
  if (!IsConstInt(step, 1)) return nullptr;
  return builder_.New<Ramp>(index->range, First(index), builder_.Int(index->dtype, 1), lanes_);
}

const Expr* LoopVectorizer::Load(const BufferLoad* load) {
  const Expr* index = Index(load->buffer, load->indices);
  if (index == nullptr) return nullptr;
  const bool is_private = expanded_.contains(load->buffer->data);
  if (load->dtype != load->buffer->dtype) return nullptr;
  const DataType dtype =
      is_private || !index->dtype.is_scalar() ? load->dtype.with_lanes(lanes_) : load->dtype;
  return builder_.New<BufferLoad>(load->range, dtype, Expanded(load->buffer),
                                  builder_.List<Expr>({index}));
}

const Expr* LoopVectorizer::Binary(const BinaryExpr* node) {
  const Expr* a = Value(node->a);
  const Expr* b = Value(node->b);
  if (a == nullptr || b == nullptr) return nullptr;
  if (a->dtype.is_scalar() && b->dtype.is_scalar()) {
    return DispatchExpr(node, [&](const auto* n) -> const Expr* {
      using T = std::remove_cvref_t<decltype(*n)>;
      if constexpr (std::is_base_of_v<BinaryExpr, T>) return builder_.New<T>(node->range, a, b);
      return nullptr;
    });
  }
  if (isa<And>(node) || isa<Or>(node)) return nullptr;
  return DispatchExpr(node, [&](const auto* n) -> const Expr* {
    using T = std::remove_cvref_t<decltype(*n)>;
    if constexpr (std::is_base_of_v<BinaryExpr, T>)
      return builder_.New<T>(node->range, InLanes(a), InLanes(b));
    return nullptr;
  });
}

const Expr* LoopVectorizer::CallOf(const Call* call) {
  std::vector<const Expr*> args;
  bool is_vector = false;
  for (const Expr* arg : call->args) {
    args.push_back(Value(arg));
    if (args.back() == nullptr) return nullptr;
    is_vector |= !args.back()->dtype.is_scalar();
  }
  DataType dtype = call->dtype;
  if (is_vector) {
    const bool choice = call->op->kind == OpKind::kIfThenElse;
    // A guarded value may fail in the lanes for which its condition does not hold.
    if (choice ? !args[0]->dtype.is_scalar() : !IsLaneWise(call->op->kind)) return nullptr;
    for (size_t i = choice ? 1 : 0; i < args.size(); ++i) args[i] = InLanes(args[i]);
    dtype = dtype.with_lanes(lanes_);
  }
  return builder_.New<Call>(call->range, dtype, call->op,
                            builder_.arena().Copy(Span<const Expr*>(args)), call->callee);
}

const Expr* LoopVectorizer::ValueOf(const Expr* expr) {
  if (!expr->dtype.is_scalar()) return nullptr;
  if (BinaryExpr::ClassOf(expr)) return Binary(static_cast<const BinaryExpr*>(expr));
  switch (expr->kind) {
    case NodeKind::kIntImm:
    case NodeKind::kFloatImm:
      return expr;
    case NodeKind::kVar:
      if (expr != loop_->loop_var) return expr;
      return builder_.New<Ramp>(expr->range, first_, builder_.Int(expr->dtype, 1), lanes_);
    case NodeKind::kBufferLoad:
      return Load(cast<BufferLoad>(expr));
    case NodeKind::kCast: {
      const Expr* value = Value(cast<Cast>(expr)->value);
      if (value == nullptr) return nullptr;
      return builder_.New<Cast>(expr->range, expr->dtype.with_lanes(value->dtype.lanes()), value);
    }
    case NodeKind::kNot: {
      const Expr* value = Value(cast<Not>(expr)->a);
      return value == nullptr || !value->dtype.is_scalar() ? nullptr
                                                           : builder_.New<Not>(expr->range, value);
    }
    case NodeKind::kSelect: {
      const auto* select = cast<Select>(expr);
      const Expr* condition = Value(select->condition);
      const Expr* yes = Value(select->true_value);
      const Expr* no = Value(select->false_value);
      if (condition == nullptr || yes == nullptr || no == nullptr) return nullptr;
      if (condition->dtype.is_scalar() && yes->dtype.is_scalar() && no->dtype.is_scalar())
        return builder_.New<Select>(expr->range, condition, yes, no);
      return builder_.New<Select>(expr->range, InLanes(condition), InLanes(yes), InLanes(no));
    }
    case NodeKind::kCall:
      return CallOf(cast<Call>(expr));
    default:
      return nullptr;
  }
}

/// The number of lanes for a loop of `extent` iterations; 0 if it is better left as it is.
int LanesFor(int64_t extent, int64_t max_lanes) {
  if (extent < 4) return 0;
  if (extent <= std::min<int64_t>(16, max_lanes)) return static_cast<int>(extent);
  for (int64_t lanes = 64; lanes >= std::min<int64_t>(8, max_lanes); lanes /= 2) {
    if (lanes <= max_lanes && extent % lanes == 0) return static_cast<int>(lanes);
  }
  return 0;
}

class NestVectorizer : public InnermostLoops<NestVectorizer> {
 public:
  NestVectorizer(Context& context, std::shared_ptr<Storage> storage, const PrimFunc& func,
                 int64_t max_lanes)
      : InnermostLoops(context, storage, func),
        analyzer_(context, storage->arena(), {.assume_index_no_overflow = true}),
        max_lanes_(max_lanes) {}

  const Stmt* RewriteFor(const For* loop) {
    const Analyzer::Scope scope(analyzer_);
    analyzer_.BindLoop(loop);
    return InnermostLoops::RewriteFor(loop);
  }

  const Stmt* TryLoop(const For* loop, int64_t min, int64_t extent) {
    const int lanes = LanesFor(extent, max_lanes_);
    // LLVM peels a rest of loops without loops.
    if ((lanes == 0 && (extent < 4 || !HasLoop(loop->body))) || !IsIndependent(loop))
      return nullptr;
    return lanes > 0 ? InLanes(loop, min, extent, lanes) : WithRest(loop, min, extent);
  }

 private:
  /// The loop in vectors as long as fits at least twice, and its rest.
  const Stmt* WithRest(const For* loop, int64_t min, int64_t extent) {
    int64_t lanes = max_lanes_;
    while (lanes > 4 && 2 * lanes > extent) lanes /= 2;
    const int64_t most = extent / lanes * lanes;
    const Stmt* body = InLanes(loop, min, most, static_cast<int>(lanes));
    if (body == nullptr || most == extent) return body;
    const auto* counter =
        builder().NewVar(loop->loop_var->name.view(), loop->loop_var->type, loop->loop_var->range);
    VarReplacer replacer(builder().context(), storage(), loop->loop_var, counter);
    AddNewVars(loop->body, arena(), replacer.var_map);
    For rest = *loop;
    rest.loop_var = counter;
    rest.min = builder().Int(loop->loop_var->dtype, min + most);
    rest.extent = builder().Int(loop->loop_var->dtype, extent - most);
    rest.body = replacer.RewriteStmt(loop->body);
    const For* remaining = arena().New<For>(rest);
    const Analyzer::Scope scope(analyzer_);
    analyzer_.BindLoop(remaining);
    const int short_lanes = LanesFor(extent - most, max_lanes_);
    const Stmt* end =
        short_lanes > 0 ? InLanes(remaining, min + most, extent - most, short_lanes) : nullptr;
    return builder().Seq({body, end == nullptr ? remaining : end}, loop->range);
  }

  /// All iterations, of which there are a multiple of `lanes`; null if it cannot be done.
  const Stmt* InLanes(const For* loop, int64_t min, int64_t extent, int lanes) {
    const Var* old = loop->loop_var;
    const Var* outer = nullptr;
    const Expr* first = loop->min;
    if (extent > lanes) {
      outer = builder().NewVar(old->name.view(), old->type, old->range);
      first = builder().New<Mul>({}, outer, builder().Int(old->dtype, lanes));
      if (min != 0) first = builder().New<Add>({}, first, loop->min);
    }
    LoopVectorizer vectorizer(builder(), storage(), analyzer_, loop, first, lanes);
    const Stmt* body = vectorizer.Statement(loop->body);
    // Bounds of inner loops and layouts of buffers may depend on the iteration.
    if (body == nullptr || !vectorizer.has_vectors() || Mentions(body, old)) return nullptr;
    if (outer == nullptr) return body;
    return builder().New<For>(loop->range, outer, builder().Int(old->dtype, 0),
                              builder().Int(old->dtype, extent / lanes), ForKind::kSerial, body);
  }

  Analyzer analyzer_;
  int64_t max_lanes_;
};

}  // namespace

bool IsLaneWise(OpKind op) {
  switch (op) {
    case OpKind::kShiftLeft:
    case OpKind::kShiftRight:
    case OpKind::kBitwiseAnd:
    case OpKind::kBitwiseOr:
    case OpKind::kBitwiseXor:
    case OpKind::kBitwiseNot:
    case OpKind::kQMultiplyShift:
    case OpKind::kQMultiplyShiftPerAxis:
    case OpKind::kSqrt:
    case OpKind::kFloor:
    case OpKind::kCeil:
    case OpKind::kTrunc:
    case OpKind::kFabs:
      return true;
    default:
      return false;
  }
}

absl::StatusOr<IRModule> VectorizeLoops(const IRModule& module,
                                        const VectorizeLoopsOptions& options,
                                        PassContext& context) {
  if (options.max_lanes < 4 || options.max_lanes > 64)
    return absl::InvalidArgumentError("vectorize-loops: max-lanes is not 4 to 64");
  return ForEachFunction(module, context, [&](const Function& function, Diagnostics&) {
    return RewriteFunction<NestVectorizer>(module.context(), function, *function.func,
                                           options.max_lanes);
  });
}

}  // namespace tenon
