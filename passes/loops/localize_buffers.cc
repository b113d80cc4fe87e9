// Lowest common ancestors by jump pointers (Myers, 1983): thousands of allocations take n log n
// time. If arrays then exceed the stack, a second run places the remaining ones from the start.

#include "passes/loops/localize_buffers.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <tuple>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "ir/analysis/stack_arrays.h"
#include "ir/attributes.h"
#include "ir/builtins.h"
#include "ir/extents.h"
#include "ir/memory_pools.h"
#include "ir/rewriter.h"
#include "ir/storage_defaults.h"
#include "support/check.h"
#include "support/checked.h"

namespace tenon {

namespace {

/// The place of a statement: the number of its list, and its number in that list.
struct Place {
  int list = -1;
  int index = 0;
};

/// An allocation that may move, and the statements that use its pointer.
struct Candidate {
  const Allocate* allocate = nullptr;
  /// Candidates are numbered from 0, each before those in its body.
  int number = 0;
  /// True if the pointer is used by more than loads and stores.
  bool escapes = false;
  /// True if it has one element, and each buffer over it contains only that element.
  bool is_one_element = false;
  int home = -1;  ///< the list that the allocation stands in
  Place first, last;
  /// The list with the first load or store; -1 if there is none.
  int first_access = -1;
  /// True if the first load or store writes the only element.
  bool writes_first = false;
};

using Candidates = absl::flat_hash_map<const Var*, Candidate>;

bool IsSmall(const Allocate& allocate, int64_t max_bytes) {
  if (allocate.annotations != nullptr &&
      allocate.annotations->Find(attr_key::kCandidateMemoryPools) != nullptr)
    return false;
  if (!IsConstInt(allocate.condition, 1)) return false;
  const int64_t bytes = StaticBytes(allocate.dtype, allocate.extents).value_or(0);
  return 0 < bytes && bytes <= max_bytes;
}

bool HasOneElement(const Allocate& allocate) {
  return std::all_of(allocate.extents.begin(), allocate.extents.end(),
                     [](const Expr* extent) { return IsConstInt(extent, 1); });
}

bool IsAddress(const Node* node) {
  const auto* call = dyn_cast<Call>(node);
  return call != nullptr && call->op->kind == OpKind::kAddressOf;
}

/// Finds small allocations whose pointers are used by loads and stores only.
class CandidateFinder {
 public:
  /// Allocations of pointers in `without` are not candidates.
  explicit CandidateFinder(int64_t max_bytes, const absl::flat_hash_set<const Var*>& without = {})
      : max_bytes_(max_bytes), without_(without) {}

  Candidates Find(const PrimFunc& func) {
    Look(func.body);
    absl::erase_if(candidates_, [](const auto& entry) { return entry.second.escapes; });
    std::vector<Candidate*> kept;
    for (auto& entry : candidates_) kept.push_back(&entry.second);
    std::sort(kept.begin(), kept.end(),
              [](const Candidate* a, const Candidate* b) { return a->number < b->number; });
    for (size_t i = 0; i < kept.size(); ++i) kept[i]->number = static_cast<int>(i);
    return std::move(candidates_);
  }

 private:
  void Look(const Node* node) {
    WithStack([&] {
      const auto* allocate = dyn_cast<Allocate>(node);
      if (allocate != nullptr && IsSmall(*allocate, max_bytes_) &&
          !without_.contains(allocate->buffer_var)) {
        Candidate& candidate = candidates_[allocate->buffer_var];
        candidate.allocate = allocate;
        candidate.number = static_cast<int>(candidates_.size()) - 1;
        candidate.is_one_element = HasOneElement(*allocate);
      }
      if (const auto* buffer = dyn_cast<Buffer>(node)) return LookAtBuffer(buffer);
      if (IsAddress(node)) return EscapeAll(node);
      if (const auto* var = dyn_cast<Var>(node)) return Escape(var);
      ForEachChild(node, [&](const Node* child, FieldRole role) {
        if (role == FieldRole::kUse || !isa<Var>(child)) Look(child);
      });
    });
  }

