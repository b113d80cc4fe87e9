# from tvm.script import ir as I
# from tvm.script import tir as T


@I.ir_module
class Module:
    @T.prim_func
    def conditions(n: T.int32, A: T.Buffer((16,), "float32")):
        if n < 8:
            if n < 9:
                A[0] = T.float32(1)
        else:
            if n > 3:
                A[1] = T.float32(2)
        x: T.int32 = 4
        A[x + 1] = T.float32(3)

    @T.prim_func
    def effects(A: T.Buffer((4,), "int32")):
        T.evaluate(T.call_extern("int32", "f", T.Mul(2, 3)) * T.Sub(1, 1))
        for i in T.serial(1, annotations={"pragma": 1}):
            A[i] = 1

    @T.prim_func
    def extents(n: T.int32, A: T.Buffer((64,), "int32")):
        for i in range(T.Select(n > 0, n, 5)):
            A[i] = 1

    @T.prim_func
    def loops(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        for i in range(4):
            for j in range(1):
                if i * 4 + j < 16:
                    A[(i * 4 + j) // 4] = B[i + j * 8]
            for k in range(0):
                A[k] = T.float32(0)

    @T.prim_func
    def memory(A: T.Buffer((4,), "int32")):
        if A[0] < 3:
            A[0] = 5
            if A[0] < 3:
                A[1] = 1
