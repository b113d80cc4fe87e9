# RUN: tenon-opt %s --pipeline=narrow-storage --timing 2>%t | FileCheck %s
# RUN: FileCheck %s --check-prefix=COUNT --input-file=%t
# A second run changes nothing.
# RUN: tenon-opt %s --pipeline=narrow-storage -o %t.py
# RUN: tenon-opt %t.py --pipeline=narrow-storage | diff %t.py -
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    # A plain type, if one holds all values.
    @T.prim_func
    def clipped(x: T.Buffer((100,), "int32"), y: T.Buffer((100,), "int32")):
        a = T.allocate([100], "int32", "global")
        a_1 = T.Buffer((100,), "int32", data=a)
        b = T.allocate([100], "int16", "global")
        b_1 = T.Buffer((100,), "int16", data=b)
        c = T.allocate([100], "int64", "global")
        c_1 = T.Buffer((100,), "int64", data=c)
        for i in range(100):
            a_1[i] = T.max(T.min(x[i], 127), -128)
        for i in range(100):
            b_1[i] = T.Cast("int16", a_1[i]) - T.int16(-128)
        for i in range(100):
            c_1[i] = T.Cast("int64", b_1[i]) * T.int64(-100)
        for i in range(100):
            y[i] = T.Cast("int32", c_1[i] + c_1[99 - i])

    # Stores the numbers before the subtraction; readers subtract.
    @T.prim_func
    def cut(x: T.Buffer((100,), "int8"), y: T.Buffer((100,), "int32")):
        a = T.allocate([100], "int16", "global")
        a_1 = T.Buffer((100,), "int16", data=a)
        for i in range(100):
            a_1[i] = T.if_then_else(i < 99, T.Cast("int16", x[i]) - T.int16(83), T.int16(0))
        for i in range(100):
            y[i] = T.Cast("int32", a_1[i]) * 3

    # The reader that reads each element once does the multiplication.
    @T.prim_func
    def read_once(x: T.Buffer((100,), "int32"), y: T.Buffer((100,), "int32")):
        a = T.allocate([100], "int32", "global")
        a_1 = T.Buffer((100,), "int32", data=a)
        for i in range(100):
            a_1[i] = T.q_multiply_shift(T.max(T.min(x[i], 127), -128) - 4, 1140768826, 31, 2)
        for i in range(100):
            y[i] = a_1[i] + 1

    @T.prim_func
    def read_often(x: T.Buffer((100,), "int32"), y: T.Buffer((100,), "int32")):
        a = T.allocate([100], "int32", "global")
        a_1 = T.Buffer((100,), "int32", data=a)
        for i in range(100):
            a_1[i] = T.q_multiply_shift(T.max(T.min(x[i], 127), -128) - 4, 1140768826, 31, 2)
        for i, j in T.grid(100, 3):
            y[i] = y[i] + a_1[i]

    # All readers subtract the same number: the differences are stored.
    @T.prim_func
    def centred(x: T.Buffer((100,), "int32"), y: T.Buffer((100,), "int32")):
        a = T.allocate([100], "int8", "global")
        a_1 = T.Buffer((100,), "int8", data=a)
        for i in range(100):
            a_1[i] = T.if_then_else(i < 99, T.Cast("int8", T.max(T.min(x[i], 126), -100)), T.int8(-7))
        for i, j in T.grid(100, 3):
            y[i] = y[i] + T.Cast("int32", T.Cast("int16", a_1[i]) - T.int16(-128)) * (T.Cast("int32", a_1[99 - i]) + 128)

    # A reader has the value itself, or subtracts another number, or differences do not fit.
    @T.prim_func
    def not_centred(x: T.Buffer((100,), "int32"), y: T.Buffer((100,), "int32")):
        a = T.allocate([100], "int8", "global")
        a_1 = T.Buffer((100,), "int8", data=a)
        b = T.allocate([100], "int8", "global")
        b_1 = T.Buffer((100,), "int8", data=b)
        c = T.allocate([100], "int8", "global")
        c_1 = T.Buffer((100,), "int8", data=c)
        for i in range(100):
            a_1[i] = T.Cast("int8", T.max(T.min(x[i], 127), -128))
        for i in range(100):
            b_1[i] = T.Cast("int8", T.max(T.min(x[i], 127), -128))
        for i in range(100):
            c_1[i] = T.Cast("int8", T.max(T.min(x[i], 127), -128))
        for i in range(100):
            y[i] = (T.Cast("int32", a_1[i]) + 128) * T.Cast("int32", a_1[i])
            y[i] = (T.Cast("int32", b_1[i]) + 128) * (T.Cast("int32", b_1[i]) + 127)
            y[i] = T.Cast("int32", T.Cast("int16", c_1[i]) - T.int16(-83))

    # No eight-bit type contains the numbers, but their distance from the least one has eight bits.
    @T.prim_func
    def offset(x: T.Buffer((100,), "int32"), y: T.Buffer((100,), "int32")):
        a = T.allocate([100], "int32", "global")
        a_1 = T.Buffer((100,), "int32", data=a)
        for i in range(50):
            a_1[i] = T.max(T.min(x[i], 1100), 1000)
        for i in range(50):
            a_1[i + 50] = T.max(T.min(x[i] * x[i + 50], 1250), 1100)
        for i in range(100):
            y[i] = a_1[i]

    # Integers that are stored as floats.
    @T.prim_func
    def floats(x: T.Buffer((100,), "int8"), y: T.Buffer((100,), "float32")):
        a = T.allocate([100], "float32", "global")
        a_1 = T.Buffer((100,), "float32", data=a)
        for i in range(100):
            a_1[i] = T.Cast("float32", T.Cast("int32", x[i]) - 14)
        for i in range(100):
            y[i] = a_1[i] * T.float32(0.25)

    # A running maximum: loads of the storage give no values beyond its stores.
    @T.prim_func
    def greatest(x: T.Buffer((800,), "int8"), y: T.Buffer((100,), "int32")):
        a = T.allocate([100], "int32", "global")
        a_1 = T.Buffer((100,), "int32", data=a)
        for i in range(100):
            a_1[i] = -128
            for j in range(8):
                a_1[i] = T.max(a_1[i], T.Cast("int32", x[i * 8 + j]))
        for i in range(100):
            y[i] = a_1[i]

    # Constants by their elements; a constant with equal elements is replaced by the number.
    @T.prim_func
    def constants(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32")):
        w = T.allocate_const([-128, 127, 3, 4], "int16", [4])
        w_1 = T.Buffer((4,), "int16", data=w)
        bias = T.allocate_const([-129, 127, 3, 4], "int32", [4])
        bias_1 = T.Buffer((4,), "int32", data=bias)
        zero = T.allocate_const([7, 7, 7, 7], "int32", [4])
        zero_1 = T.Buffer((4,), "int32", data=zero)
        big = T.allocate_const([70000, 1, 1, 1], "int32", [4])
        big_1 = T.Buffer((4,), "int32", data=big)
        for i in range(4):
            y[i] = x[i] * T.Cast("int32", w_1[i]) + bias_1[i] - zero_1[i] + big_1[i]

    @T.prim_func
    def vectors(x: T.Buffer((128,), "int32"), y: T.Buffer((128,), "int32")):
        a = T.allocate([128], "int32", "global")
        a_1 = T.Buffer((128,), "int32", data=a)
        for i in range(32):
            a_1[i * 4:i * 4 + 4] = T.max(T.min(x[i * 4:i * 4 + 4], T.Broadcast(1200, 4)), T.Broadcast(1000, 4))
        for i in range(32):
            y[i * 4:i * 4 + 4] = a_1[i * 4:i * 4 + 4]

# COUNT: {{^ *15 +}}narrow-storage.pointers

# CHECK-LABEL: def centred
# CHECK: a = T.allocate([100], "uint8", "global")
# CHECK: a_1[i] = T.if_then_else(i < 99, T.Cast("uint8", T.max(T.min(x[i], 126), -100) + 128), T.uint8(121))
# CHECK: y[i] = y[i] + T.Cast("int32", a_1[i]) * T.Cast("int32", a_1[99 - i])
# CHECK-LABEL: def clipped
# CHECK: a = T.allocate([100], "uint8", "global")
# CHECK: b = T.allocate([100], "uint8", "global")
# CHECK: c = T.allocate([100], "int16", "global")
# CHECK: a_1[i] = T.Cast("uint8", T.max(T.min(x[i], 127), -128) + 128)
# CHECK: b_1[i] = a_1[i]
# CHECK: c_1[i] = T.Cast("int16", T.Cast("int64", b_1[i]) * T.int64(-100))
# CHECK: y[i] = T.Cast("int32", T.Cast("int64", c_1[i]) + T.Cast("int64", c_1[99 - i]))
# CHECK-LABEL: def constants
# CHECK-NOT: zero
# CHECK: w = T.allocate_const([-128, 127, 3, 4], "int8", [4])
# CHECK: bias = T.allocate_const([-129, 127, 3, 4], "int16", [4])
# CHECK-NEXT: big = T.allocate_const([70000, 1, 1, 1], "int32", [4])
# CHECK: y[i] = x[i] * T.Cast("int32", w_1[i]) + T.Cast("int32", bias_1[i]) - 7 + big_1[i]
# CHECK-LABEL: def cut
# CHECK: a = T.allocate([100], "int8", "global")
# CHECK: a_1[i] = T.if_then_else(i < 99, x[i], T.int8(83))
# CHECK: y[i] = T.Cast("int32", T.Cast("int16", a_1[i]) - T.int16(83)) * 3
# CHECK-LABEL: def floats
# CHECK: a = T.allocate([100], "int8", "global")
# CHECK: a_1[i] = x[i]
# CHECK: y[i] = T.Cast("float32", T.Cast("int32", a_1[i]) - 14) * T.float32(0.25)
# CHECK-LABEL: def greatest
# CHECK: a = T.allocate([100], "int8", "global")
# CHECK: a_1[i] = T.int8(-128)
# CHECK: a_1[i] = T.Cast("int8", T.max(T.Cast("int32", a_1[i]), T.Cast("int32", x[i * 8 + j])))
# CHECK-LABEL: def not_centred
# CHECK: a = T.allocate([100], "int8", "global")
# CHECK-NEXT: b = T.allocate([100], "int8", "global")
# CHECK-NEXT: c = T.allocate([100], "int8", "global")
# CHECK-LABEL: def offset
# CHECK: a = T.allocate([100], "int8", "global")
# CHECK: a_1[i] = T.Cast("int8", T.max(T.min(x[i], 1100), 1000) - 1128)
# CHECK: y[i] = T.Cast("int32", a_1[i]) + 1128
# CHECK-LABEL: def read_often
# CHECK: a = T.allocate([100], "int16", "global")
# CHECK: y[i] = y[i] + T.Cast("int32", a_1[i])
# CHECK-LABEL: def read_once
# CHECK: a = T.allocate([100], "int8", "global")
# CHECK: a_1[i] = T.Cast("int8", T.max(T.min(x[i], 127), -128))
# CHECK: y[i] = T.q_multiply_shift(T.Cast("int32", a_1[i]) - 4, 1140768826, 31, 2) + 1
# CHECK-LABEL: def vectors
# CHECK: a = T.allocate([128], "int8", "global")
# CHECK: y[i * 4:i * 4 + 4] = T.Cast("int32x4", a_1[i * 4:i * 4 + 4]) + T.Broadcast(1128, 4)
