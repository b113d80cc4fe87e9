// Accesses become linear forms over digits, one of which counts the rows of the result. A form is
// cut at a size of rows: terms that are multiples of it choose the row, the others an element of
// the row. Conditions around an access bound the latter: a pad to the left excludes elements of the
// row before.

#include "passes/streaming/row_operator.h"

#include <algorithm>
#include <functional>
#include <set>

#include "absl/container/flat_hash_map.h"
#include "arith/analyzer.h"
#include "arith/interval.h"
#include "ir/analysis/digits.h"
#include "ir/builtins.h"
#include "ir/extents.h"
#include "ir/rewriter.h"
#include "ir/structural.h"
#include "ir/visitor.h"
#include "passes/fusion/region.h"
#include "passes/fusion/top_level.h"
#include "support/stack.h"

namespace tenon {

namespace {

/// The largest distance of rows that is looked for.
constexpr int64_t kMostStride = 8;

/// A condition: the terms of `form`, without its offset, add up to `min` to `max`.
struct RowGuard {
  const Expr* condition = nullptr;
  LinearIndex form;
  int64_t min = INT64_MIN;
  int64_t max = INT64_MAX;
};

struct RowAccess {
  const Var* data = nullptr;
  bool is_store = false;
  std::optional<LinearIndex> element;
  std::vector<RowGuard> guards;
};

/// The part that a condition guards: a statement, or the first one of two values. The accesses in
/// it are `begin`, ..., `end` - 1.
struct GuardedPart {
  const Node* guarded = nullptr;
  const Node* otherwise = nullptr;
  std::vector<RowGuard> guards;
  size_t begin = 0;
  size_t end = 0;
};

/// Collects the accesses of a nest to parameters.
class RowAccesses : public Visitor<RowAccesses> {
 public:
  RowAccesses(Digits& digits, FormBuilder& forms,
              const absl::flat_hash_map<const Var*, size_t>& params)
      : digits_(digits), forms_(forms), params_(params) {}

  std::vector<RowAccess> accesses;
  std::vector<GuardedPart> parts;
  bool refused = false;

  void VisitFor(const For* loop) {
    refused |= loop->for_kind != ForKind::kSerial && loop->for_kind != ForKind::kUnrolled;
    if (!forms_.Enter(loop)) refused = true;
    Visit(loop->body);
    forms_.Leave(loop);
  }
  void VisitWhile(const While*) { refused = true; }
  void VisitLetStmt(const LetStmt*) { refused = true; }
  void VisitLet(const Let*) { refused = true; }
  void VisitAttrStmt(const AttrStmt*) { refused = true; }
  void VisitIfThenElse(const IfThenElse* branch) {
    Visit(branch->condition);
    InArms(branch->condition, branch->then_case, branch->else_case);
  }
  void VisitCall(const Call* call) {
    if (call->op->kind != OpKind::kIfThenElse) return VisitChildren(call);
    Visit(call->args[0]);
    InArms(call->args[0], call->args[1], call->args[2]);
  }
  void VisitBufferLoad(const BufferLoad* load) {
    VisitChildren(load);
    Add(load->buffer, load->indices, false);
  }
  void VisitBufferStore(const BufferStore* store) {
    VisitChildren(store);
    Add(store->buffer, store->indices, true);
  }
  void VisitBuffer(const Buffer*) {}

 private:
  void InArms(const Expr* condition, const Node* then_case, const Node* else_case) {
    const size_t before = guards_.size();
    const size_t multiples = forms_.multiples.size();
    AddGuards(condition, true);
    GuardedPart part{then_case, else_case, {}, accesses.size(), 0};
    part.guards.assign(guards_.begin() + static_cast<int64_t>(before), guards_.end());
    Visit(then_case);
    forms_.multiples.resize(multiples);
    part.end = accesses.size();
    parts.push_back(std::move(part));
    guards_.resize(before);
    AddGuards(condition, false);
    Visit(else_case);
    guards_.resize(before);
  }