  void LookAtBuffer(const Buffer* buffer) {
    const auto found = candidates_.find(buffer->data);
    if (found == candidates_.end()) return;
    found->second.is_one_element &=
        buffer->dtype == found->second.allocate->dtype && IsConstInt(buffer->elem_offset, 0);
  }

  void Escape(const Var* var) {
    if (const auto found = candidates_.find(var); found != candidates_.end())
      found->second.escapes = true;
  }

  void EscapeAll(const Node* node) {
    Walk(node, [&](const Node* n) {
      if (const auto* var = dyn_cast<Var>(n)) Escape(var);
      return true;
    });
  }

  int64_t max_bytes_;
  absl::flat_hash_set<const Var*> without_;
  Candidates candidates_;
};

/// Calls `f` for the statements of `stmt` that run one after the other, also in sequences and in
/// scopes of candidates.
template <class F>
void ForEachInList(const Stmt* stmt, const Candidates& candidates, F&& f) {
  WithStack([&] {
    if (const auto* seq = dyn_cast<SeqStmt>(stmt)) {
      for (const Stmt* child : seq->seq) ForEachInList(child, candidates, f);
      return;
    }
    const auto* allocate = dyn_cast<Allocate>(stmt);
    if (allocate == nullptr || !candidates.contains(allocate->buffer_var)) return f(stmt);
    f(stmt);
    ForEachInList(allocate->body, candidates, f);
  });
}

/// The least value in a range; single values may decrease.
class Minima {
 public:
  explicit Minima(int count)
      : count_(static_cast<size_t>(count)), values_(2 * count_, std::numeric_limits<int>::max()) {}

  void Lower(int place, int value) {
    for (size_t i = count_ + static_cast<size_t>(place); i > 0; i /= 2)
      values_[i] = std::min(values_[i], value);
  }

  /// The least value from `first` to just before `end`.
  int Least(int first, int end) const {
    int least = std::numeric_limits<int>::max();
    size_t from = count_ + static_cast<size_t>(first);
    size_t to = count_ + static_cast<size_t>(end);
    for (; from < to; from /= 2, to /= 2) {
      if (from % 2 == 1) least = std::min(least, values_[from++]);
      if (to % 2 == 1) least = std::min(least, values_[--to]);
    }
    return least;
  }

 private:
  size_t count_;
  std::vector<int> values_;
};

/// Finds the place of each candidate: the innermost list of statements that contains all its uses,
/// and there the range from the first use to the last. Lists are numbered in the order of the
/// module.
///
/// The time for n statements is n log n for lists of any length, because it only looks at the first
/// and the last use of a candidate, and at the loops and conditions between the allocation and its
/// new place.
class Placer {
 public:
  /// The statements `first` to `last` of a list, around which an allocation goes.
  struct Range {
    int first = 0;
    int last = 0;
    const Candidate* candidate = nullptr;
  };

  explicit Placer(Candidates& candidates) : candidates_(candidates) {}

  void Run(const PrimFunc& func) {
    Look(func.body, {});
    // Inner allocations come first, so that the ranges of outer ones grow around theirs.
    std::vector<const Candidate*> inner_first(candidates_.size());
    for (const auto& entry : candidates_)
      inner_first[inner_first.size() - 1 - static_cast<size_t>(entry.second.number)] =
          &entry.second;
    for (const Candidate* candidate : inner_first) PlaceOne(*candidate);
    for (List& list : lists_) {
      Nest(list);
      std::sort(list.ranges.begin(), list.ranges.end(), IsBefore);
    }
  }

  /// The ranges of a list: a later one encloses those before it, or is to the left of them.
  const std::vector<Range>& RangesOf(int list) const {
    return lists_[static_cast<size_t>(list)].ranges;
  }

 private:
  struct List {
    Place parent;  ///< the statement around the list
    int depth = 0;
    int jump = 0;  ///< a list further outside, for LowestCommon
    /// This list, or the nearest one around it, that is not the body of an allocation; -1 for none.
    int gate = -1;
    /// True if this list is the body of a serial loop.
    bool is_serial_loop = false;
    /// The outermost list around this one whose first run always comes to this one.
    int always_from = 0;
    int size = 0;
    std::vector<Range> ranges;
  };

