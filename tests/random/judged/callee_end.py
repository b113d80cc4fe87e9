# A function that may end early does not certainly overwrite what its caller gave it.
from tvm.script import ir as I
from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def fill(c: T.Buffer((16,), "int8"), a: T.Buffer((16,), "int8")):
        if c[0] < T.int8(64):
            T.evaluate(T.ret(0))
        for i in range(16):
            a[i] = c[i] + T.int8(1)

    @T.prim_func(private=True)
    def reverse(c: T.Buffer((16,), "int8"), s: T.Buffer((16,), "int8")):
        for i in range(16):
            s[i] = c[15 - i]

    @T.prim_func
    def main(x: T.Buffer((16,), "int8"), y: T.Buffer((16,), "int8")):
        T.func_attr({"tir.is_entry_func": T.bool(True)})
        a = T.allocate([16], "int8", "global")
        s = T.allocate([16], "int8", "global")
        a_1 = T.Buffer((16,), "int8", data=a)
        s_1 = T.Buffer((16,), "int8", data=s)
        for i in range(16):
            a_1[i] = x[i]
        Module.reverse(x.data, s_1.data)
        y[0] = s_1[0]
        Module.fill(x.data, a_1.data)
        for i in range(16):
            y[i] = a_1[i] + y[0]
