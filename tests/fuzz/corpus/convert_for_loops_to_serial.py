# from tvm.script import ir as I
# from tvm.script import tir as T


@I.ir_module
class Module:
    @T.prim_func
    def nested(A: T.Buffer((4, 8, 4), "float32")):
        for i in T.parallel(4):
            for j in T.parallel(2, 8):
                for k in T.vectorized(4):
                    A[i, j, k] = T.float32(1)

    @T.prim_func
    def others(A: T.Buffer((4,), "float32")):
        for i in T.parallel(4, annotations={"pragma": 1}):
            A[i] = T.float32(1)
        for j in T.unroll(4):
            A[j] = T.float32(2)
        for t in T.thread_binding(4, thread="threadIdx.x"):
            A[t] = T.float32(3)

    @T.prim_func
    def untouched(A: T.Buffer((4,), "float32")):
        for i in range(4):
            A[i] = T.float32(1)
