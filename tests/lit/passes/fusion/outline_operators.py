# Nests of the entry become functions.
# RUN: tenon-opt %s --pipeline='outline-operators' --timing -o %t.py --verify-roundtrip 2>&1 | FileCheck --check-prefix=COUNT %s
# RUN: FileCheck %s < %t.py
# RUN: tenon-opt %t.py --pipeline='outline-operators' --compare %t.py | FileCheck --check-prefix=AGAIN %s
# AGAIN: equal
# COUNT: 5 {{ *}}outline-operators.calls
# COUNT: 4 {{ *}}outline-operators.functions

from tvm.script import ir as I
from tvm.script import tir as T


@I.ir_module
class Module:
    # Two parameters of the entry may be one tensor of the caller.
    # CHECK-LABEL: def between(
    # CHECK-NOT: tir.noalias

    # CHECK-LABEL: def first_second(p0: T.Buffer((8,), "int32"), output: T.Buffer((8,), "int32")):
    # CHECK-NEXT: T.func_attr({"tenon.externs": {"absent": ["rw"]}, "tenon.origins": ["first", "second"], "tir.noalias": T.bool(True)})
    # CHECK-NEXT: own = T.allocate([8], "int32", "global")
    # CHECK: T.allocate_const([3], "int32", [1])
    # CHECK: for i in range(8):
    # CHECK: own_1[0] = 5
    # CHECK: output[i] = own_1[7 - i]

    # CHECK-LABEL: def taken_1(
    # CHECK-NEXT: "tenon.origins": ["taken"]
    # CHECK-LABEL: def update(p0: T.Buffer((8,), "int32"), inout: T.Buffer((8,), "int32")):

    # The name is taken.
    @T.prim_func
    def taken(x: T.Buffer((8,), "int32")):
        x[0] = 1

    # Memory that one function uses moves there; constants go to each of their users. A statement
    # without an origin stays, unless its neighbors come from one call.
    # CHECK-LABEL: def main(
    # CHECK-NEXT: T.func_attr({"tenon.externs": {"absent": ["rw"]}})
    # CHECK-NEXT: a = T.allocate([8], "int32", "global")
    # CHECK-NEXT: b = T.allocate([8], "int32", "global")
    # CHECK-NEXT: T.call_extern("int32", "first_second", x.data, a)
    # CHECK-NEXT: T.call_extern("int32", "taken_1", a, b)
    # CHECK-NEXT: b_1 = T.Buffer((8,), "int32", data=b)
    # CHECK-NEXT: b_1[0] = 7
    # CHECK-NEXT: T.call_extern("int32", "taken_1", b, a)
    # CHECK-NEXT: T.call_extern("int32", "absent", a)
    # CHECK-NEXT: T.call_extern("int32", "update", a, y.data)
    # CHECK-NEXT: T.call_extern("int32", "between", x.data, y.data)
    @T.prim_func
    def main(x: T.Buffer((8,), "int32"), y: T.Buffer((8,), "int32")):
        T.func_attr({"tenon.externs": {"absent": ["rw"]}})
        a = T.allocate([8], "int32", "global")
        b = T.allocate([8], "int32", "global")
        own = T.allocate([8], "int32", "global")
        c = T.allocate_const([3], "int32", [1])
        a_1 = T.Buffer((8,), "int32", data=a)
        b_1 = T.Buffer((8,), "int32", data=b)
        own_1 = T.Buffer((8,), "int32", data=own)
        c_1 = T.Buffer((1,), "int32", data=c)
        for i in T.serial(8, annotations={"tenon.origins": ["first", "second"]}):
            own_1[i] = x[i] * c_1[0]
        own_1[0] = 5
        for i in T.serial(8, annotations={"tenon.origins": ["second"]}):
            a_1[i] = own_1[7 - i]
        for i in T.serial(8, annotations={"tenon.origins": ["taken"]}):
            b_1[i] = a_1[i] + c_1[0]
        b_1[0] = 7
        for i in T.serial(8, annotations={"tenon.origins": ["taken@2"]}):
            a_1[i] = b_1[i] + c_1[0]
        T.call_extern("int32", "absent", a)
        for i in T.serial(8, annotations={"tenon.origins": ["update"]}):
            y[i] = y[i] + a_1[i]
        for i in T.serial(8, annotations={"tenon.origins": ["between"]}):
            y[i] = x[i]
