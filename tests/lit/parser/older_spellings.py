# RUN: tenon-opt %s | FileCheck %s

# from tvm.script import tir as T

# Result types that follow from the arguments: older texts state them, and the parser ignores them.
@T.prim_func
def main(A: T.Buffer((4,), "float32"), n: T.int32):
    # CHECK: A[0] = T.if_then_else(n < 3, A[1], A[2])
    A[0] = T.if_then_else(n < 3, A[1], A[2], dtype="float32")
    # CHECK: A[1] = T.max(A[1], A[2])
    A[1] = T.max(A[1], A[2], dtype="float32")
    # CHECK: A[1] = T.pow(A[1], A[2])
    A[1] = T.power(A[1], A[2], dtype="float32")
    # CHECK: A[1] = T.floor(A[2])
    A[1] = T.floor(A[2], dtype="float32")
    # CHECK: A[2] = T.Cast("float32", T.shift_left(n, 2) + n // 3)
    A[2] = T.shift_left(n, 2, dtype="int32") + T.floordiv(n, 3, dtype="int32")
    # CHECK: A[3] = T.exp(A[1])
    A[3] = T.exp(A[1], dtype="float32")
