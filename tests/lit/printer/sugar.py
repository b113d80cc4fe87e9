# Hand-written forms are printed like TVM's.
# RUN: tenon-opt %s | FileCheck %s

# CHECK: class Module:
# CHECK-NEXT: @T.prim_func
# CHECK-NEXT: def a(A: T.Buffer((4, 4), "float32")):
# CHECK-NEXT: for i, j in T.grid(4, 4):
# CHECK-NEXT: {{^}}            A[i, j] = A[i, j] * T.float32(2)
# CHECK-EMPTY:
# CHECK-NEXT: @T.prim_func
# CHECK-NEXT: def b(A: T.Buffer((8,), "int32")):
# CHECK-NEXT: with T.LetStmt(1) as x:
# CHECK-NEXT: A[0] = x
# CHECK-NEXT: x: T.int32 = 2
# CHECK-NEXT: A[x] = x
# CHECK-EMPTY:
# CHECK-NEXT: @T.prim_func
# CHECK-NEXT: def main(A: T.Buffer((8,), "int32")):
# CHECK-NEXT: for i in range(2):
# CHECK-NEXT: A[i] = i
# CHECK-NEXT: if A[i] == 0:
# CHECK-NEXT: A[i] = 1
# CHECK-NEXT: else:
# CHECK-NEXT: if A[i] == 1:
# CHECK-NEXT: A[i] = A[i] + 2
from tvm.script import ir as I
from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(a: T.handle):
        A = T.match_buffer(a, (8,), "int32")
        for i in T.serial(0, 2):
            A[i] = i
            if A[i] == 0:
                A[i] = 1
            elif A[i] == 1:
                A[i] += 2

    @tir.prim_func
    def b(A: T.Buffer((8,), "int32")):
        with T.LetStmt(1) as x:
            A[0] = x
        with T.LetStmt(2) as x:
            A[x] = x

    @T.prim_func
    def a(A: T.Buffer((4, 4), "float32")):
        for i in range(4):
            for j in range(0, 4):
                A[i, j] = A[i, j] * 2.0
