// my-opt: tenon-opt with one more pass.
#include <atomic>

#include "tenon/ir/rewriter.h"
#include "tenon/tools/opt_main.h"
#include "unroll_short_loops.h"

// The table of passes: kPasses, with a row for each row of my_passes.def.
#include "tenon/passes/pipeline/pass_table.h"
#define TENON_PASS_LIST "my_passes.def"
#include "tenon/passes/pipeline/define_passes.def"

namespace tenon {

namespace {

class Unroller : public Rewriter<Unroller> {
 public:
  Unroller(Context& context, std::shared_ptr<Storage> storage, int64_t most,
           std::atomic<int64_t>& count)
      : Rewriter(context, std::move(storage)), most_(most), count_(count) {}

  const Stmt* RewriteFor(const For* loop) {
    const For* now = RewriteChildren(loop);
    const int64_t* extent = AsIntImm(now->extent);
    if (now->for_kind != ForKind::kSerial || extent == nullptr || *extent > most_) return now;
    ++count_;
    return builder().New<For>(now->range, now->loop_var, now->min, now->extent, ForKind::kUnrolled,
                              now->body, /*thread_binding=*/nullptr, now->annotations);
  }

 private:
  const int64_t most_;
  std::atomic<int64_t>& count_;
};

}  // namespace

absl::StatusOr<IRModule> UnrollShortLoops(const IRModule& module,
                                          const UnrollShortLoopsOptions& options,
                                          PassContext& context) {
  std::atomic<int64_t> count = 0;  // functions may be rewritten on several threads
  IRModule result = ForEachFunction(module, context, [&](const Function& function, Diagnostics&) {
    return RewriteFunction<Unroller>(module.context(), function, options.most, count);
  });
  context.Count("unroll-short-loops.loops", count);
  return result;
}

}  // namespace tenon

int main(int argc, char** argv) { return tenon::OptMain(argc, argv, {tenon::kPasses}); }
