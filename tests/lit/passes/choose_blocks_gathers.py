# Nests whose indices read memory stay in their loops.
# RUN: tenon-opt %s --pipeline=choose-blocks --verify-schedules | FileCheck %s
from tvm.script import tir as T

# CHECK: for i in range(4):
# CHECK: y[i] = b_1[T.min(T.max(T.Cast("int32", x[i]), 0), 3)]
@T.prim_func
def main(x: T.Buffer((8,), "int8"), y: T.Buffer((4,), "uint8")):
    T.func_attr({"tir.noalias": T.bool(True)})
    b = T.allocate([4], "uint8", "global")
    b_1 = T.Buffer((4,), "uint8", data=b)
    for i in range(4):
        b_1[i] = T.uint8(7)
    for i in range(4):
        y[i] = b_1[T.min(T.max(T.Cast("int32", x[i]), 0), 3)]
    for i in range(4):
        x[i] = T.int8(3)
