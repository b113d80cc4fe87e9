# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    I.module_attrs({"tenon.constants": [I.constant("w", [1, -2, 3, 4, 5, 6, 7, 8], "int8", [8], section=".flash.w")]})
    @T.prim_func
    def main(x: T.Buffer((4,), "int8"), y: T.Buffer((4,), "int8")):
        T.func_attr({"global_symbol": "main"})
        w = T.allocate_const(I.constant("w"), "int8", [8])
        w_1 = T.Buffer((8,), "int8", data=w)
        b = T.allocate_const([4, 3, 2, 1, 0, 9, 8, 7], "int8", [8])
        b_1 = T.Buffer((8,), "int8", data=b)
        for i in range(4):
            y[i] = x[i] * w_1[i] + w_1[i + 4] + b_1[i]
