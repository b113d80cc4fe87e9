# RUN: tenon-opt %s --pipeline=inline-lets | FileCheck %s
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def index(A: T.Buffer((64,), "int32"), B: T.Buffer((64,), "int32")):
        for i, j in T.grid(8, 8):
            k: T.int32 = i * 8
            m: T.int32 = k + j
            A[m] = B[m]

    # Values from memory are read once, and floats stay.
    @T.prim_func
    def stays(A: T.Buffer((64,), "int32"), F: T.Buffer((1,), "float32")):
        a: T.int32 = A[0]
        A[0] = 1
        f: T.float32 = T.float32(2)
        F[0] = f
        A[1] = a

# CHECK-LABEL: def index
# CHECK-NOT: T.int32 =
# CHECK: A[i * 8 + j] = B[i * 8 + j]
# CHECK-LABEL: def stays
# CHECK: a: T.int32 = A[0]
# CHECK: f: T.float32 = T.float32(2)
# CHECK: A[1] = a
