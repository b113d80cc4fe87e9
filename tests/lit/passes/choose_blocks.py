# RUN: tenon-opt %s --pipeline='choose-blocks{register-bytes=32}' | FileCheck %s
# RUN: tenon-opt %s --pipeline=choose-blocks,choose-blocks | FileCheck %s
# RUN: tenon-opt %s --pipeline='choose-blocks{register-bytes=16}' | FileCheck %s --check-prefix=NARROW
# RUN: tenon-opt %s --pipeline='choose-blocks{registers=4 register-bytes=16}' | FileCheck %s --check-prefix=PANELS
# RUN: tenon-opt %s --pipeline='choose-blocks{registers=8}' | FileCheck %s --check-prefix=HOLDS
# RUN: tenon-opt %s --pipeline=choose-blocks --timing -o %t.py 2>&1 | FileCheck %s --check-prefix=COUNT
# RUN: tenon-opt %s --pipeline=choose-blocks --verify-schedules --timing -o %t.py 2>&1 | FileCheck %s --check-prefix=READ
# RUN: tenon-opt %s --pipeline=choose-blocks --no-verify-schedules --timing -o %t.py 2>&1 | FileCheck %s --check-prefix=TRUSTED
# RUN: not tenon-opt %s --pipeline='choose-blocks{registers=3}' 2>&1 | FileCheck %s --check-prefix=REGISTERS
# RUN: not tenon-opt %s --pipeline='choose-blocks{register-bytes=48}' 2>&1 | FileCheck %s --check-prefix=BYTES
# COUNT: {{^ *15 +}}choose-blocks.sums
# READ: {{^ *15 +}}choose-blocks.read_back
# TRUSTED: choose-blocks.sums
# TRUSTED-NOT: read_back
# REGISTERS: choose-blocks: registers is 3, expected 4 to 64
# BYTES: choose-blocks: register-bytes is 48, expected 16, 32 or 64
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    # Pads stay in a sum that does not begin at +0: -0 + 0 is +0.
    # CHECK-LABEL: def begins(
    # CHECK: staged
    @T.prim_func
    def begins(x: T.Buffer((6,), "float32"), y: T.Buffer((12,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        w = T.allocate_const([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23], "float32", [24])
        w_1 = T.Buffer((24,), "float32", data=w)
        for i, c in T.grid(3, 4):
            y[i * 4 + c] = T.float32(1)
            for t, k in T.grid(3, 2):
                y[i * 4 + c] = y[i * 4 + c] + T.if_then_else(1 <= i + t and i + t < 4, x[i * 2 + t * 2 + k - 2], T.float32(0)) * w_1[c * 6 + t * 2 + k]

    # Places at a border leave out the products of pads: the input has no padded copy.
    # CHECK-LABEL: def borders(
    # CHECK-NOT: staged
    # CHECK: for [[K:i[0-9]+]] in T.serial(2, annotations={"disable_unroll": T.bool(True)}):
    # CHECK: block[[S:[0-9]+]]_1[4:8] = block[[S]]_1[4:8] + T.Broadcast(x_1[[[K]]], 4) *
    # CHECK-NEXT: block[[S]]_1[8:12] = block[[S]]_1[8:12] + T.Broadcast(x_1[[[K]] + 2], 4) *
    # CHECK-NEXT: for [[K]]
    # CHECK: block[[S]]_1[0:4] = block[[S]]_1[0:4] + T.Broadcast(x_1[[[K]]], 4) *
    # CHECK-NEXT: block[[S]]_1[4:8] = block[[S]]_1[4:8] + T.Broadcast(x_1[[[K]] + 2], 4) *
    # CHECK-NEXT: block[[S]]_1[8:12] = block[[S]]_1[8:12] + T.Broadcast(x_1[[[K]] + 4], 4) *
    # CHECK-NEXT: for [[K]]
    # CHECK: block[[S]]_1[0:4] = block[[S]]_1[0:4] + T.Broadcast(x_1[[[K]] + 2], 4) *
    # CHECK-NEXT: block[[S]]_1[4:8] = block[[S]]_1[4:8] + T.Broadcast(x_1[[[K]] + 4], 4) *
    # CHECK-NOT: block[[S]]_1[0:4] =
    # CHECK: y_1[
    @T.prim_func
    def borders(x: T.Buffer((6,), "float32"), y: T.Buffer((12,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        w = T.allocate_const([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23], "float32", [24])
        w_1 = T.Buffer((24,), "float32", data=w)
        for i, c in T.grid(3, 4):
            y[i * 4 + c] = T.float32(0)
            for t, k in T.grid(3, 2):
                y[i * 4 + c] = y[i * 4 + c] + T.if_then_else(1 <= i + t and i + t < 4, x[i * 2 + t * 2 + k - 2], T.float32(0)) * w_1[c * 6 + t * 2 + k]

    # Zeros between elements are left out too.
    # CHECK-LABEL: def dilated(
    # CHECK-NOT: staged
    # CHECK: block[[S:[0-9]+]]_1[0:4] = block[[S]]_1[0:4] + T.Broadcast(x_1[[[K:i[0-9]+]]], 4) *
    # CHECK-NEXT: block[[S]]_1[8:12] = block[[S]]_1[8:12] + T.Broadcast(x_1[[[K]] + 2], 4) *
    # CHECK-NEXT: for [[K]]
    # CHECK: block[[S]]_1[4:8] = block[[S]]_1[4:8] + T.Broadcast(x_1[[[K]] + 2], 4) *
    # CHECK-NEXT: for [[K]]
    # CHECK: block[[S]]_1[0:4] = block[[S]]_1[0:4] + T.Broadcast(x_1[[[K]] + 2], 4) *
    # CHECK-NEXT: block[[S]]_1[8:12] = block[[S]]_1[8:12] + T.Broadcast(x_1[[[K]] + 4], 4) *
    # CHECK-NOT: block[[S]]_1[0:4] =
    # CHECK: y_1[
    @T.prim_func
    def dilated(x: T.Buffer((6,), "float32"), y: T.Buffer((12,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        w = T.allocate_const([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23], "float32", [24])
        w_1 = T.Buffer((24,), "float32", data=w)
        for i, c in T.grid(3, 4):
            y[i * 4 + c] = T.float32(0)
            for t, k in T.grid(3, 2):
                y[i * 4 + c] = y[i * 4 + c] + T.if_then_else((i + t) % 2 == 0, x[(i + t) // 2 * 2 + k], T.float32(0)) * w_1[c * 6 + t * 2 + k]

    # Two channels are too few for lanes: places are lanes.
    # CHECK-LABEL: def edges(
    # CHECK: = x_1[{{[a-z0-9_]+}}:{{[a-z0-9_]+}} + 16]
    # CHECK: {{block[0-9]+_1}}[0:16] + {{.*}}T.Broadcast(w_1[
    @T.prim_func
    def edges(x: T.Buffer((18,), "float32"), y: T.Buffer((32,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        w = T.allocate_const([-2, 0, 2, -1, 1, -2], "float32", [6])
        w_1 = T.Buffer((6,), "float32", data=w)
        for c, i in T.grid(2, 16):
            y[c * 16 + i] = T.float32(0)
            for k in range(3):
                y[c * 16 + i] = y[c * 16 + i] + x[i + k] * w_1[c * 3 + k]

    # The product of a pad and an infinity is not 0.
    # CHECK-LABEL: def infinite(
    # CHECK: staged
    @T.prim_func
    def infinite(x: T.Buffer((6,), "float32"), y: T.Buffer((12,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        w = T.allocate_const([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, "inf"], "float32", [24])
        w_1 = T.Buffer((24,), "float32", data=w)
        for i, c in T.grid(3, 4):
            y[i * 4 + c] = T.float32(0)
            for t, k in T.grid(3, 2):
                y[i * 4 + c] = y[i * 4 + c] + T.if_then_else(1 <= i + t and i + t < 4, x[i * 2 + t * 2 + k - 2], T.float32(0)) * w_1[c * 6 + t * 2 + k]

    # CHECK-LABEL: def ints(
    # CHECK: T.Broadcast(x_1[{{.*}}], 4) * weights_1[
    @T.prim_func
    def ints(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        w = T.allocate_const([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15], "int32", [16])
        w_1 = T.Buffer((16,), "int32", data=w)
        for c in range(4):
            y[c] = 0
            for k in range(4):
                y[c] = y[c] + x[k] * w_1[c * 4 + k]

    # CHECK-LABEL: def longs(
    # CHECK: T.Broadcast(x_1[{{.*}}], 4) * staged_1[
    @T.prim_func
    def longs(x: T.Buffer((4,), "int64"), y: T.Buffer((4,), "int64")):
        T.func_attr({"tir.noalias": T.bool(True)})
        w = T.allocate_const([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15], "int64", [16])
        w_1 = T.Buffer((16,), "int64", data=w)
        for c in range(4):
            y[c] = T.int64(0)
            for k in range(4):
                y[c] = y[c] + x[k] * w_1[c * 4 + k]

    # A weight minus its zero point is computed before the sum: its layout stays.
    # CHECK-LABEL: def offsets(
    # CHECK-NOT: weights
    @T.prim_func
    def offsets(x: T.Buffer((4,), "int8"), y: T.Buffer((4,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        w = T.allocate_const([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15], "int8", [16])
        w_1 = T.Buffer((16,), "int8", data=w)
        for c in range(4):
            y[c] = 0
            for k in range(4):
                y[c] = y[c] + T.Cast("int32", x[k]) * (T.Cast("int32", w_1[c * 4 + k]) + 3)

    # Two numbers are added at once: the order of a sum would change.
    # CHECK-LABEL: def pairs(
    # CHECK-NOT: Broadcast
    # CHECK: def planes(
    @T.prim_func
    def pairs(x: T.Buffer((4,), "float32"), y: T.Buffer((4,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        w = T.allocate_const([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15], "float32", [16])
        w_1 = T.Buffer((16,), "float32", data=w)
        for c in range(4):
            y[c] = T.float32(0)
            for k in range(2):
                y[c] = y[c] + x[k * 2] * w_1[c * 4 + k * 2] + x[k * 2 + 1] * w_1[c * 4 + k * 2 + 1]

    # The channels of the output are apart, so that lanes are stored one by one.
    # CHECK: T.Broadcast(x_1[{{.*}}], 8)
    # CHECK: y_1[{{[a-z0-9_]+}} * 3 + {{.*}}] = {{block[0-9]+_1}}[
    @T.prim_func
    def planes(x: T.Buffer((120,), "float32"), y: T.Buffer((24,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        w = T.allocate_const([-2, 0, 2, -1, 1, -2, 0, 2, -1, 1, -2, 0, 2, -1, 1, -2, 0, 2, -1, 1, -2, 0, 2, -1, 1, -2, 0, 2, -1, 1, -2, 0, 2, -1, 1, -2, 0, 2, -1, 1, -2, 0, 2, -1, 1, -2, 0, 2, -1, 1, -2, 0, 2, -1, 1, -2, 0, 2, -1, 1, -2, 0, 2, -1, 1, -2, 0, 2, -1, 1, -2, 0, 2, -1, 1, -2, 0, 2, -1, 1, -2, 0, 2, -1, 1, -2, 0, 2, -1, 1, -2, 0, 2, -1, 1, -2, 0, 2, -1, 1, -2, 0, 2, -1, 1, -2, 0, 2, -1, 1, -2, 0, 2, -1, 1, -2, 0, 2, -1, 1, -2, 0, 2, -1, 1, -2, 0, 2, -1, 1, -2, 0, 2, -1, 1, -2, 0, 2, -1, 1, -2, 0, 2, -1, 1, -2, 0, 2, -1, 1, -2, 0, 2, -1, 1, -2, 0, 2, -1, 1, -2, 0, 2, -1, 1, -2, 0, 2, -1, 1, -2, 0, 2, -1, 1, -2, 0, 2, -1, 1, -2, 0, 2, -1, 1, -2, 0, 2, -1, 1, -2, 0, 2, -1, 1, -2, 0, 2, -1, 1, -2, 0, 2, -1, 1, -2, 0, 2, -1, 1, -2, 0, 2, -1, 1, -2, 0, 2, -1, 1, -2, 0, 2, -1, 1, -2, 0, 2, -1, 1, -2, 0, 2, -1, 1, -2, 0, 2, -1, 1, -2, 0, 2, -1, 1, -2, 0, 2, -1, 1, -2, 0, 2, -1, 1, -2, 0, 2, -1, 1, -2, 0, 2, -1, 1, -2, 0, 2, -1, 1, -2, 0, 2, -1, 1, -2, 0, 2, -1, 1, -2, 0, 2, -1, 1, -2, 0, 2, -1, 1, -2, 0, 2, -1, 1, -2, 0, 2, -1, 1, -2, 0, 2, -1, 1, -2, 0, 2, -1, 1, -2, 0, 2, -1, 1, -2, 0, 2, -1, 1], "float32", [320])
        w_1 = T.Buffer((320,), "float32", data=w)
        for c, p in T.grid(8, 3):
            y[c * 3 + p] = T.float32(0)
            for k in range(40):
                y[c * 3 + p] = y[c * 3 + p] + x[p * 40 + k] * w_1[k * 8 + c]

    # Two blocks of four channels of the text are a vector. The constant has its lanes side by side, and the output keeps its layout.
    # CHECK-LABEL: def pointwise(
    # CHECK: weights = T.allocate_const([0.0, 1.0, 2.0, 3.0, 8.0, 9.0, 10.0, 11.0, 4.0, 5.0, 6.0, 7.0, 12.0, 13.0, 14.0, 15.0], "float32", [16])
    # CHECK: [[S:block[0-9]+_1]][0:8] = T.Broadcast(T.float32(0), 8)
    # CHECK: [[S]][0:8] = [[S]][0:8] + T.Broadcast(x_1[{{.*}}], 8) *
    # CHECK: y_1[0:4] = [[S]][{{[^]]*}}]
    # CHECK: y_1[12:16] = [[S]][{{[^]]*}}]
    # Blocks of the text are as wide as the machine's: the constant stays.
    # NARROW-LABEL: def pointwise(
    # NARROW-NOT: weights
    # NARROW: [[N:block[0-9]+_1]][0:4] = [[N]][0:4] + T.Broadcast(x_1[{{.*}}], 4) *
    # NARROW: def rows(
    @T.prim_func
    def pointwise(x: T.Buffer((6,), "float32"), y: T.Buffer((24,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        w = T.allocate_const([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15], "float32", [16])
        w_1 = T.Buffer((16,), "float32", data=w)
        for o, p in T.grid(2, 3):
            s = T.allocate([4], "float32", "global")
            s_1 = T.Buffer((4,), "float32", data=s)
            for c in range(4):
                s_1[c] = T.float32(0)
            for k in range(2):
                for c in range(4):
                    s_1[c] = s_1[c] + x[p * 2 + k] * w_1[o * 8 + k * 4 + c]
            for c in range(4):
                y[o * 12 + p * 4 + c] = s_1[c]

    # Rows of the constant are sums: they become columns. Unrolled places are a loop again.
    # CHECK-LABEL: def rows(
    # CHECK: weights = T.allocate_const([0.0, 2.0, 4.0, 6.0, 1.0, 3.0, 5.0, 7.0], "float32", [8])
    # CHECK-COUNT-2: {{block[0-9]+_1}}[{{[048]}}:{{[048]}}] = T.Broadcast(T.float32(0), 4)
    # CHECK: T.Broadcast(x_1[{{.*}}], 4)
    @T.prim_func
    def rows(x: T.Buffer((4,), "float32"), y: T.Buffer((8,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        w = T.allocate_const([0, 1, 2, 3, 4, 5, 6, 7], "float32", [8])
        w_1 = T.Buffer((8,), "float32", data=w)
        for c in range(4):
            y[c] = T.float32(0)
        for c in range(4):
            y[c + 4] = T.float32(0)
        for k in range(2):
            for c in range(4):
                y[c] = y[c] + x[k] * w_1[c * 2 + k]
            for c in range(4):
                y[c + 4] = y[c + 4] + x[k + 2] * w_1[c * 2 + k]

    # Each step of k updates 24 sums, more than four registers of 16 bytes hold: columns become blocks, and the constant becomes panels.
    # PANELS-LABEL: def product(
    # PANELS: weights = T.allocate_const([0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 24.0, 25.0
    # PANELS: [[S:block[0-9]+_1]][0:8] = [[S]][0:8] + T.Broadcast(x_1[{{.*}}], 8) * weights_1[
    # PANELS: y_1[{{.*}}] = [[S]][
    # Eight registers of 32 bytes hold them: blocks read the constant in its order.
    # HOLDS-LABEL: def product(
    # HOLDS: block4_1[16:24] = block4_1[16:24] + T.Broadcast(x_1[i0 * 2 + i2], 8) * w_1[i2 * 24 + 16:i2 * 24 + 16 + 8]
    @T.prim_func
    def product(x: T.Buffer((6,), "float32"), y: T.Buffer((72,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        w = T.allocate_const([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47], "float32", [48])
        w_1 = T.Buffer((48,), "float32", data=w)
        for i in range(3):
            for j in range(24):
                y[i * 24 + j] = T.float32(0)
            for k, j in T.grid(2, 24):
                y[i * 24 + j] = y[i * 24 + j] + x[i * 2 + k] * w_1[k * 24 + j]

    # Vectors along other results are fuller than those of four columns.
    # CHECK-LABEL: def small(
    # CHECK: block4_1[0:64] = block4_1[0:64] + x_1[{{.*}}] * T.Broadcast(w_1[
    # CHECK-LABEL: def small_sums(
    # CHECK: staged_1[{{[si][03]}} * 10 + {{[si][14]}}] = v_1[{{[si][03]}} + {{[si][14]}} * 32]
    # CHECK: for i1_block in range(2):
    @T.prim_func
    def small(x: T.Buffer((4096,), "int32"), y: T.Buffer((512,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        w = T.allocate_const([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63, 64, 65, 66, 67, 68, 69, 70, 71, 72, 73, 74, 75, 76, 77, 78, 79, 80, 81, 82, 83, 84, 85, 86, 87, 88, 89, 90, 91, 92, 93, 94, 95, 96, 97, 98, 99, 100, 101, 102, 103, 104, 105, 106, 107, 108, 109, 110, 111, 112, 113, 114, 115, 116, 117, 118, 119, 120, 121, 122, 123, 124, 125, 126, 127], "int32", [128])
        w_1 = T.Buffer((128,), "int32", data=w)
        for i, m, j in T.grid(2, 4, 64):
            y[i * 256 + m * 64 + j] = 0
        for k, i, m, j in T.grid(32, 2, 4, 64):
            y[i * 256 + m * 64 + j] = y[i * 256 + m * 64 + j] + x[k * 128 + i * 64 + j] * w_1[m * 32 + k]

    @T.prim_func
    def small_sums(z: T.Buffer((320,), "int16"), u: T.Buffer((100,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        v = T.allocate_const([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63, 64, 65, 66, 67, 68, 69, 70, 71, 72, 73, 74, 75, 76, 77, 78, 79, 80, 81, 82, 83, 84, 85, 86, 87, 88, 89, 90, 91, 92, 93, 94, 95, 96, 97, 98, 99, 100, 101, 102, 103, 104, 105, 106, 107, 108, 109, 110, 111, 112, 113, 114, 115, 116, 117, 118, 119, 120, 121, 122, 123, 124, 125, 126, 127, 128, 129, 130, 131, 132, 133, 134, 135, 136, 137, 138, 139, 140, 141, 142, 143, 144, 145, 146, 147, 148, 149, 150, 151, 152, 153, 154, 155, 156, 157, 158, 159, 160, 161, 162, 163, 164, 165, 166, 167, 168, 169, 170, 171, 172, 173, 174, 175, 176, 177, 178, 179, 180, 181, 182, 183, 184, 185, 186, 187, 188, 189, 190, 191, 192, 193, 194, 195, 196, 197, 198, 199, 200, 201, 202, 203, 204, 205, 206, 207, 208, 209, 210, 211, 212, 213, 214, 215, 216, 217, 218, 219, 220, 221, 222, 223, 224, 225, 226, 227, 228, 229, 230, 231, 232, 233, 234, 235, 236, 237, 238, 239, 240, 241, 242, 243, 244, 245, 246, 247, 248, 249, 250, 251, 252, 253, 254, 255, 256, 257, 258, 259, 260, 261, 262, 263, 264, 265, 266, 267, 268, 269, 270, 271, 272, 273, 274, 275, 276, 277, 278, 279, 280, 281, 282, 283, 284, 285, 286, 287, 288, 289, 290, 291, 292, 293, 294, 295, 296, 297, 298, 299, 300, 301, 302, 303, 304, 305, 306, 307, 308, 309, 310, 311, 312, 313, 314, 315, 316, 317, 318, 319], "int16", [320])
        v_1 = T.Buffer((320,), "int16", data=v)
        for m, i in T.grid(10, 10):
            u[m * 10 + i] = 0
        for i, m, k in T.grid(10, 10, 32):
            u[m * 10 + i] = u[m * 10 + i] + (T.Cast("int32", z[i * 32 + k]) - 3) * T.Cast("int32", v_1[m * 32 + k])

    # Both factors have lanes: x for all m, w for all j. A block has places of j, which share w.
    # CHECK-LABEL: def two_rows(
    # CHECK: for i1 in range(2):
    # CHECK: shared2_1[0:8] = w_1[i1 * 16 + i3 * 8:i1 * 16 + i3 * 8 + 8]
    @T.prim_func
    def two_rows(x: T.Buffer((64,), "float32"), y: T.Buffer((64,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        w = T.allocate_const([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31], "float32", [32])
        w_1 = T.Buffer((32,), "float32", data=w)
        for m, j, b in T.grid(2, 4, 8):
            y[j * 16 + m * 8 + b] = T.float32(0)
            for k in range(2):
                y[j * 16 + m * 8 + b] = y[j * 16 + m * 8 + b] + x[k * 32 + j * 8 + b] * w_1[m * 16 + k * 8 + b]
