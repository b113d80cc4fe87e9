# A load through a pointer into the middle reads other bytes than the first ones.
from tvm.script import ir as I
from tvm.script import tir as T

@I.ir_module
class Module:
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
        for i in range(8):
            a_1[i] = T.int8(1)
        half: T.handle("int8", "global") = T.address_of(a_1[8])
        half_1 = T.Buffer((8,), "int8", data=half)
        for i in range(8):
            y[i + 1] = half_1[i] + a_1[i]
