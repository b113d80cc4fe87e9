# RUN: tenon-opt %s --pipeline=lower-intrin | FileCheck %s
# RUN: tenon-opt %s --pipeline='lower-intrin{expand-bits=false}' | FileCheck --check-prefix=BITS %s
# RUN: tenon-opt %s --pipeline=lower-intrin,lower-intrin --print-ir-after-change 2>&1 >/dev/null | FileCheck --check-prefix=ONCE %s

# The second run changes nothing.
# ONCE: # IR after lower-intrin
# ONCE-NOT: # IR after lower-intrin

# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    # CHECK-LABEL: def a_floor(
    # CHECK: A[0] = T.shift_right(n, 3)
    # CHECK-NEXT: A[1] = T.bitwise_and(n, 7)
    # CHECK-NEXT: A[2] = T.Div(n, 5) + T.shift_right(T.truncmod(n, 5), 31)
    # CHECK: A[3] = T.Let(t + T.bitwise_and(5, T.shift_right(t, 31)), where={t: T.truncmod(n, 5)})
    # CHECK: A[4] = T.Let(T.Select(t_1 != 0 and T.bitwise_xor(t_1, m) < 0, T.Div(n, m) - 1, T.Div(n, m)), where={t_1: T.truncmod(n, m)})
    # CHECK: for i in range(10):
    # CHECK-NEXT: A[i] = T.Div(i, 5) + T.truncmod(i, 5)
    # CHECK-NEXT: A[i] = T.Div(i - 7 + 10, 5) - 2 + T.truncmod(i - 7 + 10, 5)
    # CHECK: if T.truncmod(n, 5) == 0:
    # CHECK: U[0] = T.Div(u, T.uint8(5))
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

    # CHECK-LABEL: def b_quantised(
    # CHECK: A[0] = T.Cast("int32", T.shift_right(T.Cast("int64", n) * T.int64(1395864371) + T.int64(137438953472), T.int64(38)))
    # CHECK-NEXT: A[1] = T.Cast("int32", T.shift_right(T.shift_left(T.Cast("int64", n), T.int64(2)) * T.int64(1395864371) + T.int64(1073741824), T.int64(31)))
    # CHECK-NEXT: A[2] = T.shift_left(n, 3)
    # CHECK-NEXT: A[3] = T.shift_right(n + 4, 3)
    # CHECK-NEXT: A[4] = n
    # CHECK-NEXT: A[5] = T.Cast("int32", T.shift_right(T.Cast("int64", n) * T.Cast("int64", A[6]) + T.shift_left(T.int64(1), T.Cast("int64", A[7]) + T.int64(31) - T.int64(1)), T.Cast("int64", A[7]) + T.int64(31)))
    # CHECK-NEXT: A[0:4] = T.Cast("int32x4", T.shift_right(T.Cast("int64x4", A[4:8]) * T.Broadcast(T.int64(1395864371), 4) + T.Broadcast(T.int64(137438953472), 4), T.Broadcast(T.int64(38), 4)))
    @T.prim_func
    def b_quantised(A: T.Buffer((16,), "int32"), n: T.int32):
        A[0] = T.q_multiply_shift(n, 1395864371, 31, -7)
        A[1] = T.q_multiply_shift(n, 1395864371, 31, 2)
        A[2] = T.q_multiply_shift(n, 1073741824, 31, 4)
        A[3] = T.q_multiply_shift(n, 1073741824, 31, -2)
        A[4] = T.q_multiply_shift(n, 1073741824, 31, 1)
        A[5] = T.q_multiply_shift_per_axis(n, A[6], 0, A[7], 31, T.bool(False), T.bool(True))
        A[0:4] = T.q_multiply_shift(A[4:8], T.Broadcast(1395864371, 4), T.Broadcast(31, 4), T.Broadcast(-7, 4))

    # CHECK-LABEL: def c_math(
    # CHECK: F[0] = T.float32(1) / (T.float32(1) + T.exp(T.float32(0) - x))
    # CHECK-NEXT: F[1] = T.float32(1) / T.sqrt(x)
    # CHECK-NEXT: F[2] = T.pow(T.float32(10), x)
    # CHECK-NEXT: F[3] = T.tanh(x)
    # CHECK-NEXT: F[4] = T.Cast("float32", not T.fabs(x) <= T.float32("inf"))
    # CHECK-NEXT: if n < 3:
    # CHECK: F[0] = T.if_then_else(n < 3, T.float32(1), T.float32(2))
    # BITS: T.popcount(n)
    # BITS-NEXT: T.clz(n)
    # CHECK-NOT: T.popcount
    # CHECK-NOT: T.clz
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
