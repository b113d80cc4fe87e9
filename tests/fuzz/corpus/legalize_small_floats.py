# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:

    @T.prim_func
    def a_keep(A: T.Buffer((16,), "float16"), N: T.Buffer((1,), "int32")):
        A[0] = A[1] * A[2] + T.float16(1.5)
        A[1] = T.exp(A[1])
        A[2] = A[3]
        if A[0] < A[1]:
            N[0] = T.Cast("int32", A[0])
        A[0:4] = A[4:8] + A[8:12]

    @T.prim_func
    def b_storage(F: T.Buffer((1,), "float32")):
        B = T.allocate([4], "float16", "global")
        B_1 = T.Buffer((4,), "float16", data=B)
        B_1[0] = T.float16(1.5)
        x: T.float16 = B_1[0]
        B_1[1] = T.if_then_else(F[0] < T.float32(0), x, T.float16(0))

    @T.prim_func
    def c_eight(E: T.Buffer((4,), "e4m3_float8"), F: T.Buffer((4,), "float32")):
        E[1] = E[0]
        F[0] = T.Cast("float32", E[0])
        E[2] = T.Cast("e4m3_float8", F[1])
