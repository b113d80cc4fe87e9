# RUN: tenon-opt %s --pipeline=recognise-ops -o %t.py
# RUN: FileCheck %s --input-file=%t.py
# RUN: tenon-opt %t.py --pipeline=annotate-targets{targets=body} -o - | FileCheck %s
# RUN: tenon-opt %t.py --pipeline=lift-params | FileCheck %s --check-prefix=LIFTED
# Claims of quantised operators have multipliers, shifts, zero points and clamp. They are the same when they are proven again. They
# disappear if constants become inputs of the model.

from tvm.script import ir as I
from tvm.script import tir as T

# LIFTED-NOT: "sum": "dot"
@I.ir_module
class Module:
    # A residual sum, as TensorFlow Lite computes it.
    # CHECK-LABEL: def add(
    # CHECK: "requantise": {"accumulator": [{{-?[0-9]+}}, {{[0-9]+}}], "activation": "none", "channels": 1, "clamp": [-128, 127],
    # CHECK-SAME: "inputs": [{"access": 0, "left_shift": 20, "multiplier": 1623821475, "rounding": "tflite", "shift": -2, "zero_point": -128},
    # CHECK-SAME: {"access": 1, "left_shift": 20, "multiplier": 1073741824, "rounding": "tflite", "shift": 0, "zero_point": 4}],
    # CHECK-SAME: "multiplier": [1098017566], "output": 2, "rounding": "tflite", "shift": [-17], "sum": "add", "zero_point": -128}
    @T.prim_func
    def add(a: T.Buffer((8,), "int8"), b: T.Buffer((8,), "int8"), y: T.Buffer((8,), "int8")):
        T.func_attr({"tir.noalias": T.bool(True)})
        sum = T.allocate([1], "int32", "global")
        s = T.Buffer((1,), "int32", data=sum)
        for i in range(8):
            s[0] = T.shift_right(T.Cast("int32", T.shift_right(T.Cast("int64", T.shift_left(T.Cast("int32", a[i]) + 128, 20)) * T.int64(1623821475) + T.int64(1073741824), T.int64(31))) + 2, 2) + (T.shift_left(T.Cast("int32", b[i]) - 4, 20) % 2 + T.shift_right(T.shift_left(T.Cast("int32", b[i]) - 4, 20), 1))
            y[i] = T.Cast("int8", T.max(T.min(T.shift_right(T.Cast("int32", T.shift_right(T.Cast("int64", T.max(s[0], 0)) * T.int64(1098017566) + T.int64(1073741824), T.int64(31))) + 65536, 17) - 128, 127), -128))

    # CHECK-LABEL: def dense(
    # CHECK: "requantise": {"accumulator": [-510, 1785], "activation": "relu", "channel": [0, {{\[\[}}"n", 1]]], "channels": 2, "clamp": [-100, 127],
    # CHECK-SAME: "multiplier": [1717986918], {{.*}}"rounding": "once", "shift": [-2], "sum": "dot", "zero_point": -100}
    @T.prim_func
    def dense(x: T.Buffer((2,), "int8"), y: T.Buffer((2,), "int8")):
        T.func_attr({"tir.noalias": T.bool(True)})
        w = T.allocate_const([1, -2, 3, 4], "int8", [4])
        w_1 = T.Buffer((4,), "int8", data=w)
        sum = T.allocate([1], "int32", "global")
        s = T.Buffer((1,), "int32", data=sum)
        for n in range(2):
            s[0] = 0
            for k in range(2):
                s[0] = s[0] + (T.Cast("int32", x[k]) + 128) * T.Cast("int32", w_1[n * 2 + k])
            y[n] = T.Cast("int8", T.max(T.min(T.q_multiply_shift(s[0], 1717986918, 31, -2) - 100, 127), -100))

    # The choice falls where the sum becomes positive, so nothing is claimed.
    # CHECK-LABEL: def falls(
    # CHECK-NOT: "requantise"
    # CHECK: def halves(
    @T.prim_func
    def falls(x: T.Buffer((4,), "int8"), y: T.Buffer((1,), "int8")):
        T.func_attr({"tir.noalias": T.bool(True)})
        sum = T.allocate([1], "int32", "global")
        s = T.Buffer((1,), "int32", data=sum)
        for i in range(1):
            s[0] = 0
            for k in range(4):
                s[0] = s[0] + T.Cast("int32", x[k])
            y[0] = T.Cast("int8", T.max(T.min(T.Select(s[0] > 0, s[0] - 9, s[0]), 127), -128))

    # No multiplier of 31 bits gives these results, so the claim has a table.
    # CHECK: "rounding": "exact", "steps": {{\[\[}}
    @T.prim_func
    def halves(x: T.Buffer((4,), "int8"), y: T.Buffer((1,), "int8")):
        T.func_attr({"tir.noalias": T.bool(True)})
        sum = T.allocate([1], "int32", "global")
        s = T.Buffer((1,), "int32", data=sum)
        for i in range(1):
            s[0] = 0
            for k in range(4):
                s[0] = s[0] + T.Cast("int32", x[k])
            y[0] = T.Cast("int8", T.max(T.min(s[0] // 4 + T.min(s[0] // 64, 0), 127), -128))

    @T.prim_func
    def main(x: T.Buffer((2,), "int8"), a: T.Buffer((8,), "int8"), b: T.Buffer((8,), "int8"), c: T.Buffer((8,), "int8"), y: T.Buffer((2,), "int8"), z: T.Buffer((1,), "int8"), u: T.Buffer((1,), "int8")):
        T.tvm_check_return(0, -1, T.call_extern("int32", "dense", x.data, y.data))
        T.tvm_check_return(0, -1, T.call_extern("int32", "add", a.data, b.data, c.data))
        T.tvm_check_return(0, -1, T.call_extern("int32", "halves", a.data, z.data))
        T.tvm_check_return(0, -1, T.call_extern("int32", "falls", a.data, u.data))
