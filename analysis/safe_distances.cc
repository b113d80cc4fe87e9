// A formula for what access_trace.h walks: for each store and each later access, a range of
// forbidden distances by the first digit that differs. The allowed distances are the complement of
// all ranges.

#include "analysis/safe_distances.h"

#include <algorithm>
#include <deque>
#include <optional>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "ir/analysis/byte_range.h"
#include "ir/builtins.h"
#include "ir/thread_binding.h"
#include "ir/visitor.h"
#include "support/check.h"

namespace tenon {

namespace {

/// The limit on pairs of accesses; beyond it, the analysis takes too long.
constexpr size_t kMostPairs = size_t{1} << 16;

/// A loop or a variable around an access.
struct Scope {
  const Scope* parent = nullptr;
  const For* loop = nullptr;
  const Var* var = nullptr;
  const Expr* value = nullptr;
};

struct Access {
  const Scope* scope = nullptr;
  /// The statement's position in the order of the text.
  int64_t position = 0;
  const Buffer* buffer = nullptr;
  Span<const Expr*> indices;
  SourceRange range;
};

/// The accesses of a function to two buffers.
class AccessCollector : public Visitor<AccessCollector> {
 public:
  AccessCollector(const PrimFunc& func, const Var* dying, const Var* begun)
      : dying_(dying), begun_(begun) {
    for (size_t i = 0; i < func.params.size(); ++i) {
      const Buffer* buffer = func.buffers[i];
      if (buffer != nullptr && (buffer->data == dying || buffer->data == begun))
        handles_.push_back(func.params[i]);
    }
    Visit(func.body);
  }

  std::vector<Access> stores;    ///< to the buffer that begins
  std::vector<Access> accesses;  ///< to the buffer that dies
  std::string_view refusal;

  void VisitFor(const For* loop) {
    ++position_;
    Visit(loop->min);
    Visit(loop->extent);
    const bool ordered = loop->for_kind == ForKind::kSerial || loop->for_kind == ForKind::kUnrolled;
    const bool is_known = IsKnown(loop->min) && IsKnown(loop->extent);
    known_.insert(loop->loop_var);
    InScope({scope_, loop, loop->loop_var, nullptr}, loop->body, !ordered || !is_known);
    known_.erase(loop->loop_var);
  }
  void VisitWhile(const While* loop) {
    ++unordered_;
    VisitChildren(loop);
    --unordered_;
  }
  void VisitLetStmt(const LetStmt* let) {
    ++position_;
    Bind(let->var, let->value, let->body);
  }
  void VisitLet(const Let* let) { Bind(let->var, let->value, let->body); }
  void VisitAttrStmt(const AttrStmt* attr) {
    ++position_;
    Visit(attr->value);
    const bool is_thread = BindsThread(attr);
    unordered_ += is_thread ? 1 : 0;
    Visit(attr->body);
    unordered_ -= is_thread ? 1 : 0;
  }
  void VisitAllocate(const Allocate* allocate) {
    ++position_;
    for (const Expr* extent : allocate->extents) Visit(extent);
    Visit(allocate->condition);
    Visit(allocate->body);
  }
  void VisitAllocateConst(const AllocateConst* constant) { Visit(constant->body); }
  void VisitDeclBuffer(const DeclBuffer* decl) { Visit(decl->body); }
  void VisitIfThenElse(const IfThenElse* branch) {
    ++position_;
    VisitChildren(branch);
  }
  void VisitEvaluate(const Evaluate* evaluate) {
    ++position_;
    VisitChildren(evaluate);
  }
  void VisitAssertStmt(const AssertStmt* assertion) {
    ++position_;
    VisitChildren(assertion);
  }
  void VisitBufferStore(const BufferStore* store) {
    ++position_;
    Visit(store->value);
    for (const Expr* index : store->indices) Visit(index);
    Visit(store->predicate);
    const Access access{scope_, position_, store->buffer, store->indices, store->range};
    if (store->buffer->data == begun_) Add(stores, access);
    // A store to dead bytes would damage the other buffer.
    if (store->buffer->data == dying_) Add(accesses, access);
  }
  void VisitBufferLoad(const BufferLoad* load) {
    for (const Expr* index : load->indices) Visit(index);
    Visit(load->predicate);
    // A load of the other buffer decides nothing, but the trace needs an order of all accesses.
    if (load->buffer->data == begun_) CheckOrder();
    if (load->buffer->data == dying_)
      Add(accesses, {scope_, position_, load->buffer, load->indices, load->range});
  }
  void VisitCall(const Call* call) {
    if (call->op->kind == OpKind::kAddressOf && !call->args.empty()) {
      const auto* load = dyn_cast<BufferLoad>(call->args[0]);
      if (load != nullptr) VisitVar(load->buffer->data);
    }
    VisitChildren(call);
  }
  void VisitVar(const Var* var) {
    const bool is_handle = std::find(handles_.begin(), handles_.end(), var) != handles_.end();
    if (var == dying_ || var == begun_ || is_handle) refusal = "a pointer escapes";
  }
  void VisitBlock(const Block*) { refusal = "the function has blocks"; }
  void VisitBlockRealize(const BlockRealize*) { refusal = "the function has blocks"; }
  void VisitBufferRealize(const BufferRealize*) { refusal = "the function has regions"; }
  void VisitProducerStore(const ProducerStore*) { refusal = "the function has tensors"; }
  void VisitProducerRealize(const ProducerRealize*) { refusal = "the function has tensors"; }
  void VisitProducerLoad(const ProducerLoad*) { refusal = "the function has tensors"; }

