# RUN: tenon-opt --pipeline=remove-no-op %s | FileCheck %s
# RUN: tenon-opt --pipeline=remove-no-op,remove-no-op --print-ir-after-change %s 2>&1 >/dev/null | FileCheck --check-prefix=ONCE %s

# from tvm.script import ir as I
# from tvm.script import tir as T

# The second run changes nothing.
# ONCE: remove-no-op
# ONCE-NOT: remove-no-op

@I.ir_module
class Module:
    # CHECK-LABEL: def branches(
    # CHECK: if not n > 3:
    # CHECK-NEXT: A[0] = T.float32(1)
    # CHECK-NEXT: if n > 4:
    # CHECK-NEXT: A[1] = T.float32(1)
    # CHECK-NOT: else
    @T.prim_func
    def branches(n: T.int32, A: T.Buffer((4,), "float32")):
        if n > 3:
            T.evaluate(0)
        else:
            A[0] = T.float32(1)
        if n > 4:
            A[1] = T.float32(1)
        else:
            T.evaluate(n)

    # Conditions with effects are still evaluated.
    # CHECK-LABEL: def effects(
    # CHECK: T.evaluate(T.call_extern("int32", "f") == 0)
    # CHECK-NEXT: s = T.allocate([4], "int8", "global")
    # CHECK-NEXT: T.call_extern("int32", "g", s)
    @T.prim_func
    def effects():
        if T.call_extern("int32", "f") == 0:
            T.evaluate(0)
        s = T.allocate([4], "int8", "global")
        T.evaluate(T.call_extern("int32", "g", s))

    # CHECK-LABEL: def empty(
    # CHECK-NEXT: T.evaluate(0)
    @T.prim_func
    def empty(n: T.int32):
        for i in range(4):
            T.evaluate(n + i)

    # Definitions that only removed statements use are also removed.
    # CHECK-LABEL: def unused(
    # CHECK-NEXT: A[0] = T.float32(1)
    @T.prim_func
    def unused(n: T.int32, A: T.Buffer((4,), "float32")):
        t: T.int32 = n * 2
        u: T.int32 = t + 1
        s = T.allocate([4], "int8", "global")
        c = T.allocate_const([1, 2], "int8", [2])
        for i in range(4):
            T.evaluate(u)
        if n > 3:
            T.evaluate(0)
        A[0] = T.float32(1)
