# RUN: tenon-opt %s --pipeline='parallelize-loops{min-work=1000}' --timing 2>%t.counts | FileCheck %s
# RUN: FileCheck %s --check-prefix=COUNT <%t.counts
# RUN: tenon-opt %s --pipeline='parallelize-loops{min-work=1000},parallelize-loops{min-work=1000}' | FileCheck %s
# RUN: tenon-opt %s --pipeline=parallelize-loops | FileCheck %s --check-prefix=LITTLE
# RUN: not tenon-opt %s --pipeline='parallelize-loops{iterations=0}' 2>&1 | FileCheck %s --check-prefix=WRONG
# COUNT: {{^ *5 +}}parallelize-loops.loops
# LITTLE-NOT: T.parallel
# WRONG: expected min-work of 0 or more, and iterations of 1 or more
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    # Blocks of columns are apart, although each one reaches over all rows.
    # CHECK-LABEL: def a_columns(
    # CHECK: for c in T.parallel(8):
    @T.prim_func
    def a_columns(x: T.Buffer((1024,), "float32"), y: T.Buffer((1024,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for c, r in T.grid(8, 16):
            for k in range(8):
                y[r * 64 + c * 8 + k] = x[r * 64 + c * 8 + k] + T.float32(1)

    # Two iterations are too few if the inner loop has enough work.
    # CHECK-LABEL: def b_few(
    # CHECK: for i in range(2):
    # CHECK-NEXT: for j in T.parallel(64):
    # CHECK: for i in T.parallel(2):
    # CHECK-NEXT: for j in range(130):
    @T.prim_func
    def b_few(x: T.Buffer((4096,), "float32"), y: T.Buffer((4096,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i, j, k in T.grid(2, 64, 32):
            y[i * 2048 + j * 32 + k] = x[i * 2048 + j * 32 + k] + T.float32(1)
        for i, j in T.grid(2, 130):
            y[i * 2048 + j] = x[i * 2048 + j] + T.float32(1)

    # An iteration reads what another one writes; a loop inside is independent.
    # CHECK-LABEL: def c_depends(
    # CHECK: for i in range(16):
    # CHECK-NEXT: for j in T.parallel(256):
    # CHECK: for i in range(4000):
    # CHECK-NEXT: y[i + 1] = y[i]
    @T.prim_func
    def c_depends(x: T.Buffer((4096,), "float32"), y: T.Buffer((4096,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i, j in T.grid(16, 256):
            y[j] = y[j] * T.float32(2) + x[i * 256 + j] + x[j] * T.float32(3)
        for i in range(4000):
            y[i + 1] = y[i]

    # Scratch of an iteration is its own. A function of the C library is much work.
    # CHECK-LABEL: def d_scratch(
    # CHECK: for i in T.parallel(64):
    @T.prim_func
    def d_scratch(x: T.Buffer((64,), "float32"), y: T.Buffer((64,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i in range(64):
            s = T.allocate([1], "float32", "global")
            s_1 = T.Buffer((1,), "float32", data=s)
            s_1[0] = T.exp(x[i])
            y[i] = s_1[0] + s_1[0]
