// Each statement becomes a list of numbers without the constants of its indices. Neighbours with
// equal lists are iterations, if their constants fit a lattice of up to three dimensions.

#include "analysis/reroll.h"

#include <algorithm>
#include <bit>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "ir/analysis/node_queries.h"
#include "ir/builtins.h"
#include "ir/const_fold.h"
#include "ir/rewriter.h"

namespace tenon {

namespace {

/// The longest group of repeating statements.
constexpr size_t kMostPeriod = 16;
constexpr size_t kMostLevels = 3;

bool IsIndex(DataType dtype) { return dtype.is_int() && dtype.lanes() == 1 && dtype.bits() >= 32; }

bool IsComparisonOfIndices(const BinaryExpr* binary) {
  return IsComparison(binary->kind) && IsIndex(binary->a->dtype);
}

/// A statement as a list of numbers, without the constants of its indices, and these constants in
/// the order of SlotRewriter: an index follows the indices inside it.
class Shape {
 public:
  explicit Shape(const Stmt* stmt) { Write(stmt); }

  bool operator==(const Shape& other) const {
    return good && other.good && numbers == other.numbers;
  }

  std::vector<uint64_t> numbers;
  std::vector<int64_t> constants;
  bool good = true;

 private:
  void Put(uint64_t number) { numbers.push_back(number); }
  void Put(const void* pointer) { Put(reinterpret_cast<uintptr_t>(pointer)); }
  void Put(DataType dtype) {
    Put(static_cast<uint64_t>(dtype.code()) << 32 | static_cast<uint64_t>(dtype.bits()) << 16 |
        static_cast<uint64_t>(static_cast<uint16_t>(dtype.lanes())));
  }

  /// The statement's own variables are numbered in the order of their definitions.
  void Define(const Var* var) { own_.emplace(var, own_.size()); }
  void PutVar(const Var* var) {
    const auto found = own_.find(var);
    if (found == own_.end()) return Put(var);
    Put(uint64_t{1});
    Put(static_cast<uint64_t>(found->second));
  }

  void PutBuffer(const Buffer* buffer) {
    PutVar(buffer->data);
    Put(buffer->dtype);
    Put(buffer->shape.size());
    for (const Expr* stride : buffer->strides) Write(stride);
    if (buffer->elem_offset != nullptr) Write(buffer->elem_offset);
    // With a single dimension, the extent does not affect the places of elements.
    for (size_t i = 1; i < buffer->shape.size(); ++i) Write(buffer->shape[i]);
  }

  void PutIndex(const Expr* expr) {
    if (const auto* ramp = dyn_cast<Ramp>(expr)) {
      Put(static_cast<uint64_t>(ramp->kind));
      Put(ramp->dtype);
      PutIndex(ramp->base);
      return Write(ramp->stride);
    }
    if (!IsIndex(expr->dtype)) return Write(expr);
    const OffsetValue slot = SplitOffset(expr);
    Put(expr->dtype);
    if (slot.base != nullptr) {
      Write(slot.base);
    } else {
      Put(uint64_t{2});
    }
    constants.push_back(slot.offset);
  }

  void Write(const Node* node) {
    if (node == nullptr) return Put(uint64_t{0});
    WithStack([&] { WriteHere(node); });
  }

