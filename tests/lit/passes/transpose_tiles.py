# RUN: tenon-opt %s --pipeline='transpose-tiles{strips=false},simplify' --timing 2>%t.counts | FileCheck %s
# RUN: FileCheck %s --check-prefix=COUNT <%t.counts
# RUN: not tenon-opt %s --pipeline='transpose-tiles{register-bytes=2}' 2>&1 | FileCheck %s --check-prefix=BAD
# BAD: transpose-tiles: register-bytes is less than 4
# COUNT: {{^ *4 +}}transpose-tiles.nests
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    # Four rows of four, in two steps.
    # CHECK-LABEL: def a_copy(
    # CHECK: for i in range(2):
    # CHECK: [[R0:x_[0-9]+]][0:4] = x[i * 4:i * 4 + 4]
    # CHECK: [[R1:x_[0-9]+]][0:4] = x[i * 4 + 8:i * 4 + 8 + 4]
    # CHECK: [[R2:x_[0-9]+]][0:4] = x[i * 4 + 16:i * 4 + 16 + 4]
    # CHECK: [[R3:x_[0-9]+]][0:4] = x[i * 4 + 24:i * 4 + 24 + 4]
    # CHECK: [[A0:x_[0-9]+]][0:4] = T.Shuffle({{\[}}[[R0]][0:4], [[R2]][0:4]], [0, 4, 1, 5])
    # CHECK: [[A1:x_[0-9]+]][0:4] = T.Shuffle({{\[}}[[R0]][0:4], [[R2]][0:4]], [2, 6, 3, 7])
    # CHECK: [[A2:x_[0-9]+]][0:4] = T.Shuffle({{\[}}[[R1]][0:4], [[R3]][0:4]], [0, 4, 1, 5])
    # CHECK: [[A3:x_[0-9]+]][0:4] = T.Shuffle({{\[}}[[R1]][0:4], [[R3]][0:4]], [2, 6, 3, 7])
    # CHECK: [[B0:x_[0-9]+]][0:4] = T.Shuffle({{\[}}[[A0]][0:4], [[A2]][0:4]], [0, 4, 1, 5])
    # CHECK: [[B1:x_[0-9]+]][0:4] = T.Shuffle({{\[}}[[A0]][0:4], [[A2]][0:4]], [2, 6, 3, 7])
    # CHECK: [[B2:x_[0-9]+]][0:4] = T.Shuffle({{\[}}[[A1]][0:4], [[A3]][0:4]], [0, 4, 1, 5])
    # CHECK: [[B3:x_[0-9]+]][0:4] = T.Shuffle({{\[}}[[A1]][0:4], [[A3]][0:4]], [2, 6, 3, 7])
    # CHECK: y[i * 16:i * 16 + 4] = [[B0]][0:4]
    # CHECK: y[i * 16 + 4:i * 16 + 4 + 4] = [[B1]][0:4]
    # CHECK: y[i * 16 + 8:i * 16 + 8 + 4] = [[B2]][0:4]
    # CHECK: y[i * 16 + 12:i * 16 + 12 + 4] = [[B3]][0:4]
    @T.prim_func
    def a_copy(x: T.Buffer((32,), "int32"), y: T.Buffer((32,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i, j in T.grid(8, 4):
            y[i * 4 + j] = x[j * 8 + i]

    # Six rows: the second tile overlaps the first one.
    # CHECK-LABEL: def b_rest(
    # CHECK: for i in range(2):
    # CHECK: x[T.min(i * 4, 2):T.min(i * 4, 2) + 4]
    # CHECK: y[T.min(i * 4, 2) * 4:T.min(i * 4, 2) * 4 + 4] = f[0:4] * {{x_[0-9]+}}[0:4] + T.Broadcast(T.min(i * 4, 2), 4)
    # CHECK: y[T.min(i * 4, 2) * 4 + 12:T.min(i * 4, 2) * 4 + 12 + 4] = f[0:4] * {{x_[0-9]+}}[0:4] + T.Broadcast(T.min(i * 4, 2) + 3, 4)
    @T.prim_func
    def b_rest(x: T.Buffer((24,), "int32"), f: T.Buffer((4,), "int32"), y: T.Buffer((24,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i, j in T.grid(6, 4):
            y[i * 4 + j] = x[j * 6 + i] * f[j] + i

    # Rows of both; the same buffer; no row of x; a guard of elements outside of x; a sum.
    # CHECK-LABEL: def c_stay(
    # CHECK-NOT: T.Shuffle
    @T.prim_func
    def c_stay(x: T.Buffer((64,), "int32"), y: T.Buffer((64,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i, j in T.grid(8, 8):
            y[i * 8 + j] = x[i * 8 + j]
        for i, j in T.grid(4, 4):
            y[i * 4 + j + 32] = y[j * 4 + i]
        for i, j in T.grid(4, 4):
            y[i * 4 + j] = x[j * 8 + i * 2]
        for i, j in T.grid(8, 8):
            y[i * 8 + j] = T.if_then_else(i < 7, x[j * 8 + i + 1], 0)
        for i, j, k in T.grid(4, 4, 4):
            y[i * 4 + j] = y[i * 4 + j] + x[j * 16 + k * 4 + i]

    # Bytes: rows of eight are too short for a register. Rows of sixteen are not.
    # CHECK-LABEL: def d_bytes(
    # CHECK: y[i * 8 + j] = x[j * 16 + i]
    @T.prim_func
    def d_bytes(x: T.Buffer((128,), "int8"), y: T.Buffer((128,), "int8")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i, j in T.grid(16, 8):
            y[i * 8 + j] = x[j * 16 + i]

    # CHECK-LABEL: def e_may_alias(
    # CHECK-NOT: T.Shuffle
    @T.prim_func
    def e_may_alias(x: T.Buffer((32,), "int32"), y: T.Buffer((32,), "int32")):
        for i, j in T.grid(8, 4):
            y[i * 4 + j] = x[j * 8 + i]

    # A guard of elements that x has; loops over blocks of a layout.
    # CHECK-LABEL: def f_guard(
    # CHECK-COUNT-24: T.Shuffle
    # CHECK: y[24:32] = {{x_[0-9]+}}[0:8]
    # CHECK-NEXT: y[32:40] = T.Broadcast(0, 8)
    # CHECK-LABEL: def g_blocks(
    # CHECK: for i, k in T.grid(2, 4):
    # CHECK-COUNT-24: T.Shuffle
    @T.prim_func
    def f_guard(x: T.Buffer((64,), "int32"), y: T.Buffer((64,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i, j in T.grid(8, 8):
            y[i * 8 + j] = T.if_then_else(i < 4, x[j * 8 + i], 0)

    @T.prim_func
    def g_blocks(x: T.Buffer((512,), "int32"), z: T.Buffer((512,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i, k in T.grid(16, 32):
            z[i // 8 * 256 + k * 8 + i % 8] = x[i * 32 + k]
