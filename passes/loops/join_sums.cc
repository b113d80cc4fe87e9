// Unroll-and-jam for C compilers. Sums of several iterations are in one array, whose loop is too
// long to be unrolled. jam_loops.cc puts each sum into a register instead.

#include "passes/loops/join_sums.h"

#include <algorithm>

#include "arith/analyzer.h"
#include "ir/extents.h"
#include "passes/loops/innermost_loops.h"

namespace tenon {

namespace {

/// Four sums of 8 floats each fit in registers of 16 bytes, with four more for other values.
constexpr int64_t kMostSums = 4;
constexpr int64_t kMostBytes = 160;

bool IsLong(const For* loop) {
  const int64_t* steps = AsIntImm(loop->extent);
  return steps != nullptr && *steps >= kManySteps;
}

bool HasLongLoop(const Stmt* stmt) {
  bool found = false;
  Walk(stmt, [&](const Node* node) {
    const auto* loop = dyn_cast<For>(node);
    found |= loop != nullptr && IsLong(loop);
    return !found && Stmt::ClassOf(node);
  });
  return found;
}

/// The allocations and the sums in the body of a loop.
struct Sums {
  absl::flat_hash_map<const Var*, int64_t> elements;
  int64_t bytes = 0;
  /// Arrays of floats that long loops load.
  absl::flat_hash_set<const Var*> sums;
  /// True if the body consists only of loops, stores and allocations of scalars.
  bool is_plain = true;

  explicit Sums(const Stmt* body) { Look(body, /*inside=*/false); }

 private:
  void Look(const Node* node, bool inside) {
    WithStack([&] {
      if (const auto* allocate = dyn_cast<Allocate>(node)) Add(allocate);
      if (const auto* load = dyn_cast<BufferLoad>(node)) {
        const auto own = elements.find(load->buffer->data);
        if (inside && own != elements.end() && own->second > 1 && load->dtype.is_float())
          sums.insert(own->first);
      }
      if (const auto* buffer = dyn_cast<Buffer>(node)) {
        is_plain &= HasConstantLayout(*buffer) && buffer->dtype.is_scalar();
        return;
      }
      is_plain &= !isa<IfThenElse>(node) && !isa<DeclBuffer>(node) && !isa<LetStmt>(node);
      const auto* loop = dyn_cast<For>(node);
      ForEachChild(node, [&](const Node* child, FieldRole) {
        Look(child, inside || (loop != nullptr && IsLong(loop)));
      });
    });
  }

  void Add(const Allocate* allocate) {
    const int64_t size = StaticBytes(allocate->dtype, allocate->extents).value_or(0);
    is_plain &= size > 0 && allocate->dtype.is_scalar() && IsConstInt(allocate->condition, 1);
    elements[allocate->buffer_var] = StaticCount(allocate->extents).value_or(0);
    bytes += size;
  }
};

/// Writes statements for one of the iterations that run together.
class IterationWriter : public Rewriter<IterationWriter> {
 public:
  IterationWriter(Context& context, std::shared_ptr<Storage> storage, Analyzer& analyzer,
                  const For* loop, int64_t copies)
      : Rewriter(context, std::move(storage)), analyzer_(analyzer), loop_(loop), copies_(copies) {}

  /// From here on, the allocation contains its elements once for each of the iterations.
  void Expand(const Var* data, int64_t elements) { expanded_[data] = elements; }

  /// `loop_value` is the loop's variable in iteration `number` of the iterations that run together.
  const Stmt* Write(const Stmt* stmt, const Expr* loop_value, const Expr* number) {
    loop_value_ = loop_value;
    number_ = number;
    return RewriteStmt(stmt);
  }

