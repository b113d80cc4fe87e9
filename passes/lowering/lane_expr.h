#ifndef TENON_PASSES_LOWERING_LANE_EXPR_H_
#define TENON_PASSES_LOWERING_LANE_EXPR_H_

#include <utility>
#include <vector>

#include "arith/index_math.h"
#include "ir/analysis/node_queries.h"
#include "ir/builtins.h"
#include "ir/const_fold.h"
#include "ir/rewriter.h"
#include "support/diagnostics.h"

// Internal to passes/: rewrites expressions for lower-vectors.

namespace tenon {

/// True if `node` contains an expression that moves values between lanes.
bool MovesLanes(const Node* node);

/// True for a variable or a constant.
bool IsAtom(const Expr* expr);

/// True if the two are the same expression over the same variables and buffers.
bool SameExpr(const Node* a, const Node* b);

void ReportNoScalarForm(Diagnostics& diagnostics, SourceRange range, std::string_view what);

/// Rewrites expressions to scalars. A vector expression becomes its lane `lane()`, which is null
/// outside of vector statements, where all expressions are scalar. While `whole_` is set, vectors
/// stay, over buffers of scalars.
template <class Derived>
class LaneRewriter : public Rewriter<Derived> {
 public:
  using Base = Rewriter<Derived>;

  LaneRewriter(Context& context, std::shared_ptr<Storage> storage, Diagnostics& diagnostics)
      : Base(context, std::move(storage)), diagnostics_(diagnostics) {}

  void FixDType(Expr& expr) {
    if (!whole_ && !expr.dtype.is_scalar() && !expr.dtype.is_void()) {
      expr.dtype = expr.dtype.element();
    } else {
      Base::FixDType(expr);
    }
  }

  const Expr* RewriteVar(const Var* var) {
    if (const auto array = arrays_.find(var); array != arrays_.end()) {
      const Expr* at =
          whole_ ? Row(this->builder().Int(0), var->dtype.lanes(), var->range) : Lane(var);
      const DataType dtype = whole_ ? var->dtype : var->dtype.element();
      return this->builder().template New<BufferLoad>(var->range, dtype, array->second,
                                                      this->builder().template List<Expr>({at}));
    }
    if (const auto value = substitutes_.find(var); value != substitutes_.end()) {
      return this->RewriteExpr(value->second);
    }
    return this->MapVar(var);
  }

  const Expr* RewriteRamp(const Ramp* ramp) {
    if (whole_) return this->RewriteChildren(ramp);
    const Expr* base = this->RewriteExpr(ramp->base);
    const Expr* stride = this->RewriteExpr(ramp->stride);
    const IndexMath math(this->builder(), ramp->range);
    const Expr* steps = Lane(ramp);
    // A conversion to bool does not keep the lowest bit, unlike one to an integer.
    if (base->dtype.is_bool())
      steps = math.Binary(NodeKind::kFloorMod, steps, this->builder().Int(steps->dtype, 2));
    return math.Add(base, math.Mul(math.Convert(base->dtype, steps), stride));
  }

  const Expr* RewriteBroadcast(const Broadcast* broadcast) {
    if (whole_) return this->RewriteChildren(broadcast);
    if (IsAtom(broadcast->value) || !may_hoist_) return this->RewriteExpr(broadcast->value);
    const auto [known, added] = hoisted_vars_.emplace(broadcast, nullptr);
    if (!added) return known->second;
    const Expr* lane = std::exchange(lane_, nullptr);
    const Expr* value = this->RewriteExpr(broadcast->value);
    lane_ = lane;
    const Var* var = this->builder().NewVar("v", value->dtype, broadcast->range);
    hoisted_.emplace_back(var, value);
    hoisted_vars_[broadcast] = var;
    return var;
  }

  const Expr* RewriteBufferLoad(const BufferLoad* load) {
    if (lane_ != nullptr) loads_.push_back(load);
    const Buffer* buffer = this->self().RewriteBuffer(load->buffer);
    BufferLoad copy = *load;
    copy.indices = Indices(load->buffer, load->indices, load);
    copy.buffer = buffer;
    if (whole_) {
      const bool kept = buffer == load->buffer && copy.indices.data() == load->indices.data();
      return kept ? load : this->arena().template New<BufferLoad>(copy);
    }
    copy.dtype = load->dtype.element();
    copy.predicate = nullptr;
    const bool same = copy.dtype == load->dtype && buffer == load->buffer &&
                      copy.indices.data() == load->indices.data() && load->predicate == nullptr;
    if (same) return load;
    const Expr* now = this->arena().template New<BufferLoad>(copy);
    if (load->predicate == nullptr) return now;
    const Expr* zero = this->builder().Number(copy.dtype, 0, load->range);
    return this->builder().NewCall(copy.dtype, OpKind::kIfThenElse,
                                   {this->RewriteExpr(load->predicate), now, zero}, load->range);
  }

