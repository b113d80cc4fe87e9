# Constants of selected functions become arguments; their callers get the constants.
# RUN: tenon-opt %s --pipeline='hoist-constants{functions=conv,scale}' --verify-roundtrip --timing 2>&1 | FileCheck %s

# CHECK-DAG: 2 {{ *}}hoist-constants.functions
# CHECK-DAG: 4 {{ *}}hoist-constants.parameters
# CHECK-DAG: 10 {{ *}}hoist-constants.arguments

from tvm.script import ir as I
from tvm.script import tir as T

# CHECK: I.module_attrs({"tenon.constants": [
# CHECK-SAME: I.constant("w", [9], "int32", [1])
# CHECK-SAME: I.constant("w_1", [1, 2, 3, 4], "int8", [2, 2], align=32)
# CHECK-SAME: I.constant("b_2", [5, 6, 7, 8], "int8", [4])
# CHECK-SAME: I.constant("s", [2], "int8", [1])
@I.ir_module
class Module:
    I.module_attrs({"tenon.constants": [I.constant("w", [9], "int32", [1])]})

    # In nested scopes, a loop and a branch; duplicates are one parameter. A parameter with the
    # constant's name keeps its name. The device's handle stays last.
    # CHECK-LABEL: def conv(
    # CHECK-SAME: x: T.Buffer((4,), "int8"), b: T.Buffer((4,), "int8"), w: T.Buffer((2, 2), "int8"), b_2: T.Buffer((4,), "int8"), s: T.Buffer((1,), "int8"), device: T.handle):
    # CHECK-NOT: allocate_const
    # CHECK: T.Buffer((2, 2), "int8", data=w.data)
    @T.prim_func
    def conv(x: T.Buffer((4,), "int8"), b: T.Buffer((4,), "int8"), device: T.handle):
        w = T.allocate_const(I.constant("w_1", [1, 2, 3, 4], "int8", [2, 2], align=32), "int8", [2, 2])
        w_1 = T.Buffer((2, 2), "int8", data=w)
        for i in range(4):
            b_2 = T.allocate_const([5, 6, 7, 8], "int8", [4])
            b_3 = T.Buffer((4,), "int8", data=b_2)
            if i < 2:
                s = T.allocate_const([2], "int8", [1])
                s_1 = T.Buffer((1,), "int8", data=s)
                b[i] = x[i] * w_1[i // 2, i % 2] + b_3[i] * s_1[0]
            else:
                b[i] = x[i]

    # Several calls in one caller share its constants, several callers the table's.
    # CHECK-LABEL: def first(
    # CHECK-NEXT: w = T.allocate_const(I.constant("w_1"), "int8", [2, 2])
    # CHECK-NEXT: b_2 = T.allocate_const(I.constant("b_2"), "int8", [4])
    # CHECK-NEXT: s = T.allocate_const(I.constant("s"), "int8", [1])
    # CHECK-NEXT: T.tvm_check_return(0, -1, T.call_extern("int32", "conv", x.data, y.data, w, b_2, s, T.reinterpret("handle", T.uint64(0))))
    # CHECK-NEXT: T.call_cpacked("conv", x.data, y.data, w, b_2, s, T.reinterpret("handle", T.uint64(0)))
    @T.prim_func
    def first(x: T.Buffer((4,), "int8"), y: T.Buffer((4,), "int8")):
        T.tvm_check_return(0, -1, T.call_extern("int32", "conv", x.data, y.data, T.reinterpret("handle", T.uint64(0))))
        T.call_cpacked("conv", x.data, y.data, T.reinterpret("handle", T.uint64(0)))

    # CHECK-LABEL: def scale(
    # CHECK-SAME: y: T.Buffer((4,), "int8"), w: T.Buffer((1,), "int32")):
    @T.prim_func(private=True)
    def scale(y: T.Buffer((4,), "int8")):
        w = T.allocate_const(I.constant("w"), "int32", [1])
        w_1 = T.Buffer((1,), "int32", data=w)
        w_2 = T.allocate_const(I.constant("w"), "int32", [1])
        w_3 = T.Buffer((1,), "int32", data=w_2)
        y[0] = T.Cast("int8", w_1[0] + w_3[0])

    # CHECK-LABEL: def main(
    # CHECK-NEXT: w_2 = T.allocate_const(I.constant("w_1"), "int8", [2, 2])
    # CHECK-NEXT: b_2 = T.allocate_const(I.constant("b_2"), "int8", [4])
    # CHECK-NEXT: s = T.allocate_const(I.constant("s"), "int8", [1])
    # CHECK-NEXT: w_3 = T.allocate_const(I.constant("w"), "int32", [1])
    # CHECK: Module.first(x.data, y.data)
    # CHECK: Module.conv(x.data, y.data, w_2, b_2, s, T.reinterpret("handle", T.uint64(0)))
    # CHECK: Module.scale(y.data, w_3)
    @T.prim_func
    def main(x: T.Buffer((4,), "int8"), y: T.Buffer((4,), "int8")):
        w = T.allocate([4], "int8", "global")
        w_1 = T.Buffer((4,), "int8", data=w)
        w_1[0] = x[0]
        Module.first(x.data, y.data)
        Module.conv(x.data, y.data, T.reinterpret("handle", T.uint64(0)))
        Module.scale(y.data)