  void WriteHere(const Node* node) {
    Put(static_cast<uint64_t>(node->kind));
    const Expr* expr = AsExpr(node);
    if (expr == nullptr) return WriteStmt(node);
    Put(expr->dtype);
    if (node->kind >= NodeKind::kAdd && node->kind <= NodeKind::kOr)
      return WriteBinary(static_cast<const BinaryExpr*>(expr));
    switch (node->kind) {
      case NodeKind::kIntImm:
        return Put(static_cast<uint64_t>(cast<IntImm>(node)->value));
      case NodeKind::kFloatImm:
        return Put(std::bit_cast<uint64_t>(cast<FloatImm>(node)->value));
      case NodeKind::kVar:
        return PutVar(cast<Var>(node));
      case NodeKind::kBufferLoad: {
        const auto* load = cast<BufferLoad>(node);
        good = good && load->predicate == nullptr;
        PutBuffer(load->buffer);
        for (const Expr* index : load->indices) PutIndex(index);
        return;
      }
      case NodeKind::kCall: {
        const auto* call = cast<Call>(node);
        good = good && call->op->effect == OpEffect::kPure;
        Put(call->op);
        Put(call->args.size());
        for (const Expr* arg : call->args) Write(arg);
        return;
      }
      case NodeKind::kCast:
        return Write(cast<Cast>(node)->value);
      case NodeKind::kNot:
        return Write(cast<Not>(node)->a);
      case NodeKind::kBroadcast:
        return Write(cast<Broadcast>(node)->value);
      case NodeKind::kRamp:
        Write(cast<Ramp>(node)->base);
        return Write(cast<Ramp>(node)->stride);
      case NodeKind::kSelect:
        Write(cast<Select>(node)->condition);
        Write(cast<Select>(node)->true_value);
        return Write(cast<Select>(node)->false_value);
      default:
        good = false;
    }
  }

  void WriteBinary(const BinaryExpr* binary) {
    if (IsComparisonOfIndices(binary)) {
      PutIndex(binary->a);
      PutIndex(binary->b);
    } else {
      Write(binary->a);
      Write(binary->b);
    }
  }

  void WriteStmt(const Node* node) {
    switch (node->kind) {
      case NodeKind::kBufferStore: {
        const auto* store = cast<BufferStore>(node);
        good = good && store->predicate == nullptr;
        PutBuffer(store->buffer);
        for (const Expr* index : store->indices) PutIndex(index);
        return Write(store->value);
      }
      case NodeKind::kFor: {
        const auto* loop = cast<For>(node);
        Put(static_cast<uint64_t>(loop->for_kind));
        Write(loop->min);
        Write(loop->extent);
        Define(loop->loop_var);
        return Write(loop->body);
      }
      case NodeKind::kIfThenElse:
        Write(cast<IfThenElse>(node)->condition);
        Write(cast<IfThenElse>(node)->then_case);
        return Write(cast<IfThenElse>(node)->else_case);
      case NodeKind::kSeqStmt:
        Put(cast<SeqStmt>(node)->seq.size());
        for (const Stmt* child : cast<SeqStmt>(node)->seq) Write(child);
        return;
      case NodeKind::kDeclBuffer:
        return Write(cast<DeclBuffer>(node)->body);
      default:
        good = false;
    }
  }

  static const Expr* AsExpr(const Node* node) {
    switch (node->kind) {
#define TENON_EXPR(Name)  \
  case NodeKind::k##Name: \
    return static_cast<const Expr*>(node);
#include "ir/nodes.def"
      default:
        return nullptr;
    }
  }

  absl::flat_hash_map<const Var*, size_t> own_;
};

/// The pattern of the constants of repeated statements: `base + sum(steps[level] * u[level])`.
struct Lattice {
  struct Level {
    size_t extent = 0;
    std::vector<int64_t> steps;
  };
  std::vector<int64_t> base;
  /// The innermost first.
  std::vector<Level> levels;
  size_t count = 1;
};

/// The longest prefix of `rows` that is a lattice.
Lattice FitLattice(const std::vector<std::vector<int64_t>>& rows) {
  Lattice lattice;
  lattice.base = rows[0];
  const auto holds = [&](size_t row, size_t from, const std::vector<int64_t>& steps, size_t times) {
    for (size_t k = 0; k < steps.size(); ++k) {
      if (rows[row][k] != rows[from][k] + steps[k] * static_cast<int64_t>(times)) return false;
    }
    return true;
  };
  while (lattice.levels.size() < kMostLevels && 2 * lattice.count <= rows.size()) {
    const size_t block = lattice.count;
    std::vector<int64_t> steps(rows[0].size());
    for (size_t k = 0; k < steps.size(); ++k) steps[k] = rows[block][k] - rows[0][k];
    // Equal statements are steps of a chain, not iterations of a loop.
    if (std::all_of(steps.begin(), steps.end(), [](int64_t step) { return step == 0; })) break;
    size_t times = 1;
    // A block continues as long as all of its rows are the first block's rows, shifted.
    while ((times + 1) * block <= rows.size()) {
      bool same = true;
      for (size_t i = 0; i < block && same; ++i) same = holds(times * block + i, i, steps, times);
      if (!same) break;
      ++times;
    }
    if (times == 1) break;
    lattice.levels.push_back({times, std::move(steps)});
    lattice.count *= times;
  }
  return lattice;
}

/// Rewrites the indices of a statement: `next` gives each new index, in the order of Shape.
template <class F>
class SlotRewriter : public Rewriter<SlotRewriter<F>> {
 public:
  using Base = Rewriter<SlotRewriter<F>>;
  SlotRewriter(Context& context, std::shared_ptr<Storage> storage, F& next)
      : Base(context, std::move(storage)), next_(next) {}