 private:
  void Bind(const Var* var, const Expr* value, const Node* body) {
    Visit(value);
    const bool is_known = !var->dtype.is_handle() && IsKnown(value);
    if (is_known) known_.insert(var);
    InScope({scope_, nullptr, var, value}, body, false);
    if (is_known) known_.erase(var);
  }

  /// True if a number depends only on counters: a loop's bounds then give its number of iterations.
  bool IsKnown(const Expr* expr) const {
    bool known = true;
    Walk(expr, [&](const Node* node) {
      if (const auto* call = dyn_cast<Call>(node)) {
        known &= IsIndexOp(call->op->kind);
      } else if (const auto* var = dyn_cast<Var>(node)) {
        known &= known_.contains(var);
      } else {
        known &= isa<IntImm>(node) || isa<Cast>(node) || isa<Not>(node) || isa<Select>(node) ||
                 BinaryExpr::ClassOf(node);
      }
      if (known && !isa<IntImm>(node) && !isa<Var>(node)) {
        const DataType dtype = static_cast<const Expr*>(node)->dtype;
        known &= dtype.is_int() || dtype.is_bool() || (dtype.is_uint() && dtype.bits() < 64);
      }
      return known;
    });
    return known;
  }
  static bool IsIndexOp(OpKind kind) {
    return kind == OpKind::kLikely || kind == OpKind::kIfThenElse || kind == OpKind::kShiftLeft ||
           kind == OpKind::kShiftRight || kind == OpKind::kBitwiseAnd ||
           kind == OpKind::kBitwiseOr || kind == OpKind::kBitwiseXor;
  }

  void InScope(Scope scope, const Node* body, bool unordered) {
    scopes_.push_back(scope);
    const Scope* outer = std::exchange(scope_, &scopes_.back());
    unordered_ += unordered ? 1 : 0;
    Visit(body);
    unordered_ -= unordered ? 1 : 0;
    scope_ = outer;
  }

  void CheckOrder() {
    if (unordered_ > 0)
      refusal =
          "an access is in a parallel or vectorized loop, a while, or a loop without known bounds";
  }

  void Add(std::vector<Access>& list, const Access& access) {
    CheckOrder();
    list.push_back(access);
  }

  const Var* dying_;
  const Var* begun_;
  std::vector<const Var*> handles_;
  std::deque<Scope> scopes_;
  /// Counters of enclosing loops, and variables computed from them.
  absl::flat_hash_set<const Var*> known_;
  const Scope* scope_ = nullptr;
  int unordered_ = 0;
  int64_t position_ = 0;
};

/// Sums that cannot overflow: strides and extents have up to 48 and 63 bits.
struct Sum {
  __int128 min = 0;
  __int128 max = 0;

  /// Adds a term with the values `a` and `b` at its ends.
  void Add(__int128 a, __int128 b) {
    min += std::min(a, b);
    max += std::max(a, b);
  }
  void Add(const Sum& other) {
    min += other.min;
    max += other.max;
  }
};

/// The bytes of an access: an affine address in digits, or a range.
struct Place {
  std::optional<LinearIndex> form;
  ByteRange range;
  int64_t width = 1;
};

/// A store and an access that may follow it.
class Pair {
 public:
  Pair(const Access& store, int64_t store_bytes, const Access& access, int64_t access_bytes)
      : follows_(access.position > store.position) {
    const std::vector<const Scope*> a = PathOf(store.scope);
    const std::vector<const Scope*> b = PathOf(access.scope);
    size_t common = 0;
    while (common < std::min(a.size(), b.size()) && a[common] == b[common]) Enter(a[common++]);
    common_groups_ = group_;
    store_ = PlaceOf(store, store_bytes, a, common);
    access_ = PlaceOf(access, access_bytes, b, common);
    for (Place* place : {&store_, &access_}) {
      if (place->form) digits_.Normalise(*place->form);
    }
    for (size_t i = 0; i < common; ++i) {
      if (a[i]->loop != nullptr) loops_.push_back(a[i]->loop);
    }
    TENON_CHECK(static_cast<size_t>(common_groups_) == loops_.size());
    FindSteps();
  }