  /// Adds what is known if `condition` is `holds`.
  void AddGuards(const Expr* condition, bool holds) {
    if (const auto* call = dyn_cast<Call>(condition);
        call != nullptr && call->op->kind == OpKind::kLikely)
      return AddGuards(call->args[0], holds);
    if (const auto* negation = dyn_cast<Not>(condition)) return AddGuards(negation->a, !holds);
    if (const auto* both = dyn_cast<And>(condition); both != nullptr && holds) {
      WithStack([&] { AddGuards(both->a, true); });
      return AddGuards(both->b, true);
    }
    if (const auto* either = dyn_cast<Or>(condition); either != nullptr && !holds) {
      WithStack([&] { AddGuards(either->a, false); });
      return AddGuards(either->b, false);
    }
    if (holds) AddMultiple(condition);
    const auto* comparison = dyn_cast<BinaryExpr>(condition);
    if (comparison == nullptr || !comparison->a->dtype.is_int()) return;
    const auto a = forms_.Evaluate(comparison->a, LinearIndex(), {});
    const auto b = forms_.Evaluate(comparison->b, LinearIndex(), {});
    if (!a || !b) return;
    LinearIndex difference = digits_.Normalised(*a);
    if (!digits_.Accumulate(difference, digits_.Normalised(*b), -1) || difference.divisor != 1)
      return;
    RowGuard guard{condition, difference};
    switch (comparison->kind) {
      case NodeKind::kLT:
        holds ? guard.max = -1 : guard.min = 0;
        break;
      case NodeKind::kLE:
        holds ? guard.max = 0 : guard.min = 1;
        break;
      case NodeKind::kGT:
        holds ? guard.min = 1 : guard.max = 0;
        break;
      case NodeKind::kGE:
        holds ? guard.min = 0 : guard.max = -1;
        break;
      case NodeKind::kEQ:
        if (!holds) return;
        guard.min = guard.max = 0;
        break;
      default:
        return;
    }
    if (guard.min != INT64_MIN) guard.min -= difference.offset;
    if (guard.max != INT64_MAX) guard.max -= difference.offset;
    guard.form.offset = 0;
    guards_.push_back(std::move(guard));
  }

  /// Adds what `x % d == 0` says.
  void AddMultiple(const Expr* condition) {
    const auto* equal = dyn_cast<EQ>(condition);
    const auto* rest = equal != nullptr ? dyn_cast<BinaryExpr>(equal->a) : nullptr;
    if (rest == nullptr || !IsConstInt(equal->b, 0)) return;
    if (rest->kind != NodeKind::kFloorMod && rest->kind != NodeKind::kMod) return;
    const int64_t* divisor = AsIntImm(rest->b);
    const auto form = forms_.Evaluate(rest->a, LinearIndex(), {});
    if (divisor != nullptr && *divisor > 1 && form)
      forms_.multiples.push_back({digits_.Normalised(*form), *divisor});
  }

  void Add(const Buffer* buffer, Span<const Expr*> indices, bool is_store) {
    if (!params_.contains(buffer->data)) return;
    RowAccess access{buffer->data, is_store, std::nullopt, guards_};
    access.element = forms_.ElementOf(buffer, indices, LinearIndex(), {});
    accesses.push_back(std::move(access));
  }

  Digits& digits_;
  FormBuilder& forms_;
  const absl::flat_hash_map<const Var*, size_t>& params_;
  std::vector<RowGuard> guards_;
};

/// The parameter that each data pointer belongs to; nullopt if a parameter is not memory.
std::optional<absl::flat_hash_map<const Var*, size_t>> ParamsByData(const PrimFunc& func) {
  absl::flat_hash_map<const Var*, size_t> params;
  for (size_t i = 0; i < func.params.size(); ++i) {
    if (func.buffers[i] == nullptr || !CompactShape(*func.buffers[i])) return std::nullopt;
    params.emplace(func.buffers[i]->data, i);
  }
  return params;
}

int64_t ElementsOfParam(const PrimFunc& func, size_t param) {
  return StaticCount(func.buffers[param]->shape).value_or(0);
}

/// Replaces the loads of an operand by an integer.
class RowPadder : public Rewriter<RowPadder> {
 public:
  RowPadder(Context& context, const std::shared_ptr<Storage>& storage, const Var* data,
            int64_t value)
      : Rewriter(context, storage),
        analyzer_(context, storage->arena()),
        data_(data),
        value_(value) {}

  const Expr* Simple(const Expr* expr) { return analyzer_.Simplify(RewriteExpr(expr)); }
  /// True if the store stores what is there already.
  bool Keeps(const BufferStore& store) {
    if (store.predicate != nullptr) return false;
    const auto* load = dyn_cast<BufferLoad>(Simple(store.value));
    return load != nullptr && load->buffer == store.buffer && load->predicate == nullptr &&
           load->indices.size() == 1 && StructuralEqual(load->indices[0], Simple(store.indices[0]));
  }

