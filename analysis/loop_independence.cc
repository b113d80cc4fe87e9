// A dependence test on linear forms of bytes: sorted strides must exceed the reach of smaller ones,
// also modulo a stride of an inner loop. Accesses are sorted and not compared in pairs, since
// unrolled texts have thousands.

#include "analysis/loop_independence.h"

#include <algorithm>
#include <cstdlib>

#include "absl/container/flat_hash_map.h"
#include "arith/interval.h"
#include "ir/analysis/byte_range.h"
#include "ir/attributes.h"
#include "ir/attrs.h"
#include "ir/builtins.h"
#include "ir/visitor.h"

namespace tenon {

namespace {

/// The limit on loops in the loop; with more, its iterations count as dependent.
constexpr int kMostInnerLoops = 60;

enum Group { kInner = 0, kAround = 1, kLoop = 2 };

struct FormAccess {
  LinearIndex form;  ///< of the first byte
  int64_t width = 0;
};

struct AccessesOfRoot {
  std::vector<FormAccess> accesses;
  bool stored = false;
  /// True if there is an access at an unknown place.
  bool anywhere = false;
};

class LoopAccesses {
 public:
  LoopAccesses(const FunctionStorage& storage, const std::vector<const For*>& around,
               const absl::flat_hash_set<const Var*>& ignored)
      : storage_(storage), private_(ignored) {
    // A loop of unknown extent leaves its variable undefined, so indices may not mention it.
    for (const For* loop : around) forms_.Enter(loop, kAround);
  }

  bool Collect(const For* loop) {
    Walk(loop->body, [&](const Node* node) {
      if (const auto* store = dyn_cast<BufferStore>(node)) stored_.insert(store->buffer->data);
      return Stmt::ClassOf(node);
    });
    if (!forms_.Enter(loop, kLoop) || !Statement(loop->body)) return false;
    for (auto& [data, of] : roots_) {
      for (FormAccess& access : of.accesses) digits_.Normalise(access.form);
    }
    for (const Digits::Leaf& leaf : digits_.Leaves()) {
      if (leaf.group == kLoop) of_loop_.push_back(leaf);
    }
    return true;
  }

  bool AreIndependent() const {
    for (const auto& [data, of] : roots_) {
      if (private_.contains(data)) continue;
      if (!storage_.IsKnown(data)) return false;
      if (!of.stored) continue;
      if (of.anywhere || !IsDisjoint(of.accesses)) return false;
      for (const auto& [other, unused] : roots_) {
        if (other != data && !private_.contains(other) && storage_.MayAlias(data, other))
          return false;
      }
    }
    return true;
  }

 private:
  bool Statement(const Stmt* stmt) {
    return WithStack([&] { return StatementOf(stmt); });
  }

  bool StatementOf(const Stmt* stmt) {
    switch (stmt->kind) {
      case NodeKind::kSeqStmt: {
        const auto& seq = cast<SeqStmt>(stmt)->seq;
        return std::all_of(seq.begin(), seq.end(), [&](const Stmt* s) { return Statement(s); });
      }
      case NodeKind::kFor:
        return Loop(cast<For>(stmt));
      case NodeKind::kBufferStore: {
        const auto* store = cast<BufferStore>(stmt);
        if (store->predicate != nullptr) return false;
        Touch(store->buffer, store->indices, /*is_store=*/true);
        return Value(store->value) && Values(store->indices);
      }
      case NodeKind::kIfThenElse: {
        const auto* branch = cast<IfThenElse>(stmt);
        return Value(branch->condition) && Statement(branch->then_case) &&
               (branch->else_case == nullptr || Statement(branch->else_case));
      }
      case NodeKind::kAllocate: {
        const auto* allocate = cast<Allocate>(stmt);
        private_.insert(allocate->buffer_var);
        return Values(allocate->extents) && Statement(allocate->body);
      }
      case NodeKind::kDeclBuffer:
        return Statement(cast<DeclBuffer>(stmt)->body);
      case NodeKind::kLetStmt:
        // An index with the variable has no form, so its place is unknown.
        return Value(cast<LetStmt>(stmt)->value) && Statement(cast<LetStmt>(stmt)->body);
      case NodeKind::kEvaluate:
        return isa<IntImm>(cast<Evaluate>(stmt)->value);
      case NodeKind::kPrefetch:
        return true;
      default:
        return false;
    }
  }

  bool Loop(const For* loop) {
    if (loop->for_kind != ForKind::kSerial && loop->for_kind != ForKind::kUnrolled) return false;
    if (++inner_loops_ > kMostInnerLoops || !forms_.Enter(loop, kInner)) return false;
    const bool plain = Statement(loop->body);
    forms_.Leave(loop);
    return plain;
  }