  /// Calls `f(least, greatest, loop, weight)` with the forbidden distances of each digit.
  template <class F>
  void ForEachForbidden(F&& f) const {
    for (size_t k = 0; k <= steps_.size(); ++k) {
      const bool is_last = k == steps_.size();
      if (is_last && !follows_) continue;
      if (!is_last && steps_[k].extent < 2) continue;
      Sum sum = Free();
      for (size_t i = 0; i < steps_.size(); ++i) AddStep(sum, steps_[i], i, k);
      sum.min -= store_.width - 1;
      sum.max += access_.width - 1;
      f(sum.min, sum.max, is_last ? nullptr : steps_[k].loop, is_last ? 1 : steps_[k].weight);
    }
  }

 private:
  /// A digit of a common loop.
  struct Step {
    const Var* loop = nullptr;
    int64_t extent = 2;
    int64_t weight = 1;
    int64_t store = 0;
    int64_t access = 0;
  };

  static std::vector<const Scope*> PathOf(const Scope* scope) {
    std::vector<const Scope*> path;
    for (; scope != nullptr; scope = scope->parent) path.push_back(scope);
    std::reverse(path.begin(), path.end());
    return path;
  }

  void Enter(const Scope* scope) {
    forms_.Forget(scope->var);
    ranges_.erase(scope->var);
    if (scope->loop == nullptr) {
      if (!scope->var->dtype.is_handle()) forms_.Define(scope->var, scope->value);
      return;
    }
    is_counted_.push_back(forms_.Enter(scope->loop, ++group_));
    const int64_t* min = AsIntImm(scope->loop->min);
    const int64_t* extent = AsIntImm(scope->loop->extent);
    int64_t last = 0;
    if (min != nullptr && extent != nullptr && *extent > 0 &&
        !__builtin_add_overflow(*min, *extent - 1, &last))
      ranges_[scope->var] = {*min, last};
  }

  Place PlaceOf(const Access& access, int64_t bytes, const std::vector<const Scope*>& path,
                size_t common) {
    for (size_t i = common; i < path.size(); ++i) Enter(path[i]);
    Place place;
    place.width = access.buffer->dtype.bytes();
    place.form = forms_.AddressOf(access.buffer, access.indices);
    if (!place.form) {
      const auto reached = BytesReached(access.buffer, access.indices, ranges_);
      place.range = reached.value_or(ByteRange{0, bytes});
      // An access outside of the buffer is an error at every distance.
      place.range = {std::max<int64_t>(place.range.first, 0), std::min(place.range.end, bytes)};
      if (place.range.empty()) place.range = {0, bytes};
      place.width = 1;
    }
    for (size_t i = common; i < path.size(); ++i) {
      forms_.Forget(path[i]->var);
      ranges_.erase(path[i]->var);
    }
    return place;
  }

  static int64_t Stride(const Place& place, int digit) {
    return place.form ? place.form->stride(digit) : 0;
  }

  void FindSteps() {
    std::vector<Digits::Leaf> leaves = digits_.Leaves();
    std::sort(leaves.begin(), leaves.end(),
              [](const Digits::Leaf& a, const Digits::Leaf& b) { return a.weight > b.weight; });
    for (size_t i = 0; i < loops_.size(); ++i) {
      for (const Digits::Leaf& leaf : leaves) {
        if (leaf.group == static_cast<int>(i + 1))
          steps_.push_back({loops_[i]->loop_var, leaf.extent, leaf.weight,
                            Stride(store_, leaf.digit), Stride(access_, leaf.digit)});
      }
      // No form mentions the counter of a loop of unknown bounds.
      if (!is_counted_[i]) steps_.push_back({loops_[i]->loop_var});
    }
  }

  /// The distances that result from everything but the common loops.
  Sum Free() const {
    Sum sum;
    const auto add = [&](const Place& place, int sign) {
      if (!place.form) {
        sum.Add(sign * __int128{place.range.first}, sign * __int128{place.range.end - 1});
        return;
      }
      sum.Add(sign * __int128{place.form->offset}, sign * __int128{place.form->offset});
      for (const auto& [digit, stride] : place.form->terms) {
        const int group = digits_.group(digit);
        if (group >= 1 && group <= common_groups_) continue;
        sum.Add(0, sign * __int128{stride} * (digits_.extent(digit) - 1));
      }
    };
    add(access_, 1);
    add(store_, -1);
    return sum;
  }

