# RUN: tenon-opt %s --pipeline='transpose-tiles{register-bytes=16},simplify' --timing 2>%t.counts | FileCheck %s
# RUN: FileCheck %s --check-prefix=COUNT <%t.counts
# RUN: tenon-opt %s --pipeline='transpose-tiles{strips=false}' | FileCheck %s --check-prefix=OFF
# COUNT: {{^ *8 +}}transpose-tiles.nests
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    # Two rows become one.
    # OFF-LABEL: def a_interleave(
    # OFF-NOT: T.Shuffle
    # OFF: def f_blocks(
    # CHECK-LABEL: def a_interleave(
    # CHECK: for k in range(3):
    # CHECK: [[R0:x_[0-9]+]][0:4] = x[T.min(k * 4, 6):T.min(k * 4, 6) + 4]
    # CHECK: [[R1:x_[0-9]+]][0:4] = x[T.min(k * 4, 6) + 10:T.min(k * 4, 6) + 10 + 4]
    # CHECK: [[A0:x_[0-9]+]][0:4] = T.Shuffle({{\[}}[[R0]][0:4], [[R1]][0:4]], [0, 4, 1, 5])
    # CHECK: [[A1:x_[0-9]+]][0:4] = T.Shuffle({{\[}}[[R0]][0:4], [[R1]][0:4]], [2, 6, 3, 7])
    # CHECK: y[T.min(k * 4, 6) * 2:T.min(k * 4, 6) * 2 + 4] = [[A0]][0:4]
    # CHECK: y[T.min(k * 4, 6) * 2 + 4:T.min(k * 4, 6) * 2 + 4 + 4] = [[A1]][0:4]
    @T.prim_func
    def a_interleave(x: T.Buffer((20,), "int32"), y: T.Buffer((20,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for k, i in T.grid(10, 2):
            y[k * 2 + i] = x[i * 10 + k]

    # One row becomes three, and each has a factor.
    # CHECK-LABEL: def b_deinterleave(
    # CHECK: [[P0:x_[0-9]+]][0:4] = x[0:4]
    # CHECK: [[P1:x_[0-9]+]][0:4] = x[4:8]
    # CHECK: [[P2:x_[0-9]+]][0:4] = x[8:12]
    # CHECK: [[A0:x_[0-9]+]][0:4] = T.Shuffle({{\[}}[[P0]][0:4], [[P1]][0:4], [[P2]][0:4]], [0, 3, 6, 9])
    # CHECK: [[A1:x_[0-9]+]][0:4] = T.Shuffle({{\[}}[[P0]][0:4], [[P1]][0:4], [[P2]][0:4]], [1, 4, 7, 10])
    # CHECK: [[A2:x_[0-9]+]][0:4] = T.Shuffle({{\[}}[[P0]][0:4], [[P1]][0:4], [[P2]][0:4]], [2, 5, 8, 11])
    # CHECK: y[0:4] = [[A0]][0:4] * T.Broadcast(f[0], 4)
    # CHECK: y[4:8] = [[A1]][0:4] * T.Broadcast(f[1], 4)
    # CHECK: y[8:12] = [[A2]][0:4] * T.Broadcast(f[2], 4)
    @T.prim_func
    def b_deinterleave(x: T.Buffer((12,), "float32"), f: T.Buffer((3,), "float32"), y: T.Buffer((12,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i, k in T.grid(3, 4):
            y[i * 4 + k] = x[k * 3 + i] * f[i]

    # Eight rows of sixteen bytes, in three steps of two rows each.
    # CHECK-LABEL: def c_bytes(
    # CHECK-COUNT-24: T.Shuffle
    # CHECK-COUNT-8: y[{{.*}}] = x_{{[0-9]+}}[0:16]
    @T.prim_func
    def c_bytes(x: T.Buffer((128,), "int8"), y: T.Buffer((128,), "int8")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i, k in T.grid(8, 16):
            y[i * 16 + k] = x[k * 8 + i]

    # The rows of x run along i and j together.
    # CHECK-LABEL: def d_long_rows(
    # CHECK: for i in range(2):
    # CHECK: x[i * 4:i * 4 + 4]
    # CHECK: x[i * 4 + 8:i * 4 + 8 + 4]
    # CHECK-COUNT-8: T.Shuffle
    # CHECK: y[i * 8:i * 8 + 4] =
    # CHECK: y[i * 8 + 16:i * 8 + 16 + 4] =
    # CHECK: y[i * 8 + 4:i * 8 + 4 + 4] =
    # CHECK: y[i * 8 + 20:i * 8 + 20 + 4] =
    @T.prim_func
    def d_long_rows(x: T.Buffer((32,), "int32"), y: T.Buffer((32,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for j, i, k in T.grid(2, 4, 4):
            y[j * 16 + i * 4 + k] = x[k * 8 + i * 2 + j]

    # Pairs of neighbours stay together.
    # CHECK-LABEL: def e_pairs(
    # CHECK: for k, i in T.grid(2, 2):
    # CHECK: [[R0:x_[0-9]+]][0:4] = x[i * 16 + k * 4:i * 16 + k * 4 + 4]
    # CHECK: [[R1:x_[0-9]+]][0:4] = x[i * 16 + k * 4 + 8:i * 16 + k * 4 + 8 + 4]
    # CHECK: [[A0:x_[0-9]+]][0:4] = T.Shuffle({{\[}}[[R0]][0:4], [[R1]][0:4]], [0, 1, 4, 5])
    # CHECK: [[A1:x_[0-9]+]][0:4] = T.Shuffle({{\[}}[[R0]][0:4], [[R1]][0:4]], [2, 3, 6, 7])
    # CHECK: y[k * 16 + i * 4:k * 16 + i * 4 + 4] = T.Cast("int32x4", [[A0]][0:4])
    # CHECK: y[k * 16 + i * 4 + 8:k * 16 + i * 4 + 8 + 4] = T.Cast("int32x4", [[A1]][0:4])
    @T.prim_func
    def e_pairs(x: T.Buffer((32,), "int16"), y: T.Buffer((32,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for k, i, j in T.grid(4, 4, 2):
            y[k * 8 + i * 2 + j] = T.Cast("int32", x[i * 8 + k * 2 + j])

    # A block of a layout in a block of another one: three loops for o.
    # CHECK-LABEL: def f_blocks(
    # CHECK-COUNT-8: T.Shuffle
    @T.prim_func
    def f_blocks(x: T.Buffer((512,), "int32"), y: T.Buffer((512,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for o, i in T.grid(32, 16):
            y[o // 4 * 64 + i * 4 + o % 4] = x[o // 16 * 256 + o % 16 * 16 + i]

    # Values that depend on the place of each lane.
    # CHECK-LABEL: def g_places(
    # CHECK: y[k * 8:k * 8 + 4] = T.Ramp(0, 1, 4) // T.Broadcast(2, 4) + {{x_[0-9]+}}[0:4] + T.Broadcast(k * 4, 4)
    # CHECK: y[k * 8 + 4:k * 8 + 4 + 4] = T.Ramp(0, 1, 4) // T.Broadcast(2, 4) + {{x_[0-9]+}}[0:4] + T.Broadcast(k * 4 + 2, 4)
    # CHECK: z[0:4] = T.Select(T.Select(T.Ramp(0, 1, 4) > T.Broadcast(0, 4), T.Ramp(0, 1, 4) < T.Broadcast(3, 4), T.Broadcast(T.bool(False), 4)), {{x_[0-9]+}}[0:4], T.Broadcast(0, 4))
    @T.prim_func
    def g_places(x: T.Buffer((32,), "int32"), y: T.Buffer((32,), "int32"), z: T.Buffer((16,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for k, i in T.grid(16, 2):
            y[k * 2 + i] = x[i * 16 + k] + k
        for k, i in T.grid(4, 4):
            z[k * 4 + i] = T.if_then_else(i > 0 and i < 3, x[i * 4 + k], 0)

    # A strip that is shorter than a row.
    # CHECK-LABEL: def h_stay(
    # CHECK-NOT: T.Shuffle
    # CHECK: T.ret
    @T.prim_func
    def h_stay(x: T.Buffer((32,), "int32"), y: T.Buffer((32,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for k, i in T.grid(3, 2):
            y[k * 2 + i] = x[i * 16 + k]
        T.ret(0)
