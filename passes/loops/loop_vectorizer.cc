// Rewrites one loop body. An expression that is the same for all iterations is not changed; all
// others become vectors, or the loop cannot be rewritten. Callers decide which loops to try, and
// prove that iterations are independent.

#include "passes/loops/loop_vectorizer.h"

#include <algorithm>

#include "ir/analysis/node_queries.h"
#include "ir/analysis/stack_arrays.h"
#include "ir/builtins.h"
#include "ir/extents.h"
#include "ir/replace_var.h"
#include "ir/storage_defaults.h"
#include "passes/inlining.h"
#include "passes/loops/innermost_loops.h"
#include "passes/loops/store_nest.h"
#include "passes/lowering/expand_math.h"
#include "schedule/machine.h"

namespace tenon {

namespace {

/// Bytes of an allocation with a lane for each iteration, if it may be placed in a pool.
constexpr int64_t kMostExpandedBytes = 1024;

/// The smallest number of lanes for which a strided load that feeds a strided store pays.
constexpr int kLanesApart = 8;

/// The largest number of nodes of a value whose lanes are stored in parts.
constexpr int kMostCopiedNodes = 512;

/// True if there is an offset for each lane, and each lane follows the one before it.
bool AreNeighbours(const std::vector<int64_t>& distances) {
  for (size_t lane = 0; lane < distances.size(); ++lane) {
    if (distances[lane] != static_cast<int64_t>(lane)) return false;
  }
  return !distances.empty();
}

}  // namespace

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
      const Analyzer::Scope scope(analyzer_);
      analyzer_.BindLoop(&copy);
      levels_.push_back({copy.loop_var});
      copy.body = Statement(copy.body);
      levels_.pop_back();
      levels_.back().has_loop = true;
      return copy.body == nullptr ? nullptr : builder_.arena().New<For>(copy);
    }
    case NodeKind::kBufferStore:
      return Store(cast<BufferStore>(stmt));
    case NodeKind::kAllocate:
      return Expand(cast<Allocate>(stmt));
    case NodeKind::kDeclBuffer: {
      // The declaration is removed, but it may have introduced the variables of the buffer's shape.
      const auto* decl = cast<DeclBuffer>(stmt);
      return HasConstantLayout(*decl->buffer) ? Statement(decl->body) : nullptr;
    }
    case NodeKind::kLetStmt:
      return LetOf(cast<LetStmt>(stmt));
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

const Stmt* LoopVectorizer::LetOf(const LetStmt* let) {
  LetStmt copy = *let;
  copy.value = Value(let->value);
  if (copy.value == nullptr) return nullptr;
  if (!copy.value->dtype.is_scalar()) {
    copy.var = builder_.NewVar(let->var->name.view(), copy.value->dtype, let->var->range);
    lets_[let->var] = copy.var;
  }
  copy.body = Statement(let->body);
  return copy.body == nullptr ? nullptr : builder_.arena().New<LetStmt>(copy);
}

bool LoopVectorizer::MentionsVector(const Expr* expr) const {
  return std::any_of(lets_.begin(), lets_.end(),
                     [&](const auto& let) { return Mentions(expr, let.first); });
}

const Stmt* LoopVectorizer::Store(const BufferStore* store) {
  const Expr* value = InLanesOf(store->value);
  if (value == nullptr) return nullptr;
  const Expr* index = Index(store->buffer, store->indices);
  if (index == nullptr) return StoreApart(store, value);
  const bool is_private = expanded_.contains(store->buffer->data);
  // All iterations store to one element; only a privatised allocation has an element for each lane.
  if (!is_private && index->dtype.is_scalar()) return nullptr;
  has_vectors_ = true;
  return builder_.New<BufferStore>(store->range, Expanded(store->buffer), value,
                                   builder_.List<Expr>({index}));
}

