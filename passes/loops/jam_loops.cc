// Unroll-and-jam (Callahan, Carr and Kennedy, 1990; LLVM: LoopUnrollAndJam): iterations share
// loads, and their sums do not wait for each other. The pass runs three times, so that outer loops
// are jammed if inner ones are too short.

#include "passes/loops/jam_loops.h"

#include <algorithm>

#include "ir/analysis/node_queries.h"
#include "ir/extents.h"
#include "ir/replace_var.h"
#include "passes/inlining.h"
#include "passes/loops/innermost_loops.h"
#include "support/check.h"

namespace tenon {

namespace {

/// The allocations of a statement.
struct Allocated {
  /// True if all sizes are constant.
  bool is_known = true;
  /// The largest number of bytes allocated at a time.
  int64_t bytes = 0;
  absl::flat_hash_set<const Var*> pointers;
};

/// The largest number of bytes that `stmt` has allocated at a time.
int64_t AddAllocated(const Stmt* stmt, Allocated& all) {
  return WithStack([&] {
    int64_t most = 0;
    ForEachChild(stmt, [&](const Node* child, FieldRole) {
      if (Stmt::ClassOf(child))
        most = std::max(most, AddAllocated(static_cast<const Stmt*>(child), all));
    });
    const auto* allocate = dyn_cast<Allocate>(stmt);
    if (allocate == nullptr) return most;
    const std::optional<int64_t> bytes = StaticBytes(allocate->dtype, allocate->extents);
    all.is_known &= bytes && !__builtin_add_overflow(most, *bytes, &most);
    all.pointers.insert(allocate->buffer_var);
    return most;
  });
}

Allocated AllocatedIn(const Stmt* stmt) {
  Allocated all;
  all.bytes = AddAllocated(stmt, all);
  return all;
}

/// Whether the value depends on `var`; a variable of a buffer's layout does not count.
bool DependsOn(const Node* node, const Var* var) {
  bool found = false;
  Walk(node, [&](const Node* n) {
    found |= n == var;
    return !found && !isa<Buffer>(n);
  });
  return found;
}

/// True if a loop has `least` iterations, or if it has as many together with the loops directly
/// inside of it, in which all sums are scalars. Loops around an allocation do not count together,
/// because they are not the steps of one sum.
bool HasSteps(const For* loop, int64_t least) {
  const Stmt* body = loop;
  int64_t steps = 1;
  for (; isa<For>(body); body = cast<For>(body)->body) {
    const int64_t* extent = AsIntImm(cast<For>(body)->extent);
    if (extent == nullptr) return false;
    if (body == loop && *extent >= least) return true;
    steps *= std::min(*extent, least);
    if (steps >= least) break;
  }
  bool is_scalar = true;
  Walk(body, [&](const Node* node) {
    const auto* store = dyn_cast<BufferStore>(node);
    is_scalar &= !isa<Allocate>(node) && (store == nullptr || store->value->dtype.is_scalar());
    return is_scalar && Stmt::ClassOf(node);
  });
  return steps >= least && is_scalar;
}

/// Visits the loads in a statement's loops of `least_steps` steps and more; 0 stands for all loops.
template <typename F>
void ForEachLoadInLoops(const Stmt* stmt, int64_t least_steps, F&& f) {
  Walk(stmt, [&](const Node* node) {
    const auto* loop = dyn_cast<For>(node);
    if (loop == nullptr || (least_steps > 0 && !HasSteps(loop, least_steps)))
      return Stmt::ClassOf(node);
    Walk(loop->body, [&](const Node* n) {
      const auto* load = dyn_cast<BufferLoad>(n);
      if (load != nullptr) f(load);
      return load != nullptr || !isa<Buffer>(n);
    });
    return false;
  });
}

/// True if a value reads memory of `data`.
bool Loads(const Expr* value, const Var* data) {
  bool loads = false;
  Walk(value, [&](const Node* node) {
    const auto* load = dyn_cast<BufferLoad>(node);
    loads |= load != nullptr && load->buffer->data == data;
    return !loads && !isa<Buffer>(node);
  });
  return loads;
}

/// True if the lanes of a load are not adjacent: choose-blocks has chosen the block that reads
/// them.
bool IsScattered(const BufferLoad* load) {
  return std::any_of(load->indices.begin(), load->indices.end(), [](const Expr* index) {
    const auto* ramp = dyn_cast<Ramp>(index);
    return ramp != nullptr && !IsConstInt(ramp->stride, 1);
  });
}

/// True if a loop in the body of `loop` loads a vector, not of `own`, whose index does not depend
/// on `loop`. With `scalars`, a scalar is enough.
bool SharesLoads(const For* loop, const absl::flat_hash_set<const Var*>& own, bool scalars) {
  bool found = false;
  ForEachLoadInLoops(loop->body, 0, [&](const BufferLoad* load) {
    found |= !own.contains(load->buffer->data) && (scalars || !load->dtype.is_scalar()) &&
             !IsScattered(load) &&
             std::none_of(load->indices.begin(), load->indices.end(),
                          [&](const Expr* i) { return DependsOn(i, loop->loop_var); });
  });
  return found;
}

/// True if a loop in the body of `loop` has a condition that does not depend on `loop`.
bool SharesConditions(const For* loop) {
  bool found = false;
  Walk(loop->body, [&](const Node* node) {
    const auto* inner = dyn_cast<For>(node);
    if (inner == nullptr) return !found && Stmt::ClassOf(node);
    Walk(inner->body, [&](const Node* n) {
      const auto* choice = dyn_cast<IfThenElse>(n);
      found |= choice != nullptr && !DependsOn(choice->condition, loop->loop_var);
      return !found && Stmt::ClassOf(n);
    });
    return !found;
  });
  return found;
}

/// A sum: an allocation, and the index in it if that is a constant, or else 0. The sums of a block
/// are in one array.
using SumPlace = std::pair<const Var*, int64_t>;

SumPlace PlaceOf(const Buffer& buffer, Span<const Expr*> indices) {
  const Expr* index = indices.size() == 1 ? indices[0] : nullptr;
  if (const auto* ramp = dyn_cast_or_null<Ramp>(index)) index = ramp->base;
  const int64_t* place = index == nullptr ? nullptr : AsIntImm(index);
  return {buffer.data, place == nullptr ? 0 : *place};
}

/// Counts the vectors and the floats of `own` to which the loops in the body of `loop` add many
/// times. Each step of a sum waits for the step before it, but not for steps of other sums.
int64_t CountLongSums(const For* loop, const absl::flat_hash_set<const Var*>& own) {
  absl::flat_hash_set<SumPlace> sums;
  ForEachLoadInLoops(loop->body, kManySteps, [&](const BufferLoad* load) {
    if (own.contains(load->buffer->data) && (!load->dtype.is_scalar() || load->dtype.is_float()))
      sums.insert(PlaceOf(*load->buffer, load->indices));
  });
  return static_cast<int64_t>(sums.size());
}

/// Bytes of the values of `own` that one loop in the body of `loop` adds to and whose type
/// `counts`; each value counts as at least `least` bytes. The result is the maximum over all loops
/// that are not inside of each other.
template <typename F>
int64_t SumBytes(const For* loop, const absl::flat_hash_set<const Var*>& own, int64_t least,
                 F&& counts) {
  int64_t most = 0;
  Walk(loop->body, [&](const Node* node) {
    const auto* inner = dyn_cast<For>(node);
    if (inner == nullptr) return Stmt::ClassOf(node);
    absl::flat_hash_map<SumPlace, int64_t> sums;
    Walk(inner->body, [&](const Node* n) {
      const auto* store = dyn_cast<BufferStore>(n);
      if (store != nullptr && own.contains(store->buffer->data) && counts(store->value->dtype) &&
          Loads(store->value, store->buffer->data))
        sums[PlaceOf(*store->buffer, store->indices)] =
            std::max(store->value->dtype.bytes(), least);
      return Stmt::ClassOf(n);
    });
    int64_t bytes = 0;
    for (const auto& [place, size] : sums) bytes += size;
    most = std::max(most, bytes);
    return false;
  });
  return most;
}

/// With fewer iterations between the first and the last one, a copy costs more than it saves.
constexpr size_t kLeastInside = 2;

/// The reason for which a loop is jammed.
enum class Why : uint8_t { kSharesLoads, kHasLongSum };

class Jammer : public InnermostLoops<Jammer> {
 public:
  Jammer(Context& context, std::shared_ptr<Storage> storage, const PrimFunc& func,
         const JamLoopsOptions& options, Why why)
      : InnermostLoops(context, std::move(storage), func), options_(options), why_(why) {}