  const Expr* RewriteShuffle(const Shuffle* shuffle) {
    size_t at = 0;
    if (!shuffle->dtype.is_scalar()) at = ConstantLane(shuffle);
    if (at >= shuffle->indices.size()) return Refuse(shuffle, "this Shuffle");
    const int64_t* pick = AsIntImm(shuffle->indices[at]);
    int64_t lane = pick == nullptr ? -1 : *pick;
    for (const Expr* vector : shuffle->vectors) {
      if (lane >= 0 && lane < vector->dtype.lanes()) return At(vector, lane);
      lane -= vector->dtype.lanes();
    }
    return Refuse(shuffle, "this Shuffle");
  }

  const Expr* RewriteLet(const Let* let) {
    const bool moving = lane_ == nullptr || AsIntImm(lane_) != nullptr;
    if (moving && !let->var->dtype.is_scalar()) {
      // Its uses may require different lanes.
      substitutes_[let->var] = let->value;
      return this->RewriteExpr(let->body);
    }
    if (lane_ == nullptr) return this->RewriteChildren(let);
    const Expr* value = this->RewriteExpr(let->value);
    const Var* var = this->builder().NewVar(let->var->name.view(), value->dtype, let->range);
    this->var_map[let->var] = var;
    const bool hoist = std::exchange(may_hoist_, false);
    const Expr* body = this->RewriteExpr(let->body);
    may_hoist_ = hoist;
    return this->builder().template New<Let>(let->range, var, value, body);
  }

  const Expr* RewriteCall(const Call* call) {
    if (whole_) return this->RewriteChildren(call);
    bool vector = call->dtype.lanes() > 1 || call->dtype.is_scalable();
    for (const Expr* arg : call->args) vector |= arg->dtype.lanes() > 1;
    switch (call->op->kind) {
      case OpKind::kAddressOf:
        if (vector && isa<BufferLoad>(call->args[0])) return AddressOfFirstLane(call);
        break;
      case OpKind::kVectorLow:
        return At(call->args[0], static_cast<int64_t>(ConstantLane(call)));
      case OpKind::kVectorHigh:
        return At(call->args[0],
                  static_cast<int64_t>(ConstantLane(call)) + call->args[0]->dtype.lanes() / 2);
      case OpKind::kVectorCombine: {
        const auto lane = static_cast<int64_t>(ConstantLane(call));
        const int64_t first = call->args[0]->dtype.lanes();
        return lane < first ? At(call->args[0], lane) : At(call->args[1], lane - first);
      }
      case OpKind::kDp4a:
        return DotProduct(call);
      case OpKind::kGetActiveLaneMask: {
        const IndexMath math(this->builder(), call->range);
        const Expr* base = this->RewriteExpr(call->args[0]);
        return math.Binary(NodeKind::kLT, math.Add(base, math.Convert(base->dtype, Lane(call))),
                           this->RewriteExpr(call->args[1]));
      }
      case OpKind::kIfThenElse:
        if (vector) return LazyChoice(call);
        break;
      default:
        break;
    }
    if (!vector) return this->RewriteChildren(call);
    if (!IsElementwise(call)) {
      return Refuse(call, "this call");
    }
    Call copy = *call;
    this->RewriteSpan(copy.args);
    copy.dtype = call->dtype.element();
    return this->arena().template New<Call>(copy);
  }

 protected:
  /// The indices of an access in the scalar form of its buffer.
  Span<const Expr*> Indices(const Buffer* buffer, Span<const Expr*> indices, const Node* access) {
    const int inner = buffer->dtype.lanes();
    Span<const Expr*> now = indices;
    if (inner == 1) {
      this->RewriteSpan(now);
      return now;
    }
    const IndexMath math(this->builder(), access->range);
    std::vector<const Expr*> list;
    if (whole_) return WholeIndices(indices, inner, access->range);
    const Expr* lane = Lane(access);
    if (indices.empty()) return this->builder().template List<Expr>({lane});
    for (const Expr* index : indices.first(indices.size() - 1)) {
      list.push_back(this->RewriteExpr(index));
    }
    const Expr* width = this->builder().Int(inner);
    const Expr* whole = lane_;
    if (!indices.back()->dtype.is_scalar()) {
      // The outer lanes select the index.
      lane_ = Fold(NodeKind::kDiv, lane, width, access->range);
      lane = Fold(NodeKind::kMod, lane, width, access->range);
    }
    const Expr* last = this->RewriteExpr(indices.back());
    lane_ = whole;
    const Buffer* scalars = this->self().RewriteBuffer(buffer);
    if (scalars->shape.back()->dtype.bits() == 64) last = math.Convert(DataType::Int(64), last);
    const Expr* scaled = math.Mul(last, math.Convert(last->dtype, width));
    list.push_back(math.Add(scaled, math.Convert(last->dtype, lane)));
    return this->arena().Copy(Span<const Expr*>(list.data(), list.size()));
  }

