from tvm.script import ir as I
from tvm.script import tir as T

@I.ir_module
class Module:
    I.module_attrs({"tenon.constants": [I.constant("p0", [1, 2, 3, 4], "int8", [4]), I.constant("p1", [5, 6, 7, 8], "int8", [2, 2])]})
    @T.prim_func
    def f(p: T.handle("int8"), y: T.handle("int8")):
        p_1 = T.Buffer((4,), "int8", data=p)
        y_1 = T.Buffer((4,), "int8", data=y)
        for i in range(4):
            y_1[i] = p_1[i]
    @T.prim_func
    def main(x: T.Buffer((4,), "int8"), y: T.Buffer((4,), "int8"), z: T.Buffer((4,), "int8")):
        T.func_attr({"link_params": {"p0": I.constant("p0"), "p1": I.constant("p1")}})
        p: T.handle("int8") = T.lookup_param("p0")
        p_1 = T.Buffer((4,), "int8", data=p)
        T.call_extern("int32", "f", T.lookup_param("p1"), z.data)
        T.call_extern("int32", "f", T.lookup_param("p1"), y.data)
        for i in range(4):
            y[i] = x[i] + p_1[i]
