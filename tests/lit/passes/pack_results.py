# RUN: tenon-opt %s --pipeline=pack-results --timing 2>%t.counts | FileCheck %s
# RUN: FileCheck %s --check-prefix=COUNT <%t.counts
# RUN: tenon-opt %s --pipeline=pack-results,pack-results | FileCheck %s
# COUNT: {{^ *5 +}}pack-results.copies
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    # x has neighbours along j, y along i.
    # CHECK-LABEL: def a_sum(
    # CHECK: y_packed = T.allocate([2048], "float32", "global")
    # CHECK: for j, i in T.grid(64, 32):
    # CHECK-NEXT: y_packed_1[i * 64 + j] = T.float32(0)
    # CHECK-NEXT: for k in range(4):
    # CHECK-NEXT: y_packed_1[i * 64 + j] = y_packed_1[i * 64 + j] + x[k * 2048 + i * 64 + j]
    # CHECK: for p, p_1 in T.grid(32, 64):
    # CHECK-NEXT: y[p + p_1 * 32] = y_packed_1[p * 64 + p_1]
    @T.prim_func
    def a_sum(x: T.Buffer((8192,), "float32"), y: T.Buffer((2048,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for j, i in T.grid(64, 32):
            y[j * 32 + i] = T.float32(0)
            for k in range(4):
                y[j * 32 + i] = y[j * 32 + i] + x[k * 2048 + i * 64 + j]

    # Results that are set before the nest are also copied before it.
    # CHECK-LABEL: def b_before(
    # CHECK: y_packed_1[p * 32 + p_1] = y[p + p_1 * 16]
    # CHECK: for j, k, i in T.grid(32, 8, 16):
    # CHECK-NEXT: y_packed_1[i * 32 + j] = y_packed_1[i * 32 + j] + x[k * 512 + i * 32 + j]
    # CHECK: y[p + p_1 * 16] = y_packed_1[p * 32 + p_1]
    @T.prim_func
    def b_before(x: T.Buffer((4096,), "int32"), y: T.Buffer((512,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i in range(512):
            y[i] = 1
        for j, k, i in T.grid(32, 8, 16):
            y[j * 16 + i] = y[j * 16 + i] + x[k * 512 + i * 32 + j]

    # A window with a stride of two, blocks of a layout, and a local sum.
    # CHECK-LABEL: def c_window(
    # CHECK: y_packed_1[(c * 6 + h) * 16 + w] = s_1[0]
    # CHECK-LABEL: def d_blocks(
    # CHECK: y_packed_1[((i // 4 * 4 + i % 4) * 3 + k) * 16 + j] = s_1[0]
    @T.prim_func
    def c_window(x: T.Buffer((12544,), "float32"), y: T.Buffer((3072,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for h, w, c in T.grid(6, 16, 32):
            s = T.allocate([1], "float32", "global")
            s_1 = T.Buffer((1,), data=s)
            s_1[0] = T.float32(0)
            for p, q in T.grid(2, 2):
                s_1[0] = s_1[0] + x[c * 392 + h * 56 + p * 28 + w * 2 + q]
            y[h * 512 + w * 32 + c] = s_1[0]

    @T.prim_func
    def d_blocks(x: T.Buffer((3072,), "int32"), y: T.Buffer((768,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i, j, k in T.grid(16, 16, 3):
            s = T.allocate([1], "int32", "global")
            s_1 = T.Buffer((1,), "int32", data=s)
            s_1[0] = -100
            for l in range(4):
                s_1[0] = T.max(s_1[0], x[l * 768 + i * 48 + k * 16 + j])
            y[i // 4 * 192 + k * 64 + j * 4 + i % 4] = s_1[0]

    # Three results side by side, and rows of f: of two rows the one with results closer together.
    # CHECK-LABEL: def da_few(
    # CHECK: y_packed_1[(n * 128 + i) * 64 + m] = y_packed_1[(n * 128 + i) * 64 + m] + x[k * 128 + i] * f[k * 192 + n * 64 + m]
    @T.prim_func
    def da_few(x: T.Buffer((1024,), "int32"), f: T.Buffer((1536,), "int32"), y: T.Buffer((24576,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i, m, n in T.grid(128, 64, 3):
            y[i * 192 + m * 3 + n] = 0
            for k in range(8):
                y[i * 192 + m * 3 + n] = y[i * 192 + m * 3 + n] + x[k * 128 + i] * f[k * 192 + n * 64 + m]

    # The order of x; two steps; neighbours in no buffer; a condition; results of the loop that it
    # reads at other places; a store to another buffer; no fixed bounds.
    # CHECK-LABEL: def e_stay(
    # CHECK-NOT: packed
    # CHECK-LABEL: def f_may_alias(
    # CHECK-NOT: packed
    # CHECK-LABEL: def g_place(
    # CHECK-NOT: packed
    @T.prim_func
    def e_stay(n: T.int32, x: T.Buffer((8192,), "int32"), y: T.Buffer((2048,), "int32"), z: T.Buffer((64,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i, j, k in T.grid(32, 64, 16):
            y[i * 64 + j] = y[i * 64 + j] + x[k * 256 + i * 64 + j]
        for j, i in T.grid(64, 32):
            y[j * 32 + i] = 0
            for k in range(2):
                y[j * 32 + i] = y[j * 32 + i] + x[k * 2048 + i * 64 + j]
        for j, i in T.grid(16, 16):
            y[j * 16 + i] = 0
            for k in range(4):
                y[j * 16 + i] = y[j * 16 + i] + x[k * 2048 + i * 128 + j * 8]
        for j, i in T.grid(64, 32):
            if j < n:
                y[j * 32 + i] = 0
                for k in range(4):
                    y[j * 32 + i] = y[j * 32 + i] + x[k * 2048 + i * 64 + j]
        for j, i in T.grid(60, 32):
            y[j * 32 + i] = 0
            for k in range(4):
                y[j * 32 + i] = y[j * 32 + i + 32] + x[k * 2048 + i * 64 + j]
        for j, i in T.grid(64, 32):
            y[j * 32 + i] = 0
            z[j] = i
            for k in range(4):
                y[j * 32 + i] = y[j * 32 + i] + x[k * 2048 + i * 64 + j]
        for j, i in T.grid(64, 32):
            y[j * 32 + i] = 0
            for k in range(n):
                y[j * 32 + i] = y[j * 32 + i] + x[k * 2048 + i * 64 + j]

    @T.prim_func
    def f_may_alias(x: T.Buffer((8192,), "float32"), y: T.Buffer((2048,), "float32")):
        for j, i in T.grid(64, 32):
            y[j * 32 + i] = T.float32(0)
            for k in range(4):
                y[j * 32 + i] = y[j * 32 + i] + x[k * 2048 + i * 64 + j]

    # A local array is stored at a place that is a result of another iteration.
    @T.prim_func
    def g_place(x: T.Buffer((8192,), "int32"), y: T.Buffer((2048,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for j, i in T.grid(64, 32):
            s = T.allocate([8], "int32", "global")
            s_1 = T.Buffer((8,), "int32", data=s)
            y[j * 32 + i] = 0
            for k in range(4):
                s_1[y[i]] = x[k * 2048 + i * 64 + j]
                y[j * 32 + i] = y[j * 32 + i] + x[k * 2048 + i * 64 + j]
