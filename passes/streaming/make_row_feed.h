#ifndef TENON_PASSES_STREAMING_MAKE_ROW_FEED_H_
#define TENON_PASSES_STREAMING_MAKE_ROW_FEED_H_

#include "passes/pass.h"

namespace tenon {

/// Makes a function that continues the entry with the next rows of its input.
///
///   before:
///     def copy_to_blur(p0: T.Buffer((64,), "int32"), output: T.Buffer((48,), "int32"), ram: ...):
///         ...
///         for row in T.serial(64, annotations={"tenon.fed_rows": [8, 8, 0]}):
///             T.call_extern("int32", "copy_rows", T.address_of(p0[row * 8]), ...)
///             ...
///     def main(x: T.Buffer((64,), "int32"), y: T.Buffer((12,), "int32"), ram: ...):
///         T.call_extern("int32", "copy_to_blur", x.data, T.address_of(ram[96]), ram.data)
///         T.call_extern("int32", "pool", T.address_of(ram[96]), y.data, ram.data)
///   after:
///     def copy_to_blur(p0: T.Buffer((count * 8,), "int32"), output: ..., ram: ..., first: T.int32,
///         count: T.int32):
///         ...
///         for row in range(first, first + count):
///             T.call_extern("int32", "copy_rows", T.address_of(p0[row * 8 - first * 8]), ...)
///             ...
///     def main_rows(x: T.Buffer((count * 8,), "int32"), y: ..., ram: ..., first: T.int32,
///         count: T.int32):
///         T.call_extern("int32", "copy_to_blur", x.data, ..., first, count)
///         if first + count == 8:
///             T.call_extern("int32", "pool", T.address_of(ram[96]), y.data, ram.data)
///     def main(x: T.Buffer((64,), "int32"), y: T.Buffer((12,), "int32"), ram: ...):
///         T.func_attr({"tenon.row_feed": ["main_rows", 0, 8, 32]})
///         T.call_extern("int32", "main_rows", x.data, y.data, ram.data, 0, 8)
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