  const Stmt* TryLoop(const For* loop, int64_t min, int64_t extent) {
    const Allocated allocated = AllocatedIn(loop->body);
    if (!allocated.is_known || allocated.bytes <= 0) return nullptr;
    int64_t copies = std::min(options_.max_copies, options_.register_bytes / allocated.bytes);
    const auto limit = [&](int64_t most, int64_t least, auto&& counts) {
      const int64_t bytes = SumBytes(loop, allocated.pointers, least, counts);
      if (bytes > 0) copies = std::min(copies, most / bytes);
    };
    limit(options_.vector_bytes, options_.least_bytes,
          [](DataType dtype) { return !dtype.is_scalar(); });
    limit(options_.scalar_bytes, 0, [](DataType dtype) { return dtype.is_scalar(); });
    if (why_ == Why::kHasLongSum) {
      // A loop that is already jammed has a sum for each of its iterations.
      const int64_t sums = CountLongSums(loop, allocated.pointers);
      copies = sums == 0 ? 0 : std::min(copies, options_.max_copies / sums);
    }
    const int64_t most = copies;
    while (copies > 1 && extent % copies != 0) --copies;
    // Long sums, whose steps wait for each other or read the same vectors, are worth the code of a
    // remainder.
    const bool has_long_sums =
        why_ == Why::kHasLongSum || CountLongSums(loop, allocated.pointers) > 0;
    const bool has_rest = has_long_sums && most >= 2 && extent > most && 2 * copies <= most;
    if ((copies < 2 && !has_rest) || !IsWanted(loop, allocated) || !IsIndependent(loop))
      return nullptr;
    return has_rest ? WithRest(loop, min, extent, most) : Jammed(loop, min, extent, copies);
  }

