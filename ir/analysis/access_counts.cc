#include "ir/analysis/access_counts.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "ir/analysis/call_graph.h"
#include "ir/analysis/effects.h"
#include "ir/analysis/pointers.h"
#include "ir/builtins.h"
#include "ir/extents.h"
#include "ir/thread_binding.h"
#include "ir/visitor.h"
#include "support/check.h"
#include "support/saturated.h"

namespace tenon {

namespace {

/// The accesses of one run of a code fragment to one root. Arguments of externs count as whole
/// allocations, because only the allocation knows its size in bytes.
struct Tally {
  int64_t bytes_read = 0;
  int64_t bytes_written = 0;
  int64_t wholes_read = 0;
  int64_t wholes_written = 0;
  bool exact = true;

  void Add(const Tally& other, int64_t times) {
    bytes_read = SaturatedAdd(bytes_read, SaturatedMul(other.bytes_read, times));
    bytes_written = SaturatedAdd(bytes_written, SaturatedMul(other.bytes_written, times));
    wholes_read = SaturatedAdd(wholes_read, SaturatedMul(other.wholes_read, times));
    wholes_written = SaturatedAdd(wholes_written, SaturatedMul(other.wholes_written, times));
    exact &= other.exact;
  }
  void Most(const Tally& other) {
    bytes_read = std::max(bytes_read, other.bytes_read);
    bytes_written = std::max(bytes_written, other.bytes_written);
    wholes_read = std::max(wholes_read, other.wholes_read);
    wholes_written = std::max(wholes_written, other.wholes_written);
  }
};

/// The number of runs of a callee.
struct Runs {
  int64_t count = 0;
  bool exact = true;
};

/// The effects of one run of a code fragment: accesses to roots, and the number of calls of each
/// function.
struct Summary {
  absl::flat_hash_map<const Var*, Tally> roots;
  absl::flat_hash_map<Symbol, Runs> calls;
};

/// Adds one run of `a` or `b` to `to`: the maximum of the two.
void AddEither(Summary& to, Summary a, const Summary& b, bool exact) {
  for (const auto& [root, tally] : b.roots) a.roots[root].Most(tally);
  for (const auto& [callee, runs] : b.calls) {
    Runs& mine = a.calls[callee];
    mine.count = std::max(mine.count, runs.count);
  }
  for (auto& [root, tally] : a.roots) {
    tally.exact &= exact;
    to.roots[root].Add(tally, 1);
  }
  for (const auto& [callee, runs] : a.calls) {
    Runs& mine = to.calls[callee];
    mine.count = SaturatedAdd(mine.count, runs.count);
    mine.exact &= runs.exact && exact;
  }
}

using Summaries = absl::flat_hash_map<Symbol, std::unique_ptr<Summary>>;

/// Summarizes one function, given the summaries of its callees.
class Counter : public Visitor<Counter> {
 public:
  Counter(const IRModule& module, const ModuleEffects& effects, const Function& function,
          const Summaries& done, Summary& summary)
      : module_(module),
        effects_(effects),
        function_(function),
        done_(done),
        roots_(*function.func),
        now_(&summary) {
    Visit(function.func->body);
  }

  void VisitBufferLoad(const BufferLoad* load) {
    VisitIndices(load->buffer, load->indices, load->predicate);
    Count(load->buffer->data, {.bytes_read = load->dtype.bytes()});
  }
  void VisitBufferStore(const BufferStore* store) {
    VisitIndices(store->buffer, store->indices, store->predicate);
    if (store->value->dtype.is_handle()) Pass(store->value, {true, true});
    Visit(store->value);
    Count(store->buffer->data, {.bytes_written = store->value->dtype.bytes()});
  }
  /// An access through a buffer computes its strides and its offset.
  void VisitBuffer(const Buffer* buffer) {
    for (const Expr* stride : buffer->strides) Visit(stride);
    Visit(buffer->elem_offset);
  }

  void VisitFor(const For* loop) {
    Visit(loop->min);
    Visit(loop->extent);
    Repeat(loop->extent, [&] { Visit(loop->body); });
  }
  void VisitWhile(const While* loop) {
    Repeat(nullptr, [&] {
      Visit(loop->condition);
      Visit(loop->body);
    });
  }
  void VisitAttrStmt(const AttrStmt* attr) {
    Visit(attr->value);
    if (!BindsThread(attr)) return Visit(attr->body);
    Repeat(attr->value, [&] { Visit(attr->body); });
  }

