from tvm.script import ir as I
from tvm.script import tir as T

@I.ir_module
class Module:
    I.module_attrs({"tenon.constants": [I.constant("w", [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63, 64], "int8", [64], section=".weights"), I.constant("part", I.slice("w", 16), "int8", [6])]})
    @T.prim_func(private=True)
    def first(y: T.Buffer((4,), "int8")):
        w = T.allocate_const(I.constant("w"), "int8", [64])
        w_1 = T.Buffer((64,), "int8", data=w)
        own = T.allocate_const([1.5], "float32", [1])
        own_1 = T.Buffer((1,), data=own)
        for i in range(4):
            y[i] = w_1[i] + T.Cast("int8", own_1[0])

    @T.prim_func(private=True)
    def second(y: T.Buffer((4,), "int8")):
        w = T.allocate_const(I.constant("w"), "int8", [64])
        w_1 = T.Buffer((64,), "int8", data=w)
        p = T.allocate_const(I.constant("part"), "int8", [6])
        p_1 = T.Buffer((6,), "int8", data=p)
        for i in range(4):
            y[i] = y[i] + w_1[i] * p_1[i]

    @T.prim_func
    def main(y: T.Buffer((4,), "int8")):
        Module.first(y.data)
        Module.second(y.data)
