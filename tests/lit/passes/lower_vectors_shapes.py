# A buffer's shape counts scalars, also in a store that stays a vector store.
# RUN: tenon-opt %s --pipeline='lower-vectors{keep=gnu}' | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((32,), "int8")):
    # CHECK: m = T.Buffer((T.FloorMod(T.Cast("int32", {{.*}}), 1) + 24,), "int8", data=A.data)
    # CHECK: m[0:4] = T.Broadcast(T.int8(3), 4)
    m = T.Buffer((T.FloorMod(T.Cast("int32", T.Shuffle([T.Broadcast(T.float16(-0), 2), T.Broadcast(T.float16(100), 2)], [2])), 1) + 24,), "int8", data=A.data)
    m[0:4] = T.Broadcast(T.int8(3), 4)
