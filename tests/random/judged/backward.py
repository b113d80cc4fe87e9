# An output that may only begin some bytes after its input, not a multiple of the alignment.
from tvm.script import ir as I
from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def shift(p: T.Buffer((16,), "int8"), q: T.Buffer((13,), "int8")):
        for i in range(13):
            q[12 - i] = p[15 - i] + T.int8(1)

    @T.prim_func
    def main(x: T.Buffer((16,), "int8"), y: T.Buffer((16,), "int8")):
        T.func_attr({"tir.is_entry_func": T.bool(True)})
        a = T.allocate([16], "int8", "global")
        b = T.allocate([13], "int8", "global")
        a_1 = T.Buffer((16,), "int8", data=a)
        b_1 = T.Buffer((13,), "int8", data=b)
        for i in range(16):
            a_1[i] = x[i]
        Module.shift(a_1.data, b_1.data)
        for i in range(13):
            y[i] = b_1[12 - i]
