# In `and` and `or`, a scalar operand is broadcast to the lanes of the other.
# RUN: tenon-opt %s --verify-roundtrip | FileCheck %s

# from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((8,), "int32")):
    # CHECK: T.evaluate(A[0:4] < T.Broadcast(0, 4) and T.Broadcast(T.bool(True), 4))
    T.evaluate(A[0:4] < 0 and (1 > 0))
    # CHECK: T.evaluate(T.Broadcast(A[0] > 1, 4) or A[0:4] > T.Broadcast(0, 4))
    T.evaluate(A[0] > 1 or A[0:4] > 0)
