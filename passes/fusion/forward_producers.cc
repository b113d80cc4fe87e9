// Loop fusion by substitution, from the last producer to the first: a pad is taken before the
// values that it pads. A reader with conditions along its lanes is given up, since vectors are
// worth more than the buffer.

#include "passes/fusion/forward_producers.h"

#include <algorithm>
#include <atomic>

#include "ir/builtins.h"
#include "passes/fusion/constant_elements.h"
#include "passes/fusion/forward_cost.h"
#include "passes/fusion/hoist_conditions.h"
#include "passes/fusion/producer.h"
#include "passes/fusion/region_rewriter.h"

namespace tenon {

namespace {

/// Readers that are further away from the producer keep the buffer.
constexpr size_t kMostDistance = 2000;

template <class F>
void ForEachLoad(const Node* root, F&& f) {
  Walk(root, [&](const Node* node) {
    if (const auto* load = dyn_cast<BufferLoad>(node)) f(load);
    return true;
  });
}

/// Puts the producer's values in the place of loads.
class LoadReplacer : public Rewriter<LoadReplacer> {
 public:
  LoadReplacer(const FusionTools& tools, const Producer& producer)
      : Rewriter(tools.builder.context(), tools.storage), tools_(tools), producer_(producer) {}

  /// True if a value was not known: the result is of no use.
  bool has_failed() const { return has_failed_; }
  /// True if values make choices.
  bool has_conditions() const { return has_conditions_; }

  const Expr* RewriteBufferLoad(const BufferLoad* load) {
    const BufferLoad* now = RewriteChildren(load);
    if (load->buffer->data != producer_.store()->buffer->data) return now;
    const Expr* value = producer_.ValueAt(tools_, *now);
    if (value == nullptr) {
      has_failed_ = true;
      return now;
    }
    Walk(value, [&](const Node* node) {
      const auto* call = dyn_cast<Call>(node);
      has_conditions_ |= call != nullptr && call->op->kind == OpKind::kIfThenElse;
      return true;
    });
    return value;
  }

  const Stmt* RewriteFor(const For* loop) {
    const Analyzer::Scope scope(tools_.analyzer);
    const Expr* min = RewriteExpr(loop->min);
    const Expr* extent = RewriteExpr(loop->extent);
    if (loop->loop_var->dtype.is_integer()) tools_.analyzer.BindRange(loop->loop_var, min, extent);
    return RewriteChildren(loop);
  }

  /// The result of `f` under the assumption that a condition holds, or does not.
  template <class F>
  auto Under(const Expr* condition, bool holds, F&& f) {
    const Analyzer::Scope scope(tools_.analyzer);
    bool reads = false;
    ForEachLoad(condition, [&](const BufferLoad*) { reads = true; });
    // Memory that the condition reads may change in the branch.
    if (!reads)
      tools_.analyzer.Assume(holds ? condition : builder().New<Not>(condition->range, condition));
    return f();
  }

  const Stmt* RewriteIfThenElse(const IfThenElse* choice) {
    IfThenElse copy = *choice;
    copy.condition = RewriteExpr(choice->condition);
    copy.then_case = Under(copy.condition, true, [&] { return RewriteAny(choice->then_case); });
    copy.else_case = Under(copy.condition, false, [&] { return RewriteAny(choice->else_case); });
    const bool same = copy.condition == choice->condition && copy.then_case == choice->then_case &&
                      copy.else_case == choice->else_case;
    return same ? choice : arena().New<IfThenElse>(copy);
  }

  const Expr* RewriteCall(const Call* call) {
    if (call->op->kind != OpKind::kIfThenElse || !call->args[0]->dtype.is_scalar())
      return RewriteChildren(call);
    const Expr* condition = RewriteExpr(call->args[0]);
    const Expr* yes = Under(condition, true, [&] { return RewriteExpr(call->args[1]); });
    const Expr* no = Under(condition, false, [&] { return RewriteExpr(call->args[2]); });
    if (condition == call->args[0] && yes == call->args[1] && no == call->args[2]) return call;
    return builder().NewCall(call->dtype, OpKind::kIfThenElse, {condition, yes, no}, call->range);
  }

