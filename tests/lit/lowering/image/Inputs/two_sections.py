# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    I.module_attrs({"tenon.constants": [
        I.constant("w", [1, -2, 3, 4], "int8", [4], align=32, section=".rodata.w"),
        I.constant("v", [1.5, -2.0], "float32", [2]),
        I.constant("z", I.splat(7), "int16", [3])]})
    @T.prim_func
    def main(x: T.Buffer((4,), "int8"), y: T.Buffer((4,), "int8"), f: T.Buffer((2,), "float32")):
        T.func_attr({"global_symbol": "main"})
        w = T.allocate_const(I.constant("w"), "int8", [4])
        w_1 = T.Buffer((4,), "int8", data=w)
        v = T.allocate_const(I.constant("v"), "float32", [2])
        v_1 = T.Buffer((2,), "float32", data=v)
        z = T.allocate_const(I.constant("z"), "int16", [3])
        z_1 = T.Buffer((3,), "int16", data=z)
        for i in range(4):
            y[i] = x[i] + w_1[i] + T.Cast("int8", z_1[i % 3])
        for i in range(2):
            f[i] = v_1[i]