  const Expr* RewriteBufferLoad(const BufferLoad* load) {
    if (load->buffer->data != data_) return RewriteChildren(load);
    return builder().Int(load->dtype, value_);
  }

 private:
  Analyzer analyzer_;
  const Var* data_;
  const int64_t value_;
};

/// Finds the conditions that are not needed if rows outside of an operand exist.
class RowPads {
 public:
  using FirstRowOf = std::function<std::optional<int64_t>(const RowAccess&, int64_t)>;

  RowPads(Context& context, const Digits& digits, int row_digit,
          const std::vector<RowAccess>& accesses, const std::vector<GuardedPart>& parts,
          FirstRowOf first_row_of)
      : context_(context),
        digits_(digits),
        row_digit_(row_digit),
        accesses_(accesses),
        parts_(parts),
        first_row_of_(std::move(first_row_of)) {}

  /// Completes the window of an operand with so many rows.
  void Find(const Buffer& buffer, int64_t rows, RowWindow& window) const {
    const Var* data = buffer.data;
    std::vector<const GuardedPart*> guarding;
    std::vector<const Expr*> implied;
    for (const GuardedPart& part : parts_) {
      const size_t before = implied.size();
      for (const RowGuard& guard : part.guards) {
        if (guard.form.stride(row_digit_) != 0 && IsImplied(guard, part, data, rows, window))
          implied.push_back(guard.condition);
      }
      if (implied.size() > before) guarding.push_back(&part);
    }
    if (guarding.empty()) return;
    for (const int64_t value : Candidates(guarding)) {
      const bool all = FitsDType({value, value}, buffer.dtype) &&
                       std::all_of(guarding.begin(), guarding.end(), [&](const auto* part) {
                         return ChangesNothing(*part, data, value);
                       });
      if (!all) continue;
      window.pad = value;
      window.implied = std::move(implied);
      return;
    }
  }

 private:
  /// True if the guard says no more than that a row of the operand exists, the one that is read.
  bool IsImplied(const RowGuard& guard, const GuardedPart& part, const Var* data, int64_t rows,
                 const RowWindow& window) const {
    bool reads = false;
    for (size_t i = part.begin; i < part.end; ++i) {
      const RowAccess& access = accesses_[i];
      if (access.data != data) continue;
      if (access.is_store || !access.element || access.element->divisor != 1) return false;
      LinearIndex row;
      for (const auto& [digit, stride] : access.element->terms) {
        if (stride % window.row_elements == 0)
          row.terms.emplace_back(digit, stride / window.row_elements);
      }
      if (row.terms != guard.form.terms) return false;
      const std::optional<Bounds> bounds = digits_.BoundsOf(row);
      const std::optional<int64_t> own = first_row_of_(access, window.row_elements);
      if (!bounds || !own) return false;
      // Row 0 of the result and the least digits read row `own`.
      const int64_t shift = *own - bounds->min;
      if (guard.min != INT64_MIN && guard.min + shift > 0) return false;
      if (guard.max != INT64_MAX && guard.max + shift < rows - 1) return false;
      reads = true;
    }
    return reads;
  }

  /// Integers that may be neutral: zero, and the numbers of the guarded expressions.
  static std::set<int64_t> Candidates(const std::vector<const GuardedPart*>& parts) {
    constexpr size_t kMost = 32;
    std::set<int64_t> values = {0};
    for (const GuardedPart* part : parts) {
      Walk(part->guarded, [&](const Node* node) {
        const auto* number = dyn_cast<IntImm>(node);
        if (number != nullptr && number->value > -65536 && number->value < 65536) {
          values.insert(number->value);
          values.insert(-number->value);
        }
        return values.size() < kMost && !isa<Buffer>(node);
      });
    }
    return values;
  }

  bool ChangesNothing(const GuardedPart& part, const Var* data, int64_t value) const {
    auto storage = std::make_shared<Storage>();
    RowPadder padder(context_, storage, data, value);
    if (const auto* expr = AsExpr(part.guarded)) {
      const auto* other = AsExpr(part.otherwise);
      return other != nullptr && StructuralEqual(padder.Simple(expr), padder.Simple(other));
    }
    if (part.otherwise != nullptr) return false;
    bool same = true;
    Walk(part.guarded, [&](const Node* node) {
      if (const auto* store = dyn_cast<BufferStore>(node)) same = same && padder.Keeps(*store);
      return same && !isa<Buffer>(node);
    });
    return same;
  }

