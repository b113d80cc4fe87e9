# An input that begins in the middle of a buffer is elsewhere than the buffer.
from tvm.script import ir as I
from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def down(p: T.Buffer((12,), "int8"), q: T.Buffer((12,), "int8")):
        for i in range(12):
            q[11 - i] = p[11 - i] + T.int8(1)

    @T.prim_func
    def main(x: T.Buffer((16,), "int8"), y: T.Buffer((16,), "int8")):
        T.func_attr({"tir.is_entry_func": T.bool(True)})
        a = T.allocate([16], "int8", "global")
        b = T.allocate([12], "int8", "global")
        a_1 = T.Buffer((16,), "int8", data=a)
        b_1 = T.Buffer((12,), "int8", data=b)
        for i in range(16):
            a_1[i] = x[i]
        Module.down(T.address_of(a_1[4]), b_1.data)
        for i in range(12):
            y[i] = b_1[11 - i]