  const Expr* Index(const Expr* expr) {
    if (const auto* ramp = dyn_cast<Ramp>(expr)) {
      const Expr* base = Index(ramp->base);
      const Expr* stride = this->RewriteExpr(ramp->stride);
      return this->builder().template New<Ramp>(ramp->range, base, stride, ramp->dtype.lanes());
    }
    if (!IsIndex(expr->dtype)) return this->RewriteExpr(expr);
    const OffsetValue slot = SplitOffset(expr);
    const Expr* base = slot.base == nullptr ? nullptr : this->RewriteExpr(slot.base);
    return next_(base, expr->dtype);
  }
  Span<const Expr*> Indices(Span<const Expr*> indices) {
    std::vector<const Expr*> now;
    for (const Expr* index : indices) now.push_back(Index(index));
    return this->arena().Copy(Span<const Expr*>(now.data(), now.size()));
  }
  const Expr* RewriteBufferLoad(const BufferLoad* load) {
    return this->builder().template New<BufferLoad>(load->range, load->dtype, load->buffer,
                                                    Indices(load->indices));
  }
  const Stmt* RewriteBufferStore(const BufferStore* store) {
    const Span<const Expr*> indices = Indices(store->indices);
    const Expr* value = this->RewriteExpr(store->value);
    return this->builder().template New<BufferStore>(store->range, store->buffer, value, indices);
  }
#define TENON_COMPARISON_HOOK(Name)                                      \
  const Expr* Rewrite##Name(const Name* node) {                          \
    if (!IsComparisonOfIndices(node)) return Base::RewriteDefault(node); \
    const Expr* a = Index(node->a);                                      \
    const Expr* b = Index(node->b);                                      \
    return this->builder().template New<Name>(node->range, a, b);        \
  }
  TENON_COMPARISON_HOOK(EQ)
  TENON_COMPARISON_HOOK(NE)
  TENON_COMPARISON_HOOK(LT)
  TENON_COMPARISON_HOOK(LE)
  TENON_COMPARISON_HOOK(GT)
  TENON_COMPARISON_HOOK(GE)
#undef TENON_COMPARISON_HOOK

 private:
  F& next_;
};

class Reroller : public Rewriter<Reroller> {
 public:
  using Rewriter::Rewriter;

  /// Two stores to the same place in the arms of a condition become a store of a choice.
  const Stmt* RewriteIfThenElse(const IfThenElse* choice) {
    const Stmt* now = RewriteDefault(choice);
    const auto* both = dyn_cast_or_null<IfThenElse>(now);
    if (both == nullptr || both->else_case == nullptr) return now;
    const auto* a = dyn_cast<BufferStore>(both->then_case);
    const auto* b = dyn_cast<BufferStore>(both->else_case);
    if (a == nullptr || b == nullptr || a->predicate != nullptr || b->predicate != nullptr ||
        a->buffer->data != b->buffer->data || a->buffer->dtype != b->buffer->dtype ||
        a->value->dtype != b->value->dtype || a->indices.size() != b->indices.size()) {
      return now;
    }
    for (size_t i = 0; i < a->indices.size(); ++i) {
      if (!HaveSameValue(a->indices[i], b->indices[i])) return now;
    }
    const Expr* value =
        builder().New<Call>(choice->range, a->value->dtype, Op::Get(OpKind::kIfThenElse),
                            builder().List<Expr>({both->condition, a->value, b->value}));
    return builder().New<BufferStore>(a->range, a->buffer, value, a->indices);
  }