  static const Expr* AsExpr(const Node* node) {
    return node != nullptr && isa<Expr>(node) ? static_cast<const Expr*>(node) : nullptr;
  }

  Context& context_;
  const Digits& digits_;
  const int row_digit_;
  const std::vector<RowAccess>& accesses_;
  const std::vector<GuardedPart>& parts_;
  const FirstRowOf first_row_of_;
};

/// One number of rows of one function.
class RowFinder {
 public:
  RowFinder(Context& context, const Function& function, int64_t rows)
      : context_(context), func_(*function.func) {
    result_.function = &function;
    result_.rows = rows;
  }

  std::optional<RowOperator> Find() {
    if (!FindNest() || !FindAccesses()) return std::nullopt;
    if (!CheckStores() || !FindReads() || !FindLimits()) return std::nullopt;
    return result_;
  }

  /// The rows that a division of the counter of rows suggests; 0 if there is none.
  int64_t split_rows() const { return split_rows_; }

 private:
  bool FindNest() {
    const TopLevel top = SplitTopLevel(func_.body);
    for (const Stmt* binding : top.bindings) {
      if (!isa<AllocateConst>(binding)) return false;
    }
    for (const Stmt* stmt : top.statements) {
      if (!AddNest(NestOf(stmt))) return false;
    }
    return result_.rows > 1 && !result_.nests.empty();
  }

  bool AddNest(const Nest& nest) {
    for (size_t depth = 1; depth <= nest.loops.size(); ++depth) {
      const int64_t count = nest.Count(depth);
      if (count % result_.rows != 0) continue;
      result_.nests.push_back({nest, depth, count / result_.rows});
      return true;
    }
    return false;
  }

  bool FindAccesses() {
    const auto params = ParamsByData(func_);
    if (!params) return false;
    params_ = *params;
    row_ = digits_.Count(result_.rows, 1);
    RowAccesses found(digits_, forms_, params_);
    for (const RowNest& nest : result_.nests) {
      if (!FindAccessesOf(nest, found)) return false;
    }
    const std::vector<int> leaves = digits_.Leaves(row_.terms.front().first);
    if (leaves.size() > 1) {
      split_rows_ = digits_.extent(leaves.front());
      return false;
    }
    accesses_ = std::move(found.accesses);
    parts_ = std::move(found.parts);
    for (RowAccess& access : accesses_) {
      if (access.element) digits_.Normalise(*access.element);
      for (RowGuard& guard : access.guards) digits_.Normalise(guard.form);
    }
    for (GuardedPart& part : parts_) {
      for (RowGuard& guard : part.guards) digits_.Normalise(guard.form);
    }
    return true;
  }

  bool FindAccessesOf(const RowNest& rows, RowAccesses& found) {
    const StmtAccesses all = AccessesOf(rows.nest.loops.front());
    if (all.is_opaque) return false;
    for (const auto& [data, use] : all.pointers) {
      if (use.escapes || !use.is_plain) return false;
    }
    LinearIndex count;
    if (!digits_.Accumulate(count, row_, rows.steps) ||
        !digits_.Accumulate(count, digits_.Count(rows.steps, 2), 1))
      return false;
    const Span<const For*> outer(rows.nest.loops.data(), rows.depth);
    if (!forms_.EnterAll(outer, count)) return false;
    found.Visit(outer.back()->body);
    for (const For* loop : outer) forms_.Leave(loop);
    return !found.refused;
  }

  int RowDigit() const { return row_.terms.front().first; }

  /// Every store and load of the result is in its row.
  bool CheckStores() {
    const Var* output = nullptr;
    for (const RowAccess& access : accesses_) {
      if (!access.is_store) continue;
      if (output != nullptr && output != access.data) return false;
      output = access.data;
    }
    if (output == nullptr) return false;
    result_.output = params_.at(output);
    const int64_t elements = ElementsOfParam(func_, result_.output);
    if (elements == 0) return false;
    result_.accumulates =
        std::all_of(accesses_.begin(), accesses_.end(), [&](const RowAccess& access) {
          return access.data != output ||
                 (access.element && access.element->stride(RowDigit()) == 0);
        });
    result_.row_elements = elements;
    if (result_.accumulates) return true;
    if (elements % result_.rows != 0) return false;
    result_.row_elements = elements / result_.rows;
    return std::all_of(accesses_.begin(), accesses_.end(), [&](const RowAccess& access) {
      if (access.data != output) return true;
      const auto window = WindowOf(access, result_.row_elements);
      return window && window->stride == 1 && window->first == 0 && window->count == 1;
    });
  }

