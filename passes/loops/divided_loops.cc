// Loop distribution at the last place of a body where it is possible. Scalar expansion (Padua and
// Wolfe, 1986) makes more loops divisible, but its arrays cost memory. So the loop is divided in
// strips, as strip-mining does for vectors.

#include "passes/loops/divided_loops.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "analysis/loop_independence.h"
#include "arith/index_math.h"
#include "ir/analysis/node_queries.h"
#include "ir/analysis/stack_arrays.h"
#include "ir/replace_var.h"
#include "ir/rewriter.h"
#include "ir/storage_defaults.h"
#include "ir/visitor.h"
#include "passes/inlining.h"
#include "passes/loops/innermost_loops.h"
#include "passes/loops/store_nest.h"
#include "passes/lowering/expand_math.h"
#include "passes/outlining.h"

namespace tenon {

namespace {

/// Iterations of a strip: fewer share too few loads, and more do not fit in registers.
constexpr int64_t kFewestIterations = 3;
constexpr int64_t kMostIterations = 12;
/// The most bytes of the sums of a strip.
constexpr int64_t kMostStripBytes = 16 * 1024;

using Statements = std::vector<const Stmt*>;
using Memory = absl::flat_hash_set<const Var*>;

/// The memory that statements read or write.
struct Touched {
  Memory all;
  Memory written;
};

Touched TouchedBy(const Statements& statements) {
  Touched touched;
  for (const Stmt* stmt : statements) {
    Walk(stmt, [&](const Node* node) {
      if (const auto* load = dyn_cast<BufferLoad>(node)) touched.all.insert(load->buffer->data);
      if (const auto* store = dyn_cast<BufferStore>(node)) {
        touched.all.insert(store->buffer->data);
        touched.written.insert(store->buffer->data);
      }
      return !isa<Buffer>(node);
    });
  }
  return touched;
}

/// True if statements need `var` only for the places of elements.
bool IsOnlyInIndices(const Statements& statements, const Var* var) {
  bool is_only = true;
  const auto find = [&](const Node* node) {
    is_only &= node != var;
    if (const auto* store = dyn_cast<BufferStore>(node)) {
      Walk(store->value, [&](const Node* inner) {
        is_only &= inner != var;
        return !isa<BufferLoad>(inner);
      });
      return false;
    }
    return !isa<BufferLoad>(node);
  };
  for (const Stmt* stmt : statements) Walk(stmt, find);
  return is_only;
}

/// The body of a nest: statements that compute sums, statements that use them, and the allocations
/// around both.
struct Division {
  Statements sums;
  Statements uses;
  std::vector<const Allocate*> memory;
};

/// Loops directly inside of each other, and the body of the innermost one.
struct DividedNest {
  std::vector<const For*> loops;
  Division body;
  /// The allocations with a sum that is used.
  std::vector<const Allocate*> sums;
};

/// Moves elements of allocations into arrays, which have one element for each iteration of a nest.
class IntoArrays : public Rewriter<IntoArrays> {
 public:
  IntoArrays(Context& context, std::shared_ptr<Storage> storage,
             const absl::flat_hash_map<const Var*, const Buffer*>& arrays, const Expr* element)
      : Rewriter(context, std::move(storage)), arrays_(arrays), element_(element) {}

  const Expr* RewriteBufferLoad(const BufferLoad* load) {
    const auto found = arrays_.find(load->buffer->data);
    if (found == arrays_.end()) return RewriteChildren(load);
    BufferLoad copy = *load;
    copy.buffer = found->second;
    copy.indices = builder().List<Expr>({element_});
    return arena().New<BufferLoad>(copy);
  }
  const Stmt* RewriteBufferStore(const BufferStore* store) {
    BufferStore copy = *RewriteChildren(store);
    const auto found = arrays_.find(store->buffer->data);
    if (found != arrays_.end()) {
      copy.buffer = found->second;
      copy.indices = builder().List<Expr>({element_});
    }
    return arena().New<BufferStore>(copy);
  }

 private:
  const absl::flat_hash_map<const Var*, const Buffer*>& arrays_;
  const Expr* element_;
};

class LoopDivider : public Rewriter<LoopDivider> {
 public:
  /// `has_strips` becomes true if sums get memory.
  LoopDivider(Context& context, std::shared_ptr<Storage> storage, const PrimFunc& func,
              Strips strips, bool& has_strips)
      : Rewriter(context, std::move(storage)),
        pointers_(func),
        strips_(strips),
        has_strips_(has_strips) {}

