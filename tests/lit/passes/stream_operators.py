# Operators run together row by row. A ring keeps the rows that readers still need.
# RUN: tenon-opt %s --pipeline='stream-operators{copy-borders=false}' --timing -o %t.py 2>&1 | FileCheck --check-prefix=COUNT %s
# RUN: FileCheck %s < %t.py
# COUNT-DAG: 1 {{ *}}stream-operators.groups
# COUNT-DAG: 4 {{ *}}stream-operators.operators

# An operand from outside of the group is copied between pads instead, unless its rows are too large.
# RUN: tenon-opt %s --pipeline=stream-operators | FileCheck --check-prefix=PADS %s
# PADS-NOT: def first_row_
# PADS: def first_to_total(
# PADS: p0_pad = T.allocate([24], "int8", "global")
# PADS: T.call_extern("int32", "first_rows", T.address_of(p0[{{.*}}]), T.address_of(a_1[64]))
# PADS: for kept, i in T.grid(3, 8):
# PADS: p0_pad_1[kept * 8 + i] = p0[
# PADS: p0_pad_1[kept * 8 + i] = T.int8(0)
# PADS: T.call_extern("int32", "first_rows", p0_pad, T.address_of(a_1[64]))

# The rows of the input come one after another: the group has a loop over them, and a ring of three.
# RUN: tenon-opt %s --pipeline='stream-operators{feed-rows=true}' -o %t.fed.py
# RUN: FileCheck --check-prefix=FED %s < %t.fed.py
# FED-LABEL: def feed_to_total(
# FED: x_rows = T.allocate([24], "int8", "global")
# FED: for row in T.serial(-1, 10, annotations={"tenon.fed_rows": [8, 8, 0]}):
# FED: x_rows_1[kept * 8 + i] = x_rows_1[kept * 8 + i + 8]
# FED: T.call_extern("int32", "feed_rows", T.address_of(p0[row * 8]), T.address_of(x_rows_1[16]))
# FED: T.call_extern("int32", "first_rows", T.address_of(x_rows_1[0]), T.address_of(a_1[64]))

# A limit that is reached without groups leaves the module alone.
# RUN: tenon-opt %s --pipeline='stream-operators{enough-bytes=4096}' --compare %s | FileCheck --check-prefix=ENOUGH %s
# ENOUGH: equal

from tvm.script import ir as I
from tvm.script import tir as T