  /// If two ranges overlap, the later one grows around the other one.
  static void Nest(List& list) {
    if (list.ranges.size() < 2) return;
    Minima first_of_last(list.size);
    Minima minus_last_of_first(list.size);
    for (Range& range : list.ranges) {
      const int first = std::min(range.first, first_of_last.Least(range.first, range.last));
      const int last =
          std::max(range.last, -minus_last_of_first.Least(range.first + 1, range.last + 1));
      range.first = first;
      range.last = last;
      first_of_last.Lower(last, first);
      minus_last_of_first.Lower(first, -last);
    }
  }

  static bool IsBefore(const Range& a, const Range& b) {
    return std::make_tuple(-a.first, a.last, a.candidate->number) <
           std::make_tuple(-b.first, b.last, b.candidate->number);
  }

  List& At(int list) { return lists_[static_cast<size_t>(list)]; }

  /// True if the body runs whenever the statement does.
  static bool AlwaysRuns(const Stmt* stmt) {
    if (const auto* loop = dyn_cast<For>(stmt)) {
      const int64_t* extent = AsIntImm(loop->extent);
      return extent != nullptr && *extent > 0;
    }
    return isa<LetStmt>(stmt) || isa<DeclBuffer>(stmt) || isa<Allocate>(stmt) ||
           isa<AllocateConst>(stmt);
  }

  /// `stmt` is the statement at `parent`.
  int NewList(Place parent, const Stmt* stmt) {
    const int number = static_cast<int>(lists_.size());
    List& list = lists_.emplace_back();
    list.parent = parent;
    if (stmt == nullptr) return number;
    const List& outer = At(parent.list);
    // Jumps as in "An applicative random-access stack" (E. W. Myers, 1983).
    const List& jump = At(outer.jump);
    list.depth = outer.depth + 1;
    const bool doubles = outer.depth - jump.depth == jump.depth - At(jump.jump).depth;
    list.jump = doubles ? jump.jump : parent.list;
    const auto* loop = dyn_cast<For>(stmt);
    list.is_serial_loop = loop != nullptr && loop->for_kind == ForKind::kSerial;
    list.gate = isa<Allocate>(stmt) || isa<AllocateConst>(stmt) ? outer.gate : number;
    list.always_from = AlwaysRuns(stmt) ? outer.always_from : number;
    return number;
  }

  void Look(const Stmt* body, Place parent, const Stmt* around = nullptr) {
    const int list = NewList(parent, around);
    Place place = {list, 0};
    ForEachInList(body, candidates_, [&](const Stmt* stmt) {
      const auto* allocate = dyn_cast<Allocate>(stmt);
      const auto found =
          allocate == nullptr ? candidates_.end() : candidates_.find(allocate->buffer_var);
      if (found != candidates_.end()) {
        found->second.home = list;
        return;
      }
      ForEachChild(stmt, [&](const Node* child, FieldRole) {
        if (Stmt::ClassOf(child)) {
          Look(static_cast<const Stmt*>(child), place, stmt);
        } else {
          Uses(child, place, stmt);
        }
      });
      ++place.index;
    });
    At(list).size = place.index;
  }

  void Uses(const Node* node, Place place, const Stmt* stmt) {
    Walk(node, [&](const Node* n) {
      const auto* var = dyn_cast<Var>(n);
      const auto found = var == nullptr ? candidates_.end() : candidates_.find(var);
      if (found == candidates_.end()) return true;
      Candidate& candidate = found->second;
      if (candidate.first.list < 0) candidate.first = place;
      candidate.last = place;
      if (candidate.first_access < 0 && !isa<DeclBuffer>(stmt)) {
        candidate.first_access = place.list;
        candidate.writes_first = WritesElement(stmt, var);
      }
      return true;
    });
  }

  /// True if it stores to element 0, and does not read it.
  static bool WritesElement(const Stmt* stmt, const Var* data) {
    const auto* store = dyn_cast<BufferStore>(stmt);
    if (store == nullptr || store->buffer->data != data || store->predicate != nullptr ||
        store->indices.size() != 1 || !IsConstInt(store->indices[0], 0))
      return false;
    bool reads = false;
    Walk(store->value, [&](const Node* node) {
      reads |= node == data;
      return !reads;
    });
    return !reads;
  }

