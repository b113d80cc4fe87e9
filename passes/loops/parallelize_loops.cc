// A cost model with one question: does the work of a loop pay for a barrier? The walk goes from the
// outside in, since a loop inside has a barrier in each iteration of the loops around it.

#include "passes/loops/parallelize_loops.h"

#include <algorithm>
#include <atomic>
#include <vector>

#include "analysis/loop_independence.h"
#include "ir/builtins.h"
#include "ir/rewriter.h"
#include "schedule/machine.h"

namespace tenon {

namespace {

/// The work of a function of the C library, in additions.
constexpr double kFunctionWork = 20;

/// Estimates the operations of statements. A loop whose extent is not constant counts as one
/// iteration, and of two branches the one with more work counts.
class WorkCounter {
 public:
  static double Of(const Stmt* stmt) {
    if (stmt == nullptr) return 0;
    switch (stmt->kind) {
      case NodeKind::kFor: {
        const auto* loop = cast<For>(stmt);
        const int64_t* extent = AsIntImm(loop->extent);
        return (extent == nullptr ? 1.0 : static_cast<double>(*extent)) * (1 + Of(loop->body));
      }
      case NodeKind::kIfThenElse: {
        const auto* branch = cast<IfThenElse>(stmt);
        return Of(branch->condition) + std::max(Of(branch->then_case), Of(branch->else_case));
      }
      case NodeKind::kBufferStore: {
        const auto* store = cast<BufferStore>(stmt);
        return Of(store->value) + Size(store->value->dtype);
      }
      case NodeKind::kSeqStmt: {
        double work = 0;
        for (const Stmt* item : cast<SeqStmt>(stmt)->seq) work += Of(item);
        return work;
      }
      case NodeKind::kAllocate:
        return Of(cast<Allocate>(stmt)->body);
      case NodeKind::kAllocateConst:
        return Of(cast<AllocateConst>(stmt)->body);
      case NodeKind::kDeclBuffer:
        return Of(cast<DeclBuffer>(stmt)->body);
      case NodeKind::kAttrStmt:
        return Of(cast<AttrStmt>(stmt)->body);
      case NodeKind::kLetStmt:
        return Of(cast<LetStmt>(stmt)->value) + Of(cast<LetStmt>(stmt)->body);
      default:
        return 1;
    }
  }

 private:
  /// Registers of a value.
  static double Size(DataType dtype) {
    const int64_t bytes = dtype.is_scalable() ? kLargeRegister : dtype.bytes();
    return std::max(1.0, static_cast<double>(bytes) / static_cast<double>(kLargeRegister));
  }

  static double Of(const Expr* value) {
    double work = 0;
    Walk(value, [&](const Node* node) {
      if (const auto* load = dyn_cast<BufferLoad>(node)) {
        work += Size(load->dtype);
        return false;
      }
      const auto* expr = dyn_cast<Expr>(node);
      if (expr == nullptr) return true;
      if (BinaryExpr::ClassOf(expr) || isa<Select>(expr) || isa<Cast>(expr))
        work += Size(expr->dtype);
      if (const auto* call = dyn_cast<Call>(expr)) work += OfCall(call);
      return true;
    });
    return work;
  }

  static double OfCall(const Call* call) {
    const bool is_function = call->dtype.is_floating() && !IsInstruction(call->op->kind);
    return is_function ? kFunctionWork * call->dtype.lanes() : Size(call->dtype);
  }

  static bool IsInstruction(OpKind op) {
    switch (op) {
      case OpKind::kSqrt:
      case OpKind::kFabs:
      case OpKind::kFloor:
      case OpKind::kCeil:
      case OpKind::kTrunc:
      case OpKind::kIfThenElse:
      case OpKind::kReinterpret:
        return true;
      default:
        return false;
    }
  }
};

class LoopParallelizer : public Rewriter<LoopParallelizer> {
 public:
  LoopParallelizer(Context& context, std::shared_ptr<Storage> storage, const PrimFunc& func,
                   const ParallelizeLoopsOptions& options, std::atomic<int64_t>& loops)
      : Rewriter(context, std::move(storage)), pointers_(func), options_(options), loops_(loops) {}

  const Stmt* RewriteFor(const For* loop) {
    if (loop->for_kind == ForKind::kParallel) ++parallel_;
    if (loop->for_kind != ForKind::kSerial || WorkCounter::Of(loop) < MinWork()) return loop;
    const bool can = CanRunOnThreads(loop);
    if (can && *AsIntImm(loop->extent) >= options_.iterations) return Parallel(loop);
    const int64_t before = parallel_;
    around_.push_back(loop);
    const For* now = RewriteChildren(loop);
    around_.pop_back();
    return can && parallel_ == before ? Parallel(loop) : now;
  }

 private:
  double MinWork() const { return static_cast<double>(options_.min_work); }

  bool CanRunOnThreads(const For* loop) const {
    const int64_t* extent = AsIntImm(loop->extent);
    return extent != nullptr && *extent > 1 && AsIntImm(loop->min) != nullptr &&
           loop->annotations == nullptr && IterationsAreIndependent(pointers_, around_, loop);
  }

  const Stmt* Parallel(const For* loop) {
    ++parallel_;
    ++loops_;
    For copy = *loop;
    copy.for_kind = ForKind::kParallel;
    return arena().New<For>(copy);
  }

  const FunctionStorage pointers_;
  const ParallelizeLoopsOptions& options_;
  std::vector<const For*> around_;
  /// Parallel loops so far.
  int64_t parallel_ = 0;
  std::atomic<int64_t>& loops_;
};

}  // namespace

absl::StatusOr<IRModule> ParallelizeLoops(const IRModule& module,
                                          const ParallelizeLoopsOptions& options,
                                          PassContext& context) {
  if (options.min_work < 0 || options.iterations < 1)
    return absl::InvalidArgumentError(
        "parallelize-loops: expected min-work of 0 or more, and iterations of 1 or more");
  std::atomic<int64_t> loops = 0;
  absl::StatusOr<IRModule> result =
      ForEachFunction(module, context, [&](const Function& function, Diagnostics&) {
        return RewriteFunction<LoopParallelizer>(module.context(), function, *function.func,
                                                 options, loops);
      });
  context.Count("parallelize-loops.loops", loops);
  return result;
}

}  // namespace tenon
