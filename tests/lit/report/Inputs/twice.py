from tvm.script import ir as I
from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def __tvm_main__(x: T.Buffer((64,), "int8"), y: T.Buffer((64,), "int8")):
        between = T.allocate([64], "int8", "global.workspace")
        T.evaluate(T.call_extern("int32", "scale", x.data, between))
        T.evaluate(T.call_extern("int32", "scale", between, y.data))

    @T.prim_func
    def scale(p: T.Buffer((64,), "int8"), q: T.Buffer((64,), "int8")):
        w = T.allocate_const([1, 2, 3, 4], "int8", [4])
        w_1 = T.Buffer((4,), "int8", data=w)
        products = T.allocate([64], "int16", "global")
        products_1 = T.Buffer((64,), "int16", data=products)
        for i in range(64):
            products_1[i] = T.Cast("int16", p[i]) * T.Cast("int16", w_1[i % 4])
        for i in range(64):
            q[i] = T.Cast("int8", products_1[i])