  /// The innermost list that contains both.
  int LowestCommon(int a, int b) {
    while (a != b) {
      if (At(a).depth < At(b).depth) std::swap(a, b);
      if (At(a).depth > At(b).depth) {
        a = At(At(a).jump).depth >= At(b).depth ? At(a).jump : At(a).parent.list;
      } else if (At(a).jump != At(b).jump) {
        // Both jumps have the same depth, and the common list is further outside than they are.
        a = At(a).jump;
        b = At(b).jump;
      } else {
        a = At(a).parent.list;
        b = At(b).parent.list;
      }
    }
    return a;
  }

  /// The statement of `list` that is, or contains, the one at `place`.
  int IndexIn(int list, Place place) {
    const int depth = At(list).depth + 1;
    if (place.list == list) return place.index;
    int inner = place.list;
    while (At(inner).depth > depth)
      inner = At(At(inner).jump).depth >= depth ? At(inner).jump : At(inner).parent.list;
    return At(inner).parent.index;
  }

  void PlaceOne(const Candidate& candidate) {
    if (candidate.first.list < 0) return;
    int list = LowestCommon(candidate.first.list, candidate.last.list);
    Range range = {IndexIn(list, candidate.first), IndexIn(list, candidate.last), &candidate};
    // The allocation goes around the outermost statement that it may not enter.
    for (int gate = At(list).gate; gate > candidate.home; gate = At(At(gate).parent.list).gate) {
      if (MayEnter(gate, candidate)) continue;
      const Place stop = At(gate).parent;
      list = stop.list;
      range.first = range.last = stop.index;
    }
    At(list).ranges.push_back(range);
  }

  /// True if each iteration of the loop writes the element before it reads it.
  bool MayEnter(int gate, const Candidate& candidate) {
    return At(gate).is_serial_loop && candidate.is_one_element && candidate.writes_first &&
           At(candidate.first_access).always_from <= gate;
  }

  Candidates& candidates_;
  std::vector<List> lists_;
};

/// Finds the arrays that would exceed the stack that a function may use. Scalars are registers and
/// do not count.
class StackLimit {
 public:
  StackLimit(const Candidates& candidates, int64_t max_stack)
      : candidates_(candidates), max_stack_(max_stack) {}

  /// The pointers of candidates that must remain in pools. In `body`, all candidates are local
  /// allocations.
  absl::flat_hash_set<const Var*> Beyond(const Stmt* body) {
    if (Measure(body) > max_stack_) Choose(body, max_stack_);
    return std::move(beyond_);
  }

 private:
  static int64_t StackBytes(const Node* node) {
    const auto* allocate = dyn_cast<Allocate>(node);
    if (allocate == nullptr || HasOneElement(*allocate) || !IsLocalAllocation(*allocate)) return 0;
    return StaticBytes(allocate->dtype, allocate->extents).value_or(0);
  }

  /// The largest number of bytes of arrays that are live together within a statement.
  int64_t Measure(const Node* node) {
    return WithStack([&] {
      int64_t most = 0;
      ForEachStmt(node, [&](const Stmt* child) { most = std::max(most, Measure(child)); });
      const int64_t bytes = StackBytes(node);
      if (bytes > 0) inside_[node] = most;
      return bytes + most;
    });
  }

  /// Outer arrays are moved to pools first, because they are live longest, and inner loops use
  /// inner arrays.
  void Choose(const Node* node, int64_t left) {
    WithStack([&] {
      const int64_t bytes = StackBytes(node);
      if (bytes > 0) {
        const Var* data = cast<Allocate>(node)->buffer_var;
        if (bytes + inside_.at(node) <= left || !candidates_.contains(data)) {
          left -= bytes;
        } else {
          beyond_.insert(data);
        }
      }
      ForEachStmt(node, [&](const Stmt* child) { Choose(child, left); });
    });
  }

  template <class F>
  static void ForEachStmt(const Node* node, F&& f) {
    ForEachChild(node, [&](const Node* child, FieldRole) {
      if (Stmt::ClassOf(child)) f(static_cast<const Stmt*>(child));
    });
  }

