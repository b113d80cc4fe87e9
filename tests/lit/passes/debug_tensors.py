# RUN: tenon-opt %s --pipeline=debug-tensors | FileCheck %s
# Tensors that a later operator reads, outputs and inputs are shown; a tensor that nothing reads is not.
# CHECK-LABEL: def main(
# CHECK: "tenon.externs": {"debug_tensor": ["", "", "r", ""]}
# CHECK: T.call_extern("int32", "debug_tensor", "x", 0, {{.*}}, 4)
# CHECK: T.call_extern("int32", "double",
# CHECK-NEXT: T.call_extern("int32", "debug_tensor", "t", 1, t, 16)
# CHECK-NEXT: T.call_extern("int32", "double",
# CHECK-NOT: "unread"
# CHECK: y[i] = T.Cast("int8",
# CHECK-NEXT: T.call_extern("int32", "debug_tensor", "y", 3, {{.*}}, 4)
from tvm.script import ir as I
from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def double(a: T.Buffer((4,), "int8"), b: T.Buffer((4,), "int32")):
        for i in range(4):
            b[i] = T.Cast("int32", a[i]) * 2

    @T.prim_func
    def main(x: T.Buffer((4,), "int8"), y: T.Buffer((4,), "int8")):
        t = T.allocate([4], "int32", "global")
        unread = T.allocate([4], "int32", "global")
        T.call_extern("int32", "double", x.data, t)
        T.call_extern("int32", "double", x.data, unread)
        for i in range(4):
            t_1 = T.Buffer((4,), "int32", data=t)
            y[i] = T.Cast("int8", t_1[i])
