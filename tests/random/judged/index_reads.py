# The index of an argument is read as well.
from tvm.script import ir as I
from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def first(p: T.Buffer((4,), "int8"), q: T.Buffer((16,), "int8")):
        q[1] = p[0]

    @T.prim_func
    def main(x: T.Buffer((16,), "int8"), y: T.Buffer((16,), "int8")):
        T.func_attr({"tir.is_entry_func": T.bool(True)})
        a = T.allocate([16], "int8", "global")
        s = T.allocate([16], "int8", "global")
        a_1 = T.Buffer((16,), "int8", data=a)
        s_1 = T.Buffer((16,), "int8", data=s)
        for i in range(16):
            a_1[i] = x[i]
        for i in range(16):
            s_1[i] = x[15 - i]
        y[0] = s_1[3]
        Module.first(T.address_of(x[T.Cast("int32", a_1[3]) % 4 * 0 + T.Select(a_1[5] > T.int8(0), 8, 4)]), y.data)
