#ifndef TENON_PASSES_STREAMING_STREAM_OPERATORS_H_
#define TENON_PASSES_STREAMING_STREAM_OPERATORS_H_

#include "passes/pass.h"

namespace tenon {

struct StreamOperatorsOptions {
  int64_t enough_bytes = 0;

  static constexpr auto List() {
    return std::make_tuple(PassOption<StreamOperatorsOptions, int64_t>{
        "enough-bytes", &StreamOperatorsOptions::enough_bytes,
        "do not make the workspace smaller than this"});
  }
};

/// Runs neighbouring operators of the entry together, row by row, so that only a few rows of the
/// tensors between them are in memory.
///
///   before:
///     @T.prim_func(private=True)
///     def scale(p0: T.Buffer((64,), "int32"), output: T.Buffer((64,), "int32")):
///         T.func_attr({"tenon.origins": ["scale"], "tir.noalias": T.bool(True)})
///         for y, x in T.grid(8, 8):
///             output[y * 8 + x] = p0[y * 8 + x] * 3
///
///     @T.prim_func(private=True)
///     def sum(p0: T.Buffer((64,), "int32"), output: T.Buffer((48,), "int32")):
///         T.func_attr({"tenon.origins": ["sum"], "tir.noalias": T.bool(True)})
///         for y, x in T.grid(6, 8):
///             output[y * 8 + x] = p0[y * 8 + x] + p0[y * 8 + x + 16]
///
///     def main(x: T.Buffer((64,), "int32"), y: T.Buffer((48,), "int32")):
///         a = T.allocate([64], "int32", "global")
///         T.call_extern("int32", "scale", x.data, a)
///         T.call_extern("int32", "sum", a, y.data)
///   after:
///     ...
absl::StatusOr<IRModule> StreamOperators(const IRModule& module,
                                         const StreamOperatorsOptions& options,
                                         PassContext& context);

}  // namespace tenon

#endif  // TENON_PASSES_STREAMING_STREAM_OPERATORS_H_
