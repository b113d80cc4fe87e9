# A vector store may change what its value reads through another pointer, if both may be to one buffer. Then the lanes
# first go to an array.
# RUN: tenon-opt %s --pipeline=lower-vectors | FileCheck %s
from tvm.script import ir as I
from tvm.script import tir as T

@I.ir_module
class Module:
    # CHECK-LABEL: def chosen(
    # CHECK: values_1[lane] = p_1[lane] + 7
    # CHECK: a_1[1 + lane] = values_1[lane]
    # CHECK: values_1[lane] = a_1[1 + lane] * 3
    # CHECK: p_1[2 + lane] = values_1[lane]
    # CHECK: c_1[lane] = p_1[lane]
    @T.prim_func
    def chosen(x: T.Buffer((4,), "int32")):
        a = T.allocate([8], "int32", "global")
        b = T.allocate([8], "int32", "global")
        c = T.allocate([8], "int32", "global")
        a_1 = T.Buffer((8,), "int32", data=a)
        c_1 = T.Buffer((8,), "int32", data=c)
        p: T.handle("int32") = T.Select(x[0] > 0, a, b)
        p_1 = T.Buffer((8,), "int32", data=p)
        a_1[1:5] = p_1[0:4] + T.Broadcast(7, 4)
        p_1[2:6] = a_1[1:5] * T.Broadcast(3, 4)
        c_1[0:4] = p_1[0:4]

    # The result of a call may be any pointer.
    # CHECK-LABEL: def returned(
    # CHECK: values_1[lane] = p_1[lane]
    # CHECK: a_1[1 + lane] = values_1[lane]
    @T.prim_func
    def returned(a_1: T.Buffer((8,), "int32")):
        p: T.handle("int32") = T.call_extern("handle", "find")
        p_1 = T.Buffer((8,), "int32", data=p)
        a_1[1:5] = p_1[0:4]