 private:
  FusionTools tools_;
  const Producer& producer_;
  bool has_failed_ = false;
  bool has_conditions_ = false;
};

/// True if a condition changes along a loop whose iterations store side by side: they could not be
/// computed in lanes.
bool ChangesAlongLanes(const FusionTools& tools, const Stmt* stmt) {
  absl::flat_hash_set<const Var*> mentioned;
  const auto mention = [&](const Expr* condition) {
    Walk(condition, [&](const Node* node) {
      if (const auto* var = dyn_cast<Var>(node)) mentioned.insert(var);
      return true;
    });
  };
  Walk(stmt, [&](const Node* node) {
    if (const auto* choice = dyn_cast<IfThenElse>(node)) mention(choice->condition);
    const auto* call = dyn_cast<Call>(node);
    if (call != nullptr && call->op->kind == OpKind::kIfThenElse) mention(call->args[0]);
    return true;
  });
  std::vector<const BufferStore*> stores;
  std::vector<const Var*> counters;
  Walk(stmt, [&](const Node* node) {
    if (const auto* loop = dyn_cast<For>(node))
      if (mentioned.contains(loop->loop_var)) counters.push_back(loop->loop_var);
    if (const auto* store = dyn_cast<BufferStore>(node)) stores.push_back(store);
    return Stmt::ClassOf(node);
  });
  for (const BufferStore* store : stores) {
    for (const Var* counter : counters) {
      if (tools.analyzer.StepOf(store->indices[0], counter) == 1) return true;
    }
  }
  return false;
}

class Forwarder : public RegionRewriter<Forwarder> {
 public:
  Forwarder(Context& context, std::shared_ptr<Storage> storage, const PrimFunc& func,
            const ForwardProducersOptions& options, std::atomic<int64_t>& forwarded)
      : RegionRewriter(context, std::move(storage), func),
        options_(options),
        forwarded_(forwarded) {
    Walk(func.body, [&](const Node* node) {
      const auto* constant = dyn_cast<AllocateConst>(node);
      if (constant != nullptr && !options_.replaceable && AreFinite(*constant->data))
        finite_.insert(constant->buffer_var);
      return Stmt::ClassOf(node);
    });
  }

  /// From the last producer to the first: a pad is taken before what it pads.
  bool Improve(StmtRegion& region) {
    bool changed = false;
    for (size_t i = region.size(); i-- > 0;) changed |= Forward(region, i);
    return changed;
  }

 private:
  bool Forward(StmtRegion& region, size_t index) {
    const auto producer = Producer::Of(MergeGuardedLoops(tools(), region.stmt(index)));
    if (!producer) return false;
    const Var* data = producer->store()->buffer->data;
    ForwardCase candidate = {region, *producer, index, {}};
    if (region.Find(data) == nullptr || !FindReaders(region, data, candidate)) return false;
    if (options_.keep_pads && IsPadOfUnrolled(region, candidate)) return false;
    if (options_.keep_moves && IsMove(tools(), *producer) && IsReadOften(candidate)) return false;
    if (!SourcesStay(region, candidate) || !IsWorthForwarding(candidate, pointers())) return false;
    std::vector<const Stmt*> now;
    for (const size_t reader : candidate.readers) {
      now.push_back(Replace(*producer, region.stmt(reader)));
      if (now.back() == nullptr) return false;
    }
    for (size_t i = 0; i < now.size(); ++i) region.Replace(candidate.readers[i], now[i]);
    region.Replace(index, nullptr);
    ++forwarded_;
    return true;
  }