 private:
  bool IsWanted(const For* loop, const Allocated& allocated) const {
    return why_ == Why::kHasLongSum || SharesLoads(loop, allocated.pointers, options_.scalars) ||
           (options_.scalars && SharesConditions(loop));
  }

  /// `copies` iterations together, and then the remaining ones, of which there is at least one.
  const Stmt* WithRest(const For* loop, int64_t min, int64_t extent, int64_t copies) {
    const int64_t rest = extent % copies;
    const Stmt* first = Jammed(loop, min, extent - rest, copies);
    if (first == nullptr) return nullptr;
    const For* remaining = PartOf(builder(), storage(), *loop, min + extent - rest, rest);
    const Stmt* end = rest == 1 ? remaining : Jammed(remaining, min + extent - rest, rest, rest);
    return end == nullptr ? nullptr : builder().Seq({first, end}, loop->range);
  }

  const Stmt* Jammed(const For* loop, int64_t min, int64_t extent, int64_t copies) {
    TENON_CHECK(copies >= 2 && extent % copies == 0);
    const DataType dtype = loop->loop_var->dtype;
    const Var* outer = builder().NewVar(loop->loop_var->name.view(), loop->loop_var->type);
    iterations_.clear();
    for (int64_t i = 0; i < copies; ++i) {
      const Expr* value = builder().Int(dtype, min + i);
      if (extent > copies) {
        const Expr* first = builder().New<Mul>({}, outer, builder().Int(dtype, copies));
        value = min + i == 0 ? first : builder().New<Add>({}, first, value);
      }
      iterations_.push_back(
          std::make_unique<VarReplacer>(builder().context(), storage(), loop->loop_var, value));
    }
    const Stmt* body = Together(loop->body);
    // Bounds of inner loops may depend on the iteration.
    if (body == nullptr || Mentions(body, loop->loop_var)) return nullptr;
    if (extent == copies) return body;
    return builder().New<For>(loop->range, outer, builder().Int(dtype, 0),
                              builder().Int(dtype, extent / copies), ForKind::kSerial, body);
  }

  /// The statement for all iterations; null if that is not possible.
  const Stmt* Together(const Stmt* stmt) {
    return WithStack([&] { return TogetherOf(stmt); });
  }

  const Stmt* TogetherOf(const Stmt* stmt) {
    switch (stmt->kind) {
      case NodeKind::kSeqStmt: {
        std::vector<const Stmt*> out;
        for (const Stmt* child : cast<SeqStmt>(stmt)->seq) {
          out.push_back(Together(child));
          if (out.back() == nullptr) return nullptr;
        }
        return builder().Seq(out, stmt->range);
      }
      case NodeKind::kFor: {
        For copy = *cast<For>(stmt);
        copy.body = Together(copy.body);
        return copy.body == nullptr ? nullptr : arena().New<For>(copy);
      }
      case NodeKind::kDeclBuffer: {
        // The declaration is removed, but it may have introduced the variables of the buffer's
        // shape.
        const auto* decl = cast<DeclBuffer>(stmt);
        return HasConstantLayout(*decl->buffer) ? Together(decl->body) : nullptr;
      }
      case NodeKind::kAllocate:
        return TogetherAllocated(cast<Allocate>(stmt));
      case NodeKind::kBufferStore: {
        std::vector<const Stmt*> out;
        for (auto& iteration : iterations_) out.push_back(iteration->RewriteStmt(stmt));
        return builder().Seq(out, stmt->range);
      }
      case NodeKind::kIfThenElse:
        return TogetherWhere(cast<IfThenElse>(stmt));
      case NodeKind::kEvaluate:
        return stmt;
      default:
        return nullptr;
    }
  }