  void VisitIfThenElse(const IfThenElse* branch) {
    Visit(branch->condition);
    Either(branch->condition, branch->then_case, branch->else_case);
  }

  void VisitCall(const Call* call) {
    if (call->op->kind == OpKind::kIfThenElse && call->args.size() == 3) {
      Visit(call->args[0]);
      return Either(call->args[0], call->args[1], call->args[2]);
    }
    if (call->op->kind == OpKind::kAddressOf && !call->args.empty()) {
      // Taking an address accesses no memory, but evaluates the indices.
      if (const auto* load = dyn_cast<BufferLoad>(call->args[0])) {
        return VisitIndices(load->buffer, load->indices, nullptr);
      }
    }
    const CallSite site = AsCallSite(module_, call);
    if (site.call != nullptr) {
      CountCall(site);
    } else if (call->op->effect == OpEffect::kOpaque || call->op->effect == OpEffect::kWrite ||
               call->op->effect == OpEffect::kRead) {
      const bool writes = call->op->effect != OpEffect::kRead;
      for (const Expr* arg : call->args) {
        if (arg->dtype.is_handle()) Pass(arg, {true, writes});
      }
    }
    VisitChildren(call);
  }

 private:
  template <class Indices>
  void VisitIndices(const Buffer* buffer, const Indices& indices, const Expr* predicate) {
    VisitBuffer(buffer);
    for (const Expr* index : indices) Visit(index);
    if (predicate != nullptr) {
      Visit(predicate);
      Guess(buffer->data);
    }
  }

  /// Adds an access through a pointer to all storage that the pointer may point into.
  void Count(const Expr* pointer, const Tally& access) {
    const PointerTargets targets = roots_.TargetsOf(pointer);
    for (const Var* root : targets.roots) {
      Tally& tally = now_->roots[root];
      tally.exact &= exact_ && targets.IsOne();
      tally.Add(access, times_);
    }
  }
  void Guess(const Var* pointer) { Count(pointer, {.exact = false}); }

  template <class F>
  void Repeat(const Expr* extent, F&& body) {
    const int64_t* count = extent == nullptr ? nullptr : AsIntImm(extent);
    const int64_t times = times_;
    const bool exact = exact_;
    if (count != nullptr) {
      times_ = SaturatedMul(times_, std::max<int64_t>(*count, 0));
    } else {
      exact_ = false;
    }
    body();
    times_ = times;
    exact_ = exact;
  }

  template <class T>
  void Either(const Expr* condition, const T* a, const T* b) {
    if (const int64_t* known = AsIntImm(condition)) {
      const T* taken = *known != 0 ? a : b;
      if (taken != nullptr) Visit(taken);
      return;
    }
    Summary of_a;
    Summary of_b;
    Summary* const outer = std::exchange(now_, &of_a);
    Visit(a);
    now_ = &of_b;
    if (b != nullptr) Visit(b);
    now_ = outer;
    AddEither(*now_, std::move(of_a), of_b, false);
  }

  /// Counts the whole storage of a pointer that is passed on, once.
  void Pass(const Expr* pointer, ArgumentEffect effect) {
    Count(pointer, {.wholes_read = effect.reads ? 1 : 0,
                    .wholes_written = effect.writes ? 1 : 0,
                    .exact = false});
  }

  void CountCall(const CallSite& site) {
    TENON_CHECK(site.call != nullptr);
    const auto found = site.callee == nullptr ? done_.end() : done_.find(site.callee->name);
    if (found == done_.end()) {
      for (size_t i = 0; i < site.args.size(); ++i) {
        if (site.args[i]->dtype.is_handle())
          Pass(site.args[i], effects_.OfArgument(function_, site, i));
      }
      return;
    }
    Runs& runs = now_->calls[site.callee->name];
    runs.count = SaturatedAdd(runs.count, times_);
    runs.exact &= exact_;
    const PrimFunc& callee = *site.callee->func;
    for (size_t i = 0; i < site.args.size() && i < callee.params.size(); ++i) {
      if (!site.args[i]->dtype.is_handle()) continue;
      AddTally(*found->second, callee.params[i], site.args[i]);
      if (callee.buffers[i] != nullptr)
        AddTally(*found->second, callee.buffers[i]->data, site.args[i]);
    }
  }
  void AddTally(const Summary& callee, const Var* param, const Expr* pointer) {
    const auto found = callee.roots.find(param);
    if (found != callee.roots.end()) Count(pointer, found->second);
  }

