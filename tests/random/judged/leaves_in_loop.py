# A loop in which the function may end does not certainly overwrite.
from tvm.script import ir as I
from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def fill(c: T.Buffer((16,), "int8"), p: T.Buffer((16,), "int8")):
        for i in range(16):
            if c[i] < T.int8(0):
                T.evaluate(T.ret(0))
            p[i] = c[i] + T.int8(1)

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
        Module.fill(x.data, a_1.data)
        for i in range(16):
            y[i] = a_1[i]