const Stmt* LoopVectorizer::StoreApart(const BufferStore* store, const Expr* value) {
  // Scattered stores pay only if an inner loop has accumulated the value.
  if (!levels_.back().has_loop || store->indices.size() != 1 ||
      expanded_.contains(store->buffer->data) || !store->buffer->dtype.is_scalar() ||
      !value->dtype.element().is_scalar() || store->value->dtype.is_bool())
    return nullptr;
  const Expr* index = store->indices[0];
  if (MentionsVector(index)) return nullptr;
  const bool is_sum = std::any_of(levels_.begin() + 1, levels_.end(),
                                  [&](const Level& level) { return !Mentions(index, level.var); });
  const std::vector<int64_t> distances = Distances(index);
  if (is_sum || distances.empty() || (has_steps_ && lanes_ < kLanesApart)) return nullptr;
  // The next iteration of a loop inside writes to the same lines of the cache.
  if (levels_.size() > 1 &&
      distances[1] * store->buffer->dtype.bytes() % kCommonCaches.l1_way_bytes() == 0 &&
      lanes_ > kCommonCaches.l1_ways)
    return nullptr;
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
  // Each part of the lanes is stored with a copy of the value.
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
    const std::optional<int64_t> distance = analyzer_.Distance(Substitute(index, place), first);
    if (!distance) return {};
    distances.push_back(*distance);
  }
  return distances;
}

const Stmt* LoopVectorizer::Expand(const Allocate* allocate) {
  if (!allocate->dtype.is_scalar() || allocate->dtype.is_handle() ||
      !IsConstInt(allocate->condition, 1))
    return nullptr;
  // Allocations with lanes should be in registers, or close to them.
  const std::optional<int64_t> bytes =
      StaticBytes(allocate->dtype.with_lanes(lanes_), allocate->extents);
  const int64_t most = StaysOutOfPools(*allocate) ? kStackLimit - 1 : kMostExpandedBytes;
  if (!bytes || *bytes > most) return nullptr;
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

const Expr* LoopVectorizer::Index(const Buffer* buffer, Span<const Expr*> indices,
                                  int64_t most_step) {
  if (indices.size() != 1 || !indices[0]->dtype.is_scalar() || !buffer->dtype.is_scalar())
    return nullptr;
  const Expr* index = indices[0];
  if (MentionsVector(index)) return nullptr;
  // A loaded index may differ from one iteration to the next.
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
  // The lanes may be within a block, as in `y[o // 4, i, o % 4]`.
  const std::optional<int64_t> step = analyzer_.StepOf(index, loop_->loop_var);
  const int64_t distance = step ? *step : AreNeighbours(Distances(index)) ? 1 : 0;
  if (distance < 1 || distance > most_step) return nullptr;
  has_steps_ |= distance > 1;
  return builder_.New<Ramp>(index->range, First(index), builder_.Int(index->dtype, distance),
                            lanes_);
}

const Expr* LoopVectorizer::Load(const BufferLoad* load) {
  const Expr* index = Index(load->buffer, load->indices, most_step_);
  if (index == nullptr) return may_shuffle_ ? LoadShuffled(load) : nullptr;
  const bool is_private = expanded_.contains(load->buffer->data);
  if (load->dtype != load->buffer->dtype) return nullptr;
  const DataType dtype =
      is_private || !index->dtype.is_scalar() ? load->dtype.with_lanes(lanes_) : load->dtype;
  return builder_.New<BufferLoad>(load->range, dtype, Expanded(load->buffer),
                                  builder_.List<Expr>({index}));
}

const Expr* LoopVectorizer::LoadShuffled(const BufferLoad* load) {
  if (load->indices.size() != 1 || !load->dtype.is_scalar() || load->dtype.is_bool() ||
      load->dtype != load->buffer->dtype || expanded_.contains(load->buffer->data) ||
      load->predicate != nullptr)
    return nullptr;
  const Expr* index = load->indices[0];
  bool is_loaded = false;
  Walk(index, [&](const Node* node) { return !(is_loaded |= isa<BufferLoad>(node)); });
  if (is_loaded || MentionsVector(index)) return nullptr;
  const std::vector<int64_t> distances = Distances(index);
  if (distances.empty()) return nullptr;
  const auto [low, high] = std::minmax_element(distances.begin(), distances.end());
  const int64_t row = *high - *low + 1;
  if (row > kMostRowOfLanes * lanes_) return nullptr;
  // All lanes read the same element, as four lanes of `c[i // 4]` do.
  if (row == 1)
    return builder_.New<BufferLoad>(load->range, load->dtype, load->buffer,
                                    builder_.List<Expr>({First(index)}));
  std::vector<const Expr*> picks;
  for (const int64_t distance : distances) picks.push_back(builder_.Int(distance - *low));
  const Expr* first = builder_.New<Add>({}, First(index), builder_.Int(index->dtype, *low));
  const Expr* place =
      builder_.New<Ramp>({}, first, builder_.Int(index->dtype, 1), static_cast<int>(row));
  const Expr* elements =
      builder_.New<BufferLoad>(load->range, load->dtype.with_lanes(static_cast<int>(row)),
                               load->buffer, builder_.List<Expr>({place}));
  return builder_.New<Shuffle>(load->range, load->dtype.with_lanes(lanes_),
                               builder_.List<Expr>({elements}),
                               builder_.arena().Copy(Span<const Expr*>(picks)));
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
  if (isa<And>(node) || isa<Or>(node)) {
    // Lanes compute both conditions.
    if (!IsSafe(node->b, node->a)) return nullptr;
    const Expr* decided = InLanes(builder_.Bool(isa<Or>(node)));
    return isa<And>(node) ? builder_.New<Select>(node->range, InLanes(a), InLanes(b), decided)
                          : builder_.New<Select>(node->range, InLanes(a), decided, InLanes(b));
  }
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
    if (choice && !args[0]->dtype.is_scalar())
      return Choice(call, Span<const Expr*>(args.data(), args.size()));
    if (!choice && !IsLaneWise(call->op->kind) && !HasArithmetic(*call)) return nullptr;
    for (size_t i = choice ? 1 : 0; i < args.size(); ++i) args[i] = InLanes(args[i]);
    dtype = dtype.with_lanes(lanes_);
  }
  return builder_.New<Call>(call->range, dtype, call->op,
                            builder_.arena().Copy(Span<const Expr*>(args)), call->callee);
}

