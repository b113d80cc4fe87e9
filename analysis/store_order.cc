#include "analysis/store_order.h"

#include <algorithm>
#include <cstdlib>
#include <utility>
#include <vector>

#include "ir/analysis/index_form.h"
#include "ir/thread_binding.h"
#include "ir/visitor.h"
#include "support/arena.h"

namespace tenon {

namespace {

/// Loops further out are taken for unknown.
constexpr size_t kMostLoops = 16;
/// The same of lets.
constexpr size_t kMostLets = 16;

class StoreOrder {
 public:
  void Statement(const Stmt* stmt) {
    WithStack([&] { StatementOf(stmt); });
  }

  absl::flat_hash_set<const Var*> in_order;

 private:
  void StatementOf(const Stmt* stmt) {
    if (const auto* store = dyn_cast<BufferStore>(stmt)) return Store(store);
    const For* loop = dyn_cast<For>(stmt);
    if (const auto* attr = dyn_cast<AttrStmt>(stmt); attr != nullptr && ThreadVar(attr) != nullptr)
      loop = LoopOf(attr);
    if (const auto* let = dyn_cast<LetStmt>(stmt); let != nullptr && let->var->dtype.is_integer())
      lets_.push_back(let);
    if (loop != nullptr) loops_.push_back(loop);
    ForEachChild(stmt, [&](const Node* child, FieldRole) {
      if (Stmt::ClassOf(child)) Statement(static_cast<const Stmt*>(child));
    });
    if (loop != nullptr) loops_.pop_back();
    if (!lets_.empty() && lets_.back() == stmt) lets_.pop_back();
  }

  /// Generated code runs threads one after the other.
  const For* LoopOf(const AttrStmt* attr) {
    const Var* var = ThreadVar(attr);
    return arena_.New<For>(var, arena_.New<IntImm>(var->dtype, 0), attr->value, ForKind::kSerial,
                           attr->body);
  }

  void Store(const BufferStore* store) {
    if (loops_.size() < 2) return;
    const size_t first = loops_.size() - std::min(loops_.size(), kMostLoops);
    IndexForms forms;
    // Digits of a loop have its number as their group; those of lanes have group 0. A loop of
    // unknown extent leaves its variable unknown, which indices may not mention then.
    for (size_t i = first; i < loops_.size(); ++i)
      forms.Enter(loops_[i], /*outer=*/false, static_cast<int>(i + 1));
    const size_t lets = lets_.size() - std::min(lets_.size(), kMostLets);
    for (size_t i = lets; i < lets_.size(); ++i) forms.Bind(lets_[i]->var, lets_[i]->value);
    const std::optional<IndexForm> form = forms.AddressOf(store->buffer, store->indices);
    for (size_t i = first; i + 1 < loops_.size(); ++i) {
      if (form && IsInOrder(forms, *form, static_cast<int>(i + 1), store->buffer->dtype.bytes()))
        continue;
      in_order.insert(loops_[i]->loop_var);
    }
  }

  /// Steps of an address: how far each moves it, and how many there are.
  using Steps = std::vector<std::pair<int64_t, int64_t>>;

  /// The steps reach separate elements, each of `width` bytes: they count in mixed radix.
  static bool AreApart(Steps steps, int64_t width) {
    std::sort(steps.begin(), steps.end());
    for (const auto& [stride, extent] : steps) {
      if (stride < width) return false;
      width += stride * (extent - 1);
    }
    return true;
  }

  /// The loop of that number does not move the address, or each of its iterations has elements of
  /// its own.
  static bool IsInOrder(const IndexForms& forms, const IndexForm& form, int loop, int64_t width) {
    Steps own;
    Steps all;
    int64_t reach = width;  // of the loops inside
    for (size_t d = 0; d < forms.digits().size(); ++d) {
      const IndexForms::Digit& digit = forms.digits()[d];
      if (form.stride(d) == 0 || digit.extent == 1) continue;
      if (digit.group != 0 && digit.group < loop) continue;
      all.emplace_back(std::abs(form.stride(d)), digit.extent);
      if (digit.group == loop) {
        own.push_back(all.back());
      } else {
        reach += all.back().first * (digit.extent - 1);
      }
    }
    return own.empty() || AreApart(std::move(all), width) || AreApart(std::move(own), reach);
  }

  Arena arena_;
  std::vector<const For*> loops_;
  std::vector<const LetStmt*> lets_;
};

}  // namespace

absl::flat_hash_set<const Var*> LoopsThatStoreInOrder(const PrimFunc& func) {
  StoreOrder order;
  order.Statement(func.body);
  return std::move(order.in_order);
}

}  // namespace tenon