  const Stmt* RewriteFor(const For* loop) {
    if (strips_ == Strips::kYes) {
      const std::optional<DividedNest> nest = FindNest(loop);
      if (nest) return InStrips(*nest);
    }
    around_.push_back(loop);
    const For* now = RewriteChildren(loop);
    around_.pop_back();
    const auto* seq = dyn_cast<SeqStmt>(now->body);
    if (seq == nullptr || now->for_kind != ForKind::kSerial || now->annotations != nullptr ||
        IterationsAreIndependent(pointers_, around_, now))
      return now;
    for (size_t first = seq->seq.size(); first-- > 1;) {
      const Division body = {{seq->seq.begin(), seq->seq.begin() + static_cast<ptrdiff_t>(first)},
                             {seq->seq.begin() + static_cast<ptrdiff_t>(first), seq->seq.end()},
                             {}};
      const bool has_sums = std::any_of(body.sums.begin(), body.sums.end(), [](const Stmt* stmt) {
        return HasLoop(stmt) || CallsArithmetic(stmt);
      });
      if (!has_sums || std::any_of(body.uses.begin(), body.uses.end(), HasLoop) ||
          !AreApart(now, body))
        continue;
      const Stmt* uses = WithNewVars(builder().context(), storage(), LoopOver(now, body.uses));
      return builder().Seq({LoopOver(now, body.sums), uses}, now->range);
    }
    return now;
  }

 private:
  /// True if iterations of a loop depend on each other only through memory that the sums do not
  /// access. The uses keep their order in this memory.
  bool AreApart(const For* loop, const Division& body) const {
    const Memory touched = TouchedBy(body.sums).all;
    Memory apart;
    for (const Var* data : TouchedBy(body.uses).all) {
      const bool is_apart = std::none_of(touched.begin(), touched.end(), [&](const Var* other) {
        return pointers_.MayAlias(data, other);
      });
      if (is_apart) apart.insert(data);
    }
    return !apart.empty() && IterationsAreIndependent(pointers_, around_, loop, apart);
  }

  const For* LoopOver(const For* loop, const Statements& body) {
    For copy = *loop;
    copy.body = builder().Seq(Span<const Stmt*>(body), loop->range);
    return arena().New<For>(copy);
  }

  /// The nest of `loop`, if its sums can be stored in arrays before their uses.
  std::optional<DividedNest> FindNest(const For* loop) const {
    DividedNest nest;
    const Stmt* body = loop;
    while (const auto* inner = dyn_cast<For>(body)) {
      if (!IsPlainLoopFromZero(*inner)) return std::nullopt;
      nest.loops.push_back(inner);
      body = inner->body;
    }
    Statements all;
    if (!Flatten(body, all, nest.body.memory)) return std::nullopt;
    const auto last = std::find_if(all.rbegin(), all.rend(), HasLoop);
    nest.body.sums.assign(all.begin(), last.base());
    nest.body.uses.assign(last.base(), all.end());
    const bool can_divide =
        !nest.body.sums.empty() && !nest.body.uses.empty() &&
        IsOnlyInIndices(nest.body.sums, loop->loop_var) && FindSums(nest) && StripOf(nest) > 0 &&
        !IterationsAreIndependent(pointers_, around_, loop) && AreApart(loop, nest.body);
    return can_divide ? std::optional(std::move(nest)) : std::nullopt;
  }

  /// The statements of a body without the allocations around them. False if it has anything but
  /// allocations of one element, stores, and loops.
  static bool Flatten(const Stmt* stmt, Statements& all, std::vector<const Allocate*>& memory) {
    if (const auto* allocate = dyn_cast<Allocate>(stmt)) {
      const bool is_planned = allocate->annotations != nullptr && !IsLocalAllocation(*allocate);
      const bool is_element =
          !is_planned && allocate->dtype.is_scalar() && allocate->extents.size() == 1 &&
          IsConstInt(allocate->extents[0], 1) && IsConstInt(allocate->condition, 1);
      memory.push_back(allocate);
      return is_element && Flatten(allocate->body, all, memory);
    }
    if (const auto* seq = dyn_cast<SeqStmt>(stmt))
      return std::all_of(seq->seq.begin(), seq->seq.end(),
                         [&](const Stmt* one) { return Flatten(one, all, memory); });
    all.push_back(stmt);
    return isa<For>(stmt) || isa<BufferStore>(stmt);
  }

  /// Finds the allocations that sums fill and uses read. False if there are none, or if the sums
  /// write other memory, or read memory that the uses write.
  bool FindSums(DividedNest& nest) const {
    const Touched by_sums = TouchedBy(nest.body.sums);
    const Touched by_uses = TouchedBy(nest.body.uses);
    Memory own;
    for (const Allocate* allocate : nest.body.memory) {
      own.insert(allocate->buffer_var);
      if (by_sums.written.contains(allocate->buffer_var) &&
          by_uses.all.contains(allocate->buffer_var))
        nest.sums.push_back(allocate);
    }
    const auto is_own = [&](const Var* data) { return own.contains(data); };
    const auto is_safe = [&](const Var* data) {
      return is_own(data) ||
             std::none_of(by_sums.all.begin(), by_sums.all.end(),
                          [&](const Var* other) { return pointers_.MayAlias(data, other); });
    };
    return !nest.sums.empty() &&
           std::all_of(by_sums.written.begin(), by_sums.written.end(), is_own) &&
           std::all_of(by_uses.written.begin(), by_uses.written.end(), is_safe);
  }

  static int64_t ElementsOf(const std::vector<const For*>& loops) {
    int64_t elements = 1;
    for (const For* loop : loops) elements *= *AsIntImm(loop->extent);
    return elements;
  }

