# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    I.module_attrs({"tenon.constants": [I.constant("slow", [9, 8, 7, 6], "int32", [4]), I.constant("part", [17, 18, 19, 20], "int8", [4]), I.constant("v", [[1, 2, 3, 4, 5, 6, 7, 8], [9, 10, 11, 12, 13, 14, 15, 16], [17, 18, 19, 20, 21, 22, 23, 24], [25, 26, 27, 28, 29, 30, 31, 32]], "uint8", [4, 8], align=64), I.constant("quick", [[9, 8], [7, 6]], "uint32", [2, 2], section=".fast"), I.constant("apart", [5, 5, 6], "int16", [3])]})
    @T.prim_func
    def main(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32")):
        slow = T.allocate_const(I.constant("slow"), "int32", [4])
        part = T.allocate_const(I.constant("part"), "int8", [4])
        v = T.allocate_const(I.constant("v"), "uint8", [4, 8])
        quick = T.allocate_const(I.constant("quick"), "uint32", [2, 2])
        apart = T.allocate_const(I.constant("apart"), "int16", [3])
        slow_1 = T.Buffer((4,), "int32", data=slow)
        part_1 = T.Buffer((4,), "int8", data=part)
        v_1 = T.Buffer((4, 8), "uint8", data=v)
        quick_1 = T.Buffer((2, 2), "uint32", data=quick)
        apart_1 = T.Buffer((3,), "int16", data=apart)
        for i in range(4):
            y[i] = x[i] * T.Cast("int32", v_1[i, 7 - i]) + slow_1[i] + T.Cast("int32", part_1[i]) + T.Cast("int32", quick_1[i // 2, i % 2]) + T.Cast("int32", apart_1[i % 3])
