# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(x: T.Buffer((8,), "int8"), y: T.Buffer((8,), "int8")):
        T.func_attr({"global_symbol": "main"})
        w = T.allocate_const([1, 2, 3, 4, 5, 6, 7, 8], "int8", [8])
        w_1 = T.Buffer((8,), "int8", data=w)
        t = T.allocate([8], "int16", "global")
        t_1 = T.Buffer((8,), "int16", data=t)
        for i in range(8):
            t_1[i] = T.Cast("int16", x[i]) + T.Cast("int16", w_1[i])
        for j in range(8):
            y[j] = T.Cast("int8", t_1[j])