  const Expr* RewriteVar(const Var* var) {
    return var == loop_->loop_var ? loop_value_ : MapVar(var);
  }
  const Stmt* RewriteFor(const For* loop) {
    const Analyzer::Scope scope(analyzer_);
    analyzer_.BindLoop(loop);
    return RewriteChildren(loop);
  }
  const Expr* RewriteBufferLoad(const BufferLoad* load) { return Moved(load); }
  const Stmt* RewriteBufferStore(const BufferStore* store) { return Moved(store); }
  const Buffer* RewriteBuffer(const Buffer* buffer) {
    const auto own = expanded_.find(buffer->data);
    if (own == expanded_.end()) return Rewriter::RewriteBuffer(buffer);
    const Buffer*& now = buffers_[buffer];
    if (now == nullptr) {
      Buffer copy = *buffer;
      copy.shape = builder().List<Expr>({builder().Int(own->second * copies_)});
      now = arena().New<Buffer>(copy);
    }
    return now;
  }

 private:
  template <class T>
  const T* Moved(const T* access) {
    const T* now = RewriteChildren(access);
    if (now == access) return now;
    T copy = *now;
    const Expr* index = now->indices[0];
    const auto own = expanded_.find(access->buffer->data);
    if (own != expanded_.end()) {
      const Expr* start = number_;
      if (start->dtype != index->dtype)
        start = builder().template New<Cast>({}, index->dtype, start);
      start = builder().template New<Mul>({}, start, builder().Int(index->dtype, own->second));
      index = builder().template New<Add>({}, start, index);
    }
    copy.indices = builder().template List<Expr>({analyzer_.Simplify(index)});
    return arena().template New<T>(copy);
  }

  Analyzer& analyzer_;
  const For* loop_;
  int64_t copies_;
  absl::flat_hash_map<const Var*, int64_t> expanded_;
  const Expr* loop_value_ = nullptr;
  const Expr* number_ = nullptr;
  absl::flat_hash_map<const Buffer*, const Buffer*> buffers_;
};

class SumJoiner : public InnermostLoops<SumJoiner> {
 public:
  SumJoiner(Context& context, std::shared_ptr<Storage> storage, const PrimFunc& func)
      : InnermostLoops(context, storage, func),
        analyzer_(context, storage->arena(), {.assume_index_no_overflow = true}) {}

  const Stmt* RewriteFor(const For* loop) {
    const Analyzer::Scope scope(analyzer_);
    analyzer_.BindLoop(loop);
    return InnermostLoops::RewriteFor(loop);
  }

  const Stmt* TryLoop(const For* loop, int64_t min, int64_t extent) {
    const Sums sums(loop->body);
    if (sums.sums.empty() || !sums.is_plain) return nullptr;
    int64_t copies =
        std::min(kMostSums / static_cast<int64_t>(sums.sums.size()), kMostBytes / sums.bytes);
    while (copies > 1 && extent % copies != 0) --copies;
    if (copies < 2 || !IsIndependent(loop)) return nullptr;
    const DataType dtype = loop->loop_var->dtype;
    loop_ = loop;
    copies_ = copies;
    first_ = nullptr;
    const Var* outer = nullptr;
    if (extent > copies) {
      outer = builder().NewVar(loop->loop_var->name.view(), loop->loop_var->type);
      first_ = builder().New<Mul>({}, outer, builder().Int(dtype, copies));
    }
    if (min != 0) {
      const Expr* start = builder().Int(dtype, min);
      first_ = first_ == nullptr ? start : builder().New<Add>({}, first_, start);
    }
    const Analyzer::Scope scope(analyzer_);
    const Expr* count = builder().Int(dtype, extent / copies);
    if (outer != nullptr) analyzer_.BindRange(outer, builder().Int(dtype, 0), count);
    IterationWriter writer(builder().context(), storage(), analyzer_, loop, copies);
    writer_ = &writer;
    const Stmt* body = Together(loop->body);
    if (body == nullptr || outer == nullptr) return body;
    return builder().New<For>(loop->range, outer, builder().Int(dtype, 0), count, ForKind::kSerial,
                              body);
  }

 private:
  /// The statement for all iterations; null if that is not possible.
  const Stmt* Together(const Stmt* stmt) {
    return WithStack([&] { return TogetherOf(stmt); });
  }