  /// If all iterations choose the same branch, as for a tap of a convolution, they run together. At
  /// the border of the input, usually only the first or the last iteration chooses the other
  /// branch.
  const Stmt* TogetherWhere(const IfThenElse* choice) {
    std::vector<const Var*> counters;
    bool allocates = false;
    Walk(choice, [&](const Node* node) {
      if (const auto* loop = dyn_cast<For>(node)) counters.push_back(loop->loop_var);
      allocates |= isa<Allocate>(node);
      return Stmt::ClassOf(node);
    });
    const Stmt* then_case = allocates ? nullptr : Together(choice->then_case);
    if (then_case == nullptr) return nullptr;
    bool same = true;
    std::vector<const Expr*> conditions;
    std::vector<const Stmt*> apart;
    for (auto& iteration : iterations_) {
      conditions.push_back(iteration->RewriteExpr(choice->condition));
      same &= conditions.back() == choice->condition;
      apart.push_back(WithCounters(*iteration, choice, counters));
    }
    if (!same) {
      return builder().New<IfThenElse>(choice->range, All(conditions), then_case,
                                       AtBorder(choice, conditions, apart, counters));
    }
    const Stmt* else_case = nullptr;
    if (choice->else_case != nullptr) {
      else_case = Together(choice->else_case);
      if (else_case == nullptr) return nullptr;
    }
    return builder().New<IfThenElse>(choice->range, choice->condition, then_case, else_case);
  }

  const Expr* All(Span<const Expr*> conditions) {
    const Expr* all = conditions[0];
    for (const Expr* condition : conditions.subspan(1))
      all = builder().New<And>({}, all, condition);
    return all;
  }

  /// A copy of `stmt` with its own counters.
  const Stmt* WithCounters(VarReplacer& replacer, const Stmt* stmt,
                           const std::vector<const Var*>& counters) {
    for (const Var* counter : counters)
      replacer.var_map[counter] = builder().NewVar(counter->name.view(), counter->type);
    const Stmt* copy = replacer.RewriteStmt(stmt);
    for (const Var* counter : counters) replacer.var_map.erase(counter);
    return copy;
  }

  /// At image borders, often only the first and the last iteration choose the other branch, so the
  /// middle ones still run jammed.
  const Stmt* AtBorder(const IfThenElse* choice, const std::vector<const Expr*>& conditions,
                       const std::vector<const Stmt*>& apart,
                       const std::vector<const Var*>& counters) {
    const size_t last = apart.size() - 1;
    if (last < kLeastInside + 1) return builder().Seq(apart);
    auto first_iteration = std::move(iterations_.front());
    auto last_iteration = std::move(iterations_.back());
    iterations_.erase(iterations_.begin());
    iterations_.pop_back();
    const Stmt* inside = WithCounters(*first_iteration, Together(choice->then_case), counters);
    iterations_.insert(iterations_.begin(), std::move(first_iteration));
    iterations_.push_back(std::move(last_iteration));
    const Span<const Expr*> all(conditions);
    const Stmt* middle =
        builder().New<IfThenElse>(choice->range, All(all.subspan(1, last - 1)), inside,
                                  builder().Seq({apart.data() + 1, last - 1}));
    return builder().Seq({apart[0], middle, apart[last]});
  }

  const Stmt* TogetherAllocated(const Allocate* allocate) {
    const Var* old = allocate->buffer_var;
    std::vector<const Var*> vars;
    for (auto& iteration : iterations_) {
      vars.push_back(builder().NewVar(old->name.view(), old->type, old->range));
      iteration->var_map[old] = vars.back();
    }
    const Stmt* body = Together(allocate->body);
    if (body == nullptr) return nullptr;
    for (auto var = vars.rbegin(); var != vars.rend(); ++var) {
      Allocate copy = *allocate;
      copy.buffer_var = *var;
      copy.body = body;
      body = arena().New<Allocate>(copy);
    }
    return body;
  }

  JamLoopsOptions options_;
  Why why_;
  /// For each iteration that runs with others, its number and its own allocations.
  std::vector<std::unique_ptr<VarReplacer>> iterations_;
};

}  // namespace

absl::StatusOr<IRModule> JamLoops(const IRModule& module, const JamLoopsOptions& options,
                                  PassContext& context) {
  if (options.register_bytes < 0 || options.vector_bytes < 0 || options.scalar_bytes < 0 ||
      options.max_copies < 1 || options.max_copies > 64)
    return absl::InvalidArgumentError(
        "jam-loops: register-bytes, vector-bytes or scalar-bytes is negative, or max-copies is not "
        "1 to 64");
  const auto jam = [&](const IRModule& from, Why why) {
    return ForEachFunction(from, context, [&](const Function& function, Diagnostics&) {
      return RewriteFunction<Jammer>(from.context(), function, *function.func, options, why);
    });
  };
  IRModule now = module;
  // If the innermost loop has too few iterations for all sums, the one around it has more.
  for (const Why why : {Why::kSharesLoads, Why::kHasLongSum, Why::kHasLongSum}) now = jam(now, why);
  return now;
}

}  // namespace tenon
