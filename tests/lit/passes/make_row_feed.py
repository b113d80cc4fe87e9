# A loop over the rows of an input becomes a function that takes some of them.
# RUN: tenon-opt %s --pipeline=make-row-feed | FileCheck %s
# RUN: tenon-opt %s --pipeline=make-row-feed -o %t.py
# RUN: %python %S/../tools/Inputs/npy.py %t.x.npy i4 8 3 -1 4 1 -5 9 2 6
# RUN: tenon run %s --input %t.x.npy -q --output %t.1.npy
# RUN: tenon run %t.py --input %t.x.npy -q --output %t.2.npy
# RUN: cmp %t.1.npy %t.2.npy

# make-entry counts the rows, and begins again after the last one.
# RUN: tenon-opt %s --pipeline=make-row-feed,make-entry | FileCheck --check-prefix=ENTRY %s
# ENTRY-LABEL: def tvmgen_default_begin_rows() -> T.int32:
# ENTRY: with T.LetStmt(T.entry_data("flag", "fed_rows"), T.handle("int32", "global")) as fed_rows:
# ENTRY: {{.*}}[0] = 0
# ENTRY-LABEL: def tvmgen_default_feed_rows(rows: T.handle, count: T.int32, outputs: T.handle) -> T.int32:
# ENTRY: if count < 0 or count > 4 - first:
# ENTRY-NEXT: T.ret(-4)
# ENTRY: if count == 0:
# ENTRY-NEXT: T.ret(4 - first)
# ENTRY: status: T.int32 = T.call_extern("int32", "main_rows", rows, {{.*}}, first, count)
# ENTRY-NEXT: if status != 0:
# ENTRY-NEXT: T.ret(status)
# ENTRY: T.Select(first + count == 4, 0, first + count)
# ENTRY: T.ret(4 - first - count)
# ENTRY-LABEL: def tvmgen_default_run(
# ENTRY: {{.*}}[0] = 0
# ENTRY: T.ret(T.call_extern("int32", "main"

# An entry that does something before it is refused.
# RUN: sed '/^ *T.call_extern("int32", "group"/{h;s/group/other/;p;x}' %s > %t.other.py
# RUN: not tenon-opt %t.other.py --pipeline=make-row-feed 2>&1 | FileCheck --check-prefix=OTHER %s
# OTHER: error: rows cannot be fed: expected an entry that first calls `group`, which reads rows

from tvm.script import ir as I
from tvm.script import tir as T


@I.ir_module
class Module:
    # Statements before the loop run with the first row, and those after it with the last one.
    # CHECK-LABEL: def group(
    # CHECK: p0 = T.match_buffer(p0_handle, (count * 2,), "int32")
    # CHECK: if first == 0:
    # CHECK-NEXT: s[0] = 0
    # CHECK: for row in range(T.Select(first == 0, -1, first), T.Select(first == 0, -1, first) + (T.Select(first + count == 4, 6, first + count) - T.Select(first == 0, -1, first))):
    # CHECK: ring_1[0] = p0[row * 2 - first * 2] + p0[row * 2 + 1 - first * 2]
    # CHECK: if first + count == 4:
    # CHECK-NEXT: s[0] = s[0] + 1
    @T.prim_func(private=True)
    def group(p0: T.Buffer((8,), "int32"), ram: T.Buffer((2,), "int32"), s: T.Buffer((1,), "int32")):
        s[0] = 0
        for row in T.serial(-1, 6, annotations={"tenon.fed_rows": [4, 2, 0]}):
            ring: T.handle("int32", "global") = T.address_of(ram[0])
            ring_1 = T.Buffer((1,), "int32", data=ring)
            if row >= 0 and row < 4:
                ring_1[0] = p0[row * 2] + p0[row * 2 + 1]
            else:
                ring_1[0] = 7
            s[0] = s[0] * 3 + ring_1[0]
        s[0] = s[0] + 1

    # CHECK-LABEL: def main_rows(
    # CHECK: x = T.match_buffer({{.*}}, (count * 2,), "int32")
    # CHECK: T.call_extern("int32", "group", x.data, ram, s, first, count)
    # CHECK-NEXT: if first + count == 4:
    # CHECK: y[0] = s_1[0]
    @T.prim_func(private=True)
    def other(p0: T.Buffer((8,), "int32"), ram: T.Buffer((2,), "int32"), s: T.Buffer((1,), "int32")):
        s[0] = ram[0] + p0[0]

    # CHECK-LABEL: def main(
    # CHECK: "tenon.row_feed": ["main_rows", 0, 4, 8]
    # CHECK: T.call_extern("int32", "main_rows", x.data, y.data, 0, 4)
    @T.prim_func
    def main(x: T.Buffer((8,), "int32"), y: T.Buffer((4,), "int32")):
        T.func_attr({"global_symbol": "main", "tir.noalias": T.bool(True)})
        s: T.handle("int32", "global") = T.address_of(y[3])
        ram: T.handle("int32", "global") = T.address_of(y[1])
        T.call_extern("int32", "group", x.data, ram, s)
        s_1 = T.Buffer((1,), "int32", data=s)
        y[0] = s_1[0]