  bool Values(Span<const Expr*> exprs) {
    return std::all_of(exprs.begin(), exprs.end(), [&](const Expr* e) { return Value(e); });
  }

  bool Value(const Expr* expr) {
    if (!IsPlainValue(expr)) return false;
    Walk(expr, [&](const Node* node) {
      if (const auto* load = dyn_cast<BufferLoad>(node))
        Touch(load->buffer, load->indices, /*is_store=*/false);
      return !isa<Buffer>(node);
    });
    return true;
  }

  void Touch(const Buffer* buffer, Span<const Expr*> indices, bool is_store) {
    AccessesOfRoot& of = roots_[buffer->data];
    of.stored |= is_store;
    // Blocks of what is only read may divide a loop in another way than those of the results.
    if (!stored_.contains(buffer->data)) return;
    int64_t width = buffer->dtype.bytes();
    std::vector<const Expr*> first(indices.begin(), indices.end());
    // Neighbouring lanes are one access of more bytes. As digits they would soon be too many.
    const auto* ramp = first.empty() ? nullptr : dyn_cast<Ramp>(first.back());
    if (ramp != nullptr && buffer->strides.empty() && IsConstInt(ramp->stride, 1)) {
      first.back() = ramp->base;
      width *= ramp->dtype.lanes();
    }
    std::optional<LinearIndex> form = forms_.AddressOf(buffer, Span<const Expr*>(first));
    if (!form) {
      of.anywhere = true;
    } else {
      of.accesses.push_back({*std::move(form), width});
    }
  }

  /// True if accesses of different iterations are disjoint.
  bool IsDisjoint(const std::vector<FormAccess>& accesses) const {
    if (IsDisjointModulo(accesses, 0) || AreOneToOne(accesses)) return true;
    std::vector<int64_t> moduli;
    for (const FormAccess& access : accesses) {
      for (const auto& [digit, stride] : access.form.terms) {
        if (digits_.group(digit) == kInner) moduli.push_back(std::abs(stride));
      }
    }
    std::sort(moduli.begin(), moduli.end());
    moduli.erase(std::unique(moduli.begin(), moduli.end()), moduli.end());
    return std::any_of(moduli.begin(), moduli.end(),
                       [&](int64_t modulus) { return IsDisjointModulo(accesses, modulus); });
  }

  /// True if all accesses are the same, and each place of the loops is other bytes: each step is
  /// larger than what all smaller steps reach. Blocks of a layout, as in `y[o // 4, i, o % 4]`, are
  /// such places although the steps of `i` lie between those of `o`.
  bool AreOneToOne(const std::vector<FormAccess>& accesses) const {
    LinearIndex form = accesses[0].form;
    for (const FormAccess& access : accesses) {
      if (access.form != form || access.width != accesses[0].width) return false;
    }
    form.Drop([&](int digit) { return digits_.group(digit) == kAround; });
    return std::all_of(of_loop_.begin(), of_loop_.end(),
                       [&](const Digits::Leaf& leaf) { return form.stride(leaf.digit) != 0; }) &&
           digits_.IsInjective(form, accesses[0].width);
  }

  /// True if accesses of different iterations are disjoint: all move equally with the loop, by
  /// steps larger than the range of one iteration. With a modulus, steps of inner loops that are
  /// multiples of it do not count: columns of a matrix are apart although their rows are far apart.
  bool IsDisjointModulo(const std::vector<FormAccess>& accesses, int64_t modulus) const {
    std::vector<ByteRange> reached;
    const auto is_inner = [&](int digit) { return digits_.group(digit) == kInner; };
    LinearIndex first = accesses[0].form;
    first.Drop(is_inner);
    for (const FormAccess& access : accesses) {
      LinearIndex outer = access.form;
      outer.Drop(is_inner);
      if (outer.terms != first.terms) return false;
      LinearIndex inner = access.form;
      inner.Drop([&](int digit) {
        return !is_inner(digit) || (modulus != 0 && access.form.stride(digit) % modulus == 0);
      });
      if (modulus != 0) inner.offset = FloorRemainder(inner.offset, modulus);
      const std::optional<Bounds> bounds = digits_.BoundsOf(inner);
      if (!bounds) return false;
      reached.push_back({bounds->min, bounds->max + access.width});
    }
    std::vector<std::pair<int64_t, int64_t>> steps;
    int64_t sweep = 0;
    for (const Digits::Leaf& leaf : of_loop_) {
      const int64_t stride = first.stride(leaf.digit);
      if (modulus != 0 && stride < 0) return false;
      steps.emplace_back(std::abs(stride), leaf.extent);
      sweep += std::abs(stride) * (leaf.extent - 1);
    }
    // Remainders must not wrap.
    if (modulus != 0 && std::any_of(reached.begin(), reached.end(), [&](const ByteRange& bytes) {
          return bytes.first < 0 || bytes.end + sweep > modulus;
        }))
      return false;
    std::sort(steps.begin(), steps.end());
    return StepsSeparate(std::move(reached), steps, sweep);
  }

