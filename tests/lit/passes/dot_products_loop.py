# RUN: tenon-opt %s --pipeline='dot-products{rows=1 steps=1 finish-loop=2}' -o %t.py && FileCheck %s --input-file=%t.py
# RUN: tenon-opt %s --pipeline='dot-products{rows=1 steps=1 finish-loop=3}' | FileCheck %s --check-prefix=MORE --implicit-check-not="for column"
# RUN: tenon-opt %s --pipeline='dot-products{finish-loop=2}' | FileCheck %s --check-prefix=MORE --implicit-check-not="for column"
# RUN: tenon run %s --output y=%t.y.npy --output z=%t.z.npy
# RUN: tenon run %t.py --expect y=%t.y.npy --expect z=%t.z.npy
# RUN: tenon run %t.py --engine=c --cc=%cc --expect y=%t.y.npy --expect z=%t.z.npy
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    # Sums that are stored as they are.
    # CHECK-LABEL: def plain(
    # CHECK-COUNT-4: y_1[
    @T.prim_func(private=True)
    def plain(x: T.Buffer((24,), "int8"), y: T.Buffer((24,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        w = T.allocate_const([-11, -6, -1, 4, 9, -9, -4, 1, 6, 11, -7, -2, 3, 8, -10, -5, 0, 5, 10, -8, -3, 2, 7, -11, -6, -1, 4, 9, -9, -4, 1, 6, 11, -7, -2, 3, 8, -10, -5, 0, 5, 10, -8, -3, 2, 7, -11, -6, -1, 4, 9, -9, -4, 1, 6, 11, -7, -2, 3, 8, -10, -5, 0, 5], "int8", [64])
        w_1 = T.Buffer((64,), "int8", data=w)
        for i, c in T.grid(3, 8):
            s = T.allocate([1], "int32", "global")
            s_1 = T.Buffer((1,), "int32", data=s)
            s_1[0] = 0
            for k in range(8):
                s_1[0] = s_1[0] + T.Cast("int32", x[i * 8 + k]) * T.Cast("int32", w_1[k * 8 + c])
            y[i * 8 + c] = s_1[0]

    # Two dot products for each sum. One copy of the code uses the four sums of a block.
    # CHECK-LABEL: def rescaled(
    # CHECK:       for i2_block in range(2):
    # CHECK:         sums_1[0] = sum_4[0]
    # CHECK-NEXT:    sums_1[1] = sum_5[0]
    # CHECK-NEXT:    sums_1[2] = sum_6[0]
    # CHECK-NEXT:    sums_1[3] = sum_7[0]
    # CHECK-NEXT:    for column in range(4):
    # CHECK:           sum_9[0] = sums_1[column]
    # CHECK:           y_1[i0_block * 8 + i1_block * 4 + column] = {{.*}} + b_1[i1_block * 4 + column]
    # CHECK-NOT:   y_1[
    # MORE-LABEL:  def rescaled(
    # MORE-COUNT-4: y_1[
    @T.prim_func(private=True)
    def rescaled(x: T.Buffer((24,), "int8"), y: T.Buffer((24,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        w = T.allocate_const([-11, -6, -1, 4, 9, -9, -4, 1, 6, 11, -7, -2, 3, 8, -10, -5, 0, 5, 10, -8, -3, 2, 7, -11, -6, -1, 4, 9, -9, -4, 1, 6, 11, -7, -2, 3, 8, -10, -5, 0, 5, 10, -8, -3, 2, 7, -11, -6, -1, 4, 9, -9, -4, 1, 6, 11, -7, -2, 3, 8, -10, -5, 0, 5], "int8", [64])
        w_1 = T.Buffer((64,), "int8", data=w)
        b = T.allocate_const([1, -2, 3, -4, 5, -6, 7, -8], "int32", [8])
        b_1 = T.Buffer((8,), "int32", data=b)
        for i, c in T.grid(3, 8):
            s = T.allocate([1], "int32", "global")
            s_1 = T.Buffer((1,), "int32", data=s)
            s_1[0] = 0
            for k in range(8):
                s_1[0] = s_1[0] + T.Cast("int32", x[i * 8 + k]) * T.Cast("int32", w_1[k * 8 + c])
            y[i * 8 + c] = T.max(T.min(T.shift_right(s_1[0] * 3 + 4, 3), 100), -100) + b_1[c]

    @T.prim_func
    def main(y: T.Buffer((24,), "int32"), z: T.Buffer((24,), "int32")):
        x = T.allocate([24], "int8", "global")
        x_1 = T.Buffer((24,), "int8", data=x)
        for i in range(24):
            x_1[i] = T.Cast("int8", i * 37 - 100)
        T.call_extern("int32", "rescaled", x, y.data)
        T.call_extern("int32", "plain", x, z.data)
