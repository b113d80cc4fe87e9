# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(x: T.Buffer((2, 2), "int8"), y: T.Buffer((2, 2), "int32")):
        T.func_attr({"global_symbol": "main"})
        w = T.allocate_const([1, 2, 3, 4], "int8", [4])
        w_1 = T.Buffer((4,), "int8", data=w)
        t = T.allocate([4], "int32", "global")
        t_1 = T.Buffer((4,), "int32", data=t)
        for i in range(4):
            t_1[i] = T.Cast("int32", x[i // 2, i % 2]) * T.Cast("int32", w_1[i])
        for i in range(4):
            y[i // 2, i % 2] = t_1[i] + 1
