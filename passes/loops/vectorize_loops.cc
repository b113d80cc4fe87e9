#include "passes/loops/vectorize_loops.h"

#include <algorithm>
#include <bit>

#include "absl/functional/function_ref.h"
#include "arith/analyzer.h"
#include "ir/analysis/node_queries.h"
#include "ir/builtins.h"
#include "ir/replace_var.h"
#include "passes/inlining.h"
#include "passes/loops/innermost_loops.h"
#include "passes/loops/loop_vectorizer.h"
#include "passes/lowering/expand_math.h"

namespace tenon {

namespace {

/// Lanes of a load may be so many elements apart: back ends load whole rows, and pick lanes.
constexpr int64_t kMostStep = 4;

/// The number of lanes for a loop of `extent` iterations; 0 if it is better left as it is.
int LanesFor(int64_t extent, int64_t max_lanes) {
  if (extent < 4) return 0;
  if (extent <= std::min<int64_t>(16, max_lanes)) return static_cast<int>(extent);
  for (int64_t lanes = 64; lanes >= std::min<int64_t>(8, max_lanes); lanes /= 2) {
    if (lanes <= max_lanes && extent % lanes == 0) return static_cast<int>(lanes);
  }
  return 0;
}

class NestVectorizer : public InnermostLoops<NestVectorizer> {
 public:
  NestVectorizer(Context& context, std::shared_ptr<Storage> storage, const PrimFunc& func,
                 int64_t max_lanes)
      : InnermostLoops(context, storage, func),
        analyzer_(context, storage->arena(), {.assume_index_no_overflow = true}),
        max_lanes_(max_lanes) {}

  const Stmt* RewriteFor(const For* loop) {
    const Analyzer::Scope scope(analyzer_);
    analyzer_.BindLoop(loop);
    return InnermostLoops::RewriteFor(loop);
  }

  const Stmt* TryLoop(const For* loop, int64_t min, int64_t extent) {
    const int64_t most_lanes = MostLanes(loop->body);
    const int lanes = LanesFor(extent, most_lanes);
    // LLVM peels a rest of loops without loops.
    if ((lanes == 0 && (extent < 4 || !HasLoop(loop->body))) || !IsIndependent(loop))
      return nullptr;
    const bool is_power = std::has_single_bit(static_cast<uint64_t>(lanes));
    if (lanes > 0 && (is_power || !HasLoop(loop->body))) return InLanes(loop, min, extent, lanes);
    const bool may_repeat = MayRepeat(loop->body);
    if (lanes > 0 && !may_repeat) return InLanes(loop, min, extent, lanes);
    return WithRest(loop, min, extent, most_lanes, may_repeat);
  }

 private:
  /// The most lanes for a loop. Arithmetic of exp and its like is in float64: several vectors for
  /// each number.
  int64_t MostLanes(const Stmt* body) const {
    constexpr int64_t kMostLanesOfMath = 16;
    return CallsArithmetic(body) ? std::min(max_lanes_, kMostLanesOfMath) : max_lanes_;
  }

  /// The loop in vectors that fit at least twice, and its rest. If iterations may run twice, the
  /// vectors fit at least once, and the last one overlaps the one before it.
  const Stmt* WithRest(const For* loop, int64_t min, int64_t extent, int64_t most_lanes,
                       bool may_repeat) {
    int64_t lanes = most_lanes;
    while (lanes > 4 && (may_repeat ? 1 : 2) * lanes > extent) lanes /= 2;
    const int64_t most = extent / lanes * lanes;
    const Stmt* body = InLanes(loop, min, most, static_cast<int>(lanes));
    if (body == nullptr || most == extent) return body;
    int64_t rest_lanes = 4;
    while (rest_lanes < extent - most) rest_lanes *= 2;
    // The last vector computes some results again.
    const int64_t first = may_repeat ? extent - rest_lanes : most;
    const auto* counter =
        builder().NewVar(loop->loop_var->name.view(), loop->loop_var->type, loop->loop_var->range);
    VarReplacer replacer(builder().context(), storage(), loop->loop_var, counter);
    AddNewVars(loop->body, arena(), replacer.var_map);
    For rest = *loop;
    rest.loop_var = counter;
    rest.min = builder().Int(loop->loop_var->dtype, min + first);
    rest.extent = builder().Int(loop->loop_var->dtype, extent - first);
    rest.body = replacer.RewriteStmt(loop->body);
    const For* remaining = arena().New<For>(rest);
    const Analyzer::Scope scope(analyzer_);
    analyzer_.BindLoop(remaining);
    const int short_lanes = LanesFor(extent - first, most_lanes);
    const Stmt* end =
        short_lanes > 0 ? InLanes(remaining, min + first, extent - first, short_lanes) : nullptr;
    return builder().Seq({body, end == nullptr ? remaining : end}, loop->range);
  }

