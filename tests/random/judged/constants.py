# Parts of one constant share its bytes.
from tvm.script import ir as I
from tvm.script import tir as T

@I.ir_module
class Module:
    I.module_attrs({"tenon.constants": [I.constant("w", [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32], "int8", [32]), I.constant("v", I.slice("w", 16), "int8", [4])]})

    @T.prim_func
    def main(x: T.Buffer((16,), "int8"), y: T.Buffer((16,), "int8")):
        T.func_attr({"tir.is_entry_func": T.bool(True)})
        w = T.allocate_const(I.constant("w"), "int8", [32])
        w_1 = T.Buffer((32,), "int8", data=w)
        v = T.allocate_const(I.constant("v"), "int8", [4])
        v_1 = T.Buffer((4,), "int8", data=v)
        u = T.allocate_const([9, 10, 11], "int8", [3])
        u_1 = T.Buffer((3,), "int8", data=u)
        for i in range(8):
            y[i] = x[i] + w_1[i]
        for i in range(4):
            y[i + 8] = x[i] + v_1[i]
        for i in range(3):
            y[i + 12] = x[i] * u_1[i]
