// Interval analysis of memory: a group of pointers is one variable, and its stores are the
// assignments to it. A walk tells the analyzer the loops and lets around each store, so that they
// bound its value.

#include "passes/fusion/stored_values.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "ir/visitor.h"
#include "passes/fusion/constant_elements.h"
#include "support/arena.h"

namespace tenon {

namespace {

/// Rounds in which an interval grows only as far as stores require, before it is widened.
constexpr int kPatience = 3;
/// Rounds that improve the solution. Each round improves intervals that depend on those of the
/// round before.
constexpr int kMostSweeps = 64;

bool IsTracked(const StorageGroup& group) {
  return !group.fixed && group.dtype.is_integer() && !group.dtype.is_bool();
}

/// Goes through the statements of a function, and tells an analyzer the facts that hold at each.
class StoreWalk {
 public:
  StoreWalk(Analyzer& analyzer, const std::function<void(const BufferStore&, Analyzer&)>& f,
            const std::function<void(Analyzer&)>& between)
      : analyzer_(analyzer), f_(f), between_(between) {}

  void Look(const Stmt* stmt) {
    WithStack([&] {
      if (const auto* store = dyn_cast<BufferStore>(stmt)) return f_(*store, analyzer_);
      if (const auto* loop = dyn_cast<For>(stmt)) return LookAtFor(*loop);
      if (const auto* let = dyn_cast<LetStmt>(stmt)) return LookAtLet(*let);
      ForEachChild(stmt, [&](const Node* child, FieldRole) {
        if (!Stmt::ClassOf(child)) return;
        Look(static_cast<const Stmt*>(child));
        if (scopes_ == 0 && between_ && isa<SeqStmt>(stmt)) between_(analyzer_);
      });
    });
  }

 private:
  void LookAtFor(const For& loop) {
    const Analyzer::Scope scope(analyzer_);
    ++scopes_;
    analyzer_.BindLoop(&loop);
    Look(loop.body);
    --scopes_;
  }

  void LookAtLet(const LetStmt& let) {
    const Analyzer::Scope scope(analyzer_);
    ++scopes_;
    analyzer_.BindValue(let.var, let.value);
    Look(let.body);
    --scopes_;
  }

  Analyzer& analyzer_;
  const std::function<void(const BufferStore&, Analyzer&)>& f_;
  const std::function<void(Analyzer&)>& between_;
  int scopes_ = 0;
};

/// The nearest end of an integer type that is at least `value`; at most `value` if not `up`.
int64_t NextBound(int64_t value, bool up) {
  constexpr int64_t kTops[] = {0,          INT8_MAX,  UINT8_MAX, INT16_MAX,
                               UINT16_MAX, INT32_MAX, UINT32_MAX};
  constexpr int64_t kBottoms[] = {0, INT8_MIN, INT16_MIN, INT32_MIN};
  if (up) {
    const auto* top = std::find_if(std::begin(kTops), std::end(kTops),
                                   [&](int64_t bound) { return value <= bound; });
    return top == std::end(kTops) ? Interval::kPlusInf : *top;
  }
  const auto* bottom = std::find_if(std::begin(kBottoms), std::end(kBottoms),
                                    [&](int64_t bound) { return value >= bound; });
  return bottom == std::end(kBottoms) ? Interval::kMinusInf : *bottom;
}

/// Solves for intervals as in "Abstract interpretation" (Cousot and Cousot, 1977): Grow() widens,
/// Shrink() narrows. Grow() ends since each end of an interval can only widen to the few bounds of
/// NextBound.
class Solver {
 public:
  Solver(const IRModule& module, const StorageGroups& groups, bool replaceable)
      : module_(module),
        replaceable_(replaceable),
        groups_(groups),
        values_(groups.size()),
        growths_(groups.size()),
        stores_(groups.size()),
        changed_(groups.size(), true),
        stale_(groups.size()) {}

  std::vector<Interval> Run() {
    for (size_t i = 0; i < groups_.size(); ++i) values_[i] = AtFirst(groups_[i]);
    for (const Function& function : module_.functions()) CountUses(*function.func);
    Grow();
    for (int sweep = 0; sweep < kMostSweeps && Shrink(); ++sweep) {
    }
    return std::move(values_);
  }

 private:
  Interval AtFirst(const StorageGroup& group) const {
    if (!IsTracked(group) || (replaceable_ && !group.constants.empty()))
      return Interval::OfDType(group.dtype);
    Interval values = Interval::Empty();
    for (const AllocateConst* allocate : group.constants) {
      values = Unite(values, ElementsOf(*allocate->data));
    }
    return values;
  }

