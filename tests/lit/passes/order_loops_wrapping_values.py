# Loops in another order need other indices, which are simplified as if they did not overflow. Stored values wrap:
# `max(sum, 8) * 3` may be negative, so the outer maximum stays.
# RUN: tenon-opt %s --pipeline=order-loops | FileCheck %s
# CHECK: for i0, i1, i1_1 in T.grid(4, 6, 8):
# CHECK: output[i0 * 48 + i1 * 8 + i1_1] = T.Cast("int8", T.max(T.min(T.max(t_1[0], 8) * 3, 127), -128))
from tvm.script import tir as T

@T.prim_func
def main(p2: T.Buffer((96,), "int32"), output: T.Buffer((192,), "int8")):
    T.func_attr({"tir.noalias": T.bool(True)})
    c0 = T.allocate_const([13, 78, -50, 7, -84, -92, -114, -63, -65, -67, 67, 88, 17, -26, -97, 43, -35, 31, 58, -25, -111, -110, 106, -43, -84, 82, 10, 3, -50, 13, 28, 42], "int16", [32])
    c0_1 = T.Buffer((32,), "int16", data=c0)
    for i0, i1 in T.grid(4, 48):
        t = T.allocate([1], "int32", "local")
        t_1 = T.Buffer((1,), "int32", data=t, scope="local")
        t_1[0] = 0
        for i2 in range(4):
            t_1[0] = T.Cast("int32", c0_1[i1 % 8 * 4 + i2]) * p2[i0 * 24 + i1 // 8 * 4 + i2] + t_1[0]
        output[i0 * 48 + i1] = T.Cast("int8", T.max(T.min(T.max(t_1[0], 8) * 3, 127), -128))