  const Candidates& candidates_;
  int64_t max_stack_;
  /// The bytes of arrays within the body of an allocation.
  absl::flat_hash_map<const Node*, int64_t> inside_;
  absl::flat_hash_set<const Var*> beyond_;
};

/// Rebuilds each list of statements with the allocations that belong there.
class Localizer : public Rewriter<Localizer> {
 public:
  Localizer(Context& context, std::shared_ptr<Storage> storage, const Candidates& candidates,
            const Placer& placer)
      : Rewriter(context, std::move(storage)), candidates_(candidates), placer_(placer) {}

  /// Lists are visited in the order in which the placer numbered them.
  const Stmt* RewriteStmt(const Stmt* stmt) {
    return WithStack([&] {
      const int list = next_list_++;
      std::vector<const Stmt*> items;
      bool changed = !placer_.RangesOf(list).empty();
      ForEachInList(stmt, candidates_, [&](const Stmt* item) {
        const auto* allocate = dyn_cast<Allocate>(item);
        if (allocate != nullptr && candidates_.contains(allocate->buffer_var)) {
          changed = true;
          return;
        }
        items.push_back(Rewriter::RewriteStmt(item));
        changed |= items.back() != item;
      });
      return changed ? WithRanges(items, placer_.RangesOf(list), stmt->range) : stmt;
    });
  }

 private:
  /// Proceeds from right to left. A range that ends within another one to its right encloses that
  /// one.
  const Stmt* WithRanges(const std::vector<const Stmt*>& items,
                         const std::vector<Placer::Range>& ranges, SourceRange place) {
    struct Piece {
      int first;
      const Stmt* stmt;
    };
    std::vector<Piece> pieces;  // the leftmost one is the last
    std::vector<const Stmt*> inside;
    auto range = ranges.begin();
    for (int i = static_cast<int>(items.size()) - 1; i >= 0; --i) {
      pieces.push_back({i, items[static_cast<size_t>(i)]});
      for (; range != ranges.end() && range->first == i; ++range) {
        inside.clear();
        for (; !pieces.empty() && pieces.back().first <= range->last; pieces.pop_back())
          inside.push_back(pieces.back().stmt);
        TENON_CHECK(!inside.empty());
        pieces.push_back({i, Local(*range->candidate->allocate, builder().Seq(inside))});
      }
    }
    TENON_CHECK(range == ranges.end());
    inside.clear();
    for (; !pieces.empty(); pieces.pop_back()) inside.push_back(pieces.back().stmt);
    return builder().Seq(inside, place);
  }

  const Stmt* Local(const Allocate& allocate, const Stmt* body) {
    Allocate local = allocate;
    local.annotations =
        builder().With(allocate.annotations, attr_key::kCandidateMemoryPools, builder().Array({}));
    local.body = body;
    return arena().New<Allocate>(local);
  }

  const Candidates& candidates_;
  const Placer& placer_;
  int next_list_ = 0;
};

Function Localized(Context& context, const Function& function, Candidates& candidates) {
  if (candidates.empty()) return function;
  Placer placer(candidates);
  placer.Run(*function.func);
  return RewriteFunction<Localizer>(context, function, candidates, placer);
}

}  // namespace

absl::StatusOr<IRModule> LocalizeBuffers(const IRModule& module,
                                         const LocalizeBuffersOptions& options,
                                         PassContext& context) {
  if (options.max_bytes >= kStackLimit) {
    return absl::InvalidArgumentError(fmt::format(
        "localize-buffers: expected max-bytes below {}, found {}", kStackLimit, options.max_bytes));
  }
  return ForEachFunction(module, context, [&](const Function& function, Diagnostics&) {
    Candidates candidates = CandidateFinder(options.max_bytes).Find(*function.func);
    if (candidates.empty()) return function;
    const Function localized = Localized(module.context(), function, candidates);
    const absl::flat_hash_set<const Var*> beyond =
        StackLimit(candidates, options.max_stack).Beyond(localized.func->body);
    if (beyond.empty()) return localized;
    candidates = CandidateFinder(options.max_bytes, beyond).Find(*function.func);
    return Localized(module.context(), function, candidates);
  });
}

}  // namespace tenon
