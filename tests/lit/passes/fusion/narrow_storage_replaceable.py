# Nothing follows from bytes that may be replaced: types of constants stay, and loads of equal elements.
# RUN: tenon-opt %s --pipeline=narrow-storage | FileCheck %s
# RUN: tenon-opt %s --pipeline='narrow-storage{replaceable=true}' | FileCheck %s --check-prefix=KEPT
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    # CHECK-LABEL: def narrow(
    # CHECK: w = T.allocate_const([100, -3, 7], "int8", [3])
    # CHECK: z[i] = T.Cast("int32", w_1[i % 3]) * 5
    # KEPT-LABEL: def narrow(
    # KEPT: w = T.allocate_const([100, -3, 7], "int32", [3])
    # KEPT: one = T.allocate_const([5], "int32", [1])
    # KEPT: z[i] = w_1[i % 3] * one_1[0]
    @T.prim_func
    def narrow(z: T.Buffer((96,), "int32")):
        w = T.allocate_const([100, -3, 7], "int32", [3])
        w_1 = T.Buffer((3,), "int32", data=w)
        one = T.allocate_const([5], "int32", [1])
        one_1 = T.Buffer((1,), "int32", data=one)
        for i in range(96):
            z[i] = w_1[i % 3] * one_1[0]