  /// The iterations of the nest's outermost loop that keep their sums at a time; 0: none.
  static int64_t StripOf(const DividedNest& nest) {
    const int64_t extent = *AsIntImm(nest.loops[0]->extent);
    const int64_t inner = ElementsOf({nest.loops.begin() + 1, nest.loops.end()});
    int64_t widest = 1;
    for (const Allocate* sum : nest.sums) widest = std::max<int64_t>(widest, sum->dtype.bytes());
    const int64_t on_stack = (kStackLimit - 1) / (inner * widest);
    const int64_t most = std::min(extent, kMostIterations);
    const bool is_small = std::min(on_stack, most) >= kFewestIterations;
    if (!is_small && most * inner * widest > kMostStripBytes) return 0;
    const int64_t largest = is_small ? std::min(on_stack, most) : most;
    // Without a remainder, the code exists once.
    for (int64_t size = largest; size >= kFewestIterations; --size) {
      if (extent % size == 0) return size;
    }
    return largest >= kFewestIterations ? largest : 0;
  }

  const Stmt* InStrips(const DividedNest& nest) {
    has_strips_ = true;
    const For& outer = *nest.loops[0];
    const DataType dtype = outer.loop_var->dtype;
    const int64_t extent = *AsIntImm(outer.extent);
    const int64_t size = StripOf(nest);
    const int64_t count = extent / size;
    const auto number = [&](int64_t value) { return builder().Int(dtype, value); };
    const Var* strip = builder().NewVar(outer.loop_var->name.view(), dtype);
    const Expr* start = IndexMath(builder(), outer.range).Mul(strip, number(size));
    const Stmt* all = builder().New<For>(outer.range, strip, number(0), number(count),
                                         ForKind::kSerial, Strip(nest, start, size));
    if (count * size < extent)
      all = builder().Seq({all, Strip(nest, number(count * size), extent - count * size)});
    return all;
  }

  /// Iterations of the outermost loop, from `start` on: their sums, and then the uses.
  const Stmt* Strip(const DividedNest& nest, const Expr* start, int64_t iterations) {
    absl::flat_hash_map<const Var*, const Buffer*> arrays;
    const int64_t inner = ElementsOf({nest.loops.begin() + 1, nest.loops.end()});
    for (const Allocate* sum : nest.sums)
      arrays[sum->buffer_var] =
          NewFlatBuffer(builder(), sum->buffer_var->name.view(), sum->dtype, iterations * inner);
    const Stmt* sums = Part(nest, nest.body.sums, arrays, start, iterations);
    const Stmt* uses = Part(nest, nest.body.uses, arrays, start, iterations);
    const Stmt* body = builder().Seq({sums, uses});
    for (const Allocate* sum : nest.sums) {
      const Buffer* array = arrays[sum->buffer_var];
      const bool is_small = iterations * inner * sum->dtype.bytes() < kStackLimit;
      body = is_small ? AllocateLocal(builder(), array, body)
                      : builder().New<Allocate>({}, array->data, array->dtype, array->shape,
                                                builder().Bool(true), nullptr, body);
    }
    return body;
  }

  /// One loop nest over `statements`, whose sums are in `arrays`.
  const Stmt* Part(const DividedNest& nest, const Statements& statements,
                   const absl::flat_hash_map<const Var*, const Buffer*>& arrays, const Expr* start,
                   int64_t iterations) {
    const IndexMath math(builder(), nest.loops[0]->range);
    For outer = *nest.loops[0];
    const DataType dtype = outer.loop_var->dtype;
    outer.loop_var = builder().NewVar(outer.loop_var->name.view(), dtype);
    outer.extent = builder().Int(dtype, iterations);
    const Expr* element = outer.loop_var;
    for (size_t i = 1; i < nest.loops.size(); ++i)
      element = math.Add(math.Mul(element, nest.loops[i]->extent), nest.loops[i]->loop_var);
    const Memory touched = TouchedBy(statements).all;
    const Stmt* body = builder().Seq(Span<const Stmt*>(statements));
    for (size_t i = nest.body.memory.size(); i-- > 0;) {
      const Allocate* allocate = nest.body.memory[i];
      if (touched.contains(allocate->buffer_var) && !arrays.contains(allocate->buffer_var))
        body = InBindings(builder(), {allocate}, body);
    }
    IntoArrays into(builder().context(), storage(), arrays, element);
    body = VarReplacer(builder().context(), storage(), nest.loops[0]->loop_var,
                       math.Add(start, outer.loop_var))
               .RewriteStmt(into.RewriteStmt(body));
    std::vector<const For*> loops = nest.loops;
    loops[0] = arena().New<For>(outer);
    return WithNewVars(builder().context(), storage(), LoopsAround(arena(), loops, body));
  }

  const FunctionStorage pointers_;
  const Strips strips_;
  bool& has_strips_;
  std::vector<const For*> around_;
};

}  // namespace

DividedFunction DivideLoops(Context& context, const Function& function, Strips strips) {
  bool has_strips = false;
  const Function divided =
      RewriteFunction<LoopDivider>(context, function, *function.func, strips, has_strips);
  return {divided, has_strips};
}

}  // namespace tenon
