# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def f(y: T.Buffer((8,), "int8")):
        w = T.allocate_const([1, 2, 3, 4, 5, 6, 7, 8], "int8", [8])
        v = T.allocate_const([1, 2], "int8", [2])
        w_1 = T.Buffer((8,), "int8", data=w)
        v_1 = T.Buffer((2,), "int8", data=v)
        for i in range(8):
            y[i] = w_1[i] + v_1[0]
