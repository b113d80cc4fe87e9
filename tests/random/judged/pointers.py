# Pointers that are computed: into the middle, from a choice, by a name.
from tvm.script import ir as I
from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def copy(a: T.Buffer((8,), "int8"), b: T.Buffer((8,), "int8")):
        for i in range(8):
            b[i] = a[7 - i]

    @T.prim_func
    def main(x: T.Buffer((16,), "int8"), y: T.Buffer((16,), "int8")):
        T.func_attr({"tir.is_entry_func": T.bool(True)})
        a = T.allocate([16], "int8", "global")
        b = T.allocate([16], "int8", "global")
        s = T.allocate([16], "int8", "global")
        a_1 = T.Buffer((16,), "int8", data=a)
        b_1 = T.Buffer((16,), "int8", data=b)
        s_1 = T.Buffer((16,), "int8", data=s)
        for i in range(16):
            a_1[i] = x[i]
            b_1[i] = x[i] + T.int8(1)
        for i in range(16):
            s_1[i] = x[15 - i]
        y[0] = s_1[3]
        half: T.handle("int8", "global") = T.address_of(a_1[8])
        half_1 = T.Buffer((8,), "int8", data=half)
        for i in range(8):
            half_1[i] = x[i]
        either: T.handle("int8", "global") = T.Select(x[0] < T.int8(64), a, b)
        either_1 = T.Buffer((16,), "int8", data=either)
        for i in range(8):
            either_1[i] = x[i] + T.int8(2)
        for i in range(16):
            y[i] = a_1[i] + b_1[i] + y[0]
        for i in range(16):
            s_1[i] = x[i]
        Module.copy(T.address_of(s_1[8]), T.address_of(s_1[0]))
        for i in range(8):
            y[i] = y[i] + s_1[i]
