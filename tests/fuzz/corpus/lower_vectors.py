# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def alias(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
        B[0:4] = A[0:4]
        B[T.Cast("int32x4", A[0:4])] = T.Broadcast(A[0] + A[1], 4)

    @T.prim_func
    def calls(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32"), n: T.int32):
        T.func_attr({"tir.noalias": T.bool(True)})
        B[0:4] = T.pow(A[0:4], A[T.Ramp(4, 1, 4)])
        B[0:4] = T.if_then_else(n < 4, T.Broadcast(A[n], 4), A[0:4])
        T.call_extern("int32", "f", T.address_of(A[8:12]))
        B.vstore([T.Ramp(0, 1, 4)], A.vload([T.Ramp(0, 1, 4)], predicate=T.Ramp(n, 1, 4) < T.Broadcast(16, 4)), predicate=T.Ramp(0, 2, 4) < T.Broadcast(n, 4))

    @T.prim_func
    def vec(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32"), x: T.Buffer((4,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        acc = T.allocate([1], "float32x16", "global")
        acc_1 = T.Buffer((1,), "float32x16", data=acc)
        acc_1[0] = T.Broadcast(T.float32(0), 16)
        for i in range(4):
            acc_1[0] = acc_1[0] + A[i * 16:i * 16 + 16] * T.Broadcast(x[i], 16)
            B[i * 16:i * 16 + 16] = T.exp(acc_1[0])
        B[1:17] = B[0:16]
        B[0:4] = T.Shuffle([A[0:4], A[4:8]], [0, 4, 1, 5])
        for j in T.vectorized(8):
            B[j] = A[j]
        with T.LetStmt(A[0:4]) as v:
            B[0:4] = v + v
        B[0:4] = T.Cast("float32x4", T.Ramp(0, 2, 4))

    @T.prim_func
    def zlanes(A: T.Buffer((4,), "float32"), B: T.Buffer((1,), "float32"), n: T.int32):
        x = T.float32x4()
        B[0] = T.Let(T.Shuffle([x], [1]) + T.Shuffle([x], [3]), where={x: A[0:4]})
        L = T.allocate([1073741824], "float32x4", "global")
        L_1 = T.Buffer((1073741824,), "float32x4", data=L)
        L_1[n] = T.Broadcast(T.float32(0), 4)
