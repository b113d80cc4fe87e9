// A fixed number of tasks bounds the memory, while a copy for each iteration would not. Copies are
// whole cache lines, so that two threads never write to one line.

#include "passes/memory/place_parallel_scratch.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>

#include "absl/container/flat_hash_set.h"
#include "ir/analysis/parallel_loops.h"
#include "ir/analysis/stack_arrays.h"
#include "ir/builtins.h"
#include "ir/const_fold.h"
#include "ir/extents.h"
#include "ir/rewriter.h"
#include "support/check.h"

namespace tenon {

namespace {

/// The size of a block that the caches of two cores do not share.
constexpr int64_t kCacheLine = 64;

/// True for an allocation that would be planned with serial loops, and is too large for the stack.
bool IsLarge(const Allocate& allocate, int64_t stack) {
  return IsPoolScope(allocate.buffer_var->type->scope) && IsConstInt(allocate.condition, 1) &&
         IsLargeScratch(allocate, stack);
}

struct Counts {
  std::atomic<int64_t> copied = 0;
  std::atomic<int64_t> serial = 0;
};

class ScratchPlacer : public Rewriter<ScratchPlacer> {
 public:
  ScratchPlacer(Context& context, std::shared_ptr<Storage> storage,
                const PlaceParallelScratchOptions& options,
                const absl::flat_hash_set<const Call*>& heavy_calls, Counts& counts)
      : Rewriter(context, std::move(storage)),
        options_(options),
        heavy_calls_(heavy_calls),
        counts_(counts) {}

  const Stmt* RewriteFor(const For* loop) {
    if (loop->for_kind != ForKind::kParallel) return RewriteChildren(loop);
    std::vector<const Allocate*> large;
    if (!RunsOnThreads(loop) || !Collect(loop, large)) return Serial(loop);
    if (large.empty()) return loop;
    if (const Stmt* placed = Place(loop, large)) return placed;
    return Serial(loop);
  }

  const Stmt* RewriteAllocate(const Allocate* allocate) {
    const auto found = copies_.find(allocate);
    if (found == copies_.end()) return RewriteChildren(allocate);
    const Copies& copies = found->second;
    const SourceRange range = allocate->range;
    const Expr* first = Fold(NodeKind::kMul, task_, Number(copies.elements));
    const Expr* address = builder().NewCall(DataType::Handle(), OpKind::kAddressOf,
                                            {builder().Load(copies.buffer, {first}, range)}, range);
    return builder().New<LetStmt>(range, allocate->buffer_var, address, RewriteAny(allocate->body));
  }

 private:
  /// The copies of an allocation, one after another.
  struct Copies {
    const Buffer* buffer = nullptr;
    int64_t elements = 0;  ///< of each copy
  };

  /// The large scratch of a loop; false if it cannot have copies.
  bool Collect(const For* loop, std::vector<const Allocate*>& large) const {
    bool ok = true;
    Walk(loop->body, [&](const Node* node) {
      const auto* allocate = dyn_cast<Allocate>(node);
      if (allocate != nullptr && IsLarge(*allocate, options_.stack)) {
        large.push_back(allocate);
        ok &= StaticBytes(allocate->dtype, allocate->extents).has_value();
      }
      if (const auto* call = dyn_cast<Call>(node)) ok &= !heavy_calls_.contains(call);
      return ok;
    });
    return ok && (large.empty() || AsIntImm(loop->extent) != nullptr);
  }

  const Stmt* Serial(const For* loop) {
    const For* now = RewriteChildren(loop);
    ++counts_.serial;
    return builder().New<For>(now->range, now->loop_var, now->min, now->extent, ForKind::kSerial,
                              now->body, /*thread_binding=*/nullptr, now->annotations);
  }

  const Expr* Number(int64_t value) { return builder().Int(index_, value); }
  /// An operator, folded; both sides have the loop's dtype.
  const Expr* Fold(NodeKind kind, const Expr* a, const Expr* b) {
    const Expr* folded = TryConstFold(builder(), kind, a, b);
    return folded != nullptr ? folded : MakeBinary(builder(), kind, a, b);
  }

