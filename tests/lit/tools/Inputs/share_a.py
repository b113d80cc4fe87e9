# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    I.module_attrs({"tenon.constants": [I.constant("w", [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32], "int8", [32]), I.constant("fast", [9, 8, 7, 6], "int32", [4], section=".fast"), I.constant("apart", [5, 5, 6], "int16", [3], address_significant=True), I.constant("own", [77, 78, 79], "int8", [3])]})
    @T.prim_func
    def main(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32")):
        w = T.allocate_const(I.constant("w"), "int8", [32])
        fast = T.allocate_const(I.constant("fast"), "int32", [4])
        apart = T.allocate_const(I.constant("apart"), "int16", [3])
        own = T.allocate_const(I.constant("own"), "int8", [3])
        w_1 = T.Buffer((32,), "int8", data=w)
        fast_1 = T.Buffer((4,), "int32", data=fast)
        apart_1 = T.Buffer((3,), "int16", data=apart)
        own_1 = T.Buffer((3,), "int8", data=own)
        for i in range(4):
            y[i] = x[i] * T.Cast("int32", w_1[i + 5]) + fast_1[i] + T.Cast("int32", apart_1[i % 3]) + T.Cast("int32", own_1[i % 3])
