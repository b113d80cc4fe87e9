# In `tirx`, loops may have a step, and integers other than 0 are true. Tenon's loops have no step, and its conditions are bools.
#
# RUN: tenon-opt %s | FileCheck %s
# RUN: %python %S/../tools/Inputs/npy.py %t.npy i4 4 0 3 0 -2
# RUN: tenon run %s --input A=%t.npy --input n=8 --output B=%t.out.npy
# RUN: %python %S/../tools/Inputs/npy.py %t.out.npy | FileCheck %s --check-prefix=VALUES
# VALUES: <i4 (10,) 7 1 7 3 0 1 0 0 1 9
# from tvm.script import tirx as T
# from tvm.tirx.layout import Axis

@T.prim_func(s_tir=True)
def main(A: T.Buffer((4,), "int32"), n: T.int32, B: T.Buffer((10,), "int32")):
    for i in range(10):
        B[i] = 0
    for i in range(4):
        # CHECK: if A[i] != 0:
        if A[i]:
            B[i] = i
        else:
            B[i] = 7
    # CHECK: for i_step in range(3):
    # CHECK-NEXT: i: T.let[T.int32] = 2 + i_step * 3
    # CHECK-NEXT: B[i] = B[i] + T.Select(i > 2, 1, 0)
    for i in range(2, 9, 3):
        B[i] = B[i] + T.Select(i > 2, 1, 0)
    # CHECK: for i_step in T.unroll((n - 7 + 1) // 2):
    # CHECK-NEXT: i: T.let[T.int32] = 9 + i_step * 2
    for i in T.unroll(9, n + 2, step=2):
        B[i] = i