  /// True if an iteration that runs twice stores the same values again: it reads nothing that it
  /// stores, except for elements that its first statements have set.
  bool MayRepeat(const Stmt* body) const {
    std::vector<const BufferStore*> stores;
    Walk(body, [&](const Node* node) {
      if (const auto* store = dyn_cast<BufferStore>(node)) stores.push_back(store);
      return Stmt::ClassOf(node);
    });
    const auto is_stored = [&](const Var* data) {
      return std::any_of(stores.begin(), stores.end(), [&](const BufferStore* store) {
        return pointers().MayAlias(store->buffer->data, data);
      });
    };
    std::vector<const BufferStore*> set;
    return Repeats(body, set, is_stored);
  }

  /// MayRepeat for a statement after stores that have `set` elements. Adds its own stores to them.
  static bool Repeats(const Stmt* stmt, std::vector<const BufferStore*>& set,
                      absl::FunctionRef<bool(const Var*)> is_stored) {
    if (const auto* allocate = dyn_cast<Allocate>(stmt)) {
      const auto is_other = [&](const Var* data) {
        return data != allocate->buffer_var && is_stored(data);
      };
      return Repeats(allocate->body, set, is_other);
    }
    if (const auto* decl = dyn_cast<DeclBuffer>(stmt)) return Repeats(decl->body, set, is_stored);
    if (const auto* seq = dyn_cast<SeqStmt>(stmt)) {
      return std::all_of(seq->seq.begin(), seq->seq.end(),
                         [&](const Stmt* child) { return Repeats(child, set, is_stored); });
    }
    bool repeats = true;
    Walk(stmt, [&](const Node* node) {
      const auto* load = dyn_cast<BufferLoad>(node);
      if (load == nullptr || !is_stored(load->buffer->data)) return repeats && !isa<Buffer>(node);
      repeats &= std::any_of(set.begin(), set.end(), [&](const BufferStore* store) {
        return store->buffer == load->buffer && store->indices.size() == 1 &&
               load->indices.size() == 1 && HaveSameValue(store->indices[0], load->indices[0]);
      });
      return repeats;
    });
    if (const auto* store = dyn_cast<BufferStore>(stmt)) set.push_back(store);
    return repeats;
  }

  /// All iterations, of which there are a multiple of `lanes`; null if it cannot be done.
  const Stmt* InLanes(const For* loop, int64_t min, int64_t extent, int lanes) {
    const Var* old = loop->loop_var;
    const Var* outer = nullptr;
    const Expr* first = loop->min;
    if (extent > lanes) {
      outer = builder().NewVar(old->name.view(), old->type, old->range);
      first = builder().New<Mul>({}, outer, builder().Int(old->dtype, lanes));
      if (min != 0) first = builder().New<Add>({}, first, loop->min);
    }
    LoopVectorizer vectorizer(builder(), storage(), analyzer_, loop, first, lanes, kMostStep);
    const Stmt* body = vectorizer.Statement(loop->body);
    // Bounds of inner loops and layouts of buffers may depend on the iteration.
    if (body == nullptr || !vectorizer.has_vectors() || Mentions(body, old)) return nullptr;
    if (outer == nullptr) return body;
    return builder().New<For>(loop->range, outer, builder().Int(old->dtype, 0),
                              builder().Int(old->dtype, extent / lanes), ForKind::kSerial, body);
  }

  Analyzer analyzer_;
  int64_t max_lanes_;
};

}  // namespace

absl::StatusOr<IRModule> VectorizeLoops(const IRModule& module,
                                        const VectorizeLoopsOptions& options,
                                        PassContext& context) {
  if (options.max_lanes < 4 || options.max_lanes > 64)
    return absl::InvalidArgumentError("vectorize-loops: max-lanes is not 4 to 64");
  return ForEachFunction(module, context, [&](const Function& function, Diagnostics&) {
    return RewriteFunction<NestVectorizer>(module.context(), function, *function.func,
                                           options.max_lanes);
  });
}

}  // namespace tenon
