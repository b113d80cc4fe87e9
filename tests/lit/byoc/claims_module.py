# RUN: rm -f %t.txt
# RUN: tenon compile %s --targets=npu '--generator=npu=%python %S/Inputs/describing_generator.py %source/python/claims %t.txt' -o %t.c 2> /dev/null
# RUN: FileCheck %s --input-file=%t.txt
# The module tenon_claims says what follows the sum of an operator, and what it does not understand.

from tvm.script import ir as I
from tvm.script import tir as T

@I.ir_module
class Module:
    # CHECK-DAG: conv conv2d ['{{.*}}] conv not plain understood bias=element (0 + co * 1) activation=relu pads=[(1, 1), (1, 1)] zero_points=[0, 0] rounding=None
    @T.prim_func
    def conv(x: T.Buffer((1, 5, 6, 2), "float32"), y: T.Buffer((1, 5, 6, 3), "float32"), w: T.Buffer((3, 3, 2, 3), "float32"), b: T.Buffer((3,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        acc = T.allocate([1], "float32", "global")
        s = T.Buffer((1,), data=acc)
        for h, v, o in T.grid(5, 6, 3):
            s[0] = T.float32(0)
            for r, q, c in T.grid(3, 3, 2):
                s[0] = s[0] + T.if_then_else(1 <= h + r and h + r < 6 and 1 <= v + q and v + q < 7, x[0, h + r - 1, v + q - 1, c], T.float32(0)) * w[r, q, c, o]
            y[0, h, v, o] = T.max(s[0] + b[o], T.float32(0))

    # CHECK-DAG: plain dense ['{{.*}}] dot plain understood bias=None activation=none pads=[] zero_points=[0, 0] rounding=None
    @T.prim_func
    def plain(x: T.Buffer((4,), "float32"), y: T.Buffer((2,), "float32"), w: T.Buffer((2, 4), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for n in range(2):
            y[n] = T.float32(0)
            for k in range(4):
                y[n] = y[n] + x[k] * w[n, k]

    # CHECK-DAG: other dense ['{{.*}}] dot not plain not understood
    @T.prim_func
    def other(x: T.Buffer((4,), "float32"), y: T.Buffer((2,), "float32"), w: T.Buffer((2, 4), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        acc = T.allocate([1], "float32", "global")
        s = T.Buffer((1,), data=acc)
        for n in range(2):
            s[0] = T.float32(0)
            for k in range(4):
                s[0] = s[0] + x[k] * w[n, k]
            y[n] = T.exp(s[0])

    # CHECK-DAG: quantised dense ['{{.*}}] dot not plain understood bias=[5, -6] activation=clip pads=[] zero_points=[-128, 0] rounding=once
    @T.prim_func
    def quantised(x: T.Buffer((4,), "int8"), y: T.Buffer((2,), "int8")):
        T.func_attr({"tir.noalias": T.bool(True)})
        w = T.allocate_const([1, 2, 3, 4, 5, 6, 7, -8], "int8", [8])
        b = T.allocate_const([5, -6], "int32", [2])
        w_1 = T.Buffer((8,), "int8", data=w)
        b_1 = T.Buffer((2,), "int32", data=b)
        acc = T.allocate([1], "int32", "global")
        s = T.Buffer((1,), "int32", data=acc)
        for n in range(2):
            s[0] = 0
            for k in range(4):
                s[0] = s[0] + (T.Cast("int32", x[k]) + 128) * T.Cast("int32", w_1[n * 4 + k])
            y[n] = T.Cast("int8", T.max(T.min(T.q_multiply_shift(s[0] + b_1[n], 1278221461, 31, -2) + 3, 60), 3))

    # CHECK-DAG: copy layout no contraction
    @T.prim_func
    def copy(x: T.Buffer((4,), "float32"), y: T.Buffer((4,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i in range(4):
            y[i] = x[3 - i]

    @T.prim_func
    def main(x: T.Buffer((1, 5, 6, 2), "float32"), w: T.Buffer((3, 3, 2, 3), "float32"), b: T.Buffer((3,), "float32"), y: T.Buffer((1, 5, 6, 3), "float32"), v: T.Buffer((4,), "float32"), m: T.Buffer((2, 4), "float32"), z: T.Buffer((2,), "float32"), u: T.Buffer((2,), "float32"), q: T.Buffer((4,), "int8"), p: T.Buffer((2,), "int8"), c: T.Buffer((4,), "float32")):
        T.tvm_check_return(0, -1, T.call_extern("int32", "conv", x.data, y.data, w.data, b.data))
        T.tvm_check_return(0, -1, T.call_extern("int32", "plain", v.data, z.data, m.data))
        T.tvm_check_return(0, -1, T.call_extern("int32", "other", v.data, u.data, m.data))
        T.tvm_check_return(0, -1, T.call_extern("int32", "quantised", q.data, p.data))
        T.tvm_check_return(0, -1, T.call_extern("int32", "copy", v.data, c.data))
