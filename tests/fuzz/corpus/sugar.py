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