  const IRModule& module_;
  const ModuleEffects& effects_;
  const Function& function_;
  const Summaries& done_;
  const PointerRoots roots_;
  Summary* now_;
  /// The number of runs of the current statement in one run of the function, and whether it is
  /// exact.
  int64_t times_ = 1;
  bool exact_ = true;
};

/// Summaries of the functions that the entry reaches, callees before callers.
class Reached {
 public:
  Reached(const IRModule& module, const Function& entry) : effects_(module) {
    const CallGraph graph(module);
    for (const size_t index : graph.CalleesFirst(graph.IndexOf(entry.name))) {
      const Function& function = module.functions()[index];
      auto summary = std::make_unique<Summary>();
      Counter(module, effects_, function, summaries_, *summary);
      summaries_[function.name] = std::move(summary);
      order_.push_back(function.name);
    }
  }

  /// The number of runs of every function in one run of the last function.
  absl::flat_hash_map<Symbol, Runs> CountRuns() const {
    absl::flat_hash_map<Symbol, Runs> runs;
    TENON_CHECK(!order_.empty());
    runs[order_.back()] = {1, true};
    for (size_t i = order_.size(); i-- > 0;) {
      const Runs own = runs[order_[i]];
      for (const auto& [callee, calls] : summaries_.at(order_[i])->calls) {
        Runs& of_callee = runs[callee];
        of_callee.count = SaturatedAdd(of_callee.count, SaturatedMul(own.count, calls.count));
        of_callee.exact &= own.exact && calls.exact;
      }
    }
    return runs;
  }

  const Summaries& summaries() const { return summaries_; }
  const std::vector<Symbol>& order() const { return order_; }

 private:
  const ModuleEffects effects_;
  Summaries summaries_;
  std::vector<Symbol> order_;
};

/// Bytes of a function's allocations, constants and parameter buffers; 0 if they are not known.
absl::flat_hash_map<const Var*, int64_t> SizesIn(const PrimFunc& function) {
  absl::flat_hash_map<const Var*, int64_t> sizes;
  for (const Buffer* buffer : function.buffers) {
    if (buffer != nullptr)
      sizes[buffer->data] = StaticBytes(buffer->dtype, buffer->shape).value_or(0);
  }
  Walk(function.body, [&](const Node* node) {
    if (const auto* allocate = dyn_cast<Allocate>(node))
      sizes[allocate->buffer_var] = StaticBytes(allocate->dtype, allocate->extents).value_or(0);
    if (const auto* constant = dyn_cast<AllocateConst>(node))
      sizes[constant->buffer_var] = StaticBytes(constant->dtype, constant->extents).value_or(0);
    return !isa<Expr>(node);
  });
  return sizes;
}

}  // namespace

absl::flat_hash_map<const Var*, AccessCount> CountAccesses(const IRModule& module,
                                                           const Function& entry) {
  const Reached reached(module, entry);
  const absl::flat_hash_map<Symbol, Runs> runs = reached.CountRuns();
  absl::flat_hash_map<const Var*, AccessCount> counts;
  for (const Symbol name : reached.order()) {
    const Runs own = runs.at(name);
    TENON_CHECK(module.Find(name) != nullptr);
    const PrimFunc& function = *module.Find(name)->func;
    const absl::flat_hash_map<const Var*, int64_t> sizes = SizesIn(function);
    // Accesses of callees to their parameters are counted at the roots in their callers.
    absl::flat_hash_set<const Var*> params;
    if (name != entry.name) {
      params.insert(function.params.begin(), function.params.end());
      for (const Buffer* buffer : function.buffers) {
        if (buffer != nullptr) params.insert(buffer->data);
      }
    }
    for (const auto& [root, tally] : reached.summaries().at(name)->roots) {
      if (params.contains(root)) continue;
      const auto size = sizes.find(root);
      const int64_t whole = size == sizes.end() ? 0 : size->second;
      AccessCount& count = counts[root];
      count.bytes_read = SaturatedMul(
          own.count, SaturatedAdd(tally.bytes_read, SaturatedMul(tally.wholes_read, whole)));
      count.bytes_written = SaturatedMul(
          own.count, SaturatedAdd(tally.bytes_written, SaturatedMul(tally.wholes_written, whole)));
      count.exact = tally.exact && own.exact;
    }
  }
  return counts;
}

}  // namespace tenon
