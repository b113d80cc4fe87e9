// A simpler test than loop_independence.h, for whole functions of any size: bounded time for each
// store, and answers for all loops at once. In doubt, a loop keeps its order.

#include "analysis/store_order.h"

#include <algorithm>
#include <cstdlib>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "ir/analysis/digits.h"
#include "ir/thread_binding.h"
#include "ir/visitor.h"
#include "support/arena.h"

namespace tenon {

namespace {

/// With more loops around a store, the outermost ones keep their order.
constexpr size_t kMostLoops = 16;
/// Larger indices or pointers are unknown.
constexpr int kMostIndexNodes = 512;

class StoreOrder {
 public:
  void Statement(const Stmt* stmt) {
    WithStack([&] { StatementOf(stmt); });
  }

  absl::flat_hash_set<const Var*> in_order;

 private:
  /// The variables of an expression, including those of its lets.
  struct Mentions {
    /// Each let comes after the lets that its value mentions.
    std::vector<const Var*> lets;
    absl::flat_hash_set<const Var*> seen;
    /// The number of the innermost loop, from 1; 0 without loops.
    size_t loop = 0;
    int budget = kMostIndexNodes;
  };

  void StatementOf(const Stmt* stmt) {
    if (const auto* store = dyn_cast<BufferStore>(stmt)) return Store(store);
    const For* loop = dyn_cast<For>(stmt);
    if (const auto* attr = dyn_cast<AttrStmt>(stmt); attr != nullptr && ThreadVar(attr) != nullptr)
      loop = LoopOf(attr);
    if (loop != nullptr) return Loop(loop, stmt);
    const auto* let = dyn_cast<LetStmt>(stmt);
    if (let != nullptr) lets_[let->var] = let->value;
    Children(stmt);
    if (let != nullptr) lets_.erase(let->var);
  }

  void Loop(const For* loop, const Stmt* stmt) {
    const size_t deepest_outside = std::exchange(deepest_store_, 0);
    loops_.push_back(loop);
    numbers_[loop->loop_var] = loops_.size();
    Children(stmt);
    if (deepest_store_ >= loops_.size() + kMostLoops) in_order.insert(loop->loop_var);
    numbers_.erase(loop->loop_var);
    loops_.pop_back();
    deepest_store_ = std::max(deepest_store_, deepest_outside);
  }

  void Children(const Stmt* stmt) {
    ForEachChild(stmt, [&](const Node* child, FieldRole) {
      if (Stmt::ClassOf(child)) Statement(static_cast<const Stmt*>(child));
    });
  }

  /// Generated code runs threads one after another.
  const For* LoopOf(const AttrStmt* attr) {
    const Var* var = ThreadVar(attr);
    return arena_.New<For>(var, arena_.New<IntImm>(var->dtype, 0), attr->value, ForKind::kSerial,
                           attr->body);
  }

  void Collect(const Expr* expr, Mentions& found) const {
    Walk(expr, [&](const Node* node) {
      if (--found.budget < 0) return false;
      const auto* var = dyn_cast<Var>(node);
      if (var == nullptr) return true;
      if (const auto number = numbers_.find(var); number != numbers_.end())
        found.loop = std::max(found.loop, number->second);
      const auto let = lets_.find(var);
      if (let == lets_.end() || !found.seen.insert(var).second) return true;
      Collect(let->second, found);
      found.lets.push_back(var);
      return true;
    });
  }

  /// Loops up to this number, from 1, move a buffer's memory; 0 if none does.
  size_t LoopsThatMove(const Var* data) const {
    const auto let = lets_.find(data);
    if (let == lets_.end()) return 0;
    Mentions found;
    Collect(let->second, found);
    return found.budget < 0 ? loops_.size() : found.loop;
  }

  void Store(const BufferStore* store) {
    deepest_store_ = std::max(deepest_store_, loops_.size());
    if (loops_.size() < 2) return;
    const size_t first = loops_.size() - std::min(loops_.size(), kMostLoops);
    Digits digits;
    FormBuilder forms(digits);
    // Digits of a loop have its number as their group; those of lanes have group 0. A loop of
    // unknown extent leaves its variable undefined, so indices may not mention it.
    for (size_t i = first; i < loops_.size(); ++i) forms.Enter(loops_[i], static_cast<int>(i + 1));
    Mentions found;
    for (const Expr* index : store->indices) Collect(index, found);
    for (const Var* var : found.lets) forms.Define(var, lets_.at(var));
    const std::optional<LinearIndex> form = forms.AddressOf(store->buffer, store->indices);
    const size_t moving = LoopsThatMove(store->buffer->data);
    for (size_t i = first; i + 1 < loops_.size(); ++i) {
      if (form && i >= moving &&
          IsInOrder(digits, *form, static_cast<int>(i + 1), store->buffer->dtype.bytes()))
        continue;
      in_order.insert(loops_[i]->loop_var);
    }
  }

  /// True if loop number `loop` does not move the address, or if its iterations reach different
  /// elements. The latter requires that the digits below the loop's lowest digit together reach
  /// less than its stride, and that this and all higher digits count in mixed radix.
  static bool IsInOrder(const Digits& digits, const LinearIndex& form, int loop, int64_t width) {
    struct Step {
      int64_t stride;
      int64_t extent;
      bool is_of_loop;
    };
    std::vector<Step> steps;
    for (const auto& [digit, stride] : form.terms) {
      const int group = digits.group(digit);
      if (group == 0 || group >= loop)
        steps.push_back({std::abs(stride), digits.extent(digit), group == loop});
    }
    std::sort(steps.begin(), steps.end(),
              [](const Step& a, const Step& b) { return a.stride < b.stride; });
    int64_t covered = width;
    bool moves = false;
    for (const Step& step : steps) {
      moves |= step.is_of_loop;
      if (moves && step.stride < covered) return false;
      covered += step.stride * (step.extent - 1);
    }
    return true;
  }

  Arena arena_;
  std::vector<const For*> loops_;
  absl::flat_hash_map<const Var*, size_t> numbers_;
  absl::flat_hash_map<const Var*, const Expr*> lets_;
  /// The number of loops around the deepest store so far in the innermost loop.
  size_t deepest_store_ = 0;
};

}  // namespace

absl::flat_hash_set<const Var*> LoopsThatStoreInOrder(const PrimFunc& func) {
  StoreOrder order;
  order.Statement(func.body);
  return std::move(order.in_order);
}

}  // namespace tenon