  /// The indices of an element of a buffer of vectors: a row of its scalar form.
  Span<const Expr*> WholeIndices(Span<const Expr*> indices, int lanes, SourceRange range) {
    if (indices.empty()) {
      return this->builder().template List<Expr>({Row(this->builder().Int(0), lanes, range)});
    }
    std::vector<const Expr*> list;
    for (const Expr* index : indices) list.push_back(this->RewriteExpr(index));
    whole_fails_ |= !indices.back()->dtype.is_scalar();
    if (whole_fails_) return indices;
    const IndexMath math(this->builder(), range);
    const Expr* width = math.Convert(list.back()->dtype, this->builder().Int(lanes));
    list.back() = Row(math.Mul(list.back(), width), lanes, range);
    return this->arena().Copy(Span<const Expr*>(list.data(), list.size()));
  }

  /// `lanes` consecutive elements from `base` on.
  const Expr* Row(const Expr* base, int lanes, SourceRange range) {
    const Expr* one = this->builder().Int(base->dtype, 1);
    return this->builder().template New<Ramp>(range, base, one, lanes);
  }

  /// Reports that `node` has no scalar form, and returns a placeholder.
  const Expr* Refuse(const Node* node, std::string_view what) {
    ReportNoScalarForm(diagnostics_, node->range, what);
    return this->builder().Int(0, node->range);
  }

  Diagnostics& diagnostics_;
  /// The current lane of vector expressions, or null.
  const Expr* lane_ = nullptr;
  /// True if vectors stay.
  bool whole_ = false;
  /// Calls of dp4a that read rows stay.
  bool keep_dots_ = false;
  /// True if an expression does not have such a form.
  bool whole_fails_ = false;
  /// True if the statement is unrolled by lane, so that `lane_` is a constant.
  bool unrolled_ = false;
  /// True if the current expression is evaluated whenever the statement runs, and depends on none
  /// of its lets.
  bool may_hoist_ = false;
  /// Scalars to bind before the statement.
  std::vector<std::pair<const Var*, const Expr*>> hoisted_;
  absl::flat_hash_map<const Broadcast*, const Var*> hoisted_vars_;
  /// The loads that depend on lanes.
  std::vector<const BufferLoad*> loads_;
  /// The arrays for vector variables.
  absl::flat_hash_map<const Var*, const Buffer*> arrays_;

 private:
  const Expr* Lane(const Node* at) {
    if (lane_ != nullptr) return lane_;
    Refuse(at, "a vector in a scalar's place");
    return this->builder().Int(0);
  }

  size_t ConstantLane(const Expr* expr) {
    const int64_t* lane = AsIntImm(Lane(expr));
    return lane == nullptr ? 0 : static_cast<size_t>(*lane);
  }

  const Expr* At(const Expr* vector, int64_t lane) {
    const Expr* outer = std::exchange(lane_, this->builder().Int(lane));
    const bool hoist = std::exchange(may_hoist_, false);
    const Expr* now = this->RewriteExpr(vector);
    lane_ = outer;
    may_hoist_ = hoist;
    return now;
  }

  /// The third argument plus the products of all lanes.
  const Expr* DotProduct(const Call* call) {
    if (keep_dots_ && RowOf(call->args[0]) != nullptr && RowOf(call->args[1]) != nullptr) {
      const bool outer = std::exchange(whole_, true);
      const Expr* kept = this->RewriteChildren(call);
      whole_ = outer;
      return kept;
    }
    const IndexMath math(this->builder(), call->range);
    const Expr* sum = math.Convert(call->dtype, this->RewriteExpr(call->args[2]));
    for (int lane = 0; lane < call->args[0]->dtype.lanes(); ++lane) {
      const Expr* a = math.Convert(call->dtype, At(call->args[0], lane));
      const Expr* b = math.Convert(call->dtype, At(call->args[1], lane));
      sum = math.Add(sum, math.Mul(a, b));
    }
    return sum;
  }

  const Expr* Fold(NodeKind kind, const Expr* a, const Expr* b, SourceRange range) {
    return IndexMath(this->builder(), range).Binary(kind, a, b);
  }

  const Expr* AddressOfFirstLane(const Call* call) {
    const Expr* element = At(call->args[0], 0);
    return this->builder().NewCall(call->dtype, OpKind::kAddressOf, {element}, call->range);
  }

  /// The arms are evaluated in some lanes only, or not at all.
  const Expr* LazyChoice(const Call* call) {
    const Expr* condition = this->RewriteExpr(call->args[0]);
    const bool hoist = std::exchange(may_hoist_, false);
    const Expr* a = this->RewriteExpr(call->args[1]);
    const Expr* b = this->RewriteExpr(call->args[2]);
    may_hoist_ = hoist;
    return this->builder().NewCall(a->dtype, OpKind::kIfThenElse, {condition, a, b}, call->range);
  }

  static bool IsElementwise(const Call* call) {
    if (call->op->effect != OpEffect::kPure) return false;
    if (call->dtype.is_scalable()) return false;
    for (const Expr* arg : call->args) {
      if (!arg->dtype.is_scalar() && arg->dtype.lanes() != call->dtype.lanes()) return false;
    }
    return call->op->kind != OpKind::kTvmTuple && call->op->kind != OpKind::kCallLLVMPureIntrin;
  }

  absl::flat_hash_map<const Var*, const Expr*> substitutes_;
};

}  // namespace tenon

#endif  // TENON_PASSES_LOWERING_LANE_EXPR_H_