@I.ir_module
class Module:
    # Pads of a sum of integers are stored: the zero point in the ring makes each step 0.
    # CHECK-LABEL: def conv_rows(
    # CHECK: p0 = T.match_buffer(p0_handle, (96,), "int8"
    # CHECK: for ky, kx in T.grid(3, 3):
    # CHECK-NEXT: if kx + x > 0 and kx + x < 9:
    # CHECK-NOT: def conv_row_0
    @T.prim_func(private=True)
    def conv(p0_handle: T.handle, q_handle: T.handle):
        T.func_attr({"tenon.origins": ["conv"], "tir.noalias": T.bool(True)})
        p0 = T.match_buffer(p0_handle, (256,), "int8", scope="global.workspace")
        q = T.match_buffer(q_handle, (256,), "int8", scope="global.workspace")
        w = T.allocate_const([1, -2, 3, 1, 5, -1, 2, 1, 2], "int8", [9])
        for y, x, c in T.grid(8, 8, 4):
            s = T.allocate([1], "int32", "global")
            s_1 = T.Buffer((1,), "int32", data=s)
            s_1[0] = 0
            for ky in range(3):
                if y + ky > 0 and y + ky < 9:
                    for kx in range(3):
                        if x + kx > 0 and x + kx < 9:
                            w_1 = T.Buffer((9,), "int8", data=w)
                            s_1[0] = s_1[0] + T.Cast("int32", w_1[ky * 3 + kx]) * (T.Cast("int32", p0[y * 32 + ky * 32 + x * 4 + kx * 4 + c - 36]) + 7)
            q[y * 32 + x * 4 + c] = T.Cast("int8", T.max(T.min(T.shift_right(s_1[0], 2), 127), -128))

    # The input of the group has no pads: the first and the last row have functions of their own.
    # CHECK-LABEL: def first_row_0(
    # CHECK: if ky > 0:
    # CHECK-LABEL: def first_row_7(
    # CHECK: if ky < 2:
    # CHECK-LABEL: def first_rows(
    # CHECK-NOT: if
    # CHECK-LABEL: def first_to_total(
    @T.prim_func(private=True)
    def first(p0: T.Buffer((64,), "int8"), q_handle: T.handle):
        T.func_attr({"tenon.origins": ["first"], "tir.noalias": T.bool(True)})
        q = T.match_buffer(q_handle, (256,), "int8", scope="global.workspace")
        for y, x, c in T.grid(8, 8, 4):
            q[y * 32 + x * 4 + c] = T.int8(0)
            for ky in range(3):
                if y + ky > 0 and y + ky < 9:
                    q[y * 32 + x * 4 + c] = q[y * 32 + x * 4 + c] + p0[y * 8 + ky * 8 + x - 8]

    # The ring of the first tensor has three rows for the kernel; the addition reads row 1 of them.
    # CHECK: [[A:a]] = T.allocate([96], "int8", "global.workspace")
    # CHECK: [[B:b]] = T.allocate([32], "int8", "global.workspace")
    # CHECK: [[C:c]] = T.allocate([32], "int8", "global.workspace")
    # CHECK: T.call_extern("int32", "total_begin", s)
    # CHECK: for step in range(
    # Two rows move up.
    # CHECK: for kept in range(2):
    # CHECK: a_1[kept * 32 + i] = a_1[kept * 32 + i + 32]
    # CHECK: T.call_extern("int32", "first_row_0", T.address_of(p0[0]), T.address_of(a_1[64]))
    # Rows outside of the tensor are pads.
    # CHECK: a_1[i + 64] = T.int8(-7)
    # CHECK: T.call_extern("int32", "conv_rows", T.address_of(a_1[0]), T.address_of(b_1[0]))
    # CHECK: T.call_extern("int32", "add_rows", T.address_of(a_1[32]), T.address_of(b_1[0]), T.address_of(c_1[0]))
    # CHECK: T.call_extern("int32", "total_rows", T.address_of(c_1[0]), s)
    # CHECK: T.call_extern("int32", "total_end", output.data, s)
    @T.prim_func(private=True)
    def add(p0_handle: T.handle, p1_handle: T.handle, q_handle: T.handle):
        T.func_attr({"tenon.origins": ["add"], "tir.noalias": T.bool(True)})
        p0 = T.match_buffer(p0_handle, (256,), "int8", scope="global.workspace")
        p1 = T.match_buffer(p1_handle, (256,), "int8", scope="global.workspace")
        q = T.match_buffer(q_handle, (256,), "int8", scope="global.workspace")
        for i in range(256):
            q[i] = p0[i] + p1[i]

    # CHECK-LABEL: def total_begin(
    # CHECK: s_1[c] = 0
    # CHECK-LABEL: def total_end(
    # CHECK-LABEL: def total_rows(
    # CHECK: for c, x in T.grid(4, 8):
    # CHECK-NEXT: s[c] = T.Cast("int32", p0[x * 4 + c]) + s[c]
    @T.prim_func(private=True)
    def total(p0_handle: T.handle, q: T.Buffer((4,), "int8")):
        T.func_attr({"tenon.origins": ["total"], "tir.noalias": T.bool(True)})
        p0 = T.match_buffer(p0_handle, (256,), "int8", scope="global.workspace")
        for c in range(4):
            s = T.allocate([1], "int32", "global")
            s_1 = T.Buffer((1,), "int32", data=s)
            s_1[0] = 0
            for y, x in T.grid(8, 8):
                s_1[0] = s_1[0] + T.Cast("int32", p0[y * 32 + x * 4 + c])
            q[c] = T.Cast("int8", T.Div(s_1[0], 64))

    # CHECK-LABEL: def main(
    # CHECK-NOT: T.allocate
    # CHECK: T.call_extern("int32", "first_to_total", x.data, y.data)
    @T.prim_func
    def main(x: T.Buffer((64,), "int8"), y: T.Buffer((4,), "int8")):
        T.func_attr({"tir.noalias": T.bool(True)})
        a = T.allocate([256], "int8", "global.workspace")
        b = T.allocate([256], "int8", "global.workspace")
        c = T.allocate([256], "int8", "global.workspace")
        T.call_extern("int32", "first", x.data, a)
        T.call_extern("int32", "conv", a, b)
        T.call_extern("int32", "add", a, b, c)
        T.call_extern("int32", "total", c, y.data)
