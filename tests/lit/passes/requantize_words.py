# RUN: tenon-opt %s --pipeline=requantize-words | FileCheck %s
# RUN: tenon-opt %s --pipeline=requantize-words,requantize-words | FileCheck %s
# RUN: tenon-opt %s --pipeline='requantize-words{twice=true}' | FileCheck %s --check-prefix=TWICE
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    # One shift for all: 31 + 4 bits.
    # CHECK-LABEL: def all_together(
    # CHECK: y[i] = T.shift_right(T.Cast("int32", T.shift_right(T.Cast("int64", x[i]) * T.int64(1518500250), T.int64(32))) + T.shift_left(1, 2), 3)
    # TWICE-LABEL: def all_together(
    # TWICE: y[i] = T.shift_right(T.shift_right(T.Cast("int32", T.shift_right(T.Cast("int64", x[i]) * T.int64(1518500250), T.int64(32))), 2) + 1, 1)
    @T.prim_func
    def all_together(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32")):
        for i in range(4):
            y[i] = T.q_multiply_shift(x[i], 1518500250, 31, -4)

    # The number 128 goes into the clip: the scaled number has 31 bits.
    # CHECK-LABEL: def clip(
    # CHECK: y[i] = T.Cast("uint8", T.Cast("int16", T.max(T.min(T.shift_right({{.*}}, 3), 255), 0)))
    @T.prim_func
    def clip(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "uint8")):
        for i in range(4):
            y[i] = T.Cast("uint8", T.Cast("int16", T.max(T.min(T.q_multiply_shift(x[i], 1518500250, 31, -4) - 128, 127), -128)) + T.int16(128))

    # Each channel has a shift of 5 to 8 bits more than 31.
    # CHECK-LABEL: def each_channel(
    # CHECK: y[i] = T.shift_right(T.Cast("int32", T.shift_right(T.Cast("int64", x[i]) * T.Cast("int64", m[i]), T.int64(32))) + T.shift_left(1, T.Cast("int32", r_1[i]) - 2), T.Cast("int32", r_1[i]) - 1)
    @T.prim_func
    def each_channel(x: T.Buffer((4,), "int32"), m: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32")):
        r = T.allocate_const([5, 6, 7, 8], "int8", [4])
        r_1 = T.Buffer((4,), "int8", data=r)
        for i in range(4):
            y[i] = T.q_multiply_shift_per_axis(x[i], m[i], 0, T.Cast("int32", r_1[i]), 31, T.bool(False), T.bool(True))

    # After shifts of 32 bits and more, in addition to 31, nothing is left.
    # CHECK-LABEL: def long(
    # CHECK: y[i] = T.shift_right(T.shift_right(T.Cast("int32", {{.*}}T.int64(32))), T.min(T.Cast("int32", r_1[i]) - 2, 31)) + 1, 1)
    @T.prim_func
    def long(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32")):
        r = T.allocate_const([5, 6, 32, 35], "int8", [4])
        r_1 = T.Buffer((4,), "int8", data=r)
        for i in range(4):
            y[i] = T.q_multiply_shift_per_axis(x[i], 1518500250, 0, T.Cast("int32", r_1[i]), 31, T.bool(False), T.bool(True))

    # Constants that are read as another type are not known.
    # CHECK-LABEL: def other_type(
    # CHECK: y[i] = T.max(T.min(T.Cast("int32", w_1[i]) * 16777216 - 128, 127), -128) + 128
    @T.prim_func
    def other_type(y: T.Buffer((4,), "int32")):
        w = T.allocate_const([1, 1], "int16", [2])
        w_1 = T.Buffer((4,), "int8", data=w)
        for i in range(4):
            y[i] = T.max(T.min(T.Cast("int32", w_1[i]) * 16777216 - 128, 127), -128) + 128

    # Shifts that are too short or too long, shifts to the left, a factor of one half, and shifts
    # that are not known.
    # CHECK-LABEL: def others(
    # CHECK-COUNT-4: T.q_multiply_shift(
    # CHECK-COUNT-3: T.q_multiply_shift_per_axis(
    @T.prim_func
    def others(x: T.Buffer((8,), "int32"), n: T.Buffer((1,), "int32"), y: T.Buffer((8,), "int32")):
        r = T.allocate_const([1, 6, 7, 8], "int8", [4])
        r_1 = T.Buffer((4,), "int8", data=r)
        y[0] = T.q_multiply_shift(x[0], 1518500250, 31, -1)
        y[1] = T.q_multiply_shift(x[1], 1518500250, 31, -32)
        y[2] = T.q_multiply_shift(x[2], 1518500250, 31, 1)
        y[3] = T.q_multiply_shift(x[3], 1073741824, 31, -4)
        for i in range(4):
            y[4 + i] = T.q_multiply_shift_per_axis(x[i], 1518500250, 0, T.Cast("int32", r_1[i]), 31, T.bool(False), T.bool(True))
        y[4] = T.q_multiply_shift_per_axis(x[4], 1518500250, 1, 7, 31, T.bool(True), T.bool(True))
        y[5] = T.q_multiply_shift_per_axis(x[5], 1518500250, 0, n[0], 31, T.bool(False), T.bool(True))

    # Numbers of few bits are shifted to the left first.
    # CHECK-LABEL: def small(
    # CHECK: y[i] = T.shift_right(T.Cast("int32", T.shift_right(T.Cast("int64", T.shift_left(T.Cast("int32", x[i]), 4)) * T.int64(1518500250), T.int64(32))) + T.shift_left(1, 0), 1)
    @T.prim_func
    def small(x: T.Buffer((4,), "int8"), y: T.Buffer((4,), "int32")):
        for i in range(4):
            y[i] = T.q_multiply_shift(T.Cast("int32", x[i]), 1518500250, 31, 2)

    # The product of TensorFlow Lite's rounding after a ReLU, and the shift of each channel.
    # CHECK-LABEL: def wide(
    # CHECK: y[i] = T.shift_right(T.shift_right(T.Cast("int32", T.shift_right(T.Cast("uint64", {{.*}}T.uint64(31))), T.min(T.Cast("int32", T.Cast("int64", r_1[i])) - 1, 31)) + 1, 1)
    # CHECK-NEXT: z[i] = T.shift_right(T.Cast("int32", T.shift_right(T.Cast("int64", x[i]) * T.int64(1518500250), T.int64(32))) + T.shift_left(1, 4), 5)
    # TWICE-LABEL: def wide(
    # TWICE: y[i] = T.shift_right(T.shift_right(T.q_multiply_shift_per_axis(T.max(x[i], 0), T.Cast("int32", m_1[i]), 0, 0, 31, T.bool(False), T.bool(False)), T.min(T.Cast("int32", T.Cast("int64", r_1[i])) - 1, 31)) + 1, 1)
    # TWICE-NEXT: z[i] = T.shift_right(T.shift_right(T.Cast("int32", T.shift_right(T.Cast("int64", x[i]) * T.int64(1518500250), T.int64(32))), 4) + 1, 1)
    @T.prim_func
    def wide(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32"), z: T.Buffer((4,), "int32")):
        m = T.allocate_const([1518500250, 1395864371, 1073741824, 2147483647], "uint32", [4])
        r = T.allocate_const([5, 6, 32, 35], "int8", [4])
        m_1 = T.Buffer((4,), "uint32", data=m)
        r_1 = T.Buffer((4,), "int8", data=r)
        for i in range(4):
            y[i] = T.Cast("int32", T.shift_right(T.Cast("int64", T.shift_right(T.Cast("uint64", T.max(x[i], 0)) * T.Cast("uint64", m_1[i]) + T.uint64(1073741824), T.uint64(31))) + T.shift_left(T.int64(1), T.Cast("int64", r_1[i]) - T.int64(1)), T.Cast("int64", r_1[i])))
            z[i] = T.Cast("int32", T.shift_right(T.Cast("int64", x[i]) * T.int64(1518500250) + T.int64(68719476736), T.int64(37)))

    # A sum that may wrap stays.
    # CHECK-LABEL: def wraps(
    # CHECK: y[i] = T.max(T.min(x[i] - 128, 127), -128) + 128
    @T.prim_func
    def wraps(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32")):
        for i in range(4):
            y[i] = T.max(T.min(x[i] - 128, 127), -128) + 128
