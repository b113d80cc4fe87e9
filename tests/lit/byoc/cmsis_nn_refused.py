# RUN: tenon-opt %s --pipeline=recognise-ops,annotate-targets{targets=cmsis-nn:once} | FileCheck %s
# Operators of which the library's result could differ are refused, with the reason.

from tvm.script import ir as I
from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(x: T.Buffer((4,), "int8"), x16: T.Buffer((4,), "int16"), y: T.Buffer((2,), "int8"), u: T.Buffer((2,), "uint8"), s: T.Buffer((2,), "int32")):
        T.tvm_check_return(0, -1, T.call_extern("int32", "plain", x.data, y.data))
        T.tvm_check_return(0, -1, T.call_extern("int32", "input_of_16_bits", x16.data, y.data))
        T.tvm_check_return(0, -1, T.call_extern("int32", "input_relu", x.data, y.data))
        T.tvm_check_return(0, -1, T.call_extern("int32", "input_offset", x.data, y.data))
        T.tvm_check_return(0, -1, T.call_extern("int32", "weight_too_large", x.data, y.data))
        T.tvm_check_return(0, -1, T.call_extern("int32", "weight_zero_point", x.data, y.data))
        T.tvm_check_return(0, -1, T.call_extern("int32", "sum_wraps", x.data, y.data))
        T.tvm_check_return(0, -1, T.call_extern("int32", "product_wraps", x.data, y.data))
        T.tvm_check_return(0, -1, T.call_extern("int32", "left_shift", x.data, y.data))
        T.tvm_check_return(0, -1, T.call_extern("int32", "not_q31", x.data, y.data))
        T.tvm_check_return(0, -1, T.call_extern("int32", "twice", x.data, y.data))
        T.tvm_check_return(0, -1, T.call_extern("int32", "no_clip", x.data, y.data))
        T.tvm_check_return(0, -1, T.call_extern("int32", "unsigned_output", x.data, u.data))
        T.tvm_check_return(0, -1, T.call_extern("int32", "sums_only", x.data, s.data))
        T.tvm_check_return(0, -1, T.call_extern("int32", "half", x.data, y.data))

    # CHECK-LABEL: def half(
    # CHECK: "tenon.targets": ["cmsis-nn:once"]
    @T.prim_func
    def half(x: T.Buffer((4,), "int8"), y: T.Buffer((2,), "int8")):
        T.func_attr({"tir.noalias": T.bool(True)})
        w = T.allocate_const([1, 2, 3, 4, 5, 6, 7, -8], "int8", [8])
        b = T.allocate_const([1, 2], "int32", [2])
        acc = T.allocate([1], "int32", "global")
        w_1 = T.Buffer((8,), "int8", data=w)
        b_1 = T.Buffer((2,), "int32", data=b)
        acc_1 = T.Buffer((1,), "int32", data=acc)
        for n in range(2):
            acc_1[0] = 0
            for k in range(4):
                acc_1[0] = acc_1[0] + T.Cast("int32", x[k]) * T.Cast("int32", w_1[n * 4 + k])
            y[n] = T.Cast("int8", T.max(T.min(T.q_multiply_shift(acc_1[0] + b_1[n], 1073741824, 31, -2) + 3, 127), -128))

    # CHECK-LABEL: def input_of_16_bits(
    # CHECK: "tenon.why_not": {"cmsis-nn:once": "its input is int16, not int8 or uint8"}
    @T.prim_func
    def input_of_16_bits(x: T.Buffer((4,), "int16"), y: T.Buffer((2,), "int8")):
        T.func_attr({"tir.noalias": T.bool(True)})
        w = T.allocate_const([1, 2, 3, 4, 5, 6, 7, -8], "int8", [8])
        b = T.allocate_const([1, 2], "int32", [2])
        acc = T.allocate([1], "int32", "global")
        w_1 = T.Buffer((8,), "int8", data=w)
        b_1 = T.Buffer((2,), "int32", data=b)
        acc_1 = T.Buffer((1,), "int32", data=acc)
        for n in range(2):
            acc_1[0] = 0
            for k in range(4):
                acc_1[0] = acc_1[0] + T.Cast("int32", x[k]) * T.Cast("int32", w_1[n * 4 + k])
            y[n] = T.Cast("int8", T.max(T.min(T.q_multiply_shift(acc_1[0] + b_1[n], 1278221461, 31, -2) + 3, 127), -128))

    # CHECK-LABEL: def input_offset(
    # CHECK: "tenon.why_not": {"cmsis-nn:once": "an offset of 129 of the input"}
    @T.prim_func
    def input_offset(x: T.Buffer((4,), "int8"), y: T.Buffer((2,), "int8")):
        T.func_attr({"tir.noalias": T.bool(True)})
        w = T.allocate_const([1, 2, 3, 4, 5, 6, 7, -8], "int8", [8])
        b = T.allocate_const([1, 2], "int32", [2])
        acc = T.allocate([1], "int32", "global")
        w_1 = T.Buffer((8,), "int8", data=w)
        b_1 = T.Buffer((2,), "int32", data=b)
        acc_1 = T.Buffer((1,), "int32", data=acc)
        for n in range(2):
            acc_1[0] = 0
            for k in range(4):
                acc_1[0] = acc_1[0] + (T.Cast("int32", x[k]) + 129) * T.Cast("int32", w_1[n * 4 + k])
            y[n] = T.Cast("int8", T.max(T.min(T.q_multiply_shift(acc_1[0] + b_1[n], 1278221461, 31, -2) + 3, 127), -128))

    # CHECK-LABEL: def input_relu(
    # CHECK: "tenon.why_not": {"cmsis-nn:once": "its steps are not proven to be a quantised operator"}
    @T.prim_func
    def input_relu(x: T.Buffer((4,), "int8"), y: T.Buffer((2,), "int8")):
        T.func_attr({"tir.noalias": T.bool(True)})
        w = T.allocate_const([1, 2, 3, 4, 5, 6, 7, -8], "int8", [8])
        b = T.allocate_const([1, 2], "int32", [2])
        acc = T.allocate([1], "int32", "global")
        w_1 = T.Buffer((8,), "int8", data=w)
        b_1 = T.Buffer((2,), "int32", data=b)
        acc_1 = T.Buffer((1,), "int32", data=acc)
        for n in range(2):
            acc_1[0] = 0
            for k in range(4):
                acc_1[0] = acc_1[0] + T.Cast("int32", T.max(x[k], T.int8(0))) * T.Cast("int32", w_1[n * 4 + k])
            y[n] = T.Cast("int8", T.max(T.min(T.q_multiply_shift(acc_1[0] + b_1[n], 1278221461, 31, -2) + 3, 127), -128))

    # CHECK-LABEL: def left_shift(
    # CHECK: "tenon.targets": ["cmsis-nn:once"]
    @T.prim_func
    def left_shift(x: T.Buffer((4,), "int8"), y: T.Buffer((2,), "int8")):
        T.func_attr({"tir.noalias": T.bool(True)})
        w = T.allocate_const([1, 2, 3, 4, 5, 6, 7, -8], "int8", [8])
        b = T.allocate_const([1, 2], "int32", [2])
        acc = T.allocate([1], "int32", "global")
        w_1 = T.Buffer((8,), "int8", data=w)
        b_1 = T.Buffer((2,), "int32", data=b)
        acc_1 = T.Buffer((1,), "int32", data=acc)
        for n in range(2):
            acc_1[0] = 0
            for k in range(4):
                acc_1[0] = acc_1[0] + T.Cast("int32", x[k]) * T.Cast("int32", w_1[n * 4 + k])
            y[n] = T.Cast("int8", T.max(T.min(T.q_multiply_shift(acc_1[0] + b_1[n], 1278221461, 31, 1) + 3, 127), -128))

    # CHECK-LABEL: def no_clip(
    # CHECK: "tenon.why_not": {"cmsis-nn:once": "its steps are not proven to be a quantised operator"}
    @T.prim_func
    def no_clip(x: T.Buffer((4,), "int8"), y: T.Buffer((2,), "int8")):
        T.func_attr({"tir.noalias": T.bool(True)})
        w = T.allocate_const([1, 2, 3, 4, 5, 6, 7, -8], "int8", [8])
        b = T.allocate_const([1, 2], "int32", [2])
        acc = T.allocate([1], "int32", "global")
        w_1 = T.Buffer((8,), "int8", data=w)
        b_1 = T.Buffer((2,), "int32", data=b)
        acc_1 = T.Buffer((1,), "int32", data=acc)
        for n in range(2):
            acc_1[0] = 0
            for k in range(4):
                acc_1[0] = acc_1[0] + T.Cast("int32", x[k]) * T.Cast("int32", w_1[n * 4 + k])
            y[n] = T.Cast("int8", T.q_multiply_shift(acc_1[0] + b_1[n], 1278221461, 31, -2))

    # CHECK-LABEL: def not_q31(
    # CHECK: "tenon.targets": ["cmsis-nn:once"]
    @T.prim_func
    def not_q31(x: T.Buffer((4,), "int8"), y: T.Buffer((2,), "int8")):
        T.func_attr({"tir.noalias": T.bool(True)})
        w = T.allocate_const([1, 2, 3, 4, 5, 6, 7, -8], "int8", [8])
        b = T.allocate_const([1, 2], "int32", [2])
        acc = T.allocate([1], "int32", "global")
        w_1 = T.Buffer((8,), "int8", data=w)
        b_1 = T.Buffer((2,), "int32", data=b)
        acc_1 = T.Buffer((1,), "int32", data=acc)
        for n in range(2):
            acc_1[0] = 0
            for k in range(4):
                acc_1[0] = acc_1[0] + T.Cast("int32", x[k]) * T.Cast("int32", w_1[n * 4 + k])
            y[n] = T.Cast("int8", T.max(T.min(T.q_multiply_shift(acc_1[0] + b_1[n], 1278221461, 15, -2) + 3, 127), -128))

    # CHECK-LABEL: def plain(
    # CHECK: "tenon.targets": ["cmsis-nn:once"]
    @T.prim_func
    def plain(x: T.Buffer((4,), "int8"), y: T.Buffer((2,), "int8")):
        T.func_attr({"tir.noalias": T.bool(True)})
        w = T.allocate_const([1, 2, 3, 4, 5, 6, 7, -8], "int8", [8])
        b = T.allocate_const([1, 2], "int32", [2])
        acc = T.allocate([1], "int32", "global")
        w_1 = T.Buffer((8,), "int8", data=w)
        b_1 = T.Buffer((2,), "int32", data=b)
        acc_1 = T.Buffer((1,), "int32", data=acc)
        for n in range(2):
            acc_1[0] = 0
            for k in range(4):
                acc_1[0] = acc_1[0] + T.Cast("int32", x[k]) * T.Cast("int32", w_1[n * 4 + k])
            y[n] = T.Cast("int8", T.max(T.min(T.q_multiply_shift(acc_1[0] + b_1[n], 1278221461, 31, -2) + 3, 127), -128))

    # CHECK-LABEL: def product_wraps(
    # CHECK: "tenon.why_not": {"cmsis-nn:once": "its steps are not proven to be a quantised operator"}
    @T.prim_func
    def product_wraps(x: T.Buffer((4,), "int8"), y: T.Buffer((2,), "int8")):
        T.func_attr({"tir.noalias": T.bool(True)})
        w = T.allocate_const([1, 2, 3, 4, 5, 6, 7, -8], "int8", [8])
        b = T.allocate_const([1, 1500000000], "int32", [2])
        acc = T.allocate([1], "int32", "global")
        w_1 = T.Buffer((8,), "int8", data=w)
        b_1 = T.Buffer((2,), "int32", data=b)
        acc_1 = T.Buffer((1,), "int32", data=acc)
        for n in range(2):
            acc_1[0] = 0
            for k in range(4):
                acc_1[0] = acc_1[0] + T.Cast("int32", x[k]) * T.Cast("int32", w_1[n * 4 + k])
            y[n] = T.Cast("int8", T.max(T.min(T.q_multiply_shift(acc_1[0] + b_1[n], 2147483647, 31, 0) + 2000000000, 127), -128))

    # CHECK-LABEL: def sum_wraps(
    # CHECK: "tenon.why_not": {"cmsis-nn:once": "its steps are not proven to be a quantised operator"}
    @T.prim_func
    def sum_wraps(x: T.Buffer((4,), "int8"), y: T.Buffer((2,), "int8")):
        T.func_attr({"tir.noalias": T.bool(True)})
        w = T.allocate_const([1, 2, 3, 4, 5, 6, 7, -8], "int8", [8])
        b = T.allocate_const([1, 2147483000], "int32", [2])
        acc = T.allocate([1], "int32", "global")
        w_1 = T.Buffer((8,), "int8", data=w)
        b_1 = T.Buffer((2,), "int32", data=b)
        acc_1 = T.Buffer((1,), "int32", data=acc)
        for n in range(2):
            acc_1[0] = 0
            for k in range(4):
                acc_1[0] = acc_1[0] + T.Cast("int32", x[k]) * T.Cast("int32", w_1[n * 4 + k])
            y[n] = T.Cast("int8", T.max(T.min(T.q_multiply_shift(acc_1[0] + b_1[n], 1278221461, 31, -2) + 3, 127), -128))

    # CHECK-LABEL: def sums_only(
    # CHECK: "tenon.why_not": {"cmsis-nn:once": "its output is int32, not int8 or uint8"}
    @T.prim_func
    def sums_only(x: T.Buffer((4,), "int8"), y: T.Buffer((2,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        w = T.allocate_const([1, 2, 3, 4, 5, 6, 7, -8], "int8", [8])
        b = T.allocate_const([1, 2], "int32", [2])
        acc = T.allocate([1], "int32", "global")
        w_1 = T.Buffer((8,), "int8", data=w)
        b_1 = T.Buffer((2,), "int32", data=b)
        acc_1 = T.Buffer((1,), "int32", data=acc)
        for n in range(2):
            acc_1[0] = 0
            for k in range(4):
                acc_1[0] = acc_1[0] + T.Cast("int32", x[k]) * T.Cast("int32", w_1[n * 4 + k])
            y[n] = acc_1[0] + b_1[n]

    # CHECK-LABEL: def twice(
    # CHECK: "tenon.why_not": {"cmsis-nn:once": "the library rounds its sums differently"}
    @T.prim_func
    def twice(x: T.Buffer((4,), "int8"), y: T.Buffer((2,), "int8")):
        T.func_attr({"tir.noalias": T.bool(True)})
        w = T.allocate_const([1, 2, 3, 4, 5, 6, 7, -8], "int8", [8])
        b = T.allocate_const([1, 2], "int32", [2])
        acc = T.allocate([1], "int32", "global")
        w_1 = T.Buffer((8,), "int8", data=w)
        b_1 = T.Buffer((2,), "int32", data=b)
        acc_1 = T.Buffer((1,), "int32", data=acc)
        for n in range(2):
            acc_1[0] = 0
            for k in range(4):
                acc_1[0] = acc_1[0] + T.Cast("int32", x[k]) * T.Cast("int32", w_1[n * 4 + k])
            y[n] = T.Cast("int8", T.max(T.min(T.q_multiply_shift(T.q_multiply_shift(acc_1[0] + b_1[n], 1278221461, 31, -2), 1278221461, 31, -2), 127), -128))

    # CHECK-LABEL: def unsigned_mean(
    # CHECK: "tenon.why_not": {"cmsis-nn:once": "its input is uint8, whose means have other ties"}
    @T.prim_func
    def unsigned_mean(x: T.Buffer((5, 3), "uint8"), y: T.Buffer((4, 3), "uint8")):
        T.func_attr({"tir.noalias": T.bool(True)})
        acc = T.allocate([1], "int32", "global")
        acc_1 = T.Buffer((1,), "int32", data=acc)
        for h, c in T.grid(4, 3):
            acc_1[0] = 0
            for k in range(2):
                acc_1[0] = acc_1[0] + T.Cast("int32", x[h + k, c])
            y[h, c] = T.Cast("uint8", T.max(T.min(T.truncdiv(acc_1[0] + 1, 2), 255), 0))

    # CHECK-LABEL: def weight_too_large(
    # CHECK: "tenon.why_not": {"cmsis-nn:once": "a weight of 200, which int8 lacks"}
    @T.prim_func
    def weight_too_large(x: T.Buffer((4,), "int8"), y: T.Buffer((2,), "int8")):
        T.func_attr({"tir.noalias": T.bool(True)})
        w = T.allocate_const([1, 2, 3, 4, 5, 6, 7, 200], "int16", [8])
        b = T.allocate_const([1, 2], "int32", [2])
        acc = T.allocate([1], "int32", "global")
        w_1 = T.Buffer((8,), "int16", data=w)
        b_1 = T.Buffer((2,), "int32", data=b)
        acc_1 = T.Buffer((1,), "int32", data=acc)
        for n in range(2):
            acc_1[0] = 0
            for k in range(4):
                acc_1[0] = acc_1[0] + T.Cast("int32", x[k]) * T.Cast("int32", w_1[n * 4 + k])
            y[n] = T.Cast("int8", T.max(T.min(T.q_multiply_shift(acc_1[0] + b_1[n], 1278221461, 31, -2) + 3, 127), -128))

    # CHECK-LABEL: def weight_zero_point(
    # CHECK: "tenon.why_not": {"cmsis-nn:once": "its weights have a zero point"}
    @T.prim_func
    def weight_zero_point(x: T.Buffer((4,), "int8"), y: T.Buffer((2,), "int8")):
        T.func_attr({"tir.noalias": T.bool(True)})
        w = T.allocate_const([1, 2, 3, 4, 5, 6, 7, -8], "int8", [8])
        b = T.allocate_const([1, 2], "int32", [2])
        acc = T.allocate([1], "int32", "global")
        w_1 = T.Buffer((8,), "int8", data=w)
        b_1 = T.Buffer((2,), "int32", data=b)
        acc_1 = T.Buffer((1,), "int32", data=acc)
        for n in range(2):
            acc_1[0] = 0
            for k in range(4):
                acc_1[0] = acc_1[0] + T.Cast("int32", x[k]) * (T.Cast("int32", w_1[n * 4 + k]) - 3)
            y[n] = T.Cast("int8", T.max(T.min(T.q_multiply_shift(acc_1[0] + b_1[n], 1278221461, 31, -2) + 3, 127), -128))
