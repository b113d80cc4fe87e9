# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def a_floor(A: T.Buffer((16,), "int32"), U: T.Buffer((16,), "uint8"), n: T.int32, m: T.int32, u: T.uint8):
        A[0] = n // 8
        A[1] = n % 8
        A[2] = n // 5
        A[3] = n % 5
        A[4] = n // m
        for i in range(10):
            A[i] = i // 5 + i % 5
            A[i] = (i - 7) // 5 + (i - 7) % 5
        if n % 5 == 0:
            A[0] = 1
        U[0] = u // T.uint8(5)

    @T.prim_func
    def b_quantised(A: T.Buffer((16,), "int32"), n: T.int32):
        A[0] = T.q_multiply_shift(n, 1395864371, 31, -7)
        A[1] = T.q_multiply_shift(n, 1395864371, 31, 2)
        A[2] = T.q_multiply_shift(n, 1073741824, 31, 4)
        A[3] = T.q_multiply_shift(n, 1073741824, 31, -2)
        A[4] = T.q_multiply_shift(n, 1073741824, 31, 1)
        A[5] = T.q_multiply_shift_per_axis(n, A[6], 0, A[7], 31, T.bool(False), T.bool(True))
        A[0:4] = T.q_multiply_shift(A[4:8], T.Broadcast(1395864371, 4), T.Broadcast(31, 4), T.Broadcast(-7, 4))

    @T.prim_func
    def c_math(F: T.Buffer((16,), "float32"), A: T.Buffer((4,), "int32"), x: T.float32, n: T.int32):
        F[0] = T.sigmoid(x)
        F[1] = T.rsqrt(x)
        F[2] = T.exp10(x)
        F[3] = T.tanh(x)
        F[4] = T.Cast("float32", T.isnan(x))
        if T.likely(n < 3):
            T.evaluate(0)
        F[0] = T.if_then_else(n < 3, T.float32(1), T.float32(2))
        A[0] = T.popcount(n)
        A[1] = T.clz(n)
