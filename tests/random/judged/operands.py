# Calls in one expression may run in any order.
from tvm.script import ir as I
from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def f(a: T.Buffer((16,), "int8")) -> T.int32:
        return T.Cast("int32", a[0]) + T.Cast("int32", a[15])

    @T.prim_func(private=True)
    def g(b: T.Buffer((16,), "int8")) -> T.int32:
        s = T.allocate([16], "int8", "global")
        s_1 = T.Buffer((16,), "int8", data=s)
        for i in range(16):
            s_1[i] = b[15 - i]
        return T.Cast("int32", s_1[15])

    @T.prim_func
    def main(x: T.Buffer((16,), "int8"), y: T.Buffer((1,), "int32")):
        T.func_attr({"tir.is_entry_func": T.bool(True)})
        a = T.allocate([16], "int8", "global")
        a_1 = T.Buffer((16,), "int8", data=a)
        for i in range(16):
            a_1[i] = x[i]
        y[0] = Module.f(a_1.data) + Module.g(x.data)
