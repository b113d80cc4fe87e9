# A function may get either of two buffers.
from tvm.script import ir as I
from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def add(p: T.Buffer((16,), "int8"), q: T.Buffer((16,), "int8")):
        for i in range(16):
            q[i] = q[i] + p[i]

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
        b = T.allocate([16], "int8", "global")
        b_1 = T.Buffer((16,), "int8", data=b)
        for i in range(16):
            b_1[i] = x[i] * T.int8(3)
        Module.add(T.Select(x[0] < T.int8(64), a, b), y.data)