  const Stmt* TogetherOf(const Stmt* stmt) {
    if (isa<Evaluate>(stmt)) return stmt;
    if (const auto* seq = dyn_cast<SeqStmt>(stmt)) {
      std::vector<const Stmt*> out;
      for (const Stmt* child : seq->seq) {
        out.push_back(Together(child));
        if (out.back() == nullptr) return nullptr;
      }
      return builder().Seq(out, stmt->range);
    }
    if (const auto* allocate = dyn_cast<Allocate>(stmt)) {
      Allocate copy = *allocate;
      const int64_t elements = StaticCount(allocate->extents).value_or(0);
      copy.extents = builder().List<Expr>({builder().Int(elements * copies_)});
      writer_->Expand(allocate->buffer_var, elements);
      copy.body = Together(allocate->body);
      return copy.body == nullptr ? nullptr : arena().New<Allocate>(copy);
    }
    const auto* loop = dyn_cast<For>(stmt);
    if (loop == nullptr || !HasLongLoop(loop)) return OneByOne(stmt);
    if (MentionsLoop(loop->min) || MentionsLoop(loop->extent)) return nullptr;
    const Analyzer::Scope scope(analyzer_);
    analyzer_.BindLoop(loop);
    For copy = *loop;
    copy.body = IsLong(loop) ? InStep(loop->body) : Together(loop->body);
    return copy.body == nullptr ? nullptr : arena().New<For>(copy);
  }

  /// The iterations one after the other.
  const Stmt* OneByOne(const Stmt* stmt) {
    const Var* old = loop_->loop_var;
    const Var* number = builder().NewVar(old->name.view(), old->type, old->range);
    const Expr* start = builder().Int(old->dtype, 0);
    const Expr* count = builder().Int(old->dtype, copies_);
    const Analyzer::Scope scope(analyzer_);
    analyzer_.BindRange(number, start, count);
    return builder().New<For>(stmt->range, number, start, count, ForKind::kSerial,
                              writer_->Write(stmt, LoopValue(number), number));
  }

  /// A step of a sum, for all iterations.
  const Stmt* InStep(const Stmt* stmt) {
    return WithStack([&]() -> const Stmt* {
      std::vector<const Stmt*> out;
      if (const auto* seq = dyn_cast<SeqStmt>(stmt)) {
        for (const Stmt* child : seq->seq) {
          out.push_back(InStep(child));
          if (out.back() == nullptr) return nullptr;
        }
      } else if (const auto* loop = dyn_cast<For>(stmt)) {
        if (MentionsLoop(loop->min) || MentionsLoop(loop->extent)) return nullptr;
        const Analyzer::Scope scope(analyzer_);
        analyzer_.BindLoop(loop);
        For copy = *loop;
        copy.body = InStep(loop->body);
        return copy.body == nullptr ? nullptr : arena().New<For>(copy);
      } else if (isa<BufferStore>(stmt)) {
        for (int64_t i = 0; i < copies_; ++i) {
          const Expr* number = builder().Int(loop_->loop_var->dtype, i);
          out.push_back(writer_->Write(stmt, LoopValue(number), number));
        }
      } else {
        return isa<Evaluate>(stmt) ? stmt : nullptr;
      }
      return builder().Seq(out, stmt->range);
    });
  }

  const Expr* LoopValue(const Expr* number) {
    return first_ == nullptr ? number : builder().New<Add>({}, first_, number);
  }

  bool MentionsLoop(const Expr* expr) const {
    bool found = false;
    Walk(expr, [&](const Node* node) {
      found |= node == loop_->loop_var || isa<BufferLoad>(node);
      return !found;
    });
    return found;
  }

  Analyzer analyzer_;
  const For* loop_ = nullptr;
  int64_t copies_ = 0;
  /// The first of the iterations that run together; null for 0.
  const Expr* first_ = nullptr;
  IterationWriter* writer_ = nullptr;
};

}  // namespace

IRModule JoinSums(const IRModule& module, PassContext& context) {
  return ForEachFunction(module, context, [&](const Function& function, Diagnostics&) {
    return RewriteFunction<SumJoiner>(module.context(), function, *function.func);
  });
}

}  // namespace tenon
