# Expressions: operators if reading them restores the node, else calls.
#
# RUN: grep -v "^ *#" %s > %t.in
# RUN: tenon-opt %s | grep -v "^ *#" > %t.out
# RUN: diff %t.in %t.out
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def calls(A: T.Buffer((16,), "float32"), x: T.float32, n: T.int32):
        A[0] = T.exp(x) + T.if_then_else(n < 3, x, T.float32(1))
        A[1] = T.Cast("float32", T.q_multiply_shift(n, 1278221461, 31, -7))
        A[2] = T.Select(n < 3, x, T.float32(0.10000000149011612))
        A[3] = T.reinterpret("float32", n)
        A[4] = T.call_pure_extern("float32", "sinf", x)
        A[5] = T.max(T.min(x, T.float32(6)), T.float32(-0.5))
        A[6] = x / T.float32(3) - x
        y = T.float32()
        A[7] = T.Let(y, where={y: T.float32(1)})
        T.evaluate(T.shift_right(n, 3) + T.bitwise_and(n, 255) + T.bitwise_not(n))
        T.tvm_struct_set(A.data, 0, 12, T.tvm_struct_get(A.data, 0, 12, "int64"))
        T.tvm_access_ptr(T.type_annotation("float32"), A.data, 0, 16, 1)
        T.evaluate(T.Shuffle([x, x], [0, 1]))
        T.evaluate(T.Ramp(n, n, 4))
        T.address_of(A[3])
        T.vectorlow("float32x2", T.Broadcast(x, 4))
        T.call_cpacked("g", A.data, T.reinterpret("handle", T.uint64(0)))
        T.call_extern("void", "h", "text \"quoted\" \\ \r\t\x01")

    @T.prim_func
    def numbers():
        T.evaluate(1)
        T.evaluate(T.int64(-5))
        T.evaluate(T.uint8(255))
        T.evaluate(T.bool(True))
        T.evaluate(T.float64(0.10000000000000001))
        T.evaluate(T.float16(2))
        T.evaluate(T.float32("inf"))
        T.evaluate(T.float32("-inf"))
        T.evaluate(T.float32("nan"))
        T.evaluate(T.float32(1e+20))
        T.evaluate(T.float32(-0))

    @T.prim_func
    def operators(a: T.int32, b: T.int32, c: T.int32, x: T.float32):
        T.evaluate(a + b + c)
        T.evaluate(a + (b + c))
        T.evaluate(a - (b - c))
        T.evaluate((a + b) * c)
        T.evaluate(a * b + c)
        T.evaluate(a * b // c % 7)
        T.evaluate(a // (b % c))
        T.evaluate(a + -4)
        T.evaluate(T.Add(a, 0))
        T.evaluate(T.Mul(2, 3))
        T.evaluate(T.Mul(a, 1))
        T.evaluate(T.Div(a, b))
        T.evaluate(T.truncmod(a, b))
        T.evaluate(T.LT(1, 2))
        T.evaluate(a < b and b < c and not c == a)
        T.evaluate(a < b and (b < c or c == a))
        T.evaluate((a < b or b < c) and c != a)
        T.evaluate(not (a < b and b <= c))
        T.evaluate((not a < b) == (b >= c))
        T.evaluate(a < b == (b > c))
        T.evaluate(T.And(T.bool(True), a < b))

    # A ramp of stride 0 is not a slice.
    @T.prim_func
    def repeated(A: T.Buffer((4,), "int32"), B: T.Buffer((4,), "int32")):
        A[0:4] = B[T.Ramp(1, 0, 4)]
