#ifndef TENON_PASSES_STREAMING_MAKE_ROW_FEED_H_
#define TENON_PASSES_STREAMING_MAKE_ROW_FEED_H_

#include "passes/pass.h"

namespace tenon {

/// Makes a function that continues the entry with the next rows of its input.
///
///   before:
///     @T.prim_func(private=True)
///     def sum_rows(p0: T.Buffer((8,), "int32"), s: T.Buffer((2,), "int32")):
///         s[0] = 0
///         for row in T.serial(4, annotations={"tenon.fed_rows": [4, 2, 0]}):
///             s[0] = s[0] * 3 + p0[row * 2]
///     @T.prim_func
///     def main(x: T.Buffer((8,), "int32"), y: T.Buffer((2,), "int32")):
///         T.call_extern("int32", "sum_rows", x.data, y.data)
///         y[1] = y[0] + 1
///   after:
///     @T.prim_func(private=True)
///     def main_rows(x_handle: T.handle, y: T.Buffer((2,), "int32"), first: T.int32,
///             count: T.int32):
///         x = T.match_buffer(x_handle, (count * 2,), "int32")
///         T.call_extern("int32", "sum_rows", x.data, y.data, first, count)
///         if first + count == 4:
///             y[1] = y[0] + 1
///     @T.prim_func(private=True)
///     def sum_rows(p0_handle: T.handle, s: T.Buffer((2,), "int32"), first: T.int32,
///             count: T.int32):
///         p0 = T.match_buffer(p0_handle, (count * 2,), "int32")
///         if first == 0:
///             s[0] = 0
///         for row in range(first, first + count):
///             s[0] = s[0] * 3 + p0[row * 2 - first * 2]
///     @T.prim_func
///     def main(x: T.Buffer((8,), "int32"), y: T.Buffer((2,), "int32")):
///         T.func_attr({"tenon.row_feed": ["main_rows", 0, 4, 8]})
///         T.call_extern("int32", "main_rows", x.data, y.data, 0, 4)
///
/// stream-operators with `feed-rows` has made the loop. The module is planned, so that all that a
/// later call needs has its place in a pool. Statements before the loop run with the first row, and
/// those after it with the last one, as do iterations of the loop that take no row. So calls that
/// pass all rows in order run the same statements in the same order as the entry did before.
/// make-entry makes the functions for applications. A module without such a loop stays unchanged.
absl::StatusOr<IRModule> MakeRowFeed(const IRModule& module, const NoOptions& options,
                                     PassContext& context);

}  // namespace tenon

#endif  // TENON_PASSES_STREAMING_MAKE_ROW_FEED_H_
