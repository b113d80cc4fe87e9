# RUN: tenon-opt %s --pipeline=pack-operands --timing 2>%t.counts | FileCheck %s
# RUN: FileCheck %s --check-prefix=COUNT <%t.counts
# RUN: tenon-opt %s --pipeline=pack-operands,pack-operands | FileCheck %s
# COUNT: {{^ *13 +}}pack-operands.copies
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    # CHECK-LABEL: def a_transposed(
    # CHECK: k_packed = T.allocate([2048], "float32", "global")
    # CHECK: for p, p_1 in T.grid(64, 32):
    # CHECK-NEXT: k_packed_1[p * 32 + p_1] = k[p + p_1 * 64]
    # CHECK: for i, j in T.grid(16, 32):
    # CHECK: y[i * 32 + j] = y[i * 32 + j] + q[i * 64 + d] * k_packed_1[d * 32 + j]
    @T.prim_func
    def a_transposed(q: T.Buffer((1024,), "float32"), k: T.Buffer((2048,), "float32"), y: T.Buffer((512,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i, j in T.grid(16, 32):
            y[i * 32 + j] = T.float32(0)
            for d in range(64):
                y[i * 32 + j] = y[i * 32 + j] + q[i * 64 + d] * k[j * 64 + d]

    # Fused loops, and rows in blocks of 8.
    # CHECK-LABEL: def b_blocks(
    # CHECK: for p, p_1, p_2, p_3 in T.grid(4, 16, 4, 8):
    # CHECK-NEXT: k_packed_1[((p * 16 + p_1) * 4 + p_2) * 8 + p_3] = k[p * 512 + p_1 + p_2 * 128 + p_3 * 16]
    # CHECK: k_packed_1[((b // 32 * 16 + d) * 4 + o) * 8 + c]
    @T.prim_func
    def b_blocks(q: T.Buffer((2048,), "float32"), k: T.Buffer((2048,), "float32"), y: T.Buffer((4096,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for b, o in T.grid(128, 4):
            s = T.allocate([8], "float32", "global")
            s_1 = T.Buffer((8,), "float32", data=s)
            for c in range(8):
                s_1[c] = T.float32(0)
            for d, c in T.grid(16, 8):
                s_1[c] = s_1[c] + q[b * 16 + d] * k[b // 32 * 512 + o * 128 + c * 16 + d]
            for c in range(8):
                y[b * 32 + o * 8 + c] = s_1[c]

    # Too few uses of each element; an operand that is not apart; one that the loop changes; windows,
    # whose copy would be larger; long sums of integers along both operands; elements that a condition protects.
    # CHECK-LABEL: def c_stay(
    # CHECK-NOT: packed
    @T.prim_func
    def c_stay(n: T.Buffer((1,), "int32"), q: T.Buffer((1024,), "float32"), k: T.Buffer((2048,), "float32"), y: T.Buffer((2048,), "float32"), z: T.Buffer((512,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i, j, d in T.grid(2, 8, 64):
            y[i * 32 + j] = y[i * 32 + j] + q[i * 64 + d] * k[j * 64 + d]
        for i, j, d in T.grid(16, 32, 64):
            y[i * 32 + j] = y[i * 32 + j] + q[i * 64 + d] * k[d * 32 + j]
        for i, j, d in T.grid(16, 32, 64):
            y[i * 32 + j] = y[i * 32 + j] + q[i * 64 + d] * y[j * 64 + d]
        for i, j, d in T.grid(16, 32, 9):
            y[i * 32 + j] = y[i * 32 + j] + q[i * 9 + d] * k[j * 2 + d]
        for i, j, d in T.grid(16, 32, 32):
            z[i * 32 + j] = z[i * 32 + j] + T.Cast("int32", q[i * 64 + d]) * T.Cast("int32", k[j * 64 + d])
        for i, j, d in T.grid(16, 32, 64):
            if d < n[0]:
                y[i * 32 + j] = y[i * 32 + j] + q[i * 64 + d] * k[j * 64 + d]

    # The index of the second operand splits the loop of the sum in two digits; the first operand has
    # an axis for each.
    # CHECK-LABEL: def d_split(
    # CHECK: q_packed_1[((p * 8 + p_1) * 4 + p_2) * 8 + p_3] = q[p * 32 + p_1 * 4 + p_2 + p_3 * 256]
    # CHECK: q_packed_1[((j * 8 + k // 4) * 4 + k % 4) * 8 + b] *
    @T.prim_func
    def d_split(q: T.Buffer((2048,), "float32"), f: T.Buffer((992,), "float32"), y: T.Buffer((1984,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for n, b, k, j in T.grid(31, 8, 32, 8):
            y[j * 248 + n * 8 + b] = y[j * 248 + n * 8 + b] + q[b * 256 + j * 32 + k] * f[k // 4 * 124 + n * 4 + k % 4]

    # The sum is local; its value is stored later.
    # CHECK-LABEL: def e_local(
    # CHECK: k_packed_1[p * 32 + p_1] = k[p + p_1 * 64]
    # CHECK: s_1[0] = s_1[0] + q[i * 64 + d] * k_packed_1[d * 32 + j]
    @T.prim_func
    def e_local(q: T.Buffer((1024,), "float32"), k: T.Buffer((2048,), "float32"), y: T.Buffer((512,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i, j in T.grid(16, 32):
            s = T.allocate([1], "float32", "global")
            s_1 = T.Buffer((1,), data=s)
            s_1[0] = T.float32(0)
            for d in range(64):
                s_1[0] = s_1[0] + q[i * 64 + d] * k[j * 64 + d]
            y[i * 32 + j] = T.max(s_1[0], T.float32(0))

    # Lanes are results (i, j) that are stored side by side; x has neighbours along j.
    # CHECK-LABEL: def f_results(
    # CHECK: for p, p_1, p_2 in T.grid(2, 64, 4):
    # CHECK-NEXT: x_packed_1[(p * 64 + p_1) * 4 + p_2] = x[p * 64 + p_1 + p_2 * 128]
    # CHECK: y[m * 256 + j * 4 + i] + x_packed_1[(k * 64 + j) * 4 + i] * f[k * 48 + m]
    @T.prim_func
    def f_results(x: T.Buffer((512,), "float32"), f: T.Buffer((96,), "float32"), y: T.Buffer((12288,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for m, j, i in T.grid(48, 64, 4):
            y[m * 256 + j * 4 + i] = T.float32(0)
            for k in range(2):
                y[m * 256 + j * 4 + i] = y[m * 256 + j * 4 + i] + x[i * 128 + k * 64 + j] * f[k * 48 + m]

    # The other operand runs along a sum of integers: x is copied in that order, and so is a constant.
    # CHECK-LABEL: def g_integers(
    # CHECK: x_packed_1[p * 16 + p_1] = x[p + p_1 * 2]
    # CHECK: T.Cast("int32", x_packed_1[i * 16 + k]) * T.Cast("int32", f[m * 16 + k])
    # CHECK-LABEL: def h_constant(
    # CHECK: f_packed_1[p * 16 + p_1] = f[p + p_1 * 3]
    # CHECK: T.Cast("int32", f_packed_1[m * 16 + k]) * T.Cast("int32", x[i * 16 + k])
    @T.prim_func
    def g_integers(x: T.Buffer((32,), "int8"), f: T.Buffer((320,), "int8"), y: T.Buffer((40,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i, m in T.grid(2, 20):
            y[i * 20 + m] = 0
            for k in range(16):
                y[i * 20 + m] = y[i * 20 + m] + T.Cast("int32", x[k * 2 + i]) * T.Cast("int32", f[m * 16 + k])

    @T.prim_func
    def h_constant(x: T.Buffer((160,), "int8"), y: T.Buffer((30,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        f_data = T.allocate_const([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48], "int8", [48])
        f = T.Buffer((48,), "int8", data=f_data)
        for i, m in T.grid(10, 3):
            y[i * 3 + m] = 0
            for k in range(16):
                y[i * 3 + m] = y[i * 3 + m] + T.Cast("int32", f[k * 3 + m]) * T.Cast("int32", x[i * 16 + k])

    # Sums of integers that fill no vector: of 2 steps, and of 16 steps whose lanes would be added up.
    # CHECK-LABEL: def i_short(
    # CHECK: x_packed_1[p * 32 + p_1] = x[p + p_1 * 64]
    # CHECK: T.Cast("int32", x_packed_1[k * 32 + j]) * T.Cast("int32", f[m * 2 + k])
    # CHECK: x_packed_1[p * 32 + p_1] = x[p + p_1 * 64]
    # CHECK: T.Cast("int32", x_packed_1[k * 32 + j]) * T.Cast("int32", f[m * 16 + k])
    @T.prim_func
    def i_short(x: T.Buffer((2048,), "int8"), f: T.Buffer((320,), "int8"), y: T.Buffer((640,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for m, j, k in T.grid(20, 32, 2):
            y[m * 32 + j] = y[m * 32 + j] + T.Cast("int32", x[j * 64 + k]) * T.Cast("int32", f[m * 2 + k])
        for m, j, k in T.grid(20, 32, 16):
            y[m * 32 + j] = y[m * 32 + j] + T.Cast("int32", x[j * 64 + k]) * T.Cast("int32", f[m * 16 + k])

    # Each factor has neighbours along another loop of the sum. One of them is copied.
    # CHECK-LABEL: def j_one(
    # CHECK: x_packed_1[(p * 32 + p_1) * 32 + p_2] = x[p * 1024 + p_1 + p_2 * 32]
    # CHECK: T.Cast("int32", x_packed_1[(i * 32 + k) * 32 + l]) * T.Cast("int32", f[m * 1024 + k * 32 + l])
    @T.prim_func
    def j_one(x: T.Buffer((8192,), "int16"), f: T.Buffer((16384,), "int16"), y: T.Buffer((128,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for m, i, l, k in T.grid(16, 8, 32, 32):
            y[m * 8 + i] = y[m * 8 + i] + T.Cast("int32", x[i * 1024 + l * 32 + k]) * T.Cast("int32", f[m * 1024 + k * 32 + l])

    # The lanes of four results would fill a quarter of a vector; pack-results takes those of n.
    # CHECK-LABEL: def k_results(
    # CHECK-NOT: packed
    @T.prim_func
    def k_results(x: T.Buffer((64,), "int32"), f: T.Buffer((4096,), "int32"), y: T.Buffer((1024,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for n, i, m, k in T.grid(64, 4, 4, 16):
            y[n * 16 + i * 4 + m] = y[n * 16 + i * 4 + m] + x[k * 4 + i] * f[m * 1024 + k * 64 + n]

    # A constant that runs along other results gets the order of y. One that runs along the sum stays (choose-blocks).
    # CHECK-LABEL: def l_constants(
    # CHECK: f_packed_1[(p * 3 + p_1) * 16 + p_2] = f[p * 48 + p_1 + p_2 * 3]
    # CHECK: y[m * 16 + b] + x[k * 16 + b] * f_packed_1[(k * 3 + m) * 16 + b]
    # CHECK-NOT: g_packed
    @T.prim_func
    def l_constants(x: T.Buffer((32,), "float32"), y: T.Buffer((48,), "float32"), z: T.Buffer((96,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        f_data = T.allocate_const([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63, 64, 65, 66, 67, 68, 69, 70, 71, 72, 73, 74, 75, 76, 77, 78, 79, 80, 81, 82, 83, 84, 85, 86, 87, 88, 89, 90, 91, 92, 93, 94, 95], "float32", [96])
        f = T.Buffer((96,), data=f_data)
        g_data = T.allocate_const([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63], "float32", [64])
        g = T.Buffer((64,), data=g_data)
        for i, k, m, b in T.grid(4, 2, 3, 16):
            y[m * 16 + b] = y[m * 16 + b] + x[k * 16 + b] * f[k * 48 + b * 3 + m]
        for i, b, k in T.grid(6, 16, 4):
            z[i * 16 + b] = z[i * 16 + b] + x[i * 4 + k] * g[b * 4 + k]

    # Three results side by side are a row with the other blocks of m. Three steps of n are not.
    # CHECK-LABEL: def m_blocks(
    # CHECK: f_packed_1[(p * 16 + p_1) * 3 + p_2] = f[p + p_1 * 24 + p_2 * 8]
    # CHECK: y[m // 3 * 72 + j * 3 + m % 3] + x[j * 8 + k] * f_packed_1[(k * 16 + m // 3) * 3 + m % 3]
    # CHECK-NOT: g_packed
    @T.prim_func
    def m_blocks(x: T.Buffer((192,), "float32"), f: T.Buffer((384,), "float32"), g: T.Buffer((64,), "float32"), y: T.Buffer((1152,), "float32"), z: T.Buffer((72,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for m, j, k in T.grid(48, 24, 8):
            y[m // 3 * 72 + j * 3 + m % 3] = y[m // 3 * 72 + j * 3 + m % 3] + x[j * 8 + k] * f[m * 8 + k]
        for j, n, l, k in T.grid(24, 3, 2, 8):
            z[j * 3 + n] = z[j * 3 + n] + x[j * 8 + k] * g[l * 24 + n * 8 + k]

    # Steps of a sum of integers, in blocks of four, get the order of the other factor.
    # CHECK-LABEL: def n_steps(
    # CHECK: f_packed_1[(p * 4 + p_1) * 4 + p_2] = f[p * 4 + p_1 * 8 + p_2]
    # CHECK: y[i * 2 + m] + T.Cast("int32", x[i * 16 + k]) * T.Cast("int32", f_packed_1[(m * 4 + k // 4) * 4 + k % 4])
    @T.prim_func
    def n_steps(x: T.Buffer((1024,), "int16"), f: T.Buffer((32,), "int16"), y: T.Buffer((128,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i, m, k in T.grid(64, 2, 16):
            y[i * 2 + m] = y[i * 2 + m] + T.Cast("int32", x[i * 16 + k]) * T.Cast("int32", f[k // 4 * 8 + m * 4 + k % 4])