  void CountUses(const PrimFunc& func) {
    absl::flat_hash_set<int>& loads = loads_.emplace_back();
    Walk(func.body, [&](const Node* node) {
      if (const auto* load = dyn_cast<BufferLoad>(node)) {
        loads.insert(groups_.Of(load->buffer->data));
      } else if (const auto* store = dyn_cast<BufferStore>(node)) {
        const int group = groups_.Of(store->buffer->data);
        if (group >= 0) ++stores_[static_cast<size_t>(group)];
      }
      return true;
    });
    loads.erase(-1);
  }

  /// Calls `f` with the group and the values of each store to a tracked group. A change in one
  /// outermost statement is known in the next one.
  template <class F>
  void ForEachTracked(size_t function, F&& f) {
    absl::flat_hash_map<size_t, std::vector<const Var*>> pointers;
    for (const StorageGroups::Member& member : groups_.MembersOf(function)) {
      pointers[static_cast<size_t>(member.group)].push_back(member.data);
    }
    changed_here_.clear();
    const auto look = [&](const BufferStore& store, Analyzer& analyzer) {
      const int group = groups_.Of(store.buffer->data);
      if (group < 0 || !IsTracked(groups_[static_cast<size_t>(group)])) return;
      f(static_cast<size_t>(group), analyzer.Bounds(store.value));
    };
    const auto between = [&](Analyzer& analyzer) {
      for (const size_t group : changed_here_) {
        for (const Var* data : pointers[group]) analyzer.BindElements(data, values_[group]);
      }
      changed_here_.clear();
    };
    ForEachStore(module_, function, groups_, values_, look, between);
  }

  void Set(size_t group, Interval values) {
    values_[group] = values;
    changed_[group] = true;
    changed_here_.push_back(group);
  }

  /// Grows intervals until they contain the values of all stores.
  void Grow() {
    for (bool first = true;
         first || std::find(changed_.begin(), changed_.end(), true) != changed_.end();
         first = false) {
      stale_ = std::exchange(changed_, std::vector<bool>(groups_.size()));
      for (size_t i = 0; i < module_.functions().size(); ++i) {
        const bool again = std::any_of(loads_[i].begin(), loads_[i].end(), [&](int group) {
          const auto at = static_cast<size_t>(group);
          return stale_[at] || changed_[at];
        });
        if (!first && !again) continue;
        ForEachTracked(i, [this](size_t group, Interval stored) { GrowOne(group, stored); });
      }
    }
  }

  void GrowOne(size_t group, Interval stored) {
    const Interval& values = values_[group];
    if (values.Contains(stored)) return;
    Interval grown = Unite(values, stored);
    if (++growths_[group] > kPatience) {
      if (grown.min < values.min) grown.min = NextBound(grown.min, false);
      if (grown.max > values.max) grown.max = NextBound(grown.max, true);
    }
    Set(group, Intersect(grown, Interval::OfDType(groups_[group].dtype)));
  }

  /// Recomputes the intervals of stores from the known intervals of loads. These also contain all
  /// values, and narrow intervals that were widened too far; true if one became narrower.
  bool Shrink() {
    std::vector<Interval> now;
    for (size_t i = 0; i < groups_.size(); ++i) now.push_back(AtFirst(groups_[i]));
    std::vector<int64_t> left = stores_;
    bool changed = false;
    for (size_t i = 0; i < module_.functions().size(); ++i) {
      ForEachTracked(i, [&](size_t group, Interval stored) {
        now[group] = Unite(now[group], stored);
        if (--left[group] > 0 || now[group] == values_[group]) return;
        changed = true;
        Set(group, now[group]);
      });
    }
    return changed;
  }

  const IRModule& module_;
  const bool replaceable_;
  const StorageGroups& groups_;
  std::vector<Interval> values_;
  std::vector<int> growths_;
  /// The stores of each group in the text.
  std::vector<int64_t> stores_;
  /// The groups that each function loads from.
  std::vector<absl::flat_hash_set<int>> loads_;
  /// The groups that changed in this round, and in the one before.
  std::vector<bool> changed_;
  std::vector<bool> stale_;
  /// The groups that changed since the analyzer was told.
  std::vector<size_t> changed_here_;
};

}  // namespace

void ForEachStore(const IRModule& module, size_t function, const StorageGroups& groups,
                  const std::vector<Interval>& values,
                  const std::function<void(const BufferStore&, Analyzer&)>& f,
                  const std::function<void(Analyzer&)>& between) {
  Arena arena;
  Analyzer analyzer(module.context(), arena);
  for (const StorageGroups::Member& member : groups.MembersOf(function)) {
    const auto group = static_cast<size_t>(member.group);
    if (IsTracked(groups[group])) analyzer.BindElements(member.data, values[group]);
  }
  StoreWalk(analyzer, f, between).Look(module.functions()[function].func->body);
}

std::vector<Interval> StoredValues(const IRModule& module, const StorageGroups& groups,
                                   bool replaceable) {
  return Solver(module, groups, replaceable).Run();
}

}  // namespace tenon
