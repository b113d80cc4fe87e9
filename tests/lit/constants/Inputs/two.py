# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    I.module_attrs({"tenon.constants": [I.constant("w", [1, 2, 3, 4, 5, 6, 7, 8], "int8", [8]), I.constant("v", I.slice("w", 4), "int8", [2])]})
    @T.prim_func
    def main(y: T.Buffer((2,), "int8")):
        w = T.allocate_const(I.constant("w"), "int8", [8])
        v = T.allocate_const(I.constant("v"), "int8", [2])
        b = T.allocate_const([1, 2], "int8", [2])
        for i in range(2):
            w_1 = T.Buffer((8,), "int8", data=w)
            v_1 = T.Buffer((2,), "int8", data=v)
            b_1 = T.Buffer((2,), "int8", data=b)
            y[i] = w_1[i] + v_1[i] + b_1[i]
