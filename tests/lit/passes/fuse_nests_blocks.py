# RUN: tenon-opt %s --pipeline=fuse-nests | FileCheck %s --check-prefix=FUSED
# RUN: tenon-opt %s --pipeline='fuse-nests{keep-sums=true}' | FileCheck %s
# A depthwise sum of each place, and a sum over its channels for each output channel. With keep-sums, the second nest stays whole for
# choose-blocks.
from tvm.script import tir as T

# CHECK: t = T.allocate([32], "int32", "global")
# CHECK: for p, c in T.grid(8, 4):
# CHECK: for p in range(8):
# FUSED: for p in range(8):
# FUSED: t = T.allocate([4], "int32", "global")
# FUSED-NOT: in range(8):
@T.prim_func
def f(x: T.Buffer((48,), "int8"), w: T.Buffer((12,), "int8"), v: T.Buffer((16,), "int8"), y: T.Buffer((32,), "int32")):
    T.func_attr({"tir.noalias": T.bool(True)})
    t = T.allocate([32], "int32", "global")
    t_1 = T.Buffer((32,), "int32", data=t)
    for p in range(8):
        for c in range(4):
            t_1[p * 4 + c] = 0
            for k in range(3):
                t_1[p * 4 + c] = t_1[p * 4 + c] + T.Cast("int32", x[p * 4 + k * 4 + c]) * T.Cast("int32", w[k * 4 + c])
    for p in range(8):
        y[p * 4:p * 4 + 4] = T.Broadcast(0, 4)
        for c in range(4):
            y[p * 4:p * 4 + 4] = y[p * 4:p * 4 + 4] + T.Broadcast(t_1[p * 4 + c], 4) * T.Cast("int32x4", v[c * 4:c * 4 + 4])