  /// The bounds of a form where the guards from `from` on hold.
  std::optional<Bounds> BoundsOf(const LinearIndex& form, const std::vector<RowGuard>& guards,
                                 size_t from = 0) const {
    std::optional<Bounds> bounds = digits_.BoundsOf(form);
    for (size_t i = from; bounds && i < guards.size(); ++i) {
      const RowGuard& guard = guards[i];
      if (guard.form.terms.empty()) continue;
      const int64_t of_first = form.stride(guard.form.terms.front().first);
      const int64_t scale = of_first / guard.form.terms.front().second;
      if (scale == 0) continue;
      const bool contained = std::all_of(
          guard.form.terms.begin(), guard.form.terms.end(),
          [&](const auto& term) { return form.stride(term.first) == scale * term.second; });
      if (!contained) continue;
      LinearIndex rest = form;
      rest.Drop([&](int digit) { return guard.form.stride(digit) != 0; });
      const std::optional<Bounds> other = BoundsOf(rest, guards, i + 1);
      std::optional<Bounds> guarded = digits_.BoundsOf(guard.form);
      if (!other || !guarded) continue;
      guarded = Bounds{std::max(guarded->min, guard.min), std::min(guarded->max, guard.max)};
      if (guarded->min > guarded->max) return Bounds{0, 0};
      const int64_t ends[] = {scale * guarded->min, scale * guarded->max};
      bounds->min = std::max(bounds->min, std::min(ends[0], ends[1]) + other->min);
      bounds->max = std::min(bounds->max, std::max(ends[0], ends[1]) + other->max);
    }
    return bounds;
  }

  /// The rows of an access if rows have so many elements.
  std::optional<RowWindow> WindowOf(const RowAccess& access, int64_t row_elements) const {
    if (!access.element) return std::nullopt;
    const int64_t divisor = access.element->divisor;
    const int64_t stride = access.element->stride(RowDigit()) / divisor;
    if (stride <= 0 || stride % row_elements != 0 ||
        access.element->stride(RowDigit()) % divisor != 0)
      return std::nullopt;
    LinearIndex rest = *access.element;
    rest.divisor = 1;
    rest.Drop([&](int digit) { return digit == RowDigit(); });
    const std::optional<Bounds> bounds = BoundsOf(rest, access.guards);
    if (!bounds) return std::nullopt;
    const int64_t first = FloorDivide(bounds->min, row_elements * divisor);
    const int64_t count = FloorDivide(bounds->max, row_elements * divisor) - first + 1;
    return RowWindow{row_elements, stride / row_elements, first, count, std::nullopt, {}};
  }

  /// The first row that an access reads for row 0 of the result, if its terms choose either a row
  /// or an element of the row.
  std::optional<int64_t> FirstRowOf(const RowAccess& access, int64_t row_elements) const {
    LinearIndex rows;
    LinearIndex columns;
    for (const auto& [digit, of] : access.element->terms) {
      if (digit == RowDigit()) continue;
      LinearIndex& part = of % row_elements == 0 ? rows : columns;
      part.terms.emplace_back(digit, of);
    }
    const std::optional<Bounds> column = BoundsOf(columns, access.guards);
    const std::optional<Bounds> row = digits_.BoundsOf(rows);
    if (!column || !row) return std::nullopt;
    const int64_t offset = access.element->offset;
    const int64_t shift = FloorDivide(column->min + offset, row_elements);
    if (column->max + offset - shift * row_elements >= row_elements) return std::nullopt;
    return row->min / row_elements + shift;
  }

  bool FindReads() {
    for (size_t param = 0; param < func_.params.size(); ++param) {
      if (param == result_.output) continue;
      const Var* data = func_.buffers[param]->data;
      std::vector<const RowAccess*> reads;
      for (const RowAccess& access : accesses_) {
        if (access.data == data) reads.push_back(&access);
      }
      RowRead read{param, ElementsOfParam(func_, param), {}};
      if (read.elements == 0) return false;
      if (!reads.empty()) FindWindows(reads, read);
      result_.reads.push_back(std::move(read));
    }
    return true;
  }

