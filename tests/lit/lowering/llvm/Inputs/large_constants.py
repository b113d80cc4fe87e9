# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    I.module_attrs({"tenon.constants": [
        I.constant("w", I.splat(3), "int32", [4500000]),
        I.constant("t", [1, 2, 3, 4], "int8", [4])]})
    @T.prim_func
    def main(x: T.int32, y: T.Buffer((4,), "int32")):
        w = T.allocate_const(I.constant("w"), "int32", [4500000])
        w_1 = T.Buffer((4500000,), "int32", data=w)
        t = T.allocate_const(I.constant("t"), "int8", [4])
        t_1 = T.Buffer((4,), "int8", data=t)
        for i in range(4):
            y[i] = x * w_1[i * 1000000] + T.Cast("int32", t_1[i])
