from tvm.script import ir as I
from tvm.script import tir as T

# Two layers with the same weights, and a host operator between them.
@I.ir_module
class Module:
    @T.prim_func
    def first(x: T.Buffer((8,), "int8"), y: T.Buffer((8,), "int8")):
        T.func_attr({"tir.noalias": T.bool(True)})
        w = T.allocate_const([-1, 1, -5, 4, 7, -4, -6, -6, -8, 4, 1, -7, -1, 3, 0, -3, -5, 0, -2, -8, 0, 0, -2, -3, 1, 1, 3, -6, 2, 4, -1, -3, -1, 7, 0, -6, 1, -8, 1, 1, -2, 5, 5, 1, 5, 6, -3, -1, 1, 0, -7, -6, -7, 6, 0, 7, 2, -4, -2, -6, 5, -2, 6, 0], "int8", [64])
        w_1 = T.Buffer((64,), "int8", data=w)
        sum = T.allocate([1], "int32", "global")
        s = T.Buffer((1,), "int32", data=sum)
        for n in range(8):
            s[0] = 0
            for k in range(8):
                s[0] = s[0] + (T.Cast("int32", x[k]) - 3) * T.Cast("int32", w_1[n * 8 + k])
            y[n] = T.Cast("int8", T.max(T.min(T.q_multiply_shift(s[0], 1717986918, 31, -4) + 3, 127), -128))

    @T.prim_func
    def turn(x: T.Buffer((8,), "int8"), y: T.Buffer((8,), "int8")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i in range(8):
            y[i] = x[7 - i]

    @T.prim_func
    def second(x: T.Buffer((8,), "int8"), y: T.Buffer((8,), "int8")):
        T.func_attr({"tir.noalias": T.bool(True)})
        w = T.allocate_const([-1, 1, -5, 4, 7, -4, -6, -6, -8, 4, 1, -7, -1, 3, 0, -3, -5, 0, -2, -8, 0, 0, -2, -3, 1, 1, 3, -6, 2, 4, -1, -3, -1, 7, 0, -6, 1, -8, 1, 1, -2, 5, 5, 1, 5, 6, -3, -1, 1, 0, -7, -6, -7, 6, 0, 7, 2, -4, -2, -6, 5, -2, 6, 0], "int8", [64])
        w_1 = T.Buffer((64,), "int8", data=w)
        sum = T.allocate([1], "int32", "global")
        s = T.Buffer((1,), "int32", data=sum)
        for n in range(8):
            s[0] = 0
            for k in range(8):
                s[0] = s[0] + (T.Cast("int32", x[k]) - -5) * T.Cast("int32", w_1[n * 8 + k])
            y[n] = T.Cast("int8", T.max(T.min(T.q_multiply_shift(s[0], 1717986918, 31, -3) + -5, 127), -128))

    @T.prim_func
    def main(x: T.Buffer((8,), "int8"), y: T.Buffer((8,), "int8")):
        a = T.allocate([8], "int8", "global")
        b = T.allocate([8], "int8", "global")
        T.tvm_check_return(0, -1, T.call_extern("int32", "first", x.data, a))
        T.tvm_check_return(0, -1, T.call_extern("int32", "turn", a, b))
        T.tvm_check_return(0, -1, T.call_extern("int32", "second", b, y.data))
