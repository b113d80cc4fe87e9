# A tensor that an operator reads before it overwrites it is an input as well: by a let, or through a pointer that may
# be to another tensor.
# RUN: tenon-opt %s --pipeline=partition | FileCheck %s
# CHECK: def tvmgen_default_t_main_0(t_0_io0: T.Buffer((4,), "int32")):
# CHECK: def tvmgen_default_t_main_1(t_1_i0: T.Buffer((4,), "int32"), t_1_io0: T.Buffer((4,), "int32"), t_1_o0: T.Buffer((4,), "int32")):
from tvm.script import ir as I
from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def read_first(y: T.Buffer((4,), "int32")):
        T.func_attr({"tenon.op": {"kind": "elementwise"}, "tenon.targets": ["t"]})
        v: T.int32 = y[3]
        for i in range(4):
            y[i] = v + i

    @T.prim_func
    def read_chosen(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32"), z: T.Buffer((4,), "int32")):
        T.func_attr({"tenon.op": {"kind": "elementwise"}, "tenon.targets": ["t"]})
        p: T.handle("int32") = T.Select(x[0] > 0, x.data, y.data)
        p_1 = T.Buffer((4,), "int32", data=p)
        for i in range(4):
            z[i] = p_1[i]
        for i in range(4):
            y[i] = i

    @T.prim_func
    def main(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32"), z: T.Buffer((4,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        with T.attr(0, "tenon.region", "t"):
            T.call_extern("int32", "read_first", y.data)
        with T.attr(0, "tenon.region", "t"):
            T.call_extern("int32", "read_chosen", x.data, y.data, z.data)
