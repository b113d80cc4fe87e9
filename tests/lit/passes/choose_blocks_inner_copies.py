# Copies of constants move out of the loop around a nest, so that fold-constants can run them.
# RUN: tenon-opt %s --pipeline='choose-blocks{registers=16 register-bytes=32}' | FileCheck %s
# RUN: tenon-opt %s --pipeline='choose-blocks{registers=16 register-bytes=32},fold-constants' | FileCheck %s --check-prefix=FOLDED
# CHECK: staged_1[s2 * 8 + s3] = w_1[s2 + s3 * 6]
# CHECK: for t in range(4):
# CHECK-NOT: = w_1[
# FOLDED: staged = T.allocate_const(
# FOLDED-NOT: s2

from tvm.script import tir as T

@T.prim_func
def main(x: T.Buffer((24,), "float32"), y: T.Buffer((32,), "float32")):
    T.func_attr({"tir.noalias": T.bool(True)})
    w = T.allocate_const([1, -2, 3, -4, 5, -6, 7, -8, 9, -10, 11, -12, 13, -14, 15, -16, 17, -18, 19, -20, 21, -22, 23, -24, 25, -26, 27, -28, 29, -30, 31, -32, 33, -34, 35, -36, 37, -38, 39, -40, 41, -42, 43, -44, 45, -46, 47, -48], "float32", [48])
    d = T.allocate([8], "float32", "global")
    w_1 = T.Buffer((48,), data=w)
    d_1 = T.Buffer((8,), data=d)
    for c in range(8):
        d_1[c] = T.float32(0)
    for t in range(4):
        for c in range(8):
            y[t * 8 + c] = T.float32(1)
            for k in range(6):
                y[t * 8 + c] = T.max(y[t * 8 + c], (x[t * 6 + k] - w_1[c * 6 + k]) * T.float32(0.5))
        for c in range(8):
            d_1[c] = d_1[c] + y[t * 8 + c]
            y[t * 8 + c] = d_1[c]