  /// Makes space for `copies` of each; false if an index would not fit the loop's dtype.
  bool MakeCopies(const std::vector<const Allocate*>& large, int64_t copies,
                  std::vector<const Allocate*>& all) {
    for (const Allocate* allocate : large) {
      const int64_t element = std::max<int64_t>(allocate->dtype.bytes(), 1);
      const std::optional<int64_t> each = StaticBytes(allocate->dtype, allocate->extents);
      TENON_CHECK(each.has_value());
      int64_t elements = *each / element;
      while (elements * element % kCacheLine != 0) ++elements;
      int64_t total = 0;
      const int bits = index_.is_uint() ? index_.bits() : index_.bits() - 1;
      int64_t bytes = 0;
      if (__builtin_mul_overflow(elements, copies, &total) ||
          __builtin_mul_overflow(total, element, &bytes) || (bits < 63 && (total >> bits) != 0))
        return false;
      const std::string name = fmt::format("{}_all", allocate->buffer_var->name.view());
      const Var* var = builder().NewVar(name, allocate->buffer_var->type, allocate->range);
      const auto extents = builder().List<Expr>({Number(total)});
      copies_[allocate] = {builder().New<Buffer>(allocate->range, builder().context().Intern(name),
                                                 var, allocate->dtype, extents, builder().Int(0)),
                           elements};
      all.push_back(builder().New<Allocate>(allocate->range, var, allocate->dtype, extents,
                                            allocate->condition, allocate->annotations, nullptr));
    }
    return true;
  }

  const Stmt* Place(const For* loop, const std::vector<const Allocate*>& large) {
    index_ = loop->loop_var->dtype;
    const int64_t count = *AsIntImm(loop->extent);
    const int64_t most = std::clamp<int64_t>(options_.copies, 1, count);
    const int64_t each = count / most + (count % most != 0);
    const int64_t tasks = count / each + (count % each != 0);
    std::vector<const Allocate*> all;
    if (tasks < 2 || !MakeCopies(large, tasks, all)) {
      copies_.clear();
      return nullptr;
    }
    const SourceRange range = loop->range;
    const Var* task = builder().NewVar("task", index_, range);
    task_ = task;
    const Expr* first = Fold(NodeKind::kMul, task, Number(each));
    const Expr* extent = Number(each);
    if (count % each != 0)
      extent = Fold(NodeKind::kMin, extent, Fold(NodeKind::kSub, Number(count), first));
    const Stmt* body = RewriteAny(loop->body);
    body =
        builder().New<For>(range, loop->loop_var, Fold(NodeKind::kAdd, loop->min, first), extent,
                           ForKind::kSerial, body, /*thread_binding=*/nullptr, loop->annotations);
    body = builder().New<For>(range, task, Number(0), Number(tasks), ForKind::kParallel, body);
    for (const Allocate* allocate : all) {
      Allocate copy = *allocate;
      copy.body = body;
      body = arena().New<Allocate>(copy);
    }
    counts_.copied += static_cast<int64_t>(large.size());
    copies_.clear();
    return body;
  }

  const PlaceParallelScratchOptions& options_;
  const absl::flat_hash_set<const Call*>& heavy_calls_;
  Counts& counts_;
  absl::flat_hash_map<const Allocate*, Copies> copies_;
  /// The dtype of the current loop's variable, and the number of the task.
  DataType index_;
  const Expr* task_ = nullptr;
};

}  // namespace

absl::StatusOr<IRModule> PlaceParallelScratch(const IRModule& module,
                                              const PlaceParallelScratchOptions& options,
                                              PassContext& context) {
  if (options.copies < 1 || options.stack < 1) {
    context.diagnostics.Error(DiagnosticKind::kPass, {},
                              "place-parallel-scratch: copies and stack are at least 1");
    return module;
  }
  const absl::flat_hash_set<const Call*> heavy_calls = CallsOfLargeScratch(
      module, [&](const Allocate& allocate) { return IsLarge(allocate, options.stack); });
  Counts counts;
  IRModule result = ForEachFunction(module, context, [&](const Function& function, Diagnostics&) {
    return RewriteFunction<ScratchPlacer>(module.context(), function, options, heavy_calls, counts);
  });
  context.Count("place-parallel-scratch.copied", counts.copied);
  context.Count("place-parallel-scratch.serial", counts.serial);
  return result;
}

}  // namespace tenon