  /// Adds the change of distance by digit `i` if digit `k` is the first that differs.
  static void AddStep(Sum& sum, const Step& step, size_t i, size_t k) {
    const __int128 most = step.extent - 1;
    const __int128 access = step.access;
    const __int128 store = step.store;
    if (i < k) return sum.Add(0, (access - store) * most);
    if (i > k) {
      sum.Add(0, access * most);
      return sum.Add(0, -store * most);
    }
    // 0 <= s < a <= most: a triangle.
    const __int128 corners[] = {access, access * most, access * most - store * (most - 1)};
    sum.Add(Sum{*std::min_element(corners, corners + 3), *std::max_element(corners, corners + 3)});
  }

  bool follows_;
  Digits digits_;
  FormBuilder forms_{digits_};
  IndexRanges ranges_;
  int group_ = 0;
  /// By group, from 1: false for a loop of unknown bounds.
  std::vector<bool> is_counted_;
  int common_groups_ = 0;
  std::vector<const For*> loops_;
  Place store_;
  Place access_;
  std::vector<Step> steps_;
};

struct Forbidden {
  int64_t first = 0;
  int64_t last = 0;
  int32_t bound = -1;
};

/// The ranges between forbidden ranges.
std::vector<AllowedDistances> Complement(std::vector<Forbidden> forbidden) {
  std::sort(forbidden.begin(), forbidden.end(), [](const Forbidden& a, const Forbidden& b) {
    return std::tie(a.first, b.last, a.bound) < std::tie(b.first, a.last, b.bound);
  });
  std::vector<AllowedDistances> allowed;
  AllowedDistances next;
  for (const Forbidden& range : forbidden) {
    if (range.first > next.first) {
      next.last = range.first - 1;
      next.above = range.bound;
      allowed.push_back(next);
    }
    if (range.last + 1 > next.first)
      next = {range.last + 1, AllowedDistances::kUnbounded, range.bound, -1};
  }
  allowed.push_back(next);
  return allowed;
}

/// Keeps only bounds that an end of an allowed range refers to.
void DropUnusedBounds(SafeDistances& distances) {
  std::vector<int32_t> now(distances.bounds.size(), -1);
  std::vector<DistanceBound> kept;
  const auto keep = [&](int32_t& bound) {
    if (bound < 0) return;
    int32_t& number = now[static_cast<size_t>(bound)];
    if (number < 0) {
      number = static_cast<int32_t>(kept.size());
      kept.push_back(distances.bounds[static_cast<size_t>(bound)]);
    }
    bound = number;
  };
  for (AllowedDistances& range : distances.allowed) {
    keep(range.below);
    keep(range.above);
  }
  distances.bounds = std::move(kept);
}

}  // namespace

SafeDistances SafeDistancesOf(const PrimFunc& func, const FunctionBuffer& dying,
                              const FunctionBuffer& begun) {
  SafeDistances result;
  AccessCollector found(func, dying.data, begun.data);
  result.disjoint_because = found.refusal;
  if (result.disjoint_because.empty() && found.stores.size() * found.accesses.size() > kMostPairs)
    result.disjoint_because = "the function has too many accesses";
  // From these distances on, no byte is shared.
  const int64_t low = -begun.size_bytes;
  const int64_t high = dying.size_bytes;
  std::vector<Forbidden> forbidden;
  if (low + 1 <= high - 1 && !result.disjoint_because.empty())
    forbidden.push_back({low + 1, high - 1, -1});
  if (result.disjoint_because.empty()) {
    for (const Access& store : found.stores) {
      for (const Access& access : found.accesses) {
        const Pair pair(store, begun.size_bytes, access, dying.size_bytes);
        pair.ForEachForbidden(
            [&](__int128 least, __int128 greatest, const Var* loop, int64_t weight) {
              const auto first = std::max<__int128>(least, low + 1);
              const auto last = std::min<__int128>(greatest, high - 1);
              if (first > last) return;
              forbidden.push_back({static_cast<int64_t>(first), static_cast<int64_t>(last),
                                   static_cast<int32_t>(result.bounds.size())});
              result.bounds.push_back({store.range, access.range, loop, weight});
            });
      }
    }
  }
  result.allowed = Complement(std::move(forbidden));
  DropUnusedBounds(result);
  return result;
}

}  // namespace tenon
