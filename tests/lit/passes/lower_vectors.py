# RUN: tenon-opt %s --pipeline=lower-vectors | FileCheck %s
# RUN: tenon-opt %s --pipeline=lower-vectors,lower-vectors --print-ir-after-change 2>&1 >/dev/null | FileCheck --check-prefix=ONCE %s

# The second run changes nothing.
# ONCE: # IR after lower-vectors
# ONCE-NOT: # IR after lower-vectors

# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    # Without tir.noalias, parameters may overlap, and the indices of a scatter are read before any
    # value is written.
    # CHECK-LABEL: def alias(
    # CHECK: with T.allocate([4], "float32", "global") as values:
    # CHECK: for lane in range(4):
    # CHECK-NEXT: values_1[lane] = A[lane]
    # CHECK-NEXT: for lane in range(4):
    # CHECK-NEXT: B[lane] = values_1[lane]
    # CHECK: places = T.allocate([4], "int32", "global")
    # CHECK: T.LetStmt(A[0] + A[1]) as v:
    # CHECK-NEXT: for lane in range(4):
    # CHECK-NEXT: values_1[lane] = v
    # CHECK-NEXT: places_1[lane] = T.Cast("int32", A[lane])
    # CHECK-NEXT: for lane in range(4):
    # CHECK-NEXT: B[places_1[lane]] = values_1[lane]
    @T.prim_func
    def alias(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
        B[0:4] = A[0:4]
        B[T.Cast("int32x4", A[0:4])] = T.Broadcast(A[0] + A[1], 4)

    # Calls lane by lane; a conditional stays lazy, so that no part of its arms is computed outside.
    # CHECK-LABEL: def calls(
    # CHECK: for lane in range(4):
    # CHECK-NEXT: B[lane] = T.pow(A[lane], A[4 + lane])
    # CHECK: for lane in range(4):
    # CHECK-NEXT: B[lane] = T.if_then_else(n < 4, A[n], A[lane])
    # CHECK: T.call_extern("int32", "f", T.address_of(A[8]))
    # CHECK: for lane in range(4):
    # CHECK-NEXT: if lane * 2 < n:
    # CHECK-NEXT: B[lane] = T.if_then_else(n + lane < 16, A[lane], T.float32(0))
    @T.prim_func
    def calls(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32"), n: T.int32):
        T.func_attr({"tir.noalias": T.bool(True)})
        B[0:4] = T.pow(A[0:4], A[T.Ramp(4, 1, 4)])
        B[0:4] = T.if_then_else(n < 4, T.Broadcast(A[n], 4), A[0:4])
        T.call_extern("int32", "f", T.address_of(A[8:12]))
        B.vstore([T.Ramp(0, 1, 4)], A.vload([T.Ramp(0, 1, 4)], predicate=T.Ramp(n, 1, 4) < T.Broadcast(16, 4)), predicate=T.Ramp(0, 2, 4) < T.Broadcast(n, 4))

    # CHECK-LABEL: def vec(
    # CHECK: acc = T.allocate([16], "float32", "global")
    # CHECK: acc_1 = T.Buffer((16,), data=acc)
    # CHECK-NEXT: for lane in range(16):
    # CHECK-NEXT: acc_1[lane] = T.float32(0)
    # CHECK: T.LetStmt(x[i]) as v:
    # CHECK-NEXT: for lane in range(16):
    # CHECK-NEXT: acc_1[lane] = acc_1[lane] + A[i * 16 + lane] * v
    # CHECK: B[i * 16 + lane] = T.exp(acc_1[lane])
    # Shifted by one in a buffer: all elements are read first.
    # CHECK: values_1[lane] = B[lane]
    # CHECK: B[1 + lane] = values_1[lane]
    # CHECK: B[0] = A[0]
    # CHECK-NEXT: B[1] = A[4]
    # CHECK-NEXT: B[2] = A[1]
    # CHECK-NEXT: B[3] = A[5]
    # CHECK-NEXT: for j in range(8):
    # CHECK-NEXT: B[j] = A[j]
    # CHECK: v_1[lane] = A[lane]
    # CHECK: B[lane] = v_1[lane] + v_1[lane]
    # CHECK: B[lane] = T.Cast("float32", lane * 2)
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

    # A lane of a vector as a scalar; more elements than int32 can count.
    # CHECK-LABEL: def zlanes(
    # CHECK: B[0] = A[1] + A[3]
    # CHECK: L_1 = T.Buffer((T.int64(4294967296),), data=L)
    # CHECK: L_1[T.Cast("int64", n) * T.int64(4) + T.Cast("int64", lane)] = T.float32(0)
    @T.prim_func
    def zlanes(A: T.Buffer((4,), "float32"), B: T.Buffer((1,), "float32"), n: T.int32):
        x = T.float32x4()
        B[0] = T.Let(T.Shuffle([x], [1]) + T.Shuffle([x], [3]), where={x: A[0:4]})
        L = T.allocate([1073741824], "float32x4", "global")
        L_1 = T.Buffer((1073741824,), "float32x4", data=L)
        L_1[n] = T.Broadcast(T.float32(0), 4)

    # An index of the row that the store itself changes is read once, before the store.
    # CHECK-LABEL: def zrow(
    # CHECK: row: T.int32 = P[0, 0]
    # CHECK: values_1[lane] = Q[lane]
    # CHECK: P[row, lane] = values_1[lane]
    @T.prim_func
    def zrow(P: T.Buffer((2, 4), "int32"), Q: T.Buffer((4,), "int32")):
        P[P[0, 0], 0:4] = Q[0:4]

    # A lane of a bound vector, while another lane is requested.
    # CHECK-LABEL: def zswap(
    # CHECK: B[0] = A[1]
    @T.prim_func
    def zswap(A: T.Buffer((2,), "int32"), B: T.Buffer((1,), "int32")):
        v = T.int32x2()
        B[0] = T.Shuffle([T.Let(T.Shuffle([v], [1, 0]), where={v: A[0:2]})], [0])

    # A view that a block matches lies in the storage of its source.
    # CHECK-LABEL: def zview(
    # CHECK: values_1[lane] = T.if_then_else(n, A[0] + 1, 0)
    # CHECK: M[lane] = values_1[lane]
    @T.prim_func
    def zview(A: T.Buffer((4,), "int32"), n: T.bool):
        with T.block("part"):
            T.reads()
            T.writes()
            M = T.match_buffer(A[0:4], (4,), "int32", strides=("s",), offset_factor=1)
            M[0:4] = T.if_then_else(n, T.Broadcast(A[0] + 1, 4), T.Broadcast(0, 4))
