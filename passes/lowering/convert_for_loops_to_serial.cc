// Any order of iterations is right for a parallel loop, so the serial one needs no proof.
// Thread-bound loops stay: their variables are known outside of the function.

#include "passes/lowering/convert_for_loops_to_serial.h"

#include "ir/rewriter.h"

namespace tenon {

namespace {

class Serializer : public Rewriter<Serializer> {
 public:
  using Rewriter::Rewriter;

  const Stmt* RewriteFor(const For* loop) {
    const For* now = RewriteChildren(loop);
    if (now->for_kind != ForKind::kParallel) return now;
    return builder().New<For>(now->range, now->loop_var, now->min, now->extent, ForKind::kSerial,
                              now->body,
                              /*thread_binding=*/nullptr, now->annotations);
  }
};

}  // namespace

absl::StatusOr<IRModule> ConvertForLoopsToSerial(const IRModule& module, const NoOptions&,
                                                 PassContext& context) {
  return ForEachFunction(module, context, [&](const Function& function, Diagnostics&) {
    return RewriteFunction<Serializer>(module.context(), function);
  });
}

}  // namespace tenon
