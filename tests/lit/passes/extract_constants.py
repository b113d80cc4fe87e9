# RUN: tenon-opt --pipeline=extract-constants --verify-roundtrip --timing %s 2>&1 | FileCheck %s
# RUN: tenon-opt --pipeline=extract-constants,extract-constants --print-ir-after-change %s 2>&1 >/dev/null | FileCheck --check-prefix=ONCE %s

# from tvm.script import ir as I
# from tvm.script import tir as T

# The second run changes nothing.
# ONCE: IR after extract-constants
# ONCE-NOT: IR after extract-constants

# CHECK-DAG: 4 {{ *}}extract-constants.extracted
# CHECK-DAG: 3 {{ *}}extract-constants.merged
# CHECK-DAG: 26 {{ *}}extract-constants.bytes_saved

# Constants of the table come first; the rest in the order of the functions.
# CHECK: I.module_attrs({"tenon.constants": [
# CHECK-SAME: I.constant("table", [7, 8], "int8", [2], align=64)
# CHECK-SAME: I.constant("w", [1, 2, 3], "int32", [3])
# CHECK-SAME: I.constant("inner", [4, 5, 6], "int32", [3])
# CHECK-SAME: I.constant("w_1", [1, 2, 3], "int8", [3])
# CHECK-SAME: I.constant("flat", [1, 2, 3, 4], "int32", [4])

@I.ir_module
class Module:
    I.module_attrs({"tenon.constants": [I.constant("table", [7, 8], "int8", [2], align=64)]})

    # A constant in the scope of another one is also found.
    # CHECK-LABEL: def a_nested(
    # CHECK: w = T.allocate_const(I.constant("w"), "int32", [3])
    # CHECK: inner = T.allocate_const(I.constant("inner"), "int32", [3])
    @T.prim_func
    def a_nested(B: T.Buffer((3,), "int32")):
        w = T.allocate_const([1, 2, 3], "int32", [3])
        inner = T.allocate_const([4, 5, 6], "int32", [3])
        w_1 = T.Buffer((3,), "int32", data=w)
        inner_1 = T.Buffer((3,), "int32", data=inner)
        for i in range(3):
            B[i] = w_1[i] + inner_1[i]

    # Equal data is one constant for all variable names; another type is another constant.
    # CHECK-LABEL: def b_equal(
    # CHECK: v = T.allocate_const(I.constant("w"), "int32", [3])
    # CHECK: w = T.allocate_const(I.constant("w_1"), "int8", [3])
    # CHECK: flat = T.allocate_const(I.constant("flat"), "int32", [4])
    @T.prim_func
    def b_equal(B: T.Buffer((3,), "int32")):
        v = T.allocate_const([1, 2, 3], "int32", [3])
        w = T.allocate_const([1, 2, 3], "int8", [3])
        flat = T.allocate_const([1, 2, 3, 4], "int32", [4])
        v_1 = T.Buffer((3,), "int32", data=v)
        w_1 = T.Buffer((3,), "int8", data=w)
        flat_1 = T.Buffer((4,), "int32", data=flat)
        for i in range(3):
            B[i] = v_1[i] + T.Cast("int32", w_1[i]) + flat_1[i]

    # Constants that the table already has are reused.
    # CHECK-LABEL: def c_from_table(
    # CHECK: a = T.allocate_const(I.constant("table"), "int8", [2])
    # CHECK: b = T.allocate_const(I.constant("table"), "int8", [2])
    # CHECK: c = T.allocate_const(I.constant("inner"), "int32", [3])
    @T.prim_func
    def c_from_table(B: T.Buffer((2,), "int32")):
        a = T.allocate_const(I.constant("table"), "int8", [2])
        b = T.allocate_const([7, 8], "int8", [2])
        c = T.allocate_const([4, 5, 6], "int32", [3])
        a_1 = T.Buffer((2,), "int8", data=a)
        b_1 = T.Buffer((2,), "int8", data=b)
        c_1 = T.Buffer((3,), "int32", data=c)
        for i in range(2):
            B[i] = T.Cast("int32", a_1[i]) + T.Cast("int32", b_1[i]) + c_1[i]