  const Stmt* RewriteSeqStmt(const SeqStmt* seq) {
    const Stmt* now = RewriteDefault(seq);
    const auto* flat = dyn_cast_or_null<SeqStmt>(now);
    if (flat == nullptr) return now;
    std::vector<Shape> shapes;
    shapes.reserve(flat->seq.size());
    for (const Stmt* child : flat->seq) shapes.emplace_back(child);
    std::vector<const Stmt*> out;
    for (size_t i = 0; i < shapes.size();) {
      const size_t taken = RollFrom(*flat, shapes, i, out);
      if (taken == 0) out.push_back(flat->seq[i]);
      i += std::max<size_t>(taken, 1);
    }
    if (out.size() == flat->seq.size()) return flat;
    return builder().Seq({out.data(), out.size()}, flat->range);
  }

 private:
  /// Rolls up the statements from `first` on; returns their number, 0 if none.
  size_t RollFrom(const SeqStmt& seq, const std::vector<Shape>& shapes, size_t first,
                  std::vector<const Stmt*>& out) {
    for (size_t period = 1; period <= kMostPeriod && first + 2 * period <= shapes.size();
         ++period) {
      size_t end = first + period;
      while (end < shapes.size() && shapes[end] == shapes[end - period]) ++end;
      const size_t times = (end - first) / period;
      if (times < 2) continue;
      std::vector<std::vector<int64_t>> rows(times);
      for (size_t i = 0; i < times * period; ++i) {
        const std::vector<int64_t>& constants = shapes[first + i].constants;
        rows[i / period].insert(rows[i / period].end(), constants.begin(), constants.end());
      }
      const Lattice lattice = FitLattice(rows);
      if (lattice.count < 2) continue;
      out.push_back(Loops(seq, first, period, lattice));
      return lattice.count * period;
    }
    return 0;
  }

  const Stmt* Loops(const SeqStmt& seq, size_t first, size_t period, const Lattice& lattice) {
    std::vector<const Var*> vars;
    for (size_t i = 0; i < lattice.levels.size(); ++i)
      vars.push_back(builder().NewVar("u", DataType::Int(32)));
    size_t slot = 0;
    auto next = [&](const Expr* base, DataType dtype) -> const Expr* {
      const size_t k = slot++;
      const Expr* value = builder().Int(dtype, lattice.base[k]);
      if (base != nullptr) value = builder().New<Add>({}, base, value);
      for (size_t level = 0; level < vars.size(); ++level) {
        const int64_t step = lattice.levels[level].steps[k];
        if (step == 0) continue;
        const Expr* var = vars[level];
        if (dtype != var->dtype) var = builder().New<Cast>({}, dtype, var);
        value =
            builder().New<Add>({}, value, builder().New<Mul>({}, var, builder().Int(dtype, step)));
      }
      return value;
    };
    SlotRewriter<decltype(next)> rewriter(builder().context(), storage(), next);
    std::vector<const Stmt*> body;
    for (size_t i = 0; i < period; ++i) body.push_back(rewriter.RewriteStmt(seq.seq[first + i]));
    const Stmt* nest = builder().Seq({body.data(), body.size()});
    for (size_t level = 0; level < vars.size(); ++level) {
      nest = builder().New<For>({}, vars[level], builder().Int(0),
                                builder().Int(static_cast<int64_t>(lattice.levels[level].extent)),
                                ForKind::kSerial, nest);
    }
    return nest;
  }
};

}  // namespace

Function Reroll(Context& context, const Function& function) {
  return RewriteFunction<Reroller>(context, function);
}

}  // namespace tenon
