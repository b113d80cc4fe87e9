# RUN: tenon-opt %s --pipeline=dot-products | FileCheck %s
# RUN: tenon-opt %s --pipeline='dot-products{rows=1 alone=2 steps=1}' | FileCheck %s --check-prefix=ALONE
# RUN: tenon-opt %s --pipeline=dot-products,dot-products | FileCheck %s
# RUN: tenon-opt %s --pipeline=dot-products --timing -o %t.py 2>&1 | FileCheck %s --check-prefix=COUNT
# RUN: tenon-opt %s --pipeline=dot-products --verify-schedules --timing -o %t.py 2>&1 | FileCheck %s --check-prefix=READ
# RUN: tenon-opt %s --pipeline='dot-products{rows=1 steps=1 combine=products}' | FileCheck %s --check-prefix=SCALARS --implicit-check-not=dp4a
# RUN: tenon-opt %s --pipeline='dot-products{rows=1 steps=1 combine=unsigned-products}' | FileCheck %s --check-prefix=UNSIGNED
# RUN: not tenon-opt %s --pipeline='dot-products{rows=0}' 2>&1 | FileCheck %s --check-prefix=BAD
# RUN: not tenon-opt %s --pipeline='dot-products{combine=quads}' 2>&1 | FileCheck %s --check-prefix=COMBINE
# COMBINE: dot-products: combine is quads, expected dots4, dots8, dots16, products or unsigned-products
# RUN: not tenon-opt %s --pipeline='dot-products{finish-loop=-1}' 2>&1 | FileCheck %s --check-prefix=NEGATIVE
# NEGATIVE: dot-products: finish-loop is -1, expected 0 or more
# RUN: tenon-opt %s --pipeline='dot-products{combine=dots16}' | FileCheck %s --check-prefix=WIDE
# RUN: tenon-opt %s --pipeline='dot-products{rows=1 combine=dots16 finish=true}' | FileCheck %s --check-prefix=FINISH
# COUNT: {{^ *4 +}}dot-products.sums
# READ: {{^ *4 +}}dot-products.read_back
# BAD: dot-products: rows, columns, alone or steps is 0, expected 1 to 16
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    # One place: more channels share what is loaded. Twelve groups of steps are three rounds.
    # CHECK-LABEL: def dense(
    # CHECK: in range(2):
    # CHECK: for i1_block in range(3):
    # CHECK-COUNT-16: T.dp4a(
    # CHECK-NOT: T.dp4a(
    # CHECK: y_1[
    # ALONE-LABEL: def dense(
    # ALONE: in range(4):
    # ALONE: for i1_block in range(12):
    # ALONE-COUNT-2: T.dp4a(
    # ALONE-NOT: T.dp4a(
    # ALONE: y_1[
    # WIDE-LABEL: def dense(
    # WIDE: for {{.*}} in range(2):
    # WIDE: sum_4[0] = T.dp4a("int32", x_1[0:16], weights_1[i0_block * 192:i0_block * 192 + 16], sum_4[0])
    # FINISH-LABEL: def dense(
    # FINISH: results_1[3] = sum_7[0]
    # FINISH-NEXT: for column in range(4):
    # FINISH: y_1[i0_block * 4 + column] = results_1[column]
    # FINISH-LABEL: def mean(
    # FINISH: for column in range(4):
    # FINISH-NEXT: total_1[column] = 0
    # FINISH: for column in range(4):
    # FINISH-NEXT: total_1[column] = total_1[column] +
    # FINISH: for column in range(4):
    # FINISH: y_1[column] =
    # SCALARS-LABEL: def dense(
    # SCALARS: in range(12):
    # SCALARS: sum_4[0] = sum_4[0] + T.Cast("int32", x_1[i1_block * 4]) * T.Cast("int32", weights_1[i0_block * 192 + i1_block * 16])
    @T.prim_func
    def dense(x: T.Buffer((48,), "int8"), y: T.Buffer((8,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        w = T.allocate_const([-11, -6, -1, 4, 9, -9, -4, 1, 6, 11, -7, -2, 3, 8, -10, -5, 0, 5, 10, -8, -3, 2, 7, -11, -6, -1, 4, 9, -9, -4, 1, 6, 11, -7, -2, 3, 8, -10, -5, 0, 5, 10, -8, -3, 2, 7, -11, -6, -1, 4, 9, -9, -4, 1, 6, 11, -7, -2, 3, 8, -10, -5, 0, 5, 10, -8, -3, 2, 7, -11, -6, -1, 4, 9, -9, -4, 1, 6, 11, -7, -2, 3, 8, -10, -5, 0, 5, 10, -8, -3, 2, 7, -11, -6, -1, 4, 9, -9, -4, 1, 6, 11, -7, -2, 3, 8, -10, -5, 0, 5, 10, -8, -3, 2, 7, -11, -6, -1, 4, 9, -9, -4, 1, 6, 11, -7, -2, 3, 8, -10, -5, 0, 5, 10, -8, -3, 2, 7, -11, -6, -1, 4, 9, -9, -4, 1, 6, 11, -7, -2, 3, 8, -10, -5, 0, 5, 10, -8, -3, 2, 7, -11, -6, -1, 4, 9, -9, -4, 1, 6, 11, -7, -2, 3, 8, -10, -5, 0, 5, 10, -8, -3, 2, 7, -11, -6, -1, 4, 9, -9, -4, 1, 6, 11, -7, -2, 3, 8, -10, -5, 0, 5, 10, -8, -3, 2, 7, -11, -6, -1, 4, 9, -9, -4, 1, 6, 11, -7, -2, 3, 8, -10, -5, 0, 5, 10, -8, -3, 2, 7, -11, -6, -1, 4, 9, -9, -4, 1, 6, 11, -7, -2, 3, 8, -10, -5, 0, 5, 10, -8, -3, 2, 7, -11, -6, -1, 4, 9, -9, -4, 1, 6, 11, -7, -2, 3, 8, -10, -5, 0, 5, 10, -8, -3, 2, 7, -11, -6, -1, 4, 9, -9, -4, 1, 6, 11, -7, -2, 3, 8, -10, -5, 0, 5, 10, -8, -3, 2, 7, -11, -6, -1, 4, 9, -9, -4, 1, 6, 11, -7, -2, 3, 8, -10, -5, 0, 5, 10, -8, -3, 2, 7, -11, -6, -1, 4, 9, -9, -4, 1, 6, 11, -7, -2, 3, 8, -10, -5, 0, 5, 10, -8, -3, 2, 7, -11, -6, -1, 4, 9, -9, -4, 1, 6, 11, -7, -2, 3, 8, -10, -5, 0, 5, 10, -8, -3, 2, 7, -11, -6, -1, 4, 9, -9, -4, 1, 6, 11, -7, -2, 3, 8, -10, -5], "int8", [384])
        w_1 = T.Buffer((384,), "int8", data=w)
        for c in range(8):
            y[c] = 0
            for k in range(48):
                y[c] = y[c] + T.Cast("int32", w_1[c * 48 + k]) * T.Cast("int32", x[k])

    # Each channel has its own elements: there is nothing to share.
    # CHECK-LABEL: def depthwise(
    # CHECK-NOT: T.dp4a(
    @T.prim_func
    def depthwise(x: T.Buffer((64,), "int8"), y: T.Buffer((8,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        w = T.allocate_const([-3, -2, -1, 0, 1, 2, 3, -3, -2, -1, 0, 1, 2, 3, -3, -2, -1, 0, 1, 2, 3, -3, -2, -1, 0, 1, 2, 3, -3, -2, -1, 0, 1, 2, 3, -3, -2, -1, 0, 1, 2, 3, -3, -2, -1, 0, 1, 2, 3, -3, -2, -1, 0, 1, 2, 3, -3, -2, -1, 0, 1, 2, 3, -3], "int8", [64])
        w_1 = T.Buffer((64,), "int8", data=w)
        for c in range(8):
            y[c] = 0
            for k in range(8):
                y[c] = y[c] + T.Cast("int32", w_1[k * 8 + c]) * T.Cast("int32", x[k * 8 + c])

    # The mean over all places of what is made of each sum: a total for each channel of a block.
    # CHECK-LABEL: def mean(
    # CHECK: for {{.*}} in range(2):
    # CHECK: total_2[0] = 0
    # CHECK: for {{.*}} in range(2):
    # CHECK: T.dp4a(
    # CHECK: total_2[0] = total_2[0] + T.Cast("int32", T.Cast("int8", T.shift_right(sum_{{[0-9]}}[0], 4)))
    # CHECK: y_1[{{.*}}] = T.Div(total_2[0], 4)
    # Unsigned constants are larger by 128: the elements of a place are added up once for all channels.
    # UNSIGNED-LABEL: def mean(
    # UNSIGNED: for {{.*}} in range(4):
    # UNSIGNED: elements_1[0] = 0
    # UNSIGNED: elements_1[0] = elements_1[0] + T.Cast("int32", x_1[
    # UNSIGNED-COUNT-4: = 0 - elements_1[0] * 128
    @T.prim_func
    def mean(x: T.Buffer((32,), "uint8"), y: T.Buffer((4,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        w = T.allocate_const([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, -1, -2, -3, -4, -5, -6, -7, -8, -9, -10, -11, -12, -13, -14, -15, -16], "int8", [32])
        w_1 = T.Buffer((32,), "int8", data=w)
        total = T.allocate([4], "int32", "global")
        total_1 = T.Buffer((4,), "int32", data=total)
        for c in range(4):
            total_1[c] = 0
        for i, c in T.grid(4, 4):
            s = T.allocate([1], "int32", "global")
            s_1 = T.Buffer((1,), "int32", data=s)
            s_1[0] = 0
            for k in range(8):
                s_1[0] = s_1[0] + T.Cast("int32", w_1[k * 4 + c]) * T.Cast("int32", x[i * 8 + k])
            total_1[c] = total_1[c] + T.Cast("int32", T.Cast("int8", T.shift_right(s_1[0], 4)))
        for c in range(4):
            y[c] = T.Div(total_1[c], 4)

    # The elements of a place lie side by side: they are read in place. Five places leave one.
    # CHECK-LABEL: def places(
    # CHECK: weights = T.allocate_const([1, 5, 9, 13, 2, 6, 10, 14, -1, -5, -9, -13, -2, -6, -10, -14, 3,
    # CHECK: for {{.*}} in T.grid(2, 2):
    # CHECK: sum_4[0] = 0
    # CHECK: sum_4[0] = T.dp4a("int32", x_1[i0_block * 16:i0_block * 16 + 4], weights_1[i1_block * 16:i1_block * 16 + 4], sum_4[0])
    # CHECK: y_1[i0_block * 8 + i1_block * 2] = sum_4[0] + 3
    # CHECK: y_1[i0_block * 8 + i1_block * 2 + 5] = sum_7[0] + 3
    # CHECK: for {{.*}} in range(2):
    # CHECK: y_1[i1_block * 2 + 17] =
    # Eight elements lie side by side, and a dot product takes these.
    # WIDE-LABEL: def places(
    # WIDE: sum_4[0] = T.dp4a("int32", x_1[i0_block * 16:i0_block * 16 + 8], weights_1[i1_block * 16:i1_block * 16 + 8], sum_4[0])
    # ALONE-LABEL: def places(
    # ALONE: in T.grid(5, 2):
    # ALONE: for {{.*}} in range(2):
    # UNSIGNED-LABEL: def places(
    # UNSIGNED: weights = T.allocate_const([129, 133, 137, 141, 130, 134, 138, 142, {{.*}}], "uint8", [32])
    # UNSIGNED: for {{.*}} in range(5):
    # UNSIGNED: elements_1[0] = elements_1[0] + T.Cast("int32", x_1[
    # UNSIGNED-COUNT-4: = 0 - elements_1[0] * 128
    # UNSIGNED: sum_4[0] = sum_4[0] + T.Cast("int32", x_1[{{.*}}]) * T.Cast("int32", weights_1[
    @T.prim_func
    def places(x: T.Buffer((40,), "uint8"), y: T.Buffer((20,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        w = T.allocate_const([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, -1, -2, -3, -4, -5, -6, -7, -8, -9, -10, -11, -12, -13, -14, -15, -16], "int8", [32])
        w_1 = T.Buffer((32,), "int8", data=w)
        for i, c in T.grid(5, 4):
            s = T.allocate([1], "int32", "global")
            s_1 = T.Buffer((1,), "int32", data=s)
            s_1[0] = 0
            for k in range(8):
                s_1[0] = s_1[0] + T.Cast("int32", w_1[k * 4 + c]) * T.Cast("int32", x[i * 8 + k])
            y[i * 4 + c] = s_1[0] + 3

    # The constants are not known.
    # CHECK-LABEL: def unknown(
    # CHECK-NOT: T.dp4a(
    @T.prim_func
    def unknown(x: T.Buffer((8,), "int8"), w: T.Buffer((64,), "int8"), y: T.Buffer((8,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for c in range(8):
            y[c] = 0
            for k in range(8):
                y[c] = y[c] + T.Cast("int32", w[c * 8 + k]) * T.Cast("int32", x[k])

    # The constants have more than 8 bits.
    # CHECK-LABEL: def wide(
    # CHECK-NOT: T.dp4a(
    @T.prim_func
    def wide(x: T.Buffer((8,), "int8"), y: T.Buffer((8,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        w = T.allocate_const([300, 299, 298, 297, 296, 295, 294, 293, 292, 291, 290, 289, 288, 287, 286, 285, 284, 283, 282, 281, 280, 279, 278, 277, 276, 275, 274, 273, 272, 271, 270, 269, 268, 267, 266, 265, 264, 263, 262, 261, 260, 259, 258, 257, 256, 255, 254, 253, 252, 251, 250, 249, 248, 247, 246, 245, 244, 243, 242, 241, 240, 239, 238, 237], "int16", [64])
        w_1 = T.Buffer((64,), "int16", data=w)
        for c in range(8):
            y[c] = 0
            for k in range(8):
                y[c] = y[c] + T.Cast("int32", w_1[c * 8 + k]) * T.Cast("int32", x[k])

    # A window with borders and a zero point: nine elements become twelve. The elements outside are
    # -128, which stands for 0. A sum begins with 128 times the sum of its constants.
    # CHECK-LABEL: def window(
    # CHECK-DAG: starts = T.allocate_const([0, 1152, 2304, -1152], "int32", [4])
    # CHECK-DAG: weights = T.allocate_const([0, 0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 2, 2, 2, 2, -1, -1, -1, -1,
    # CHECK-DAG: packed = T.allocate([24], "int8", "global")
    # CHECK: if i0 + i3 >= 1 and {{.*}}:
    # CHECK: packed_1[{{.*}}] = x_1[
    # CHECK: else:
    # CHECK: packed_1[{{.*}}] = T.int8(-128)
    # CHECK: packed_1[9] = T.int8(0)
    # CHECK: = starts_1[
    # CHECK: T.dp4a("int32", packed_1[0:4], weights_1[
    # UNSIGNED-LABEL: def window(
    # UNSIGNED: for k_block in range(12):
    # UNSIGNED: elements_1[0] = elements_1[0] + T.Cast("int32", packed_1[k_block])
    # UNSIGNED: = starts_1[{{.*}}] - elements_1[0] * 128
    @T.prim_func
    def window(x: T.Buffer((16,), "int8"), y: T.Buffer((64,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        w = T.allocate_const([0, 1, 2, -1, 0, 1, 2, -1, 0, 1, 2, -1, 0, 1, 2, -1, 0, 1, 2, -1, 0, 1, 2, -1, 0, 1, 2, -1, 0, 1, 2, -1, 0, 1, 2, -1], "int8", [36])
        w_1 = T.Buffer((36,), "int8", data=w)
        for i, j, c in T.grid(4, 4, 4):
            s = T.allocate([1], "int32", "global")
            s_1 = T.Buffer((1,), "int32", data=s)
            s_1[0] = 0
            for di, dj in T.grid(3, 3):
                if i + di >= 1 and i + di < 5 and j + dj >= 1 and j + dj < 5:
                    s_1[0] = s_1[0] + T.Cast("int32", w_1[di * 12 + dj * 4 + c]) * (T.Cast("int32", x[i * 4 + di * 4 + j + dj - 5]) + 128)
            y[i * 16 + j * 4 + c] = s_1[0]
