# Zero points of integers are part of the claim (TVM: check_qnn_conv2d of CMSIS-NN), so that a code generator
# can refuse them: a factor that is not the element itself, and an epilogue without a bias.
# RUN: tenon-opt %s --pipeline='recognise-ops' --verify-roundtrip | FileCheck %s

from tvm.script import ir as I
from tvm.script import tir as T


@I.ir_module
class Module:
    # An int16 input minus a zero point.
    # CHECK-LABEL: def of_the_input(
    # CHECK-NEXT: "tenon.op": {"kind": "conv2d"{{.*}}"operands": {{.*}}["param", 0, "int16", 36]{{.*}}["sub", {{.*}}["mul"
    @T.prim_func
    def of_the_input(x: T.Buffer((6, 6), "int16"), y: T.Buffer((4, 4), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        w = T.allocate_const([1, 2, 3, 4, 5, 6, 7, 8, 9], "int8", [3, 3])
        w_1 = T.Buffer((3, 3), "int8", data=w)
        for i, j in T.grid(4, 4):
            y[i, j] = 0
            for ki, kj in T.grid(3, 3):
                y[i, j] = y[i, j] + (T.Cast("int32", x[i + ki, j + kj]) - 5) * T.Cast("int32", w_1[ki, kj])

    # A constant weight minus a zero point.
    # CHECK-LABEL: def of_the_weights(
    # CHECK-NEXT: "tenon.op": {"kind": "conv2d"{{.*}}"acc": "int32"{{.*}}"exact": "bitwise"{{.*}}"steps": {{.*}}["sub", {{.*}}["mul"
    @T.prim_func
    def of_the_weights(x: T.Buffer((6, 6), "int8"), y: T.Buffer((4, 4), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        w = T.allocate_const([1, 2, 3, 4, 5, 6, 7, 8, 9], "int8", [3, 3])
        w_1 = T.Buffer((3, 3), "int8", data=w)
        for i, j in T.grid(4, 4):
            y[i, j] = 0
            for ki, kj in T.grid(3, 3):
                y[i, j] = y[i, j] + T.Cast("int32", x[i + ki, j + kj]) * (T.Cast("int32", w_1[ki, kj]) - 2)

    # The sum is stored unchanged.
    # CHECK-LABEL: def without_a_bias(
    # CHECK-NEXT: "tenon.op": {"kind": "depthwise_conv2d"{{.*}}"contraction": [[SUM:[0-9]+]],{{.*}}"stores": {{\[\[}}2, [[SUM]], [
    @T.prim_func
    def without_a_bias(x: T.Buffer((6, 6, 2), "int8"), y: T.Buffer((4, 4, 2), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        w = T.allocate_const([1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3, 4, 5, 6, 7, 8, 9], "int8", [3, 3, 2])
        w_1 = T.Buffer((3, 3, 2), "int8", data=w)
        for i, j, c in T.grid(4, 4, 2):
            y[i, j, c] = 0
            for ki, kj in T.grid(3, 3):
                y[i, j, c] = y[i, j, c] + T.Cast("int32", x[i + ki, j + kj, c]) * T.Cast("int32", w_1[ki, kj, c])

    @T.prim_func
    def main():
        T.evaluate(0)
