# RUN: tenon-opt --pipeline=simplify %s | FileCheck %s
# RUN: tenon-opt --pipeline=simplify,simplify --print-ir-after-change %s 2>&1 >/dev/null | FileCheck --check-prefix=ONCE %s

# from tvm.script import ir as I
# from tvm.script import tir as T

# The second run changes nothing.
# ONCE: simplify
# ONCE-NOT: simplify

@I.ir_module
class Module:
    # Values of lets and conditions are known inside.
    # CHECK-LABEL: def conditions(
    # CHECK: if n < 8:
    # CHECK-NEXT: A[0] = T.float32(1)
    # CHECK-NEXT: else:
    # CHECK-NEXT: A[1] = T.float32(2)
    # CHECK: A[5] = T.float32(3)
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

    # Calls with effects stay, their arguments are simplified; loops with annotations stay.
    # CHECK-LABEL: def effects(
    # CHECK: T.evaluate(T.Mul(T.call_extern("int32", "f", 6), 0))
    # CHECK: for i in T.serial(1, annotations={"pragma": 1}):
    @T.prim_func
    def effects(A: T.Buffer((4,), "int32")):
        T.evaluate(T.call_extern("int32", "f", T.Mul(2, 3)) * T.Sub(1, 1))
        for i in T.serial(1, annotations={"pragma": 1}):
            A[i] = 1

    # An extent is not simplified by facts that only hold inside the loop.
    # CHECK-LABEL: def extents(
    # CHECK: for i in range(T.Select(n > 0, n, 5)):
    @T.prim_func
    def extents(n: T.int32, A: T.Buffer((64,), "int32")):
        for i in range(T.Select(n > 0, n, 5)):
            A[i] = 1

    # A lane of a ramp tells nothing about the other lanes; lanes of a broadcast are equal.
    # CHECK-LABEL: def lanes(
    # CHECK: A[0:8] = T.bitwise_not(T.Ramp(3, 1, 8))
    # CHECK: A[0:8] = T.Broadcast(-4, 8)
    # CHECK: A[0:8] = T.Broadcast(T.bitwise_not(n), 8)
    @T.prim_func
    def lanes(n: T.int32, A: T.Buffer((8,), "int32")):
        A[0:8] = T.bitwise_not(T.Ramp(3, 1, 8))
        A[0:8] = T.bitwise_not(T.Broadcast(3, 8))
        A[0:8] = T.bitwise_not(T.Broadcast(n, 8))

    # Ranges of loops decide conditions and divisions; a loop of one iteration is removed.
    # CHECK-LABEL: def loops(
    # CHECK: for i in range(4):
    # CHECK-NEXT: A[i] = B[i]
    # CHECK-NOT: range(0)
    @T.prim_func
    def loops(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        for i in range(4):
            for j in range(1):
                if i * 4 + j < 16:
                    A[(i * 4 + j) // 4] = B[i + j * 8]
            for k in range(0):
                A[k] = T.float32(0)

    # Loaded values may change in between.
    # CHECK-LABEL: def memory(
    # CHECK: if A[0] < 3:
    # CHECK: A[0] = 5
    # CHECK: if A[0] < 3:
    # CHECK: A[1] = 1
    @T.prim_func
    def memory(A: T.Buffer((4,), "int32")):
        if A[0] < 3:
            A[0] = 5
            if A[0] < 3:
                A[1] = 1
