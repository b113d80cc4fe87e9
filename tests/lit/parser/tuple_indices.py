# Indices in a tuple mean the same as without the tuple.
# RUN: tenon-opt %s --verify-roundtrip | FileCheck %s

# from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((4, 4), "int32"), B: T.Buffer((4,), "int32"), C: T.Buffer((), "int32")):
    # CHECK: A[0, 1] = A[2, 3] + B[1]
    A[(0, 1)] = A[(2, 3)] + B[(1,)]
    # CHECK: C[()] = B[2]
    C[()] = B[(2)]
