# RUN: tenon-opt %s --pipeline=order-loops --timing 2>%t.counts | FileCheck %s
# RUN: FileCheck %s --check-prefix=COUNT <%t.counts
# RUN: tenon-opt %s --pipeline=order-loops,order-loops | FileCheck %s
# COUNT: {{^ *16 +}}order-loops.nests
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    # The order of the elements that are stored.
    # CHECK-LABEL: def a_copy(
    # CHECK: for j, i, k in T.grid(32, 16, 64):
    @T.prim_func
    def a_copy(x: T.Buffer((32768,), "float32"), y: T.Buffer((32768,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for k, j, i in T.grid(64, 32, 16):
            y[j * 1024 + i * 64 + k] = x[i * 2048 + j * 64 + k] + T.float32(1)

    # The innermost loop reads a row, so it stays.
    # CHECK-LABEL: def b_row(
    # CHECK: for j, k, i in T.grid(32, 64, 16):
    @T.prim_func
    def b_row(x: T.Buffer((32768,), "float32"), y: T.Buffer((32768,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for k, j, i in T.grid(64, 32, 16):
            y[j * 1024 + k * 16 + i] = x[k * 512 + j * 16 + i]

    # A sum of integers: the row that is read becomes the innermost loop.
    # CHECK-LABEL: def c_sum(
    # CHECK: for i, j in T.grid(256, 24):
    @T.prim_func
    def c_sum(x: T.Buffer((98304,), "uint8"), y: T.Buffer((17,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for j, i in T.grid(24, 256):
            y[16] = y[16] + T.Cast("int32", x[i * 384 + j])

    # Sums of floats; sums of several elements; a value that reads what the nest stores; an order that
    # is the text's; lines of 7 x 248 elements of x, which a cache would lose.
    # CHECK-LABEL: def d_stay(
    # CHECK: for j, i in T.grid(24, 256):
    # CHECK: for j, i in T.grid(24, 256):
    # CHECK: for i, j in T.grid(256, 24):
    # CHECK: for j, i, k in T.grid(24, 64, 16):
    # CHECK: for i, j, k in T.grid(248, 24, 7):
    @T.prim_func
    def d_stay(x: T.Buffer((6144,), "float32"), y: T.Buffer((6400,), "int32"), z: T.Buffer((6144,), "float32"), u: T.Buffer((41664,), "int32"), v: T.Buffer((41664,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for j, i in T.grid(24, 256):
            z[0] = z[0] + x[i * 24 + j]
        for j, i in T.grid(24, 256):
            y[i * 24 + j] = y[i * 24 + j] + y[i * 24 + j + 24]
        for i, j in T.grid(256, 24):
            z[i * 24 + j] = x[j * 256 + i]
        for j, i, k in T.grid(24, 64, 16):
            y[k * 64 + i] = y[k * 64 + i] + u[j * 1024 + i * 16 + k]
        for i, j, k in T.grid(248, 24, 7):
            v[j * 1736 + k * 248 + i] = u[k * 5952 + i * 24 + j]

    # Not a sum: the element that is read is another one than the element that is stored.
    # CHECK-LABEL: def e_other(
    # CHECK: for j, i in T.grid(24, 256):
    @T.prim_func
    def e_other(x: T.Buffer((98304,), "uint8"), y: T.Buffer((256,), "int32"), z: T.Buffer((256,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for n in range(256):
            z[n] = 0
            for j, i in T.grid(24, 256):
                y[n] = y[i] + T.Cast("int32", x[i * 384 + j])

    # Integer sums of several elements: the loop whose steps are neighbours becomes the innermost one. A loop that the
    # layout has in blocks becomes two.
    # CHECK-LABEL: def f_sums(
    # CHECK: for i, k, j, k_1 in T.grid(12, 4, 128, 16):
    # CHECK-NEXT: y[i] = T.Cast("int32", x[k * 24576 + j * 192 + i * 16 + k_1]) + y[i]
    @T.prim_func
    def f_sums(x: T.Buffer((98304,), "int8"), y: T.Buffer((12,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for k, i, j in T.grid(64, 12, 128):
            y[i] = y[i] + T.Cast("int32", x[(k // 16) * 24576 + j * 192 + i * 16 + (k % 16)])

    # Blocks of four channels: rows of four.
    # CHECK-LABEL: def g_blocks(
    # CHECK: for k, j, i, i_1 in T.grid(248, 2, 16, 4):
    # CHECK-NEXT: y[k * 128 + j * 64 + i * 4 + i_1] = x[i * 1984 + j * 992 + k * 4 + i_1]
    @T.prim_func
    def g_blocks(x: T.Buffer((31744,), "float32"), y: T.Buffer((31744,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for j, k, i in T.grid(2, 248, 64):
            y[k * 128 + j * 64 + i] = x[(i // 4) * 1984 + j * 992 + k * 4 + (i % 4)]

    # A block that does not divide the loop; blocks that do not divide each other; the sum's loop is not one of neighbours.
    # CHECK-LABEL: def h_stay(
    # CHECK: for j, i in T.grid(8, 30):
    # CHECK: for j, i in T.grid(8, 24):
    # CHECK: for j, m, i, k in T.grid(4, 8, 4, 16):
    @T.prim_func
    def h_stay(x: T.Buffer((4096,), "int32"), y: T.Buffer((4096,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for j, i in T.grid(8, 30):
            y[(i // 4) * 32 + j * 4 + (i % 4)] = x[j * 30 + i]
        for j, i in T.grid(8, 24):
            y[(i // 4) * 32 + j * 4 + (i % 4)] = x[(i // 6) * 48 + j * 6 + (i % 6)]
        for j, m, i, k in T.grid(4, 8, 4, 16):
            y[m * 16 + j * 4 + i] = y[m * 16 + j * 4 + i] + x[i * 64 + j * 16 + k] * x[m * 64 + k * 4]

    # Loops around a sum; a block of a layout whose steps lie between those of another loop.
    # CHECK-LABEL: def i_around(
    # CHECK: for i, m, j, i_1 in T.grid(3, 24, 96, 4):
    # CHECK: for k in range(4):
    # CHECK-NEXT: s_1[0] = s_1[0] + x[k * 1152 + i * 384 + j * 4 + i_1] * f[k * 24 + m]
    # CHECK: y[i * 9216 + m * 384 + j * 4 + i_1] = s_1[0]
    @T.prim_func
    def i_around(x: T.Buffer((4608,), "float32"), f: T.Buffer((96,), "float32"), y: T.Buffer((27648,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i, m, j in T.grid(12, 24, 96):
            s = T.allocate([1], "float32", "global")
            s_1 = T.Buffer((1,), data=s)
            s_1[0] = T.float32(0)
            for k in range(4):
                s_1[0] = s_1[0] + x[k * 1152 + i // 4 * 384 + j * 4 + i % 4] * f[k * 24 + m]
            y[i // 4 * 9216 + m * 384 + j * 4 + i % 4] = s_1[0]

    # The steps of a sum stay in order. It is outside of results that the first cache holds, if
    # elements would leave that cache before their neighbours are read; else it is innermost.
    # CHECK-LABEL: def j_steps(
    # CHECK: for k, i, j in T.grid(192, 16, 32):
    # CHECK-NEXT: y[i * 32 + j] = y[i * 32 + j] + x[k * 512 + i * 32 + j]
    # CHECK: for i, j, k in T.grid(16, 32, 8):
    # CHECK-NEXT: y[i * 32 + j] = T.max(y[i * 32 + j], x[k * 512 + i * 32 + j])
    # CHECK: for i, j, l, k in T.grid(16, 32, 4, 8):
    @T.prim_func
    def j_steps(x: T.Buffer((98304,), "float32"), y: T.Buffer((512,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for j, k, i in T.grid(32, 192, 16):
            y[i * 32 + j] = y[i * 32 + j] + x[k * 512 + i * 32 + j]
        for j, k, i in T.grid(32, 8, 16):
            y[i * 32 + j] = T.max(y[i * 32 + j], x[k * 512 + i * 32 + j])
        for l, j, k, i in T.grid(4, 32, 8, 16):
            y[i * 32 + j] = y[i * 32 + j] * x[l * 2048 + k * 512 + i * 32 + j]

    # The largest of integers: its loop runs through neighbours, that of the results does not.
    # CHECK-LABEL: def k_largest(
    # CHECK: for i, j, k in T.grid(32, 64, 64):
    @T.prim_func
    def k_largest(x: T.Buffer((131072,), "int32"), y: T.Buffer((2048,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i, k, j in T.grid(32, 64, 64):
            y[i * 64 + j] = T.max(x[i * 4096 + j * 64 + k], y[i * 64 + j])

    # Rows that are read, and stored in blocks of a layout; a block in another one.
    # CHECK-LABEL: def l_blocks(
    # CHECK: for i, j in T.grid(48, 64):
    # CHECK: y[j // 4 * 192 + i * 4 + j % 4] = s_1[0]
    # CHECK: for i, j, i_1 in T.grid(8, 8, 4):
    # CHECK: y[i * 32 + j * 4 + i_1] =
    @T.prim_func
    def l_blocks(x: T.Buffer((65536,), "float32"), f: T.Buffer((4096,), "float32"), y: T.Buffer((4096,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for j, i in T.grid(64, 48):
            s = T.allocate([1], "float32", "global")
            s_1 = T.Buffer((1,), data=s)
            s_1[0] = T.float32(0)
            for k in range(64):
                s_1[0] = s_1[0] + x[i * 64 + k] * f[k * 64 + j]
            y[j // 4 * 192 + i * 4 + j % 4] = s_1[0]
        for j, i in T.grid(8, 32):
            y[(i // 4) * 32 + j * 4 + (i % 4)] = x[(i // 8) * 64 + j * 8 + (i % 8)]

    # Rows of sums in memory; results that depend on each other.
    # CHECK-LABEL: def l_stay(
    # CHECK: for k, i, j in T.grid(32, 256, 8):
    # CHECK: for j, k, i in T.grid(32, 8, 16):
    @T.prim_func
    def l_stay(x: T.Buffer((65536,), "float32"), f: T.Buffer((4096,), "float32"), y: T.Buffer((4096,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for k, i, j in T.grid(32, 256, 8):
            y[i * 8 + j] = y[i * 8 + j] + x[k * 2048 + i * 8 + j]
        for j, k, i in T.grid(32, 8, 16):
            y[i * 32 + j] = y[i * 32 + j] + y[i * 32 + j + 1] * x[k * 512 + i * 32 + j]

    # Short sums that vectors cannot hold: a step of the innermost loop would store in another line.
    # CHECK-LABEL: def m_apart(
    # CHECK: for i, m, j, k in T.grid(16, 24, 5, 4):
    # CHECK-NEXT: y[i * 120 + m * 5 + j] = y[i * 120 + m * 5 + j] + x[j * 128 + i * 8 + k] * f[m * 4 + k]
    @T.prim_func
    def m_apart(x: T.Buffer((640,), "float32"), f: T.Buffer((96,), "float32"), y: T.Buffer((1920,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for j, k, m, i in T.grid(5, 4, 24, 16):
            y[i * 120 + m * 5 + j] = y[i * 120 + m * 5 + j] + x[j * 128 + i * 8 + k] * f[m * 4 + k]

    # Long sums of floats, which run together later (jam-loops); three of them do not.
    # CHECK-LABEL: def n_together(
    # CHECK: for j, i, k in T.grid(32, 64, 8):
    # CHECK: for i, j, k in T.grid(64, 3, 8):
    @T.prim_func
    def n_together(x: T.Buffer((16384,), "float32"), y: T.Buffer((32,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i, j, k in T.grid(64, 32, 8):
            y[j] = y[j] + x[j * 512 + k * 64 + i]
        for i, j, k in T.grid(64, 3, 8):
            y[j] = y[j] + x[j * 512 + k * 64 + i]

    # Four neighbours of f would stay innermost, but another loop has 16 neighbours of x and y.
    # CHECK-LABEL: def o_longer(
    # CHECK: for m, i, k in T.grid(4, 16, 8):
    @T.prim_func
    def o_longer(x: T.Buffer((128,), "int32"), f: T.Buffer((32,), "int32"), y: T.Buffer((64,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i, k, m in T.grid(16, 8, 4):
            y[m * 16 + i] = y[m * 16 + i] + x[k * 16 + i] * f[k * 4 + m]

    # The largest of integers: rows of two loops, which flatten-loops joins.
    # CHECK-LABEL: def p_rows(
    # CHECK: for j, k, i, k_1 in T.grid(48, 16, 28, 4):
    # CHECK-NEXT: y[j] = T.max(x[j * 1792 + k * 112 + i * 4 + k_1], y[j])
    @T.prim_func
    def p_rows(x: T.Buffer((86016,), "int32"), y: T.Buffer((48,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for j, k, i in T.grid(48, 64, 28):
            y[j] = T.max(y[j], x[j * 1792 + k // 4 * 112 + i * 4 + k % 4])
