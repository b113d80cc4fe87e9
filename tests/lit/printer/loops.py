# Loops are printed as they are written: T.grid only for plain perfect nests.
#
# RUN: grep -v "^ *#" %s > %t.in
# RUN: tenon-opt %s | grep -v "^ *#" > %t.out
# RUN: diff %t.in %t.out
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def grid(A: T.Buffer((4, 4), "int32")):
        for i, j in T.grid(4, 4):
            A[i, j] = i + j

    @T.prim_func
    def kinds(A: T.Buffer((4, 4), "int32")):
        for i in range(4):
            for j in T.parallel(4):
                A[i, j] = 0
        for i in T.vectorized(4):
            A[0, i] = 0
        for i in T.unroll(4):
            A[0, i] = 0
        for i in T.thread_binding(4, thread="threadIdx.x"):
            A[0, i] = 0

    @T.prim_func
    def not_grids(A: T.Buffer((4, 4), "int32"), n: T.int32):
        for i in range(1, 4):
            for j in range(4):
                A[i, j] = 0
        for i in range(4):
            for j in range(i + 1):
                A[i, j] = 0
        for i, j in T.grid(2, 2):
            for k in range(j, j + n):
                A[i, k] = 0
        for i in T.serial(4, annotations={"pragma": 1}):
            for j in range(4):
                A[i, j] = 0
        for i in range(4):
            A[i, 0] = 0
            for j in range(4):
                A[i, j] = 1

    @T.prim_func
    def while_loop(A: T.Buffer((4, 4), "int32")):
        while A[0, 0] < 10:
            A[0, 0] = A[0, 0] + 1

    @T.prim_func
    def wide(A: T.Buffer((T.int64(4), T.int64(4)), "int32")):
        for i, j in T.grid(T.int64(4), T.int64(4)):
            A[i, j] = 0
