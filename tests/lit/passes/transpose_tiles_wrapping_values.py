# The loop over a blocked axis becomes two, and the indices are simplified as if they did not overflow. Stored values wrap:
# `max(x, 8) * 3` may be negative, so the outer maximum stays.
# RUN: tenon-opt %s --pipeline=transpose-tiles | FileCheck %s
# CHECK: output[{{.*}}] = T.Cast("int8x16", T.max(T.min(T.max({{.*}}, T.Broadcast(8, 16)) * T.Broadcast(3, 16), T.Broadcast(127, 16)), T.Broadcast(-128, 16)))
from tvm.script import tir as T

@T.prim_func
def main(p2: T.Buffer((1024,), "int32"), output: T.Buffer((1024,), "int8")):
    T.func_attr({"tir.noalias": T.bool(True)})
    for i0, i1 in T.grid(32, 32):
        output[i1 // 8 * 256 + i0 * 8 + i1 % 8] = T.Cast("int8", T.max(T.min(T.max(p2[i1 * 32 + i0], 8) * 3, 127), -128))
