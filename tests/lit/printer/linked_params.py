# Constants bound to names and to parameters are printed as they were written.
#
# RUN: grep -v "^ *#" %s > %t.in
# RUN: tenon-opt %s | grep -v "^ *#" > %t.out
# RUN: diff %t.in %t.out
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    I.module_attrs({"tenon.constants": [I.constant("p0", [1, 2, 3, 4], "int8", [4]), I.constant("p1", [5, 6, 7, 8], "int8", [2, 2])]})
    @T.prim_func
    def by_name(y: T.Buffer((4,), "int8")):
        T.func_attr({"link_params": {"p0": I.constant("p0")}})
        p: T.handle("int8") = T.lookup_param("p0")
        p_1 = T.Buffer((4,), "int8", data=p)
        y[0] = p_1[1]

    @T.prim_func
    def by_param(x: T.Buffer((4,), "int8"), p0: T.Buffer((4,), "int8"), p1: T.handle, y: T.Buffer((4,), "int8")):
        T.func_attr({"link_params": {p0: I.constant("p0"), p1: I.constant("p1")}})
        p1_1 = T.match_buffer(p1, (2, 2), "int8")
        for i in range(4):
            y[i] = x[i] + p0[i] * p1_1[i // 2, i % 2]
