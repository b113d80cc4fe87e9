// Puts the sum of the first and the last value minus the variable in place of the variable. The
// loop itself still counts upwards, so that later passes need no loops that count down.

#include "passes/memory/reversed_nests.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "analysis/loop_independence.h"
#include "ir/replace_var.h"
#include "ir/rewriter.h"

namespace tenon {

namespace {

/// The sum of a loop's first and last value, from which to subtract a value; nullopt if it may not
/// fit, or if there is nothing to reverse.
std::optional<int64_t> SumOfEnds(const For* loop) {
  const int64_t* min = AsIntImm(loop->min);
  const int64_t* extent = AsIntImm(loop->extent);
  const DataType dtype = loop->loop_var->dtype;
  if (min == nullptr || extent == nullptr || !dtype.is_int() || dtype.bits() < 32)
    return std::nullopt;
  if (*min < 0 || *min > INT32_MAX || *extent < 2 || *extent > INT32_MAX) return std::nullopt;
  const int64_t sum = *min + *min + *extent - 1;
  if (sum > INT32_MAX) return std::nullopt;
  return sum;
}

/// The loop that is the only content of a statement, or null.
const For* OnlyLoop(const Stmt* stmt) {
  while (true) {
    if (const auto* allocate = dyn_cast<Allocate>(stmt)) {
      stmt = allocate->body;
    } else if (const auto* constant = dyn_cast<AllocateConst>(stmt)) {
      stmt = constant->body;
    } else if (const auto* decl = dyn_cast<DeclBuffer>(stmt)) {
      stmt = decl->body;
    } else {
      return dyn_cast<For>(stmt);
    }
  }
}

class NestReverser : public Rewriter<NestReverser> {
 public:
  NestReverser(Context& context, std::shared_ptr<Storage> storage, const PrimFunc& func,
               size_t depth)
      : Rewriter(context, std::move(storage)), pointers_(func), depth_(depth) {}

  const Stmt* RewriteFor(const For* loop) {
    const std::optional<int64_t> sum = SumOfEnds(loop);
    if (!sum || loop->for_kind != ForKind::kSerial || loop->annotations != nullptr ||
        !IterationsAreIndependent(pointers_, around_, loop))
      return loop;
    For copy = *loop;
    around_.push_back(loop);
    if (around_.size() < depth_ && OnlyLoop(loop->body) != nullptr)
      copy.body = RewriteAny(loop->body);
    around_.pop_back();
    const Var* var = loop->loop_var;
    const Expr* reversed = builder().New<Sub>({}, builder().Int(var->dtype, *sum), var);
    copy.body = VarReplacer(builder().context(), storage(), var, reversed).RewriteStmt(copy.body);
    return arena().New<For>(copy);
  }

 private:
  FunctionStorage pointers_;
  size_t depth_;
  std::vector<const For*> around_;
};

}  // namespace

Function WithReversedNests(Context& context, const Function& function, size_t depth) {
  return RewriteFunction<NestReverser>(context, function, *function.func, depth);
}

}  // namespace tenon