const Expr* LoopVectorizer::Choice(const Call* call, Span<const Expr*> args) {
  if (!IsSafe(call->args[1], call->args[0]) || !IsSafe(call->args[2], call->args[0]))
    return nullptr;
  return builder_.New<Select>(call->range, args[0], InLanes(args[1]), InLanes(args[2]));
}

bool LoopVectorizer::IsSafe(const Expr* value, const Expr* condition) {
  bool is_safe = true;
  Walk(value, [&](const Node* node) {
    if (const auto* load = dyn_cast<BufferLoad>(node)) {
      bool is_tested = false;
      Walk(condition, [&](const Node* tested) {
        const auto* other = dyn_cast<BufferLoad>(tested);
        is_tested |= other != nullptr && HaveSameValue(other, load);
        return !is_tested && !isa<Call>(tested) && !isa<And>(tested) && !isa<Or>(tested);
      });
      is_safe &= is_tested ||
                 (!expanded_.contains(load->buffer->data) && IsInside(builder_, analyzer_, *load));
      return false;
    }
    const auto* call = dyn_cast<Call>(node);
    is_safe &= call == nullptr || IsLaneWise(call->op->kind);
    if (isa<Div>(node) || isa<Mod>(node) || isa<FloorDiv>(node) || isa<FloorMod>(node)) {
      const int64_t* divisor = AsIntImm(static_cast<const BinaryExpr*>(node)->b);
      is_safe &= divisor != nullptr && *divisor > 0;
    }
    return is_safe && !isa<Buffer>(node);
  });
  return is_safe;
}

const Expr* LoopVectorizer::ValueOf(const Expr* expr) {
  if (!expr->dtype.is_scalar()) return nullptr;
  if (BinaryExpr::ClassOf(expr)) return Binary(static_cast<const BinaryExpr*>(expr));
  switch (expr->kind) {
    case NodeKind::kIntImm:
    case NodeKind::kFloatImm:
      return expr;
    case NodeKind::kVar:
      if (expr != loop_->loop_var) {
        const auto let = lets_.find(cast<Var>(expr));
        return let == lets_.end() ? expr : let->second;
      }
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

}  // namespace tenon
