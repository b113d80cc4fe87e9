# RUN: tenon-opt --pipeline=convert-for-loops-to-serial %s | FileCheck %s
# RUN: tenon-opt --pipeline=convert-for-loops-to-serial,convert-for-loops-to-serial --print-ir-after-change %s 2>&1 >/dev/null | FileCheck --check-prefix=ONCE %s

# from tvm.script import ir as I
# from tvm.script import tir as T

# The second run changes nothing.
# ONCE: convert-for-loops-to-serial
# ONCE-NOT: convert-for-loops-to-serial

@I.ir_module
class Module:
    # CHECK-LABEL: def nested(
    # CHECK: for i in range(4):
    # CHECK-NEXT: for j in range(2, 8):
    # CHECK-NEXT: for k in T.vectorized(4):
    # CHECK-NOT: T.parallel
    @T.prim_func
    def nested(A: T.Buffer((4, 8, 4), "float32")):
        for i in T.parallel(4):
            for j in T.parallel(2, 8):
                for k in T.vectorized(4):
                    A[i, j, k] = T.float32(1)

    # Annotations stay; threads and unrolled loops are not changed.
    # CHECK-LABEL: def others(
    # CHECK: for i in T.serial(4, annotations={"pragma": 1}):
    # CHECK: for j in T.unroll(4):
    # CHECK: for t in T.thread_binding(4, thread="threadIdx.x"):
    @T.prim_func
    def others(A: T.Buffer((4,), "float32")):
        for i in T.parallel(4, annotations={"pragma": 1}):
            A[i] = T.float32(1)
        for j in T.unroll(4):
            A[j] = T.float32(2)
        for t in T.thread_binding(4, thread="threadIdx.x"):
            A[t] = T.float32(3)

    # A function without a parallel loop.
    # CHECK-LABEL: def untouched(
    # CHECK: for i in range(4):
    @T.prim_func
    def untouched(A: T.Buffer((4,), "float32")):
        for i in range(4):
            A[i] = T.float32(1)