  /// True if all accesses are the producer's store and later loads of its dtype.
  static bool FindReaders(const StmtRegion& region, const Var* data, ForwardCase& candidate) {
    const DataType dtype = candidate.producer.store()->buffer->dtype;
    for (const size_t i : region.UsesOf(data)) {
      const PointerUse* use = region.accesses(i).Find(data);
      if (use->escapes || !use->is_plain || use->dtype != dtype || i < candidate.index)
        return false;
      if (i == candidate.index) continue;
      if (use->stores > 0) return false;
      candidate.readers.push_back(i);
    }
    return true;
  }

  /// True if the values are padded, and a statement reads them in several places.
  static bool IsPadOfUnrolled(const StmtRegion& region, const ForwardCase& candidate) {
    const BufferStore* store = candidate.producer.store();
    const auto* call = dyn_cast<Call>(store->value);
    const bool is_pad =
        isa<Select>(store->value) || (call != nullptr && call->op->kind == OpKind::kIfThenElse);
    if (!is_pad) return false;
    return std::any_of(candidate.readers.begin(), candidate.readers.end(), [&](size_t i) {
      return region.accesses(i).Find(store->buffer->data)->loads > 1;
    });
  }

  /// True if nothing from the producer to the last reader writes a source of the values.
  bool SourcesStay(const StmtRegion& region, const ForwardCase& candidate) {
    if (candidate.readers.empty()) return true;
    if (candidate.readers.back() - candidate.index > kMostDistance) return false;
    bool stay = true;
    ForEachLoad(candidate.producer.store()->value, [&](const BufferLoad* load) {
      for (size_t i = candidate.index + 1; i <= candidate.readers.back(); ++i)
        stay = stay && !MayWrite(region.accesses(i), load->buffer->data, pointers());
    });
    return stay;
  }

  /// The reader without loads of the buffer; null if a load cannot be replaced.
  const Stmt* Replace(const Producer& producer, const Stmt* reader) {
    LoadReplacer replacer(tools(), producer);
    const Stmt* now = replacer.RewriteStmt(MergeGuardedLoops(tools(), reader));
    if (replacer.has_failed()) return nullptr;
    if (!replacer.has_conditions()) return now;
    now = HoistConditions(tools(), now, finite_);
    return ChangesAlongLanes(tools(), now) ? nullptr : now;
  }

  const ForwardProducersOptions& options_;
  std::atomic<int64_t>& forwarded_;
  /// Constants of finite floats.
  absl::flat_hash_set<const Var*> finite_;
};

/// Whether a nest of a function is a move.
class MoveFinder {
 public:
  MoveFinder(Context& context, const std::shared_ptr<Storage>& storage)
      : storage_(storage),
        builder_(context, storage->arena()),
        analyzer_(context, storage->arena()) {}

  bool Find(const Stmt* body) {
    bool has_moves = false;
    Walk(body, [&](const Node* node) {
      const auto* loop = dyn_cast<For>(node);
      const auto producer = loop == nullptr ? std::nullopt : Producer::Of(loop);
      has_moves = has_moves || (producer && IsMove({builder_, storage_, analyzer_}, *producer));
      return Stmt::ClassOf(node) && !has_moves && !producer;
    });
    return has_moves;
  }

 private:
  std::shared_ptr<Storage> storage_;
  NodeBuilder builder_;
  Analyzer analyzer_;
};

}  // namespace

bool HasMoves(const IRModule& module) {
  MoveFinder finder(module.context(), std::make_shared<Storage>());
  for (const Function& function : module.functions())
    if (finder.Find(function.func->body)) return true;
  return false;
}

absl::StatusOr<IRModule> ForwardProducers(const IRModule& module,
                                          const ForwardProducersOptions& options,
                                          PassContext& context) {
  std::atomic<int64_t> forwarded = 0;
  IRModule now = ForEachFunction(module, context, [&](const Function& function, Diagnostics&) {
    return RewriteFunction<Forwarder>(module.context(), function, *function.func, options,
                                      forwarded);
  });
  context.Count("forward-producers.buffers", forwarded);
  return now;
}

}  // namespace tenon