  /// `reached` are the bytes of one iteration, and `sweep` is the distance to those of the last
  /// one.
  static bool StepsSeparate(std::vector<ByteRange> reached,
                            const std::vector<std::pair<int64_t, int64_t>>& steps, int64_t sweep) {
    std::sort(reached.begin(), reached.end(),
              [](const ByteRange& a, const ByteRange& b) { return a.first < b.first; });
    // Accesses that no iteration moves as far as the next ones are a group of their own: rows.
    ByteRange group = reached[0];
    for (const ByteRange& bytes : reached) {
      if (bytes.first >= group.end + sweep) {
        if (!StepsReachOver(group.end - group.first, steps)) return false;
        group = bytes;
      }
      group.end = std::max(group.end, bytes.end);
    }
    return StepsReachOver(group.end - group.first, steps);
  }

  /// The steps of a loop, the smallest first, bring accesses to `covered` bytes to other places
  /// each time.
  static bool StepsReachOver(int64_t covered,
                             const std::vector<std::pair<int64_t, int64_t>>& steps) {
    for (const auto& [stride, extent] : steps) {
      if (stride < covered) return false;
      covered += stride * (extent - 1);
    }
    return true;
  }

  const FunctionStorage& storage_;
  Digits digits_;
  FormBuilder forms_{digits_};
  int inner_loops_ = 0;
  /// The parts of the loop's counter.
  std::vector<Digits::Leaf> of_loop_;
  absl::flat_hash_map<const Var*, AccessesOfRoot> roots_;
  absl::flat_hash_set<const Var*> private_;
  absl::flat_hash_set<const Var*> stored_;
};

bool IsPlainCall(const Call* call) {
  switch (call->op->kind) {
    case OpKind::kAddressOf:
    case OpKind::kTvmAccessPtr:
    case OpKind::kCallPureExtern:
    case OpKind::kCallLLVMPureIntrin:
    case OpKind::kLookupParam:
    case OpKind::kTvmTuple:
    case OpKind::kUndef:
      return false;
    default:
      return call->op->effect == OpEffect::kPure;
  }
}

}  // namespace

FunctionStorage::FunctionStorage(const PrimFunc& func)
    : noalias_(IsNoAlias(func)), overlaps_(ReadOverlaps(func)) {
  for (size_t i = 0; i < func.params.size(); ++i) {
    params_.emplace(func.params[i], i);
    if (func.buffers[i] != nullptr) params_.emplace(func.buffers[i]->data, i);
  }
  Walk(func.body, [&](const Node* node) {
    if (const auto* allocate = dyn_cast<Allocate>(node)) allocated_.insert(allocate->buffer_var);
    if (const auto* constant = dyn_cast<AllocateConst>(node))
      allocated_.insert(constant->buffer_var);
    return Stmt::ClassOf(node);
  });
}

bool FunctionStorage::MayOverlap(size_t a, size_t b) const {
  if (!noalias_) return true;
  const ParamPair pair = std::minmax(static_cast<int64_t>(a), static_cast<int64_t>(b));
  return std::binary_search(overlaps_.begin(), overlaps_.end(), pair);
}

bool CountFitsInt64(Analyzer& analyzer, const Expr* extent) {
  const bool is_wide = extent->dtype.is_uint() && extent->dtype.bits() == 64;
  return !is_wide || analyzer.Bounds(extent).has_max();
}

bool IsPlainValue(const Expr* expr) {
  bool plain = true;
  Walk(expr, [&](const Node* node) {
    if (isa<Buffer>(node)) return false;
    if (const auto* load = dyn_cast<BufferLoad>(node)) plain &= load->predicate == nullptr;
    if (const auto* call = dyn_cast<Call>(node)) plain &= IsPlainCall(call);
    if (const auto* var = dyn_cast<Var>(node)) plain &= !var->dtype.is_handle();
    plain &= !isa<ProducerLoad>(node) && !isa<Let>(node) && !isa<Reduce>(node);
    return plain;
  });
  return plain;
}

bool IterationsAreIndependent(const FunctionStorage& storage, const std::vector<const For*>& around,
                              const For* loop, const absl::flat_hash_set<const Var*>& ignored) {
  LoopAccesses accesses(storage, around, ignored);
  return accesses.Collect(loop) && accesses.AreIndependent();
}

}  // namespace tenon
