# A call in an arm of an expression does not certainly run.
from tvm.script import ir as I
from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def fill(c: T.Buffer((16,), "int8"), p: T.Buffer((16,), "int8"), q: T.Buffer((1,), "int8")) -> T.int8:
        for i in range(16):
            p[i] = T.int8(3)
        q[0] = T.int8(4)
        return c[0]

    @T.prim_func
    def main(x: T.Buffer((16,), "int8"), y: T.Buffer((16,), "int8")):
        T.func_attr({"tir.is_entry_func": T.bool(True)})
        b = T.allocate([1], "int8", "global")
        b_1 = T.Buffer((1,), "int8", data=b)
        b_1[0] = x[5]
        a = T.allocate([16], "int8", "global")
        s = T.allocate([16], "int8", "global")
        a_1 = T.Buffer((16,), "int8", data=a)
        s_1 = T.Buffer((16,), "int8", data=s)
        for i in range(16):
            a_1[i] = x[i]
        for i in range(16):
            s_1[i] = x[15 - i]
        y[0] = s_1[3]
        y[1] = T.if_then_else(x[0] < T.int8(64), Module.fill(x.data, a_1.data, b_1.data), T.int8(0))
        for i in range(14):
            y[i + 2] = a_1[i] + b_1[0]