  void FindWindows(const std::vector<const RowAccess*>& reads, RowRead& read) const {
    std::set<int64_t, std::greater<>> sizes = {1};
    for (const RowAccess* access : reads) {
      if (!access->element) return;
      const int64_t divisor = access->element->divisor;
      for (const auto& [digit, stride] : access->element->terms)
        sizes.insert(std::max<int64_t>(std::abs(stride) / divisor, 1));
      // A window of one row shows only the distance of the rows that it reads.
      const int64_t step = access->element->stride(RowDigit()) / divisor;
      for (int64_t rows = 2; step > 0 && rows <= kMostStride; ++rows) {
        if (step % rows == 0) sizes.insert(step / rows);
      }
    }
    for (const int64_t size : sizes) {
      if (read.elements % size != 0) continue;
      std::optional<RowWindow> all = WindowOf(*reads.front(), size);
      for (size_t i = 1; all && i < reads.size(); ++i) all = Hull(*all, WindowOf(*reads[i], size));
      if (!all) continue;
      const RowPads pads(context_, digits_, RowDigit(), accesses_, parts_,
                         [this](const RowAccess& access, int64_t row_elements) {
                           return FirstRowOf(access, row_elements);
                         });
      if (func_.buffers[read.param]->dtype.is_integer())
        pads.Find(*func_.buffers[read.param], read.elements / size, *all);
      read.windows.push_back(*all);
    }
    // The fewest elements first, then the largest rows.
    std::stable_sort(read.windows.begin(), read.windows.end(),
                     [](const RowWindow& a, const RowWindow& b) {
                       return a.count * a.row_elements < b.count * b.row_elements;
                     });
  }

  static std::optional<RowWindow> Hull(const RowWindow& a, const std::optional<RowWindow>& b) {
    if (!b || a.stride != b->stride) return std::nullopt;
    const int64_t first = std::min(a.first, b->first);
    const int64_t end = std::max(a.first + a.count, b->first + b->count);
    return RowWindow{a.row_elements, a.stride, first, end - first, std::nullopt, {}};
  }

  bool FindLimits() {
    for (const GuardedPart& part : parts_) {
      for (const RowGuard& guard : part.guards) {
        const int64_t stride = guard.form.stride(RowDigit());
        if (stride == 0) continue;
        if (stride < 0) return false;
        LinearIndex rest = guard.form;
        rest.Drop([&](int digit) { return digit == RowDigit(); });
        const std::optional<Bounds> bounds = digits_.BoundsOf(rest);
        if (!bounds) return false;
        RowLimit limit{guard.condition, 0, result_.rows - 1};
        if (guard.min != INT64_MIN)
          limit.first = std::max(limit.first, -FloorDivide(bounds->min - guard.min, stride));
        if (guard.max != INT64_MAX)
          limit.last = std::min(limit.last, FloorDivide(guard.max - bounds->max, stride));
        result_.limits.push_back(limit);
      }
    }
    return true;
  }

  Context& context_;
  const PrimFunc& func_;
  RowOperator result_;
  int64_t split_rows_ = 0;
  absl::flat_hash_map<const Var*, size_t> params_;
  Digits digits_;
  FormBuilder forms_{digits_};
  LinearIndex row_;
  std::vector<RowAccess> accesses_;
  std::vector<GuardedPart> parts_;
};

}  // namespace

const RowOperator* RowOperators::Find(const Function& function, int64_t rows) {
  const auto [found, is_new] = found_.try_emplace({function.func, rows});
  if (is_new && rows > 1) found->second = RowFinder(context_, function, rows).Find();
  return found->second ? &*found->second : nullptr;
}

int64_t RowOperators::NaturalRows(const Function& function) {
  const auto [found, is_new] = natural_.try_emplace(function.func, 0);
  if (!is_new) return found->second;
  const TopLevel top = SplitTopLevel(function.func->body);
  if (top.statements.empty()) return 0;
  const Nest nest = NestOf(top.statements[0]);
  size_t depth = 1;
  while (depth <= nest.loops.size() && nest.Count(depth) == 1) ++depth;
  if (depth > nest.loops.size()) return 0;
  int64_t rows = nest.Count(depth);
  // Each division of the counter leaves fewer rows.
  while (rows > 1) {
    RowFinder finder(context_, function, rows);
    if (std::optional<RowOperator> result = finder.Find()) {
      found_[{function.func, rows}] = std::move(result);
      found->second = rows;
      break;
    }
    rows = finder.split_rows() < rows ? finder.split_rows() : 0;
  }
  return found->second;
}

}  // namespace tenon
